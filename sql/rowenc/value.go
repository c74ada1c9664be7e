package rowenc

import (
	"encoding/binary"
	"math/big"
	"math/bits"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// A value is
//
//	header(1) ‖ count n (1 or 2) ‖ n column ids (1 or 2 each) ‖ n end offsets (1, 2 or 4 each) ‖ the columns' bytes
//
// in little endian, with ids ascending and NULLs left out. The header's bits 0-1 are the width of offsets (0: 1, 1: 2, 2: 4
// bytes), bit 2 tells that count and ids have 2 bytes, bits 4-7 are the format, 1. So a value is never empty.
//
// The bytes of a column:
//
//	int, bool, date, time, timestamp   as few bytes as hold the number with its sign, none for 0
//	float                              the 8 bytes of the float64
//	numeric                            scale(1) < 0xf0 and the coefficient as an int; 0xf0 scale(2) sign(1) and the
//	                                   coefficient big endian; 0xf1 NaN; 0xf2 infinity; 0xf3 -infinity
//	others                             their bytes
const (
	valueFormat     = 0x10
	valueFormatMask = 0xf0
	valueWidthMask  = 0x03
	valueWideIDs    = 0x04
	valueKnownBits  = valueFormatMask | valueWidthMask | valueWideIDs

	numBig          = 0xf0
	numValNaN       = 0xf1
	numValInf       = 0xf2
	numValNegInf    = 0xf3
	maxInlineScale  = numBig - 1
	bigHeaderLength = 4
)

// valueKind is how a type is encoded in values.
type valueKind uint8

const (
	valueInt valueKind = iota
	valueFloat
	valueNumeric
	valueBytes
)

func valueKindOf(t types.Type) valueKind {
	switch {
	case t.OID == types.Float4OID || t.OID == types.Float8OID:
		return valueFloat
	case t.Kind() == types.KindInt:
		return valueInt
	case t.Kind() == types.KindNumeric:
		return valueNumeric
	default:
		return valueBytes
	}
}

// valueBuilder collects the columns of a value. Its memory is used again after reset.
type valueBuilder struct {
	ids  []catalog.ColumnID
	ends []uint32
	data []byte
}

func (b *valueBuilder) reset() { b.ids, b.ends, b.data = b.ids[:0], b.ends[:0], b.data[:0] }

func (b *valueBuilder) empty() bool { return len(b.ids) == 0 }

// add adds a column, which is not NULL. Ids ascend.
func (b *valueBuilder) add(id catalog.ColumnID, kind valueKind, d *types.Datum) {
	switch kind {
	case valueInt:
		b.data = appendValueInt(b.data, d.I)
	case valueFloat:
		b.data = binary.LittleEndian.AppendUint64(b.data, uint64(d.I))
	case valueNumeric:
		b.data = appendValueNumeric(b.data, d)
	case valueBytes:
		b.data = append(b.data, d.B...)
	}
	b.ids = append(b.ids, id)
	b.ends = append(b.ends, uint32(len(b.data)))
}

// append appends the finished value.
func (b *valueBuilder) append(dst []byte) []byte {
	n := len(b.ids)
	header := byte(valueFormat)
	wide := n > 0xff || n > 0 && b.ids[n-1] > 0xff
	if wide {
		header |= valueWideIDs
	}
	switch {
	case len(b.data) <= 0xff:
	case len(b.data) <= 0xffff:
		header |= 1
	default:
		header |= 2
	}
	dst = append(dst, header)
	if wide {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(n))
		for _, id := range b.ids {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(id))
		}
	} else {
		dst = append(dst, byte(n))
		for _, id := range b.ids {
			dst = append(dst, byte(id))
		}
	}
	switch header & valueWidthMask {
	case 0:
		for _, e := range b.ends {
			dst = append(dst, byte(e))
		}
	case 1:
		for _, e := range b.ends {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(e))
		}
	default:
		for _, e := range b.ends {
			dst = binary.LittleEndian.AppendUint32(dst, e)
		}
	}
	return append(dst, b.data...)
}

// valueReader finds the columns of a value.
type valueReader struct {
	ids  []byte // n ids of 1 or 2 bytes
	ends []byte // n offsets of width bytes
	data []byte
	n    int
	wide bool
	log2 uint8 // of the width of an offset
}

// init checks the frame of a value. The reader points into it.
func (r *valueReader) init(v []byte) error {
	if len(v) < 2 || v[0]&valueFormatMask != valueFormat || v[0]&^valueKnownBits != 0 || v[0]&valueWidthMask > 2 {
		return corrupt("bad header of a value")
	}
	r.log2, r.wide = v[0]&valueWidthMask, v[0]&valueWideIDs != 0
	r.n = int(v[1])
	v = v[2:]
	idBytes := r.n
	if r.wide {
		if len(v) == 0 {
			return corrupt("value ends in its header")
		}
		r.n |= int(v[0]) << 8
		v = v[1:]
		idBytes = 2 * r.n
	}
	endBytes := r.n << r.log2
	if len(v) < idBytes+endBytes {
		return corrupt("value ends in its directory")
	}
	r.ids, r.ends, r.data = v[:idBytes], v[idBytes:idBytes+endBytes], v[idBytes+endBytes:]
	return nil
}

