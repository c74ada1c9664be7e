package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// enumFuncs are the functions that look at the labels of an enumerated type. Their arguments tell only which.
var enumFuncs = map[string]impl{
	"enum_first": {bind: func(_ []types.Type, result types.Type) impl { return enumEnd(result, func(int) int { return 0 }) }},
	"enum_last":  {bind: func(_ []types.Type, result types.Type) impl { return enumEnd(result, func(n int) int { return n - 1 }) }},
	"enum_range_all": {bind: func(_ []types.Type, result types.Type) impl {
		return impl{f1: func(ec *EvalContext, _ types.Datum) (types.Datum, error) {
			return enumRange(ec, result, types.NullDatum, types.NullDatum)
		}}
	}},
	"enum_range_bounds": {bind: func(_ []types.Type, result types.Type) impl {
		return impl{f2: func(ec *EvalContext, a, b types.Datum) (types.Datum, error) { return enumRange(ec, result, a, b) }}
	}},
	"enum_cmp": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewInt(int64(compareInts(a.I, b.I))), nil
	}},
	"enum_larger": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewInt(max(a.I, b.I)), nil
	}},
	"enum_smaller": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewInt(min(a.I, b.I)), nil
	}},
}

// labelsOf are the labels of an enumerated type.
func labelsOf(ec *EvalContext, t types.Type) ([]types.EnumLabel, error) {
	if ec.Types != nil && ec.Types.Enums != nil {
		if e := ec.Types.Enums(t.OID); e != nil {
			return e.Labels(), nil
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "type with OID %d does not exist", t.OID)
}

// enumEnd is the first or last value of a type.
func enumEnd(t types.Type, which func(n int) int) impl {
	return impl{f1: func(ec *EvalContext, _ types.Datum) (types.Datum, error) {
		labels, err := labelsOf(ec, t)
		if err != nil {
			return types.Datum{}, err
		}
		if len(labels) == 0 {
			return types.Datum{}, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "enum %s contains no values", t.Format())
		}
		return types.NewInt(labels[which(len(labels))].Place), nil
	}}
}

// enumRange is the values from a to b; NULL stands for no bound.
func enumRange(ec *EvalContext, array types.Type, a, b types.Datum) (types.Datum, error) {
	elem, _ := array.Elem()
	labels, err := labelsOf(ec, elem)
	if err != nil {
		return types.Datum{}, err
	}
	var values []types.Datum
	for _, l := range labels {
		if (a.Null || l.Place >= a.I) && (b.Null || l.Place <= b.I) {
			values = append(values, types.NewInt(l.Place))
		}
	}
	return types.ArrayOf(elem, values), nil
}
