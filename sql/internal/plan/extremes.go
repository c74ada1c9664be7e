package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// extremes plans a query that asks only for the least and greatest values of a table's columns, each as the first row of an index that
// has them in order. It gives nil if the query is not such a one, or if there is no such index.
func (s *selection) extremes() Node {
	if len(s.groups) > 0 || s.sets != nil || len(s.groupings) > 0 || len(s.aggs) == 0 || len(s.from.trees) != 1 || len(s.st.Locking) > 0 {
		return nil
	}
	source := s.from.trees[0].source
	if source == nil || source.scan == nil || slices.ContainsFunc(s.aggs, func(a *expr.Aggregate) bool { return !isExtreme(a) }) {
		return nil
	}
	var node Node
	for _, a := range s.aggs {
		one := s.extreme(*source, a)
		if one == nil {
			return nil
		}
		if node == nil {
			node = one
		} else {
			node = &Join{Left: node, Right: one}
		}
	}
	return node
}

// isExtreme reports whether an aggregate is min or max.
func isExtreme(a *expr.Aggregate) bool {
	return (a.Name() == "min" || a.Name() == "max") && len(a.Args) == 1 && a.Filter == nil && len(a.OrderBy) == 0 && !expr.IsRowIndependent(a.Args[0])
}

// extreme plans one of them; nil if no index has the order.
func (s *selection) extreme(source source, a *expr.Aggregate) Node {
	scan := *source.scan
	source.scan = &scan
	arg := expr.Fold(a.Args[0])
	desc := a.Name() == "max"
	order := columnOrder{ordinal: -1, expr: arg, desc: desc, nullsFirst: desc}
	notNull := false
	if c, ok := arg.(*expr.Column); ok {
		order.ordinal, notNull = c.Index, scan.Table.Columns[c.Index].NotNull
	}
	conds := s.conds
	if !notNull {
		conds = append(slices.Clone(conds), &expr.NullTest{Arg: arg, Not: true})
	}
	conds = whereConjuncts(expr.JoinAnd(conds))
	if len(conds) == 1 && isNever(conds[0]) {
		return nil
	}
	need := make([]bool, s.from.width)
	expr.Columns(arg, func(c *expr.Column) { need[c.Index] = true })
	node, ordered := source.plan(conds, need, []columnOrder{order}, 1)
	if !ordered {
		return nil
	}
	limit := &Limit{Input: node, Count: expr.NewConst(types.Int8, types.NewInt(1))}
	return &Aggregate{Input: limit, Aggs: []*expr.Aggregate{a}}
}
