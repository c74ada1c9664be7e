package storage

import (
	"bytes"
	"io"
	"sync"

	"minidb/sstable"
	"minidb/storage/internal/iterator"
	"minidb/storage/internal/manifest"
	"minidb/storage/internal/memtable"
)

// getter looks for the newest version of a prefix at or below a suffix.
type getter struct {
	db     *DB
	target []byte // prefix ‖ suffix
	prefix []byte
	suffix []byte
	// value and found belong to the best version so far.
	value, found []byte
	any          bool
	mem          memtable.Iter
}

var getters = sync.Pool{New: func() any { return &getter{} }}

// Close gives the memory of a Get's results back.
func (g *getter) Close() error {
	g.db = nil
	getters.Put(g)
	return nil
}

// Get returns the newest version of prefix whose suffix is bytewise at or after
// suffix, and that version's suffix. found == nil: there is none. value and found
// are valid until closer.Close, which must be called if closer is not nil.
//
// It trusts no order of sources: a version may lie in any of them. A source is
// left out only if its bounds or its filter prove that it has nothing better.
func (db *DB) Get(prefix, suffix []byte) (value, found []byte, closer io.Closer, err error) {
	if db.closed.Load() {
		return nil, nil, nil, ErrClosed
	}
	g := getters.Get().(*getter)
	g.db, g.any = db, false
	g.target = append(append(g.target[:0], prefix...), suffix...)
	g.prefix, g.suffix = g.target[:len(prefix)], g.target[len(prefix):]
	s := db.acquire()
	err = g.search(s)
	db.release(s)
	if err != nil || !g.any {
		_ = g.Close()
		return nil, nil, nil, err
	}
	return g.value, g.found, g, nil
}

func (g *getter) search(s *readState) error {
	g.searchMemtable(s.mem)
	for _, m := range s.imms {
		g.searchMemtable(m)
	}
	for _, f := range s.version.Levels[0] {
		if err := g.searchFile(f); err != nil {
			return err
		}
	}
	for level := 1; level < manifest.NumLevels; level++ {
		if f := s.version.Find(level, g.prefix); f != nil {
			if err := g.searchFile(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *getter) searchMemtable(m *table) {
	g.mem.Reset(m.Memtable, nil, nil)
	if g.mem.SeekGE(g.target) {
		g.offer(&g.mem)
	}
	_ = g.mem.Close()
}

func (g *getter) searchFile(f *manifest.File) error {
	switch {
	case !f.Span().Contains(g.prefix):
		return nil
	case bytes.Compare(f.MaxSuffix, g.suffix) < 0:
		return nil // all of it is newer than the read
	case g.any && bytes.Compare(f.MinSuffix, g.found) >= 0:
		return nil // none of it is newer than what was found
	}
	t, err := g.db.tables.Get(f.Num)
	if err != nil {
		return err
	}
	defer t.Release()
	if may, err := t.MayContain(g.prefix); !may || err != nil {
		return err
	}
	it, err := t.NewIter(sstable.IterOptions{})
	if err != nil {
		return err
	}
	if it.SeekGE(g.target) {
		g.offer(it)
	}
	return it.Close()
}

// offer takes the version at which it stands if it is of the prefix and better.
func (g *getter) offer(it iterator.Iterator) {
	key := it.Key()
	p, suffix := key[:Split(key)], key[Split(key):]
	if !bytes.Equal(p, g.prefix) || g.any && bytes.Compare(suffix, g.found) >= 0 {
		return
	}
	g.any = true
	g.found = append(g.found[:0], suffix...)
	g.value = append(g.value[:0], it.Value()...)
}
