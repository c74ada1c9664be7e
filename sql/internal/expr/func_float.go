package expr

import (
	"math"
	"math/rand/v2"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// floatFuncs are the arithmetic of float4 and float8, and the mathematical functions of float8.
var floatFuncs = makeFloatFuncs()

func makeFloatFuncs() map[string]impl {
	m := map[string]impl{}
	for _, name := range []string{"float8", "float48", "float84"} {
		addFloatArithmetic(m, name, func(f float64) (types.Datum, error) { return types.NewFloat(f), nil })
	}
	// Arithmetic in float64 and one rounding gives what arithmetic in float32 does.
	addFloatArithmetic(m, "float4", types.Float8To4)
	for _, name := range []string{"float4", "float8"} {
		m[name+"um"] = float1(func(a float64) (float64, error) { return -a, nil })
		m[name+"up"] = float1(func(a float64) (float64, error) { return a, nil })
		m[name+"abs"] = float1(func(a float64) (float64, error) { return math.Abs(a), nil })
	}
	for name, f := range map[string]func(float64) float64{
		"dceil": math.Ceil, "dfloor": math.Floor, "dround": math.RoundToEven, "dtrunc": math.Trunc, "dcbrt": math.Cbrt,
		"datan": math.Atan, "dtanh": math.Tanh, "dasinh": math.Asinh,
		"degrees": func(x float64) float64 { return x / radiansPerDegree },
		"radians": func(x float64) float64 { return x * radiansPerDegree },
	} {
		m[name] = float1(func(a float64) (float64, error) { return f(a), nil })
	}
	m["dsign"] = float1(floatSign)
	m["dsqrt"] = float1(floatSqrt)
	m["dexp"] = float1(floatExp)
	m["dlog1"] = float1(func(a float64) (float64, error) { return floatLog(a, math.Log) })
	m["dlog10"] = float1(func(a float64) (float64, error) { return floatLog(a, log10) })
	m["dpow"] = float2(floatPower)
	m["datan2"] = float2(func(a, b float64) (float64, error) { return math.Atan2(a, b), nil })
	addTrigonometry(m)
	m["dpi"] = impl{f0: func(*EvalContext) (types.Datum, error) { return types.NewFloat(math.Pi), nil }}
	m["drandom"] = impl{f0: func(*EvalContext) (types.Datum, error) { return types.NewFloat(rand.Float64()), nil }}
	return m
}

func float1(f func(a float64) (float64, error)) impl {
	return impl{f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) {
		c, err := f(a.Float())
		return types.NewFloat(c), err
	}}
}

func float2(f func(a, b float64) (float64, error)) impl {
	return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		c, err := f(a.Float(), b.Float())
		return types.NewFloat(c), err
	}}
}

func addFloatArithmetic(m map[string]impl, name string, result func(float64) (types.Datum, error)) {
	add := func(op string, f func(a, b float64) (float64, error)) {
		m[name+op] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			c, err := f(a.Float(), b.Float())
			if err != nil {
				return types.Datum{}, err
			}
			return result(c)
		}}
	}
	add("pl", floatAdd)
	add("mi", floatSub)
	add("mul", floatMul)
	add("div", floatDiv)
}

func floatAdd(a, b float64) (float64, error) {
	c := a + b
	if math.IsInf(c, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return 0, types.FloatOverflow()
	}
	return c, nil
}

func floatSub(a, b float64) (float64, error) { return floatAdd(a, -b) }

func floatMul(a, b float64) (float64, error) {
	c := a * b
	switch {
	case math.IsInf(c, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0):
		return 0, types.FloatOverflow()
	case c == 0 && a != 0 && b != 0:
		return 0, types.FloatUnderflow()
	}
	return c, nil
}

func floatDiv(a, b float64) (float64, error) {
	if b == 0 && !math.IsNaN(a) {
		return 0, types.DivisionByZero()
	}
	c := a / b
	switch {
	case math.IsInf(c, 0) && !math.IsInf(a, 0):
		return 0, types.FloatOverflow()
	case c == 0 && a != 0 && !math.IsInf(b, 0):
		return 0, types.FloatUnderflow()
	}
	return c, nil
}

