package sstable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"minidb/sstable/internal/block"
)

// RewriteSuffixes copies the file of size bytes in in to out, with the suffix to
// in place of from in every key. The result is the same, byte by byte, as if
// every entry were read and Set with its new key on a Writer with the options o;
// but uniform blocks are patched without being decompressed, others without
// being rebuilt, and the filter is copied, because prefixes stay.
//
// o is what the file was written with: its filter policy, compression and
// collectors must be those of the file, and the collectors must be able to
// UpdateSuffix. Up to concurrency goroutines (at least 1) work on blocks while
// the caller's writes finished ones in order; none is left behind.
//
// It is an error if a key has another suffix than from (the error names it), if
// the file holds a tombstone or nested prefixes, or if from and to are not
// SuffixLen long. Damaged bytes give a *CorruptionError. Of several bad blocks
// the first in the file is reported. After an error what was written to out is
// of no use. in is only read, never changed.
func RewriteSuffixes(in io.ReaderAt, size int64, out io.Writer, from, to []byte, o WriterOptions, concurrency int) (*Properties, error) {
	if concurrency < 1 {
		return nil, fmt.Errorf("sstable: rewrite with concurrency %d", concurrency)
	}
	if len(from) != SuffixLen || len(to) != SuffixLen {
		return nil, fmt.Errorf("sstable: rewrite of a suffix of %d bytes to one of %d, not %d", len(from), len(to), SuffixLen)
	}
	var ro ReaderOptions
	if f, ok := in.(interface{ Name() string }); ok {
		ro.FileName = f.Name()
	}
	r, err := OpenReader(in, size, ro)
	if err != nil {
		return nil, err
	}
	rw := rewriter{r: r, from: from, to: to, out: out, collectors: o.newCollectors()}
	if err := rw.checkOptions(&o); err != nil {
		return nil, err
	}
	if err := rw.readIndex(); err != nil {
		return nil, err
	}
	if err := rw.rewriteBlocks(concurrency); err != nil {
		return nil, err
	}
	return rw.finish()
}

// rewriter is one run of RewriteSuffixes.
type rewriter struct {
	r          *Reader
	from, to   []byte
	out        io.Writer
	collectors []BlockPropertyCollector
	index      indexEntries // handles are the old ones until a block is placed
	odd        int          // entry whose suffixes are not from by the index, -1: none
	inPlace    bool         // no block changes its size
}

// checkOptions checks what can be known without reading a block.
func (rw *rewriter) checkOptions(o *WriterOptions) error {
	props := &rw.r.props
	switch {
	case props.NumTombstones > 0:
		return rw.findEntry("is a tombstone", func(_, value []byte) bool { return len(value) == 0 })
	case props.NestedPrefixes:
		return errors.New("sstable: rewrite of a file in which one prefix begins another")
	case props.Filter != o.Filter:
		return fmt.Errorf("sstable: rewrite of a file with filter %v as one with %v", props.Filter, o.Filter)
	case props.Compression != o.Compression:
		return fmt.Errorf("sstable: rewrite of a file with compression %v as one with %v", props.Compression, o.Compression)
	case len(rw.collectors) != len(rw.r.collected):
		return fmt.Errorf("sstable: rewrite of a file with %d collectors as one with %d", len(rw.r.collected)-1, len(rw.collectors)-1)
	}
	for i, c := range rw.collectors {
		if c.Name() != rw.r.collected[i].name {
			return fmt.Errorf("sstable: rewrite of a file with collector %s as one with %s", rw.r.collected[i].name, c.Name())
		}
	}
	rw.inPlace = props.Compression == NoCompression || props.NumUniform == props.NumBlocks
	return nil
}

// findEntry returns the error that names the first entry which is odd.
func (rw *rewriter) findEntry(what string, odd func(key, value []byte) bool) error {
	it, err := rw.r.NewIter(IterOptions{})
	if err != nil {
		return err
	}
	for it.Next() {
		if odd(it.Key(), it.Value()) {
			err = fmt.Errorf("sstable: rewrite: key %x %s", it.Key(), what)
			break
		}
	}
	if closeErr := it.Close(); closeErr != nil {
		return closeErr
	}
	if err == nil {
		err = rw.r.corruption(int64(rw.r.footer.props.Offset), errDamagedProperties)
	}
	return err
}

