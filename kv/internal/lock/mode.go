// Package lock decides who waits for whom: row, span and table locks of
// transactions, held to their end, with fair queues and deadlocks found at once.
//
// It knows nothing of keys' meaning, versions or SQL. In reading order: Row and
// Table (the modes and what they conflict with), Manager, Owner (one
// transaction's locks).
package lock

// Row is the strength of a lock on one row or on a span of rows: PostgreSQL's
// four. Each conflicts with all that the weaker ones conflict with.
type Row uint8

// The row modes, weakest first.
const (
	KeyShare    Row = iota // conflicts with Update
	Share                  // and with NoKeyUpdate
	NoKeyUpdate            // and with Share
	Update                 // and with KeyShare
)

// Table is the mode of a table lock: PostgreSQL's eight.
type Table uint8

// The table modes, as in PostgreSQL's chapter on explicit locking.
const (
	AccessShare Table = iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	ShareTable
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// Wait says what to do if a lock cannot be had now.
type Wait uint8

// The wait policies.
const (
	Block      Wait = iota // until granted, cancelled or timed out
	NoWait                 // ErrNotAvailable
	SkipLocked             // ErrSkipped
)
