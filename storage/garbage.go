package storage

import (
	"bytes"
	"slices"

	"minidb/storage/internal/manifest"
)

// minGarbageShare is the share of what a compaction would read that must be
// garbage for CompactGarbage to run it: one entry in so many.
const minGarbageShare = 32

// CompactGarbage is Compact of that part of [lower, upper) in which the filter
// would now drop something, if that is enough to be worth the work. What is left
// goes with later compactions.
//
// To know it reads the keys of the span, except in files that cannot hold
// garbage: those of one version, such as ingested ones, that nothing overlaps.
func (db *DB) CompactGarbage(lower, upper []byte) error {
	g, err := db.findGarbage(lower, upper)
	if err != nil || g.count == 0 || g.count*minGarbageShare < g.read {
		return err
	}
	return db.Compact(g.first, append(g.last, 0))
}

// garbage is what the filter would drop of a span.
type garbage struct {
	count uint64
	// first and last are keys of garbage.
	first, last []byte
	// read is the number of entries that a compaction of them all would read.
	read uint64
}

// findGarbage runs the filter over the span without writing anything.
func (db *DB) findGarbage(lower, upper []byte) (g garbage, err error) {
	if db.closed.Load() {
		return g, ErrClosed
	}
	if db.o.NewFilter == nil {
		return g, nil
	}
	s := db.acquire()
	defer db.release(s)
	filter := db.o.NewFilter()
	from := lower
	for _, f := range s.pureFiles(lower, upper) {
		if err := db.tryFilter(filter, from, f.Smallest, &g); err != nil {
			return g, err
		}
		from = append(bytes.Clone(f.Largest), 0)
	}
	if err := db.tryFilter(filter, from, upper, &g); err != nil {
		return g, err
	}
	if g.count > 0 {
		g.read = s.compactionSize(g.first, g.last)
	}
	return g, nil
}

// tryFilter counts what the filter drops of [lower, upper).
func (db *DB) tryFilter(filter CompactionFilter, lower, upper []byte, g *garbage) error {
	it, err := db.NewIter(IterOptions{Lower: lower, Upper: upper})
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		if !filter.Drop(it.Key(), it.Value(), nothingOutside{}) {
			continue
		}
		if g.count++; g.count == 1 {
			g.first = bytes.Clone(it.Key())
		}
		g.last = append(g.last[:0], it.Key()...)
	}
	return it.Close()
}

// nothingOutside is the Outside of a compaction of everything.
type nothingOutside struct{}

func (nothingOutside) OldestSuffix([]byte) ([]byte, bool) { return nil, false }

// pureFiles returns, in key order, the files within [lower, upper) that hold one
// version of each of their keys and alone have these.
func (s *readState) pureFiles(lower, upper []byte) []*manifest.File {
	var pure []*manifest.File
	for _, files := range s.version.Levels {
		for _, f := range files {
			if f.Tombstones == 0 && bytes.Equal(f.MinSuffix, f.MaxSuffix) &&
				(lower == nil || bytes.Compare(lower, f.Smallest) <= 0) && (upper == nil || bytes.Compare(f.Largest, upper) < 0) && s.isAlone(f) {
				pure = append(pure, f)
			}
		}
	}
	slices.SortFunc(pure, func(a, b *manifest.File) int { return bytes.Compare(a.Smallest, b.Smallest) })
	return pure
}

// isAlone reports whether no other source has keys in the file's span.
func (s *readState) isAlone(f *manifest.File) bool {
	for level := range s.version.Levels {
		for _, o := range s.version.Overlapping(level, f.Span()) {
			if o != f {
				return false
			}
		}
	}
	end := append(append(bytes.Clone(f.Span().Last), maxSuffix...), 0)
	for _, m := range s.memtables() {
		if m.NewIter(f.Span().First, end).First() {
			return false
		}
	}
	return true
}

// compactionSize returns how many entries a Compact of [first, last] would read.
// The memtables become files first, each as wide as its keys.
func (s *readState) compactionSize(first, last []byte) uint64 {
	span := manifest.Span{First: first[:Split(first)], Last: last[:Split(last)]}
	n := uint64(0)
	for _, m := range s.memtables() {
		if it := m.NewIter(nil, nil); it.First() {
			low := it.Key()
			it.Last()
			high := it.Key()
			span = span.Union(manifest.Span{First: low[:Split(low)], Last: high[:Split(high)]})
			n += uint64(m.Len())
		}
	}
	for level := range s.version.Levels {
		for _, f := range s.version.Overlapping(level, span) {
			n += f.Entries
		}
	}
	return n
}
