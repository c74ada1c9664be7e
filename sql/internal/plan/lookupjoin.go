package plan

import (
	"slices"

	"minidb/sql/internal/expr"
)

// planLookup makes the node of a join that finds the right rows of each left row by an index; nil if that is not cheaper than reading
// all right rows once.
func (t *joinTree) planLookup(toLeft, toRight, both, above []expr.Expr, need []bool) Node {
	s := t.right.source
	if s == nil || s.scan == nil || t.kind != InnerJoin && t.kind != LeftJoin || t.left.rows*lookupRowCost >= s.tableRows {
		return nil
	}
	n := &Apply{Kind: t.kind}
	var conds []expr.Expr
	for _, c := range slices.Concat(toRight, both) {
		conds = append(conds, t.rightOnly(n, c))
	}
	scan := *s.scan
	chooseAccess(&scan, conds, need[s.first:s.first+s.width], nil, 0)
	if scan.Constraint == nil || !usesOuter(&scan) || t.left.rows*(lookupRowCost+scan.cost*s.tableRows/guessedRows) >= s.tableRows {
		return nil
	}
	n.Left, n.Right = t.left.plan(toLeft, need), &scan
	if len(above) == 0 {
		return n
	}
	return &Filter{Input: n, Cond: expr.JoinAnd(shiftAll(above, -t.first))}
}

// rightOnly makes a condition one over the right row, with the columns of the left row and of enclosing queries as arguments of the
// node.
func (t *joinTree) rightOnly(n *Apply, c expr.Expr) expr.Expr {
	return expr.Rewrite(c, func(x expr.Expr) (expr.Expr, bool) {
		col, ok := x.(*expr.Column)
		if !ok {
			return nil, false
		}
		at := *col
		if col.Level == 0 && col.Index >= t.right.first {
			at.Index -= t.right.first
			return &at, true
		}
		from := shift(col, -t.left.first)
		for i, a := range n.Args {
			if expr.Equal(a, from) {
				at.Level, at.Index = 1, i
				return &at, true
			}
		}
		at.Level, at.Index = 1, len(n.Args)
		n.Args = append(n.Args, from)
		return &at, true
	})
}
