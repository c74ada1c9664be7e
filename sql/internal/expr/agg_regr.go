package expr

import (
	"math"

	"minidb/sql/types"
)

// addRegressions adds the aggregates of pairs (y, x): covariances, correlation and the line of least squares.
func addRegressions(m map[string]aggImpl) {
	for name, f := range map[string]func(r *regression) (v float64, ok bool){
		"regr_sxx":   func(r *regression) (float64, bool) { return r.sxx, true },
		"regr_syy":   func(r *regression) (float64, bool) { return r.syy, true },
		"regr_sxy":   func(r *regression) (float64, bool) { return r.sxy, true },
		"regr_avgx":  func(r *regression) (float64, bool) { return r.sx / r.n, true },
		"regr_avgy":  func(r *regression) (float64, bool) { return r.sy / r.n, true },
		"covar_pop":  func(r *regression) (float64, bool) { return r.sxy / r.n, true },
		"covar_samp": func(r *regression) (float64, bool) { return r.sxy / (r.n - 1), r.n > 1 },
		"corr": func(r *regression) (float64, bool) {
			return r.sxy / math.Sqrt(r.sxx*r.syy), r.sxx != 0 && r.syy != 0
		},
		"regr_r2": func(r *regression) (float64, bool) {
			if r.syy == 0 {
				return 1, r.sxx != 0
			}
			return r.sxy * r.sxy / (r.sxx * r.syy), r.sxx != 0
		},
		"regr_slope":     func(r *regression) (float64, bool) { return r.sxy / r.sxx, r.sxx != 0 },
		"regr_intercept": func(r *regression) (float64, bool) { return (r.sy - r.sx*r.sxy/r.sxx) / r.n, r.sxx != 0 },
	} {
		m[name+"(float8,float8)"] = aggImpl{make: func(*Aggregate) accumulator { return &regression{value: f} }, strict: true}
	}
	m["regr_count(float8,float8)"] = aggImpl{make: func(*Aggregate) accumulator { return &regression{} }, strict: true}
}

// regression is floatVariance over two variables and their products.
type regression struct {
	n, sx, sxx, sy, syy, sxy float64
	value                    func(r *regression) (v float64, ok bool) // nil: the count
}

func (r *regression) add(_ *EvalContext, args []types.Datum) error {
	y, x := args[0].Float(), args[1].Float()
	n := r.n
	r.n++
	old := *r
	r.sx += x
	r.sy += y
	if n == 0 {
		if !finiteFloat(x) {
			r.sxx, r.sxy = math.NaN(), math.NaN()
		}
		if !finiteFloat(y) {
			r.syy, r.sxy = math.NaN(), math.NaN()
		}
		return nil
	}
	dx, dy := x*r.n-r.sx, y*r.n-r.sy
	scale := 1 / (r.n * n)
	r.sxx += dx * dx * scale
	r.syy += dy * dy * scale
	r.sxy += dx * dy * scale
	infinite := func(f float64) bool { return math.IsInf(f, 0) }
	if infinite(r.sx) || infinite(r.sxx) || infinite(r.sy) || infinite(r.syy) || infinite(r.sxy) {
		finiteX, finiteY := !infinite(old.sx) && !infinite(x), !infinite(old.sy) && !infinite(y)
		if (infinite(r.sx) || infinite(r.sxx)) && finiteX || (infinite(r.sy) || infinite(r.syy)) && finiteY ||
			infinite(r.sxy) && finiteX && finiteY {
			return types.FloatOverflow()
		}
		for _, sum := range []*float64{&r.sxx, &r.syy, &r.sxy} {
			if infinite(*sum) {
				*sum = math.NaN()
			}
		}
	}
	return nil
}

func finiteFloat(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func (r *regression) result(*EvalContext) (types.Datum, error) {
	if r.value == nil {
		return types.NewInt(int64(r.n)), nil
	}
	if r.n == 0 {
		return types.NullDatum, nil
	}
	v, ok := r.value(r)
	if !ok {
		return types.NullDatum, nil
	}
	return types.NewFloat(v), nil
}
func (r *regression) bytes() int { return 0 }
