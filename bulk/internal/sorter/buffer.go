// Package sorter sorts keys and values: Buffers take them in any order and sort
// them in memory, Runs are what is sorted, in memory or in a file, and a Merge
// walks many runs as one. It knows nothing of what keys mean; equal keys all
// come out, next to each other.
package sorter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
)

// Keys and values lie in blocks of a fixed size, one after the other, each with
// varints of its lengths before it. One that does not fit a block has a larger
// one, which takes up the numbers of as many blocks as it is long.
const (
	blockShift = 18
	blockBytes = 1 << blockShift
)

var blocks = sync.Pool{New: func() any { b := make([]byte, 0, blockBytes); return &b }}

// entry is a key in a buffer: up to 8 of its bytes, and where it lies.
type entry struct {
	prefix uint64
	at     uint32
}

const entryBytes = 16

// Buffer collects keys and values and sorts them. It is used from one goroutine
// until it is sorted; then it is immutable.
type Buffer struct {
	blocks  []*[]byte // nil: part of a large block before it
	cur     int       // block that has room, if open
	open    bool
	entries []entry
	bytes   int
}

// Len is the number of keys.
func (b *Buffer) Len() int { return len(b.entries) }

// Bytes is the memory in use, with what Sort will want in addition.
func (b *Buffer) Bytes() int { return b.bytes + 2*entryBytes*len(b.entries) }

// Room reports whether a key and value of n bytes together can be added: where
// they lie is a number of 32 bits.
func (b *Buffer) Room(n int) bool { return (len(b.blocks)+2)*blockBytes+n < 1<<32 }

// Add copies a key and its value. Requires Room.
func (b *Buffer) Add(key, value []byte) {
	need := len(key) + len(value) + 2*binary.MaxVarintLen32
	if !b.open || cap(*b.blocks[b.cur])-len(*b.blocks[b.cur]) < need {
		b.grow(need)
	}
	p := b.blocks[b.cur]
	at := uint32(b.cur<<blockShift + len(*p))
	*p = binary.AppendUvarint(*p, uint64(len(key)))
	*p = binary.AppendUvarint(*p, uint64(len(value)))
	*p = append(*p, key...)
	*p = append(*p, value...)
	b.entries = append(b.entries, entry{at: at})
	b.bytes += need
}

// grow adds a block with room for need bytes.
func (b *Buffer) grow(need int) {
	b.cur = len(b.blocks)
	b.open = need <= blockBytes
	if b.open {
		p := blocks.Get().(*[]byte)
		*p = (*p)[:0]
		b.blocks = append(b.blocks, p)
		return
	}
	// What lies behind the first block's length in a large one has no number, so
	// that only one entry goes there.
	large := make([]byte, 0, need)
	b.blocks = append(b.blocks, &large)
	for n := blockBytes; n < need; n += blockBytes {
		b.blocks = append(b.blocks, nil)
	}
}

// Reset empties the buffer. Keys and values read from it are no longer good.
func (b *Buffer) Reset() {
	for _, p := range b.blocks {
		if p != nil && cap(*p) == blockBytes {
			blocks.Put(p)
		}
	}
	clear(b.blocks)
	b.blocks, b.open, b.entries, b.bytes = b.blocks[:0], false, b.entries[:0], 0
}

// pair returns the key and value of an entry.
func (b *Buffer) pair(e entry) (key, value []byte) {
	p := (*b.blocks[e.at>>blockShift])[e.at&(blockBytes-1):]
	klen, vlen := uint64(p[0]), uint64(p[1])
	if klen|vlen < 0x80 {
		p = p[2:]
	} else {
		var n, m int
		klen, n = binary.Uvarint(p)
		vlen, m = binary.Uvarint(p[n:])
		p = p[n+m:]
	}
	return p[:klen:klen], p[klen : klen+vlen : klen+vlen]
}

func (b *Buffer) key(e entry) []byte {
	k, _ := b.pair(e)
	return k
}

