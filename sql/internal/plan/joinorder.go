package plan

import (
	"slices"

	"minidb/sql/internal/expr"
)

// flatten takes the inner joins of the items of FROM apart: their order is free.
func flatten(trees []*joinTree, conds []expr.Expr) ([]*joinTree, []expr.Expr) {
	var out []*joinTree
	for _, t := range trees {
		if t.source != nil || t.kind != InnerJoin {
			out = append(out, t)
			continue
		}
		var inner []*joinTree
		inner, conds = flatten([]*joinTree{t.left, t.right}, append(conds, t.on...))
		out = append(out, inner...)
	}
	return out, conds
}

// joinOrder is the order in which trees are joined, as places in the list: the one with the fewest rows first, then always one that an
// equality connects with those before it, if there is one.
func joinOrder(trees []*joinTree, conds []expr.Expr) []int {
	rows := make([]float64, len(trees))
	links := make([][]int, len(trees)) // by tree: the trees that an equality connects it with
	for i, t := range trees {
		rows[i] = t.guessRows(conds)
	}
	for _, c := range conds {
		if _, _, ok := expr.MatchEquality(c); !ok {
			continue
		}
		used := treesOf(trees, c)
		for _, i := range used {
			for _, j := range used {
				if i != j {
					links[i] = append(links[i], j)
				}
			}
		}
	}
	if slices.ContainsFunc(trees, func(t *joinTree) bool { return t.source != nil && t.source.lateral != nil }) {
		return upTo(len(trees)) // a lateral item comes after those that it uses
	}
	done := make([]bool, len(trees))
	reached := make([]bool, len(trees))
	var order []int
	for range trees {
		best := -1
		for i := range trees {
			if !done[i] && (best < 0 || reached[i] && !reached[best] || reached[i] == reached[best] && rows[i] < rows[best]) {
				best = i
			}
		}
		done[best] = true
		order = append(order, best)
		for _, j := range links[best] {
			reached[j] = true
		}
	}
	return order
}

// treesOf are the trees whose columns an expression uses.
func treesOf(trees []*joinTree, e expr.Expr) []int {
	var out []int
	for i, t := range trees {
		if t.has(e) {
			out = append(out, i)
		}
	}
	return out
}

// guessRows estimates the rows of a tree by the conditions that use nothing else.
func (t *joinTree) guessRows(conds []expr.Expr) float64 {
	rows := float64(guessedRows)
	for _, c := range conds {
		if !t.hasAllOf(c) {
			continue
		}
		if m, ok := expr.MatchComparison(c); ok && m.Op == expr.OpEq {
			rows *= equalSelectivity
		} else {
			rows *= filterSelectivity
		}
	}
	return rows
}

// hasAllOf reports whether an expression uses columns of the tree, and no others.
func (t *joinTree) hasAllOf(e expr.Expr) bool {
	all, any := true, false
	expr.Columns(e, func(c *expr.Column) {
		any = true
		all = all && c.Index >= t.first && c.Index < t.first+t.width
	})
	return all && any
}

// move gives the columns of a tree other places in the query's rows.
func (t *joinTree) move(by int) {
	t.first += by
	if t.source != nil {
		t.source.first += by
		return
	}
	t.on = shiftAll(t.on, by)
	t.left.move(by)
	t.right.move(by)
}

// joinAll plans the inner join of trees. Its rows have the columns in the order of the list, in whatever order they are joined.
func joinAll(trees []*joinTree, conds []expr.Expr, need []bool) Node {
	width := 0
	for _, t := range trees {
		width += t.width
	}
	// to is where each column goes while the trees stand in the order of joining.
	to := make([]int, width)
	first := 0
	joined := make([]*joinTree, 0, len(trees))
	moved := false
	for _, i := range joinOrder(trees, conds) {
		t := trees[i]
		moved = moved || t.first != first
		for c := range t.width {
			to[t.first+c] = first + c
		}
		first += t.width
		joined = append(joined, t)
	}
	if !moved {
		return leftDeep(joined).plan(conds, need)
	}
	movedConds := make([]expr.Expr, len(conds))
	for i, c := range conds {
		movedConds[i] = expr.Rewrite(c, func(x expr.Expr) (expr.Expr, bool) {
			col, ok := x.(*expr.Column)
			if !ok || col.Level > 0 {
				return nil, false
			}
			at := *col
			at.Index = to[col.Index]
			return &at, true
		})
	}
	movedNeed := make([]bool, width)
	for c, n := range need {
		movedNeed[to[c]] = n
	}
	for _, t := range joined {
		t.move(to[t.first] - t.first)
	}
	node := leftDeep(joined).plan(movedConds, movedNeed)
	back, ts := make([]expr.Expr, width), node.Types()
	for c := range back {
		back[c] = expr.NewColumn(to[c], ts[to[c]], "", "")
	}
	return &Project{Input: node, Exprs: back}
}

// leftDeep joins trees that stand side by side.
func leftDeep(trees []*joinTree) *joinTree {
	tree := trees[0]
	for _, next := range trees[1:] {
		tree = &joinTree{left: tree, right: next, first: tree.first, width: tree.width + next.width}
	}
	return tree
}
