package types

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Compare orders two values of type t, neither NULL, as PostgreSQL does with collation C: < 0, 0, > 0. NaN equals NaN and
// is above every other number; char(n) ignores trailing blanks.
func Compare(t Type, a, b Datum) int {
	switch t.OID {
	case Float4OID, Float8OID:
		return compareFloat(a.Float(), b.Float())
	case NumericOID:
		return compareNumeric(a, b)
	case BPCharOID:
		return bytes.Compare(TrimBlanks(a.B), TrimBlanks(b.B))
	case IntervalOID:
		return compareInterval(a, b)
	case TextOID, VarcharOID, ByteaOID, NameOID, UUIDOID:
		return bytes.Compare(a.B, b.B)
	case TimeTZOID:
		return compareTimeTZ(a, b)
	case JSONBOID:
		return compareJSONB(a, b)
	case RecordOID:
		return compareRecords(a, b)
	}
	if t.Kind() == KindInt {
		return compareInt(a.I, b.I)
	}
	switch elem, ok := t.Elem(); {
	case t.isVector():
		return compareVectors(elem, a, b)
	case ok:
		return compareArrays(elem, a, b)
	}
	return bytes.Compare(a.B, b.B)
}

// SortPrefix gives a number by which values of type t, none NULL, are in the order of Compare, except that different values may have the
// same number. It spares a sort most of its comparisons.
func SortPrefix(t Type, d Datum) uint64 {
	switch t.OID {
	case Int2OID, Int4OID, Int8OID, DateOID, TimestampOID, TimestampTZOID:
		return uint64(d.I) ^ 1<<63
	case TextOID, VarcharOID, ByteaOID, NameOID, UUIDOID:
		return bytesPrefix(d.B)
	case BPCharOID:
		if len(d.B) > 8 && d.B[8] != ' ' {
			return bytesPrefix(d.B)
		}
		return bytesPrefix(TrimBlanks(d.B))
	}
	return 0
}

// bytesPrefix is the first eight bytes as a number.
func bytesPrefix(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var p [8]byte
	copy(p[:], b)
	return binary.BigEndian.Uint64(p[:])
}

// AppendKey appends bytes that are the same for two values of type t exactly if they are equal; they say nothing of order
// and are for hash tables. NULL has a key that no value has. The keys of several values in a row stay distinct.
func AppendKey(dst []byte, t Type, d Datum) []byte {
	if d.Null {
		return append(dst, 0)
	}
	switch t.OID {
	case Float4OID, Float8OID:
		f := d.Float()
		switch {
		case f == 0:
			f = math.Abs(f) // -0 equals 0
		case math.IsNaN(f):
			f = math.NaN()
		}
		return appendFixedKey(dst, math.Float64bits(f))
	case NumericOID:
		return appendNumericKey(dst, d)
	case BPCharOID:
		return appendBytesKey(dst, TrimBlanks(d.B))
	case IntervalOID:
		days, usec := d.Interval().normalize()
		return binary.BigEndian.AppendUint64(appendFixedKey(dst, uint64(days)), uint64(usec))
	case JSONBOID:
		return appendJSONBKey(dst, d)
	case RecordOID:
		return appendRecordKey(dst, d)
	}
	if t.Kind() == KindInt {
		return appendFixedKey(dst, uint64(d.I))
	}
	if elem, ok := t.Elem(); ok {
		return appendArrayKey(dst, elem, d)
	}
	return appendBytesKey(dst, d.B)
}

func appendFixedKey(dst []byte, v uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, 1), v)
}

func appendBytesKey(dst, b []byte) []byte {
	dst = binary.AppendUvarint(append(dst, 1), uint64(len(b)))
	return append(dst, b...)
}

// appendNumericKey takes the trailing zeros off, so that 1.0 and 1.00 have one key.
func appendNumericKey(dst []byte, d Datum) []byte {
	if d.Big == nil {
		c, scale := d.I, d.Scale
		if c == 0 {
			scale = 0
		}
		for scale > 0 && c%10 == 0 {
			c /= 10
			scale--
		}
		dst = append(appendFixedKey(dst, uint64(c)), byte(scale>>8), byte(scale))
		return dst
	}
	if d.isSpecial() {
		return appendBytesKey(append(dst, 2), appendNumeric(nil, d))
	}
	text := appendNumeric(nil, d)
	if -d.Big.Exponent > 0 {
		text = bytes.TrimRight(text, "0")
		text = bytes.TrimSuffix(text, []byte{'.'})
	}
	// What fits an int64 once the zeros are off is held elsewhere as one.
	if small, err := parseNumeric(text); err == nil && small.Big == nil {
		return appendNumericKey(dst, small)
	}
	return appendBytesKey(append(dst, 2), text)
}
