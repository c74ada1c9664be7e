package sql

import (
	"context"
	"errors"
	"syscall"

	"minidb/kv"
	"minidb/sql/sqlerr"
)

// mapError is the one place that turns errors from below into SQLSTATEs. Ctx is the context of the call that failed.
func mapError(ctx context.Context, err error) *sqlerr.Error {
	if e, ok := sqlerr.As(err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if e, ok := sqlerr.As(context.Cause(ctx)); ok {
			return e
		}
		return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request").WithCause(err)
	}
	var corrupt *kv.CorruptionError
	if errors.As(err, &corrupt) {
		return sqlerr.New(sqlerr.DataCorrupted, "%s", corrupt.Error()).WithCause(err)
	}
	for _, m := range errorMap {
		if errors.Is(err, m.is) {
			e := sqlerr.New(m.code, "%s", m.message).WithCause(err)
			e.Hint = m.hint
			if m.detailed {
				e.Detail = err.Error()
			}
			return e
		}
	}
	return sqlerr.Internal("%s", err.Error()).WithCause(err)
}

// errorMap says how the marks of kv and the system read in SQL. The first match counts.
var errorMap = []struct {
	is       error
	code     sqlerr.Code
	message  string
	hint     string
	detailed bool // the error's own text is the detail
}{
	{kv.ErrDeadlock, sqlerr.DeadlockDetected, "deadlock detected", "", false},
	{kv.ErrLockTimeout, sqlerr.LockNotAvailable, "canceling statement due to lock timeout", "", false},
	{kv.ErrLockNotAvailable, sqlerr.LockNotAvailable, "could not obtain lock", "", false},
	{kv.ErrSerialization, sqlerr.SerializationFailure, "could not serialize access due to concurrent update", "", false},
	{kv.ErrOutcomeUnknown, sqlerr.StatementCompletionUnknown, "the outcome of the commit is unknown", "The store takes no more writes. After a restart the transaction is there as a whole or not at all.", true},
	{kv.ErrStoreReadOnly, sqlerr.IOError, "the store takes no more writes", "A write of its log failed before. Reads go on; restart the server once the cause is gone.", true},
	{kv.ErrTooOld, sqlerr.SnapshotTooOld, "snapshot too old", "", false},
	{kv.ErrUnsupportedIsolation, sqlerr.FeatureNotSupported, "isolation level SERIALIZABLE is not supported", "", false},
	{kv.ErrReadOnly, sqlerr.ReadOnlySQLTransaction, "cannot write in a read-only transaction", "", false},
	{kv.ErrClosed, sqlerr.AdminShutdown, "the database is shutting down", "", false},
	{syscall.ENOSPC, sqlerr.DiskFull, "could not write: no space left on device", "Check free disk space.", true},
	{syscall.EIO, sqlerr.IOError, "could not read or write a file", "", true},
}
