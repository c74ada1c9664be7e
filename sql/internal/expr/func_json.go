package expr

import (
	"strconv"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// jsonFuncs look into json and jsonb. The text of a jsonb is in normal form and so is that of its parts, which is why the
// same body serves both types.
var jsonFuncs = makeJSONFuncs()

func makeJSONFuncs() map[string]impl {
	m := map[string]impl{
		"jsonb_contains":  {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return jsonContains(a, b) }},
		"jsonb_contained": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return jsonContains(b, a) }},
		"jsonb_exists": {f2: func(_ *EvalContext, a, key types.Datum) (types.Datum, error) {
			v, err := a.JSON()
			if err != nil {
				return types.Datum{}, err
			}
			return types.NewBool(jsonHas(v, key.B)), nil
		}},
		"jsonb_exists_any": {f2: jsonHasKeys(true)},
		"jsonb_exists_all": {f2: jsonHasKeys(false)},
	}
	for _, t := range []string{"json", "jsonb"} {
		for suffix, text := range map[string]bool{"": false, "_text": true} {
			m[t+"_object_field"+suffix] = impl{f2: jsonPart(text, func(v *types.JSONValue, key types.Datum) *types.JSONValue { return v.Find(key.B) })}
			m[t+"_array_element"+suffix] = impl{f2: jsonPart(text, func(v *types.JSONValue, i types.Datum) *types.JSONValue {
				// A scalar at the top is stored as an array of one in PostgreSQL's jsonb, and it shows.
				if t == "jsonb" && v.IsScalar() && (i.I == 0 || i.I == -1) {
					return v
				}
				return jsonElement(v, i.I)
			})}
			m[t+"_extract_path"+suffix] = impl{bind: func(args []types.Type, _ types.Type) impl {
				if len(args) == 2 && args[1].IsArray() { // the operator
					return impl{f2: pathOperator(text)}
				}
				return impl{fn: jsonExtract(text)}
			}}
		}
		m[t+"_array_length"] = impl{f1: jsonLength}
		m[t+"_typeof"] = impl{f1: jsonTypeOf}
	}
	addComparisons(m, "jsonb_#", func(_ *EvalContext, a, b types.Datum) int { return types.Compare(types.JSONB, a, b) })
	m["jsonb_cmp"] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewInt(int64(types.Compare(types.JSONB, a, b))), nil
	}}
	return m
}

// jsonDatum is a part as a json or jsonb, or as text: a string without its quotes, null as NULL.
func jsonDatum(v *types.JSONValue, text bool) types.Datum {
	switch {
	case v == nil || text && v.Kind == types.JSONNull:
		return types.NullDatum
	case text && v.Kind == types.JSONString:
		return types.NewBytes(v.Str)
	}
	return types.NewBytes(v.Raw)
}

func jsonPart(text bool, find func(v *types.JSONValue, key types.Datum) *types.JSONValue) binary {
	return func(_ *EvalContext, a, key types.Datum) (types.Datum, error) {
		v, err := a.JSON()
		if err != nil {
			return types.Datum{}, err
		}
		return jsonDatum(find(v, key), text), nil
	}
}

// jsonElement is an array's element; negative numbers count from the end.
func jsonElement(v *types.JSONValue, i int64) *types.JSONValue {
	if v.Kind != types.JSONArray {
		return nil
	}
	if i < 0 {
		i += int64(len(v.Elems))
	}
	if i < 0 || i >= int64(len(v.Elems)) {
		return nil
	}
	return &v.Elems[i]
}

// jsonExtract follows a path, which the operators give as an array and the functions one by one.
func jsonExtract(text bool) func(ec *EvalContext, args []types.Datum) (types.Datum, error) {
	return func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		v, err := args[0].JSON()
		if err != nil {
			return types.Datum{}, err
		}
		for _, step := range args[1:] {
			if step.Null {
				return step, nil
			}
			switch v.Kind {
			case types.JSONObject:
				v = v.Find(step.B)
			case types.JSONArray:
				i, err := strconv.ParseInt(step.Text(), 10, 32)
				if err != nil {
					return types.NullDatum, nil
				}
				v = jsonElement(v, i)
			default:
				v = nil
			}
			if v == nil {
				return types.NullDatum, nil
			}
		}
		if len(args) == 1 && !text {
			return args[0], nil // with the blanks around it
		}
		return jsonDatum(v, text), nil
	}
}

// pathOperator is #> and its like: jsonExtract of the steps of an array.
func pathOperator(text bool) binary {
	extract := jsonExtract(text)
	return func(ec *EvalContext, a, path types.Datum) (types.Datum, error) {
		return extract(ec, append([]types.Datum{a}, path.Array(types.Text).Elems...))
	}
}

func jsonLength(_ *EvalContext, a types.Datum) (types.Datum, error) {
	v, err := a.JSON()
	switch {
	case err != nil:
		return types.Datum{}, err
	case v.Kind == types.JSONObject:
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "cannot get array length of a non-array")
	case v.IsScalar():
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "cannot get array length of a scalar")
	}
	return types.NewInt(int64(len(v.Elems))), nil
}

// jsonKinds are the kinds as json_typeof names them.
var jsonKinds = [...]string{"null", "string", "number", "boolean", "array", "object"}

func jsonTypeOf(_ *EvalContext, a types.Datum) (types.Datum, error) {
	v, err := a.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	return types.NewText(jsonKinds[v.Kind]), nil
}

func jsonContains(a, b types.Datum) (types.Datum, error) {
	v, err := a.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	w, err := b.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	if w.IsScalar() && v.Kind == types.JSONArray {
		// As if it were in an array of its own.
		return types.NewBool(jsonHolds(v, &types.JSONValue{Kind: types.JSONArray, Elems: []types.JSONValue{*w}})), nil
	}
	return types.NewBool(jsonHolds(v, w)), nil
}

// jsonHolds reports whether a has all that b has, wherever in a's arrays it is.
func jsonHolds(a, b *types.JSONValue) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch b.Kind {
	case types.JSONObject:
		for i, key := range b.Keys {
			part := a.Find(key)
			if part == nil || !jsonHolds(part, &b.Elems[i]) {
				return false
			}
		}
		return true
	case types.JSONArray:
		for i := range b.Elems {
			found := false
			for j := range a.Elems {
				if found = jsonHolds(&a.Elems[j], &b.Elems[i]); found {
					break
				}
			}
			if !found {
				return false
			}
		}
		return true
	}
	return types.CompareJSON(a, b) == 0
}

// jsonHas reports whether a string is a key of an object or a string of an array, or the whole value.
func jsonHas(v *types.JSONValue, key []byte) bool {
	if v.Kind == types.JSONObject {
		return v.Find(key) != nil
	}
	is := func(e *types.JSONValue) bool { return e.Kind == types.JSONString && string(e.Str) == string(key) }
	for i := range v.Elems {
		if is(&v.Elems[i]) {
			return true
		}
	}
	return is(v)
}

func jsonHasKeys(anyKey bool) binary {
	return func(_ *EvalContext, a, keys types.Datum) (types.Datum, error) {
		v, err := a.JSON()
		if err != nil {
			return types.Datum{}, err
		}
		for _, k := range keys.Array(types.Text).Elems {
			if !k.Null && jsonHas(v, k.B) == anyKey {
				return types.NewBool(anyKey), nil
			}
		}
		return types.NewBool(!anyKey), nil
	}
}
