package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// ProjectSet gives for each row as many rows as the longest of its sets has: of the expressions those that are a *expr.SetCall are read
// side by side, NULL once one has ended; the others are computed for each row. A row whose sets are all empty gives none.
type ProjectSet struct {
	Input Node
	Exprs []expr.Expr // no SetCall is inside of another expression
}

// Types are the expressions'.
func (n *ProjectSet) Types() []types.Type { return typesOf(n.Exprs) }

// hasSets reports whether an expression has a set-returning function.
func hasSets(e expr.Expr) bool { return expr.HasSetCalls(e) }

// project computes expressions that may have sets over the rows of node.
//
// The sets that have no others in their arguments are read side by side, below those that have; what remains around sets comes last.
func (p *Planner) project(node Node, exprs []expr.Expr) Node {
	if !slices.ContainsFunc(exprs, hasSets) {
		return &Project{Input: node, Exprs: p.foldAll(exprs)}
	}
	for {
		level := &ProjectSet{Input: node}
		if isLastLevel(exprs) {
			level.Exprs = p.foldAll(exprs)
			return level
		}
		above := make([]expr.Expr, len(exprs))
		for i, e := range exprs {
			above[i] = level.take(e)
		}
		level.Exprs = p.foldAll(level.Exprs)
		node, exprs = level, above
		if !slices.ContainsFunc(exprs, hasSets) {
			return &Project{Input: node, Exprs: p.foldAll(exprs), shown: true}
		}
	}
}

func (p *Planner) foldAll(exprs []expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(exprs))
	for i, e := range exprs {
		out[i] = p.fold(e)
	}
	return out
}

// isLastLevel reports whether the sets of a list are whole expressions and have none in their arguments.
func isLastLevel(exprs []expr.Expr) bool {
	return !slices.ContainsFunc(exprs, func(e expr.Expr) bool {
		if call, ok := e.(*expr.SetCall); ok {
			return slices.ContainsFunc(call.Args, hasSets)
		}
		return hasSets(e)
	})
}

// take makes an expression one over the rows of n: its innermost sets and the columns it uses become columns of n.
func (n *ProjectSet) take(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) (expr.Expr, bool) {
		switch x := x.(type) {
		case *expr.SetCall:
			if slices.ContainsFunc(x.Args, hasSets) {
				return nil, false
			}
			return expr.NewColumn(n.column(x), x.Type(), "", expr.Deparse(x, false)), true
		case *expr.Column:
			if x.Level > 0 {
				return nil, false
			}
			return expr.NewColumn(n.column(x), x.Type(), x.Table, x.Name), true
		}
		return nil, false
	})
}

// column is the place of an expression among those of n.
func (n *ProjectSet) column(e expr.Expr) int {
	_, isColumn := e.(*expr.Column)
	for i, o := range n.Exprs {
		if o == e || isColumn && expr.Equal(o, e) {
			return i
		}
	}
	n.Exprs = append(n.Exprs, e)
	return len(n.Exprs) - 1
}

// postponesSets reports whether the sets of the outputs are read after sorting: none of them is sorted by or made distinct.
func (s *selection) postponesSets() bool {
	if len(s.order) == 0 || s.clause.Distinct && len(s.on) == 0 {
		return false
	}
	any := false
	for i := range s.outputs {
		if !hasSets(s.outputs[i].expr) {
			continue
		}
		if containsInt(s.on, i) || slices.ContainsFunc(s.order, func(k SortKey) bool { return k.Column == i }) {
			return false
		}
		any = true
	}
	return any
}

// sortThenSets sorts the rows of node, then reads the sets of the outputs, then cuts off what LIMIT does.
func (s *selection) sortThenSets(node Node, ordered bool) Node {
	below, above := &Project{Input: node}, make([]expr.Expr, len(s.outputs))
	var rest ProjectSet // what the outputs with sets need of the rows
	for i := range s.outputs {
		e := s.outputs[i].expr
		if hasSets(e) {
			e = expr.NewNull(types.Bool) // nobody looks at this column
		} else {
			above[i] = expr.NewColumn(i, e.Type(), "", s.outputs[i].column.Name)
		}
		below.Exprs = append(below.Exprs, s.p.fold(e))
	}
	for i := range s.outputs {
		if above[i] == nil {
			above[i] = s.outputs[i].expr
			expr.Columns(above[i], func(c *expr.Column) { rest.column(c) })
		}
	}
	first := len(below.Exprs)
	below.Exprs = append(below.Exprs, rest.Exprs...)
	for i := range s.outputs {
		if !hasSets(above[i]) {
			continue
		}
		above[i] = expr.Rewrite(above[i], func(x expr.Expr) (expr.Expr, bool) {
			c, ok := x.(*expr.Column)
			if !ok || c.Level > 0 {
				return nil, false
			}
			return expr.NewColumn(first+rest.column(c), c.Type(), c.Table, c.Name), true
		})
	}
	return s.limited(s.p.project(s.projected(s.sorted(below, ordered, false), below.Exprs), above))
}

// hasSets reports whether an output has a set-returning function.
func (s *selection) hasSets() bool {
	return slices.ContainsFunc(s.outputs, func(o output) bool { return hasSets(o.expr) })
}

// groupSets reads the sets that the query groups by, over the rows of node, and makes the groups and aggregates expressions over them.
func (s *selection) groupSets(node Node) Node {
	if !slices.ContainsFunc(s.groups, hasSets) {
		return node
	}
	var below ProjectSet
	over := func(e expr.Expr) expr.Expr {
		return expr.Rewrite(e, func(x expr.Expr) (expr.Expr, bool) {
			c, ok := x.(*expr.Column)
			if !ok || c.Level > 0 {
				return nil, false
			}
			return expr.NewColumn(below.column(c), c.Type(), c.Table, c.Name), true
		})
	}
	for i, g := range s.groups {
		if hasSets(g) {
			s.groups[i] = expr.NewColumn(below.column(g), g.Type(), "", "("+expr.Deparse(g, false)+")")
		} else {
			s.groups[i] = over(g)
		}
	}
	for i, a := range s.aggs {
		s.aggs[i] = over(a).(*expr.Aggregate)
	}
	return s.p.project(node, below.Exprs)
}

// projected is a sorted node for sets to be read over: where PostgreSQL computes other columns there than were sorted, EXPLAIN says so.
func (s *selection) projected(node Node, sorted []expr.Expr) Node {
	if _, ok := node.(*Project); ok {
		return node // a scan in the wanted order computes them itself
	}
	var below, wanted []expr.Expr
	for _, e := range sorted[:len(s.outputs)] {
		if c, ok := e.(*expr.Const); !ok || !c.Value.Null {
			below = append(below, e)
		}
	}
	for _, e := range sorted[len(s.outputs):] {
		if !slices.ContainsFunc(below, func(o expr.Expr) bool { return expr.Equal(o, e) }) {
			below = append(below, e)
		}
	}
	for i := range s.outputs {
		if e := s.outputs[i].expr; hasSets(e) {
			expr.Columns(e, func(c *expr.Column) { wanted = append(wanted, c) })
		} else {
			wanted = append(wanted, e)
		}
	}
	if slices.EqualFunc(below, wanted, expr.Equal) {
		return node
	}
	return &Project{Input: node, Exprs: columnsOf(node), shown: true}
}

// columnsOf are all columns of a node's rows.
func columnsOf(n Node) []expr.Expr {
	var out []expr.Expr
	for i, t := range n.Types() {
		out = append(out, expr.NewColumn(i, t, "", ""))
	}
	return out
}
