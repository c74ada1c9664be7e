package pgcatalog

import (
	"minidb/sql/catalog"
	"minidb/sql/types"
)

func sequenceRows(s *Snapshot) []row {
	var rows []row
	for _, t := range s.tables {
		if q := t.Sequence; q != nil {
			rows = append(rows, row{
				oid(t.OID), oid(q.Type.OID), types.NewInt(q.Start), types.NewInt(q.Increment), types.NewInt(q.Max), types.NewInt(q.Min),
				types.NewInt(q.Cache), flag(q.Cycle),
			})
		}
	}
	return rows
}

// sequencesRows are those of the view, which also tells where the sequences stand.
func sequencesRows(r *Reader) ([]row, error) {
	s, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	view, err := r.env.View()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range s.tables {
		q := t.Sequence
		if q == nil {
			continue
		}
		last := null
		at, err := view.Store().SequenceStanding(r.env.Context(), t)
		if err != nil {
			return nil, err
		}
		if at.Called {
			last = types.NewInt(at.Last)
		}
		rows = append(rows, row{
			text(s.schemaByID[t.Schema].Name), text(t.Name), text(s.roleName(t.Owner)), oid(q.Type.OID), types.NewInt(q.Start), types.NewInt(q.Min),
			types.NewInt(q.Max), types.NewInt(q.Increment), flag(q.Cycle), types.NewInt(q.Cache), last,
		})
	}
	return rows, nil
}

// dependRows tell which column owns a sequence, and which defaults use one.
func dependRows(s *Snapshot) []row {
	var rows []row
	add := func(class, object types.OID, refObject types.OID, refColumn int, kind byte) {
		rows = append(rows, row{oid(class), oid(object), num(0), oid(classRelation), oid(refObject), num(refColumn), char(kind)})
	}
	for _, t := range s.tables {
		if t.Sequence != nil {
			kind := byte('a')
			if t.Sequence.Identity {
				kind = 'i'
			}
			if owner := s.tableByID[t.Sequence.Owner.Table]; owner != nil {
				add(classRelation, t.OID, owner.OID, int(t.Sequence.Owner.Column), kind)
			}
		}
		for i := range t.Visible() {
			if c := &t.Columns[i]; hasDefault(c) {
				add(classAttrDefault, c.DefaultOID, t.OID, int(c.ID), 'a')
			}
		}
		for _, x := range namedIndexes(t) {
			for _, k := range x.Keys {
				if k.Column >= catalog.FirstVirtual {
					continue
				}
				if x.ConstraintOID != 0 {
					add(classConstraint, x.ConstraintOID, t.OID, int(k.Column), 'a')
				} else {
					add(classRelation, x.OID, t.OID, int(k.Column), 'a')
				}
			}
			if x.ConstraintOID != 0 {
				rows = append(rows, row{oid(classRelation), oid(x.OID), num(0), oid(classConstraint), oid(x.ConstraintOID), num(0), char('i')})
			}
		}
		for _, c := range s.constraints(t) {
			if c.kind != 'f' {
				continue
			}
			for _, n := range c.columns {
				add(classConstraint, c.oid, t.OID, int(n), 'a')
			}
			for _, n := range c.refColumns {
				add(classConstraint, c.oid, c.references, int(n), 'n')
			}
			add(classConstraint, c.oid, c.index, 0, 'n')
		}
	}
	return rows
}

// ownedSequence is the sequence that a column owns; nil if there is none.
func (s *Snapshot) ownedSequence(t *catalog.Table, id catalog.ColumnID) *catalog.Table {
	for _, q := range s.tables {
		if q.Sequence != nil && q.Sequence.Owner.Table == t.ID && q.Sequence.Owner.Column == id {
			return q
		}
	}
	return nil
}
