package storage

import (
	"bytes"
	"slices"
	"sort"
	"sync"

	"minidb/sstable"
	"minidb/storage/internal/cache"
	"minidb/storage/internal/iterator"
	"minidb/storage/internal/manifest"
	"minidb/storage/internal/memtable"
)

// IterOptions bound an iterator. nil means no bound. The slices must not change
// while the iterator is open.
type IterOptions struct {
	// Lower is inclusive, Upper exclusive.
	Lower, Upper []byte
	// MinSuffix and MaxSuffix, bytewise and inclusive, allow the iterator to skip
	// blocks and files that lie wholly outside them. Entries outside them may
	// still be returned.
	MinSuffix, MaxSuffix []byte
}

// Iter walks the facts in key order, in both directions. It is not safe for
// concurrent use. It sees every fact that was committed or ingested before
// NewIter; of later ones it may see some.
//
// Every move reports whether the iterator then stands on a fact; if not, Err
// tells an error from the end.
type Iter struct {
	*iterState
}

// iterState is the memory of an iterator, which goes from one to the next. The
// Iter itself does not: one that is used after its Close finds nothing.
type iterState struct {
	db      *DB
	state   *readState
	merge   iterator.Merge
	sources []iterator.Iterator
	mems    []memtable.Iter
	levels  []iterator.Level
	files   []levelFiles
}

var iterStates = sync.Pool{New: func() any { return &iterState{} }}

// NewIter returns an iterator that stands nowhere. It must be closed.
func (db *DB) NewIter(o IterOptions) (*Iter, error) {
	i := &Iter{}
	if err := db.OpenIter(i, o); err != nil {
		return nil, err
	}
	return i, nil
}

// OpenIter is NewIter that makes it, which is closed or new, the iterator.
func (db *DB) OpenIter(it *Iter, o IterOptions) error {
	if db.closed.Load() {
		return ErrClosed
	}
	i := iterStates.Get().(*iterState)
	i.db, i.state = db, db.acquire()
	s := i.state
	// The sources are pointed to, so the slices must not grow while they fill.
	i.mems = slices.Grow(i.mems[:0], len(s.imms)+1)
	i.addMemtable(s.mem, o)
	for _, m := range s.imms {
		i.addMemtable(m, o)
	}
	count := len(s.version.Levels[0]) + manifest.NumLevels
	i.levels, i.files = slices.Grow(i.levels[:0], count), slices.Grow(i.files[:0], count)
	so := sstable.IterOptions{Lower: o.Lower, Upper: o.Upper, MinSuffix: o.MinSuffix, MaxSuffix: o.MaxSuffix}
	for level, files := range s.version.Levels {
		files = filesFor(level, files, o)
		if level > 0 && len(files) > 0 {
			i.addFiles(files, so)
			continue
		}
		for n := range files {
			i.addFiles(files[n:n+1], so)
		}
	}
	i.merge.Reset(i.sources)
	it.iterState = i
	return nil
}

func (i *iterState) addMemtable(m *table, o IterOptions) {
	i.mems = append(i.mems, memtable.Iter{})
	it := &i.mems[len(i.mems)-1]
	it.Reset(m.Memtable, o.Lower, o.Upper)
	i.sources = append(i.sources, it)
}

func (i *iterState) addFiles(files []*manifest.File, o sstable.IterOptions) {
	i.files = append(i.files, levelFiles{db: i.db, files: files, o: o})
	i.levels = append(i.levels, iterator.Level{})
	it := &i.levels[len(i.levels)-1]
	it.Reset(&i.files[len(i.files)-1])
	i.sources = append(i.sources, it)
}

// Close releases the iterator and returns Err.
func (i *Iter) Close() error {
	s := i.iterState
	i.iterState = nil
	err := s.merge.Close()
	s.db.release(s.state)
	clear(s.sources)
	clear(s.files)
	s.db, s.state, s.sources = nil, nil, s.sources[:0]
	iterStates.Put(s)
	return err
}

