package types

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/sqlerr"
)

// PostgreSQL's limits of a numeric: digits before and after the decimal point.
const (
	maxNumericIntDigits = 131072
	// MaxScale is the largest number of fractional digits that a numeric shows.
	MaxScale = 16383
)

// pow10 are the powers of ten that an int64 holds.
var pow10 = [19]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// NumericNaN is 'NaN'; NumericInf and NumericNegInf are the infinities.
var (
	NumericNaN    = Datum{Big: &apd.Decimal{Form: apd.NaN}}
	NumericInf    = Datum{Big: &apd.Decimal{Form: apd.Infinite}}
	NumericNegInf = Datum{Big: &apd.Decimal{Form: apd.Infinite, Negative: true}}
)

// IsNaN reports whether the numeric d is NaN.
func (d Datum) IsNaN() bool { return d.Big != nil && d.Big.Form == apd.NaN }

// isSpecial reports whether the numeric d is NaN or an infinity.
func (d Datum) isSpecial() bool { return d.Big != nil && d.Big.Form != apd.Finite }

// NumericScale is the number of fractional digits that the finite numeric d shows.
func (d Datum) NumericScale() int {
	if d.Big != nil {
		return int(-d.Big.Exponent)
	}
	return int(d.Scale)
}

// NumericSign is -1, 0 or 1; 0 for NaN.
func (d Datum) NumericSign() int {
	switch {
	case d.Big == nil:
		return sign(d.I)
	case d.Big.Form == apd.NaN:
		return 0
	case d.Big.Negative:
		return -1
	default:
		return 1
	}
}

func sign(i int64) int {
	switch {
	case i < 0:
		return -1
	case i > 0:
		return 1
	default:
		return 0
	}
}

// coefficient gives the finite numeric d as a big integer over 10^NumericScale. The result is the caller's if scratch was
// used, else it belongs to d; treat it as read-only.
func (d Datum) coefficient(scratch *apd.BigInt) *apd.BigInt {
	if d.Big == nil {
		return scratch.SetInt64(d.I)
	}
	if d.Big.Negative {
		return scratch.Neg(&d.Big.Coeff)
	}
	return &d.Big.Coeff
}

// Decimal gives the numeric d as an apd.Decimal, which is a copy.
func (d Datum) Decimal() *apd.Decimal {
	if d.Big != nil {
		return new(apd.Decimal).Set(d.Big)
	}
	return apd.New(d.I, -int32(d.Scale))
}

// FromDecimal makes a numeric of a decimal, which it does not keep. A positive exponent is multiplied out.
func FromDecimal(x *apd.Decimal) (Datum, error) {
	switch {
	case x.Form == apd.NaN || x.Form == apd.NaNSignaling:
		return NumericNaN, nil
	case x.Form == apd.Infinite && x.Negative:
		return NumericNegInf, nil
	case x.Form == apd.Infinite:
		return NumericInf, nil
	case int64(x.Exponent)+x.NumDigits() > maxNumericIntDigits && x.Coeff.Sign() != 0 || x.Exponent < -MaxScale:
		return Datum{}, numericOverflow()
	}
	c := new(apd.BigInt).Set(&x.Coeff)
	if x.Negative {
		c.Neg(c)
	}
	if x.Exponent > 0 {
		return makeNumeric(c.Mul(c, bigPow10(int(x.Exponent))), 0)
	}
	return makeNumeric(c, int(-x.Exponent))
}

// makeNumeric makes a numeric in its one right form. It keeps c.
func makeNumeric(c *apd.BigInt, scale int) (Datum, error) {
	if c.IsInt64() {
		return Datum{I: c.Int64(), Scale: int16(scale)}, nil
	}
	x := &apd.Decimal{Negative: c.Sign() < 0, Exponent: -int32(scale)}
	x.Coeff.Abs(c)
	if x.NumDigits()-int64(scale) > maxNumericIntDigits {
		return Datum{}, numericOverflow()
	}
	return Datum{Big: x}, nil
}

func numericOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}

// bigPow10 is 10^n.
func bigPow10(n int) *apd.BigInt {
	if n < len(pow10) {
		return apd.NewBigInt(pow10[n])
	}
	return new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(int64(n)), nil)
}

