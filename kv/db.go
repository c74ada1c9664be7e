package kv

import (
	"context"
	"log/slog"
	"time"

	"minidb/storage/vfs"
)

// Options configure a DB. The zero value of every field but Dir is a default.
type Options struct {
	// Dir is the store's directory; it is created if absent.
	Dir string
	// FS is the file system Dir lies in; nil: vfs.Disk.
	FS vfs.FS
	// MemtableBytes and CacheBytes bound the engine's memory. 0: the engine's
	// defaults.
	MemtableBytes, CacheBytes int64
	// Logger takes what the background does; nil: discarded.
	Logger *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Retention is how far back reads with TxnOptions.AsOf stay possible. 0: only
	// what running transactions need is kept.
	Retention time.Duration
	// GCInterval is the time between advances of the garbage collection
	// threshold. 0: 5 s; negative: only CollectGarbage advances it.
	GCInterval time.Duration
	// AllowClockJump accepts a clock far ahead of the newest timestamp.
	AllowClockJump bool
	// DisableAutoCompactions leaves compaction to CollectGarbage.
	DisableAutoCompactions bool
}

// DB is an open store. All methods may be called concurrently.
type DB struct{}

// Open opens or creates the store in o.Dir. Staged files of earlier runs are
// removed.
//
// Errors: ErrClockJump, vfs.ErrLocked when another process has it open, and the
// engine's.
func Open(ctx context.Context, o Options) (*DB, error) { panic("not yet") }

// Close waits for background work and closes the engine. Requires that all
// transactions have ended; their later calls fail with ErrClosed.
func (db *DB) Close() error { panic("not yet") }

// Begin starts a transaction. It costs no I/O. End it with Commit or Rollback.
//
// Errors: ErrUnsupportedIsolation, ErrTooOld, ErrClosed.
func (db *DB) Begin(o TxnOptions) (*Txn, error) { panic("not yet") }

// Now returns the newest published timestamp: a transaction that begins now
// reads at it.
func (db *DB) Now() Timestamp { panic("not yet") }

// Allocate hands out the n numbers [first, first+n) of the named counter.
// Counters start at 1 and never hand out a number twice, also after a crash;
// numbers may be left out. Durable when it returns and outside transactions.
func (db *DB) Allocate(ctx context.Context, counter []byte, n uint64) (first uint64, err error) {
	panic("not yet")
}

// ProtectTimestamp keeps everything readable at t until release is called.
//
// Errors: ErrTooOld.
func (db *DB) ProtectTimestamp(t Timestamp) (release func(), err error) { panic("not yet") }

// CollectGarbage advances the garbage collection threshold as far as running
// readers allow and compacts all of s, so that the space of dead versions
// in it comes back. A zero Span is everything.
func (db *DB) CollectGarbage(ctx context.Context, s Span) error { panic("not yet") }

// Check verifies the checksums of everything on disk.
func (db *DB) Check(ctx context.Context) error { panic("not yet") }

// NewSSTable starts a sorted file in the staging directory, to be attached to a
// transaction with AddSSTables.
func (db *DB) NewSSTable(o SSTableOptions) (*SSTableBuilder, error) { panic("not yet") }
