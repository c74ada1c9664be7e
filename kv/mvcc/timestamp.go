package mvcc

import (
	"encoding/binary"
	"strconv"
	"time"
)

// Timestamp is nanoseconds since the Unix epoch, made strictly increasing by
// Clock. 0 is "no version yet": the placeholder of sstables under construction.
type Timestamp uint64

// MaxTimestamp is newer than every timestamp a Clock hands out.
const MaxTimestamp = Timestamp(1<<64 - 1)

// SuffixLen is the length of an encoded timestamp at the end of a key.
const SuffixLen = 8

// Time returns the wall time t stands for.
func (t Timestamp) Time() time.Time { return time.Unix(0, int64(t)).UTC() }

// String returns t in decimal.
func (t Timestamp) String() string { return strconv.FormatUint(uint64(t), 10) }

// FromTime returns the timestamp of a wall time; times before 1970 give 0.
func FromTime(t time.Time) Timestamp {
	if ns := t.UnixNano(); ns > 0 {
		return Timestamp(ns)
	}
	return 0
}

// AppendSuffix appends the suffix of t: the big-endian complement, so that the
// newer of two versions of one key sorts first.
func AppendSuffix(dst []byte, t Timestamp) []byte {
	return binary.BigEndian.AppendUint64(dst, ^uint64(t))
}

// AppendKey appends key and the suffix of t.
func AppendKey(dst, key []byte, t Timestamp) []byte {
	return AppendSuffix(append(dst, key...), t)
}

// Suffix returns the suffix of t.
func Suffix(t Timestamp) []byte { return AppendSuffix(make([]byte, 0, SuffixLen), t) }

// DecodeSuffix returns the timestamp of an 8-byte suffix.
func DecodeSuffix(suffix []byte) Timestamp {
	return Timestamp(^binary.BigEndian.Uint64(suffix))
}

// Split cuts an engine key into its prefix, which is kv's key, and its
// timestamp. The prefix shares engineKey's memory.
//
// Requires: len(engineKey) >= SuffixLen.
func Split(engineKey []byte) (key []byte, t Timestamp) {
	n := len(engineKey) - SuffixLen
	return engineKey[:n:n], DecodeSuffix(engineKey[n:])
}
