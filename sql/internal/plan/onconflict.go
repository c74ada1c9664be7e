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
	if out.Arbiters, err = p.arbiters(st, t); err != nil || !st.DoUpdate {
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

// arbiters are the indexes that a conflict target stands for.
func (p *Planner) arbiters(st *parse.OnConflict, t *catalog.Table) ([]*catalog.Index, error) {
	if st.IndexWhere != nil {
		return nil, p.unsupported("a predicate of a conflict target", st.Pos)
	}
	if st.Constraint != "" {
		x := t.IndexByName(st.Constraint)
		if x == nil || x.ConstraintOID == 0 {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", st.Constraint, t.Name)
		}
		return []*catalog.Index{x}, nil
	}
	var columns []catalog.ColumnID
	for _, item := range st.Items {
		ref, ok := item.Expr.(*parse.ColumnRef)
		if !ok || len(ref.Parts) != 1 {
			return nil, p.unsupported("an expression in a conflict target", item.Expr.Position())
		}
		c := t.ColumnByName(ref.Parts[0])
		if c == nil {
			return nil, p.at(sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", ref.Parts[0]), ref.Pos)
		}
		columns = append(columns, c.ID)
	}
	var out []*catalog.Index
	for _, x := range t.AllIndexes() {
		unique := x.Unique || x.Primary
		if !unique || x.Primary && t.HasRowID() {
			continue
		}
		if len(st.Items) == 0 || sameKeyColumns(x, columns) {
			out = append(out, x)
		}
	}
	if len(st.Items) > 0 && out == nil {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference, "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	return out, nil
}

// sameKeyColumns reports whether an index's key has just these columns, in any order.
func sameKeyColumns(x *catalog.Index, columns []catalog.ColumnID) bool {
	for _, k := range x.Keys {
		if !slices.Contains(columns, k.Column) {
			return false
		}
	}
	for _, c := range columns {
		if !slices.ContainsFunc(x.Keys, func(k catalog.IndexColumn) bool { return k.Column == c }) {
			return false
		}
	}
	return true
}
