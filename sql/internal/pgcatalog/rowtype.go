package pgcatalog

import "minidb/sql/types"

// RowType gives the type of the records that are a table's rows; see types.Context.Rows.
func (r *Reader) RowType(o types.OID) (types.Type, bool) {
	s, err := r.snapshot()
	if err != nil {
		return types.Type{}, false
	}
	for _, t := range s.tables {
		if t.TypeOID != o {
			continue
		}
		var fields []types.Field
		for _, c := range t.Visible() {
			fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
		}
		return types.RecordOf(types.RowType{Name: t.Name, OID: o}, fields), true
	}
	return types.Type{}, false
}