// Sort sorts the keys by their bytes.
func (b *Buffer) Sort() {
	scratch := make([]entry, len(b.entries))
	b.sort(b.entries, scratch, 0)
}

// smallGroup is up to where comparing whole keys is quickest.
const smallGroup = 24

// sort sorts entries, whose keys agree in their first depth bytes: by the first
// 8 bytes in which they do not all agree, and then each group of equals in the
// same way.
func (b *Buffer) sort(entries, scratch []entry, depth int) {
	if len(entries) <= smallGroup {
		b.sortByKey(entries)
		return
	}
	places, deeper, more := b.varying(entries, depth)
	for i := range entries {
		k := b.key(entries[i])
		prefix := uint64(0)
		for _, p := range places {
			prefix = prefix<<8 | uint64(k[p])
		}
		entries[i].prefix = prefix
	}
	sortByPrefix(entries, scratch)
	for start, i := 0, 1; i <= len(entries); i++ {
		if i < len(entries) && entries[i].prefix == entries[start].prefix {
			continue
		}
		switch group := entries[start:i]; {
		case len(group) == 1:
		case more:
			b.sort(group, scratch[start:i], deeper)
		default:
			b.sortByKey(group)
		}
		start = i
	}
}

// window is how many bytes of the keys varying looks at.
const window = 32

// varying returns the first places, at most 8, from depth on at which the keys
// do not all have the same byte. Keys that agree there agree in their first
// deeper bytes. more is false if some key may end before deeper or there is
// nothing to be gained by looking deeper.
func (b *Buffer) varying(entries []entry, depth int) (places []int, deeper int, more bool) {
	first := b.key(entries[0])
	// Long beginnings that all keys share are passed in one go.
	depth = b.shared(entries, depth)
	end := min(len(first), depth+window)
	var differs [window]byte
	for _, e := range entries[1:] {
		k := b.key(e)
		end = min(end, len(k))
		for i := depth; i < end; i++ {
			differs[i-depth] |= k[i] ^ first[i]
		}
	}
	deeper = end
	for i := depth; i < end; i++ {
		if differs[i-depth] == 0 {
			continue
		}
		if len(places) == 8 {
			deeper = i
			break
		}
		places = append(places, i)
	}
	return places, deeper, end == depth+window || len(places) == 8
}

func (b *Buffer) sortByKey(entries []entry) {
	slices.SortFunc(entries, func(x, y entry) int { return bytes.Compare(b.key(x), b.key(y)) })
}

// shared returns how many bytes all keys have in common, at least depth.
func (b *Buffer) shared(entries []entry, depth int) int {
	first := b.key(entries[0])
	n := len(first)
	for _, e := range entries[1:] {
		k := b.key(e)
		n = min(n, len(k))
		for i := depth; i < n; i++ {
			if k[i] != first[i] {
				n = i
			}
		}
		if n == depth {
			break
		}
	}
	return n
}

// radixMin is the number of entries from which counting beats comparing.
const radixMin = 256

// sortByPrefix sorts entries by prefix, byte by byte from the last if there are
// many, leaving out bytes that are the same everywhere.
func sortByPrefix(entries, scratch []entry) {
	if len(entries) < radixMin {
		slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(x.prefix, y.prefix) })
		return
	}
	var counts [8][256]uint32
	for _, e := range entries {
		for d := range 8 {
			counts[d][byte(e.prefix>>(8*d))]++
		}
	}
	from, to := entries, scratch
	for d := range 8 {
		c := &counts[d]
		shift := 8 * d
		if c[byte(from[0].prefix>>shift)] == uint32(len(entries)) {
			continue
		}
		sum := uint32(0)
		for i, n := range c {
			c[i] = sum
			sum += n
		}
		for _, e := range from {
			i := byte(e.prefix >> shift)
			to[c[i]] = e
			c[i]++
		}
		from, to = to, from
	}
	if &from[0] != &entries[0] {
		copy(entries, from)
	}
}
