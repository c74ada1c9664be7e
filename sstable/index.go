package sstable

import (
	"encoding/binary"

	"minidb/sstable/internal/block"
)

// indexBlockBytes is the size at which an index block ends. A file whose index
// fits one such block has one level, others have a root over such blocks.
const indexBlockBytes = 16 << 10

// indexEntries collects the index of a file being written: for each data block
// its separator, its properties and where it lies.
type indexEntries struct {
	arena   []byte
	entries []indexEntry
	placed  int    // entries whose handle is known
	offset  uint64 // where the next data block goes
}

type indexEntry struct {
	start, sepEnd, end int // separator and properties in the arena
	handle             block.Handle
}

// begin starts the entry of the next data block.
func (x *indexEntries) begin(sep []byte) {
	start := len(x.arena)
	x.arena = append(x.arena, sep...)
	x.entries = append(x.entries, indexEntry{start: start, sepEnd: len(x.arena)})
}

// finish completes the entry begun last with the block's properties.
func (x *indexEntries) finish() { x.entries[len(x.entries)-1].end = len(x.arena) }

// addProperty appends one collector's property to the entry begun last.
func (x *indexEntries) addProperty(p []byte) {
	x.arena = appendBytes(x.arena, p)
}

// place records that the next data block not yet placed was written with size
// bytes, right behind the one before it.
func (x *indexEntries) place(size int) {
	x.entries[x.placed].handle = block.Handle{Offset: x.offset, Size: uint64(size)}
	x.placed++
	x.offset += uint64(size)
}

// size is about the bytes the index will take.
func (x *indexEntries) size() int { return len(x.arena) + 10*len(x.entries) }

// appendTo appends the index blocks, of a file whose next byte has the given
// offset, to dst. It returns the root, the number of levels and the properties
// of the whole file.
func (x *indexEntries) appendTo(dst []byte, offset uint64, compress bool, collectors []BlockPropertyCollector) (out []byte, root block.Handle, levels uint8, table [][]byte, err error) {
	var leaf, top block.IndexBuilder
	var payload, props []byte
	all, part := newUnion(collectors), newUnion(collectors)
	seal := func(b *block.IndexBuilder) block.Handle {
		start := len(dst)
		payload = b.Finish(payload[:0])
		dst = block.Seal(dst, payload, nil, block.Index, compress)
		h := block.Handle{Offset: offset, Size: uint64(len(dst) - start)}
		offset += h.Size
		return h
	}
	first := 0 // entry of the current leaf
	endLeaf := func(next int) error {
		props = part.append(props[:0])
		e := x.entries[first]
		top.Add(x.arena[e.start:e.sepEnd], seal(&leaf), props)
		err := all.add(props)
		part.reset()
		first = next
		return err
	}
	for n, e := range x.entries {
		props := x.arena[e.sepEnd:e.end]
		leaf.Add(x.arena[e.start:e.sepEnd], e.handle, props)
		if err := part.add(props); err != nil {
			return nil, root, 0, nil, err
		}
		if leaf.Size() >= indexBlockBytes && n+1 < len(x.entries) {
			if err := endLeaf(n + 1); err != nil {
				return nil, root, 0, nil, err
			}
		}
	}
	if top.Len() == 0 {
		root = seal(&leaf)
		return dst, root, 1, part.props, nil
	}
	if err := endLeaf(len(x.entries)); err != nil {
		return nil, root, 0, nil, err
	}
	root = seal(&top)
	return dst, root, 2, all.props, nil
}

// union joins blocks' properties, collector by collector.
type union struct {
	collectors []BlockPropertyCollector
	props      [][]byte
	spare      []byte
	any        bool
}

func newUnion(collectors []BlockPropertyCollector) *union {
	return &union{collectors: collectors, props: make([][]byte, len(collectors))}
}

func (u *union) reset() { u.any = false }

// add joins the properties of an index entry.
func (u *union) add(encoded []byte) error {
	d := decoder{b: encoded}
	for i, c := range u.collectors {
		p := d.bytes()
		if d.err != nil {
			return d.err
		}
		if !u.any {
			u.props[i] = append(u.props[i][:0], p...)
			continue
		}
		joined, err := c.Union(u.spare[:0], u.props[i], p)
		if err != nil {
			return err
		}
		u.props[i], u.spare = joined, u.props[i]
	}
	u.any = true
	return nil
}

// append encodes the joined properties as an index entry has them.
func (u *union) append(dst []byte) []byte {
	for _, p := range u.props {
		dst = appendBytes(dst, p)
	}
	return dst
}

// property returns the n-th property of an index entry, nil if there is none.
func property(encoded []byte, n int) []byte {
	for {
		if len(encoded) == 0 {
			return nil
		}
		size, w := uint64(encoded[0]), 1
		if size >= 0x80 {
			size, w = binary.Uvarint(encoded)
		}
		if w <= 0 || size > uint64(len(encoded)-w) {
			return nil
		}
		if n == 0 {
			return encoded[w : uint64(w)+size]
		}
		encoded = encoded[uint64(w)+size:]
		n--
	}
}
