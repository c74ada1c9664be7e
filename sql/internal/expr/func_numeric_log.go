package expr

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// What PostgreSQL's NUMERIC_MIN_SIG_DIGITS, NUMERIC_MAX_DISPLAY_SCALE and NUMERIC_MAX_RESULT_SCALE say of results that are
// not exact: at least 16 digits, a bounded scale, and limits for the exponent of e and for the digits before the point.
const (
	minSignificant  = 16
	maxDisplayScale = 1000
	maxExponent     = 6000
	maxResultWeight = 131072
	log10e          = 0.434294481903252
)

func addNumericLogs(m map[string]impl) {
	m["numeric_sqrt"] = numeric1(numericSqrt)
	m["numeric_exp"] = numeric1(numericExp)
	m["numeric_ln"] = numeric1(numericLn)
	m["numeric_log"] = numeric2(numericLog)
	m["numeric_power"] = numeric2(numericPower)
	log10 := func(a types.Datum) (types.Datum, error) { return numericLog(types.NewNumeric(10, 0), a) }
	m["log(numeric)"] = numeric1(log10)
	m["log10(numeric)"] = numeric1(log10)
}

func numericOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
}

// resultScale bounds the scale of an inexact result; it is not less than that of the inputs.
func resultScale(scale int, inputs ...types.Datum) int {
	for _, d := range inputs {
		scale = max(scale, d.NumericScale())
	}
	return max(0, min(scale, maxDisplayScale))
}

// rounded makes the result of a computation with spare digits: coefficient * 10^exponent to scale fractional digits, halves
// away from zero.
func rounded(coefficient *apd.BigInt, exponent, scale int) (types.Datum, error) {
	c := new(apd.BigInt)
	if shift := scale + exponent; shift >= 0 {
		c.Mul(coefficient, powerOf10(shift))
	} else {
		p := powerOf10(-shift)
		r := new(apd.BigInt)
		c.QuoRem(coefficient, p, r)
		if r.Abs(r).Lsh(r, 1).Cmp(p) >= 0 {
			c.Add(c, apd.NewBigInt(int64(coefficient.Sign())))
		}
	}
	return types.FromDecimal(apd.NewWithBigInt(c, int32(-scale)))
}

// roundedDecimal is rounded of a finite decimal.
func roundedDecimal(x *apd.Decimal, scale int) (types.Datum, error) {
	if x.Form != apd.Finite {
		return types.Datum{}, numericOverflow()
	}
	c := new(apd.BigInt).Set(&x.Coeff)
	if x.Negative {
		c.Neg(c)
	}
	return rounded(c, int(x.Exponent), scale)
}

func powerOf10(n int) *apd.BigInt {
	return new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(int64(n)), nil)
}

// working is a context whose results have the given number of correct digits.
func working(digits int) *apd.Context {
	c := apd.BaseContext.WithPrecision(uint32(max(digits, 20)))
	c.Rounding = apd.RoundHalfUp
	return c
}

// weight10000 is the exponent of the first base-10000 digit of a finite number other than 0.
func weight10000(a types.Datum) int {
	return floorDivInt(exponent10(a), 4)
}

// exponent10 is the decimal exponent of the first digit.
func exponent10(a types.Datum) int {
	d := a.Decimal()
	return int(d.NumDigits()) - 1 + int(d.Exponent)
}

