package pgcatalog

import (
	"strconv"
	"sync"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// informationTables are the views of information_schema that have rows.
var informationTables = map[string]func(*Snapshot) []row{
	"information_schema_catalog_name": func(s *Snapshot) []row { return []row{{text(s.database.Name)}} },
	"schemata":                        infoSchemata,
	"tables":                          infoTables,
	"columns":                         infoColumns,
	"sequences":                       infoSequences,
	"table_constraints":               infoTableConstraints,
	"check_constraints":               infoCheckConstraints,
	"key_column_usage":                infoKeyColumns,
	"constraint_column_usage":         infoConstraintColumns,
	"constraint_table_usage":          infoConstraintTables,
	"referential_constraints":         infoReferences,
	"enabled_roles":                   infoRoles,
	"character_sets":                  infoCharacterSets,
	"collations":                      infoCollations,
}

// values are a row of a view by column; those that are left out are NULL. The views are wide and mostly NULL.
type values map[string]datum

// infoRow puts values in the order of the view's columns.
func infoRow(view string, v values) row { return rowOf("information_schema", view, v) }

func rowOf(schema, view string, v values) row {
	columns := placesOf(schema, view)
	r := make(row, len(columns))
	for i := range r {
		r[i] = null
	}
	for name, d := range v {
		r[columns[name]] = d
	}
	return r
}

// placesOf is the places of a view's columns.
var placesOf = func() func(schema, view string) map[string]int {
	var mu sync.Mutex
	done := map[*Relation]map[string]int{}
	return func(schema, view string) map[string]int {
		rel := Find(schema, view)
		mu.Lock()
		defer mu.Unlock()
		places := done[rel]
		if places == nil {
			places = map[string]int{}
			for i, c := range rel.Columns {
				places[c.Name] = i
			}
			done[rel] = places
		}
		return places
	}
}()

func yesNo(b bool) datum {
	if b {
		return text("YES")
	}
	return text("NO")
}

func infoSchemata(s *Snapshot) []row {
	var rows []row
	for _, r := range namespaceRows(s) {
		rows = append(rows, infoRow("schemata", values{
			"catalog_name": text(s.database.Name), "schema_name": r[1], "schema_owner": text(s.roleName(types.OID(r[2].I))),
		}))
	}
	return rows
}

func infoTables(s *Snapshot) []row {
	var rows []row
	add := func(schema, name string, view, writable bool) {
		kind := "BASE TABLE"
		if view {
			kind = "VIEW"
		}
		rows = append(rows, infoRow("tables", values{
			"table_catalog": text(s.database.Name), "table_schema": text(schema), "table_name": text(name), "table_type": text(kind),
			"is_insertable_into": yesNo(writable), "is_typed": text("NO"),
		}))
	}
	for _, rel := range relations().all {
		add(rel.Schema, rel.Name, rel.Kind == 'v', rel.Kind == 'r')
	}
	for _, t := range s.tables {
		if t.Kind != catalog.KindSequence {
			add(s.schemaByID[t.Schema].Name, t.Name, t.Kind == catalog.KindView, t.Kind == catalog.KindTable)
		}
	}
	return rows
}

func infoColumns(s *Snapshot) []row {
	var rows []row
	for _, rel := range relations().all {
		for i := range rel.Columns {
			c := &rel.Columns[i]
			v := s.typeValues(c.Type)
			if c.declared != c.Type.OID {
				v["domain_catalog"], v["domain_schema"], v["domain_name"] = text(s.database.Name), text("information_schema"), text(builtinTypes()[c.declared].name)
			}
			rows = append(rows, s.infoColumn(rel.Schema, rel.Name, c.Name, i+1, !c.notNull, rel.Kind == 'r', v))
		}
	}
	for _, t := range s.tables {
		if t.Kind == catalog.KindSequence {
			continue
		}
		for i := range t.Visible() {
			c := &t.Columns[i]
			v := s.typeValues(c.Type)
			s.addDefault(v, t, c)
			rows = append(rows, s.infoColumn(s.schemaByID[t.Schema].Name, t.Name, c.Name, int(c.ID), !c.NotNull, t.Kind == catalog.KindTable, v))
		}
	}
	return rows
}

func (s *Snapshot) infoColumn(schema, table, name string, position int, nullable, updatable bool, v values) row {
	for column, d := range (values{
		"table_catalog": text(s.database.Name), "table_schema": text(schema), "table_name": text(table), "column_name": text(name),
		"ordinal_position": num(position), "is_nullable": yesNo(nullable), "dtd_identifier": text(strconv.Itoa(position)),
		"is_self_referencing": text("NO"), "is_updatable": yesNo(updatable),
	}) {
		v[column] = d
	}
	for column, otherwise := range map[string]string{"is_identity": "NO", "identity_cycle": "NO", "is_generated": "NEVER"} {
		if _, ok := v[column]; !ok {
			v[column] = text(otherwise)
		}
	}
	return infoRow("columns", v)
}

// addDefault tells where a column's values come from.
func (s *Snapshot) addDefault(v values, t *catalog.Table, c *catalog.Column) {
	switch {
	case c.Generated != "":
		v["is_generated"], v["generation_expression"] = text("ALWAYS"), text(s.nameTypes(defaultPath, s.defaultText(t, c)))
	case hasDefault(c):
		v["column_default"] = text(s.nameTypes(defaultPath, s.defaultText(t, c)))
	}
	if c.Identity == catalog.NoIdentity {
		return
	}
	v["is_identity"], v["identity_generation"] = text("YES"), text("BY DEFAULT")
	if c.Identity == catalog.IdentityAlways {
		v["identity_generation"] = text("ALWAYS")
	}
	if owned := s.ownedSequence(t, c.ID); owned != nil {
		q := owned.Sequence
		v["identity_start"], v["identity_increment"] = integer(q.Start), integer(q.Increment)
		v["identity_maximum"], v["identity_minimum"], v["identity_cycle"] = integer(q.Max), integer(q.Min), yesNo(q.Cycle)
	}
}

// defaultPath is the search path by which the rows of information_schema, which all sessions share, name types.
var defaultPath = []string{"public"}

func integer(n int64) datum { return text(strconv.FormatInt(n, 10)) }

// typeValues describes a type in the words of the standard.
func (s *Snapshot) typeValues(t types.Type) values {
	info := typeOf(t.OID)
	v := values{"udt_catalog": text(s.database.Name), "udt_schema": text("pg_catalog"), "udt_name": text(info.name)}
	switch {
	case info == enumInfo:
		v["data_type"] = text("USER-DEFINED")
		for _, u := range s.userTypes() {
			if u.oid == t.OID {
				v["udt_schema"], v["udt_name"] = text(u.schema), text(u.name)
			}
		}
		return v
	case info == enumArrayInfo:
		v["data_type"] = text("ARRAY")
		for _, u := range s.userTypes() {
			if u.oid == t.OID {
				v["udt_schema"], v["udt_name"] = text(u.schema), text(u.name)
			}
		}
		return v
	case info.category == 'A' && info.len == -1 && t.OID != types.Int2VectorOID && t.OID != types.OidVectorOID:
		v["data_type"] = text("ARRAY")
		return v
	}
	v["data_type"] = text(formatType(t.OID, -1))
	switch t.OID {
	case types.VarcharOID, types.BPCharOID:
		if n := t.CharLimit(); n >= 0 {
			v["character_maximum_length"], v["character_octet_length"] = num(n), num(4*n)
		} else if t.OID == types.VarcharOID {
			v["character_octet_length"] = num(1 << 30)
		}
	case types.TextOID:
		v["character_octet_length"] = num(1 << 30)
	case types.Int2OID:
		addNumber(v, 16, 2, 0)
	case types.Int4OID:
		addNumber(v, 32, 2, 0)
	case types.Int8OID:
		addNumber(v, 64, 2, 0)
	case types.Float4OID:
		addNumber(v, 24, 2, -1)
	case types.Float8OID:
		addNumber(v, 53, 2, -1)
	case types.NumericOID:
		v["numeric_precision_radix"] = num(10)
		if p, scale, ok := t.PrecisionScale(); ok {
			addNumber(v, p, 10, scale)
		}
	case types.DateOID:
		v["datetime_precision"] = num(0)
	case types.TimeOID, types.TimeTZOID, types.TimestampOID, types.TimestampTZOID, types.IntervalOID:
		v["datetime_precision"] = num(6)
		if t.Mod >= 0 && t.OID != types.IntervalOID {
			v["datetime_precision"] = num(int(t.Mod))
		}
	}
	return v
}

// addNumber tells the digits of a number; a scale below 0 is none.
func addNumber(v values, precision, radix, scale int) {
	v["numeric_precision"], v["numeric_precision_radix"] = num(precision), num(radix)
	if scale >= 0 {
		v["numeric_scale"] = num(scale)
	}
}

func infoViews(r *Reader) ([]row, error) {
	s, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range s.tables {
		if t.Kind == catalog.KindView {
			rows = append(rows, infoRow("views", values{
				"table_catalog": text(s.database.Name), "table_schema": text(s.schemaByID[t.Schema].Name), "table_name": text(t.Name),
				"view_definition": text(r.viewText(s, t, false, 0)), "check_option": text("NONE"), "is_updatable": text("NO"), "is_insertable_into": text("NO"),
				"is_trigger_updatable": text("NO"), "is_trigger_deletable": text("NO"), "is_trigger_insertable_into": text("NO"),
			}))
		}
	}
	return rows, nil
}

func infoSequences(s *Snapshot) []row {
	var rows []row
	for _, t := range s.tables {
		q := t.Sequence
		if q == nil || q.Identity {
			continue
		}
		v := s.typeValues(q.Type)
		rows = append(rows, infoRow("sequences", values{
			"sequence_catalog": text(s.database.Name), "sequence_schema": text(s.schemaByID[t.Schema].Name), "sequence_name": text(t.Name),
			"data_type": v["data_type"], "numeric_precision": v["numeric_precision"], "numeric_precision_radix": num(2), "numeric_scale": num(0),
			"start_value": integer(q.Start), "minimum_value": integer(q.Min), "maximum_value": integer(q.Max), "increment": integer(q.Increment),
			"cycle_option": yesNo(q.Cycle),
		}))
	}
	return rows
}

func infoRoles(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		rows = append(rows, row{text(r.Name)})
	}
	return rows
}

func infoCharacterSets(s *Snapshot) []row {
	return []row{infoRow("character_sets", values{
		"character_set_name": text("UTF8"), "character_repertoire": text("UCS"), "form_of_use": text("UTF8"), "default_collate_catalog": text(s.database.Name),
	})}
}

func infoCollations(s *Snapshot) []row {
	var rows []row
	name := Find("pg_catalog", "pg_collation").Column("collname")
	for _, r := range builtinRows("pg_collation") {
		rows = append(rows, infoRow("collations", values{
			"collation_catalog": text(s.database.Name), "collation_schema": text("pg_catalog"), "collation_name": r[name], "pad_attribute": text("NO PAD"),
		}))
	}
	return rows
}
