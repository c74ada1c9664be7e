package kv

import (
	"errors"
	"fmt"

	"minidb/kv/internal/lock"
	"minidb/kv/mvcc"
	"minidb/sstable"
	"minidb/storage"
)

// The refusals of kv. Test with errors.Is. After any of them the transaction is
// as before the call and may go on, unless said otherwise. What the engine says
// passes through: *sstable.CorruptionError by errors.As, a full disk by
// errors.Is(err, syscall.ENOSPC).
var (
	// ErrDeadlock: this wait would have closed a cycle of waits.
	ErrDeadlock = lock.ErrDeadlock
	// ErrLockTimeout: TxnOptions.LockTimeout passed.
	ErrLockTimeout = lock.ErrTimeout
	// ErrLockNotAvailable: a NoWait request would have had to wait.
	ErrLockNotAvailable = lock.ErrNotAvailable
	// ErrRowSkipped: a SkipLocked request would have had to wait.
	ErrRowSkipped = lock.ErrSkipped
	// ErrSerialization: the row was changed after the transaction's snapshot.
	// The lock is held; the transaction should be rolled back.
	ErrSerialization = errors.New("could not serialize access due to concurrent update")
	// ErrOutcomeUnknown: the log failed while the commit was being written. After
	// a restart the transaction is there as a whole or not at all. The store
	// takes no more writes.
	ErrOutcomeUnknown = errors.New("the outcome of the commit is unknown")
	// ErrTooOld: the read timestamp is below the garbage collection threshold.
	ErrTooOld = errors.New("snapshot too old")
	// ErrUnsupportedIsolation: the isolation level is not there yet.
	ErrUnsupportedIsolation = errors.New("isolation level is not supported")
	// ErrReadOnly: a write in a read-only transaction.
	ErrReadOnly = errors.New("transaction is read-only")
	// ErrTxnDone: the transaction was committed or rolled back.
	ErrTxnDone = errors.New("transaction has ended")
	// ErrClosed: the DB is closed.
	ErrClosed = errors.New("database is closed")
	// ErrEmptyValue: values are never empty; a delete is Del.
	ErrEmptyValue = errors.New("empty value")
	// ErrInvalidKey: the key is empty or begins with 0x00.
	ErrInvalidKey = errors.New("invalid key")
	// ErrClockJump: the clock is so far ahead of the newest timestamp that it is
	// more likely wrong than right; Options.AllowClockJump accepts it.
	ErrClockJump = mvcc.ErrClockJump
)

// CorruptionError is a damaged piece of a file: it names the file and the offset.
type CorruptionError = sstable.CorruptionError

// ErrStoreReadOnly: a write of the log or the manifest failed before; the store takes no more writes, reads go on. The error's text
// names the file.
var ErrStoreReadOnly = storage.ErrReadOnly

// ConditionFailedError is CPut's refusal: the present value is not the expected.
type ConditionFailedError struct {
	Key    []byte
	Actual []byte // nil: the key is absent
}

func (e *ConditionFailedError) Error() string {
	if e.Actual == nil {
		return fmt.Sprintf("key %q is absent", e.Key)
	}
	return fmt.Sprintf("key %q has another value", e.Key)
}

// ConflictError is the refusal of AddSSTables or Commit: a key of an sstable is
// live already, in the store, in another sstable or in the transaction's writes.
type ConflictError struct {
	Key      []byte
	Existing []byte // the live value
	Table    int    // index of the sstable in the AddSSTables call that has Key
	Other    int    // index of the other sstable that has Key, or -1
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("key %q of table %d exists already", e.Key, e.Table)
}
