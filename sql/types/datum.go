package types

import (
	"math"

	"github.com/cockroachdb/apd/v3"
)

// Datum is one value of a type that is known from elsewhere. Which fields count is told by Type.Kind; the zero Datum is
// false, 0 or an empty string.
//
// A Datum does not own what B and Big point to, and nobody changes what they point to once they are in a Datum. A Datum
// from a Vec is valid as long as the Vec's batch; Clone makes one that lasts.
type Datum struct {
	Null bool
	// Scale is the number of fractional digits of a numeric in I: its value is I / 10^Scale, and it shows Scale digits.
	Scale int16
	// I holds the values of KindInt and the coefficient of small numerics.
	I int64
	// B holds the values of KindBytes: UTF-8 text (char(n) with its padding), raw bytes, 16 bytes of a uuid or interval.
	B []byte
	// Big is a numeric that does not fit I: a coefficient beyond int64, NaN or an infinity. Its exponent is never positive.
	// A numeric that fits I is never held here, so that equal numerics of one scale have equal fields.
	Big *apd.Decimal
}

// NullDatum is NULL, of any type.
var NullDatum = Datum{Null: true}

// NewBool makes a bool.
func NewBool(b bool) Datum {
	if b {
		return Datum{I: 1}
	}
	return Datum{}
}

// NewInt makes a value of any integer type, oid, date, time or timestamp.
func NewInt(i int64) Datum { return Datum{I: i} }

// NewFloat makes a float8, or a float4 if f is the float64 of a float32.
func NewFloat(f float64) Datum { return Datum{I: int64(math.Float64bits(f))} }

// NewText makes a text, varchar, char(n), name or unknown.
func NewText(s string) Datum { return Datum{B: []byte(s)} }

// NewBytes makes a value of any type of KindBytes. It keeps b.
func NewBytes(b []byte) Datum { return Datum{B: b} }

// NewNumeric makes the numeric coefficient / 10^scale. Requires 0 <= scale <= MaxScale.
func NewNumeric(coefficient int64, scale int) Datum {
	return Datum{I: coefficient, Scale: int16(scale)}
}

// Bool is the value of a bool.
func (d Datum) Bool() bool { return d.I != 0 }

// Int is the value of an integer type, oid, date, time or timestamp.
func (d Datum) Int() int64 { return d.I }

// Float is the value of a float4 or float8.
func (d Datum) Float() float64 { return math.Float64frombits(uint64(d.I)) }

// Text is the value of a text-like type, as a new string.
func (d Datum) Text() string { return string(d.B) }

// Bytes is the value of a type of KindBytes. The caller must not change it.
func (d Datum) Bytes() []byte { return d.B }

// Clone makes a Datum that shares no memory with a batch.
func (d Datum) Clone() Datum {
	if d.B != nil {
		d.B = append(make([]byte, 0, len(d.B)), d.B...)
	}
	return d
}
