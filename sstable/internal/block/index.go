package block

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Handle says where a block lies in its file, trailer included.
type Handle struct{ Offset, Size uint64 }

// IndexBuilder collects the entries of one index block. The payload is
//
//	entries    for each block: varint length of the separator, separator,
//	           varint offset, varint size, the block's properties
//	offsets    for each entry: u32 offset in entries
//	u32 n      number of entries
//
// A separator is above every key of the blocks before and not above any key of
// its own block.
type IndexBuilder struct {
	entries []byte
	offsets []byte
	n       int
}

// Add appends an entry.
func (b *IndexBuilder) Add(sep []byte, h Handle, props []byte) {
	b.offsets = binary.LittleEndian.AppendUint32(b.offsets, uint32(len(b.entries)))
	b.entries = binary.AppendUvarint(b.entries, uint64(len(sep)))
	b.entries = append(b.entries, sep...)
	b.entries = binary.AppendUvarint(b.entries, h.Offset)
	b.entries = binary.AppendUvarint(b.entries, h.Size)
	b.entries = append(b.entries, props...)
	b.n++
}

// Len is the number of entries.
func (b *IndexBuilder) Len() int { return b.n }

// Size is the length of the payload so far.
func (b *IndexBuilder) Size() int { return len(b.entries) + len(b.offsets) + 4 }

// Finish appends the payload to dst. The builder is then empty.
func (b *IndexBuilder) Finish(dst []byte) []byte {
	dst = slices.Grow(dst, b.Size())
	dst = append(dst, b.entries...)
	dst = append(dst, b.offsets...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.n))
	b.entries, b.offsets, b.n = b.entries[:0], b.offsets[:0], 0
	return dst
}

// IndexView reads one opened index block. Its zero value has no entries.
type IndexView struct {
	entries []byte
	offsets []byte
	n       int
}

// Init points the view at an opened index block.
func (x *IndexView) Init(opened []byte) error {
	*x = IndexView{}
	if len(opened) < kindLen+4 {
		return corrupt("index block of %d bytes", len(opened))
	}
	b := Payload(opened)
	n := uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	b = b[:len(b)-4]
	if n*4 > uint64(len(b)) {
		return corrupt("index block of %d entries in %d bytes", n, len(b))
	}
	at := uint64(len(b)) - 4*n
	x.n, x.entries, x.offsets = int(n), b[:at], b[at:]
	return nil
}

// Len is the number of entries.
func (x *IndexView) Len() int { return x.n }

// sep returns the separator of entry i and the offset of what follows it.
func (x *IndexView) sep(i int) (sep []byte, rest int, ok bool) {
	off := uint64(binary.LittleEndian.Uint32(x.offsets[4*i:]))
	if off >= uint64(len(x.entries)) {
		return nil, 0, false
	}
	n, size := uint64(x.entries[off]), 1
	if n >= 0x80 {
		if n, size = binary.Uvarint(x.entries[off:]); size <= 0 {
			return nil, 0, false
		}
	}
	off += uint64(size)
	if n > uint64(len(x.entries))-off {
		return nil, 0, false
	}
	return x.entries[off : off+n : off+n], int(off + n), true
}

// Entry returns entry i. The slices point into the block. Requires i < Len.
func (x *IndexView) Entry(i int) (sep []byte, h Handle, props []byte, err error) {
	end := uint64(len(x.entries))
	if i+1 < x.n {
		end = uint64(binary.LittleEndian.Uint32(x.offsets[4*(i+1):]))
	}
	sep, rest, ok := x.sep(i)
	if !ok || end > uint64(len(x.entries)) || uint64(rest) > end {
		return nil, h, nil, corrupt("damaged index entry %d of %d", i, x.n)
	}
	b := x.entries[rest:end:end]
	var n1, n2 int
	h.Offset, n1 = binary.Uvarint(b)
	if n1 > 0 {
		h.Size, n2 = binary.Uvarint(b[n1:])
	}
	if n1 <= 0 || n2 <= 0 {
		return nil, h, nil, corrupt("damaged index entry %d of %d", i, x.n)
	}
	return sep, h, b[n1+n2:], nil
}

// Find returns the last entry whose separator is below key, or with orEqual at
// most key; -1 if there is none. If from is an entry the search gallops from
// it, else it is a binary search. Damaged entries count as above every key;
// Entry reports them.
func (x *IndexView) Find(key []byte, orEqual bool, from int) int {
	lo, hi := 0, x.n // the answer is in [lo-1, hi-1]
	if uint(from) < uint(x.n) {
		if x.before(from, key, orEqual) {
			lo = from + 1
			for step := 1; lo+step <= hi; step *= 2 {
				if p := lo + step - 1; x.before(p, key, orEqual) {
					lo = p + 1
				} else {
					hi = p
				}
			}
		} else {
			hi = from
			for step := 1; hi-step >= lo; step *= 2 {
				if p := hi - step; x.before(p, key, orEqual) {
					lo = p + 1
				} else {
					hi = p
				}
			}
		}
	}
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); x.before(mid, key, orEqual) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

func (x *IndexView) before(i int, key []byte, orEqual bool) bool {
	sep, _, ok := x.sep(i)
	if !ok {
		return false
	}
	c := bytes.Compare(sep, key)
	return c < 0 || orEqual && c == 0
}
