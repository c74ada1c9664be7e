package pgcatalog

import (
	"fmt"

	"minidb/sql/catalog"
)

// tableConstraint is a constraint with the table that has it.
type tableConstraint struct {
	constraint
	table  *catalog.Table
	schema string
}

// allConstraints are those of all tables of the database.
func (s *Snapshot) allConstraints() []tableConstraint {
	var out []tableConstraint
	for _, t := range s.tables {
		for _, c := range s.constraints(t) {
			out = append(out, tableConstraint{c, t, s.schemaByID[t.Schema].Name})
		}
	}
	return out
}

// notNulls are the columns that may not be NULL, as information_schema sees them: as CHECK constraints with made-up names.
func (s *Snapshot) notNulls(add func(t *catalog.Table, c *catalog.Column, name string)) {
	for _, t := range s.tables {
		if t.Kind != catalog.KindTable {
			continue
		}
		for i := range t.Visible() {
			if c := &t.Columns[i]; c.NotNull {
				add(t, c, fmt.Sprintf("%d_%d_%d_not_null", s.namespace(t), t.OID, c.ID))
			}
		}
	}
}

// named are the columns by which the views name a constraint and its table.
func (s *Snapshot) named(t *catalog.Table, name string) values {
	schema := text(s.schemaByID[t.Schema].Name)
	db := text(s.database.Name)
	return values{
		"constraint_catalog": db, "constraint_schema": schema, "constraint_name": text(name), "table_catalog": db, "table_schema": schema,
		"table_name": text(t.Name),
	}
}

func infoTableConstraints(s *Snapshot) []row {
	kinds := map[byte]string{'c': "CHECK", 'f': "FOREIGN KEY", 'p': "PRIMARY KEY", 'u': "UNIQUE"}
	var rows []row
	add := func(v values, kind string, deferrable, deferred bool) {
		v["constraint_type"], v["is_deferrable"], v["initially_deferred"], v["enforced"] = text(kind), yesNo(deferrable), yesNo(deferred), text("YES")
		if kind == "UNIQUE" {
			v["nulls_distinct"] = text("YES")
		}
		rows = append(rows, infoRow("table_constraints", v))
	}
	for _, c := range s.allConstraints() {
		add(s.named(c.table, c.name), kinds[c.kind], c.deferrable, c.deferred)
	}
	s.notNulls(func(t *catalog.Table, _ *catalog.Column, name string) { add(s.named(t, name), "CHECK", false, false) })
	return rows
}

func infoCheckConstraints(s *Snapshot) []row {
	var rows []row
	add := func(t *catalog.Table, name, clause string) {
		rows = append(rows, infoRow("check_constraints", values{
			"constraint_catalog": text(s.database.Name), "constraint_schema": text(s.schemaByID[t.Schema].Name), "constraint_name": text(name),
			"check_clause": text(clause),
		}))
	}
	for _, c := range s.allConstraints() {
		if c.kind == 'c' {
			add(c.table, c.name, "("+s.nameTypes(defaultPath, s.checkText(c.table, c.check, false))+")")
		}
	}
	s.notNulls(func(t *catalog.Table, c *catalog.Column, name string) { add(t, name, c.Name+" IS NOT NULL") })
	return rows
}

func infoKeyColumns(s *Snapshot) []row {
	var rows []row
	for _, c := range s.allConstraints() {
		if c.kind == 'c' {
			continue
		}
		for i, n := range c.columns {
			v := s.named(c.table, c.name)
			v["column_name"], v["ordinal_position"] = text(c.table.Column(catalog.ColumnID(n)).Name), num(i+1)
			if c.kind == 'f' {
				v["position_in_unique_constraint"] = s.positionInKey(c.constraint, c.refColumns[i])
			}
			rows = append(rows, infoRow("key_column_usage", v))
		}
	}
	return rows
}

// positionInKey is where a column stands in the key that a foreign key references.
func (s *Snapshot) positionInKey(c constraint, column int16) datum {
	if r := s.relations[c.index]; r.Index != nil {
		for i, k := range r.Index.Keys {
			if int16(k.Column) == column {
				return num(i + 1)
			}
		}
	}
	return null
}

func infoConstraintColumns(s *Snapshot) []row {
	var rows []row
	for _, c := range s.allConstraints() {
		t, columns := c.table, c.columns
		if c.kind == 'f' {
			t, columns = s.relations[c.references].Table, c.refColumns
		}
		if t == nil {
			continue
		}
		for _, n := range columns {
			v := s.named(t, c.name)
			v["constraint_schema"], v["column_name"] = text(c.schema), text(t.Column(catalog.ColumnID(n)).Name)
			rows = append(rows, infoRow("constraint_column_usage", v))
		}
	}
	return rows
}

func infoConstraintTables(s *Snapshot) []row {
	var rows []row
	for _, c := range s.allConstraints() {
		t := c.table
		switch c.kind {
		case 'c':
			continue
		case 'f':
			if t = s.relations[c.references].Table; t == nil {
				continue
			}
		}
		v := s.named(t, c.name)
		v["constraint_schema"] = text(c.schema)
		rows = append(rows, infoRow("constraint_table_usage", v))
	}
	return rows
}

func infoReferences(s *Snapshot) []row {
	rules := map[byte]string{'a': "NO ACTION", 'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}
	matches := map[byte]string{'s': "NONE", 'f': "FULL"}
	var rows []row
	for _, c := range s.allConstraints() {
		if c.kind != 'f' {
			continue
		}
		v := values{
			"constraint_catalog": text(s.database.Name), "constraint_schema": text(c.schema), "constraint_name": text(c.name),
			"match_option": text(matches[c.match]), "update_rule": text(rules[c.onUpdate]), "delete_rule": text(rules[c.onDelete]),
		}
		if r := s.relations[c.index]; r.Index != nil && r.Index.ConstraintOID != 0 {
			v["unique_constraint_catalog"], v["unique_constraint_name"] = text(s.database.Name), text(r.Index.Name)
			v["unique_constraint_schema"] = text(s.schemaByID[r.Table.Schema].Name)
		}
		rows = append(rows, infoRow("referential_constraints", v))
	}
	return rows
}
