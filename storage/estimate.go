package storage

import (
	"bytes"

	"minidb/storage/internal/manifest"
)

// estimateSteps is up to how many entries of a memtable are counted.
const estimateSteps = 4096

// EstimateEntries returns about how many entries [lower, upper) has, all versions
// counted: of files by the blocks that lie in the span, of a memtable exactly up
// to a bound, beyond which it counts as a whole. It reads index blocks only.
func (db *DB) EstimateEntries(lower, upper []byte) (uint64, error) {
	if db.closed.Load() {
		return 0, ErrClosed
	}
	s := db.acquire()
	defer db.release(s)
	n := uint64(0)
	for _, m := range s.memtables() {
		it := m.NewIter(lower, upper)
		steps := 0
		for ok := it.First(); ok && steps < estimateSteps; ok = it.Next() {
			steps++
		}
		if steps == estimateSteps {
			steps = m.Len()
		}
		n += uint64(steps)
	}
	o := IterOptions{Lower: lower, Upper: upper}
	for level, files := range s.version.Levels {
		for _, f := range filesFor(level, files, o) {
			share, err := db.shareOf(f, lower, upper)
			if err != nil {
				return 0, err
			}
			n += uint64(share * float64(f.Entries))
		}
	}
	return n, nil
}

// shareOf is about which part of a file's entries lies in [lower, upper).
func (db *DB) shareOf(f *manifest.File, lower, upper []byte) (float64, error) {
	fromStart, toEnd := bytes.Compare(lower, f.Smallest) <= 0, bytes.Compare(f.Largest, upper) < 0
	if fromStart && toEnd {
		return 1, nil
	}
	t, err := db.tables.Get(f.Num)
	if err != nil {
		return 0, err
	}
	defer t.Release()
	size := t.Properties().DataBytes
	start, end := uint64(0), size
	if !fromStart {
		if start, err = t.OffsetOf(lower); err != nil {
			return 0, err
		}
	}
	if !toEnd {
		if end, err = t.OffsetOf(upper); err != nil {
			return 0, err
		}
	}
	if size == 0 || end <= start {
		// Within one block: a part of it.
		return 0.5 / float64(max(t.Properties().NumBlocks, 1)), nil
	}
	return float64(end-start) / float64(size), nil
}
