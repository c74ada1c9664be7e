package types

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/sqlerr"
)

// NumericAdd is a + b with the larger scale of the two.
func NumericAdd(a, b Datum) (Datum, error) {
	if a.Big == nil && b.Big == nil {
		if d, ok := addSmall(a, b); ok {
			return d, nil
		}
	}
	if a.isSpecial() || b.isSpecial() {
		return addSpecial(a, b), nil
	}
	var ca, cb apd.BigInt
	x, y, scale := align(a, b, &ca, &cb)
	return makeNumeric(new(apd.BigInt).Add(x, y), scale)
}

// addSmall adds without big numbers; ok is false if the sum needs them.
func addSmall(a, b Datum) (d Datum, ok bool) {
	if a.Scale < b.Scale {
		a, b = b, a
	}
	if diff := a.Scale - b.Scale; diff > 0 {
		if diff > 18 {
			return Datum{}, false
		}
		if b.I, ok = mulInt64(b.I, pow10[diff]); !ok {
			return Datum{}, false
		}
	}
	c := a.I + b.I
	return Datum{I: c, Scale: a.Scale}, (c > a.I) == (b.I > 0) || b.I == 0
}

// addSpecial adds when one side is NaN or infinite.
func addSpecial(a, b Datum) Datum {
	switch {
	case a.IsNaN() || b.IsNaN():
		return NumericNaN
	case a.isSpecial() && b.isSpecial() && a.Big.Negative != b.Big.Negative:
		return NumericNaN
	case a.isSpecial():
		return a
	default:
		return b
	}
}

// NumericNeg is -a.
func NumericNeg(a Datum) Datum {
	switch {
	case a.Big == nil && a.I != math.MinInt64:
		return Datum{I: -a.I, Scale: a.Scale}
	case a.IsNaN():
		return a
	}
	// The smallest int64 has a positive twin only beyond int64, and the reverse.
	var c apd.BigInt
	if a.isSpecial() {
		return infinite(!a.Big.Negative)
	}
	d, err := makeNumeric(c.Neg(a.coefficient(&c)), a.NumericScale())
	if err != nil {
		panic(err) // as many digits as before
	}
	return d
}

// NumericAbs is |a|.
func NumericAbs(a Datum) Datum {
	if a.NumericSign() < 0 {
		return NumericNeg(a)
	}
	return a
}

func infinite(negative bool) Datum {
	if negative {
		return NumericNegInf
	}
	return NumericInf
}

// NumericSub is a - b with the larger scale of the two.
func NumericSub(a, b Datum) (Datum, error) { return NumericAdd(a, NumericNeg(b)) }

// NumericMul is a * b with the sum of the scales.
func NumericMul(a, b Datum) (Datum, error) {
	scale := a.NumericScale() + b.NumericScale()
	if a.Big == nil && b.Big == nil && scale <= MaxScale {
		if c, ok := mulInt64(a.I, b.I); ok {
			return Datum{I: c, Scale: int16(scale)}, nil
		}
	}
	if a.isSpecial() || b.isSpecial() {
		s := a.NumericSign() * b.NumericSign()
		if s == 0 { // a NaN, or 0 * infinity
			return NumericNaN, nil
		}
		return infinite(s < 0), nil
	}
	var ca, cb apd.BigInt
	c := new(apd.BigInt).Mul(a.coefficient(&ca), b.coefficient(&cb))
	if scale > MaxScale {
		return makeNumeric(roundQuo(c, bigPow10(scale-MaxScale)), MaxScale)
	}
	return makeNumeric(c, scale)
}

// NumericDiv is a / b with the scale that PostgreSQL chooses: at least 16 significant digits and not fewer fractional
// digits than either side.
func NumericDiv(a, b Datum) (Datum, error) {
	if a.isSpecial() || b.isSpecial() {
		return divSpecial(a, b)
	}
	if b.NumericSign() == 0 {
		return Datum{}, DivisionByZero()
	}
	scale := divScale(a, b)
	var ca, cb apd.BigInt
	x, y := a.coefficient(&ca), b.coefficient(&cb)
	// (x / 10^sa) / (y / 10^sb) * 10^scale = x * 10^(scale-sa+sb) / y
	if shift := scale - a.NumericScale() + b.NumericScale(); shift >= 0 {
		x = ca.Mul(x, bigPow10(shift))
	} else {
		y = cb.Mul(y, bigPow10(-shift))
	}
	return makeNumeric(roundQuo(x, y), scale)
}

// divSpecial divides when one side is NaN or infinite.
func divSpecial(a, b Datum) (Datum, error) {
	switch {
	case a.IsNaN() || b.IsNaN(), a.isSpecial() && b.isSpecial():
		return NumericNaN, nil
	case b.isSpecial():
		return Datum{}, nil
	case b.NumericSign() == 0:
		return Datum{}, DivisionByZero()
	default:
		return infinite(a.NumericSign()*b.NumericSign() < 0), nil
	}
}

// Limits of the scale of a quotient, PostgreSQL's NUMERIC_MIN_SIG_DIGITS and NUMERIC_MAX_DISPLAY_SCALE.
const (
	minQuotientDigits = 16
	maxQuotientScale  = 1000
)

// divScale chooses the scale of a quotient. PostgreSQL estimates its size from the first base-10000 digits of both sides.
func divScale(a, b Datum) int {
	wa, fa := firstDigit(a)
	wb, fb := firstDigit(b)
	weight := wa - wb
	if fa <= fb {
		weight--
	}
	scale := max(minQuotientDigits-weight*4, a.NumericScale(), b.NumericScale(), 0)
	return min(scale, maxQuotientScale)
}

