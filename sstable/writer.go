package sstable

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"

	"minidb/sstable/internal/block"
	"minidb/sstable/internal/filter"
)

// maxEntryBytes bounds key and value together, so that offsets within a block
// fit their fields.
const maxEntryBytes = 1 << 30

var errWriterClosed = errors.New("sstable: writer is closed")

// Writer writes one file. It is used from one goroutine.
type Writer struct {
	out        *bufio.Writer
	o          WriterOptions
	props      Properties
	collectors []BlockPropertyCollector // the built-in one first
	block      *block.Builder
	blocks     *pipeline[writerBlock]
	index      indexEntries
	hashes     []uint64 // of distinct prefixes, if there is a filter
	lastKey    []byte
	scratch    []byte
	pending    uint64 // payload bytes given to the pipeline and not yet written
	err        error
	closed     bool
}

// writerBlock is a data block on its way to the file.
type writerBlock struct {
	payload []byte
	suffix  [SuffixLen]byte
	uniform bool
	disk    []byte
}

// outBufferBytes is the size of writes.
const outBufferBytes = 64 << 10

var outBuffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, outBufferBytes) }}

// NewWriter returns a Writer that writes to w. The caller syncs and closes w
// after Close. Requires that Close or Abort is called in the end: one of them
// ends the goroutines that Concurrency asks for.
func NewWriter(w io.Writer, o WriterOptions) *Writer {
	o.setDefaults()
	out := outBuffers.Get().(*bufio.Writer)
	out.Reset(w)
	sw := &Writer{out: out, o: o, block: block.NewBuilder(o.ForceMixed), collectors: o.newCollectors()}
	sw.props = Properties{
		BlockBytes: uint64(o.BlockBytes), Compression: o.Compression, Filter: o.Filter, ForceMixed: o.ForceMixed,
	}
	compress := o.Compression == Snappy
	seal := func(b *writerBlock) {
		var suffix []byte
		if b.uniform {
			suffix = b.suffix[:]
		}
		b.disk = block.Seal(b.disk[:0], b.payload, suffix, block.Data, compress)
	}
	sw.blocks = newPipeline(o.Concurrency, seal, sw.emit)
	return sw
}

func (o *WriterOptions) setDefaults() {
	if o.BlockBytes <= 0 {
		o.BlockBytes = defaultBlockBytes
	}
}

func (o *WriterOptions) newCollectors() []BlockPropertyCollector {
	cs := []BlockPropertyCollector{&suffixRange{}}
	for _, f := range o.Collectors {
		cs = append(cs, f())
	}
	return cs
}

// emit writes a finished block.
func (w *Writer) emit(b *writerBlock) error {
	w.pending -= uint64(len(b.payload))
	w.props.DataBytes += uint64(len(b.disk))
	w.index.place(len(b.disk))
	_, err := w.out.Write(b.disk)
	return err
}

// Set adds an entry. Keys come in strictly ascending order of their bytes and
// are longer than SuffixLen; an empty value makes a tombstone. The slices are
// not kept. After an error every call fails with it.
func (w *Writer) Set(key, value []byte) error {
	if w.err != nil {
		return w.err
	}
	if err := w.set(key, value); err != nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) set(key, value []byte) error {
	if w.closed {
		return errWriterClosed
	}
	if len(key) <= SuffixLen || len(key)+len(value) > maxEntryBytes {
		return fmt.Errorf("sstable: key of %d and value of %d bytes: a key has more than %d, both have at most %d", len(key), len(value), SuffixLen, maxEntryBytes)
	}
	prefix, suffix := key[:len(key)-SuffixLen], key[len(key)-SuffixLen:]
	shared, err := w.follow(key, prefix)
	if err != nil {
		return err
	}
	if w.block.Len() == 0 {
		w.index.begin(w.separator(key, shared))
	}
	if w.o.Filter != NoFilter && (shared < len(prefix) || len(w.lastKey)-SuffixLen != len(prefix)) {
		w.hashes = append(w.hashes, filter.Hash(prefix))
	}
	w.block.Add(prefix, suffix, value, shared)
	for _, c := range w.collectors {
		if err := c.Add(key, value); err != nil {
			return fmt.Errorf("sstable: collector %s: %w", c.Name(), err)
		}
	}
	w.lastKey = append(w.lastKey[:0], key...)
	w.props.NumEntries++
	if len(value) == 0 {
		w.props.NumTombstones++
	}
	w.props.RawKeyBytes += uint64(len(key))
	w.props.RawValueBytes += uint64(len(value))
	if w.block.Size() >= w.o.BlockBytes {
		return w.cut()
	}
	return nil
}

