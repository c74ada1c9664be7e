package storage

import (
	"bytes"

	"minidb/storage/internal/manifest"
	"minidb/storage/internal/memtable"
)

// SpanBytes is about how much room the facts of [start, end) take: the blocks of
// files that may hold some, as they are on disk, and what they are long in
// memtables. It costs the reading of at most two index blocks of each file at
// the span's ends, and a walk over the span's part of the memtables.
func (db *DB) SpanBytes(start, end []byte) (int64, error) {
	if db.closed.Load() {
		return 0, ErrClosed
	}
	s := db.acquire()
	defer db.release(s)
	var sum int64
	for _, m := range s.memtables() {
		sum += memtableBytes(m.Memtable, start, end)
	}
	for _, files := range s.version.Levels {
		for _, f := range files {
			n, err := db.fileBytes(f, start, end)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return sum, nil
}

func memtableBytes(m *memtable.Memtable, start, end []byte) int64 {
	var sum int64
	i := m.NewIter(start, end)
	defer i.Close()
	for ok := i.First(); ok; ok = i.Next() {
		sum += int64(len(i.Key()) + len(i.Value()))
	}
	return sum
}

// fileBytes is how much of a file the span takes.
func (db *DB) fileBytes(f *manifest.File, start, end []byte) (int64, error) {
	if bytes.Compare(f.Largest, start) < 0 || bytes.Compare(f.Smallest, end) >= 0 {
		return 0, nil
	}
	if bytes.Compare(f.Smallest, start) >= 0 && bytes.Compare(f.Largest, end) < 0 {
		return int64(f.Bytes), nil
	}
	t, err := db.tables.Get(f.Num)
	if err != nil {
		return 0, err
	}
	defer t.Release()
	return t.SpanBytes(start, end)
}
