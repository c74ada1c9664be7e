package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"sync/atomic"

	"minidb/sql/types"
	"minidb/storage/vfs"
)

// Operators that keep many rows put them aside in files of the store's staging directory once the statement's memory runs short: a sort
// in sorted runs, a hash table in partitions by the keys' hashes, which are then taken one after the other. Whatever a crash leaves of
// the files goes when the store is opened.

// spillFile holds rows: written once, then read from the start. The file is made with the first of them.
type spillFile struct {
	fs      vfs.FS
	name    string
	file    vfs.File
	pending *types.Batch
	types   []types.Type
	buf     []byte
	rows    int
	size    int64
}

// spillNames numbers the files of the process.
var spillNames atomic.Int64

func (e *Env) newSpillFile(ts []types.Type) *spillFile {
	fs, dir := e.KV.Staging()
	return &spillFile{fs: fs, name: path.Join(dir, fmt.Sprintf("%08d.rows", spillNames.Add(1))), types: ts}
}

// add writes row r of a batch, sooner or later.
func (f *spillFile) add(b *types.Batch, r int) error {
	if f.pending == nil {
		f.pending = types.NewBatch(f.types)
	}
	i := b.Row(r)
	for c := range f.pending.Cols {
		if i < b.Cols[c].Len() { // a column that nobody wants has no values
			f.pending.Cols[c].Append(b.Cols[c].Datum(i))
		}
	}
	f.pending.N++
	f.rows++
	if f.pending.N == types.MaxBatchRows {
		return f.flush()
	}
	return nil
}

// flush writes the rows at hand: their length and then the batch.
func (f *spillFile) flush() error {
	if f.pending == nil || f.pending.N == 0 {
		return nil
	}
	if f.file == nil {
		var err error
		if f.file, err = f.fs.Create(f.name); err != nil {
			return fmt.Errorf("put rows aside: %w", err)
		}
	}
	f.buf = types.AppendBatch(append(f.buf[:0], 0, 0, 0, 0), f.pending)
	binary.LittleEndian.PutUint32(f.buf, uint32(len(f.buf)-4))
	f.pending.Reset()
	n, err := f.file.Write(f.buf)
	f.size += int64(n)
	if err != nil {
		return fmt.Errorf("put rows aside: %w", err)
	}
	return nil
}

// remove ends the file. It may be nil.
func (f *spillFile) remove() {
	if f == nil || f.file == nil {
		return
	}
	// What fails here is tried again when the store is opened.
	_ = f.file.Close()
	_ = f.fs.Remove(f.name)
	f.file = nil
}

// reader reads the rows again, in the order in which they were added. All must have been flushed.
func (f *spillFile) reader() *spillReader {
	return &spillReader{file: f, batch: types.NewBatch(f.types)}
}

// spillReader gives the rows of a spillFile.
type spillReader struct {
	file  *spillFile
	at    int64
	buf   []byte
	batch *types.Batch
}

// Next gives the next rows, or nil at the end. They are valid until the next call.
func (r *spillReader) Next(context.Context) (*types.Batch, error) {
	if r.at == r.file.size {
		return nil, nil
	}
	var head [4]byte
	if err := r.read(head[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(head[:]))
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	if err := r.read(r.buf); err != nil {
		return nil, err
	}
	if err := types.DecodeBatch(r.buf, r.batch); err != nil {
		return nil, fmt.Errorf("%s: %w", r.file.name, err)
	}
	return r.batch, nil
}

func (r *spillReader) read(b []byte) error {
	n, err := r.file.file.ReadAt(b, r.at)
	r.at += int64(n)
	if n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read rows put aside: %w", err)
	}
	return nil
}

// rowSource gives batches of rows: an operator, or a file of rows put aside.
type rowSource interface {
	Next(ctx context.Context) (*types.Batch, error)
}

const (
	spillFan   = 16 // partitions of a hash table
	spillDepth = 4  // how often a partition is divided again; a key of very many rows does not get smaller by it
)

// partitions are rows put aside by the hashes of their keys.
type partitions struct {
	files [spillFan]*spillFile
	depth int // how many divisions came before
}

func (e *Env) newPartitions(ts []types.Type, depth int) *partitions {
	p := &partitions{depth: depth}
	for i := range p.files {
		p.files[i] = e.newSpillFile(ts)
	}
	return p
}

// add puts a row aside. Each division goes by other bits of the hash, the highest first: hash tables go by the lowest.
func (p *partitions) add(b *types.Batch, r int, sum uint64) error {
	return p.files[sum>>(60-4*p.depth)%spillFan].add(b, r)
}

// flush ends the writing.
func (p *partitions) flush() error {
	for _, f := range p.files {
		if err := f.flush(); err != nil {
			return err
		}
		f.pending, f.buf = nil, nil
	}
	return nil
}

func (p *partitions) remove() {
	if p == nil {
		return
	}
	for _, f := range p.files {
		f.remove()
	}
}

// aside are rows that a hash table had no room for while it was read into, and those of earlier tables that are still to be taken.
type aside struct {
	parts *partitions // of the table at hand; nil: it has room
	depth int         // of the table at hand
	queue []queued
	file  *spillFile // that is being read
}

type queued struct {
	file  *spillFile
	depth int
}

// isFull reports whether new keys are put aside, as rows of the given types: from the time on that the memory got short.
func (a *aside) isFull(env *Env, ts []types.Type, own int64) bool {
	if a.parts == nil && a.depth < spillDepth && env.Memory.isShort(own) {
		a.parts = env.newPartitions(ts, a.depth)
	}
	return a.parts != nil
}

// next gives rows that were put aside, for a table of their own; nil if there are none left.
func (a *aside) next() (rowSource, error) {
	if a.parts != nil {
		if err := a.parts.flush(); err != nil {
			return nil, err
		}
		for _, f := range a.parts.files {
			if f.rows > 0 {
				a.queue = append(a.queue, queued{f, a.depth + 1})
			}
		}
		a.parts = nil
	}
	a.file.remove()
	if len(a.queue) == 0 {
		return nil, nil
	}
	last := len(a.queue) - 1
	a.file, a.depth = a.queue[last].file, a.queue[last].depth
	a.queue = a.queue[:last]
	return a.file.reader(), nil
}

func (a *aside) remove() {
	a.parts.remove()
	a.file.remove()
	for _, q := range a.queue {
		q.file.remove()
	}
	*a = aside{}
}