// readIndex makes the new file's index entries out of the old one's.
func (rw *rewriter) readIndex() error {
	rw.odd = -1
	if props := &rw.r.props; props.NumBlocks <= props.DataBytes/block.TrailerLen && props.DataBytes <= uint64(rw.r.size) {
		rw.index.entries = make([]indexEntry, 0, props.NumBlocks)
		rw.index.arena = make([]byte, 0, 40*props.NumBlocks)
	}
	var c cursor
	c.init(rw.r, false, false)
	noSkip := func([]byte) (bool, error) { return false, nil }
	var prop []byte
	var offset uint64
	ok, err := c.edge(false)
	for ; ok && err == nil; ok, err = c.step(false, noSkip) {
		sep, h, props, err := c.entry()
		if err != nil {
			return err
		}
		if h.Offset != offset || rw.r.checkHandle(h) != nil {
			return rw.r.corruption(int64(rw.r.footer.index.Offset), fmt.Errorf("block at %d instead of %d", h.Offset, offset))
		}
		offset += h.Size
		rw.index.begin(sep)
		for i, c := range rw.collectors {
			prop, err = c.UpdateSuffix(prop[:0], property(props, i), rw.from, rw.to)
			switch {
			case err != nil && i > 0:
				return fmt.Errorf("sstable: rewrite: collector %s: %w", c.Name(), err)
			case err != nil && rw.odd < 0:
				rw.odd = len(rw.index.entries) - 1
			}
			rw.index.addProperty(prop)
		}
		rw.index.finish()
		rw.index.entries[len(rw.index.entries)-1].handle = h
	}
	if err == nil && uint64(len(rw.index.entries)) != rw.r.props.NumBlocks {
		err = rw.r.corruption(int64(rw.r.footer.index.Offset), fmt.Errorf("index of %d blocks in a file of %d", len(rw.index.entries), rw.r.props.NumBlocks))
	}
	return err
}

// chunk is a run of neighbouring blocks, the unit of parallel work.
type chunk struct {
	handles []block.Handle // in the old file; Size becomes the new one's
	out     *[]byte        // the new blocks, from the work on them until they are written
	err     error
}

// chunkBuffers are for chunks before and after.
var chunkBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Chunks aim at these sizes. In-place work moves gigabytes a second, so that
// only a large chunk is worth a hand-off.
const (
	chunkInPlace       = 256 << 10
	maxChunkRecompress = 64 << 10
	minChunkRecompress = 16 << 10
)

// rewriteBlocks writes all data blocks.
func (rw *rewriter) rewriteBlocks(concurrency int) error {
	entries := rw.index.entries
	if rw.odd >= 0 {
		entries = entries[:rw.odd+1] // the block will tell which key it is
	}
	target := uint64(chunkInPlace)
	if !rw.inPlace {
		target = min(maxChunkRecompress, max(minChunkRecompress, rw.r.props.DataBytes/uint64(4*concurrency)))
	}
	chunks := int(rw.r.props.DataBytes/target) + 1
	p := newPipeline(min(concurrency, chunks), rw.rewriteChunk, rw.emit)
	defer p.stop()
	for n := 0; n < len(entries); {
		c := p.next()
		c.handles = c.handles[:0]
		for size := uint64(0); n < len(entries) && (size == 0 || size+entries[n].handle.Size <= target); n++ {
			c.handles = append(c.handles, entries[n].handle)
			size += entries[n].handle.Size
		}
		if err := p.submit(); err != nil {
			return err
		}
	}
	if err := p.finish(); err != nil {
		return err
	}
	if rw.odd >= 0 {
		return rw.r.corruption(int64(rw.r.footer.index.Offset), fmt.Errorf("suffixes of block %d are not those the index says", rw.odd))
	}
	return nil
}

// emit writes a finished chunk.
func (rw *rewriter) emit(c *chunk) error {
	if c.err != nil {
		return c.err
	}
	_, err := rw.out.Write(*c.out)
	chunkBuffers.Put(c.out)
	if err != nil {
		return err
	}
	for _, h := range c.handles {
		rw.index.place(int(h.Size))
	}
	return nil
}

