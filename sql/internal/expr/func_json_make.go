package expr

import (
	"bytes"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// jsonMakeFuncs make json and jsonb of values of other types.
var jsonMakeFuncs = map[string]impl{
	"to_json":  {bind: toJSON(types.JSON)},
	"to_jsonb": {bind: toJSON(types.JSONB)},
	"array_to_json": {bind: func(args []types.Type, _ types.Type) impl {
		return impl{f1: func(ec *EvalContext, a types.Datum) (types.Datum, error) {
			return types.NewBytes(appendJSON(ec, nil, args[0], a, ",")), nil
		}}
	}},
	"array_to_json_pretty": {bind: func(args []types.Type, _ types.Type) impl {
		return impl{f2: func(ec *EvalContext, a, pretty types.Datum) (types.Datum, error) {
			sep := ","
			if pretty.Bool() {
				sep = ",\n "
			}
			return types.NewBytes(appendJSON(ec, nil, args[0], a, sep)), nil
		}}
	}},
	"json_build_array":          {bind: buildJSON(types.JSON, false)},
	"jsonb_build_array":         {bind: buildJSON(types.JSONB, false)},
	"json_build_object":         {bind: buildJSON(types.JSON, true)},
	"jsonb_build_object":        {bind: buildJSON(types.JSONB, true)},
	"json_build_array_noargs":   {f0: constantText("[]")},
	"jsonb_build_array_noargs":  {f0: constantText("[]")},
	"json_build_object_noargs":  {f0: constantText("{}")},
	"jsonb_build_object_noargs": {f0: constantText("{}")},
	"json_object":               {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return jsonOfPairs(types.JSON, a) }},
	"jsonb_object":              {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return jsonOfPairs(types.JSONB, a) }},
	"json_object_two_arg": {f2: func(_ *EvalContext, k, v types.Datum) (types.Datum, error) {
		return jsonOfLists(types.JSON, k, v)
	}},
	"jsonb_object_two_arg": {f2: func(_ *EvalContext, k, v types.Datum) (types.Datum, error) {
		return jsonOfLists(types.JSONB, k, v)
	}},
}

func constantText(s string) nullary {
	return func(*EvalContext) (types.Datum, error) { return types.NewText(s), nil }
}

func toJSON(to types.Type) func(args []types.Type, _ types.Type) impl {
	return func(args []types.Type, _ types.Type) impl {
		return impl{f1: func(ec *EvalContext, a types.Datum) (types.Datum, error) {
			return asJSON(to, appendJSON(ec, nil, args[0], a, ","))
		}}
	}
}

// asJSON makes a json of its text, or a jsonb.
func asJSON(t types.Type, text []byte) (types.Datum, error) {
	if t.OID == types.JSONOID {
		return types.NewBytes(text), nil
	}
	v, err := types.ParseJSON(text, true)
	if err != nil {
		return types.Datum{}, err
	}
	return types.NewJSONB(v)
}

// appendJSON writes a value of type t as json; sep stands between the elements of an array.
func appendJSON(ec *EvalContext, dst []byte, t types.Type, d types.Datum, sep string) []byte {
	if d.Null {
		return append(dst, "null"...)
	}
	if elem, ok := t.Elem(); ok {
		dst = append(dst, '[')
		for i, e := range d.Array(elem).Elems {
			if i > 0 {
				dst = append(dst, sep...)
			}
			dst = appendJSON(ec, dst, elem, e, ",")
		}
		return append(dst, ']')
	}
	switch t.OID {
	case types.BoolOID:
		if d.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case types.JSONOID, types.JSONBOID:
		return append(dst, d.B...)
	case types.RecordOID:
		return appendJSONRecord(ec, dst, d, sep)
	}
	text := types.AppendText(ec.Types, nil, t, d)
	switch t.OID {
	case types.Int2OID, types.Int4OID, types.Int8OID, types.Float4OID, types.Float8OID, types.NumericOID:
		if digit := bytes.TrimPrefix(text, []byte{'-'}); len(digit) > 0 && digit[0] >= '0' && digit[0] <= '9' {
			return append(dst, text...)
		}
	case types.TimestampOID, types.TimestampTZOID:
		text = isoTime(ec, t, d)
	}
	return types.AppendJSONString(dst, text)
}

// appendJSONRecord writes a record as an object; sep stands between its fields.
func appendJSONRecord(ec *EvalContext, dst []byte, d types.Datum, sep string) []byte {
	dst = append(dst, '{')
	fields, values := d.Record()
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, sep...)
		}
		dst = append(types.AppendJSONString(dst, []byte(f.Name)), ':')
		dst = appendJSON(ec, dst, f.Type, values[i], ",")
	}
	return append(dst, '}')
}

