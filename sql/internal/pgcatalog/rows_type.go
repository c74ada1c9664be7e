package pgcatalog

import (
	"slices"
	"sync"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// typeColumns are the places in a row of pg_type that rows of tables' types differ in.
type typeColumns struct{ oid, name, namespace, owner, relid, array, elem int }

var typeTemplate = sync.OnceValues(func() (row, typeColumns) {
	rel := Find("pg_catalog", "pg_type")
	at := typeColumns{
		rel.Column("oid"), rel.Column("typname"), rel.Column("typnamespace"), rel.Column("typowner"), rel.Column("typrelid"), rel.Column("typarray"),
		rel.Column("typelem"),
	}
	// The row type of pg_class is like that of any table.
	class := Find("pg_catalog", "pg_class").TypeOID
	for _, r := range builtinRows("pg_type") {
		if types.OID(r[at.oid].I) == class {
			t := slices.Clone(r)
			t[at.array] = oid(0)
			return t, at
		}
	}
	panic("pgcatalog: builtin: no type of pg_class")
})

func typeRows(s *Snapshot) []row {
	builtin := builtinRows("pg_type")
	rows := builtin[:len(builtin):len(builtin)]
	template, at := typeTemplate()
	for _, t := range s.tables {
		if t.TypeOID == 0 || t.Kind == catalog.KindSequence {
			continue
		}
		r := slices.Clone(template)
		r[at.oid], r[at.name], r[at.namespace] = oid(t.TypeOID), text(t.Name), oid(s.namespace(t))
		r[at.owner], r[at.relid], r[at.array] = oid(t.Owner), oid(t.OID), oid(t.ArrayOID)
		rows = append(rows, r)
		if a, ok := s.rowArrays[t.ArrayOID]; ok {
			rows = append(rows, arrayType(r, at, t.ArrayOID, a.name, 'd'))
		}
	}
	for _, e := range s.enums() {
		r := s.enumType(e, template, at)
		rows = append(rows, r, arrayType(r, at, e.OID+1, arrayName(e), 'i'))
	}
	return rows
}

// enums are the enumerated types of this database.
func (s *Snapshot) enums() []*catalog.Enum {
	var out []*catalog.Enum
	for _, e := range s.all.Enums {
		if s.schemaByID[e.Schema] != nil {
			out = append(out, e)
		}
	}
	return out
}

// enumType is the row of pg_type of an enumerated type.
func (s *Snapshot) enumType(e *catalog.Enum, template row, at typeColumns) row {
	rel := Find("pg_catalog", "pg_type")
	r := slices.Clone(template)
	r[at.oid], r[at.name], r[at.namespace] = oid(e.OID), text(e.Name), oid(s.schemaByID[e.Schema].OID)
	r[at.owner], r[at.relid], r[at.array] = oid(e.Owner), oid(0), oid(e.OID+1)
	for name, d := range map[string]datum{
		"typlen": num(4), "typbyval": flag(true), "typtype": char('e'), "typcategory": char('E'), "typalign": char('i'), "typstorage": char('p'),
		"typinput": builtinFunction("enum_in"), "typoutput": builtinFunction("enum_out"), "typreceive": builtinFunction("enum_recv"),
		"typsend": builtinFunction("enum_send"),
	} {
		r[rel.Column(name)] = d
	}
	return r
}

// arrayType is the row of pg_type of the arrays of a type.
func arrayType(elem row, at typeColumns, o types.OID, name string, align byte) row {
	rel := Find("pg_catalog", "pg_type")
	r := slices.Clone(elem)
	r[at.oid], r[at.name], r[at.relid], r[at.elem], r[at.array] = oid(o), text(name), oid(0), elem[at.oid], oid(0)
	for name, d := range map[string]datum{
		"typlen": num(-1), "typbyval": flag(false), "typstorage": char('x'),
		"typtype": char('b'), "typcategory": char('A'), "typalign": char(align), "typsubscript": builtinFunction("array_subscript_handler"),
		"typinput": builtinFunction("array_in"), "typoutput": builtinFunction("array_out"), "typreceive": builtinFunction("array_recv"),
		"typsend": builtinFunction("array_send"), "typanalyze": builtinFunction("array_typanalyze"),
	} {
		r[rel.Column(name)] = d
	}
	return r
}

func builtinFunction(name string) datum { return oid(builtinsNamed("pg_proc", "proname", name)[0]) }

func enumRows(s *Snapshot) []row {
	var rows []row
	for _, e := range s.enums() {
		for _, l := range e.Labels {
			rows = append(rows, row{oid(l.OID), oid(e.OID), float(l.SortOrder()), text(l.Name)})
		}
	}
	return rows
}
