package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins. A cross join is an inner join without conditions.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	// SemiJoin gives the left rows that fit a right row, AntiJoin those that fit none.
	SemiJoin
	AntiJoin
)

// Join gives the pairs of rows of Left and Right that fit, Left's columns first. An outer join also gives the rows that fit none, with
// NULLs in place of the others'. A semi join gives left rows only.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	// Key i of a left row must equal key i of a right row: expressions over the left and the right row. Without keys each pair is tried.
	LeftKeys, RightKeys []expr.Expr
	// On, over the pair, must be true as well. Nil: none.
	On expr.Expr
	// BuildLeft tells that the left rows, of an inner join, are the fewer ones: those to keep.
	BuildLeft bool

	conds []expr.Expr // of the keys, for EXPLAIN
}

// Types are Left's and then Right's.
func (n *Join) Types() []types.Type {
	if n.Kind == SemiJoin || n.Kind == AntiJoin {
		return n.Left.Types()
	}
	return append(append([]types.Type(nil), n.Left.Types()...), n.Right.Types()...)
}

// joinTree is an item of FROM, or a join of two trees, while the query is being planned. Its columns are [first, first+width) of the
// query's rows, those of left before those of right.
type joinTree struct {
	source      *source // a leaf's
	kind        JoinKind
	left, right *joinTree
	on          []expr.Expr
	semi        *semiJoin // of left's rows; right is nil then
	first       int
	width       int
	rows        float64 // about how many it has
	shown       shownJoin
}

// plan makes the node of a tree whose rows fulfil the conditions, which use no other columns. The node's columns are the tree's.
func (t *joinTree) plan(conds []expr.Expr, need []bool) Node {
	if t.source != nil {
		node, _ := t.source.plan(conds, need, nil, 0)
		return node
	}
	if t.semi != nil {
		need = append([]bool(nil), need...)
		t.semi.mark(need)
		return t.semi.over(t.left.plan(conds, need), t.first, t.left.rows)
	}
	n := &Join{Kind: t.kind}
	var toLeft, toRight, both, above []expr.Expr
	for _, c := range conds {
		l, r := t.left.has(c), t.right.has(c)
		switch {
		case t.kind != InnerJoin && r, t.kind == RightJoin || t.kind == FullJoin:
			// What WHERE says of a side that may be NULLs is asked of the joined row.
			above = append(above, c)
		case l && r:
			both = append(both, c)
		case r:
			toRight = append(toRight, c)
		default:
			toLeft = append(toLeft, c)
		}
	}
	for _, c := range t.on {
		l, r := t.left.has(c), t.right.has(c)
		switch {
		case r && !l && (t.kind == InnerJoin || t.kind == LeftJoin):
			toRight = append(toRight, c)
		case l && !r && (t.kind == InnerJoin || t.kind == RightJoin):
			toLeft = append(toLeft, c)
		default:
			both = append(both, c)
		}
	}
	need = append([]bool(nil), need...)
	for _, c := range append(append([]expr.Expr(nil), both...), above...) {
		expr.Columns(c, func(c *expr.Column) { need[c.Index] = true })
	}
	if t.right.source != nil && t.right.source.lateral != nil {
		return t.planLateral(&Apply{Kind: t.kind}, toLeft, append(both, toRight...), above, need)
	}
	if n := t.planLookup(toLeft, toRight, both, above, need); n != nil {
		return n
	}
	t.splitKeys(n, both)
	n.BuildLeft = t.kind == InnerJoin && len(n.LeftKeys) > 0 && t.left.rows < t.right.rows
	n.Left, n.Right = t.left.plan(toLeft, need), t.right.plan(toRight, need)
	if len(above) == 0 {
		return n
	}
	return &Filter{Input: n, Cond: expr.JoinAnd(shiftAll(above, -t.first))}
}

// splitKeys takes the equalities of a left and a right expression out of the conditions.
func (t *joinTree) splitKeys(n *Join, conds []expr.Expr) {
	var rest []expr.Expr
	for _, c := range conds {
		l, r, ok := expr.MatchEquality(c)
		if ok && t.right.has(l) && !t.left.has(l) && t.left.has(r) && !t.right.has(r) {
			l, r = r, l
		}
		if !ok || !t.left.has(l) || t.right.has(l) || !t.right.has(r) || t.left.has(r) {
			rest = append(rest, c)
			continue
		}
		n.LeftKeys = append(n.LeftKeys, shift(l, -t.left.first))
		n.RightKeys = append(n.RightKeys, shift(r, -t.right.first))
		n.conds = append(n.conds, c)
	}
	n.On = expr.JoinAnd(shiftAll(rest, -t.first))
}

// has reports whether an expression uses a column of the tree.
func (t *joinTree) has(e expr.Expr) bool {
	found := false
	expr.Columns(e, func(c *expr.Column) { found = found || c.Index >= t.first && c.Index < t.first+t.width })
	return found
}