// isoTime is a timestamp as XML Schema and JavaScript write it.
func isoTime(ec *EvalContext, t types.Type, d types.Datum) []byte {
	text := types.AppendText(nil, nil, types.Timestamp, d)
	if t.OID == types.TimestampTZOID {
		zoned := types.NewContext()
		zoned.Location = ec.location()
		text = types.AppendText(zoned, nil, t, d)
	}
	if len(text) < 11 || text[0] < '0' || text[0] > '9' {
		return text // an infinity
	}
	text = bytes.Replace(text, []byte{' '}, []byte{'T'}, 1)
	if t.OID == types.TimestampTZOID {
		// The offset has minutes in any case.
		body, era, _ := bytes.Cut(text, []byte{' '})
		if n := len(body); n > 3 && (body[n-3] == '+' || body[n-3] == '-') {
			body = append(bytes.Clone(body), ":00"...)
		}
		if len(era) > 0 {
			body = append(append(body, ' '), era...)
		}
		text = body
	}
	return text
}

// appendJSONKey writes a value as an object's key.
func appendJSONKey(ec *EvalContext, dst []byte, t types.Type, d types.Datum) ([]byte, error) {
	if t.IsArray() || t.OID == types.JSONOID || t.OID == types.JSONBOID || t.OID == types.RecordOID {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "key value must be scalar, not array, composite, or json")
	}
	value := appendJSON(ec, nil, t, d, ",")
	if value[0] == '"' {
		return append(dst, value...), nil
	}
	return types.AppendJSONString(dst, value), nil
}

// buildJSON makes json_build_array and json_build_object.
func buildJSON(to types.Type, object bool) func(args []types.Type, _ types.Type) impl {
	return func(ts []types.Type, _ types.Type) impl {
		if !object {
			return impl{fn: func(ec *EvalContext, args []types.Datum) (types.Datum, error) {
				out := []byte{'['}
				for i, d := range args {
					if i > 0 {
						out = append(out, ", "...)
					}
					out = appendJSON(ec, out, ts[i], d, ",")
				}
				return asJSON(to, append(out, ']'))
			}}
		}
		return impl{fn: func(ec *EvalContext, args []types.Datum) (types.Datum, error) {
			return buildObject(ec, to, ts, args)
		}}
	}
}

func buildObject(ec *EvalContext, to types.Type, ts []types.Type, args []types.Datum) (types.Datum, error) {
	if len(args)%2 != 0 {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "argument list must have even number of elements").
			WithHint("The arguments of %s_build_object() must consist of alternating keys and values.", to.Name())
	}
	out := []byte{'{'}
	for i := 0; i < len(args); i += 2 {
		if i > 0 {
			out = append(out, ", "...)
		}
		if args[i].Null {
			if to.OID == types.JSONBOID {
				return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "argument %d: key must not be null", i+1)
			}
			return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "argument %d cannot be null", i+1).
				WithHint("Object keys should be text.")
		}
		var err error
		if out, err = appendJSONKey(ec, out, ts[i], args[i]); err != nil {
			return types.Datum{}, err
		}
		out = append(out, " : "...)
		out = appendJSON(ec, out, ts[i+1], args[i+1], ",")
	}
	return asJSON(to, append(out, '}'))
}

// jsonOfPairs makes an object of a text array of keys and values in turn.
func jsonOfPairs(to types.Type, a types.Datum) (types.Datum, error) {
	elems := a.Array(types.Text).Elems
	if len(elems)%2 != 0 {
		return types.Datum{}, sqlerr.New(sqlerr.ArraySubscriptError, "array must have even number of elements")
	}
	var keys, values []types.Datum
	for i := 0; i < len(elems); i += 2 {
		keys, values = append(keys, elems[i]), append(values, elems[i+1])
	}
	return jsonOfTexts(to, keys, values)
}

func jsonOfLists(to types.Type, k, v types.Datum) (types.Datum, error) {
	keys, values := k.Array(types.Text).Elems, v.Array(types.Text).Elems
	if len(keys) != len(values) {
		return types.Datum{}, sqlerr.New(sqlerr.ArraySubscriptError, "mismatched array dimensions")
	}
	return jsonOfTexts(to, keys, values)
}

func jsonOfTexts(to types.Type, keys, values []types.Datum) (types.Datum, error) {
	out := []byte{'{'}
	for i := range keys {
		if i > 0 {
			out = append(out, ", "...)
		}
		if keys[i].Null {
			return types.Datum{}, sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for object key")
		}
		out = append(types.AppendJSONString(out, keys[i].B), " : "...)
		if values[i].Null {
			out = append(out, "null"...)
		} else {
			out = types.AppendJSONString(out, values[i].B)
		}
	}
	return asJSON(to, append(out, '}'))
}