func floorDivInt(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func numericSqrt(a types.Datum) (types.Datum, error) {
	switch {
	case a.IsNaN():
		return a, nil
	case a.NumericSign() < 0:
		return types.Datum{}, negativeSqrt()
	case !isFinite(a):
		return a, nil
	}
	weight := 0
	if a.NumericSign() != 0 {
		weight = weight10000(a)
	}
	// The root has half as many digits before the point.
	return sqrtToScale(a, resultScale(minSignificant-((weight+1)*2-1), a))
}

// sqrtToScale is the root of a finite number that is not negative, with a given scale.
func sqrtToScale(a types.Datum, scale int) (types.Datum, error) {
	// The root of the coefficient with 2 (scale+1) fractional digits, cut off, has one digit more than the result. Cutting
	// cannot make a half of what is below or above one: a half would be exact.
	d := a.Decimal()
	c := new(apd.BigInt).Set(&d.Coeff)
	if shift := 2*(scale+1) + int(d.Exponent); shift >= 0 {
		c.Mul(c, powerOf10(shift))
	} else {
		// More fractional digits than twice the result's: those beyond do not matter.
		c.Quo(c, powerOf10(-shift))
	}
	c.Sqrt(c)
	return rounded(c, -(scale + 1), scale)
}

func numericExp(a types.Datum) (types.Datum, error) {
	switch {
	case a.IsNaN():
		return a, nil
	case !isFinite(a):
		if a.NumericSign() < 0 {
			return types.NewNumeric(0, 0), nil
		}
		return a, nil
	}
	return expDecimal(a.Decimal(), a)
}

// expDecimal is e^x with the scale that its size and the inputs' scales ask for.
func expDecimal(x *apd.Decimal, inputs ...types.Datum) (types.Datum, error) {
	f, err := x.Float64()
	switch {
	case err == nil && f <= -maxExponent:
		return types.NumericRound(types.NewNumeric(0, 0), resultScale(maxDisplayScale, inputs...))
	case err != nil || f >= maxExponent:
		return types.Datum{}, numericOverflow()
	}
	weight := int(f * log10e)
	scale := resultScale(minSignificant-weight, inputs...)
	out, err := exponential(working(max(0, weight)+scale+20), x, f)
	if err != nil {
		return types.Datum{}, err
	}
	return roundedDecimal(out, scale)
}

// exponential is e^x, with f about x. The library's series ends after 1000 terms, so a large exponent is halved until they are
// enough and the result squared as often; that costs a digit for every third time.
func exponential(c *apd.Context, x *apd.Decimal, f float64) (*apd.Decimal, error) {
	part, halved := new(apd.Decimal).Set(x), 0
	limit := 100.0
	if c.Precision > 500 {
		limit = 1e-4
	}
	for ; math.Abs(f) > limit; f /= 2 {
		if _, err := c.Quo(part, part, apd.New(2, 0)); err != nil {
			return nil, err
		}
		halved++
	}
	out := new(apd.Decimal)
	if _, err := c.Exp(out, part); err != nil {
		return nil, err
	}
	for range halved {
		if _, err := c.Mul(out, out, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lnWeight estimates the decimal exponent of ln(a) as PostgreSQL does, cutting towards zero.
func lnWeight(a types.Datum) int {
	one := types.NewNumeric(1, 0)
	near, _ := types.NumericSub(a, one)
	if near.NumericSign() == 0 {
		return 0
	}
	if abs := types.NumericAbs(near); types.Compare(types.Numeric, abs, types.NewNumeric(1, 1)) <= 0 {
		// Near 1, ln(1+x) is about x.
		return exponent10(near)
	}
	ln := log10Of(a) * math.Ln10
	return int(math.Log10(math.Abs(ln)))
}

// checkLog refuses what has no logarithm; done is true for special values, whose logarithm is themselves.
func checkLog(a types.Datum) (done bool, err error) {
	switch {
	case a.IsNaN():
		return true, nil
	case a.NumericSign() < 0:
		return false, logOfNegative()
	case a.NumericSign() == 0:
		return false, logOfZero()
	}
	return !isFinite(a), nil
}

func numericLn(a types.Datum) (types.Datum, error) {
	if done, err := checkLog(a); done || err != nil {
		return a, err
	}
	scale := resultScale(minSignificant-lnWeight(a), a)
	ln, err := lnDecimal(a, scale+12)
	if err != nil {
		return a, err
	}
	return roundedDecimal(ln, scale)
}

// lnDecimal is ln(a) with the given number of correct fractional digits.
func lnDecimal(a types.Datum, fraction int) (*apd.Decimal, error) {
	c := working(fraction + max(0, lnWeight(a)) + 8)
	out := new(apd.Decimal)
	e := exponent10(a)
	if e >= -2 && e <= 2 {
		d := leading(a, int(c.Precision), e)
		_, err := c.Ln(out, d)
		return out, err
	}
	// ln(m * 10^e) = ln(m) + e ln(10), with m from 1 to 10: far from 1 nothing cancels, and the exponent is out of the way.
	ln10 := new(apd.Decimal)
	if _, err := c.Ln(out, leading(a, int(c.Precision), 0)); err != nil {
		return nil, err
	}
	if _, err := c.Ln(ln10, apd.New(10, 0)); err != nil {
		return nil, err
	}
	if _, err := c.Mul(ln10, ln10, apd.New(int64(e), 0)); err != nil {
		return nil, err
	}
	_, err := c.Add(out, out, ln10)
	return out, err
}

func numericLog(base, a types.Datum) (types.Datum, error) {
	baseDone, err := checkLog(base)
	if err != nil {
		return base, err
	}
	done, err := checkLog(a)
	if err != nil {
		return a, err
	}
	switch {
	case base.IsNaN() || a.IsNaN():
		return types.NumericNaN, nil
	case baseDone && done:
		return types.NumericNaN, nil
	case baseDone:
		return types.NewNumeric(0, 0), nil
	case done:
		return a, nil
	}
	scale := resultScale(minSignificant-(lnWeight(a)-lnWeight(base)), base, a)
	lnBase, err := lnDecimal(base, scale+24)
	if err != nil {
		return base, err
	}
	if lnBase.IsZero() {
		return types.Datum{}, types.DivisionByZero()
	}
	ln, err := lnDecimal(a, scale+24)
	if err != nil {
		return a, err
	}
	out := new(apd.Decimal)
	if _, err := working(scale+32+max(0, lnWeight(a)-lnWeight(base))).Quo(out, ln, lnBase); err != nil {
		return types.Datum{}, numericOverflow()
	}
	return roundedDecimal(out, scale)
}

func numericPower(a, b types.Datum) (types.Datum, error) {
	if !isFinite(a) || !isFinite(b) {
		return powerSpecial(a, b)
	}
	whole, err := types.NumericTrunc(b, 0)
	if err != nil {
		return whole, err
	}
	integer := types.Compare(types.Numeric, whole, b) == 0
	switch {
	case a.NumericSign() == 0 && b.NumericSign() < 0:
		return types.Datum{}, zeroToNegativePower()
	case a.NumericSign() < 0 && !integer:
		return types.Datum{}, complexPower()
	case integer && whole.Big == nil && whole.I == int64(int32(whole.I)):
		return powerInt(a, whole.I)
	case a.NumericSign() == 0:
		return types.NumericRound(types.NewNumeric(0, 0), minSignificant)
	}
	base := types.NumericAbs(a)
	odd := false
	if a.NumericSign() < 0 {
		half, err := types.NumericMod(whole, types.NewNumeric(2, 0))
		if err != nil {
			return half, err
		}
		odd = half.NumericSign() != 0
	}
	exponent, err := powerExponent(base, b)
	if err != nil {
		return base, err
	}
	result, err := expDecimal(exponent, a, b)
	if err == nil && odd {
		result = types.NumericNeg(result)
	}
	return result, err
}

// powerExponent is b ln(base), with as many digits as its exponential needs.
func powerExponent(base, b types.Datum) (*apd.Decimal, error) {
	width := int(b.Decimal().NumDigits())
	multiply := func(fraction int) (*apd.Decimal, error) {
		ln, err := lnDecimal(base, fraction)
		if err != nil {
			return nil, err
		}
		_, err = working(2*(fraction+width)).Mul(ln, ln, b.Decimal())
		return ln, err
	}
	estimate, err := multiply(40 + width)
	if err != nil {
		return nil, err
	}
	f, err := estimate.Float64()
	if err != nil || math.Abs(f) >= maxExponent {
		return estimate, nil // out of range as it is
	}
	scale := resultScale(minSignificant-int(f*log10e), base, b)
	return multiply(max(0, int(f*log10e)) + scale + 40 + width)
}

// scaled is coefficient * 10^exponent.
type scaled struct {
	coefficient *apd.BigInt
	exponent    int
}

// times multiplies and keeps about the given number of digits.
func (s scaled) times(o scaled, digits int) scaled {
	p := scaled{new(apd.BigInt).Mul(s.coefficient, o.coefficient), s.exponent + o.exponent}
	// A bit is 0.30103 digits.
	if excess := int(float64(p.coefficient.BitLen())*0.30103) - digits; excess > 0 {
		p.coefficient.Quo(p.coefficient, powerOf10(excess))
		p.exponent += excess
	}
	return p
}

// powerInt raises to an integer: 16 fractional digits, or those of a.
func powerInt(a types.Datum, n int64) (types.Datum, error) {
	scale := resultScale(minSignificant, a)
	switch {
	case n == 0:
		return types.NumericRound(types.NewNumeric(1, 0), scale)
	case a.NumericSign() == 0:
		return types.NumericRound(types.NewNumeric(0, 0), scale)
	}
	d := a.Decimal()
	weight := log10Of(a) * float64(n)
	switch {
	case weight > maxResultWeight:
		return types.Datum{}, numericOverflow()
	case weight < -float64(scale)-4:
		return types.NumericRound(types.NewNumeric(0, 0), scale)
	}
	// Squaring loses a digit a step; 40 spare ones cover the 31 steps of an int32.
	digits := int(math.Abs(weight)) + scale + 40 + int(d.NumDigits())
	result, power := scaled{apd.NewBigInt(1), 0}, scaled{new(apd.BigInt).Set(&d.Coeff), int(d.Exponent)}
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 == 1 {
			result = result.times(power, digits)
		}
		if k > 1 {
			power = power.times(power, digits)
		}
	}
	if n < 0 {
		// 1 / (c * 10^e) = (10^k / c) * 10^(-k-e), with k for as many digits as c has and the result needs.
		k := 2 * digits
		result = scaled{new(apd.BigInt).Quo(powerOf10(k), result.coefficient), -k - result.exponent}
	}
	if a.NumericSign() < 0 && n%2 != 0 {
		result.coefficient.Neg(result.coefficient)
	}
	return rounded(result.coefficient, result.exponent, scale)
}

// log10Of is the decimal logarithm of |a|, about.
func log10Of(a types.Datum) float64 {
	lead, _ := leading(a, 20, 0).Float64()
	return math.Log10(lead) + float64(exponent10(a))
}

// leading is the first digits of |a|, as a number whose first digit counts 10^e.
func leading(a types.Datum, digits, e int) *apd.Decimal {
	d := a.Decimal()
	n := int(d.NumDigits())
	c := new(apd.BigInt).Set(&d.Coeff)
	if n > digits {
		c.Quo(c, powerOf10(n-digits))
		n = digits
	}
	return apd.NewWithBigInt(c, int32(e-n+1))
}

// powerSpecial is the power where one side is NaN or infinite, by the rules of float8.
func powerSpecial(a, b types.Datum) (types.Datum, error) {
	one := types.NewNumeric(1, 0)
	switch {
	case a.IsNaN() && isFinite(b) && b.NumericSign() == 0, b.IsNaN() && types.Compare(types.Numeric, a, one) == 0:
		return one, nil
	case a.IsNaN() || b.IsNaN():
		return types.NumericNaN, nil
	}
	toFloat := func(d types.Datum) float64 {
		if !isFinite(d) {
			return math.Inf(d.NumericSign())
		}
		f, err := types.NumericToFloat(d)
		if err != nil {
			return math.Copysign(math.MaxFloat64, float64(d.NumericSign()))
		}
		return f
	}
	f, err := floatPower(toFloat(a), toFloat(b))
	switch {
	case err != nil:
		return types.Datum{}, err
	case math.IsInf(f, 1):
		return types.NumericInf, nil
	case math.IsInf(f, -1):
		return types.NumericNegInf, nil
	default:
		return types.NewNumeric(int64(f), 0), nil
	}
}
