package expr

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// What PostgreSQL's NUMERIC_MIN_SIG_DIGITS, NUMERIC_MAX_DISPLAY_SCALE and NUMERIC_MAX_RESULT_SCALE say of results that are
// not exact: at least 16 digits, a bounded scale, and a limit for exponents.
const (
	minSignificant  = 16
	maxDisplayScale = 1000
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

// rounded makes the result of a computation with spare digits.
func rounded(x *apd.Decimal, scale int) (types.Datum, error) {
	c := apd.BaseContext.WithPrecision(uint32(max(1, x.NumDigits()+int64(max(0, x.Exponent))+int64(scale)+4)))
	c.Rounding = apd.RoundHalfUp
	out := new(apd.Decimal)
	if _, err := c.Quantize(out, x, int32(-scale)); err != nil {
		return types.Datum{}, numericOverflow()
	}
	return types.FromDecimal(out)
}

// working is a context whose results have the given number of correct digits.
func working(digits int) *apd.Context {
	c := apd.BaseContext.WithPrecision(uint32(max(digits, 20)))
	c.Rounding = apd.RoundHalfUp
	c.Traps = 0
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
	ten := apd.NewBigInt(10)
	shift := 2*(scale+1) + int(d.Exponent)
	if shift < 0 {
		// More fractional digits than twice the result's: those beyond do not matter.
		c.Quo(c, new(apd.BigInt).Exp(ten, apd.NewBigInt(int64(-shift)), nil))
		shift = 0
	}
	c.Mul(c, new(apd.BigInt).Exp(ten, apd.NewBigInt(int64(shift)), nil))
	c.Sqrt(c)
	return rounded(apd.NewWithBigInt(c, int32(-(scale+1))), scale)
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
	if err != nil || math.Abs(f) >= 3*maxResultWeight {
		if err == nil && f < 0 {
			return types.NumericRound(types.NewNumeric(0, 0), resultScale(maxDisplayScale, inputs...))
		}
		return types.Datum{}, numericOverflow()
	}
	weight := int(f * log10e)
	if weight > maxResultWeight {
		return types.Datum{}, numericOverflow()
	}
	scale := resultScale(minSignificant-weight, inputs...)
	out := new(apd.Decimal)
	if _, err := working(max(0, weight)+scale+12).Exp(out, x); err != nil {
		return types.Datum{}, numericOverflow()
	}
	return rounded(out, scale)
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
	d := a.Decimal()
	c := &apd.Decimal{Coeff: *new(apd.BigInt).Set(&d.Coeff), Exponent: -int32(d.NumDigits() - 1)}
	lead, _ := c.Float64()
	ln := math.Log(lead) + float64(exponent10(a))*math.Ln10
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
	return rounded(lnDecimal(a, scale+12), scale)
}

// lnDecimal is ln(a) with the given number of correct fractional digits.
func lnDecimal(a types.Datum, fraction int) *apd.Decimal {
	out := new(apd.Decimal)
	d := a.Decimal()
	// Near 1 digits cancel: as many as there are zeros behind the point.
	_, _ = working(fraction+int(d.NumDigits())+max(0, lnWeight(a))+8).Ln(out, d)
	return out
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
	ln := lnDecimal(base, scale+24)
	if ln.IsZero() {
		return types.Datum{}, types.DivisionByZero()
	}
	out := new(apd.Decimal)
	_, _ = working(scale+32+max(0, lnWeight(a)-lnWeight(base))).Quo(out, lnDecimal(a, scale+24), ln)
	return rounded(out, scale)
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
	exponent := new(apd.Decimal)
	_, _ = working(60+int(b.Decimal().NumDigits())).Mul(exponent, lnDecimal(base, 40+int(b.Decimal().NumDigits())), b.Decimal())
	// A large result needs as many more digits of its exponent.
	if f, err := exponent.Float64(); err == nil && math.Abs(f) < 3*maxResultWeight {
		digits := int(math.Abs(f)*log10e) + 60 + int(b.Decimal().NumDigits())
		_, _ = working(2*digits).Mul(exponent, lnDecimal(base, digits), b.Decimal())
	}
	result, err := expDecimal(exponent, a, b)
	if err == nil && odd {
		result = types.NumericNeg(result)
	}
	return result, err
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
	lead, _ := d.Float64()
	weight := math.Log10(math.Abs(lead)) * float64(n)
	if math.IsInf(weight, 0) || math.IsNaN(weight) {
		weight = float64(exponent10(a)) * float64(n)
	}
	switch {
	case weight > maxResultWeight:
		return types.Datum{}, numericOverflow()
	case weight < -float64(scale)-4:
		return types.NumericRound(types.NewNumeric(0, 0), scale)
	}
	// Squaring loses a digit a step; 40 spare ones cover the 31 steps of an int32.
	c := working(int(math.Abs(weight)) + scale + 40 + int(d.NumDigits()))
	result, power := apd.New(1, 0), new(apd.Decimal).Set(d)
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 == 1 {
			_, _ = c.Mul(result, result, power)
		}
		_, _ = c.Mul(power, power, power)
	}
	if n < 0 {
		_, _ = c.Quo(result, apd.New(1, 0), result)
	}
	return rounded(result, scale)
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