// firstDigit gives the first nonzero digit of |d| in base 10000 and its weight: the power of 10000 it counts. 0 has 0, 0.
func firstDigit(d Datum) (weight, digit int) {
	var buf [20]byte
	digits, _, scale := d.digits(buf[:0])
	if len(digits) == 1 && digits[0] == '0' {
		return 0, 0
	}
	// The first decimal digit counts 10^e; the base-10000 digit takes it and the e mod 4 digits after it.
	e := len(digits) - 1 - scale
	weight = e >> 2
	for i := 0; i <= e&3; i++ {
		digit *= 10
		if i < len(digits) {
			digit += int(digits[i] - '0')
		}
	}
	return weight, digit
}

// roundQuo is x / y rounded to the nearest, halves away from zero.
func roundQuo(x, y *apd.BigInt) *apd.BigInt {
	q, r := new(apd.BigInt), new(apd.BigInt)
	q.QuoRem(x, y, r)
	if r.Sign() == 0 {
		return q
	}
	neg := r.Sign()*y.Sign() < 0
	r.Abs(r)
	r.Add(r, r)
	if r.CmpAbs(y) >= 0 {
		if neg {
			q.Sub(q, apd.NewBigInt(1))
		} else {
			q.Add(q, apd.NewBigInt(1))
		}
	}
	return q
}

// NumericMod is the remainder of a / b with the sign of a.
func NumericMod(a, b Datum) (Datum, error) {
	switch {
	case a.IsNaN() || b.IsNaN():
		return NumericNaN, nil
	case !b.isSpecial() && b.NumericSign() == 0:
		return Datum{}, DivisionByZero()
	case a.isSpecial():
		return NumericNaN, nil
	case b.isSpecial():
		return a, nil
	}
	var ca, cb apd.BigInt
	x, y, scale := align(a, b, &ca, &cb)
	return makeNumeric(new(apd.BigInt).Rem(x, y), scale)
}

// NumericRound rounds to scale fractional digits, halves away from zero. A negative scale rounds before the point and
// gives scale 0.
func NumericRound(d Datum, scale int) (Datum, error) { return rescale(d, scale, true) }

// NumericTrunc cuts off after scale fractional digits. A negative scale cuts before the point and gives scale 0.
func NumericTrunc(d Datum, scale int) (Datum, error) { return rescale(d, scale, false) }

func rescale(d Datum, scale int, round bool) (Datum, error) {
	if d.isSpecial() {
		return d, nil
	}
	scale = min(scale, MaxScale)
	have := d.NumericScale()
	if have == scale {
		return d, nil
	}
	if d.Big == nil {
		if c, ok := rescaleInt(d.I, have, scale, round); ok {
			return Datum{I: c, Scale: int16(max(scale, 0))}, nil
		}
	}
	var scratch apd.BigInt
	c := d.coefficient(&scratch)
	if scale > have {
		return makeNumeric(new(apd.BigInt).Mul(c, bigPow10(scale-have)), scale)
	}
	// Beyond the limit of digits everything is rounded away anyway.
	p := bigPow10(min(have-scale, maxNumericIntDigits+MaxScale))
	if round {
		c = roundQuo(c, p)
	} else {
		c = new(apd.BigInt).Quo(c, p)
	}
	if scale < 0 {
		if c.Sign() == 0 {
			return Datum{}, nil
		}
		return makeNumeric(c.Mul(c, bigPow10(-scale)), 0)
	}
	return makeNumeric(c, scale)
}

// rescaleInt takes a coefficient from one scale to another; ok is false if that needs more than an int64.
func rescaleInt(c int64, from, to int, round bool) (_ int64, ok bool) {
	if to > from {
		if to-from > 18 {
			return 0, c == 0
		}
		return mulInt64(c, pow10[to-from])
	}
	if from-to > 18 || to < 0 {
		return 0, c == 0
	}
	p := pow10[from-to]
	q, r := c/p, c%p
	if round && absU64(r)*2 >= uint64(p) {
		if c < 0 {
			q--
		} else {
			q++
		}
	}
	return q, true
}

// NumericCeil is the smallest integer not below a; NumericFloor the largest not above it.
func NumericCeil(a Datum) (Datum, error) { return roundTo(a, 1) }

// NumericFloor is the largest integer not above a.
func NumericFloor(a Datum) (Datum, error) { return roundTo(a, -1) }

func roundTo(a Datum, direction int) (Datum, error) {
	t, err := NumericTrunc(a, 0)
	if err != nil || a.isSpecial() {
		return t, err
	}
	if c := compareNumeric(a, t); c == direction {
		return NumericAdd(t, NewNumeric(int64(direction), 0))
	}
	return t, nil
}

// NumericFromInt makes a numeric of scale 0.
func NumericFromInt(i int64) Datum { return Datum{I: i} }

// NumericToInt rounds d to an integer of type t.
func NumericToInt(d Datum, t Type) (int64, error) {
	switch {
	case d.IsNaN():
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert NaN to %s", t.Format())
	case d.isSpecial():
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert infinity to %s", t.Format())
	}
	d, err := NumericRound(d, 0)
	if err != nil || d.Big != nil {
		return 0, IntOutOfRange(t)
	}
	return d.I, CheckInt(t, d.I)
}
