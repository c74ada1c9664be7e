package block

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// restartInterval is how many entries share one restart point, a place where a
// prefix is stored whole. It is part of the format.
const restartInterval = 16

// dataTailLen is the length of the two counts that end a data payload.
const dataTailLen = 8

// Builder collects the entries of one data block. The payload is
//
//	entries      for each key: varint shared, varint unshared, varint value
//	             length, the unshared bytes of the prefix
//	suffixes     8 bytes a key; none in a uniform block
//	values       one after the other
//	restarts     for each 16th key: u32 offset in entries, u32 offset in values
//	u32 n        number of keys
//	u32 length   of entries
//
// with little-endian integers. "shared" counts the leading bytes of the prefix
// that are the previous key's; it is 0 at a restart point.
type Builder struct {
	entries  []byte
	suffixes []byte
	values   []byte
	restarts []byte
	n        int
	uniform  bool
	mixed    bool // store one suffix a key whatever they are
}

// NewBuilder returns an empty builder. With forceMixed no block is uniform.
func NewBuilder(forceMixed bool) *Builder {
	return &Builder{uniform: !forceMixed, mixed: forceMixed}
}

// Add appends an entry whose prefix has its first shared bytes in common with
// the entry before it. Requires ascending keys.
func (b *Builder) Add(prefix, suffix, value []byte, shared int) {
	if b.n%restartInterval == 0 {
		shared = 0
		b.restarts = binary.LittleEndian.AppendUint32(b.restarts, uint32(len(b.entries)))
		b.restarts = binary.LittleEndian.AppendUint32(b.restarts, uint32(len(b.values)))
	}
	b.entries = binary.AppendUvarint(b.entries, uint64(shared))
	b.entries = binary.AppendUvarint(b.entries, uint64(len(prefix)-shared))
	b.entries = binary.AppendUvarint(b.entries, uint64(len(value)))
	b.entries = append(b.entries, prefix[shared:]...)
	if b.n > 0 && b.uniform && !bytes.Equal(suffix, b.suffixes[:SuffixLen]) {
		b.uniform = false
	}
	b.suffixes = append(b.suffixes, suffix...)
	b.values = append(b.values, value...)
	b.n++
}

// Len is the number of entries.
func (b *Builder) Len() int { return b.n }

// Size is the length of the payload so far.
func (b *Builder) Size() int {
	size := len(b.entries) + len(b.values) + len(b.restarts) + dataTailLen
	if !b.uniform {
		size += len(b.suffixes)
	}
	return size
}

// Finish appends the payload to dst and returns it with the block's one suffix,
// nil if it is mixed. The suffix is valid until the next Add. The builder is
// then empty. Requires at least one entry.
func (b *Builder) Finish(dst []byte) (payload, suffix []byte) {
	dst = slices.Grow(dst, b.Size())
	dst = append(dst, b.entries...)
	if b.uniform {
		suffix = b.suffixes[:SuffixLen]
	} else {
		dst = append(dst, b.suffixes...)
	}
	dst = append(dst, b.values...)
	dst = append(dst, b.restarts...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.n))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b.entries)))
	b.entries, b.suffixes, b.values, b.restarts = b.entries[:0], b.suffixes[:0], b.values[:0], b.restarts[:0]
	b.n, b.uniform = 0, !b.mixed
	return dst, suffix
}
