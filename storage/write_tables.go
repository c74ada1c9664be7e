package storage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"

	"minidb/sstable"
	"minidb/storage/internal/iterator"
	"minidb/storage/internal/manifest"
	"minidb/storage/vfs"
)

// errClosing ends background work at Close.
var errClosing = errors.New("storage: closing")

// tableWriter writes the sorted entries of one flush or compaction to files of
// about the target size. A prefix never lies in two of them.
type tableWriter struct {
	db     *DB
	filter sstable.FilterPolicy
	target uint64

	files []*manifest.File
	num   uint64
	f     vfs.File
	buf   *bufio.Writer
	w     *sstable.Writer
	last  []byte // prefix of the last entry in w
}

const writeBufferBytes = 256 << 10

func (t *tableWriter) add(key, value []byte) error {
	p := key[:Split(key)]
	if t.w != nil && t.isFull(p) {
		if err := t.finish(); err != nil {
			return err
		}
	}
	if t.w == nil {
		if err := t.begin(); err != nil {
			return err
		}
	}
	t.last = append(t.last[:0], p...)
	return t.w.Set(key, value)
}

// minBorderShare is the part of the target size from which a file ends at a border.
const minBorderShare = 16

// isFull reports whether the open file should end before the prefix p.
func (t *tableWriter) isFull(p []byte) bool {
	size := t.w.EstimatedSize()
	if size < t.target/minBorderShare || bytes.Equal(p, t.last) {
		return false
	}
	return size >= t.target || t.db.o.Border != nil && t.db.o.Border(t.last, p)
}

func (t *tableWriter) begin() (err error) {
	t.num = t.db.nextFile.Add(1) - 1
	if t.f, err = t.db.fs.Create(t.db.tableName(t.num)); err != nil {
		return err
	}
	t.buf = bufio.NewWriterSize(t.f, writeBufferBytes)
	t.w = sstable.NewWriter(t.buf, sstable.WriterOptions{BlockBytes: t.db.o.BlockBytes, Filter: t.filter})
	return nil
}

// finish makes the open file durable; its directory entry is the caller's to sync.
func (t *tableWriter) finish() error {
	if t.w == nil {
		return nil
	}
	w := t.w
	t.w = nil
	props, err := w.Close()
	if err == nil {
		err = t.buf.Flush()
	}
	if err == nil {
		err = t.f.Sync()
	}
	if cerr := t.f.Close(); err == nil {
		err = cerr
	}
	t.f = nil
	if err != nil {
		return err
	}
	t.files = append(t.files, manifest.NewFile(t.num, props))
	return nil
}

// abort removes what was written.
func (t *tableWriter) abort() {
	if t.w != nil {
		t.w.Abort()
		t.w = nil
	}
	if t.f != nil {
		t.f.Close()
		t.f = nil
	}
	if t.num != 0 && (len(t.files) == 0 || t.files[len(t.files)-1].Num != t.num) {
		t.db.removeFile(t.db.tableName(t.num))
	}
	for _, f := range t.files {
		t.db.removeFile(t.db.tableName(f.Num))
	}
}

// removeFile deletes a file nobody needs. If that fails the next Open does it.
func (db *DB) removeFile(name string) {
	if err := db.fs.Remove(name); err != nil {
		db.o.Logger.Warn("delete an obsolete file", "file", name, "error", err)
	}
}

// writeTables writes the entries of it that the filter keeps to durable files.
func (db *DB) writeTables(it iterator.Iterator, level int, target int64, out *outside) (files []*manifest.File, dropped int64, err error) {
	t := &tableWriter{db: db, target: uint64(target), filter: sstable.FuseFilter}
	if level == 0 {
		t.filter = sstable.BloomFilter
	}
	var filter CompactionFilter
	if db.o.NewFilter != nil {
		filter = db.o.NewFilter()
	}
	defer func() {
		if err != nil {
			t.abort()
		}
	}()
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n%1024 == 0 && db.isClosing() {
			return nil, 0, errClosing
		}
		key, value := it.Key(), it.Value()
		if filter != nil && filter.Drop(key, value, out) {
			dropped++
			continue
		}
		if err := t.add(key, value); err != nil {
			return nil, 0, fmt.Errorf("write %s: %w", db.tableName(t.num), err)
		}
	}
	if err := it.Err(); err != nil {
		return nil, 0, err
	}
	if err := t.finish(); err != nil {
		return nil, 0, fmt.Errorf("write %s: %w", db.tableName(t.num), err)
	}
	if len(t.files) > 0 {
		if err := db.fs.SyncDir(db.dir); err != nil {
			return nil, 0, err
		}
	}
	return t.files, dropped, nil
}
