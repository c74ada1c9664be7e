// Package bulk is the import pipeline: it reads CSV files, turns their records
// into keys and values, sorts them, builds sstables of them and attaches those
// to a transaction. The same builder serves everyone who has many keys to sort,
// as the backfill of an index.
//
// It evaluates no SQL: a RowPlan, given by the caller, makes keys and values out
// of a record's fields. Files are read by the rules of PostgreSQL's COPY … CSV
// (package bulk/internal/source).
//
// In reading order: Request and Import; Format, Record, RowPlan and RowWorker;
// Progress; Expand, which finds files; DuplicateKeyError and Explain; Builder.
package bulk

import (
	"minidb/bulk/internal/build"
	"minidb/bulk/internal/source"
	"minidb/kv"
	"minidb/storage/vfs"
)

type (
	// Format says how files are to be read; the zero value is COPY's CSV.
	Format = source.Format
	// Compression is how a file is compressed; Auto goes by the name.
	Compression = source.Compression
	// Record is one record of a file, valid during the call that gets it.
	Record = source.Record
	// DuplicateKeyError says that a key came twice.
	DuplicateKeyError = build.DuplicateKeyError
)

// The compressions.
const (
	Auto  = source.Auto
	None  = source.None
	Gzip  = source.Gzip
	Zstd  = source.Zstd
	Bzip2 = source.Bzip2
)

// RowPlan turns records into keys and values. It makes a worker for each
// goroutine of the import.
type RowPlan interface {
	NewWorker() RowWorker
}

// RowWorker is used by one goroutine.
type RowWorker interface {
	// Encode calls emit for each key and value of rec, in any order. emit keeps
	// neither slice. For the same record it gives the same keys whenever it is
	// called again, as far as they can be duplicates. An *sqlerr.Error gets the
	// file and line as its context.
	Encode(rec *Record, emit func(key, value []byte) error) error
}

// Request is one import. DB, Txn, FS, Files and Rows are required.
type Request struct {
	DB *kv.DB
	// Txn gets the sstables. It holds the locks that the import needs; the caller
	// commits it.
	Txn *kv.Txn
	// FS and Dir are where Files lie; names are relative to Dir, and errors
	// call them by those names. See Expand.
	FS    vfs.FS
	Dir   string
	Files []string
	// Columns names the fields of a record, for errors; records must have exactly
	// so many. nil: any number.
	Columns []string
	Format  Format
	Rows    RowPlan
	// Borders are keys, ascending, at which sstables end, so that indexes do not
	// share files. May be nil.
	Borders [][]byte
	// MemoryBytes bounds the import's memory, about; above it, it spills to the
	// store's staging directory. 0: 256 MiB.
	MemoryBytes int64
	// Threads is how many goroutines encode, sort and build. 0: one a CPU.
	Threads int
	// Progress is told how far it is, from one goroutine at a time and a few times
	// a second. May be nil.
	Progress func(Progress)
}

// Stage is what an import is doing.
type Stage string

// The stages, in order.
const (
	StageReading  Stage = "reading"  // files are read, encoded and sorted
	StageBuilding Stage = "building" // sstables are built
	StageChecking Stage = "checking" // sstables are compared with the store
	StageDone     Stage = "done"
)

// Progress is how far an import is.
type Progress struct {
	Stage Stage
	Rows  int64
	// Bytes of TotalBytes of the files have been taken in, as they lie on disk.
	Bytes, TotalBytes int64
	// Keys of TotalKeys are in sstables; known from StageBuilding on.
	Keys, TotalKeys int64
}

// Result is what an import brought.
type Result struct {
	Rows  int64
	Bytes int64 // of the files, as they lie on disk
}

// Expand returns the files in dir that the patterns stand for, sorted and each
// once. Patterns are slash paths relative to dir, with path.Match's *, ? and […].
//
// Errors: 42501 for a path that leaves dir, 58P01 for a pattern without a file,
// 22023 for a malformed pattern.
func Expand(fs vfs.FS, dir string, patterns []string) ([]string, error) {
	return source.Expand(fs, dir, patterns)
}
