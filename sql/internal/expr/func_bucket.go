package expr

import (
	"math"
	"sort"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// bucketFuncs are width_bucket: in which of a number of equal parts of a range a value lies, or between which thresholds.
var bucketFuncs = map[string]impl{
	"width_bucket_float8": {fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		return floatBucket(args[0].Float(), args[1].Float(), args[2].Float(), args[3].I)
	}},
	"width_bucket_numeric": {fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		return numericBucket(args[0], args[1], args[2], args[3].I)
	}},
	"width_bucket_array": {bind: func(args []types.Type, _ types.Type) impl {
		elem := args[0]
		return impl{f2: func(_ *EvalContext, d, thresholds types.Datum) (types.Datum, error) {
			list := thresholds.Array(elem).Elems
			for i := range list {
				if list[i].Null {
					return types.Datum{}, sqlerr.New(sqlerr.NullValueNotAllowed, "thresholds array must not contain NULLs")
				}
			}
			n := sort.Search(len(list), func(i int) bool { return types.Compare(elem, d, list[i]) < 0 })
			return types.NewInt(int64(n)), nil
		}}
	}},
}

func badBucket(message string) error {
	return sqlerr.New(sqlerr.InvalidArgumentForWidthBucketFunction, "%s", message)
}

const (
	bucketCount  = "count must be greater than zero"
	bucketNaN    = "operand, lower bound, and upper bound cannot be NaN"
	bucketFinite = "lower and upper bounds must be finite"
	bucketEqual  = "lower bound cannot equal upper bound"
)

// bucketAbove is the bucket above the last one.
func bucketAbove(count int64) (types.Datum, error) {
	return types.NewInt(count + 1), types.CheckInt(types.Int4, count+1)
}

func floatBucket(x, low, high float64, count int64) (types.Datum, error) {
	switch {
	case count <= 0:
		return types.Datum{}, badBucket(bucketCount)
	case math.IsNaN(x) || math.IsNaN(low) || math.IsNaN(high):
		return types.Datum{}, badBucket(bucketNaN)
	case math.IsInf(low, 0) || math.IsInf(high, 0):
		return types.Datum{}, badBucket(bucketFinite)
	case low == high:
		return types.Datum{}, badBucket(bucketEqual)
	}
	if low > high { // the buckets descend
		x, low, high = -x, -low, -high
	}
	switch {
	case x < low:
		return types.NewInt(0), nil
	case x >= high:
		return bucketAbove(count)
	}
	part := (x - low) / (high - low)
	if math.IsInf(high-low, 0) {
		part = (x/2 - low/2) / (high/2 - low/2)
	}
	return types.NewInt(min(int64(float64(count)*part), count-1) + 1), nil
}

func numericBucket(x, low, high types.Datum, count int64) (types.Datum, error) {
	switch {
	case count <= 0:
		return types.Datum{}, badBucket(bucketCount)
	case x.IsNaN() || low.IsNaN() || high.IsNaN():
		return types.Datum{}, badBucket(bucketNaN)
	case !isFinite(low) || !isFinite(high):
		return types.Datum{}, badBucket(bucketFinite)
	}
	switch types.Compare(types.Numeric, low, high) {
	case 0:
		return types.Datum{}, badBucket(bucketEqual)
	case 1:
		x, low, high = types.NumericNeg(x), types.NumericNeg(low), types.NumericNeg(high)
	}
	switch {
	case types.Compare(types.Numeric, x, low) < 0:
		return types.NewInt(0), nil
	case types.Compare(types.Numeric, x, high) >= 0:
		return bucketAbove(count)
	}
	above, err := types.NumericSub(x, low)
	if err != nil {
		return types.Datum{}, err
	}
	width, err := types.NumericSub(high, low)
	if err != nil {
		return types.Datum{}, err
	}
	if above, err = types.NumericMul(above, types.NumericFromInt(count)); err != nil {
		return types.Datum{}, err
	}
	if above, err = types.NumericDiv(above, width); err != nil {
		return types.Datum{}, err
	}
	if above, err = types.NumericFloor(above); err != nil {
		return types.Datum{}, err
	}
	n, err := types.NumericToInt(above, types.Int8)
	return types.NewInt(min(n, count-1) + 1), err
}
