package plan

import (
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// OnConflict is what an INSERT does about a row whose key in a unique index is taken.
type OnConflict struct {
	// Arbiters are the indexes whose conflicts count; a conflict in another one is an error.
	Arbiters []*catalog.Index
	// Update tells that the row that is there is changed; else the new one is left out.
	Update bool
	// Sets and Where (nil: none) are over the columns of the row that is there and then those of the one proposed.
	Sets  []Set
	Where expr.Expr
}

func (p *Planner) onConflict(st *parse.OnConflict, f *from) (*OnConflict, error) {
	if st == nil {
		return nil, nil
	}
	t := f.sources[0].scan.Table
	out := &OnConflict{Update: st.DoUpdate}
	var err error
	if out.Arbiters, err = p.arbiters(st, f.sources[0].scan); err != nil || !st.DoUpdate {
		return out, err
	}
	excluded := &expr.Source{Name: "excluded"}
	for i := range t.Columns {
		c := &t.Columns[i]
		excluded.Columns = append(excluded.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: len(t.Columns) + i, Dropped: c.Hidden})
	}
	both := &from{sources: f.sources, scope: &expr.Scope{Sources: append(slices.Clone(f.scope.Sources), excluded)}}
	if out.Sets, err = p.sets(st.Set, both); err != nil || st.Where == nil {
		return out, err
	}
	out.Where, err = p.builder.BuildCondition(st.Where, both.clause(p, expr.ClauseWhere))
	return out, err
}

// conflictTarget is what the index of ON CONFLICT (…) WHERE … has.
type conflictTarget struct {
	columns []catalog.ColumnID
	exprs   []expr.Expr
	where   []expr.Expr
}

// arbiters are the indexes that a conflict target stands for.
func (p *Planner) arbiters(st *parse.OnConflict, scan *Scan) ([]*catalog.Index, error) {
	t := scan.Table
	if st.Constraint != "" {
		x := t.IndexByName(st.Constraint)
		if x == nil || x.ConstraintOID == 0 {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", st.Constraint, t.Name)
		}
		return []*catalog.Index{x}, nil
	}
	target, err := p.conflictTarget(st, t)
	if err != nil {
		return nil, err
	}
	var out []*catalog.Index
	for _, x := range t.AllIndexes() {
		unique := x.Unique || x.Primary
		if !unique || x.Primary && t.HasRowID() {
			continue
		}
		if len(st.Items) == 0 || target.matches(scan, x) {
			out = append(out, x)
		}
	}
	if len(st.Items) > 0 && out == nil {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	return out, nil
}

func (p *Planner) conflictTarget(st *parse.OnConflict, t *catalog.Table) (*conflictTarget, error) {
	out := &conflictTarget{}
	for _, item := range st.Items {
		if ref, ok := item.Expr.(*parse.ColumnRef); ok && len(ref.Parts) == 1 {
			c := t.ColumnByName(ref.Parts[0])
			if c == nil {
				return nil, p.at(sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", ref.Parts[0]), ref.Pos)
			}
			out.columns = append(out.columns, c.ID)
			continue
		}
		e, err := p.builder.BuildValue(item.Expr, tableColumns(t, expr.ClauseIndexExpr))
		if err != nil {
			return nil, err
		}
		out.exprs = append(out.exprs, expr.Fold(e))
	}
	if st.IndexWhere != nil {
		e, err := p.builder.BuildCondition(st.IndexWhere, tableColumns(t, expr.ClauseIndexPredicate))
		if err != nil {
			return nil, err
		}
		out.where = expr.SplitAnd(expr.Fold(e))
	}
	return out, nil
}

// matches reports whether an index's key has just these columns and expressions, in any order, and all rows that the target's condition
// speaks of.
func (c *conflictTarget) matches(scan *Scan, x *catalog.Index) bool {
	if partial := scan.expression(x.Where); partial != nil && !expr.ImpliesAll(c.where, partial) {
		return false
	}
	var columns []catalog.ColumnID
	var exprs []expr.Expr
	for _, k := range x.Keys {
		if e := scan.expression(k.Column); e != nil {
			exprs = append(exprs, e)
		} else {
			columns = append(columns, k.Column)
		}
	}
	return subset(columns, c.columns, sameID) && subset(c.columns, columns, sameID) &&
		subset(exprs, c.exprs, expr.Equal) && subset(c.exprs, exprs, expr.Equal)
}

func sameID(a, b catalog.ColumnID) bool { return a == b }

// subset reports whether everything in a is in b.
func subset[T any](a, b []T, same func(T, T) bool) bool {
	return !slices.ContainsFunc(a, func(x T) bool {
		return !slices.ContainsFunc(b, func(y T) bool { return same(x, y) })
	})
}
