package plan

import (
	"minidb/sql/catalog"
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
	p.needed(n.Table, catalog.Update, values(n.Sets), n.Returning, []expr.Expr{n.Where})
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
		src, err := p.setSource(a, scope)
		if err != nil {
			return nil, err
		}
		for i, target := range a.Targets {
			o, err := p.targetColumn(t, target)
			if err != nil {
				return nil, err
			}
			if err := checkUpdatable(&t.Columns[o], src.values[i]); err != nil {
				return nil, err
			}
			for _, s := range out {
				if s.Ordinal == o {
					return nil, sqlerr.New(sqlerr.SyntaxError, "multiple assignments to same column \"%s\"", target.Name)
				}
			}
			set := Set{Ordinal: o, Row: src.row}
			if src.row != nil {
				c, field := &t.Columns[o], src.row.Type().Fields()[i]
				set.Expr, err = p.builder.Assign(expr.NewColumn(i, field.Type, "", field.Name), c.Name, c.Type, a.Value.Position())
			} else {
				set.Expr, err = p.assigned(t, o, defaults, src.values[i], scope)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, set)
		}
	}
	return out, nil
}

// setSource is what one item of SET assigns: a value a column, or a record with all of them.
type setSource struct {
	values []parse.Expr
	row    expr.Expr // nil: values
}

func (p *Planner) setSource(a parse.Assignment, scope *expr.Scope) (setSource, error) {
	if !a.Multi {
		return setSource{values: []parse.Expr{a.Value}}, nil
	}
	var src setSource
	n := 0
	switch value := a.Value.(type) {
	case *parse.RowExpr:
		src.values = value.Args
		n = len(src.values)
	case *parse.SubqueryExpr:
		var err error
		if src.row, err = p.subquery(p.builder, scope, expr.SubqueryRequest{Kind: expr.RowSubquery, Query: value.Query, Pos: value.Pos}); err != nil {
			return src, err
		}
		src.values = make([]parse.Expr, len(a.Targets))
		n = len(src.row.Type().Fields())
	default:
		return src, p.at(sqlerr.New(sqlerr.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression"), a.Value.Position())
	}
	if n != len(a.Targets) {
		return src, p.at(sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values"), a.Value.Position())
	}
	return src, nil
}

// rowsToWrite plans the rows that UPDATE or DELETE writes, and gives their whole condition. Nothing may be resolved in f any more.
func (p *Planner) rowsToWrite(where parse.Expr, f *from) (Node, expr.Expr, error) {
	var conds []expr.Expr
	if where != nil {
		var err error
		if conds, err = p.rowsCondition(where, f); err != nil {
			return nil, nil, err
		}
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

// rowsCondition is what WHERE says of the rows to write.
func (p *Planner) rowsCondition(where parse.Expr, f *from) ([]expr.Expr, error) {
	if x, ok := where.(*parse.CurrentOfExpr); ok {
		return p.currentOf(x, f)
	}
	e, err := p.builder.BuildCondition(where, f.clause(p, expr.ClauseWhere))
	if err != nil {
		return nil, err
	}
	return whereConjuncts(p.fold(e)), nil
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
	p.needed(n.Table, catalog.Delete, n.Returning, []expr.Expr{n.Where})
	return out, err
}
