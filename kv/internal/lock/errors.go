package lock

import "errors"

// What a lock request may be refused with, beside the context's error.
var (
	ErrDeadlock     = errors.New("deadlock detected")
	ErrTimeout      = errors.New("lock timeout")
	ErrNotAvailable = errors.New("lock not available")
	ErrSkipped      = errors.New("row is locked by another transaction")
)
