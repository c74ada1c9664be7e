package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"minidb/storage/vfs"
)

// ErrNotWritten marks errors of Flush after which no byte of the added records
// can have reached the file: the log is as it was before them.
var ErrNotWritten = errors.New("wal: nothing was written")

// MaxRecordBytes bounds the data of one record.
const MaxRecordBytes = math.MaxUint32 - headerLen

// Options configure a Writer.
type Options struct {
	// PrevEnd is where the log before this one ends; 0 if there is none.
	PrevEnd int64
	// Recycle names a file of an old log that is renamed and overwritten, because
	// overwriting syncs in half the time of appending. Empty: a new file.
	Recycle string
	// AllocateBytes is the step in which the file is extended with zeroed blocks
	// ahead of the records. Default 1 MiB.
	AllocateBytes int64
}

// Writer writes one log. Add and Flush are for one goroutine at a time; Sync may
// be called beside them.
type Writer struct {
	f    vfs.File
	name string
	num  uint64
	step int64
	// buf holds the records that Add made and Flush has not written.
	buf       []byte
	allocated int64
	written   atomic.Int64
	synced    atomic.Int64

	// failed is the first error of a write or sync.
	failed atomic.Pointer[error]
	syncs  atomic.Int64
	// syncMu serializes Sync and Close; it guards closed.
	syncMu sync.Mutex
	closed bool
}

// Create makes the log num in the file name and makes it durable, its first
// record included; the caller syncs the directory.
func Create(fsys vfs.FS, name string, num uint64, o Options) (*Writer, error) {
	if o.AllocateBytes == 0 {
		o.AllocateBytes = 1 << 20
	}
	w := &Writer{name: name, num: num, step: o.AllocateBytes}
	if err := w.open(fsys, o); err != nil {
		return nil, fmt.Errorf("create log %s: %w", name, err)
	}
	head := binary.AppendUvarint(nil, FormatVersion)
	head = binary.AppendUvarint(head, uint64(o.PrevEnd))
	w.add(kindHeader, head)
	err := w.Flush()
	if err == nil {
		err = w.Sync()
	}
	if err != nil {
		w.f.Close()
		return nil, fmt.Errorf("create log %s: %w", name, err)
	}
	return w, nil
}

func (w *Writer) open(fsys vfs.FS, o Options) (err error) {
	if o.Recycle == "" {
		w.f, err = fsys.Create(w.name)
		return err
	}
	if err := fsys.Rename(o.Recycle, w.name); err != nil {
		return err
	}
	if w.f, err = fsys.OpenReadWrite(w.name); err != nil {
		return err
	}
	w.allocated, err = w.f.Size()
	return err
}

// Add appends a record whose data is the parts one after the other. It lies in
// memory until Flush. Requires: their length is at most MaxRecordBytes.
func (w *Writer) Add(parts ...[]byte) { w.add(KindData, parts...) }

func (w *Writer) add(kind Kind, parts ...[]byte) {
	offset := w.written.Load() + int64(len(w.buf))
	w.buf = appendRecord(w.buf, offset, w.num, w.synced.Load(), kind, parts...)
}

// Flush hands the added records to the operating system in one write. On an
// error that is ErrNotWritten the records are dropped and the log can go on; after
// any other error it is failed for good.
func (w *Writer) Flush() error {
	buf := w.buf
	w.buf = w.buf[:0]
	if cap(buf) > 4<<20 {
		w.buf = nil // do not keep what one large batch needed
	}
	if err := w.err(); err != nil {
		return errors.Join(ErrNotWritten, err)
	}
	at := w.written.Load()
	end := at + int64(len(buf))
	if end > w.allocated {
		// Space first: if there is none, no record was begun.
		grow := max(w.step, align(end-w.allocated))
		if err := w.f.Preallocate(w.allocated, grow); err != nil {
			return errors.Join(ErrNotWritten, err)
		}
		w.allocated += grow
	}
	if _, err := w.f.WriteAt(buf, at); err != nil {
		return w.fail(err)
	}
	w.written.Store(end)
	return nil
}

// Sync makes all that was flushed before the call durable.
func (w *Writer) Sync() error {
	w.syncMu.Lock()
	defer w.syncMu.Unlock()
	return w.syncLocked()
}

func (w *Writer) syncLocked() error {
	if err := w.err(); err != nil {
		return err
	}
	upTo := w.written.Load()
	if w.closed || w.synced.Load() >= upTo {
		return nil
	}
	w.syncs.Add(1)
	if err := w.f.Sync(); err != nil {
		// Never retried: the kernel may have dropped the pages it failed to write.
		return w.fail(err)
	}
	w.synced.Store(upTo)
	return nil
}

// Close syncs and closes the file. If final, no log will follow, and a last
// record says that all before it was durable.
func (w *Writer) Close(final bool) error {
	err := w.Sync()
	if final && err == nil {
		w.add(kindEnd)
		if err = w.Flush(); err == nil {
			err = w.Sync()
		} else if errors.Is(err, ErrNotWritten) {
			err = nil // the mark is a service to the next Open, not a promise
		}
	}
	w.syncMu.Lock()
	defer w.syncMu.Unlock()
	w.closed = true
	return errors.Join(err, w.f.Close())
}

func (w *Writer) err() error {
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (w *Writer) fail(err error) error {
	w.failed.CompareAndSwap(nil, &err)
	return err
}

// Name returns the file's name.
func (w *Writer) Name() string { return w.name }

// Num returns the log's number.
func (w *Writer) Num() uint64 { return w.num }

// Size returns where the written records end.
func (w *Writer) Size() int64 { return w.written.Load() }

// Synced reports whether all that was flushed is durable.
func (w *Writer) Synced() bool { return w.synced.Load() >= w.written.Load() }

// Syncs returns how often the file was synced.
func (w *Writer) Syncs() int64 { return w.syncs.Load() }
