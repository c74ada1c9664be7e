package types

import (
	"encoding/binary"
	"errors"
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// errBatch: the bytes are not those of a batch.
var errBatch = errors.New("types: bytes that are no batch")

// What a value of an encoded batch is.
const (
	batchNull  = 0
	batchValue = 1
	batchBig   = 2 // a numeric beyond an int64
)

// AppendBatch encodes the rows of a batch that has no selection, for a file that the same process reads again. A column that has no
// values stays one.
//
//	batch  = uvarint rows, column…
//	column = 0 | 1, value…        (0: without values)
//	value  = 0 | 1, varint        (KindInt)
//	       | 1, varint, varint    (KindNumeric: coefficient and scale)
//	       | 2, form, negative, varint exponent, uvarint length, coefficient
//	       | 1, uvarint length, bytes
func AppendBatch(dst []byte, b *Batch) []byte {
	dst = binary.AppendUvarint(dst, uint64(b.N))
	for c := range b.Cols {
		col := &b.Cols[c]
		if col.n < b.N {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		for i := range b.N {
			dst = col.appendEncoded(dst, i)
		}
	}
	return dst
}

func (v *Vec) appendEncoded(dst []byte, i int) []byte {
	if v.IsNull(i) {
		return append(dst, batchNull)
	}
	switch v.kind {
	case KindInt:
		return binary.AppendVarint(append(dst, batchValue), v.I[i])
	case KindNumeric:
		if i < len(v.Big) && v.Big[i] != nil {
			return appendBig(append(dst, batchBig), v.Big[i])
		}
		return binary.AppendVarint(binary.AppendVarint(append(dst, batchValue), v.I[i]), int64(v.Scale[i]))
	}
	b := v.Bytes(i)
	return append(binary.AppendUvarint(append(dst, batchValue), uint64(len(b))), b...)
}

func appendBig(dst []byte, d *apd.Decimal) []byte {
	negative := byte(0)
	if d.Negative {
		negative = 1
	}
	dst = binary.AppendVarint(append(dst, byte(d.Form), negative), int64(d.Exponent))
	coeff := d.Coeff.Bytes()
	return append(binary.AppendUvarint(dst, uint64(len(coeff))), coeff...)
}

// DecodeBatch reads what AppendBatch wrote into a batch that was made for the same columns.
func DecodeBatch(src []byte, b *Batch) error {
	b.Reset()
	d := batchDecoder{src: src}
	b.N = int(d.uvarint())
	for c := range b.Cols {
		if d.byte() == 0 {
			continue
		}
		for range b.N {
			if d.value(&b.Cols[c]); d.bad {
				return errBatch
			}
		}
	}
	if d.bad {
		return errBatch
	}
	return nil
}

type batchDecoder struct {
	src []byte
	bad bool
}

func (d *batchDecoder) value(v *Vec) {
	switch kind := d.byte(); {
	case kind == batchNull:
		v.AppendNull()
	case kind == batchBig:
		v.Append(Datum{Big: d.big()})
	case v.kind == KindInt:
		v.AppendInt(d.varint())
	case v.kind == KindNumeric:
		coeff := d.varint()
		v.Append(Datum{I: coeff, Scale: int16(d.varint())})
	default:
		v.AppendBytes(d.bytes())
	}
}

func (d *batchDecoder) big() *apd.Decimal {
	out := &apd.Decimal{Form: apd.Form(d.byte()), Negative: d.byte() == 1, Exponent: int32(d.varint())}
	out.Coeff.SetMathBigInt(new(big.Int).SetBytes(d.bytes()))
	return out
}

func (d *batchDecoder) byte() byte {
	if len(d.src) == 0 {
		d.bad = true
		return 0
	}
	b := d.src[0]
	d.src = d.src[1:]
	return b
}

func (d *batchDecoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.src)
	if n <= 0 {
		d.bad, d.src = true, nil
		return 0
	}
	d.src = d.src[n:]
	return x
}

func (d *batchDecoder) varint() int64 {
	x, n := binary.Varint(d.src)
	if n <= 0 {
		d.bad, d.src = true, nil
		return 0
	}
	d.src = d.src[n:]
	return x
}

func (d *batchDecoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.src)) {
		d.bad, d.src = true, nil
		return nil
	}
	b := d.src[:n]
	d.src = d.src[n:]
	return b
}
