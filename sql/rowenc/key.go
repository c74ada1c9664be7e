package rowenc

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"minidb/sql/types"
)

// A column in a key is one of
//
//	0x01                 NULL where NULLs come first
//	value                first byte 0x02 … 0xfd
//	0xfe                 NULL where NULLs come last
//
// and, if descending, the value's bytes are inverted. Values are
//
//	int, bool, date, time, timestamp   n-byte negative: 0x48-n and n bytes; 0 … 111: 0x48+v; n-byte positive: 0xb7+n and n bytes
//	float                              0x80 and 8 bytes: the sign bit flipped, or all bits if negative; -0 as 0; one NaN
//	text, bytea                        0x80, the bytes with 0x00 as 0x00 0xff, then 0x00 0x01; char(n) without its blanks
//	uuid                               0x80 and 16 bytes
//	numeric                            see keynum.go
const (
	nullFirst = 0x01
	nullLast  = 0xfe

	intZero     = 0x48 // the first byte of 0
	intMaxSmall = 111
	intPositive = intZero + intMaxSmall // + n: the first byte of a positive of n bytes

	markValue = 0x80

	escape     = 0x00
	escapedNUL = 0xff
	terminator = 0x01

	signBit      = 1 << 63
	canonicalNaN = 0x7ff8000000000001
)

// keyKind is how a type is encoded in keys.
type keyKind uint8

const (
	keyInt keyKind = iota
	keyFloat
	keyNumeric
	keyBytes
	keyBlankPadded
	keyUUID
)

func keyKindOf(t types.Type) (keyKind, bool) {
	switch t.OID {
	case types.Float4OID, types.Float8OID:
		return keyFloat, true
	case types.NumericOID:
		return keyNumeric, true
	case types.BPCharOID:
		return keyBlankPadded, true
	case types.UUIDOID:
		return keyUUID, true
	case types.TextOID, types.VarcharOID, types.ByteaOID, types.NameOID, types.CharOID:
		return keyBytes, true
	}
	return keyInt, t.Kind() == types.KindInt
}

// keyColumn is a column of an index key.
type keyColumn struct {
	ordinal    int // in the table's columns
	typ        types.Type
	kind       keyKind
	desc       bool
	nullsFirst bool
}

// append appends the column's value d.
func (c *keyColumn) append(dst []byte, d *types.Datum) []byte {
	if d.Null {
		if c.nullsFirst {
			return append(dst, nullFirst)
		}
		return append(dst, nullLast)
	}
	start := len(dst)
	switch c.kind {
	case keyInt:
		dst = appendKeyInt(dst, d.I)
	case keyFloat:
		dst = binary.BigEndian.AppendUint64(append(dst, markValue), floatToKey(uint64(d.I)))
	case keyNumeric:
		dst = appendKeyNumeric(dst, d)
	case keyBytes:
		dst = appendKeyBytes(dst, d.B)
	case keyBlankPadded:
		dst = appendKeyBytes(dst, trimBlanks(d.B))
	case keyUUID:
		dst = append(append(dst, markValue), d.B...)
	}
	if c.desc {
		invert(dst[start:])
	}
	return dst
}

// lossy reports whether decode would not give back exactly d, which is not NULL.
func (c *keyColumn) lossy(d *types.Datum) bool {
	switch c.kind {
	case keyFloat:
		return uint64(d.I) != floatFromKey(floatToKey(uint64(d.I)))
	case keyNumeric:
		return numericLossy(c.typ, d)
	case keyBlankPadded:
		if limit := c.typ.CharLimit(); limit >= 0 {
			return utf8.RuneCount(d.B) != limit
		}
		return len(trimBlanks(d.B)) != len(d.B)
	}
	return false
}

// mayLose reports whether lossy can be true for the column's type.
func (c *keyColumn) mayLose() bool {
	return c.kind == keyFloat || c.kind == keyNumeric || c.kind == keyBlankPadded
}

// skip finds the end of the column's value.
func (c *keyColumn) skip(src []byte) (rest []byte, err error) {
	n, err := c.length(src)
	if err != nil {
		return nil, err
	}
	return src[n:], nil
}

// length is how many bytes the column's value takes at the front of src.
func (c *keyColumn) length(src []byte) (int, error) {
	if len(src) == 0 {
		return 0, corrupt("key ends before a column")
	}
	if src[0] == nullFirst || src[0] == nullLast {
		return 1, nil
	}
	var flip byte
	if c.desc {
		flip = 0xff
	}
	n := 0
	switch c.kind {
	case keyInt:
		n = keyIntLength(src[0] ^ flip)
	case keyFloat:
		n = 9
	case keyUUID:
		n = 17
	case keyNumeric:
		return keyNumericLength(src, flip)
	case keyBytes, keyBlankPadded:
		return keyBytesLength(src, flip)
	}
	if n == 0 || len(src) < n {
		return 0, corrupt("key has a bad column of type %s", c.typ.Name())
	}
	return n, nil
}

