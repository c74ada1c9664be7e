// Package wal is an append-only log of records in one file: the write-ahead log,
// and the manifest, which is a log of version edits.
//
// It knows nothing of what the records mean. In reading order: the record's
// bytes, Writer, Replay. The format is in docs/formats/wal.md.
package wal

import (
	"encoding/binary"
	"hash/crc32"

	"minidb/sstable"
)

// A record, little endian, padded with zeros to a multiple of 8 bytes:
//
//	0   4  CRC-32C over the offset of the record in its file (8 bytes) and over
//	       bytes 4 to the end of the payload
//	4   4  length of the payload, at least 1
//	8   8  number of the log
//	16  8  synced: the file was durable up to this offset when the record was made
//	24  n  payload: 1 byte kind, the rest is the kind's
const (
	headerLen = 24
	alignment = 8

	// FormatVersion is written in each log's first record.
	FormatVersion = 1
)

// Kind is the first byte of a payload.
type Kind byte

const (
	// kindHeader is the first record of a log: uvarint format version, uvarint end
	// of the log before it.
	kindHeader Kind = 1
	// KindData is a record of the log's user.
	KindData Kind = 2
	// kindEnd says that the log was closed in good order.
	kindEnd Kind = 3
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func align(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

func checksum(offset int64, afterCRC []byte) uint32 {
	var at [8]byte
	binary.LittleEndian.PutUint64(at[:], uint64(offset))
	return crc32.Update(crc32.Update(0, castagnoli, at[:]), castagnoli, afterCRC)
}

// appendRecord appends the record that will stand at offset.
func appendRecord(dst []byte, offset int64, num uint64, synced int64, kind Kind, data ...[]byte) []byte {
	start, n := len(dst), 1
	for _, part := range data {
		n += len(part)
	}
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	dst = binary.LittleEndian.AppendUint64(dst, num)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(synced))
	dst = append(dst, byte(kind))
	for _, part := range data {
		dst = append(dst, part...)
	}
	binary.LittleEndian.PutUint32(dst[start:], checksum(offset, dst[start+4:]))
	for len(dst)&(alignment-1) != start&(alignment-1) {
		dst = append(dst, 0)
	}
	return dst
}

type record struct {
	kind   Kind
	data   []byte
	synced int64
	end    int64 // where the next one begins
}

// decodeRecord decodes the record at offset in file, the bytes of the whole log.
// ok is false if there is no intact record of log num.
func decodeRecord(file []byte, offset int64, num uint64) (r record, ok bool) {
	if int64(len(file))-offset < headerLen {
		return r, false
	}
	src := file[offset:]
	if binary.LittleEndian.Uint64(src[8:]) != num {
		return r, false
	}
	n := int64(binary.LittleEndian.Uint32(src[4:]))
	if n == 0 || n > int64(len(src))-headerLen {
		return r, false
	}
	end := headerLen + n
	if binary.LittleEndian.Uint32(src) != checksum(offset, src[4:end]) {
		return r, false
	}
	return record{
		kind:   Kind(src[headerLen]),
		data:   src[headerLen+1 : end : end],
		synced: int64(binary.LittleEndian.Uint64(src[16:])),
		end:    offset + align(end),
	}, true
}

func corrupt(file string, offset int64, reason string) error {
	return &sstable.CorruptionError{File: file, Offset: offset, Reason: reason}
}
