// Package block holds the bytes of one block of an sstable: how a block lies on
// disk, how data and index blocks are laid out inside, and iteration over them.
// It knows nothing of files; every kind of damage is an ErrCorrupt here and gets
// its file and offset from the caller.
//
// On disk a block is
//
//	payload ‖ [suffix (8 bytes)] ‖ kind (1 byte) ‖ CRC-32C (4 bytes)
//
// where the payload may be compressed, the suffix is there in uniform data
// blocks only, and the checksum covers everything before it. In memory a block
// is the same without the checksum and with a plain payload (an opened block).
package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/golang/snappy"
)

// SuffixLen is the length of a key's suffix in bytes.
const SuffixLen = 8

// checksumLen and kindLen are the lengths of a disk block's last two parts.
const (
	checksumLen = 4
	kindLen     = 1
)

// TrailerLen is how much longer a block is on disk than its payload if it is
// not uniform; uniform ones carry SuffixLen more.
const TrailerLen = kindLen + checksumLen

// ErrCorrupt marks bytes that no writer of this package made.
var ErrCorrupt = errors.New("damaged block")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// Type says what a block holds.
type Type uint8

// The types of blocks, as they are stored.
const (
	Data Type = iota
	Index
	Filter
	Properties
)

// Kind is a block's kind byte: bits 0-3 compression (0 none, 1 snappy), bit 4
// uniform, bits 5-7 type.
type Kind uint8

const (
	kindSnappy      Kind = 1
	kindCompression Kind = 0x0f
	kindUniform     Kind = 0x10
	kindTypeShift        = 5
)

// MakeKind returns the kind of an uncompressed block.
func MakeKind(t Type, uniform bool) Kind {
	k := Kind(t) << kindTypeShift
	if uniform {
		k |= kindUniform
	}
	return k
}

// Type returns what the block holds.
func (k Kind) Type() Type { return Type(k >> kindTypeShift) }

// Uniform reports whether the block stores one suffix for all keys.
func (k Kind) Uniform() bool { return k&kindUniform != 0 }

// Compressed reports whether the payload is compressed.
func (k Kind) Compressed() bool { return k&kindCompression != 0 }

func (k Kind) String() string {
	s := [...]string{"data", "index", "filter", "properties", "type 4", "type 5", "type 6", "type 7"}[k.Type()]
	if k.Type() == Data {
		if k.Uniform() {
			s += " uniform"
		} else {
			s += " mixed"
		}
	}
	if k.Compressed() {
		return s + " snappy"
	}
	return s + " plain"
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C that blocks and footers carry.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Seal appends the disk form of a block to dst: payload compressed if compress
// is set and it saves at least an eighth, suffix (nil unless uniform) and
// trailer. dst overlaps neither slice.
func Seal(dst, payload, suffix []byte, t Type, compress bool) []byte {
	start := len(dst)
	kind := MakeKind(t, suffix != nil)
	if compress {
		dst = slices.Grow(dst, snappy.MaxEncodedLen(len(payload)))
		enc := snappy.Encode(dst[start:cap(dst)], payload)
		if len(enc) <= len(payload)-len(payload)/8 {
			kind |= kindSnappy
			dst = dst[:start+len(enc)]
		}
	}
	if kind&kindSnappy == 0 {
		dst = append(dst[:start], payload...)
	}
	dst = append(dst, suffix...)
	dst = append(dst, byte(kind))
	return binary.LittleEndian.AppendUint32(dst, Checksum(dst[start:]))
}

// Check verifies the checksum and the kind of a block as it lies on disk.
func Check(disk []byte, t Type) (Kind, error) {
	if len(disk) < TrailerLen {
		return 0, corrupt("%d bytes are too few for a block", len(disk))
	}
	body := len(disk) - checksumLen
	want := binary.LittleEndian.Uint32(disk[body:])
	if got := Checksum(disk[:body]); got != want {
		return 0, corrupt("checksum %08x instead of %08x", got, want)
	}
	kind := Kind(disk[body-kindLen])
	switch {
	case kind.Type() != t:
		return 0, corrupt("%v block where type %d is expected", kind, t)
	case kind&kindCompression > kindSnappy:
		return 0, corrupt("compression %d is unknown", kind&kindCompression)
	case kind.Uniform() && (t != Data || len(disk) < TrailerLen+SuffixLen):
		return 0, corrupt("suffix where there can be none")
	}
	return kind, nil
}

// maxExpansion is more than snappy can shrink anything: its densest element
// makes 64 bytes out of 3.
const maxExpansion = 32

// Open checks a block as it lies on disk and returns it opened. A compressed
// block is opened into buf's memory if that suffices; else the result may share
// disk's.
func Open(buf, disk []byte, t Type) ([]byte, error) {
	kind, err := Check(disk, t)
	if err != nil {
		return nil, err
	}
	if !kind.Compressed() {
		return disk[: len(disk)-checksumLen : len(disk)-checksumLen], nil
	}
	payloadEnd := len(disk) - TrailerLen
	if kind.Uniform() {
		payloadEnd -= SuffixLen
	}
	src := disk[:payloadEnd]
	n, err := snappy.DecodedLen(src)
	if err != nil || n > maxExpansion*len(src) {
		return nil, corrupt("compressed payload states a wrong length")
	}
	size := n + len(disk) - checksumLen - payloadEnd
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := snappy.Decode(buf[:n], src); err != nil {
		return nil, corrupt("compressed payload: %v", err)
	}
	copy(buf[n:], disk[payloadEnd:len(disk)-checksumLen])
	return buf, nil
}

// Payload returns the payload of an opened block.
func Payload(opened []byte) []byte { return opened[:len(opened)-kindLen] }

// SetUniformSuffix puts to in the place of the suffix of a uniform block as it
// lies on disk and renews the checksum. It reports whether the suffix was from.
// Requires that Check found the block uniform.
func SetUniformSuffix(disk, from, to []byte) bool {
	body := len(disk) - checksumLen
	suffix := disk[body-kindLen-SuffixLen : body-kindLen]
	if string(suffix) != string(from) {
		return false
	}
	copy(suffix, to)
	binary.LittleEndian.PutUint32(disk[body:], Checksum(disk[:body]))
	return true
}

// SetMixedSuffixes puts to in the place of every suffix of an opened mixed
// data block. It reports the ordinal of the first entry whose suffix is not
// from, having changed those before it, or -1.
func SetMixedSuffixes(opened, from, to []byte) (int, error) {
	var s sections
	if err := s.init(opened); err != nil {
		return 0, err
	}
	for n := 0; n < s.n; n++ {
		suffix := s.suffixes[n*SuffixLen : (n+1)*SuffixLen]
		if string(suffix) != string(from) {
			return n, nil
		}
		copy(suffix, to)
	}
	return -1, nil
}

// Reseal renews the checksum of an uncompressed block as it lies on disk.
func Reseal(disk []byte) {
	body := len(disk) - checksumLen
	binary.LittleEndian.PutUint32(disk[body:], Checksum(disk[:body]))
}

// Shares reports whether an opened block lies in disk's memory.
func Shares(opened, disk []byte) bool {
	return len(opened) > 0 && len(disk) > 0 && &opened[0] == &disk[0]
}
