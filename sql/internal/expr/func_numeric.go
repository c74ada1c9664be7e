package expr

import (
	"github.com/cockroachdb/apd/v3"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// numericFuncs are the arithmetic of numeric; its roots, powers and logarithms are in func_numeric_log.go.
var numericFuncs = makeNumericFuncs()

func makeNumericFuncs() map[string]impl {
	m := map[string]impl{
		"numeric_add":        numeric2(types.NumericAdd),
		"numeric_sub":        numeric2(types.NumericSub),
		"numeric_mul":        numeric2(types.NumericMul),
		"numeric_div":        numeric2(types.NumericDiv),
		"numeric_mod":        numeric2(types.NumericMod),
		"numeric_div_trunc":  numeric2(numericDivTrunc),
		"numeric_gcd":        numeric2(numericGCD),
		"numeric_lcm":        numeric2(numericLCM),
		"numeric_uplus":      numeric1(func(a types.Datum) (types.Datum, error) { return a, nil }),
		"numeric_uminus":     numeric1(func(a types.Datum) (types.Datum, error) { return types.NumericNeg(a), nil }),
		"numeric_abs":        numeric1(func(a types.Datum) (types.Datum, error) { return types.NumericAbs(a), nil }),
		"numeric_ceil":       numeric1(types.NumericCeil),
		"numeric_floor":      numeric1(types.NumericFloor),
		"numeric_sign":       numeric1(numericSign),
		"numeric_trim_scale": numeric1(func(a types.Datum) (types.Datum, error) { return types.NumericRound(a, minScale(a)) }),
		"numeric_scale":      numeric1(func(a types.Datum) (types.Datum, error) { return scaleOrNull(a, types.Datum.NumericScale), nil }),
		"numeric_min_scale":  numeric1(func(a types.Datum) (types.Datum, error) { return scaleOrNull(a, minScale), nil }),
		"round(numeric)":     numeric1(func(a types.Datum) (types.Datum, error) { return types.NumericRound(a, 0) }),
		"trunc(numeric)":     numeric1(func(a types.Datum) (types.Datum, error) { return types.NumericTrunc(a, 0) }),
		"numeric_round":      numericToScale(types.NumericRound),
		"numeric_trunc":      numericToScale(types.NumericTrunc),
		"numeric_fac":        {f1: factorial},
	}
	addNumericLogs(m)
	return m
}

func numeric1(f func(a types.Datum) (types.Datum, error)) impl {
	return impl{f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return f(a) }}
}

func numeric2(f func(a, b types.Datum) (types.Datum, error)) impl {
	return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return f(a, b) }}
}

func numericToScale(f func(a types.Datum, scale int) (types.Datum, error)) impl {
	return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		// What lies beyond this changes nothing.
		return f(a, int(max(-types.MaxScale*8, min(b.I, types.MaxScale))))
	}}
}

// isFinite tells a number from NaN and the infinities.
func isFinite(a types.Datum) bool { return a.Big == nil || a.Big.Form == apd.Finite }

func numericSign(a types.Datum) (types.Datum, error) {
	if a.IsNaN() {
		return a, nil
	}
	return types.NewNumeric(int64(a.NumericSign()), 0), nil
}

func scaleOrNull(a types.Datum, scale func(types.Datum) int) types.Datum {
	if !isFinite(a) {
		return types.NullDatum
	}
	return types.NewInt(int64(scale(a)))
}

// minScale is the least scale that loses no digit.
func minScale(a types.Datum) int {
	if !isFinite(a) {
		return 0
	}
	d, _ := new(apd.Decimal).Reduce(a.Decimal())
	return int(max(-d.Exponent, 0))
}

// numericDivTrunc is the quotient without its fraction.
func numericDivTrunc(a, b types.Datum) (types.Datum, error) {
	if !isFinite(a) || !isFinite(b) {
		return types.NumericDiv(a, b)
	}
	r, err := types.NumericMod(a, b)
	if err != nil {
		return r, err
	}
	whole, err := types.NumericSub(a, r)
	if err != nil {
		return whole, err
	}
	// a - r is a multiple of b, so the quotient is exact.
	q, err := types.NumericDiv(whole, b)
	if err != nil {
		return q, err
	}
	return types.NumericRound(q, 0)
}

func numericGCD(a, b types.Datum) (types.Datum, error) {
	if !isFinite(a) || !isFinite(b) {
		return types.NumericNaN, nil
	}
	scale := max(a.NumericScale(), b.NumericScale())
	for b.NumericSign() != 0 {
		r, err := types.NumericMod(a, b)
		if err != nil {
			return r, err
		}
		a, b = b, r
	}
	return types.NumericRound(types.NumericAbs(a), scale)
}

func numericLCM(a, b types.Datum) (types.Datum, error) {
	if !isFinite(a) || !isFinite(b) {
		return types.NumericNaN, nil
	}
	scale := max(a.NumericScale(), b.NumericScale())
	if a.NumericSign() == 0 || b.NumericSign() == 0 {
		return types.NumericRound(types.NewNumeric(0, 0), scale)
	}
	g, err := numericGCD(a, b)
	if err != nil {
		return g, err
	}
	q, err := numericDivTrunc(a, g)
	if err != nil {
		return q, err
	}
	c, err := types.NumericMul(q, b)
	if err != nil {
		return c, err
	}
	return types.NumericRound(types.NumericAbs(c), scale)
}

// maxFactorial is the largest argument whose factorial numeric holds.
const maxFactorial = 32177

func factorial(ec *EvalContext, a types.Datum) (types.Datum, error) {
	switch {
	case a.I < 0:
		return types.Datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "factorial of a negative number is undefined")
	case a.I > maxFactorial:
		return types.Datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	product := apd.NewBigInt(1)
	for i := int64(2); i <= a.I; i++ {
		if i%1024 == 0 && ec.context().Err() != nil {
			return types.Datum{}, ec.canceled()
		}
		product.Mul(product, apd.NewBigInt(i))
	}
	return types.FromDecimal(apd.NewWithBigInt(product, 0))
}
