package plan

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Apply joins each left row with the rows that Right gives for it: a LATERAL item of FROM. Right's expressions have the values of Args,
// over the left row, as columns of level 1.
type Apply struct {
	Kind        JoinKind // InnerJoin or LeftJoin
	Left, Right Node
	Args        []expr.Expr
	On          expr.Expr // over the pair; nil: none
}

// Types are Left's and then Right's.
func (n *Apply) Types() []types.Type {
	return append(append([]types.Type(nil), n.Left.Types()...), n.Right.Types()...)
}

// lateral is what an item of FROM uses of the items before it.
type lateral struct {
	args []expr.Expr // over the rows of FROM, or of enclosing queries
	pos  int
}

// lateralScope is the scope of a LATERAL item: the items before it are an enclosing query's.
func (f *from) lateralScope() *expr.Scope {
	return &expr.Scope{Parent: f.scope.Parent, Clause: expr.ClauseFromQuery, Sources: slices.Clone(f.scope.Sources)}
}

// bindLateral makes a source lateral if its node uses columns from outside.
func bindLateral(s *source, pos int) {
	sub := &SubPlan{Root: s.node}
	if args := sub.bindOuter(nil); sub.Correlated {
		s.lateral = &lateral{args: args, pos: pos}
	}
}

// checkLateral refuses a LATERAL item in a join that cannot give it what it uses.
func (p *Planner) checkLateral(t *joinTree) error {
	for _, side := range []*joinTree{t.left, t.right} {
		if side.source == nil || side.source.lateral == nil {
			continue
		}
		l := side.source.lateral
		if t.kind == RightJoin || t.kind == FullJoin {
			return p.at(sqlerr.New(sqlerr.InvalidColumnReference, "invalid reference to FROM-clause entry").
				WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference."), l.pos)
		}
		for _, a := range l.args {
			if c, ok := a.(*expr.Column); ok && c.Level == 0 && (side == t.left || c.Index < t.first) {
				return p.unsupported("a LATERAL item of a join that uses items outside of the join", l.pos)
			}
		}
	}
	return nil
}

// planLateral makes the node of a join whose right side is lateral. The conditions are all evaluated over the pair.
func (t *joinTree) planLateral(n *Apply, toLeft, both, above []expr.Expr, need []bool) Node {
	l := t.right.source.lateral
	for _, a := range l.args {
		expr.Columns(a, func(c *expr.Column) { need[c.Index] = true })
	}
	n.Left, n.Right = t.left.plan(toLeft, need), t.right.source.node
	n.Args, n.On = shiftAll(l.args, -t.left.first), expr.JoinAnd(shiftAll(both, -t.first))
	if len(above) == 0 {
		return n
	}
	return &Filter{Input: n, Cond: expr.JoinAnd(shiftAll(above, -t.first))}
}

// planAlone makes the node of a lateral source that stands before all others: what it uses is of enclosing queries.
func (s *source) planAlone() Node {
	return &Apply{Left: &Values{Rows: [][]expr.Expr{{}}}, Right: s.node, Args: s.lateral.args}
}

// subqueryScope is what a query in FROM sees.
func (p *Planner) subqueryScope(f *from, t *parse.SubqueryTable) *expr.Scope {
	if t.Lateral {
		return f.lateralScope()
	}
	return f.scope.Parent
}
