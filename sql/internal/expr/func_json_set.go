package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// jsonSetFuncs give the parts of json and jsonb as rows.
var jsonSetFuncs = makeJSONSetFuncs()

func makeJSONSetFuncs() map[string]impl {
	m := map[string]impl{}
	for _, t := range []string{"json", "jsonb"} {
		for suffix, text := range map[string]bool{"": false, "_text": true} {
			m[t+"_each"+suffix] = impl{set: jsonEach(t, "_each"+suffix, text)}
			m[t+"_array_elements"+suffix] = impl{set: jsonElements(t, "_array_elements"+suffix, text)}
		}
		m[t+"_object_keys"] = impl{set: jsonKeys(t)}
	}
	return m
}

func jsonMisuse(format string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
}

func jsonEach(t, name string, text bool) setFunc {
	return func(_ *EvalContext, a []types.Datum) (SetRows, error) {
		v, err := a[0].JSON()
		switch {
		case err != nil:
			return nil, err
		case v.Kind != types.JSONObject && t == "jsonb":
			return nil, jsonMisuse("cannot call %s on a non-object", t+name)
		case v.Kind == types.JSONArray:
			return nil, jsonMisuse("cannot deconstruct an array as an object")
		case v.Kind != types.JSONObject:
			return nil, jsonMisuse("cannot deconstruct a scalar")
		}
		l := &rowList{}
		for i := range v.Elems {
			l.rows = append(l.rows, []types.Datum{types.NewBytes(v.Keys[i]), jsonDatum(&v.Elems[i], text)})
		}
		return l, nil
	}
}

func jsonElements(t, name string, text bool) setFunc {
	return func(_ *EvalContext, a []types.Datum) (SetRows, error) {
		v, err := a[0].JSON()
		switch {
		case err != nil:
			return nil, err
		case v.Kind == types.JSONObject && t == "jsonb":
			return nil, jsonMisuse("cannot extract elements from an object")
		case v.Kind != types.JSONArray && t == "jsonb":
			return nil, jsonMisuse("cannot extract elements from a scalar")
		case v.Kind == types.JSONObject:
			return nil, jsonMisuse("cannot call %s on a non-array", t+name)
		case v.Kind != types.JSONArray:
			return nil, jsonMisuse("cannot call %s on a scalar", t+name)
		}
		values := make([]types.Datum, len(v.Elems))
		for i := range v.Elems {
			values[i] = jsonDatum(&v.Elems[i], text)
		}
		return columnOf(values), nil
	}
}

func jsonKeys(t string) setFunc {
	return func(_ *EvalContext, a []types.Datum) (SetRows, error) {
		v, err := a[0].JSON()
		switch {
		case err != nil:
			return nil, err
		case v.Kind == types.JSONArray:
			return nil, jsonMisuse("cannot call %s_object_keys on an array", t)
		case v.Kind != types.JSONObject:
			return nil, jsonMisuse("cannot call %s_object_keys on a scalar", t)
		}
		values := make([]types.Datum, len(v.Keys))
		for i := range v.Keys {
			values[i] = types.NewBytes(v.Keys[i])
		}
		return columnOf(values), nil
	}
}