func (r *valueReader) id(i int) catalog.ColumnID {
	if r.wide {
		return catalog.ColumnID(binary.LittleEndian.Uint16(r.ids[2*i:]))
	}
	return catalog.ColumnID(r.ids[i])
}

func (r *valueReader) end(i int) uint32 {
	switch r.log2 {
	case 0:
		return uint32(r.ends[i])
	case 1:
		return uint32(binary.LittleEndian.Uint16(r.ends[2*i:]))
	default:
		return binary.LittleEndian.Uint32(r.ends[4*i:])
	}
}

// bytes is the bytes of the i-th column.
func (r *valueReader) bytes(i int) ([]byte, error) {
	var lo uint32
	if i > 0 {
		lo = r.end(i - 1)
	}
	hi := r.end(i)
	if lo > hi || uint64(hi) > uint64(len(r.data)) {
		return nil, corrupt("value has a bad offset")
	}
	return r.data[lo:hi], nil
}

func appendValueInt(dst []byte, v int64) []byte {
	if v == 0 {
		return dst
	}
	n := bits.Len64(uint64(v^v>>63))/8 + 1
	dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	return dst[:len(dst)-8+n]
}

func decodeValueInt(b []byte) (int64, error) {
	switch len(b) {
	case 0:
		return 0, nil
	case 1:
		return int64(int8(b[0])), nil
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b))), nil
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b))), nil
	case 8:
		return int64(binary.LittleEndian.Uint64(b)), nil
	}
	if len(b) > 8 {
		return 0, corrupt("value has an integer of %d bytes", len(b))
	}
	v := int64(int8(b[len(b)-1]))
	for i := len(b) - 2; i >= 0; i-- {
		v = v<<8 | int64(b[i])
	}
	return v, nil
}

func appendValueNumeric(dst []byte, d *types.Datum) []byte {
	if d.Big == nil {
		if d.Scale <= maxInlineScale {
			return appendValueInt(append(dst, byte(d.Scale)), d.I)
		}
		u, sign := uint64(d.I), byte(0)
		if d.I < 0 {
			u, sign = -u, 1
		}
		dst = append(dst, numBig, byte(d.Scale), byte(d.Scale>>8), sign)
		return append(dst, new(big.Int).SetUint64(u).Bytes()...)
	}
	switch d.Big.Form {
	case apd.Finite:
		scale, sign := -d.Big.Exponent, byte(0)
		if d.Big.Negative {
			sign = 1
		}
		dst = append(dst, numBig, byte(scale), byte(scale>>8), sign)
		return append(dst, d.Big.Coeff.Bytes()...)
	case apd.Infinite:
		if d.Big.Negative {
			return append(dst, numValNegInf)
		}
		return append(dst, numValInf)
	default:
		return append(dst, numValNaN)
	}
}

func decodeValueNumeric(b []byte) (types.Datum, error) {
	if len(b) == 0 {
		return types.Datum{}, corrupt("value has an empty numeric")
	}
	switch {
	case b[0] <= maxInlineScale:
		c, err := decodeValueInt(b[1:])
		return types.NewNumeric(c, int(b[0])), err
	case b[0] == numBig && len(b) >= bigHeaderLength:
		scale := int(binary.LittleEndian.Uint16(b[1:]))
		if scale > maxNumericScale || b[3] > 1 {
			return types.Datum{}, corrupt("value has a bad numeric")
		}
		return numericFromBig(new(big.Int).SetBytes(b[bigHeaderLength:]), scale, b[3] == 1), nil
	case b[0] == numValNaN:
		return types.Datum{Big: &apd.Decimal{Form: apd.NaN}}, nil
	case b[0] == numValInf || b[0] == numValNegInf:
		return types.Datum{Big: &apd.Decimal{Form: apd.Infinite, Negative: b[0] == numValNegInf}}, nil
	default:
		return types.Datum{}, corrupt("value has a bad numeric")
	}
}

// decodeValue gives the value of a column. The Datum may point into b.
func decodeValue(b []byte, kind valueKind) (d types.Datum, err error) {
	switch kind {
	case valueInt:
		d.I, err = decodeValueInt(b)
	case valueFloat:
		if len(b) != 8 {
			return d, corrupt("value has a float of %d bytes", len(b))
		}
		d.I = int64(binary.LittleEndian.Uint64(b))
	case valueNumeric:
		return decodeValueNumeric(b)
	default:
		d.B = b
	}
	return d, err
}
