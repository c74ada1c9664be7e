package bulk

import (
	"context"
	"path"
	"runtime"
	"sync/atomic"

	"minidb/bulk/internal/build"
	"minidb/bulk/internal/source"
	"minidb/kv"
)

const (
	defaultMemoryBytes = 256 << 20

	maxChunkBytes = 1 << 20
	minChunkBytes = 4 << 10
	// evenChunkBytes is what chunks of a small input shrink to, so that every
	// goroutine has some.
	evenChunkBytes = 64 << 10
	// minRecordBytes is what a record may have however little memory there is.
	minRecordBytes = 1 << 20
)

// setDefaults fills in what the caller left out.
func (r *Request) setDefaults() {
	if r.MemoryBytes <= 0 {
		r.MemoryBytes = defaultMemoryBytes
	}
	if r.Threads <= 0 {
		r.Threads = runtime.GOMAXPROCS(0)
	}
}

// Import reads the files, sorts what the rows give, builds sstables of it and
// attaches them to the transaction with a check for conflicts; the caller commits
// the transaction and gives a *kv.ConflictError of the commit to Explain.
//
// Errors name file and line: bad files and records as *sqlerr.Error (58P01, 22P04,
// 22021, …), of several the first in the input; what the row plan refuses; a key
// that comes twice or is in the store as *DuplicateKeyError. After an error, also
// that of ctx, no goroutine and no file is left, and the transaction is to be
// rolled back.
func Import(ctx context.Context, r Request) (Result, error) {
	r.setDefaults()
	p := newProgress(&r)
	b := build.New(ctx, build.Options{
		DB: r.DB, Borders: r.Borders, MemoryBytes: max(r.MemoryBytes*7/8, 1), Threads: r.Threads, Progress: p.built,
	})
	defer b.Abort()
	p.stage(StageReading)
	if err := load(ctx, &r, b, p); err != nil {
		return Result{}, err
	}
	p.stage(StageBuilding)
	tables, err := b.Finish(ctx)
	if err != nil {
		return Result{}, Explain(ctx, r, err)
	}
	p.stage(StageChecking)
	if err := r.Txn.AddSSTables(ctx, tables, kv.AddOptions{CheckConflicts: true}); err != nil {
		return Result{}, Explain(ctx, r, err)
	}
	p.stage(StageDone)
	return Result{Rows: p.now.Rows, Bytes: p.now.Bytes}, nil
}

// load reads the files into the builder.
func load(ctx context.Context, r *Request, b *build.Builder, p *progress) error {
	return scan(ctx, r, func() chunkWork { return newLoader(r, b, p) })
}

// loader is one goroutine's part in load.
type loader struct {
	worker RowWorker
	adder  *build.Adder
	p      *progress
	rows   int64
	add    func(key, value []byte) error
	addErr error // what stopped add, which is not the record's fault
}

func newLoader(r *Request, b *build.Builder, p *progress) *loader {
	l := &loader{worker: r.Rows.NewWorker(), adder: b.Adder(), p: p}
	l.add = func(key, value []byte) error {
		l.addErr = l.adder.Add(key, value)
		return l.addErr
	}
	return l
}

func (l *loader) record(rec *Record) error {
	l.rows++
	if err := l.worker.Encode(rec, l.add); err != nil {
		if l.addErr != nil {
			return l.addErr
		}
		return at(err, rec)
	}
	return nil
}

func (l *loader) chunkDone(c *source.Chunk) bool {
	l.p.read(l.rows, c.Read)
	l.rows = 0
	return false
}

func (l *loader) close() error { return l.adder.Close() }

// chunkBytes is how long chunks are, given the input's size.
func (r *Request) chunkBytes(total int64) int {
	n := min(r.MemoryBytes/int64(16*(r.Threads+chunksAhead)), maxChunkBytes)
	return int(max(min(n, max(total/int64(8*r.Threads), evenChunkBytes)), minChunkBytes))
}

// totalBytes is the size of all files; one that is not there counts 0, opening
// it will tell.
func (r *Request) totalBytes() int64 {
	total := int64(0)
	for _, name := range r.Files {
		if info, err := r.FS.Stat(path.Join(r.Dir, name)); err == nil {
			total += info.Size
		}
	}
	return total
}

// lowest keeps the smallest number it is told.
type lowest struct{ v atomic.Int64 }

func (l *lowest) tell(n int64) {
	for {
		have := l.v.Load()
		if have <= n || l.v.CompareAndSwap(have, n) {
			return
		}
	}
}
