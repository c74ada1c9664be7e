package pgcatalog

import (
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// Nobody counts accesses: the statistics views have a row for each table and index, in which all counts are 0.
func init() {
	for _, kind := range []string{"stat", "statio", "stat_xact"} {
		for _, group := range []string{"user", "all", "sys"} {
			addStatistics("pg_"+kind+"_"+group+"_tables", group, tableStatistics)
			addStatistics("pg_"+kind+"_"+group+"_indexes", group, indexStatistics)
		}
	}
}

// statistic is a table, or an index of it.
type statistic struct {
	schema, table, index string
	relation, number     types.OID // number is the index's
}

func addStatistics(view, group string, list func(*Snapshot, string) []statistic) {
	if Find("pg_catalog", view) == nil {
		return
	}
	generators["pg_catalog."+view] = generator{snapshot: func(s *Snapshot) []row {
		var rows []row
		for _, x := range list(s, group) {
			rows = append(rows, x.row(view))
		}
		return rows
	}}
}

func (x statistic) row(view string) row {
	v := values{"relid": oid(x.relation), "schemaname": text(x.schema), "relname": text(x.table)}
	if x.index != "" {
		v["indexrelid"], v["indexrelname"] = oid(x.number), text(x.index)
	}
	for _, c := range Find("pg_catalog", view).Columns {
		if c.Type.OID == types.Int8OID && (!strings.HasPrefix(c.Name, "toast_") && !strings.HasPrefix(c.Name, "tidx_")) {
			v[c.Name] = num(0)
		}
	}
	return rowOf("pg_catalog", view, v)
}

func tableStatistics(s *Snapshot, group string) []statistic {
	var out []statistic
	if group != "user" {
		for _, rel := range relations().all {
			if rel.Kind == 'r' {
				out = append(out, statistic{schema: rel.Schema, table: rel.Name, relation: rel.OID})
			}
		}
	}
	for _, t := range s.tables {
		if group != "sys" && t.Kind == catalog.KindTable {
			out = append(out, statistic{schema: s.schemaByID[t.Schema].Name, table: t.Name, relation: t.OID})
		}
	}
	return out
}

func indexStatistics(s *Snapshot, group string) []statistic {
	var out []statistic
	if group != "user" {
		for _, rel := range relations().all {
			for _, x := range rel.indexes {
				out = append(out, statistic{rel.Schema, rel.Name, x.name, rel.OID, x.oid})
			}
		}
	}
	for _, t := range s.tables {
		for _, x := range namedIndexes(t) {
			if group != "sys" {
				out = append(out, statistic{s.schemaByID[t.Schema].Name, t.Name, x.Name, t.OID, x.OID})
			}
		}
	}
	return out
}
