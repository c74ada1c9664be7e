package plan

import (
	"math"
	"slices"

	"minidb/sql/internal/expr"
)

// flatten takes the inner joins of the items of FROM apart: their order is free.
func flatten(trees []*joinTree, conds []expr.Expr) ([]*joinTree, []expr.Expr) {
	var out []*joinTree
	for _, t := range trees {
		if t.source != nil || t.kind != InnerJoin || t.semi != nil {
			out = append(out, t)
			continue
		}
		var inner []*joinTree
		inner, conds = flatten([]*joinTree{t.left, t.right}, append(conds, t.on...))
		out = append(out, inner...)
	}
	return out, conds
}

// joinOrder is the order in which trees are joined, as places in the list: after the first one always the one that makes the fewest
// rows, a connected one if there is one. The first one is that with which the joins have the fewest rows altogether.
func joinOrder(trees []*joinTree, conds []expr.Expr) []int {
	if slices.ContainsFunc(trees, (*joinTree).hasLateral) {
		return upTo(len(trees)) // a lateral item comes after those that it uses
	}
	g := newGreedy(trees, conds)
	if len(trees) > maxStarts {
		return g.from(g.fewest())
	}
	var best []int
	cost := math.Inf(1)
	for i := range trees {
		if order := g.from(i); g.cost < cost {
			best, cost = order, g.cost
		}
	}
	return best
}

// hasLateral tells whether a lateral item is in the tree.
func (t *joinTree) hasLateral() bool {
	if t.source != nil {
		return t.source.lateral != nil
	}
	return t.left.hasLateral() || t.right != nil && t.right.hasLateral()
}

// maxStarts is up to how many trees each is tried as the first one.
const maxStarts = 10

// fewest is the tree with the fewest rows of those that conditions connect with others.
func (g *greedy) fewest() int {
	linked := func(i int) bool { return len(g.links[i]) > 0 }
	first := 0
	for i, t := range g.trees {
		if linked(i) && !linked(first) || linked(i) == linked(first) && t.rows < g.trees[first].rows {
			first = i
		}
	}
	return first
}

// from is the order that begins with a tree.
func (g *greedy) from(first int) []int {
	clear(g.done)
	clear(g.reached)
	for i := range g.passing {
		g.passing[i] = 1
	}
	g.order, g.cost = nil, 0
	for g.take(first, g.trees[first].rows); len(g.order) < len(g.trees); {
		g.take(g.next())
	}
	return g.order
}

// greedy is the choice of an order of joins, one tree after the other.
type greedy struct {
	trees         []*joinTree
	links         [][]link // by tree
	passing       []float64
	done, reached []bool
	order         []int
	rows          float64 // about how many the trees so far give
	cost          float64 // the rows of all joins so far
}

// link tells that conditions connect a tree with another: they leave a share of the pairs.
type link struct {
	to    int
	share float64
	equal bool // an equality is among them
}

func newGreedy(trees []*joinTree, conds []expr.Expr) *greedy {
	g := &greedy{trees: trees, links: make([][]link, len(trees)), done: make([]bool, len(trees)), reached: make([]bool, len(trees))}
	g.passing = slices.Repeat([]float64{1}, len(trees))
	classes := equalColumns(trees, conds)
	var pairs [][2]int
	between := map[[2]int][]expr.Expr{}
	for _, c := range conds {
		if used := treesOf(trees, c); len(used) == 2 {
			pair := [2]int{min(used[0], used[1]), max(used[0], used[1])}
			if between[pair] == nil {
				pairs = append(pairs, pair)
			}
			between[pair] = append(between[pair], c)
		}
	}
	for _, pair := range pairs {
		conds := between[pair]
		left, right := trees[pair[0]], trees[pair[1]]
		share := joinedRows(left, right, conds, classes) / (left.rows * right.rows)
		equal := slices.ContainsFunc(conds, func(c expr.Expr) bool {
			_, _, ok := expr.MatchEquality(c)
			return ok
		})
		g.links[pair[0]] = append(g.links[pair[0]], link{to: pair[1], share: share, equal: equal})
		g.links[pair[1]] = append(g.links[pair[1]], link{to: pair[0], share: share, equal: equal})
	}
	return g
}

// next is the tree to join next, and about how many rows there are then.
func (g *greedy) next() (best int, rows float64) {
	best = -1
	for i := range g.trees {
		if g.done[i] || best >= 0 && g.reached[best] && !g.reached[i] {
			continue
		}
		n := g.rowsWith(i)
		if best < 0 || g.reached[i] && !g.reached[best] || n < rows || n == rows && g.trees[i].rows < g.trees[best].rows {
			best, rows = i, n
		}
	}
	return best, rows
}

// rowsWith estimates the join of the trees so far with another.
func (g *greedy) rowsWith(i int) float64 {
	return math.Max(g.rows*g.trees[i].rows*g.passing[i], 1)
}

func (g *greedy) take(i int, rows float64) {
	g.done[i], g.rows, g.cost = true, rows, g.cost+rows
	g.order = append(g.order, i)
	for _, l := range g.links[i] {
		g.passing[l.to] *= l.share
		g.reached[l.to] = g.reached[l.to] || l.equal
	}
}

// treesOf are the trees whose columns an expression uses.
func treesOf(trees []*joinTree, e expr.Expr) []int {
	var out []int
	expr.Columns(e, func(c *expr.Column) {
		i := slices.IndexFunc(trees, func(t *joinTree) bool { return c.Index >= t.first && c.Index < t.first+t.width })
		if i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	})
	return out
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
	if t.semi != nil {
		t.semi.move(by)
		return
	}
	t.right.move(by)
}

// joinAll plans the inner join of trees and tells about how many rows there are. They have the columns in the order of the list, in
// whatever order the trees are joined.
func joinAll(trees []*joinTree, conds []expr.Expr, need []bool) (Node, float64) {
	for _, t := range trees {
		t.count(conds)
	}
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
		tree := leftDeep(joined, conds)
		return tree.plan(conds, need), tree.rows
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
	tree := leftDeep(joined, movedConds)
	node := tree.plan(movedConds, movedNeed)
	back, ts := make([]expr.Expr, width), node.Types()
	for c := range back {
		back[c] = expr.NewColumn(to[c], ts[to[c]], "", "")
	}
	return &Project{Input: node, Exprs: back}, tree.rows
}

// leftDeep joins trees that stand side by side.
func leftDeep(trees []*joinTree, conds []expr.Expr) *joinTree {
	g := newGreedy(trees, conds)
	g.take(0, trees[0].rows)
	tree := trees[0]
	for i, next := range trees[1:] {
		g.take(i+1, g.rowsWith(i+1))
		tree = &joinTree{left: tree, right: next, first: tree.first, width: tree.width + next.width, rows: g.rows}
	}
	return tree
}
