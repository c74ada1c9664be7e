package expr

import (
	"math"

	"minidb/sql/types"
)

// addVariances adds the averages of floats, and variance and standard deviation of a sample (stddev, variance) or of a
// whole population.
func addVariances(m map[string]aggImpl) {
	kinds := map[string]varianceKind{
		"var_samp": {sample: true}, "variance": {sample: true}, "var_pop": {},
		"stddev_samp": {sample: true, root: true}, "stddev": {sample: true, root: true}, "stddev_pop": {root: true},
	}
	for name, k := range kinds {
		for _, t := range []string{"int2", "int4", "int8"} {
			m[name+"("+t+")"] = aggImpl{make: func(*Aggregate) accumulator { return &numericVariance{varianceKind: k} }, strict: true}
		}
		m[name+"(numeric)"] = aggImpl{make: func(*Aggregate) accumulator { return &numericVariance{varianceKind: k} }, strict: true}
		for _, t := range []string{"float4", "float8"} {
			m[name+"("+t+")"] = aggImpl{make: func(*Aggregate) accumulator { return &floatVariance{varianceKind: k} }, strict: true}
		}
	}
	for _, t := range []string{"float4", "float8"} {
		m["avg("+t+")"] = aggImpl{make: func(*Aggregate) accumulator { return &floatVariance{average: true} }, strict: true}
	}
}

type varianceKind struct {
	sample bool // divide by n-1
	root   bool // standard deviation
}

// floatVariance is the method of Youngs and Cramer, as in PostgreSQL.
type floatVariance struct {
	varianceKind
	average    bool
	n, sum, sq float64 // sq: sum of the squares of the distances from the average
}

func (v *floatVariance) add(_ *EvalContext, args []types.Datum) error {
	x := args[0].Float()
	n, sum := v.n, v.sum
	v.n++
	v.sum += x
	if n == 0 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			v.sq = math.NaN()
		}
		return nil
	}
	d := x*v.n - v.sum
	v.sq += d * d / (v.n * n)
	if math.IsInf(v.sum, 0) || math.IsInf(v.sq, 0) {
		if !math.IsInf(sum, 0) && !math.IsInf(x, 0) {
			return types.FloatOverflow()
		}
		v.sq = math.NaN()
	}
	return nil
}

func (v *floatVariance) result(*EvalContext) (types.Datum, error) {
	if v.n == 0 || v.sample && v.n < 2 {
		return types.NullDatum, nil
	}
	if v.average {
		return types.NewFloat(v.sum / v.n), nil
	}
	r := v.sq / v.n
	if v.sample {
		r = v.sq / (v.n - 1)
	}
	if v.root {
		r = math.Sqrt(r)
	}
	return types.NewFloat(r), nil
}
func (v *floatVariance) bytes() int { return 0 }

// numericVariance is exact but for the last division and root. Integers are numerics here.
type numericVariance struct {
	varianceKind
	n       int64
	sum, sq types.Datum
}

func (v *numericVariance) add(_ *EvalContext, args []types.Datum) error {
	x := args[0]
	square, err := types.NumericMul(x, x)
	if err != nil {
		return err
	}
	if v.sum, err = types.NumericAdd(v.sum, x); err != nil {
		return err
	}
	v.sq, err = types.NumericAdd(v.sq, square)
	v.n++
	return err
}

func (v *numericVariance) result(*EvalContext) (types.Datum, error) {
	switch {
	case v.n == 0 || v.sample && v.n < 2:
		return types.NullDatum, nil
	case !isFinite(v.sum) || !isFinite(v.sq):
		return types.NumericNaN, nil
	}
	// (n * sum of squares - square of sum) / (n * (n-1)), or / (n * n).
	n := types.NewNumeric(v.n, 0)
	square, err := types.NumericMul(v.sum, v.sum)
	if err != nil {
		return square, err
	}
	top, err := types.NumericMul(n, v.sq)
	if err != nil {
		return top, err
	}
	if top, err = types.NumericSub(top, square); err != nil {
		return top, err
	}
	if top.NumericSign() <= 0 {
		return types.NewNumeric(0, 0), nil
	}
	below := n
	if v.sample {
		below = types.NewNumeric(v.n-1, 0)
	}
	if below, err = types.NumericMul(n, below); err != nil {
		return below, err
	}
	r, err := types.NumericDiv(top, below)
	if err != nil || !v.root {
		return r, err
	}
	return sqrtToScale(r, r.NumericScale())
}
func (v *numericVariance) bytes() int { return numericBytes(v.sum) + numericBytes(v.sq) }
