package kv

import (
	"encoding/binary"
	"fmt"

	"minidb/kv/mvcc"
	"minidb/sstable"
	"minidb/storage"
)

// kv's own keys begin with 0x00 and a byte that says what they are:
//
//	00 'a' len name                  a counter: the first number not reserved
//	00 'c'                           the clock's mark
//	00 'd' len start len end         a dropped span; its version is the drop's timestamp
//	00 'g'                           the garbage collection threshold
//
// Lengths are uvarints, numbers 8 bytes big-endian. They are versioned facts like
// all others, read at their newest; only drops are written by transactions.
const (
	sysCounter   = 'a'
	sysClock     = 'c'
	sysDrop      = 'd'
	sysThreshold = 'g'
)

func sysKey(kind byte, parts ...[]byte) []byte {
	key := []byte{0, kind}
	for _, p := range parts {
		key = binary.AppendUvarint(key, uint64(len(p)))
		key = append(key, p...)
	}
	return key
}

// decodeDrop returns the span of a sysDrop key.
func decodeDrop(key []byte) (Span, error) {
	rest := key[2:]
	var parts [2][]byte
	for i := range parts {
		n, w := binary.Uvarint(rest)
		if w <= 0 || uint64(len(rest)-w) < n {
			return Span{}, &sstable.CorruptionError{Reason: fmt.Sprintf("key %x is no dropped span", key)}
		}
		parts[i], rest = rest[w:w+int(n)], rest[w+int(n):]
	}
	return Span{Start: parts[0], End: parts[1]}, nil
}

// putSystem writes key = n as the version at, durably. Requires that at is above
// all versions of key.
func putSystem(eng *storage.DB, key []byte, n uint64, at Timestamp) error {
	b := storage.NewBatch()
	b.Set(mvcc.AppendKey(nil, key, at), binary.BigEndian.AppendUint64(nil, n))
	return eng.Apply(b, storage.SyncFull)
}

// getSystem returns the newest number of key, 0 if there is none.
func getSystem(eng *storage.DB, key []byte) (uint64, error) {
	value, found, closer, err := eng.Get(key, mvcc.Suffix(mvcc.MaxTimestamp))
	if closer != nil {
		defer closer.Close()
	}
	if err != nil || found == nil {
		return 0, err
	}
	if len(value) != 8 {
		return 0, &sstable.CorruptionError{Reason: fmt.Sprintf("value %x of key %x is no number", value, key)}
	}
	return binary.BigEndian.Uint64(value), nil
}