// plan makes the node of an item of FROM. Its columns are the item's own.
func (s *source) plan(conds []expr.Expr, need []bool, order []columnOrder, limit int64) (node Node, ordered bool) {
	conds = shiftAll(conds, -s.first)
	if s.scan != nil {
		ordered = chooseAccess(s.scan, conds, need[s.first:s.first+s.width], order, limit)
		return s.scan, ordered
	}
	if scan, ok := s.node.(*CatalogScan); ok {
		scan.restrict(conds, need[s.first:s.first+s.width])
		return scan, false
	}
	node = s.node
	if s.lateral != nil {
		node = s.planAlone()
	}
	if cond := expr.JoinAnd(conds); cond != nil {
		node = &Filter{Input: node, Cond: cond}
	}
	return node, false
}

// plan makes the node of FROM: conds are all conditions on its rows, need the columns that anything above uses, order and limit as
// chooseAccess takes them.
func (f *from) plan(conds []expr.Expr, need []bool, order []columnOrder, limit int64) (node Node, ordered bool) {
	conds = whereConjuncts(expr.JoinAnd(conds))
	if len(conds) == 1 && isNever(conds[0]) {
		return &Values{Columns: f.types()}, true
	}
	switch len(f.trees) {
	case 0:
		node = &Values{Rows: [][]expr.Expr{{}}}
		if cond := expr.JoinAnd(conds); cond != nil {
			node = &Filter{Input: node, Cond: cond}
		}
		return node, false
	case 1:
		if s := f.trees[0].source; s != nil {
			return f.planOne(conds, need, order, limit)
		}
	}
	trees, conds := flatten(f.trees, conds)
	conds = append(conds, restrictions(trees, conds)...)
	need = append([]bool(nil), need...)
	var above []*semiJoin
	for _, j := range f.semis {
		if !j.wrap(trees) {
			j.mark(need)
			above = append(above, j)
		}
	}
	node, rows := joinAll(trees, conds, need)
	for _, j := range above {
		node = j.over(node, 0, rows)
		rows *= semiSelectivity
	}
	return node, false
}

// planOne is plan for one item. A semi join does not keep an order: it may put rows aside.
func (f *from) planOne(conds []expr.Expr, need []bool, order []columnOrder, limit int64) (node Node, ordered bool) {
	s := f.trees[0].source
	if len(f.semis) == 0 {
		return s.plan(conds, need, order, limit)
	}
	need = append([]bool(nil), need...)
	for _, j := range f.semis {
		j.mark(need)
	}
	f.trees[0].count(conds)
	node, _ = s.plan(conds, need, nil, 0)
	for _, j := range f.semis {
		node = j.over(node, 0, f.trees[0].rows)
	}
	return node, false
}

// wrap puts the join over the one tree whose columns it uses. It reports false if there is no such tree.
func (j *semiJoin) wrap(trees []*joinTree) bool {
	var only *joinTree
	at := 0
	for i, t := range trees {
		for _, c := range j.on {
			if !t.has(c) {
				continue
			}
			if only != nil && only != t {
				return false
			}
			only, at = t, i
		}
	}
	if only == nil || only.source != nil && only.source.lateral != nil {
		return false
	}
	trees[at] = &joinTree{kind: SemiJoin, semi: j, left: only, first: only.first, width: only.width}
	return true
}

// whereConjuncts takes a condition that must be true apart. One conjunct that is never true stands for all.
func whereConjuncts(e expr.Expr) []expr.Expr {
	conds := expr.SplitAnd(expr.Fold(e))
	for _, c := range conds {
		if isNever(c) {
			return []expr.Expr{c}
		}
	}
	return conds
}

// isNever reports whether a condition is false or NULL whatever the row.
func isNever(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && (c.Value.Null || !c.Value.Bool())
}

// types are those of FROM's rows.
func (f *from) types() []types.Type {
	var ts []types.Type
	for _, s := range f.sources {
		if s.scan != nil {
			ts = append(ts, s.scan.Types()...)
		} else {
			ts = append(ts, s.node.Types()...)
		}
	}
	return ts
}

// shift moves the columns of an expression by n places.
func shift(e expr.Expr, n int) expr.Expr {
	if n == 0 {
		return e
	}
	return expr.Rewrite(e, func(x expr.Expr) (expr.Expr, bool) {
		c, ok := x.(*expr.Column)
		if !ok || c.Level > 0 {
			return nil, false
		}
		moved := *c
		moved.Index += n
		return &moved, true
	})
}

func shiftAll(exprs []expr.Expr, n int) []expr.Expr {
	out := make([]expr.Expr, len(exprs))
	for i, e := range exprs {
		out[i] = shift(e, n)
	}
	return out
}
