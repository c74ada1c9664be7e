package expr

import (
	"math"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// seriesFuncs are the functions that return sets of numbers, times, elements and pieces of text.
var seriesFuncs = map[string]impl{
	"generate_series_int4":         {set: intSeries(types.Int4)},
	"generate_series_step_int4":    {set: intSeries(types.Int4)},
	"generate_series_int8":         {set: intSeries(types.Int8)},
	"generate_series_step_int8":    {set: intSeries(types.Int8)},
	"generate_series_numeric":      {set: numericSeries},
	"generate_series_step_numeric": {set: numericSeries},
	"generate_series_timestamp":    {set: timeSeries(false)},
	"generate_series_timestamptz":  {set: timeSeries(true)},
	"array_unnest": {bind: func(args []types.Type, _ types.Type) impl {
		elem, _ := args[0].Elem()
		return impl{set: func(_ *EvalContext, a []types.Datum) (SetRows, error) {
			return columnOf(a[0].Array(elem).Elems), nil
		}}
	}},
	"generate_subscripts":       {set: subscripts},
	"generate_subscripts_nodir": {set: subscripts},
	"pg_listening_channels": {set: func(ec *EvalContext, _ []types.Datum) (SetRows, error) {
		if ec.Session == nil {
			return columnOf(nil), nil
		}
		var out []types.Datum
		for _, name := range ec.Session.Channels() {
			out = append(out, types.NewText(name))
		}
		return columnOf(out), nil
	}},
	"text_to_table":      {set: textToTable},
	"text_to_table_null": {set: textToTable},
}

func zeroStep() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "step size cannot equal zero")
}

// intSeries counts from start to stop. It ends where the type does.
func intSeries(t types.Type) setFunc {
	return func(ec *EvalContext, a []types.Datum) (SetRows, error) {
		value, stop, step := a[0].I, a[1].I, int64(1)
		if len(a) > 2 {
			step = a[2].I
		}
		if step == 0 {
			return nil, zeroStep()
		}
		row := make([]types.Datum, 1)
		done := false
		return rowFunc(func() ([]types.Datum, bool, error) {
			if done || step > 0 && value > stop || step < 0 && value < stop {
				return nil, false, nil
			}
			row[0] = types.NewInt(value)
			next, err := types.IntAdd(t, value, step)
			value, done = next, err != nil
			return row, true, nil
		}), nil
	}
}

func numericSeries(_ *EvalContext, a []types.Datum) (SetRows, error) {
	value, stop, step := a[0], a[1], types.NewNumeric(1, 0)
	if len(a) > 2 {
		step = a[2]
	}
	for i, name := range []string{"start", "stop", "step size"} {
		switch d := []types.Datum{value, stop, step}[i]; {
		case i < 2 && d.IsNaN():
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "%s value cannot be NaN", name)
		case i < 2 && !isFinite(d):
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "%s value cannot be infinity", name)
		case d.IsNaN():
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "%s cannot be NaN", name)
		case !isFinite(d):
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "%s cannot be infinity", name)
		}
	}
	sign := step.NumericSign()
	if sign == 0 {
		return nil, zeroStep()
	}
	row := make([]types.Datum, 1)
	return rowFunc(func() ([]types.Datum, bool, error) {
		if types.Compare(types.Numeric, value, stop)*sign > 0 {
			return nil, false, nil
		}
		row[0] = value
		var err error
		value, err = types.NumericAdd(value, step)
		return row, err == nil, err
	}), nil
}

// timeSeries adds an interval again and again, in the session's zone if zoned.
func timeSeries(zoned bool) setFunc {
	return func(ec *EvalContext, a []types.Datum) (SetRows, error) {
		value, stop, step := a[0].I, a[1].I, a[2].Interval()
		sign := types.Compare(types.Interval, a[2], types.NewInterval(types.IntervalValue{}))
		if sign == 0 {
			return nil, zeroStep()
		}
		row := make([]types.Datum, 1)
		return rowFunc(func() ([]types.Datum, bool, error) {
			if sign > 0 && value > stop || sign < 0 && value < stop {
				return nil, false, nil
			}
			row[0] = types.NewInt(value)
			var d types.Datum
			var err error
			if zoned {
				d, err = zonedPlus(ec, value, step)
			} else {
				d, err = timestampPlus(value, step)
			}
			if d.I == value { // an infinity
				sign, stop = 1, math.MinInt64
			}
			value = d.I
			return row, err == nil, err
		}), nil
	}
}

// subscripts gives the subscripts of an array's dimension, backwards if told to.
func subscripts(_ *EvalContext, a []types.Datum) (SetRows, error) {
	n, lower := a[0].ArrayLen()
	if n == 0 || a[1].I != 1 {
		return &rowList{}, nil
	}
	values := make([]types.Datum, n)
	for i := range values {
		values[i] = types.NewInt(int64(lower + i))
		if len(a) > 2 && a[2].Bool() {
			values[i] = types.NewInt(int64(lower + n - 1 - i))
		}
	}
	return columnOf(values), nil
}

func textToTable(_ *EvalContext, a []types.Datum) (SetRows, error) {
	null := types.NullDatum
	if len(a) > 2 {
		null = a[2]
	}
	d, err := textToArray(a[0], a[1], null)
	if err != nil || d.Null {
		return &rowList{}, err
	}
	return columnOf(d.Array(types.Text).Elems), nil
}