// inputNumeric reads a numeric and applies the precision and scale of t.
func inputNumeric(t Type, text []byte) (Datum, error) {
	d, err := parseNumeric(text)
	if err != nil || t.Mod < 0 {
		return d, err
	}
	return fitNumeric(d, t)
}

// parseNumeric reads [+-]digits[.digits][e[+-]digits], NaN or [+-]Infinity.
func parseNumeric(text []byte) (Datum, error) {
	s := trimSpace(text)
	neg := false
	num := s
	if len(num) > 0 && (num[0] == '-' || num[0] == '+') {
		neg = num[0] == '-'
		num = num[1:]
	}
	var coeff uint64
	digits, scale, i := 0, 0, 0
	seenDot := false
	for ; i < len(num); i++ {
		c := num[i] - '0'
		if c <= 9 {
			digits++
			if seenDot {
				scale++
			}
			if digits <= 18 {
				coeff = coeff*10 + uint64(c)
			}
			continue
		}
		if num[i] != '.' || seenDot {
			break
		}
		seenDot = true
	}
	if digits == 0 {
		return specialNumeric(s, text)
	}
	if i == len(num) && digits <= 18 {
		d := Datum{I: int64(coeff), Scale: int16(scale)}
		if neg {
			d.I = -d.I
		}
		return d, nil
	}
	exp, err := parseExponent(num[i:], text)
	if err != nil {
		return Datum{}, err
	}
	return parseBigNumeric(num[:i], neg, digits, scale, exp)
}

// specialNumeric reads NaN and the infinities; only these have a sign.
func specialNumeric(s, text []byte) (Datum, error) {
	if equalFold(s, "nan") {
		return NumericNaN, nil
	}
	d, num := NumericInf, s
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			d = NumericNegInf
		}
		num = s[1:]
	}
	if equalFold(num, "infinity") || equalFold(num, "inf") {
		return d, nil
	}
	return Datum{}, invalidSyntax("numeric", text)
}

// parseExponent reads what follows the digits: nothing, or an exponent.
func parseExponent(s, text []byte) (int, error) {
	if len(s) == 0 {
		return 0, nil
	}
	if s[0]|0x20 != 'e' {
		return 0, invalidSyntax("numeric", text)
	}
	exp, st := parseInt(s[1:])
	switch {
	case st == intBad:
		return 0, invalidSyntax("numeric", text)
	case st == intOverflow || exp > math.MaxInt32/2 || exp < -math.MaxInt32/2:
		return 0, numericOverflow()
	}
	return int(exp), nil
}

// parseBigNumeric makes a numeric of digits with at most one point, times 10^exp.
func parseBigNumeric(num []byte, neg bool, digits, scale, exp int) (Datum, error) {
	buf := make([]byte, 0, digits)
	for _, c := range num {
		if c != '.' && (c != '0' || len(buf) > 0) { // no leading zeros, so that len(buf) tells the size
			buf = append(buf, c)
		}
	}
	scale -= exp
	if len(buf) == 0 {
		if scale > MaxScale {
			return Datum{}, numericOverflow()
		}
		return Datum{Scale: int16(max(scale, 0))}, nil
	}
	if len(buf)-scale > maxNumericIntDigits || scale > MaxScale {
		return Datum{}, numericOverflow()
	}
	for ; scale < 0; scale++ {
		buf = append(buf, '0')
	}
	c, ok := new(apd.BigInt).SetString(string(buf), 10)
	if !ok {
		return Datum{}, sqlerr.Internal("numeric digits %q", buf)
	}
	if neg {
		c.Neg(c)
	}
	return makeNumeric(c, scale)
}

