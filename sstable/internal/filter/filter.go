// Package filter answers whether a set of prefixes may contain one. It knows
// two kinds of filter, in a serialised form of its own:
//
//	fuse    u8 1, u64 seed, u32 segment length, u32 segment count,
//	        fingerprints (1 byte each)
//	bloom   u8 2, u8 probes, u32 lines, lines (64 bytes each)
//
// with little-endian integers. It knows nothing of files and blocks.
package filter

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/FastFilter/xorfilter"
	"github.com/cespare/xxhash/v2"
)

// ErrCorrupt marks bytes that Fuse and Bloom do not make.
var ErrCorrupt = errors.New("damaged filter")

const (
	kindFuse  = 1
	kindBloom = 2

	fuseHeadLen  = 1 + 8 + 4 + 4
	bloomHeadLen = 1 + 1 + 4
	lineLen      = 64
	bitsPerKey   = 10
	probes       = 7 // about bitsPerKey · ln 2
)

// Hash is what filters hold of a prefix.
func Hash(prefix []byte) uint64 { return xxhash.Sum64(prefix) }

// AppendFuse appends a binary fuse filter over hashes, which it reorders. In the
// case, rarer than a broken disk, that none can be built, it appends a bloom
// filter. Requires at least one hash.
func AppendFuse(dst []byte, hashes []uint64) []byte {
	f, err := xorfilter.PopulateBinaryFuse8(hashes)
	if err != nil {
		return AppendBloom(dst, hashes)
	}
	dst = append(dst, kindFuse)
	dst = binary.LittleEndian.AppendUint64(dst, f.Seed)
	dst = binary.LittleEndian.AppendUint32(dst, f.SegmentLength)
	dst = binary.LittleEndian.AppendUint32(dst, f.SegmentCount)
	return append(dst, f.Fingerprints...)
}

// AppendBloom appends a bloom filter over hashes in which all probes of a hash
// fall into one line of 64 bytes, so that a look-up costs one cache miss.
func AppendBloom(dst []byte, hashes []uint64) []byte {
	lines := (len(hashes)*bitsPerKey + lineLen*8 - 1) / (lineLen * 8)
	dst = append(dst, kindBloom, probes)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(lines))
	start := len(dst)
	dst = append(dst, make([]byte, lines*lineLen)...)
	for _, h := range hashes {
		line, bit, step := probe(h, uint32(lines))
		b := dst[start+line*lineLen:]
		for range probes {
			b[bit/8%lineLen] |= 1 << (bit % 8)
			bit += step
		}
	}
	return dst
}

// probe spreads a hash: its high half picks the line, its low half the first
// bit and the step to the next.
func probe(h uint64, lines uint32) (line int, bit, step uint32) {
	hi, _ := bits.Mul32(uint32(h>>32), lines)
	return int(hi), uint32(h), uint32(h)>>9 | 1
}

// Filter is one opened filter. The zero value contains everything. It is
// immutable.
type Filter struct {
	fuse   xorfilter.BinaryFuse8
	bloom  []byte
	lines  uint32
	probes int
	kind   byte
}

// Open reads a filter. The result points into b.
func Open(b []byte) (Filter, error) {
	if len(b) == 0 {
		return Filter{}, ErrCorrupt
	}
	switch b[0] {
	case kindFuse:
		return openFuse(b)
	case kindBloom:
		return openBloom(b)
	}
	return Filter{}, ErrCorrupt
}

func openFuse(b []byte) (Filter, error) {
	if len(b) < fuseHeadLen {
		return Filter{}, ErrCorrupt
	}
	f := Filter{kind: kindFuse}
	f.fuse.Seed = binary.LittleEndian.Uint64(b[1:])
	f.fuse.SegmentLength = binary.LittleEndian.Uint32(b[9:])
	f.fuse.SegmentCount = binary.LittleEndian.Uint32(b[13:])
	f.fuse.Fingerprints = b[fuseHeadLen:]
	length, count := uint64(f.fuse.SegmentLength), uint64(f.fuse.SegmentCount)
	// The probes of a key lie in three neighbouring segments, the last two of
	// which may lie beyond the counted ones.
	if bits.OnesCount64(length) != 1 || count == 0 || (count+2)*length != uint64(len(f.fuse.Fingerprints)) {
		return Filter{}, ErrCorrupt
	}
	f.fuse.SegmentLengthMask = f.fuse.SegmentLength - 1
	f.fuse.SegmentCountLength = f.fuse.SegmentCount * f.fuse.SegmentLength
	return f, nil
}

func openBloom(b []byte) (Filter, error) {
	if len(b) < bloomHeadLen {
		return Filter{}, ErrCorrupt
	}
	f := Filter{kind: kindBloom, probes: int(b[1]), lines: binary.LittleEndian.Uint32(b[2:]), bloom: b[bloomHeadLen:]}
	if f.lines == 0 || uint64(f.lines)*lineLen != uint64(len(f.bloom)) || f.probes == 0 {
		return Filter{}, ErrCorrupt
	}
	return f, nil
}

// MayContain reports whether the set may contain the prefix with this hash. A
// false is certain.
func (f *Filter) MayContain(hash uint64) bool {
	switch f.kind {
	case kindFuse:
		return f.fuse.Contains(hash)
	case kindBloom:
		line, bit, step := probe(hash, f.lines)
		b := f.bloom[line*lineLen : (line+1)*lineLen]
		for range f.probes {
			if b[bit/8%lineLen]&(1<<(bit%8)) == 0 {
				return false
			}
			bit += step
		}
	}
	return true
}
