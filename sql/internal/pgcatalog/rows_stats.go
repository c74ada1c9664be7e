package pgcatalog

import (
	"minidb/sql/catalog"
	"minidb/sql/types"
)

// statsRows are what ANALYZE found out of columns.
func statsRows(s *Snapshot) []row {
	var rows []row
	for _, t := range s.tables {
		known := s.all.Statistics[t.ID]
		for i := range t.Visible() {
			c := &t.Columns[i]
			k := known.Column(c)
			if k == nil {
				continue
			}
			correlation := null
			if k.Distinct != 0 {
				correlation = float(k.Correlation)
			}
			rows = append(rows, row{
				text(s.schemaByID[t.Schema].Name), text(t.Name), text(c.Name), flag(false), float(k.NullFraction), num(k.Width), float(k.Distinct),
				valuesText(c, k.CommonValues), frequencies(k.Frequencies), valuesText(c, k.Bounds), correlation, null, null, null,
			})
		}
	}
	return rows
}

// valuesText is an array of values as text, as pg_stats has it; NULL if there are none.
func valuesText(c *catalog.Column, values []types.Datum) datum {
	arrays, ok := c.Type.Base().Array()
	if len(values) == 0 || !ok {
		return null
	}
	return text(types.FormatText(nil, arrays, types.ArrayOf(c.Type.Base(), values)))
}

func frequencies(list []float64) datum {
	if len(list) == 0 {
		return null
	}
	elems := make([]types.Datum, len(list))
	for i, f := range list {
		elems[i] = float(f)
	}
	return types.ArrayOf(types.Float4, elems)
}
