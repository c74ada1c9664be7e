package storage

import (
	"io"
	"path"
	"sync"
	"sync/atomic"

	"minidb/storage/internal/cache"
	"minidb/storage/internal/manifest"
	"minidb/storage/internal/memtable"
	"minidb/storage/internal/wal"
	"minidb/storage/vfs"
)

// DB is an open engine. All methods may be called concurrently, Close excepted.
//
// Who guards what: the leader of the commit queue alone changes wal and adds
// memtables; manifestMu is held by whoever changes the version; mu guards the
// fields below it and is never held during I/O. Locks are taken in the order
// flushMu, manifestMu, mu.
type DB struct {
	dir    string
	fs     vfs.FS
	o      Options
	lock   io.Closer
	tables *cache.Tables
	blocks *cache.Blocks // nil: no cache

	commits commitQueue
	// mustRotate is set while the next log could not be made: nothing more may be
	// written to the present one, whose end the next one may already tell.
	mustRotate bool   // the leader's
	mem        *table // the leader's: the memtable of wal

	fatal    atomic.Pointer[ReadOnlyError]
	nextFile atomic.Uint64
	closing  chan struct{}
	closed   atomic.Bool
	kickSync chan struct{}
	workers  sync.WaitGroup

	flushMu    sync.Mutex
	manifestMu sync.Mutex
	manifest   *manifest.Log // guarded by manifestMu, as is minLog
	minLog     uint64

	mu   sync.Mutex
	cond *sync.Cond // background work was done, or there is some
	wal  *wal.Writer
	// state is what readers see; it is replaced, never changed.
	state *readState
	logs  []oldLog // rotated and not obsolete yet, oldest first
	// recycled are files of obsolete logs.
	recycled []string
	claims   map[*claim]bool
	ingests  map[*pendingIngest]bool
	flushErr error // of the last flush
	obsolete []*manifest.File
	running  int // compactions
	backoff  bool

	counters counters
}

// table is a memtable and the log that holds its facts.
type table struct {
	*memtable.Memtable
	logNum uint64
	// writers are the batches that are in the log and not yet in the memtable.
	writers sync.WaitGroup
}

type oldLog struct {
	num  uint64
	name string
	size int64
}

// readState is everything a reader looks at. It is held by references.
type readState struct {
	mem *table
	// imms are the memtables that wait for their flush, oldest first.
	imms    []*table
	version *manifest.Version
	refs    atomic.Int32
}

// memtables yields all of them.
func (s *readState) memtables() []*table { return append(s.imms[:len(s.imms):len(s.imms)], s.mem) }

// acquire takes a reference to the present state.
func (db *DB) acquire() *readState {
	db.mu.Lock()
	defer db.mu.Unlock()
	s := db.state
	s.refs.Add(1)
	return s
}

// release gives it back; the files that nothing else holds are deleted in the
// background.
func (db *DB) release(s *readState) {
	if s.refs.Add(-1) > 0 {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.dropStateLocked(s)
}

func (db *DB) dropStateLocked(s *readState) {
	s.version.Unref(func(f *manifest.File) {
		db.obsolete = append(db.obsolete, f)
		db.cond.Broadcast()
	})
}

// installLocked makes the state current; version nil keeps the present one, else
// its reference is taken over.
func (db *DB) installLocked(mem *table, imms []*table, version *manifest.Version) {
	if version == nil {
		version = db.state.version
		version.Ref()
	} else {
		db.counters.l0Depth.Store(int64(version.Depth()))
	}
	next := &readState{mem: mem, imms: imms, version: version}
	next.refs.Store(1)
	if old := db.state; old != nil && old.refs.Add(-1) == 0 {
		db.dropStateLocked(old)
	}
	db.state = next
	db.cond.Broadcast()
}

// fail makes the DB read-only, unless it already is, and returns the error that
// did.
func (db *DB) fail(file string, err error) error {
	e := &ReadOnlyError{File: file, Err: err}
	if db.fatal.CompareAndSwap(nil, e) {
		db.o.Logger.Error("the store is read-only from here on", "file", file, "error", err)
		db.backgroundError(e)
	}
	db.mu.Lock()
	db.cond.Broadcast()
	db.mu.Unlock()
	return db.fatal.Load()
}

// writable returns nil, or why the DB takes no writes.
func (db *DB) writable() error {
	if db.closed.Load() {
		return notApplied(ErrClosed)
	}
	if e := db.fatal.Load(); e != nil {
		return notApplied(e)
	}
	return nil
}

func (db *DB) backgroundError(err error) {
	if db.o.Events.BackgroundError != nil {
		db.o.Events.BackgroundError(err)
	}
}

func (db *DB) isClosing() bool {
	select {
	case <-db.closing:
		return true
	default:
		return false
	}
}

// StagingDir is a directory in the DB's file system for files under
// construction. Open empties it.
func (db *DB) StagingDir() string { return path.Join(db.dir, stagingName) }
