package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// jsonRecordFuncs make rows of json objects, with the columns that the call's column definition list or its first argument names.
var jsonRecordFuncs = makeJSONRecordFuncs()

func makeJSONRecordFuncs() map[string]impl {
	m := map[string]impl{}
	for _, t := range []string{"json", "jsonb"} {
		set := t + "_to_recordset"
		m[t+"_to_record"] = impl{setAs: func(columns []SetColumn) setFunc {
			return func(ec *EvalContext, a []types.Datum) (SetRows, error) {
				v, err := a[0].JSON()
				if err != nil {
					return nil, err
				}
				if v.Kind != types.JSONObject {
					return nil, jsonMisuse("cannot call populate_composite on %s", jsonKindName(v))
				}
				row, err := jsonRow(ec, v, columns, nil)
				return &rowList{rows: [][]types.Datum{row}}, err
			}
		}}
		m[set] = impl{setAs: func(columns []SetColumn) setFunc {
			return func(ec *EvalContext, a []types.Datum) (SetRows, error) { return jsonRows(ec, set, a[0], columns, nil) }
		}}
		m[t+"_populate_record"] = impl{bind: func(args []types.Type, result types.Type) impl {
			return impl{fn: populateRecord(result)}
		}}
		m[t+"_populate_recordset"] = impl{bind: func(args []types.Type, result types.Type) impl {
			columns := fieldColumns(result)
			return impl{set: func(ec *EvalContext, a []types.Datum) (SetRows, error) {
				if a[1].Null {
					return &rowList{}, nil
				}
				l, err := jsonRows(ec, t+"_populate_recordset", a[1], columns, baseValues(a[0]))
				if err != nil {
					return nil, err
				}
				for i, row := range l.rows {
					l.rows[i] = []types.Datum{types.NewRecord(result, row)}
				}
				return l, nil
			}}
		}}
	}
	return m
}

// fieldColumns are the fields of a record's type.
func fieldColumns(t types.Type) []SetColumn {
	var columns []SetColumn
	for _, f := range t.Fields() {
		columns = append(columns, SetColumn(f))
	}
	return columns
}

// baseValues are the values of the record that fields missing in an object come from.
func baseValues(d types.Datum) []types.Datum {
	if d.Null {
		return nil
	}
	_, values := d.Record()
	return values
}

func populateRecord(t types.Type) func(ec *EvalContext, a []types.Datum) (types.Datum, error) {
	columns := fieldColumns(t)
	return func(ec *EvalContext, a []types.Datum) (types.Datum, error) {
		if a[1].Null {
			return a[0], nil
		}
		v, err := a[1].JSON()
		if err != nil {
			return types.Datum{}, err
		}
		if v.Kind != types.JSONObject {
			return types.Datum{}, jsonMisuse("cannot call populate_composite on %s", jsonKindName(v))
		}
		row, err := jsonRow(ec, v, columns, baseValues(a[0]))
		if err != nil {
			return types.Datum{}, err
		}
		return types.NewRecord(t, row), nil
	}
}

// jsonRows makes a row of each object of an array.
func jsonRows(ec *EvalContext, name string, d types.Datum, columns []SetColumn, base []types.Datum) (*rowList, error) {
	v, err := d.JSON()
	if err != nil {
		return nil, err
	}
	if v.Kind != types.JSONArray {
		return nil, jsonMisuse("cannot call %s on %s", name, jsonKindName(v))
	}
	l := &rowList{}
	for i := range v.Elems {
		if v.Elems[i].Kind != types.JSONObject {
			return nil, jsonMisuse("argument of %s must be an array of objects", name)
		}
		row, err := jsonRow(ec, &v.Elems[i], columns, base)
		if err != nil {
			return nil, err
		}
		l.rows = append(l.rows, row)
	}
	return l, nil
}

func jsonKindName(v *types.JSONValue) string {
	switch v.Kind {
	case types.JSONArray:
		return "an array"
	case types.JSONObject:
		return "an object"
	}
	return "a scalar"
}

// jsonRow makes a row of an object. What the object does not have comes from base, if there is one.
func jsonRow(ec *EvalContext, v *types.JSONValue, columns []SetColumn, base []types.Datum) ([]types.Datum, error) {
	row := make([]types.Datum, len(columns))
	for i, c := range columns {
		part := v.Find([]byte(c.Name))
		if part == nil {
			row[i] = types.NullDatum
			if base != nil {
				row[i] = base[i]
			}
			continue
		}
		var err error
		if row[i], err = jsonAs(ec, part, c.Type); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// jsonAs makes a value of type t of a json value: by its text, an array's element by element.
func jsonAs(ec *EvalContext, v *types.JSONValue, t types.Type) (types.Datum, error) {
	elem, isArray := t.Elem()
	switch {
	case v.Kind == types.JSONNull:
		return types.NullDatum, nil
	case t.OID == types.JSONOID || t.OID == types.JSONBOID:
		return asJSON(t, v.Raw)
	case t.IsRecord() && v.Kind == types.JSONObject:
		row, err := jsonRow(ec, v, fieldColumns(t), nil)
		if err != nil {
			return types.Datum{}, err
		}
		return types.NewRecord(t, row), nil
	case isArray && v.Kind == types.JSONArray:
		elems := make([]types.Datum, len(v.Elems))
		for i := range v.Elems {
			var err error
			if elems[i], err = jsonAs(ec, &v.Elems[i], elem); err != nil {
				return types.Datum{}, err
			}
		}
		return types.ArrayOf(elem, elems), nil
	case isArray && v.Kind != types.JSONString:
		return types.Datum{}, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected JSON array")
	}
	return types.Input(ec.Types, t, jsonDatum(v, true).B)
}
