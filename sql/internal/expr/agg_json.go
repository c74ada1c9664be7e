package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// addJSONAggs adds json_agg and json_object_agg, and those of jsonb.
func addJSONAggs(m map[string]aggImpl) {
	for name, t := range map[string]types.Type{"json": types.JSON, "jsonb": types.JSONB} {
		m[name+"_agg(anyelement)"] = aggImpl{ordered: true, make: func(a *Aggregate) accumulator {
			return &jsonAcc{to: t, types: argTypes(a)}
		}}
		m[name+"_object_agg(any,any)"] = aggImpl{ordered: true, make: func(a *Aggregate) accumulator {
			return &jsonAcc{to: t, types: argTypes(a), object: true}
		}}
	}
}

func argTypes(a *Aggregate) []types.Type {
	ts := make([]types.Type, len(a.Args))
	for i, x := range a.Args {
		ts[i] = x.Type().Base()
	}
	return ts
}

// jsonAcc writes the text of an array or object as it grows.
type jsonAcc struct {
	to     types.Type
	types  []types.Type
	object bool
	out    []byte
}

func (j *jsonAcc) add(ec *EvalContext, args []types.Datum) error {
	first := j.out == nil
	switch {
	case !first:
		j.out = append(j.out, ", "...)
	case j.object:
		j.out = append(j.out, "{ "...)
	default:
		j.out = append(j.out, '[')
	}
	value := args[0]
	typ := j.types[0]
	if j.object {
		if args[0].Null {
			return sqlerr.New(sqlerr.InvalidParameterValue, "field name must not be null")
		}
		var err error
		if j.out, err = appendJSONKey(ec, j.out, typ, value); err != nil {
			return err
		}
		j.out = append(j.out, " : "...)
		value, typ = args[1], j.types[1]
	} else if !first && !value.Null && (typ.IsArray() || typ.IsRecord()) {
		j.out = append(j.out, "\n "...)
	}
	if j.out = appendJSON(ec, j.out, typ, value, ","); len(j.out) > maxTextBytes {
		return tooLarge()
	}
	return nil
}

func (j *jsonAcc) result(*EvalContext) (types.Datum, error) {
	if j.out == nil {
		return types.NullDatum, nil
	}
	end := "]"
	if j.object {
		end = " }"
	}
	return asJSON(j.to, append(append([]byte{}, j.out...), end...))
}

func (j *jsonAcc) bytes() int { return cap(j.out) }
