package kv

import (
	"bytes"
	"errors"
	"fmt"
	"path"

	"minidb/kv/mvcc"
	"minidb/sstable"
	"minidb/storage/vfs"
)

// SSTableOptions configure a sorted file.
type SSTableOptions struct {
	// Concurrency is the number of goroutines that compress blocks; 0: the
	// caller's own.
	Concurrency int
}

// SSTableBuilder writes one sorted file into the staging directory. Not safe for
// concurrent use; several builders may run at once.
type SSTableBuilder struct {
	db    *DB
	path  string
	file  vfs.File
	w     *sstable.Writer
	key   []byte
	count uint64
	ended bool
}

// placeholder is the suffix of keys whose commit timestamp is not known yet.
var placeholder = mvcc.Suffix(0)

// NewSSTable starts a sorted file in the staging directory, to be attached to a
// transaction with AddSSTables.
func (db *DB) NewSSTable(o SSTableOptions) (*SSTableBuilder, error) {
	if db.closed.Load() {
		return nil, ErrClosed
	}
	name := db.stagedName()
	f, err := db.o.FS.Create(name)
	if err != nil {
		return nil, fmt.Errorf("stage an sstable: %w", err)
	}
	w := sstable.NewWriter(f, db.writerOptions(o.Concurrency))
	return &SSTableBuilder{db: db, path: name, file: f, w: w}, nil
}

// stagedName returns an unused path in the staging directory, whose contents Open
// removes.
func (db *DB) stagedName() string {
	return path.Join(db.eng.StagingDir(), fmt.Sprintf("%08d.sst", db.staged.Add(1)))
}

// Staging returns the file system and the directory for files under
// construction, which Open empties. Names that end in .sst are the DB's.
func (db *DB) Staging() (vfs.FS, string) { return db.o.FS, db.eng.StagingDir() }

func (db *DB) writerOptions(concurrency int) sstable.WriterOptions {
	return sstable.WriterOptions{Filter: sstable.FuseFilter, Concurrency: concurrency}
}

// Add appends an entry; keys strictly ascending, values not empty.
func (b *SSTableBuilder) Add(key, value []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if len(value) == 0 {
		return ErrEmptyValue
	}
	b.count++
	b.key = append(append(b.key[:0], key...), placeholder...)
	return b.w.Set(b.key, value)
}

// EstimatedSize returns about how many bytes the file has by now.
func (b *SSTableBuilder) EstimatedSize() uint64 { return b.w.EstimatedSize() }

// Finish completes the file. Requires at least one entry. After an error the
// file is gone.
func (b *SSTableBuilder) Finish() (*SSTable, error) {
	if b.ended {
		panic("kv: Finish of an sstable that has ended")
	}
	if b.count == 0 {
		b.Abort()
		return nil, errors.New("kv: an sstable without entries")
	}
	b.ended = true
	props, err := b.w.Close()
	if e := b.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = b.db.o.FS.Remove(b.path) // the first error counts
		return nil, fmt.Errorf("finish an sstable: %w", err)
	}
	smallest, _ := mvcc.Split(props.Smallest)
	largest, _ := mvcc.Split(props.Largest)
	return &SSTable{
		Entries: props.NumEntries, Bytes: props.FileBytes,
		db: b.db, path: b.path,
		// Keys are prefix-free: of those that begin with the largest it is the only one.
		span: Span{Start: bytes.Clone(smallest), End: afterKey(largest)},
	}, nil
}

// afterKey returns a key above all versions of key and at or below all larger keys.
func afterKey(key []byte) []byte {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] < 0xff {
			return prefixEnd(key)
		}
	}
	return append(bytes.Clone(key), bytes.Repeat([]byte{0xff}, mvcc.SuffixLen+1)...)
}

// Abort removes the file. It is a no-op after Finish.
func (b *SSTableBuilder) Abort() {
	if b.ended {
		return
	}
	b.ended = true
	b.w.Abort()
	_ = b.file.Close() // the file goes
	_ = b.db.o.FS.Remove(b.path)
}

// SSTable is a finished sorted file that belongs to nobody yet: attach it with
// Txn.AddSSTables or Remove it.
type SSTable struct {
	Entries uint64
	Bytes   uint64 // size of the file

	db       *DB
	path     string
	span     Span
	attached bool
	removed  bool
}

// Span returns the keys of the table: from its first to just after its last.
func (s *SSTable) Span() Span { return s.span }

// Remove deletes the file. It is a no-op after AddSSTables.
func (s *SSTable) Remove() {
	if !s.attached {
		s.remove()
	}
}

func (s *SSTable) remove() {
	if s.removed {
		return
	}
	s.removed = true
	if err := s.db.o.FS.Remove(s.path); err != nil {
		// It stays behind until the next Open empties the directory.
		s.db.o.Logger.Warn("kv: remove a staged sstable", "path", s.path, "err", err)
	}
}

// openStaged is a staged file open for reading. A reader's Close closes the file.
type openStaged struct {
	*sstable.Reader
	*sstable.Iter
}

func (s *SSTable) open() (*openStaged, error) {
	r, err := s.reader()
	if err != nil {
		return nil, err
	}
	it, err := r.NewIter(sstable.IterOptions{})
	if err != nil {
		_ = r.Close() // the first error counts
		return nil, err
	}
	return &openStaged{Reader: r, Iter: it}, nil
}

func (s *SSTable) reader() (*sstable.Reader, error) {
	f, err := s.db.o.FS.Open(s.path)
	if err != nil {
		return nil, fmt.Errorf("open a staged sstable: %w", err)
	}
	size, err := f.Size()
	if err == nil {
		var r *sstable.Reader
		if r, err = sstable.OpenReader(f, size, sstable.ReaderOptions{FileName: s.path}); err == nil {
			return r, nil
		}
	}
	_ = f.Close() // the first error counts
	return nil, err
}

// Close closes the iterator and the file.
func (o *openStaged) Close() error {
	err := o.Iter.Close()
	if e := o.Reader.Close(); err == nil {
		err = e
	}
	return err
}
