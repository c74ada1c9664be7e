package plan

import (
	"slices"

	"minidb/sql/internal/expr"
)

// factorOrs takes what all sides of an OR have in common out of it: a AND b OR a AND c is a AND (b OR c).
func factorOrs(conds []expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, c := range conds {
		or, ok := c.(*expr.Or)
		if !ok {
			out = append(out, c)
			continue
		}
		out = append(out, factorOr(or)...)
	}
	return out
}

func factorOr(or *expr.Or) []expr.Expr {
	sides := make([][]expr.Expr, len(or.Args))
	for i, a := range or.Args {
		sides[i] = expr.SplitAnd(a)
	}
	var common []expr.Expr
	for _, c := range sides[0] {
		if expr.VolatilityOf(c) == expr.Volatile || slices.ContainsFunc(sides[1:], func(side []expr.Expr) bool { return !containsExpr(side, c) }) {
			continue
		}
		common = append(common, c)
	}
	if len(common) == 0 {
		return []expr.Expr{or}
	}
	rest := &expr.Or{}
	for _, side := range sides {
		left := slices.DeleteFunc(slices.Clone(side), func(c expr.Expr) bool { return containsExpr(common, c) })
		if len(left) == 0 {
			return common // this side is the common part: the others say no less
		}
		rest.Args = append(rest.Args, expr.JoinAnd(left))
	}
	return append(common, rest)
}

func containsExpr(list []expr.Expr, e expr.Expr) bool {
	return slices.ContainsFunc(list, func(x expr.Expr) bool { return expr.Equal(x, e) })
}

// restrictions are conditions on one tree each that follow from ORs over several: of n = 1 AND m = 2 OR n = 3 AND m = 4 that n is 1 or 3.
// They only let rows go earlier.
func restrictions(trees []*joinTree, conds []expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, c := range conds {
		or, ok := c.(*expr.Or)
		if !ok || expr.HasSubqueries(c) || expr.VolatilityOf(c) == expr.Volatile {
			continue
		}
		used := treesOf(trees, c)
		for _, i := range used {
			if len(used) == 1 {
				break
			}
			follows := &expr.Or{}
			for _, side := range or.Args {
				own := slices.DeleteFunc(expr.SplitAnd(side), func(c expr.Expr) bool { return !trees[i].hasAllOf(c) })
				if len(own) == 0 {
					break
				}
				follows.Args = append(follows.Args, expr.JoinAnd(own))
			}
			if len(follows.Args) == len(or.Args) {
				out = append(out, follows)
			}
		}
	}
	return out
}
