package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// FunctionScan is a function in FROM, or several side by side: the rows of a set-returning function, or one row with the value of
// another.
type FunctionScan struct {
	columnNames
	Call       *expr.SetCall
	Ordinality bool // a last column counts the rows from 1
	Alias      string
}

// Types are those of the function's columns.
func (n *FunctionScan) Types() []types.Type {
	var ts []types.Type
	for _, c := range n.Call.Columns() {
		ts = append(ts, c.Type)
	}
	if n.Ordinality {
		ts = append(ts, types.Int8)
	}
	return ts
}

// addFunctionScan adds f(…) [WITH ORDINALITY] AS alias.
func (p *Planner) addFunctionScan(f *from, t *parse.FuncTable) error {
	if done, err := p.addUserFunction(f, t); done || err != nil {
		return err
	}
	call, err := p.tableFunctions(f, t)
	if err != nil {
		return err
	}
	n := &FunctionScan{Call: call, Ordinality: t.Ordinality, Alias: call.Name()}
	if t.Alias.Name != "" {
		n.Alias = t.Alias.Name
	}
	names := &expr.Source{Name: n.Alias, Scalar: !t.Ordinality && len(call.Columns()) == 1}
	for i, c := range call.Columns() {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: i})
	}
	if len(names.Columns) == 1 && names.Columns[0].Name == call.Name() {
		names.Columns[0].Name = n.Alias // with one column the alias names the column too
	}
	if t.Ordinality {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: "ordinality", Type: types.Int8, Index: len(names.Columns)})
	}
	if err := p.renameColumns(names, len(names.Columns), t.Alias); err != nil {
		return err
	}
	src := &source{node: n, width: len(names.Columns), names: names}
	if p.describing {
		columns, err := p.columnDefinitions(t.Columns)
		if err != nil || slices.ContainsFunc(t.Rows, func(r parse.RowsItem) bool { return r.Columns != nil }) {
			return errNotShown
		}
		src.shown = shownItem{
			call: call, rows: t.Rows != nil, lateral: t.Lateral || usesItems(call), ordinality: t.Ordinality, typed: columns.Columns,
		}
		return p.add(f, src, t.Alias.Pos, t.Pos)
	}
	bindLateral(src, t.Pos)
	return p.add(f, src, t.Alias.Pos, t.Pos)
}

// usesItems reports whether a function's arguments use the items of FROM before it.
func usesItems(call *expr.SetCall) bool {
	found := false
	expr.Walk(call, func(e expr.Expr) bool {
		c, ok := e.(*expr.Column)
		found = found || ok && c.Level == 1
		return !found
	})
	return found
}

// tableFunctions builds the call of a function, or those of ROWS FROM.
func (p *Planner) tableFunctions(f *from, t *parse.FuncTable) (*expr.SetCall, error) {
	items := t.Rows
	if items == nil {
		items = []parse.RowsItem{{Func: t.Func, Columns: t.Columns}}
	}
	calls := make([]*expr.SetCall, len(items))
	for i, item := range items {
		columns, err := p.columnDefinitions(item.Columns)
		if err != nil {
			return nil, err
		}
		scope := &expr.Scope{Clause: expr.ClauseFrom, Parent: f.lateralScope(), Subquery: p.subquery}
		if calls[i], err = p.builder.BuildTableFunc(item.Func, columns, scope); err != nil {
			return nil, err
		}
	}
	if len(calls) == 1 {
		return calls[0], nil
	}
	return expr.SideBySide(calls), nil
}

// columnDefinitions are the columns of AS alias(name type, …); nil if they have no types.
func (p *Planner) columnDefinitions(defs []*parse.ColumnDef) (expr.ColumnList, error) {
	var list expr.ColumnList
	if len(defs) > 0 {
		list.Pos = defs[0].Pos
	}
	for _, c := range defs {
		typ, err := p.builder.ResolveType(c.Type)
		if err != nil {
			return list, err
		}
		list.Columns = append(list.Columns, expr.SetColumn{Name: c.Name, Type: typ})
	}
	return list, nil
}