func floatSign(a float64) (float64, error) {
	switch {
	case a > 0:
		return 1, nil
	case a < 0:
		return -1, nil
	case math.IsNaN(a):
		return a, nil
	default:
		return 0, nil
	}
}

func negativeSqrt() error {
	return sqlerr.New(sqlerr.InvalidArgumentForPowerFunction, "cannot take square root of a negative number")
}

func logOfZero() error {
	return sqlerr.New(sqlerr.InvalidArgumentForLogarithm, "cannot take logarithm of zero")
}

func logOfNegative() error {
	return sqlerr.New(sqlerr.InvalidArgumentForLogarithm, "cannot take logarithm of a negative number")
}

func zeroToNegativePower() error {
	return sqlerr.New(sqlerr.InvalidArgumentForPowerFunction, "zero raised to a negative power is undefined")
}

func complexPower() error {
	return sqlerr.New(sqlerr.InvalidArgumentForPowerFunction, "a negative number raised to a non-integer power yields a complex result")
}

func floatSqrt(a float64) (float64, error) {
	if a < 0 {
		return 0, negativeSqrt()
	}
	return math.Sqrt(a), nil
}

func floatExp(a float64) (float64, error) {
	c := math.Exp(a)
	switch {
	case math.IsInf(c, 0) && !math.IsInf(a, 0):
		return 0, types.FloatOverflow()
	case c == 0 && !math.IsInf(a, 0):
		return 0, types.FloatUnderflow()
	}
	return c, nil
}

func floatLog(a float64, log func(float64) float64) (float64, error) {
	switch {
	case a == 0:
		return 0, logOfZero()
	case a < 0:
		return 0, logOfNegative()
	}
	return log(a), nil
}

// log10 is exact for powers of ten.
func log10(a float64) float64 {
	y := math.Log10(a)
	if r := math.Round(y); math.Abs(y-r) < 1e-12 && math.Pow10(int(r)) == a {
		return r
	}
	return y
}

func floatPower(a, b float64) (float64, error) {
	switch {
	case a == 0 && b < 0:
		return 0, zeroToNegativePower()
	case a < 0 && !math.IsInf(a, 0) && b != math.Trunc(b) && !math.IsNaN(b):
		return 0, complexPower()
	}
	c := pow(a, b)
	switch {
	case math.IsInf(a, 0) || math.IsInf(b, 0):
	case math.IsInf(c, 0):
		return 0, types.FloatOverflow()
	case c == 0 && a != 0:
		return 0, types.FloatUnderflow()
	}
	return c, nil
}

// maxExactPower is the largest integer exponent for which pow multiplies.
const maxExactPower = 512

// pow is a^b. For small integers it multiplies pairs of floats, whose sum carries twice the digits, so that the result is
// the nearest float, as the C library's is; math.Pow may be off by one in the last digit.
func pow(a, b float64) float64 {
	plain := math.Pow(a, b)
	if b != math.Trunc(b) || math.Abs(b) > maxExactPower || a == 0 || math.IsInf(plain, 0) || math.IsNaN(plain) ||
		math.Abs(plain) < 1e-290 || math.Abs(plain) > 1e290 {
		return plain
	}
	multiply := func(x, xe, y, ye float64) (float64, float64) {
		p := x * y
		e := math.FMA(x, y, -p) + (x*ye + xe*y)
		s := p + e
		return s, e - (s - p)
	}
	r, re := 1.0, 0.0
	x, xe := a, 0.0
	for n := int(math.Abs(b)); n > 0; n >>= 1 {
		if n&1 == 1 {
			r, re = multiply(r, re, x, xe)
		}
		if n > 1 {
			x, xe = multiply(x, xe, x, xe)
		}
	}
	if b > 0 {
		return r
	}
	// 1/(r+re): the quotient and what it misses.
	q := 1 / r
	return q + q*(math.FMA(-q, r, 1)-q*re)
}

