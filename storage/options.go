package storage

import (
	"log/slog"

	"minidb/storage/vfs"
)

// Options configure a DB. The zero value of each field takes the default named
// at it.
type Options struct {
	// FS is the file system; vfs.Disk.
	FS vfs.FS
	// MemtableBytes is the size at which a memtable is rotated and flushed; 64 MiB.
	MemtableBytes int64
	// MaxMemtables is the number of memtables, the one being written included, at
	// which writes wait for a flush; 4.
	MaxMemtables int
	// CacheBytes bounds the block cache; 256 MiB. Negative: no cache.
	CacheBytes int64
	// MaxOpenTables bounds the sstables held open; 1000.
	MaxOpenTables int
	// BlockBytes is the size of a data block before compression; 16 KiB.
	BlockBytes int
	// TargetFileBytes is the size at which flushes and compactions start a new
	// file, at the next prefix; 32 MiB.
	TargetFileBytes int64
	// BaseLevelBytes is the size below which the first level under L0 is kept;
	// 64 MiB.
	BaseLevelBytes int64
	// L0CompactDepth is the number of L0 files over one key at which L0 is
	// compacted; 4. Writes slow down from L0SlowDepth (12) and stop at L0StopDepth
	// (32).
	L0CompactDepth, L0SlowDepth, L0StopDepth int
	// Workers is the number of concurrent compactions; 2.
	Workers int
	// NewFilter, if not nil, makes the filter of one flush or compaction. It may
	// be called from the moment Open starts and from any goroutine.
	NewFilter func() CompactionFilter
	// Border, if not nil, reports whether a file had better end between two
	// prefixes, as between two indexes. Compactions of one side then leave the files
	// of the other alone, and what was written in ascending order on one side
	// moves down without being rewritten. Small files go on across borders.
	Border func(before, after []byte) bool
	// Logger takes what happens in the background; nil discards it.
	Logger *slog.Logger
	// Events are told of what happened.
	Events EventListener
	// DisableAutoCompactions leaves compactions to Compact.
	DisableAutoCompactions bool
}

// CompactionFilter decides what one flush or compaction leaves out. It is called
// by one goroutine, in key order, for every entry that would be written.
//
// A dropped fact must not matter to any present or future reader, and facts that
// are put after the filter was made must be newer than anything it drops: the
// engine looks for older versions only in what it already holds.
type CompactionFilter interface {
	// Drop reports whether the entry is left out. key and value are valid only
	// during the call.
	Drop(key, value []byte, outside Outside) bool
}

// Outside is what a flush or compaction does not see: all sources but its inputs.
type Outside interface {
	// OldestSuffix returns a suffix that no version of prefix outside the inputs
	// exceeds bytewise (so none is older): over memtables, batches on their way
	// into one, pending ingests and files. ok is false if none can hold prefix.
	// The slice is valid until the next call.
	OldestSuffix(prefix []byte) (suffix []byte, ok bool)
}

// EventListener is a set of callbacks, each of which may be nil. They are called
// by the goroutine that did the work, and must not call the DB.
type EventListener struct {
	Flushed         func(JobInfo)
	Compacted       func(JobInfo)
	Ingested        func(JobInfo)
	BackgroundError func(error)
}

// JobInfo tells of a flush, compaction or ingest that is done.
type JobInfo struct {
	Inputs, Outputs         int // files
	InputBytes, OutputBytes int64
	OutputLevel             int
	Dropped                 int64 // entries left out by the filter
	Moved                   bool  // files were moved down, not rewritten
}

func (o Options) withDefaults() Options {
	setDefault(&o.MemtableBytes, 64<<20)
	setDefault(&o.MaxMemtables, 4)
	setDefault(&o.CacheBytes, 256<<20)
	setDefault(&o.MaxOpenTables, 1000)
	setDefault(&o.BlockBytes, 16<<10)
	setDefault(&o.TargetFileBytes, 32<<20)
	setDefault(&o.BaseLevelBytes, 64<<20)
	setDefault(&o.L0CompactDepth, 4)
	setDefault(&o.L0SlowDepth, 12)
	setDefault(&o.L0StopDepth, 32)
	setDefault(&o.Workers, 2)
	o.MaxMemtables = max(o.MaxMemtables, 2)
	if o.FS == nil {
		o.FS = vfs.Disk
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T int | int64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
