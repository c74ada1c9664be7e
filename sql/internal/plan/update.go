package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

func (p *Planner) update(st *parse.UpdateStmt) (*Plan, error) {
	switch {
	case len(st.From) > 0:
		return nil, p.unsupported("UPDATE … FROM", st.From[0].Position())
	}
	f, err := p.buildFrom([]parse.TableExpr{st.Table}, nil, UseWrite)
	if err != nil {
		return nil, err
	}
	n := &Update{Table: f.sources[0].scan.Table}
	if n.Sets, err = p.sets(st.Set, f); err != nil {
		return nil, err
	}
	if n.Input, n.Where, err = p.rowsToWrite(st.Where, f); err != nil {
		return nil, err
	}
	if n.Checks, err = p.checks(n.Table); err != nil {
		return nil, err
	}
	out := &Plan{Root: n, Tag: "UPDATE", Writes: true}
	n.Returning, out.Columns, err = p.returning(st.Returning, f)
	return out, err
}

// sets builds the SET list.
func (p *Planner) sets(list []parse.Assignment, f *from) ([]Set, error) {
	t := f.sources[0].scan.Table
	defaults, err := p.defaults(t)
	if err != nil {
		return nil, err
	}
	scope := f.clause(p, expr.ClauseUpdate)
	var out []Set
	for _, a := range list {
		values := []parse.Expr{a.Value}
		if a.Multi {
			row, ok := a.Value.(*parse.RowExpr)
			if !ok {
				return nil, p.unsupported("assigning a query to several columns", a.Pos)
			}
			values = row.Args
		}
		if len(values) != len(a.Targets) {
			return nil, p.at(sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values"), a.Value.Position())
		}
		for i, target := range a.Targets {
			o, err := p.targetColumn(t, target)
			if err != nil {
				return nil, err
			}
			if err := checkUpdatable(&t.Columns[o], values[i]); err != nil {
				return nil, err
			}
			for _, s := range out {
				if s.Ordinal == o {
					return nil, sqlerr.New(sqlerr.SyntaxError, "multiple assignments to same column \"%s\"", target.Name)
				}
			}
			e, err := p.assigned(t, o, defaults, values[i], scope)
			if err != nil {
				return nil, err
			}
			out = append(out, Set{Ordinal: o, Expr: e})
		}
	}
	return out, nil
}

// rowsToWrite plans the scan of the rows that UPDATE or DELETE writes, and gives its whole condition.
func (p *Planner) rowsToWrite(where parse.Expr, f *from) (*Scan, expr.Expr, error) {
	var conds []expr.Expr
	if where != nil {
		if _, ok := where.(*parse.CurrentOfExpr); ok {
			return nil, nil, p.unsupported("WHERE CURRENT OF", where.Position())
		}
		e, err := p.builder.BuildCondition(where, f.clause(p, expr.ClauseWhere))
		if err != nil {
			return nil, nil, err
		}
		conds = whereConjuncts(e)
	}
	scan := f.sources[0].scan
	need := make([]bool, len(scan.Table.Columns))
	for i := range need {
		need[i] = true
	}
	chooseAccess(scan, conds, need, nil, 0)
	return scan, expr.JoinAnd(conds), nil
}

func (p *Planner) delete(st *parse.DeleteStmt) (*Plan, error) {
	switch {
	case len(st.Using) > 0:
		return nil, p.unsupported("DELETE … USING", st.Using[0].Position())
	}
	f, err := p.buildFrom([]parse.TableExpr{st.Table}, nil, UseWrite)
	if err != nil {
		return nil, err
	}
	n := &Delete{Table: f.sources[0].scan.Table}
	if n.Input, n.Where, err = p.rowsToWrite(st.Where, f); err != nil {
		return nil, err
	}
	out := &Plan{Root: n, Tag: "DELETE", Writes: true}
	n.Returning, out.Columns, err = p.returning(st.Returning, f)
	return out, err
}
