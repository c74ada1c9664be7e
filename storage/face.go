package storage

import (
	"errors"
	"io"
)

var errNotYet = errors.New("storage: not yet")

// DB is an open engine. All methods may be called concurrently.
type DB struct{}

// Open opens the engine in dir, which is made if it is not there, and recovers
// what was acknowledged. vfs.ErrLocked if the directory is in use;
// *sstable.CorruptionError if its files are damaged.
func Open(dir string, o Options) (*DB, error) { return nil, errNotYet }

// Close waits for background work and closes the files. Iterators must be closed
// before.
func (db *DB) Close() error { return errNotYet }

// SyncMode says when a commit answers.
type SyncMode uint8

const (
	// SyncFull answers after fdatasync.
	SyncFull SyncMode = iota
	// SyncOS answers once the bytes are with the operating system, which are
	// synced within 200 ms: a killed process loses nothing, a power cut at most
	// that window, and always a suffix of the order of Enqueue.
	SyncOS
)

// Pending is a batch that has its place in the order of the WAL.
type Pending struct{}

// Enqueue takes b's place in the order of the WAL. It does no I/O and may be
// called under the caller's mutex. Commit must follow soon: a batch that is
// enqueued and not committed holds up flushes.
func (db *DB) Enqueue(b *Batch, mode SyncMode) *Pending { return nil }

// Commit writes the batch, with those around it, as mode demands; iterators and
// Gets made after it returned see the batch. On an error without ErrNotApplied
// the outcome is unknown until the next Open.
func (p *Pending) Commit() error { return errNotYet }

// Apply is Enqueue and Commit.
func (db *DB) Apply(b *Batch, mode SyncMode) error { return errNotYet }

// IterOptions bound an iterator. nil means no bound.
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
type Iter struct{}

// NewIter returns an iterator that stands nowhere. It must be closed.
func (db *DB) NewIter(o IterOptions) (*Iter, error) { return nil, errNotYet }

// First, Last, Next, Prev, SeekGE, SeekLT and NextPrefix move the iterator and
// report whether it stands on a fact. Next on a fresh iterator is First, Prev is
// Last. NextPrefix moves to the first fact with a larger prefix.
func (i *Iter) First() bool { return false }

// Last moves to the last fact.
func (i *Iter) Last() bool { return false }

// Next moves to the following fact.
func (i *Iter) Next() bool { return false }

// Prev moves to the fact before.
func (i *Iter) Prev() bool { return false }

// SeekGE moves to the first fact at or after key. A seek ahead of the position
// costs what the distance costs.
func (i *Iter) SeekGE(key []byte) bool { return false }

// SeekLT moves to the last fact before key.
func (i *Iter) SeekLT(key []byte) bool { return false }

// NextPrefix moves to the first fact whose prefix is larger than the present one.
func (i *Iter) NextPrefix() bool { return false }

// Valid reports whether the iterator stands on a fact.
func (i *Iter) Valid() bool { return false }

// Key and Value are valid until the next call that moves the iterator.
func (i *Iter) Key() []byte { return nil }

// Value returns the fact's value; empty means tombstone.
func (i *Iter) Value() []byte { return nil }

// Err returns the error that ended the iteration.
func (i *Iter) Err() error { return errNotYet }

// Close releases the iterator and returns Err.
func (i *Iter) Close() error { return errNotYet }

// Get returns the newest version of prefix whose suffix is bytewise at or after
// suffix, and that version's suffix. found == nil: there is none. value and found
// are valid until closer.Close, which must be called if closer is not nil.
func (db *DB) Get(prefix, suffix []byte) (value, found []byte, closer io.Closer, err error) {
	return nil, nil, nil, errNotYet
}

// Ingest makes the sstables at paths part of the store, all or none. They must be
// synced, carry their final suffixes, and lie in the file system of the DB's
// directory; they are linked and remain for the caller to delete.
func (db *DB) Ingest(paths []string) error { return errNotYet }

// Flush writes all memtables to files.
func (db *DB) Flush() error { return errNotYet }

// Compact flushes and then merges all files that overlap [lower, upper) into the
// lowest level, running the filter over them. nil means no bound.
func (db *DB) Compact(lower, upper []byte) error { return errNotYet }

// VerifyChecksums reads every file of the store.
func (db *DB) VerifyChecksums() error { return errNotYet }

// DeleteFilesInSpan removes the files that lie wholly in [start, end). Facts of
// the span in memtables or in files that reach beyond it remain.
func (db *DB) DeleteFilesInSpan(start, end []byte) error { return errNotYet }

// StagingDir is a directory in the DB's file system for files under
// construction. Open empties it.
func (db *DB) StagingDir() string { return "" }

// Metrics are counters since Open and sizes now.
type Metrics struct{}

// Metrics returns the present figures.
func (db *DB) Metrics() Metrics { return Metrics{} }
