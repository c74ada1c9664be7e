// Package build sorts keys and values from several goroutines and builds
// sstables of them, with a bound on memory: what does not fit is sorted in parts
// that go to the store's staging directory and are merged in the end. It knows
// nothing of where the keys come from.
//
// In reading order: Options and Builder; Adder, one goroutine's way in; finish.go
// builds the sstables; DuplicateKeyError is the refusal of a key that came twice.
package build

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"sync"
	"sync/atomic"

	"minidb/bulk/internal/sorter"
	"minidb/kv"
	"minidb/storage/vfs"
)

// Options configures a Builder. DB is required.
type Options struct {
	DB *kv.DB
	// Borders are keys, ascending, at which sstables end. May be nil.
	Borders [][]byte
	// MemoryBytes bounds the memory, about. 0: 256 MiB.
	MemoryBytes int64
	// Threads is the number of goroutines that build sstables, and of those that
	// are expected to add. 0: one a CPU.
	Threads int
	// TableBytes is about the size at which an sstable ends. 0: 64 MiB.
	TableBytes uint64
	// Progress is told how many of all keys are in sstables, from several
	// goroutines. May be nil.
	Progress func(keys, total int64)
}

const (
	defaultMemoryBytes = 256 << 20
	defaultTableBytes  = 64 << 20

	minBufferBytes = 8 << 10
	maxBufferBytes = 64 << 20
	minSpillBlock  = 1 << 10
	maxSpillBlock  = 64 << 10
)

// Builder sorts keys and values into sstables. Adders may work at once; Finish
// and Abort come when all of them are done. Requires that one of the two is
// called.
type Builder struct {
	o           Options
	ctx         context.Context
	fs          vfs.FS
	dir         string
	bufferBytes int   // of an adder's buffer
	keepBytes   int64 // of sorted buffers that stay in memory
	spillBlock  int

	mu    sync.Mutex
	runs  []sorter.Run
	files []*sorter.File // of runs
	kept  int64          // bytes of the buffers in runs
	keys  int64
	ended bool
}

// New returns a builder. Its work ends early when ctx does.
func New(ctx context.Context, o Options) *Builder {
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = defaultMemoryBytes
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.TableBytes == 0 {
		o.TableBytes = defaultTableBytes
	}
	b := &Builder{o: o, ctx: ctx}
	b.fs, b.dir = o.DB.Staging()
	// Half of the memory is for buffers being filled, most of the rest for sorted
	// ones.
	b.bufferBytes = int(min(max(o.MemoryBytes/int64(2*o.Threads), minBufferBytes), maxBufferBytes))
	b.keepBytes = (o.MemoryBytes - int64(b.bufferBytes*o.Threads)) * 3 / 4
	b.spillBlock = min(max(b.bufferBytes/64, minSpillBlock), maxSpillBlock)
	return b
}

// spills counts files of runs, so that no two builders use one name.
var spills atomic.Uint64

func (b *Builder) spillName() string {
	return path.Join(b.dir, fmt.Sprintf("%08d.run", spills.Add(1)))
}

// Keys is the number of keys that closed adders have brought.
func (b *Builder) Keys() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keys
}

// Adder is one goroutine's way into a Builder.
type Adder struct {
	b   *Builder
	buf *sorter.Buffer
}

// Adder returns a new way in.
func (b *Builder) Adder() *Adder { return &Adder{b: b, buf: &sorter.Buffer{}} }

// Add takes a key and a value, not empty, and copies them. An error, of a spill
// or of the context, is final for the builder: Abort it.
func (a *Adder) Add(key, value []byte) error {
	if n := len(key) + len(value); a.buf.Bytes()+n > a.b.bufferBytes && a.buf.Len() > 0 || !a.buf.Room(n) {
		if err := a.flush(); err != nil {
			return err
		}
	}
	a.buf.Add(key, value)
	return nil
}

// Close gives the builder what is still held. The adder is then done for.
func (a *Adder) Close() error {
	if a.buf.Len() == 0 {
		return nil
	}
	a.buf.Sort()
	a.b.addRun(a.buf, nil, int64(a.buf.Bytes()))
	a.buf = nil
	return a.b.ctx.Err()
}

// flush sorts the buffer and keeps it, if memory allows, or spills it.
func (a *Adder) flush() error {
	if err := a.b.ctx.Err(); err != nil {
		return err
	}
	a.buf.Sort()
	if size := int64(a.buf.Bytes()); a.b.reserve(size) {
		a.b.addRun(a.buf, nil, 0)
		a.buf = &sorter.Buffer{}
		return nil
	}
	f, err := a.buf.Spill(a.b.fs, a.b.spillName(), a.b.spillBlock)
	if err != nil {
		return err
	}
	a.b.addRun(f, f, 0)
	a.buf.Reset()
	return nil
}

// reserve takes n bytes of those for sorted buffers if there are as many.
func (b *Builder) reserve(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept+n > b.keepBytes {
		return false
	}
	b.kept += n
	return true
}

// addRun adds a run, f its file if it has one.
func (b *Builder) addRun(r sorter.Run, f *sorter.File, kept int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs = append(b.runs, r)
	if f != nil {
		b.files = append(b.files, f)
	}
	b.kept += kept
	b.keys += int64(r.Len())
}

// Abort gives up and removes all files. After Finish it does nothing.
func (b *Builder) Abort() {
	if b.ended {
		return
	}
	b.ended = true
	for _, f := range b.files {
		_ = f.Remove() // what stays goes when the store is opened next
	}
	for _, r := range b.runs {
		if buf, ok := r.(*sorter.Buffer); ok {
			buf.Reset()
		}
	}
	b.runs, b.files = nil, nil
}

// DuplicateKeyError says that a key came twice. File and Line name the record
// that has it, OtherFile and OtherLine the earlier one that has it too; Existing
// is set in place of those if the key is in the store. Empty file names: not
// known.
type DuplicateKeyError struct {
	Key       []byte
	File      string
	Line      int64
	OtherFile string
	OtherLine int64
	Existing  []byte
}

func (e *DuplicateKeyError) Error() string {
	s := fmt.Sprintf("duplicate key %x", e.Key)
	if e.File != "" {
		s += fmt.Sprintf(" in file %q, line %d", e.File, e.Line)
	}
	if e.OtherFile != "" {
		s += fmt.Sprintf(" and in file %q, line %d", e.OtherFile, e.OtherLine)
	}
	return s
}
