package pgcatalog

import "minidb/sql/catalog"

func tablesRows(s *Snapshot) []row {
	var rows []row
	add := func(schema, name, owner string, hasIndex bool) {
		rows = append(rows, row{text(schema), text(name), text(owner), null, flag(hasIndex), flag(false), flag(false), flag(false)})
	}
	super := s.roleName(superuserOID)
	for _, rel := range relations().all {
		if rel.Kind == 'r' {
			add(rel.Schema, rel.Name, super, len(rel.indexes) > 0)
		}
	}
	for _, t := range s.tables {
		if t.Kind != catalog.KindTable {
			continue
		}
		add(s.schemaByID[t.Schema].Name, t.Name, s.roleName(t.Owner), len(namedIndexes(t)) > 0)
	}
	return rows
}

func indexesRows(s *Snapshot) []row {
	var rows []row
	for _, rel := range relations().all {
		for _, x := range rel.indexes {
			rows = append(rows, row{text(rel.Schema), text(rel.Name), text(x.name), null, text(s.indexDef(x.oid, false, s.alwaysQualified))})
		}
	}
	for _, t := range s.tables {
		for _, x := range namedIndexes(t) {
			rows = append(rows, row{text(s.schemaByID[t.Schema].Name), text(t.Name), text(x.Name), null, text(s.indexDef(x.OID, false, s.alwaysQualified))})
		}
	}
	return rows
}

func viewsRows(r *Reader) ([]row, error) {
	s, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range s.tables {
		if t.Kind == catalog.KindView {
			rows = append(rows, row{text(s.schemaByID[t.Schema].Name), text(t.Name), text(s.roleName(t.Owner)), text(r.viewText(s, t, false, 0))})
		}
	}
	return rows, nil
}
