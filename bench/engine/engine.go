// Package engine gives minidb's engine and its peers one face, so that one body
// of a benchmark runs on each of them with the same data. What it measures is in
// the tests of the package; the driver is minidb/bench/cmd/enginebench.
//
// In reading order: Engine and Store, the keys and values (data.go), the engines
// (minidb.go, pebble.go). The interfaces cost every engine the same few
// nanoseconds a call.
package engine

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"minidb/kv/mvcc"
)

// Engine is an engine, or one form of it. Tables are sstables in memory.
type Engine interface {
	// Open opens or makes the store in dir.
	Open(dir string, o Options) (Store, error)
	// WriteTable returns a table of entries, which are in order.
	WriteTable(entries iter.Seq2[[]byte, []byte], o TableOptions) ([]byte, error)
	// OpenTable returns an iterator over a table; its Close closes the table too.
	OpenTable(table []byte) (Iter, error)
	// Rewrite gives every key of a table that was written with o the suffix to in
	// place of from, by up to concurrency goroutines.
	Rewrite(table, from, to []byte, o TableOptions, concurrency int) error
	// RewriteLoop does the same by reading and writing every entry.
	RewriteLoop(table, from, to []byte, o TableOptions) error
	// CheckConflicts reports whether store and table have a key in common.
	CheckConflicts(store, table Iter) (bool, error)
}

// Options configure a Store.
type Options struct {
	CacheBytes int64
	// AutoCompactions lets the store compact in the background.
	AutoCompactions bool
}

// TableOptions say how a table is written. Every table has a filter.
type TableOptions struct {
	BlockBytes int // 0: the engine's default
	Plain      bool
	// Mixed has minidb store the suffix of every key, as if they differed.
	Mixed bool
}

// Store is an open store. It is safe for concurrent use.
type Store interface {
	NewBatch() Batch
	// Get reports whether key, with its suffix, is there, and reads its value.
	Get(key []byte) (found bool, err error)
	// NewIter returns an iterator over [lower, upper); nil is no bound.
	NewIter(lower, upper []byte) (Iter, error)
	Flush() error
	// Compact brings everything into the last level.
	Compact() error
	// Busy reports whether a flush or compaction runs.
	Busy() bool
	Usage() Usage
	Close() error
}

// Usage is what a store wrote into tables since it was opened and what its tables
// take now, in bytes, and how often it synced its log (-1: it does not tell).
type Usage struct {
	WrittenBytes, TableBytes int64
	Syncs                    int64
}

// Batch is an atomic write.
type Batch interface {
	Set(key, value []byte)
	// Commit writes the batch, to the disk if sync, and empties it.
	Commit(sync bool) error
}

// Iter is an iterator over the keys of a Store or a table. Key and Value are
// valid until the next move.
type Iter interface {
	mvcc.Iterator
	First() bool
	Next() bool
	Close() error
}

// Engines are the engines by name. "pebble-row" writes Pebble's row blocks,
// "pebble-columnar" its newest format.
func Engines() map[string]Engine {
	return map[string]Engine{
		"minidb":          miniDB{},
		"pebble-row":      newPebble(rowBlocks),
		"pebble-columnar": newPebble(columnarBlocks),
	}
}

// ByName returns the engine called name.
func ByName(name string) (Engine, error) {
	all := Engines()
	if e, ok := all[name]; ok {
		return e, nil
	}
	var names []string
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no engine %q; there are %s", name, strings.Join(names, ", "))
}
