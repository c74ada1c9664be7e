// Package storage is the LSM engine: a durable, ordered set of facts.
//
// A fact is a key and a value. A key is prefix ‖ suffix, the suffix being its
// last 8 bytes, and no prefix is the beginning of another; keys are ordered by
// bytes.Compare, and a key once written is never written again with another
// value. So the engine has no sequence numbers,
// no deletes and no snapshots, and the order in which facts arrive does not
// matter. It knows nothing of timestamps, transactions or SQL: to it a suffix is
// bytes, and what is no longer needed is decided by a CompactionFilter that its
// owner registers.
//
// In reading order: Options; DB with Open, Enqueue and Commit (commit.go); Iter
// and Get; Flush, Compact and Ingest. The parts lie under internal: wal,
// memtable, manifest (versions and their log), iterator, compact, cache.
package storage

import "minidb/sstable"

// SuffixLen is the length of the suffix that ends every key.
const SuffixLen = sstable.SuffixLen

// Split returns the length of key's prefix. Requires: len(key) >= SuffixLen.
func Split(key []byte) int { return len(key) - SuffixLen }
