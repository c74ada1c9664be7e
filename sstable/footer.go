package sstable

import (
	"encoding/binary"
	"fmt"

	"minidb/sstable/internal/block"
)

// A file ends with its footer, integers little-endian:
//
//	 0  u64 offset, u32 size   root index block
//	12  u64 offset, u32 size   filter block; size 0: none
//	24  u64 offset, u32 size   properties block
//	36  u8                     levels of the index, 1 or 2
//	37  3 zero bytes
//	40  u32                    version of the format
//	44  u32                    CRC-32C of the bytes before
//	48  8 bytes                magic
const (
	footerLen     = 56
	formatVersion = 1
	magic         = "minidbSF"
)

type footer struct {
	index, filter, props block.Handle
	levels               uint8
}

func (f *footer) append(dst []byte) []byte {
	start := len(dst)
	for _, h := range []block.Handle{f.index, f.filter, f.props} {
		dst = binary.LittleEndian.AppendUint64(dst, h.Offset)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Size))
	}
	dst = append(dst, f.levels, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, formatVersion)
	dst = binary.LittleEndian.AppendUint32(dst, block.Checksum(dst[start:]))
	return append(dst, magic...)
}

// decode reads the footer in b, which is footerLen long. The error is the
// reason only.
func (f *footer) decode(b []byte) error {
	if string(b[48:]) != magic {
		return fmt.Errorf("not an sstable: magic %q", b[48:])
	}
	if got, want := block.Checksum(b[:44]), binary.LittleEndian.Uint32(b[44:]); got != want {
		return fmt.Errorf("footer: checksum %08x instead of %08x", got, want)
	}
	if v := binary.LittleEndian.Uint32(b[40:]); v != formatVersion {
		return fmt.Errorf("format version %d is not known, only %d is", v, formatVersion)
	}
	for i, h := range []*block.Handle{&f.index, &f.filter, &f.props} {
		h.Offset = binary.LittleEndian.Uint64(b[12*i:])
		h.Size = uint64(binary.LittleEndian.Uint32(b[12*i+8:]))
	}
	f.levels = b[36]
	if f.levels != 1 && f.levels != 2 {
		return fmt.Errorf("footer: index of %d levels", f.levels)
	}
	return nil
}