// filesFor returns those of a level's files that an iterator must look at.
func filesFor(level int, files []*manifest.File, o IterOptions) []*manifest.File {
	if level > 0 {
		// They ascend: those within the bounds are neighbours.
		if o.Lower != nil {
			files = files[sort.Search(len(files), func(i int) bool { return bytes.Compare(files[i].Largest, o.Lower) >= 0 }):]
		}
		if o.Upper != nil {
			files = files[:sort.Search(len(files), func(i int) bool { return bytes.Compare(files[i].Smallest, o.Upper) >= 0 })]
		}
	}
	wanted := func(f *manifest.File) bool {
		return (o.MinSuffix == nil || bytes.Compare(f.MaxSuffix, o.MinSuffix) >= 0) &&
			(o.MaxSuffix == nil || bytes.Compare(f.MinSuffix, o.MaxSuffix) <= 0) &&
			overlapsBounds(f, o.Lower, o.Upper)
	}
	for i, f := range files {
		if wanted(f) {
			continue
		}
		found := slices.Clone(files[:i])
		for _, f := range files[i+1:] {
			if wanted(f) {
				found = append(found, f)
			}
		}
		return found
	}
	return files
}

func overlapsBounds(f *manifest.File, lower, upper []byte) bool {
	return (lower == nil || bytes.Compare(f.Largest, lower) >= 0) &&
		(upper == nil || bytes.Compare(f.Smallest, upper) < 0)
}

// levelFiles implements iterator.Files. At most one of the files is open.
type levelFiles struct {
	db    *DB
	files []*manifest.File
	o     sstable.IterOptions
	open  tableIter
}

func (l *levelFiles) Len() int              { return len(l.files) }
func (l *levelFiles) Smallest(i int) []byte { return l.files[i].Smallest }
func (l *levelFiles) Largest(i int) []byte  { return l.files[i].Largest }

func (l *levelFiles) Open(i int) (iterator.Iterator, error) {
	t, err := l.db.tables.Get(l.files[i].Num)
	if err != nil {
		return nil, err
	}
	it, err := t.NewIter(l.o)
	if err != nil {
		t.Release()
		return nil, err
	}
	l.open = tableIter{it, t}
	return &l.open, nil
}

// tableIter iterates over one file and keeps it open meanwhile.
type tableIter struct {
	*sstable.Iter
	table *cache.Table
}

func (i *tableIter) Close() error {
	err := i.Iter.Close()
	i.table.Release()
	*i = tableIter{}
	return err
}

// First moves to the first fact.
func (i *Iter) First() bool { return i.merge.First() }

// Last moves to the last fact.
func (i *Iter) Last() bool { return i.merge.Last() }

// Next moves to the following fact; on a fresh iterator, or before the first
// fact, to the first.
func (i *Iter) Next() bool { return i.merge.Next() }

// Prev moves to the fact before; on a fresh iterator, or beyond the last fact, to
// the last.
func (i *Iter) Prev() bool { return i.merge.Prev() }

// SeekGE moves to the first fact at or after key. A seek ahead of the position
// costs what the distance costs.
func (i *Iter) SeekGE(key []byte) bool { return i.merge.SeekGE(key) }

// SeekLT moves to the last fact before key.
func (i *Iter) SeekLT(key []byte) bool { return i.merge.SeekLT(key) }

// NextPrefix moves to the first fact whose prefix is larger than the present one;
// without a present fact it is Next.
func (i *Iter) NextPrefix() bool { return i.merge.NextPrefix() }

// Valid reports whether the iterator stands on a fact.
func (i *Iter) Valid() bool { return i.merge.Valid() }

// Key returns the fact's key, valid until the next move.
func (i *Iter) Key() []byte { return i.merge.Key() }

// Value returns the fact's value, valid until the next move. Empty: a tombstone.
func (i *Iter) Value() []byte { return i.merge.Value() }

// Err returns the error that ended the iteration.
func (i *Iter) Err() error { return i.merge.Err() }
