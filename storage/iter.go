package storage

import (
	"bytes"

	"minidb/sstable"
	"minidb/storage/internal/cache"
	"minidb/storage/internal/iterator"
	"minidb/storage/internal/manifest"
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
	db    *DB
	state *readState
	merge *iterator.Merge
}

// NewIter returns an iterator that stands nowhere. It must be closed.
func (db *DB) NewIter(o IterOptions) (*Iter, error) {
	if db.closed.Load() {
		return nil, ErrClosed
	}
	s := db.acquire()
	sources := make([]iterator.Iterator, 0, len(s.imms)+1+len(s.version.Levels[0])+manifest.NumLevels)
	for _, m := range s.memtables() {
		sources = append(sources, m.NewIter(o.Lower, o.Upper))
	}
	so := sstable.IterOptions{Lower: o.Lower, Upper: o.Upper, MinSuffix: o.MinSuffix, MaxSuffix: o.MaxSuffix}
	for level, files := range s.version.Levels {
		files = filesFor(files, o)
		if level == 0 {
			for i := range files {
				sources = append(sources, db.levelIter(files[i:i+1], so))
			}
		} else if len(files) > 0 {
			sources = append(sources, db.levelIter(files, so))
		}
	}
	return &Iter{db: db, state: s, merge: iterator.NewMerge(sources...)}, nil
}

// filesFor returns those of a level's files that an iterator must look at.
func filesFor(files []*manifest.File, o IterOptions) []*manifest.File {
	if o.Lower == nil && o.Upper == nil && o.MinSuffix == nil && o.MaxSuffix == nil {
		return files
	}
	var found []*manifest.File
	for _, f := range files {
		if o.MinSuffix != nil && bytes.Compare(f.MaxSuffix, o.MinSuffix) < 0 ||
			o.MaxSuffix != nil && bytes.Compare(f.MinSuffix, o.MaxSuffix) > 0 {
			continue
		}
		if overlapsBounds(f, o.Lower, o.Upper) {
			found = append(found, f)
		}
	}
	return found
}

func overlapsBounds(f *manifest.File, lower, upper []byte) bool {
	return (lower == nil || bytes.Compare(f.Largest, lower) >= 0) &&
		(upper == nil || bytes.Compare(f.Smallest, upper) < 0)
}

// scanOptions are for reading whole files once.
var scanOptions = sstable.IterOptions{NoCacheFill: true}

// levelIter returns an iterator over files that ascend without overlap.
func (db *DB) levelIter(files []*manifest.File, o sstable.IterOptions) iterator.Iterator {
	spans := make([]iterator.Span, len(files))
	for i, f := range files {
		spans[i] = iterator.Span{Smallest: f.Smallest, Largest: f.Largest}
	}
	return iterator.NewLevel(spans, func(i int) (iterator.Iterator, error) {
		return db.tableIter(files[i].Num, o)
	})
}

// tableIter iterates over one file and keeps it open meanwhile.
func (db *DB) tableIter(num uint64, o sstable.IterOptions) (iterator.Iterator, error) {
	t, err := db.tables.Get(num)
	if err != nil {
		return nil, err
	}
	it, err := t.NewIter(o)
	if err != nil {
		t.Release()
		return nil, err
	}
	return &tableIter{it, t}, nil
}

type tableIter struct {
	*sstable.Iter
	table *cache.Table
}

func (i *tableIter) Close() error {
	err := i.Iter.Close()
	i.table.Release()
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

// Close releases the iterator and returns Err.
func (i *Iter) Close() error {
	err := i.merge.Close()
	i.db.release(i.state)
	return err
}