// follow checks that key comes after the last one and returns how many leading
// bytes their prefixes share.
func (w *Writer) follow(key, prefix []byte) (shared int, err error) {
	if w.props.NumEntries == 0 {
		w.props.Smallest = bytes.Clone(key)
		return 0, nil
	}
	last := w.lastKey[:len(w.lastKey)-SuffixLen]
	shared = commonPrefix(last, prefix)
	ordered := false
	if shared < len(last) && shared < len(prefix) {
		ordered = last[shared] < prefix[shared]
	} else {
		ordered = bytes.Compare(w.lastKey, key) < 0
		if len(last) != len(prefix) {
			w.props.NestedPrefixes = true
		}
	}
	if !ordered {
		return 0, fmt.Errorf("sstable: key %x does not follow %x", key, w.lastKey)
	}
	return shared, nil
}

// separator returns what divides key, the first of a block, from the keys
// before: the shortest beginning of its prefix that is above them. It holds
// nothing of the suffix, except where the block begins within the versions of
// one prefix.
func (w *Writer) separator(key []byte, shared int) []byte {
	switch {
	case w.props.NumEntries == 0:
		return nil
	case shared < len(key)-SuffixLen && shared < len(w.lastKey)-SuffixLen:
		return key[:shared+1]
	}
	return key
}

// commonPrefix returns how many leading bytes a and b share.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// cut ends the current block.
func (w *Writer) cut() error {
	for _, c := range w.collectors {
		p, err := c.FinishBlock(w.scratch[:0])
		if err != nil {
			return fmt.Errorf("sstable: collector %s: %w", c.Name(), err)
		}
		w.scratch = p
		w.index.addProperty(p)
	}
	w.index.finish()
	b := w.blocks.next()
	payload, suffix := w.block.Finish(b.payload[:0])
	b.payload, b.uniform = payload, suffix != nil
	copy(b.suffix[:], suffix)
	w.props.NumBlocks++
	if b.uniform {
		w.props.NumUniform++
	}
	w.pending += uint64(len(payload))
	return w.blocks.submit()
}

// EstimatedSize is about what the file would be if closed now, in bytes. It is
// on the high side: blocks under way count as if they would not compress.
func (w *Writer) EstimatedSize() uint64 {
	open := 0
	if w.block.Len() > 0 {
		open = w.block.Size()
	}
	return w.index.offset + w.pending + uint64(open+w.index.size()+len(w.hashes)*10/8) + footerLen
}

// Close writes what is left, the index, the filter, the properties and the
// footer. A file without entries is a good file. After an error of Set it only
// returns that error; the file is not to be used then.
func (w *Writer) Close() (*Properties, error) {
	if w.closed {
		return nil, errWriterClosed
	}
	defer w.Abort()
	if w.err != nil {
		return nil, w.err
	}
	if w.block.Len() > 0 {
		if err := w.cut(); err != nil {
			return nil, err
		}
	}
	if err := w.blocks.finish(); err != nil {
		return nil, err
	}
	if w.props.NumEntries > 0 {
		w.props.Largest = bytes.Clone(w.lastKey)
	}
	var filterBlock []byte
	if len(w.hashes) > 0 {
		filterBlock = sealFilter(w.o.Filter, w.hashes)
	}
	tail, err := appendTail(nil, &w.props, &w.index, w.collectors, filterBlock)
	if err != nil {
		return nil, err
	}
	for _, b := range [][]byte{filterBlock, tail} {
		if _, err := w.out.Write(b); err != nil {
			return nil, err
		}
	}
	if err := w.out.Flush(); err != nil {
		return nil, err
	}
	props := w.props
	return &props, nil
}

// Abort ends the writer without finishing the file. After Close it does
// nothing.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	w.closed = true
	w.blocks.stop()
	w.out.Reset(nil)
	outBuffers.Put(w.out)
	w.out = nil
}

// sealFilter returns the filter block over hashes, which it reorders.
func sealFilter(policy FilterPolicy, hashes []uint64) []byte {
	var payload []byte
	if policy == FuseFilter {
		payload = filter.AppendFuse(nil, hashes)
	} else {
		payload = filter.AppendBloom(nil, hashes)
	}
	return block.Seal(make([]byte, 0, len(payload)+block.TrailerLen), payload, nil, block.Filter, false)
}

// appendTail appends what follows the data blocks and the filter block to dst:
// index, properties and footer. It completes props.
func appendTail(dst []byte, props *Properties, index *indexEntries, collectors []BlockPropertyCollector, filterBlock []byte) ([]byte, error) {
	start := len(dst)
	f := footer{filter: block.Handle{Offset: index.offset, Size: uint64(len(filterBlock))}}
	base := index.offset + f.filter.Size
	dst, root, levels, table, err := index.appendTo(dst, base, props.Compression == Snappy, collectors)
	if err != nil {
		return nil, err
	}
	f.index, f.levels = root, levels
	collected := make([]tableProperty, len(collectors))
	for i, c := range collectors {
		collected[i] = tableProperty{name: c.Name(), value: table[i]}
	}
	props.setCollected(collected)
	f.props.Offset = root.Offset + root.Size
	dst = block.Seal(dst, props.append(nil, collected), nil, block.Properties, false)
	f.props.Size = base + uint64(len(dst)-start) - f.props.Offset
	dst = f.append(dst)
	props.FileBytes = base + uint64(len(dst)-start)
	return dst, nil
}