// rewriteChunk rewrites the blocks of a chunk. It stops at the first bad one.
func (rw *rewriter) rewriteChunk(c *chunk) {
	first, last := c.handles[0], c.handles[len(c.handles)-1]
	in := chunkBuffers.Get().(*[]byte)
	*in = resize(*in, int(last.Offset+last.Size-first.Offset))
	if c.err = rw.r.readAt(*in, int64(first.Offset)); c.err != nil {
		return
	}
	c.out = in
	if !rw.inPlace {
		defer chunkBuffers.Put(in)
		c.out = chunkBuffers.Get().(*[]byte)
		// Other suffixes compress a little better or worse, and snappy asks for
		// room for its worst case.
		*c.out = slices.Grow((*c.out)[:0], len(*in)*17/16+int(rw.r.props.BlockBytes)*5/4)
	}
	for i := range c.handles {
		h := &c.handles[i]
		disk := (*in)[h.Offset-first.Offset:][:h.Size]
		before := len(*c.out)
		if c.err = rw.rewriteBlock(c.out, disk, int64(h.Offset)); c.err != nil {
			return
		}
		if !rw.inPlace {
			h.Size = uint64(len(*c.out) - before)
		}
	}
}

// rewriteBlock changes the suffixes of the block at offset, which is disk: in
// place, or else by appending the new block to out.
func (rw *rewriter) rewriteBlock(out *[]byte, disk []byte, offset int64) error {
	kind, err := block.Check(disk, block.Data)
	if err != nil {
		return rw.r.corruption(offset, err)
	}
	if kind.Uniform() && block.SetUniformSuffix(disk, rw.from, rw.to) {
		if !rw.inPlace {
			*out = append(*out, disk...)
		}
		return nil
	}
	compress := rw.r.props.Compression == Snappy
	if compress && rw.inPlace && !kind.Uniform() {
		return rw.r.corruption(offset, errors.New("mixed block in a file of uniform ones"))
	}
	scratch := diskBuffers.Get().(*[]byte)
	defer diskBuffers.Put(scratch)
	opened, err := block.Open(*scratch, disk, block.Data)
	if err != nil {
		return rw.r.corruption(offset, err)
	}
	if kind.Uniform() {
		return rw.oddKey(opened, 0, offset)
	}
	ord, err := block.SetMixedSuffixes(opened, rw.from, rw.to)
	switch {
	case err != nil:
		return rw.r.corruption(offset, err)
	case ord >= 0:
		return rw.oddKey(opened, ord, offset)
	case compress:
		*out = block.Seal(*out, block.Payload(opened), nil, block.Data, true)
		if !block.Shares(opened, disk) {
			*scratch = opened
		}
	default:
		block.Reseal(disk)
	}
	return nil
}

// oddKey names the entry ord of a block, whose suffix is not from.
func (rw *rewriter) oddKey(opened []byte, ord int, offset int64) error {
	var it block.Iter
	if err := it.Init(opened); err != nil {
		return rw.r.corruption(offset, err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		if it.Ordinal() == ord {
			return fmt.Errorf("sstable: rewrite: key %x has another suffix than %x", it.Key(), rw.from)
		}
	}
	return rw.r.corruption(offset, it.Err())
}

// finish writes what follows the data blocks.
func (rw *rewriter) finish() (*Properties, error) {
	props := rw.r.props
	props.DataBytes = rw.index.offset
	props.Smallest, props.Largest = bytes.Clone(props.Smallest), bytes.Clone(props.Largest)
	for _, key := range [][]byte{props.Smallest, props.Largest} {
		if key != nil {
			copy(key[len(key)-SuffixLen:], rw.to)
		}
	}
	var filterBlock []byte
	if h := rw.r.footer.filter; h.Size > 0 {
		filterBlock = make([]byte, h.Size)
		if err := rw.r.readAt(filterBlock, int64(h.Offset)); err != nil {
			return nil, err
		}
		if _, err := block.Check(filterBlock, block.Filter); err != nil {
			return nil, rw.r.corruption(int64(h.Offset), err)
		}
	}
	tail, err := appendTail(nil, &props, &rw.index, rw.collectors, filterBlock)
	if err != nil {
		return nil, err
	}
	for _, b := range [][]byte{filterBlock, tail} {
		if _, err := rw.out.Write(b); err != nil {
			return nil, err
		}
	}
	return &props, nil
}
