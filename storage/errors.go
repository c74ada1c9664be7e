package storage

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by calls on a closed DB.
	ErrClosed = errors.New("storage: closed")
	// ErrReadOnly marks errors of a DB that takes no more writes because a write or
	// sync of its WAL or manifest failed. Reads go on; a new Open starts afresh.
	ErrReadOnly = errors.New("storage: read-only after a failed write")
	// ErrNotApplied marks errors of a Commit, Apply or Ingest of which nothing was
	// written and nothing will ever be visible, also not after a restart. An error
	// of Commit without this mark leaves the outcome unknown until the next Open.
	ErrNotApplied = errors.New("storage: not applied")
)

// ReadOnlyError is the error that made the DB read-only. It is ErrReadOnly and
// whatever Err is (syscall.ENOSPC, for one).
type ReadOnlyError struct {
	File string
	Err  error
}

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("storage: read-only since a write to %s failed: %v", e.File, e.Err)
}

func (e *ReadOnlyError) Unwrap() []error { return []error{ErrReadOnly, e.Err} }

// notApplied marks err as ErrNotApplied.
func notApplied(err error) error { return &notAppliedError{err} }

type notAppliedError struct{ err error }

func (e *notAppliedError) Error() string   { return e.err.Error() }
func (e *notAppliedError) Unwrap() []error { return []error{ErrNotApplied, e.err} }
