package kv

import (
	"context"
	"time"
)

// TxnOptions say how a transaction behaves. The zero value is a read-write
// transaction at ReadCommitted that waits for locks forever and commits with
// SyncFull.
type TxnOptions struct {
	Isolation Isolation
	ReadOnly  bool
	// LockTimeout bounds every single wait for a lock; 0: no bound.
	LockTimeout time.Duration
	Sync        SyncMode
	// AsOf reads at a past timestamp. Requires ReadOnly; 0: now.
	AsOf Timestamp
}

// Txn is one transaction. It is not safe for concurrent use, with two
// exceptions: its iterators may be read by one goroutine each while nothing
// writes to the transaction, and AddSSTables' tables may be built meanwhile.
//
// Writes are buffered and become visible to others at Commit. Each carries the
// number of the statement that made it; reads see the writes of earlier
// statements only, so a statement never meets its own.
type Txn struct{}

// NextStatement starts a new statement: earlier writes become visible to its
// reads, and at ReadCommitted it reads at the newest published timestamp.
func (t *Txn) NextStatement() { panic("not yet") }

// ReadTimestamp returns the timestamp the running statement reads at.
func (t *Txn) ReadTimestamp() Timestamp { panic("not yet") }

// CommitTimestamp returns the timestamp of a successful Commit that wrote
// something, else 0.
func (t *Txn) CommitTimestamp() Timestamp { panic("not yet") }

// SetLockTimeout changes TxnOptions.LockTimeout for later waits.
func (t *Txn) SetLockTimeout(d time.Duration) { panic("not yet") }

// SetSync changes TxnOptions.Sync.
func (t *Txn) SetSync(m SyncMode) { panic("not yet") }

// Get returns the value of key at the read timestamp, or this transaction's own
// from an earlier statement. The caller owns the value.
func (t *Txn) Get(ctx context.Context, key []byte) (value []byte, ok bool, err error) {
	panic("not yet")
}

// GetLatest returns the newest committed value of key, or this transaction's own
// from any statement, the running one too. Meant for keys whose row is locked.
// The caller owns the value.
func (t *Txn) GetLatest(ctx context.Context, key []byte) (value []byte, ok bool, err error) {
	panic("not yet")
}

// NewIter returns an iterator over the live keys of s, placed before the first.
// Close it before the transaction ends.
func (t *Txn) NewIter(ctx context.Context, s Span, o IterOptions) (*Iter, error) {
	panic("not yet")
}

// Put buffers key = value. Both are copied. Requires that the caller holds
// the row's lock, if others may write it.
//
// Errors: ErrReadOnly, ErrInvalidKey, ErrEmptyValue.
func (t *Txn) Put(key, value []byte) error { panic("not yet") }

// Del buffers the deletion of key, present or not. Key is copied.
func (t *Txn) Del(key []byte) error { panic("not yet") }

// CPut buffers key = value if the newest value of key, own writes of all
// statements included, is expected; nil expects absence. It looks through it, a
// Latest iterator that all CPuts of a statement share and whose span covers
// their keys; keys in ascending order make each look-up a short step from the
// last one. Requires that the row is locked for Update. It is left at or after
// key.
//
// Errors: *ConditionFailedError, and nothing is buffered.
func (t *Txn) CPut(it *Iter, key, value, expected []byte) error { panic("not yet") }

// LockRow locks the row of all keys that begin with row, to the end of the
// transaction, and reports whether a commit newer than the read timestamp
// touched one of them. If changed, the statement must re-read the row (Latest)
// before it decides.
//
// Errors: ErrDeadlock, ErrLockTimeout, ErrLockNotAvailable, ErrRowSkipped, the
// context's; at RepeatableRead ErrSerialization for a changed row, except for
// KeyShare, which only reports.
func (t *Txn) LockRow(ctx context.Context, row []byte, mode RowLock, wait WaitPolicy) (changed bool, err error) {
	panic("not yet")
}

// LockKey is LockRow without the look at what changed: for keys that are about
// to be inserted or checked for presence and read with Latest after it.
func (t *Txn) LockKey(ctx context.Context, row []byte, mode RowLock, wait WaitPolicy) error {
	panic("not yet")
}

// LockSpan locks every row in s, present or not, as LockKey does one.
func (t *Txn) LockSpan(ctx context.Context, s Span, mode RowLock, wait WaitPolicy) error {
	panic("not yet")
}

// LockTable takes a table lock to the end of the transaction. Key names the
// table; table locks and row locks do not meet.
func (t *Txn) LockTable(ctx context.Context, key []byte, mode TableLock, wait WaitPolicy) error {
	panic("not yet")
}

// Savepoint marks a point to roll back to.
type Savepoint struct{}

// Savepoint returns a mark of the transaction as it stands.
func (t *Txn) Savepoint() Savepoint { panic("not yet") }

// RollbackTo undoes what happened after s: writes, locks, attached tables and
// dropped spans. S stays valid, marks set after it do not.
func (t *Txn) RollbackTo(s Savepoint) { panic("not yet") }

// Release forgets s and keeps what happened after it.
func (t *Txn) Release(s Savepoint) { panic("not yet") }

// AddOptions say what AddSSTables checks.
type AddOptions struct {
	// CheckConflicts refuses tables with a key that is live in the store.
	CheckConflicts bool
}

// AddSSTables attaches finished tables to the transaction: they become
// visible at its commit, all or none. It checks, without any lock, for keys that
// two tables share, and for live keys at a snapshot; Commit locks the tables'
// spans and checks what changed since. The transaction owns the tables from
// the call on, also after an error, and removes their files at its end. Its own
// reads do not see them.
//
// Errors: *ConflictError.
func (t *Txn) AddSSTables(ctx context.Context, tables []*SSTable, o AddOptions) error {
	panic("not yet")
}

// DropSpan makes everything in s up to the commit's timestamp garbage, whose
// space comes back. Requires that nobody reads s after the commit, nor writes it,
// ever: a table's or index's id is not reused.
func (t *Txn) DropSpan(s Span) { panic("not yet") }

// Commit makes the transaction's writes and tables visible and durable, all or
// nothing, and releases its locks. With an error other than
// ErrOutcomeUnknown nothing happened. The transaction has ended in
// any case. Once the log or manifest write has begun ctx is not looked at.
//
// Errors: ErrOutcomeUnknown, and for tables *ConflictError, ErrDeadlock,
// ErrLockTimeout, the context's.
func (t *Txn) Commit(ctx context.Context) error { panic("not yet") }

// Rollback drops the transaction's writes, tables and locks. It is a no-op on
// one that has ended.
func (t *Txn) Rollback() { panic("not yet") }
