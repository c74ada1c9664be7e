package plan

import (
	"strconv"

	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
)

func itoa(i int) string { return strconv.Itoa(i) }

// checkWindows finds out whether the query has calls with OVER, and refuses a WINDOW clause with an error.
func (s *selection) checkWindows() error {
	for i := range s.outputs {
		s.windowed = s.windowed || expr.HasWindowCalls(s.outputs[i].expr)
	}
	return s.p.builder.CheckWindows(s.from.clause(s.p, expr.ClauseSelect))
}

// group turns the outputs of a query with groups or aggregates into expressions over the rows of an Aggregate: the groups' values,
// those of GROUPING and then the aggregates'.
func (s *selection) group() error {
	for i := range s.outputs {
		s.grouped = s.grouped || expr.HasAggregates(s.outputs[i].expr)
	}
	if !s.grouped {
		return nil
	}
	for i := range s.outputs {
		if err := s.checkGrouped(s.outputs[i].expr); err != nil {
			return err
		}
	}
	if s.having != nil {
		if err := s.checkGrouped(s.having); err != nil {
			return err
		}
		s.shownHaving, s.having = s.having, s.overGroups(s.having)
	}
	for i := range s.outputs {
		s.outputs[i].expr = s.overGroups(s.outputs[i].expr)
	}
	if s.from.recursive && len(s.aggs) > 0 {
		return s.p.at(sqlerr.New(sqlerr.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term"), s.aggs[0].Pos())
	}
	return nil
}

// checkGrouped refuses columns that have no single value in a group. A column that a grouped primary key determines becomes a group of
// its own.
func (s *selection) checkGrouped(e expr.Expr) error {
	return s.checkColumns(e, "column \"%s\" must appear in the GROUP BY clause or be used in an aggregate function")
}

// checkColumns is checkGrouped with the message for a column without a value.
func (s *selection) checkColumns(e expr.Expr, message string) error {
	var err error
	expr.Walk(e, func(n expr.Expr) bool {
		if err != nil || s.findGroup(n) >= 0 {
			return false
		}
		switch n := n.(type) {
		case *expr.Aggregate:
			return false
		case *expr.Grouping:
			err = s.checkGrouping(n)
			return false
		case *expr.Subquery:
			err = s.checkSubquery(n, message)
			return false
		case *expr.Column:
			if n.Level > 0 {
				return false
			}
			if !s.isDetermined(n) {
				name := n.Name
				if n.Table != "" {
					name = n.Table + "." + n.Name
				}
				err = s.p.at(sqlerr.New(sqlerr.GroupingError, message, name), n.Pos)
				return false
			}
			s.addGroup(n)
		}
		return true
	})
	return err
}

// checkSubquery is checkColumns for what a query in an expression is given: its left side, and then what it uses of the query itself.
func (s *selection) checkSubquery(q *expr.Subquery, message string) error {
	left := q.Plan.(*SubPlan).Left
	for i, a := range q.Args {
		if i >= left {
			message = "subquery uses ungrouped column \"%s\" from outer query"
		}
		if err := s.checkColumns(a, message); err != nil {
			return err
		}
	}
	return nil
}

// isDetermined reports whether the groups have all columns of the primary key of the column's table.
func (s *selection) isDetermined(c *expr.Column) bool {
	for _, src := range s.from.sources {
		if src.scan == nil || c.Index < src.first || c.Index >= src.first+src.width {
			continue
		}
		table := src.scan.Table
		if table.HasRowID() {
			return false
		}
		for _, k := range table.Primary.Keys {
			if !s.groupsColumn(src.first + table.Ordinal(k.Column)) {
				return false
			}
		}
		return true
	}
	return false
}

func (s *selection) groupsColumn(index int) bool {
	for i, g := range s.groups {
		if c, ok := g.(*expr.Column); ok && c.Level == 0 && c.Index == index && s.inAllSets(i) {
			return true
		}
	}
	return false
}

// overGroups rewrites an expression, and notes the aggregates it has.
func (s *selection) overGroups(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(n expr.Expr) (expr.Expr, bool) {
		if i := s.findGroup(n); i >= 0 {
			if c, ok := n.(*expr.Column); ok {
				return expr.NewColumn(i, n.Type(), c.Table, c.Name), true
			}
			return expr.NewColumn(i, n.Type(), "", "("+expr.Deparse(n, false)+")"), true
		}
		if g, ok := n.(*expr.Grouping); ok {
			return expr.NewColumn(len(s.groups)+s.grouping(g), n.Type(), "", expr.Deparse(g, false)), true
		}
		a, ok := n.(*expr.Aggregate)
		if !ok {
			return nil, false
		}
		return expr.NewColumn(len(s.groups)+len(s.groupings)+s.aggregate(a), n.Type(), "", "("+expr.Deparse(a, false)+")"), true
	})
}

// aggregate is the place of an aggregate among those of the query.
func (s *selection) aggregate(a *expr.Aggregate) int {
	for i := range s.aggs {
		if expr.Equal(s.aggs[i], a) {
			return i
		}
	}
	s.aggs = append(s.aggs, a)
	return len(s.aggs) - 1
}
