package types

import (
	"encoding/binary"
	"math"

	"minidb/sql/sqlerr"
)

// An array's bytes in a Datum are
//
//	lower bound(zigzag varint) ‖ 2·count + (1 if there are NULLs)(uvarint) ‖ [a bit an element, set if NULL] ‖ the elements
//
// with nothing for a NULL element. An element of KindInt is a zigzag varint, a float its 8 bytes, all others a uvarint of
// their length and their bytes; a numeric is its text. An empty array has the lower bound 1.

// maxArrayElems is the largest number of elements that PostgreSQL allows.
const maxArrayElems = 1 << 27

// ArrayValue is an array's elements. The first has subscript Lower.
type ArrayValue struct {
	Lower int
	Elems []Datum
}

// NewArray makes a one-dimensional array of elements of type elem. It copies them.
func NewArray(elem Type, v ArrayValue) Datum {
	n, hasNull := len(v.Elems), uint64(0)
	lower := int64(v.Lower)
	if n == 0 {
		lower = 1
	}
	for i := range v.Elems {
		if v.Elems[i].Null {
			hasNull = 1
			break
		}
	}
	b := make([]byte, 0, 8+4*n)
	b = binary.AppendVarint(b, lower)
	b = binary.AppendUvarint(b, 2*uint64(n)+hasNull)
	if hasNull == 1 {
		start := len(b)
		b = append(b, make([]byte, (n+7)/8)...)
		for i := range v.Elems {
			if v.Elems[i].Null {
				b[start+i/8] |= 1 << (i % 8)
			}
		}
	}
	for i := range v.Elems {
		if !v.Elems[i].Null {
			b = appendElem(b, elem, &v.Elems[i])
		}
	}
	return Datum{B: b}
}

// ArrayOf makes an array that counts from 1.
func ArrayOf(elem Type, elems []Datum) Datum { return NewArray(elem, ArrayValue{1, elems}) }

func appendElem(dst []byte, elem Type, d *Datum) []byte {
	switch elem.Kind() {
	case KindInt:
		if elem.OID == Float4OID || elem.OID == Float8OID {
			return binary.LittleEndian.AppendUint64(dst, uint64(d.I))
		}
		return binary.AppendVarint(dst, d.I)
	case KindNumeric:
		text := appendNumeric(nil, *d)
		return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	default:
		return append(binary.AppendUvarint(dst, uint64(len(d.B))), d.B...)
	}
}

// arrayHeader reads what stands before the elements; ok is false for damaged bytes.
func arrayHeader(b []byte) (lower, n int, nulls, rest []byte, ok bool) {
	l, k := binary.Varint(b)
	if k <= 0 {
		return 1, 0, nil, nil, false
	}
	b = b[k:]
	c, k := binary.Uvarint(b)
	if k <= 0 || c>>1 > maxArrayElems {
		return 1, 0, nil, nil, false
	}
	b, n = b[k:], int(c>>1)
	if c&1 != 0 {
		if len(b) < (n+7)/8 {
			return 1, 0, nil, nil, false
		}
		nulls, b = b[:(n+7)/8], b[(n+7)/8:]
	}
	return int(l), n, nulls, b, true
}

// Array takes an array of elements of type elem apart. The elements point into it. Damaged bytes give what can be read of
// them.
func (d Datum) Array(elem Type) ArrayValue {
	lower, n, nulls, b, ok := arrayHeader(d.B)
	v := ArrayValue{Lower: lower}
	if !ok || n > len(b)+8*len(nulls) {
		return v
	}
	v.Elems = make([]Datum, n)
	for i := range v.Elems {
		if nulls != nil && nulls[i/8]&(1<<(i%8)) != 0 {
			v.Elems[i] = NullDatum
			continue
		}
		if b, ok = readElem(b, elem, &v.Elems[i]); !ok {
			v.Elems = v.Elems[:i]
			break
		}
	}
	return v
}

// ArrayLen is the number of elements of an array, and the subscript of the first.
func (d Datum) ArrayLen() (n, lower int) {
	lower, n, _, _, _ = arrayHeader(d.B)
	return n, lower
}

// readElem reads one element and gives what follows it.
func readElem(b []byte, elem Type, d *Datum) (rest []byte, ok bool) {
	kind := elem.Kind()
	if kind == KindInt {
		if elem.OID == Float4OID || elem.OID == Float8OID {
			if len(b) < 8 {
				return nil, false
			}
			d.I = int64(binary.LittleEndian.Uint64(b))
			return b[8:], true
		}
		i, k := binary.Varint(b)
		if k <= 0 {
			return nil, false
		}
		d.I = i
		return b[k:], true
	}
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, false
	}
	end := k + int(n)
	text := b[k:end:end]
	if kind == KindNumeric {
		num, err := parseNumeric(text)
		if err != nil {
			return nil, false
		}
		*d = num
		return b[end:], true
	}
	d.B = text
	return b[end:], true
}

