package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// mergeColumns is USING and NATURAL: it makes the equalities of the columns that both sides have, and one column of each two, which
// comes before the others. The left side's names are f.scope.Sources[before:middle], the right side's those from middle on.
func (p *Planner) mergeColumns(f *from, t *parse.JoinExpr, before, middle int) ([]expr.Expr, error) {
	left, right := f.scope.Sources[before:middle], f.scope.Sources[middle:]
	names := t.Using
	if t.Natural {
		names = commonNames(left, right)
	}
	merged := &expr.Source{}
	var on []expr.Expr
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, p.at(sqlerr.New(sqlerr.DuplicateColumn, "column name \"%s\" appears more than once in USING clause", name), t.Pos)
		}
		l, err := p.mergeSide(left, name, "left", t.Pos)
		if err != nil {
			return nil, err
		}
		r, err := p.mergeSide(right, name, "right", t.Pos)
		if err != nil {
			return nil, err
		}
		equal, column, err := p.mergeTwo(t, l, r, name)
		if err != nil {
			return nil, err
		}
		on = append(on, equal)
		merged.Columns = append(merged.Columns, expr.SourceColumn{Name: name, Type: column.Type(), Expr: column})
	}
	f.scope.Sources = slices.Insert(f.scope.Sources, before, merged)
	return on, nil
}

// commonNames are the names that columns of both sides have, in the order of the left side.
func commonNames(left, right []*expr.Source) []string {
	var names []string
	for _, src := range left {
		for i := range src.Columns {
			c := &src.Columns[i]
			if isNamed(c, c.Name) && slices.ContainsFunc(right, func(r *expr.Source) bool {
				return slices.ContainsFunc(r.Columns, func(o expr.SourceColumn) bool { return isNamed(&o, c.Name) })
			}) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// isNamed reports whether a bare name means the column.
func isNamed(c *expr.SourceColumn, name string) bool {
	return c.Name == name && !c.Dropped && !c.Hidden && !c.QualifiedOnly
}

// mergeSide finds the column of a side and hides it from bare names.
func (p *Planner) mergeSide(side []*expr.Source, name, which string, pos int) (expr.Expr, error) {
	var found expr.Expr
	for _, src := range side {
		for i := range src.Columns {
			c := &src.Columns[i]
			if !isNamed(c, name) {
				continue
			}
			if found != nil {
				return nil, p.at(sqlerr.New(sqlerr.AmbiguousColumn, "common column name \"%s\" appears more than once in %s table", name, which), pos)
			}
			if found = c.Expr; found == nil {
				found = expr.NewColumn(c.Index, c.Type, src.Name, c.Name)
			}
			c.QualifiedOnly = true
		}
	}
	if found == nil {
		return nil, p.at(sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" specified in USING clause does not exist in %s table", name, which), pos)
	}
	return found, nil
}

// mergeTwo makes the equality of two columns, and the one that stands for both.
func (p *Planner) mergeTwo(t *parse.JoinExpr, l, r expr.Expr, name string) (equal, column expr.Expr, err error) {
	if equal, err = p.builder.Operator("=", l, r, t.Pos); err != nil {
		return nil, nil, err
	}
	pair := []expr.Expr{l, r}
	if _, err = p.builder.Common("JOIN/USING", pair, []int{t.Pos, t.Pos}); err != nil {
		return nil, nil, err
	}
	if p.describing {
		return equal, p.describeMerged(t.Kind, pair, name), nil
	}
	switch t.Kind {
	case parse.RightJoin:
		return equal, pair[1], nil
	case parse.FullJoin:
		// COALESCE (left, right), of columns that a scope of their own names.
		scope := &expr.Scope{Sources: []*expr.Source{{Columns: []expr.SourceColumn{
			{Name: "left", Type: pair[0].Type(), Expr: pair[0]}, {Name: "right", Type: pair[1].Type(), Expr: pair[1]},
		}}}}
		column, err = p.builder.Build(&parse.CoalesceExpr{Args: []parse.Expr{
			&parse.ColumnRef{Parts: []string{"left"}}, &parse.ColumnRef{Parts: []string{"right"}},
		}}, scope)
		return equal, column, err
	}
	return equal, pair[0], nil
}