// fitNumeric rounds d to the scale of t and checks its precision.
func fitNumeric(d Datum, t Type) (Datum, error) {
	precision, scale, ok := t.PrecisionScale()
	if !ok || d.IsNaN() {
		return d, nil
	}
	if d.isSpecial() {
		return Datum{}, numericFieldOverflow(precision, scale).WithDetail(
			"A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
	}
	d, err := NumericRound(d, scale)
	if err != nil {
		return Datum{}, err
	}
	// |d| < 10^(precision-scale) is the same as |coefficient| < 10^(precision-scale+scale of d).
	limit := precision - scale + d.NumericScale()
	if d.Big == nil && limit >= 0 && (limit > 18 || absU64(d.I) < uint64(pow10[limit])) || d.Big == nil && d.I == 0 {
		return d, nil
	}
	if limit >= 0 {
		var c apd.BigInt
		if c.Abs(d.coefficient(&c)).Cmp(bigPow10(limit)) < 0 {
			return d, nil
		}
	}
	bound := "1"
	if precision != scale {
		bound = "10^" + strconv.Itoa(precision-scale)
	}
	return Datum{}, numericFieldOverflow(precision, scale).WithDetail(
		"A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, bound)
}

func numericFieldOverflow(_, _ int) *sqlerr.Error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "numeric field overflow")
}

// appendNumeric writes a numeric with all digits of its scale.
func appendNumeric(dst []byte, d Datum) []byte {
	if d.isSpecial() {
		switch {
		case d.IsNaN():
			return append(dst, "NaN"...)
		case d.Big.Negative:
			return append(dst, "-Infinity"...)
		default:
			return append(dst, "Infinity"...)
		}
	}
	var buf [20]byte
	digits, neg, scale := d.digits(buf[:0])
	if neg {
		dst = append(dst, '-')
	}
	n := len(digits) - scale
	if n <= 0 {
		dst = append(dst, '0', '.')
		for ; n < 0; n++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:n]...)
	if scale > 0 {
		dst = append(dst, '.')
		dst = append(dst, digits[n:]...)
	}
	return dst
}

// digits gives the finite numeric d as decimal digits, appended to buf, that stand for an integer over 10^scale.
func (d Datum) digits(buf []byte) (digits []byte, neg bool, scale int) {
	if d.Big != nil {
		return d.Big.Coeff.Append(buf, 10), d.Big.Negative, int(-d.Big.Exponent)
	}
	return strconv.AppendUint(buf, absU64(d.I), 10), d.I < 0, int(d.Scale)
}

// compareNumeric orders numerics: -Infinity, finite, Infinity, NaN.
func compareNumeric(a, b Datum) int {
	if a.Big == nil && b.Big == nil {
		if a.Scale == b.Scale {
			return compareInt(a.I, b.I)
		}
		if c, ok := compareScaled(a, b); ok {
			return c
		}
	}
	if a.isSpecial() || b.isSpecial() {
		return compareInt(int64(numericRank(a)), int64(numericRank(b)))
	}
	var ca, cb apd.BigInt
	x, y, _ := align(a, b, &ca, &cb)
	return x.Cmp(y)
}

// compareScaled compares small numerics of different scales; ok is false if the numbers are too large for that.
func compareScaled(a, b Datum) (c int, ok bool) {
	if sa, sb := sign(a.I), sign(b.I); sa != sb {
		return compareInt(int64(sa), int64(sb)), true
	}
	x, y := a.I, b.I
	switch diff := int(a.Scale) - int(b.Scale); {
	case diff > 18 || diff < -18:
		return 0, false
	case diff > 0:
		y, ok = mulInt64(y, pow10[diff])
	default:
		x, ok = mulInt64(x, pow10[-diff])
	}
	return compareInt(x, y), ok
}

func numericRank(d Datum) int {
	switch {
	case d.IsNaN():
		return 2
	case d.isSpecial():
		return d.NumericSign()
	default:
		return 0
	}
}

// align gives the coefficients of two finite numerics at the larger of their scales.
func align(a, b Datum, ca, cb *apd.BigInt) (x, y *apd.BigInt, scale int) {
	x, y = a.coefficient(ca), b.coefficient(cb)
	sa, sb := a.NumericScale(), b.NumericScale()
	if sa < sb {
		x = ca.Mul(x, bigPow10(sb-sa))
	} else if sb < sa {
		y = cb.Mul(y, bigPow10(sa-sb))
	}
	return x, y, max(sa, sb)
}

func compareInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}