// compareArrays orders element by element, NULLs last; then the longer array is above, then the one that begins later.
func compareArrays(elem Type, a, b Datum) int {
	x, y := a.Array(elem), b.Array(elem)
	for i := range min(len(x.Elems), len(y.Elems)) {
		p, q := &x.Elems[i], &y.Elems[i]
		switch {
		case p.Null && q.Null:
			continue
		case p.Null:
			return 1
		case q.Null:
			return -1
		}
		if c := Compare(elem, *p, *q); c != 0 {
			return c
		}
	}
	if c := compareInt(int64(len(x.Elems)), int64(len(y.Elems))); c != 0 {
		return c
	}
	return compareInt(int64(x.Lower), int64(y.Lower))
}

// compareVectors orders by length first.
func compareVectors(elem Type, a, b Datum) int {
	n, _ := a.ArrayLen()
	m, _ := b.ArrayLen()
	if c := compareInt(int64(n), int64(m)); c != 0 {
		return c
	}
	return compareArrays(elem, a, b)
}

// appendArrayKey is AppendKey of an array.
func appendArrayKey(dst []byte, elem Type, d Datum) []byte {
	v := d.Array(elem)
	dst = binary.AppendVarint(append(dst, 1), int64(v.Lower))
	dst = binary.AppendUvarint(dst, uint64(len(v.Elems)))
	for _, e := range v.Elems {
		dst = AppendKey(dst, elem, e)
	}
	return dst
}

// mapArray makes an array of what f makes of each element that is not NULL.
func mapArray(d Datum, from, to Type, f func(Datum) (Datum, error)) (Datum, error) {
	v := d.Array(from)
	for i := range v.Elems {
		if v.Elems[i].Null {
			continue
		}
		var err error
		if v.Elems[i], err = f(v.Elems[i]); err != nil {
			return Datum{}, err
		}
	}
	return NewArray(to, v), nil
}

// appendArrayBinary writes PostgreSQL's form: the number of dimensions, whether there are NULLs, the element type, for each
// dimension its length and lower bound, and the elements with their lengths, -1 for NULL.
func appendArrayBinary(ec *Context, dst []byte, elem Type, d Datum) []byte {
	v := d.Array(elem)
	_, _, nulls, _, _ := arrayHeader(d.B)
	be := binary.BigEndian
	dims, flags := uint32(1), uint32(0)
	if len(v.Elems) == 0 {
		dims = 0
	}
	if nulls != nil {
		flags = 1
	}
	dst = be.AppendUint32(be.AppendUint32(be.AppendUint32(dst, dims), flags), uint32(elem.OID))
	if dims == 0 {
		return dst
	}
	dst = be.AppendUint32(be.AppendUint32(dst, uint32(len(v.Elems))), uint32(int32(v.Lower)))
	for _, e := range v.Elems {
		if e.Null {
			dst = be.AppendUint32(dst, math.MaxUint32)
			continue
		}
		at := len(dst)
		dst = AppendBinary(ec, be.AppendUint32(dst, 0), elem, e)
		be.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}

// decodeArrayBinary is the reverse of appendArrayBinary.
func decodeArrayBinary(ec *Context, t, elem Type, src []byte) (Datum, error) {
	r := binaryReader{src: src}
	dims, flags, oid := r.int32(), r.int32(), OID(r.int32())
	switch {
	case r.short:
		return Datum{}, badBinaryLength(t, true)
	case dims < 0:
		return Datum{}, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid number of dimensions: %d", dims)
	case flags != 0 && flags != 1:
		return Datum{}, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid array flags")
	case oid != elem.OID:
		got := Type{oid, -1}
		return Datum{}, sqlerr.New(sqlerr.DatatypeMismatch, "binary data has array element type %d (%s) instead of expected %d (%s)",
			oid, got.Format(), elem.OID, elem.Format())
	case dims == 0 && len(r.src) > 0:
		return Datum{}, badBinaryLength(t, false)
	case dims == 0:
		return ArrayOf(elem, nil), nil
	case dims > 1:
		return Datum{}, multiDimensional()
	}
	n, lower := r.int32(), r.int32()
	if r.short || n < 0 || n > maxArrayElems || int(n) > len(r.src)/4 {
		return Datum{}, badBinaryLength(t, true)
	}
	v := ArrayValue{Lower: int(lower), Elems: make([]Datum, n)}
	for i := range v.Elems {
		size := r.int32()
		if size == -1 {
			v.Elems[i] = NullDatum
			continue
		}
		b := r.next(int(size))
		if r.short {
			return Datum{}, badBinaryLength(t, true)
		}
		var err error
		if v.Elems[i], err = DecodeBinary(ec, elem, b); err != nil {
			return Datum{}, err
		}
	}
	if len(r.src) > 0 {
		return Datum{}, badBinaryLength(t, false)
	}
	return NewArray(elem, v), nil
}

// binaryReader reads a binary form from its front; short is set once it ends too early.
type binaryReader struct {
	src   []byte
	short bool
}

func (r *binaryReader) next(n int) []byte {
	if n < 0 || n > len(r.src) {
		r.short = true
		return nil
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

func (r *binaryReader) int32() int32 {
	if b := r.next(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// multiDimensional is the refusal of arrays of arrays.
func multiDimensional() error { return sqlerr.Unsupported("an array of more than one dimension") }
