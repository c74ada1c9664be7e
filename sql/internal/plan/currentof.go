package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// CursorRows are the rows of tables that the rows of a cursor's query come from one to one: what WHERE CURRENT OF may name.
type CursorRows struct {
	Tables []CursorTable
	// Locking tells that the query has FOR UPDATE or its kin: only the tables that it locks are there.
	Locking bool
}

// CursorTable is a table with the place of its primary key among the columns of a cursor's query.
type CursorTable struct {
	Table types.OID
	First int // column of Plan.Root
	Keys  int
}

// nameRows adds the primary keys of the rows that WHERE CURRENT OF may name to the outputs of a cursor's query, if the query is simple.
func (s *selection) nameRows(lock *LockRows, joined *LockJoined) {
	if !s.p.Cursor || s.p.depth > 1 || s.grouped || s.windowed || s.clause.Distinct || s.hasSets() {
		return
	}
	s.cursor = &CursorRows{Locking: lock != nil || joined != nil}
	if joined != nil {
		for _, l := range joined.Locks {
			s.nameRow(&source{scan: &Scan{Table: l.Table}, first: l.First})
		}
		return
	}
	if len(s.from.sources) == 1 && s.from.sources[0].scan != nil {
		s.nameRow(s.from.sources[0])
	}
}

func (s *selection) nameRow(src *source) {
	t := src.scan.Table
	s.cursor.Tables = append(s.cursor.Tables, CursorTable{Table: t.OID, First: len(s.outputs), Keys: len(t.Primary.Keys)})
	for _, k := range t.Primary.Keys {
		o := t.Ordinal(k.Column)
		c := &t.Columns[o]
		s.outputs = append(s.outputs, output{expr: expr.NewColumn(src.first+o, c.Type, t.Name, c.Name)})
	}
}

// cursorRows is what is left of nameRows once the plan is there: rows that were sorted are not where they were read any more.
func (s *selection) cursorRows(n Node) *CursorRows {
	if l, ok := n.(*Limit); ok {
		n = l.Input
	}
	if _, sorted := n.(*Sort); sorted && !s.cursor.Locking {
		return nil
	}
	return s.cursor
}

// currentOf makes the condition that a row of the table to write is the one that a cursor is on.
func (p *Planner) currentOf(x *parse.CurrentOfExpr, f *from) ([]expr.Expr, error) {
	t := f.sources[0].scan.Table
	var conds []expr.Expr
	for i, k := range t.Primary.Keys {
		o := t.Ordinal(k.Column)
		c := &t.Columns[o]
		key := expr.NewCurrentOf(x.Cursor, t.OID, t.Name, i, c.Type)
		cond, err := p.builder.Operator("=", expr.NewColumn(f.sources[0].first+o, c.Type, t.Name, c.Name), key, x.Pos)
		if err != nil {
			return nil, err
		}
		conds = append(conds, cond)
	}
	return conds, nil
}
