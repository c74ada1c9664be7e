package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// addUserFunction adds a user's function in FROM; done is false if the call means another one.
func (p *Planner) addUserFunction(f *from, t *parse.FuncTable) (done bool, err error) {
	x, ok := t.Func.(*parse.FuncCall)
	if !ok {
		return false, nil
	}
	// A function sees the items before it, with LATERAL or without.
	scope := &expr.Scope{Clause: expr.ClauseFrom, Parent: f.lateralScope(), Subquery: p.subquery}
	call, ok, err := p.builder.UserTableCall(x, scope)
	if !ok || err != nil {
		return false, err
	}
	if p.describing {
		return false, errNotShown
	}
	u := call.Function.Body.(*userFunction)
	switch {
	case t.Ordinality:
		return false, p.unsupported("WITH ORDINALITY of an SQL function", t.Pos)
	case t.Columns != nil:
		return false, p.at(sqlerr.New(sqlerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\""), t.Columns[0].Pos)
	}
	p.noteCall(u)
	alias := u.Name
	if t.Alias.Name != "" {
		alias = t.Alias.Name
	}
	node, err := p.functionRows(u, call, scope)
	if err != nil {
		return false, err
	}
	columns := call.Function.Columns
	if columns == nil {
		// With one column the alias names the column too.
		columns = []expr.SetColumn{{Name: alias, Type: types.Type{OID: u.Result, Mod: -1}}}
	}
	names := &expr.Source{Name: alias, Scalar: len(columns) == 1}
	for i, c := range columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: i})
	}
	if err := p.renameColumns(names, len(names.Columns), t.Alias); err != nil {
		return false, err
	}
	src := &source{node: node, width: len(names.Columns), names: names}
	bindLateral(src, t.Pos)
	return true, p.add(f, src, t.Alias.Pos, t.Pos)
}

// functionRows are the rows of a function in FROM, with what its arguments use from outside as columns of level 1 and more.
func (p *Planner) functionRows(u *userFunction, call expr.FunctionCall, scope *expr.Scope) (Node, error) {
	if !u.Set {
		e, err := p.callFunction(scope, call)
		if err != nil {
			return nil, err
		}
		return &Values{Rows: [][]expr.Expr{{e}}, Columns: []types.Type{e.Type()}, Alias: u.Name}, nil
	}
	if err := p.defaultArgs(u, call.Args); err != nil {
		return nil, err
	}
	root, err := p.planSet(u)
	if err != nil {
		return nil, inFunction(err, u.Name, "during inlining")
	}
	var left Node = &Values{Rows: [][]expr.Expr{{}}}
	if u.Strict {
		for _, a := range call.Args {
			left = &Filter{Input: left, Cond: &expr.NullTest{Arg: a, Not: true}}
		}
	}
	return &Apply{Left: left, Right: root, Args: call.Args}, nil
}

// planSet plans the body of a function that gives rows, with the arguments as columns of level 1. Each call has a plan of its own.
func (p *Planner) planSet(u *userFunction) (root Node, err error) {
	if u.calls {
		return nil, sqlerr.Unsupported("recursion of a set-returning SQL function")
	}
	u.calls = true
	defer func() { u.calls = false }()
	err = p.inBody(u, func(st *parse.SelectStmt) error {
		q, err := p.query(st, &expr.Scope{Sources: []*expr.Source{u.args}})
		if err != nil {
			return err
		}
		want := []types.OID{u.Result}
		if len(u.Table) > 1 {
			want = want[:0]
			for _, c := range u.Table {
				want = append(want, c.Type)
			}
		}
		root, err = p.returnedRows(u, q, want)
		return err
	})
	return root, err
}