// addTrigonometry adds the functions that have no value at the infinities or outside of a range.
func addTrigonometry(m map[string]impl) {
	outOfRange := func() error { return sqlerr.New(sqlerr.NumericValueOutOfRange, "input is out of range") }
	add := func(name string, f func(float64) float64, ok func(float64) bool) {
		m[name] = float1(func(a float64) (float64, error) {
			if !math.IsNaN(a) && !ok(a) {
				return 0, outOfRange()
			}
			return f(a), nil
		})
	}
	finite := func(a float64) bool { return !math.IsInf(a, 0) }
	unit := func(a float64) bool { return a >= -1 && a <= 1 }
	add("dsin", math.Sin, finite)
	add("dcos", math.Cos, finite)
	add("dtan", math.Tan, finite)
	add("dcot", func(a float64) float64 { return 1 / math.Tan(a) }, finite)
	add("dasin", math.Asin, unit)
	add("dacos", math.Acos, unit)
	always := func(float64) bool { return true }
	add("dsinh", math.Sinh, always)
	add("dcosh", math.Cosh, always)
	add("dacosh", math.Acosh, func(a float64) bool { return a >= 1 })
	add("datanh", math.Atanh, unit)
	add("dsind", sinDegrees, finite)
	add("dcosd", func(a float64) float64 { return sinDegrees(90-math.Mod(math.Abs(a), 360)) + 0 }, finite)
	add("dtand", tanDegrees, finite)
	add("dcotd", func(a float64) float64 { return 1 / tanDegrees(a) }, finite)
	add("dasind", func(a float64) float64 { return math.Copysign(arcSinDegrees(math.Abs(a)), a) }, unit)
	add("dacosd", func(a float64) float64 {
		if a < 0 {
			return 90 + arcSinDegrees(-a)
		}
		return 90 - arcSinDegrees(a)
	}, unit)
	add("datand", func(a float64) float64 { return math.Atan(a) / math.Atan(1) * 45 }, always)
	m["datan2d"] = float2(func(a, b float64) (float64, error) { return math.Atan2(a, b) / math.Atan(1) * 45, nil })
}

// radiansPerDegree is a variable so that products are rounded as those of other degrees are.
var radiansPerDegree = 0.0174532925199432957692

// The functions of degrees are exact where school is: at multiples of 30 and 45 degrees. As in PostgreSQL each is put together
// of a sine up to 30 and a cosine up to 60 degrees, scaled to be right at their ends.

var (
	sin30         = math.Sin(30 * radiansPerDegree)
	oneMinusCos60 = 1 - math.Cos(60*radiansPerDegree)
	tan45         = sinFirstQuadrant(45) / sinFirstQuadrant(45)
)

// sinFirstQuadrant is the sine of 0 to 90 degrees.
func sinFirstQuadrant(a float64) float64 {
	if a <= 30 {
		return math.Sin(a*radiansPerDegree) / sin30 / 2
	}
	return 1 - (1-math.Cos((90-a)*radiansPerDegree))/oneMinusCos60/2
}

func sinDegrees(a float64) float64 {
	a = math.Mod(a, 360)
	sign := 1.0
	if a < 0 {
		a, sign = -a, -sign
	}
	if a > 180 {
		a, sign = 360-a, -sign
	}
	if a > 90 {
		a = 180 - a
	}
	return sign * sinFirstQuadrant(a)
}

func tanDegrees(a float64) float64 {
	a = math.Mod(a, 360)
	sign := 1.0
	if a < 0 {
		a, sign = -a, -sign
	}
	if a > 180 {
		a, sign = 360-a, -sign
	}
	if a > 90 {
		a, sign = 180-a, -sign
	}
	return sign * (sinFirstQuadrant(a) / sinFirstQuadrant(90-a) / tan45)
}

// arcSinDegrees is the angle of a sine from 0 to 1.
func arcSinDegrees(a float64) float64 {
	if a <= 0.5 {
		return math.Asin(a) / math.Asin(0.5) * 30
	}
	return 90 - math.Acos(a)/math.Acos(0.5)*60
}
