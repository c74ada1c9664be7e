package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

func (p *Planner) update(st *parse.UpdateStmt) (*Plan, error) {
	f, err := p.fromToWrite(st.Table, st.From)
	if err != nil {
		return nil, err
	}
	n := &Update{Table: f.sources[0].scan.Table, Joined: len(st.From) > 0}
	if n.Sets, err = p.sets(st.Set, f); err != nil {
		return nil, err
	}
	if n.Checks, err = p.checks(n.Table); err != nil {
		return nil, err
	}
	out := &Plan{Root: n, Tag: "UPDATE", Writes: true}
	if n.Returning, out.Columns, err = p.returning(st.Returning, f); err != nil {
		return nil, err
	}
	n.Input, n.Where, err = p.rowsToWrite(st.Where, f)
	return out, err
}

// fromToWrite resolves the table that UPDATE or DELETE writes and the items that it is joined with, whose columns come after the table's.
func (p *Planner) fromToWrite(table *parse.TableRef, others []parse.TableExpr) (*from, error) {
	f, err := p.buildFrom([]parse.TableExpr{table}, nil, UseWrite)
	if err != nil {
		return nil, err
	}
	for _, item := range others {
		tree, err := p.addItem(f, item, UseRead)
		if err != nil {
			return nil, err
		}
		f.trees = append(f.trees, tree)
	}
	return f, nil
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

// rowsToWrite plans the rows that UPDATE or DELETE writes, and gives their whole condition. Nothing may be resolved in f any more.
func (p *Planner) rowsToWrite(where parse.Expr, f *from) (Node, expr.Expr, error) {
	var conds []expr.Expr
	if where != nil {
		if _, ok := where.(*parse.CurrentOfExpr); ok {
			return nil, nil, p.unsupported("WHERE CURRENT OF", where.Position())
		}
		e, err := p.builder.BuildCondition(where, f.clause(p, expr.ClauseWhere))
		if err != nil {
			return nil, nil, err
		}
		conds = whereConjuncts(p.fold(e))
	}
	need := make([]bool, f.width)
	for i := range need {
		need[i] = true
	}
	if len(f.trees) > 1 {
		node, _ := f.plan(conds, need, nil, 0)
		return node, expr.JoinAnd(conds), nil
	}
	scan := f.sources[0].scan
	chooseAccess(scan, conds, need, nil, 0)
	return scan, expr.JoinAnd(conds), nil
}

func (p *Planner) delete(st *parse.DeleteStmt) (*Plan, error) {
	f, err := p.fromToWrite(st.Table, st.Using)
	if err != nil {
		return nil, err
	}
	n := &Delete{Table: f.sources[0].scan.Table, Joined: len(st.Using) > 0}
	out := &Plan{Root: n, Tag: "DELETE", Writes: true}
	if n.Returning, out.Columns, err = p.returning(st.Returning, f); err != nil {
		return nil, err
	}
	n.Input, n.Where, err = p.rowsToWrite(st.Where, f)
	return out, err
}
