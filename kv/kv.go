// Package kv gives transactions over the storage engine: a DB hands out Txns,
// which read a snapshot, buffer their writes, lock rows, spans and tables, and
// commit atomically, by one log batch or by one ingest of finished files.
//
// It knows nothing of tables, columns or SQL: keys and values are bytes, and a
// "row" is a key prefix that names a lock. Keys carry no timestamps; kv adds
// the version.
//
// Keys are prefix-free (none is a proper prefix of another), non-empty and
// begin with a byte >= 0x01; those that begin with 0x00 are kv's own.
//
// In reading order: DB and Options, TxnOptions and Txn, Iter, SSTableBuilder
// (sorted files that join a transaction), errors.go.
package kv

import (
	"bytes"

	"minidb/kv/internal/lock"
	"minidb/kv/mvcc"
)

// Timestamp is a version: nanoseconds since the Unix epoch, strictly increasing
// in the order of commits.
type Timestamp = mvcc.Timestamp

// Span is the keys in [Start, End). Requires Start <= End.
type Span struct{ Start, End []byte }

// Contains reports whether key lies in s.
func (s Span) Contains(key []byte) bool {
	return bytes.Compare(s.Start, key) <= 0 && bytes.Compare(key, s.End) < 0
}

// PrefixSpan returns the span of all keys that begin with prefix.
//
// Requires a prefix with a byte other than 0xff.
func PrefixSpan(prefix []byte) Span {
	return Span{Start: prefix, End: prefixEnd(prefix)}
}

// prefixEnd returns the first key after all keys that begin with prefix.
func prefixEnd(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	panic("kv: prefix without an end")
}

// Isolation is what a transaction may see of others.
type Isolation uint8

// The isolation levels, with PostgreSQL's meaning.
const (
	// ReadCommitted: every statement reads the newest commits.
	ReadCommitted Isolation = iota
	// RepeatableRead: all statements read one snapshot; a row changed after it
	// cannot be locked (ErrSerialization).
	RepeatableRead
	// Serializable is refused by Begin with ErrUnsupportedIsolation.
	Serializable
)

// SyncMode is what a commit waits for.
type SyncMode uint8

// The durability levels.
const (
	// SyncFull: on stable storage before the answer.
	SyncFull SyncMode = iota
	// SyncOS: handed to the operating system before the answer, on stable
	// storage shortly after; a power cut may lose the latest commits, never an
	// earlier one while keeping a later.
	SyncOS
)

// RowLock is the strength of a row or span lock, as PostgreSQL's FOR KEY SHARE,
// FOR SHARE, FOR NO KEY UPDATE and FOR UPDATE.
type RowLock = lock.Row

// The row lock modes, weakest first.
const (
	KeyShare    = lock.KeyShare
	Share       = lock.Share
	NoKeyUpdate = lock.NoKeyUpdate
	Update      = lock.Update
)

// TableLock is one of PostgreSQL's eight table lock modes.
type TableLock = lock.Table

// The table lock modes.
const (
	TableAccessShare          = lock.AccessShare
	TableRowShare             = lock.RowShare
	TableRowExclusive         = lock.RowExclusive
	TableShareUpdateExclusive = lock.ShareUpdateExclusive
	TableShare                = lock.ShareTable
	TableShareRowExclusive    = lock.ShareRowExclusive
	TableExclusive            = lock.Exclusive
	TableAccessExclusive      = lock.AccessExclusive
)

// WaitPolicy says what to do if a lock cannot be had now.
type WaitPolicy = lock.Wait

// The wait policies.
const (
	Block      = lock.Block      // wait until granted, cancelled or timed out
	NoWait     = lock.NoWait     // ErrLockNotAvailable
	SkipLocked = lock.SkipLocked // ErrRowSkipped
)