// decode gives the column's value. The Datum may point into src or into scratch, which is returned grown.
func (c *keyColumn) decode(src, scratch []byte) (d types.Datum, rest, grown []byte, err error) {
	n, err := c.length(src)
	if err != nil {
		return d, nil, scratch, err
	}
	enc, rest := src[:n], src[n:]
	if enc[0] == nullFirst || enc[0] == nullLast {
		return types.NullDatum, rest, scratch, nil
	}
	if c.desc {
		start := len(scratch)
		scratch = append(scratch, enc...)
		enc = scratch[start:]
		invert(enc)
	}
	switch c.kind {
	case keyInt:
		d.I = decodeKeyInt(enc)
	case keyFloat:
		d.I = int64(floatFromKey(binary.BigEndian.Uint64(enc[1:])))
	case keyNumeric:
		d, err = decodeKeyNumeric(enc, c.typ)
	case keyUUID:
		d.B = enc[1:]
	case keyBytes:
		d.B, scratch = decodeKeyBytes(enc, scratch)
	case keyBlankPadded:
		d.B, scratch = decodeKeyBytes(enc, scratch)
		d.B, scratch = padBlanks(d.B, c.typ.CharLimit(), scratch)
	}
	return d, rest, scratch, err
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

func appendKeyInt(dst []byte, v int64) []byte {
	if v >= 0 && v <= intMaxSmall {
		return append(dst, byte(intZero+v))
	}
	// The n significant bytes, moved to the top of 8 bytes of which the rest is cut off again.
	if v > 0 {
		n := (bits.Len64(uint64(v)) + 7) / 8
		dst = append(dst, byte(intPositive+n))
		dst = binary.BigEndian.AppendUint64(dst, uint64(v)<<(64-8*n))
		return dst[:len(dst)-8+n]
	}
	n := max((bits.Len64(^uint64(v))+7)/8, 1)
	dst = append(dst, byte(intZero-n))
	dst = binary.BigEndian.AppendUint64(dst, uint64(v)<<(64-8*n))
	return dst[:len(dst)-8+n]
}

// keyIntLength is the length of an integer by its first byte, 0 for none.
func keyIntLength(first byte) int {
	switch {
	case first < intZero-8 || first > intPositive+8:
		return 0
	case first < intZero:
		return 1 + intZero - int(first)
	case first <= intPositive:
		return 1
	default:
		return 1 + int(first) - intPositive
	}
}

// decodeKeyInt reads an integer of the length that its first byte tells.
func decodeKeyInt(enc []byte) int64 {
	if len(enc) == 1 {
		return int64(enc[0]) - intZero
	}
	var v uint64
	if enc[0] < intZero {
		v = math.MaxUint64
	}
	for _, b := range enc[1:] {
		v = v<<8 | uint64(b)
	}
	return int64(v)
}

func floatToKey(b uint64) uint64 {
	switch {
	case math.IsNaN(math.Float64frombits(b)):
		b = canonicalNaN
	case b == signBit: // -0
		b = 0
	}
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

func floatFromKey(k uint64) uint64 {
	if k&signBit != 0 {
		return k &^ signBit
	}
	return ^k
}

func appendKeyBytes(dst, b []byte) []byte {
	dst = append(dst, markValue)
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			break
		}
		dst = append(append(dst, b[:i]...), escape, escapedNUL)
		b = b[i+1:]
	}
	return append(append(dst, b...), escape, terminator)
}

func keyBytesLength(src []byte, flip byte) (int, error) {
	for at := 1; ; {
		i := bytes.IndexByte(src[at:], escape^flip)
		if i < 0 || at+i+1 >= len(src) {
			return 0, corrupt("key has a string without end")
		}
		at += i + 2
		switch src[at-1] ^ flip {
		case terminator:
			return at, nil
		case escapedNUL:
		default:
			return 0, corrupt("key has a bad escape in a string")
		}
	}
}

// decodeKeyBytes takes the frame and the escapes off a string whose length is known. It points into enc where it can.
func decodeKeyBytes(enc, scratch []byte) (b, grown []byte) {
	enc = enc[1 : len(enc)-2]
	i := bytes.IndexByte(enc, escape)
	if i < 0 {
		return enc, scratch
	}
	start := len(scratch)
	for i >= 0 {
		scratch = append(append(scratch, enc[:i]...), 0)
		enc = enc[i+2:]
		i = bytes.IndexByte(enc, escape)
	}
	scratch = append(scratch, enc...)
	return scratch[start:], scratch
}

// trimBlanks takes off the blanks that do not count in char(n).
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// padBlanks fills b with blanks up to limit characters; limit -1 leaves it as it is.
func padBlanks(b []byte, limit int, scratch []byte) (padded, grown []byte) {
	missing := limit - utf8.RuneCount(b)
	if missing <= 0 {
		return b, scratch
	}
	start := len(scratch)
	scratch = append(scratch, b...)
	for ; missing > 0; missing-- {
		scratch = append(scratch, ' ')
	}
	return scratch[start:], scratch
}

// AppendKey appends a value as an ascending column of a key would have it, NULL last: equal values of a type have equal encodings, so
// that they can be hashed. A type that Keyable does not accept has keys without order.
func AppendKey(dst []byte, t types.Type, d *types.Datum) []byte {
	c := keyColumn{typ: t}
	var ok bool
	if c.kind, ok = keyKindOf(t); !ok {
		return types.AppendKey(dst, t, *d)
	}
	return c.append(dst, d)
}
