package pgcatalog

import (
	"minidb/sql/catalog"
	"minidb/sql/types"
)

// constraint is what rows of pg_constraint differ in.
type constraint struct {
	oid, namespace, relation  types.OID
	name                      string
	kind                      byte // c check, f foreign key, p primary key, u unique
	index, references         types.OID
	columns, refColumns       []int16
	onUpdate, onDelete, match byte // of a foreign key
	setColumns                []int16
	deferrable, deferred      bool
	notValid                  bool
	check                     string
}

func (c constraint) row() row {
	action := func(b byte) types.Datum {
		if c.kind != 'f' {
			return text(" ")
		}
		return char(b)
	}
	list := func(columns []int16) types.Datum {
		if columns == nil {
			return null
		}
		return array(types.Int2, columns)
	}
	return row{
		oid(c.oid), text(c.name), oid(c.namespace), char(c.kind), flag(c.deferrable), flag(c.deferred), flag(!c.notValid), oid(c.relation), oid(0),
		oid(c.index), oid(0), oid(c.references), action(c.onUpdate), action(c.onDelete), action(c.match), flag(true), num(0),
		flag(c.kind != 'c'), list(c.columns), list(c.refColumns), null, null, null, list(c.setColumns), null, orNull(c.check),
	}
}

func constraintRows(s *Snapshot) []row {
	var rows []row
	for _, rel := range relations().all {
		for _, x := range rel.indexes {
			if x.constraint == 0 {
				continue
			}
			kind := byte('u')
			if x.primary {
				kind = 'p'
			}
			rows = append(rows, constraint{
				oid: x.constraint, namespace: rel.namespace(), relation: rel.OID, name: x.name, kind: kind, index: x.oid, columns: x.columns,
			}.row())
		}
	}
	for _, t := range s.tables {
		for _, c := range s.constraints(t) {
			if c.check != "" {
				c.check = s.checkText(t, c.check, false)
			}
			rows = append(rows, c.row())
		}
	}
	return rows
}

// constraints are those of a table: checks, then those that are indexes.
func (s *Snapshot) constraints(t *catalog.Table) []constraint {
	var out []constraint
	base := constraint{namespace: s.namespace(t), relation: t.OID}
	for i := range t.Checks {
		k := &t.Checks[i]
		c := base
		c.oid, c.name, c.kind, c.columns, c.check = k.OID, k.Name, 'c', numbers(k.Columns), k.Expr
		c.notValid = k.NotValid
		out = append(out, c)
	}
	for i := range t.ForeignKeys {
		out = append(out, s.foreignKey(base, &t.ForeignKeys[i]))
	}
	for _, x := range namedIndexes(t) {
		if x.ConstraintOID == 0 {
			continue
		}
		c := base
		c.oid, c.name, c.kind, c.index = x.ConstraintOID, x.Name, 'u', x.OID
		if x.Primary {
			c.kind = 'p'
		}
		for _, k := range x.Keys {
			c.columns = append(c.columns, int16(k.Column))
		}
		out = append(out, c)
	}
	return out
}

var actionLetters = map[catalog.FKAction]byte{
	catalog.FKNoAction: 'a', catalog.FKRestrict: 'r', catalog.FKCascade: 'c', catalog.FKSetNull: 'n', catalog.FKSetDefault: 'd',
}

func (s *Snapshot) foreignKey(c constraint, k *catalog.ForeignKey) constraint {
	c.oid, c.name, c.kind, c.columns, c.refColumns = k.OID, k.Name, 'f', numbers(k.Columns), numbers(k.RefColumns)
	c.onDelete, c.onUpdate, c.match = actionLetters[k.OnDelete], actionLetters[k.OnUpdate], 's'
	if k.MatchFull {
		c.match = 'f'
	}
	if k.SetColumns != nil {
		c.setColumns = numbers(k.SetColumns)
	}
	c.deferrable, c.deferred, c.notValid = k.Deferrable, k.Deferred, k.NotValid
	if to := s.tableByID[k.References]; to != nil {
		c.references = to.OID
		if x := to.Index(k.RefIndex); x != nil {
			c.index = x.OID
		}
	}
	return c
}

func numbers(ids []catalog.ColumnID) []int16 {
	out := make([]int16, len(ids))
	for i, id := range ids {
		out[i] = int16(id)
	}
	return out
}
