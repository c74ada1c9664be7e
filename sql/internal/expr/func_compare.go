package expr

import (
	"bytes"
	"math"
	"strings"

	"minidb/sql/types"
)

// compareFuncs are the six comparisons of every type that has an order, the same-type ones and PostgreSQL's cross-type ones.
var compareFuncs = makeCompareFuncs()

func makeCompareFuncs() map[string]impl {
	m := map[string]impl{}
	for _, p := range []string{"int2", "int4", "int8", "int24", "int42", "int28", "int82", "int48", "int84", "oid", "bool"} {
		addIntComparisons(m, p)
	}
	for _, p := range []string{"date_", "timestamp_", "time_", "enum_"} {
		addIntComparisons(m, p)
	}
	for _, p := range []string{"float4", "float8", "float48", "float84"} {
		addComparisons(m, p+"#", compareFloats)
	}
	byType := func(t types.Type) func(*EvalContext, types.Datum, types.Datum) int {
		return func(_ *EvalContext, a, b types.Datum) int { return types.Compare(t, a, b) }
	}
	addComparisons(m, "numeric_#", byType(types.Numeric))
	addComparisons(m, "bpchar#", byType(types.BPChar))
	addComparisons(m, "interval_#", byType(types.Interval))
	addTextComparisons(m)
	addDateComparisons(m)
	return m
}

// addIntComparisons: values whose order is that of Datum.I.
func addIntComparisons(m map[string]impl, prefix string) {
	m[prefix+"eq"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I == b.I), nil }}
	m[prefix+"ne"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I != b.I), nil }}
	m[prefix+"lt"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I < b.I), nil }}
	m[prefix+"le"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I <= b.I), nil }}
	m[prefix+"gt"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I > b.I), nil }}
	m[prefix+"ge"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I >= b.I), nil }}
}

// addTextComparisons: values whose order is that of Datum.B. PostgreSQL names these with less rule than the others.
func addTextComparisons(m map[string]impl) {
	eq := impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewBool(bytes.Equal(a.B, b.B)), nil
	}}
	ne := impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewBool(!bytes.Equal(a.B, b.B)), nil
	}}
	order := func(_ *EvalContext, a, b types.Datum) int { return bytes.Compare(a.B, b.B) }
	for _, pattern := range []string{"text_#", "bytea#", "uuid_#", "name#", "name#text", "text#name", "char#", "text_pattern_#"} {
		addComparisons(m, pattern, order)
	}
	for _, pattern := range []string{"text#", "bytea#", "uuid_#", "name#", "name#text", "text#name", "char#"} {
		m[strings.Replace(pattern, "#", "eq", 1)] = eq
		m[strings.Replace(pattern, "#", "ne", 1)] = ne
	}
	delete(m, "text_eq")
	delete(m, "text_ne")
	delete(m, "text_pattern_eq")
	delete(m, "text_pattern_ne")
}

// addComparisons adds the six functions of a name in which # stands for eq, lt and so on.
func addComparisons(m map[string]impl, name string, order func(ec *EvalContext, a, b types.Datum) int) {
	add := func(op string, holds func(c int) bool) {
		m[strings.Replace(name, "#", op, 1)] = impl{f2: func(ec *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewBool(holds(order(ec, a, b))), nil
		}}
	}
	add("eq", func(c int) bool { return c == 0 })
	add("ne", func(c int) bool { return c != 0 })
	add("lt", func(c int) bool { return c < 0 })
	add("le", func(c int) bool { return c <= 0 })
	add("gt", func(c int) bool { return c > 0 })
	add("ge", func(c int) bool { return c >= 0 })
}

// compareFloats has NaN equal to itself and above all else.
func compareFloats(_ *EvalContext, a, b types.Datum) int {
	x, y := a.Float(), b.Float()
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	case !math.IsNaN(x):
		return -1
	case !math.IsNaN(y):
		return 1
	default:
		return 0
	}
}

// addDateComparisons: dates and timestamps against each other; what has no zone is taken to be in the session's.
func addDateComparisons(m map[string]impl) {
	convert := map[string]func(*EvalContext, int64) int64{
		"date":        func(_ *EvalContext, i int64) int64 { return dateToUsec(i) },
		"timestamp":   func(_ *EvalContext, i int64) int64 { return i },
		"timestamptz": func(_ *EvalContext, i int64) int64 { return i },
	}
	zoned := func(ec *EvalContext, usec int64) int64 { return types.TimestampToTimestampTZ(ec.location(), usec) }
	for from, fromUsec := range convert {
		for to, toUsec := range convert {
			if from == to {
				continue
			}
			order := func(ec *EvalContext, a, b types.Datum) int {
				x, y := fromUsec(ec, a.I), toUsec(ec, b.I)
				switch {
				case from == "timestamptz":
					y = zoned(ec, y)
				case to == "timestamptz":
					x = zoned(ec, x)
				}
				return compareInts(x, y)
			}
			addComparisons(m, from+"_#_"+to, order)
		}
	}
}

// dateToUsec is the midnight of a date; beyond the range of timestamps it saturates, so that comparisons stay right.
func dateToUsec(days int64) int64 {
	usec, err := types.DateToTimestamp(days)
	if err != nil {
		return types.TimestampInfinity
	}
	return usec
}

func compareInts(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	default:
		return 0
	}
}
