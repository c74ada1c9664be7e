package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
)

// semiJoin is a condition [NOT] EXISTS (query) or x IN (query) of WHERE that is planned as a join: the rows that fit a row of the
// query, or those that fit none.
type semiJoin struct {
	anti bool
	from *from // the query's
	// local are the conditions on the query's own rows.
	local []expr.Expr
	// on are those over both: the query's columns count from innerColumns on.
	on []expr.Expr
	// instead is the condition evaluated row by row.
	instead expr.Expr
	sub     *SubPlan
}

// innerColumns is the place of the first column of the query in the conditions of a semiJoin.
const innerColumns = 1 << 20

// takeSemiJoins takes the conditions that can be joins out of WHERE.
func (s *selection) takeSemiJoins() error {
	if len(s.st.Locking) > 0 || len(s.from.sources) == 0 {
		return nil // rows that changed are tested anew, one by one
	}
	var rest []expr.Expr
	for _, c := range s.conds {
		j, err := s.asSemiJoin(c)
		if err != nil {
			return err
		}
		if j == nil {
			rest = append(rest, c)
			continue
		}
		s.from.semis = append(s.from.semis, j)
	}
	s.conds = rest
	return nil
}

// asSemiJoin makes a condition a join; nil if it cannot be one.
func (s *selection) asSemiJoin(cond expr.Expr) (*semiJoin, error) {
	e, anti := cond, false
	if not, ok := e.(*expr.Not); ok {
		e, anti = not.Arg, true
	}
	call, ok := e.(*expr.Subquery)
	if !ok {
		return nil, nil
	}
	sub := call.Plan.(*SubPlan)
	switch {
	case !sub.Correlated || sub.query == nil:
		return nil, nil // run once anyway
	case sub.Kind != expr.ExistsSubquery && (anti || sub.Kind != expr.AnySubquery):
		return nil, nil // NOT IN is NULL where NOT EXISTS is true
	}
	j := &semiJoin{anti: anti, instead: cond, sub: sub}
	ok, err := s.planInner(j, sub, call.Args)
	if !ok || err != nil {
		return nil, err
	}
	return j, nil
}

// planInner resolves FROM and WHERE of the query once more, as part of this query. It reports false if the query is no plain join.
func (s *selection) planInner(j *semiJoin, sub *SubPlan, left []expr.Expr) (bool, error) {
	st := sub.query
	clause, ok := st.Body.(*parse.SelectClause)
	if !ok || st.With != nil || st.Limit != nil || st.Offset != nil || len(st.Locking) > 0 || len(clause.GroupBy) > 0 ||
		clause.Having != nil || len(clause.From) == 0 {
		return false, nil
	}
	s.p.depth++
	defer func() { s.p.depth-- }()
	f, err := s.p.buildFrom(clause.From, s.from.clause(s.p, expr.ClauseWhere), UseRead)
	if err != nil {
		return false, err
	}
	for _, src := range f.sources {
		if src.lateral != nil || src.node != nil && usesOuter(src.node) {
			return false, nil
		}
	}
	outputs, err := s.p.targets(clause.Targets, f, expr.ClauseSelect)
	if err != nil {
		return false, err
	}
	for i := range outputs {
		if e := outputs[i].expr; expr.HasAggregates(e) || expr.HasWindowCalls(e) || expr.HasSetCalls(e) || expr.HasSubqueries(e) {
			return false, nil
		}
	}
	inner := &selection{p: s.p, st: st, clause: clause, from: f}
	if err := inner.buildWhere(); err != nil {
		return false, err
	}
	j.from = f
	for _, c := range inner.conds {
		if !j.add(c) {
			return false, nil
		}
	}
	for _, t := range f.trees {
		if t.usesOuter() {
			return false, nil
		}
	}
	if sub.Kind == expr.AnySubquery {
		inner := make([]expr.Expr, len(outputs))
		for i := range outputs {
			if inner[i], _, ok = innerSide(outputs[i].expr); !ok {
				return false, nil
			}
		}
		for _, c := range expr.SplitAnd(sub.Compare) {
			j.on = append(j.on, overBoth(c, left[:sub.Left], inner))
		}
	}
	for _, c := range j.on {
		if _, _, ok := j.key(c); ok {
			return true, nil
		}
	}
	return false, nil // without a key each pair is tried either way
}

// add takes in a condition of the query. It reports false if it uses a query further out.
func (j *semiJoin) add(c expr.Expr) bool {
	both, outer, ok := innerSide(c)
	if outer {
		j.on = append(j.on, both)
	} else {
		j.local = append(j.local, c)
	}
	return ok
}

// innerSide makes an expression of the query one over both queries' columns. It tells whether it uses the enclosing query's, and reports
// false if it uses those of a query further out.
func innerSide(c expr.Expr) (both expr.Expr, outer, ok bool) {
	ok = true
	expr.Walk(c, func(x expr.Expr) bool {
		if col, is := x.(*expr.Column); is {
			outer, ok = outer || col.Level == 1, ok && col.Level <= 1
		}
		return true
	})
	return expr.Rewrite(c, func(x expr.Expr) (expr.Expr, bool) {
		col, ok := x.(*expr.Column)
		if !ok {
			return nil, false
		}
		at := *col
		if at.Level == 0 {
			at.Index += innerColumns
		} else {
			at.Level--
		}
		return &at, true
	}), outer, ok
}

// overBoth makes a comparison of the left side of IN with the query's row one over both queries' columns.
func overBoth(c expr.Expr, left, inner []expr.Expr) expr.Expr {
	return expr.Rewrite(c, func(x expr.Expr) (expr.Expr, bool) {
		col, ok := x.(*expr.Column)
		switch {
		case !ok:
			return nil, false
		case col.Index < len(left):
			return left[col.Index], true
		}
		return inner[col.Index-len(left)], true
	})
}

// usesOuter reports whether a condition of a join uses columns of enclosing queries.
func (t *joinTree) usesOuter() bool {
	if t.source != nil {
		return false
	}
	for _, c := range t.on {
		outer := false
		expr.Walk(c, func(x expr.Expr) bool {
			col, ok := x.(*expr.Column)
			outer = outer || ok && col.Level > 0
			return !outer
		})
		if outer {
			return true
		}
	}
	return t.left.usesOuter() || t.right != nil && t.right.usesOuter()
}

// sides tells whose columns an expression of on uses.
func sides(e expr.Expr) (outer, inner bool) {
	expr.Columns(e, func(c *expr.Column) {
		outer, inner = outer || c.Index < innerColumns, inner || c.Index >= innerColumns
	})
	return outer, inner
}

// key takes an equality of an outer and an inner expression apart.
func (j *semiJoin) key(c expr.Expr) (outer, inner expr.Expr, ok bool) {
	l, r, ok := expr.MatchEquality(c)
	if !ok {
		return nil, nil, false
	}
	if _, in := sides(l); in {
		l, r = r, l
	}
	_, lIn := sides(l)
	rOut, rIn := sides(r)
	return l, r, !lIn && rIn && !rOut && !expr.HasSubqueries(c)
}

// mark marks the columns of the query at hand that the join uses.
func (j *semiJoin) mark(need []bool) {
	for _, c := range j.on {
		expr.Columns(c, func(c *expr.Column) {
			if c.Index < innerColumns {
				need[c.Index] = true
			}
		})
	}
}

// move gives the columns of the query at hand other places.
func (j *semiJoin) move(by int) {
	for i, c := range j.on {
		j.on[i] = mapOuter(c, func(index int) int { return index + by })
	}
	j.instead = shift(j.instead, by)
}

func mapOuter(e expr.Expr, to func(int) int) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) (expr.Expr, bool) {
		c, ok := x.(*expr.Column)
		if !ok || c.Level > 0 || c.Index >= innerColumns {
			return nil, false
		}
		at := *c
		at.Index = to(c.Index)
		return &at, true
	})
}

// over makes the node of the join of a node whose columns begin at first and whose rows are about so many.
func (j *semiJoin) over(left Node, first int, rows float64) Node {
	if j.isCheaperByRow(rows) {
		return &Filter{Input: left, Cond: shift(j.instead, -first)}
	}
	n := &Join{Kind: SemiJoin, Left: left}
	if j.anti {
		n.Kind = AntiJoin
	}
	need := make([]bool, j.from.width)
	width := len(left.Types())
	var rest []expr.Expr
	for _, c := range j.on {
		expr.Columns(c, func(c *expr.Column) {
			if c.Index >= innerColumns {
				need[c.Index-innerColumns] = true
			}
		})
		outer, inner, ok := j.key(c)
		if !ok {
			rest = append(rest, pairColumns(c, first, width))
			continue
		}
		n.LeftKeys = append(n.LeftKeys, shift(outer, -first))
		n.RightKeys = append(n.RightKeys, shift(inner, -innerColumns))
		n.conds = append(n.conds, c)
	}
	n.On = expr.JoinAnd(rest)
	n.Right, _ = j.from.plan(j.local, need, nil, 0)
	return n
}

// pairColumns makes the columns of a condition those of a left row and then a right one.
func pairColumns(c expr.Expr, first, width int) expr.Expr {
	return expr.Rewrite(c, func(x expr.Expr) (expr.Expr, bool) {
		col, ok := x.(*expr.Column)
		if !ok || col.Level > 0 {
			return nil, false
		}
		at := *col
		if at.Index >= innerColumns {
			at.Index += width - innerColumns
		} else {
			at.Index -= first
		}
		return &at, true
	})
}

// isCheaperByRow reports whether so few rows are to be tested, each by an index, that the query is better run for each.
func (j *semiJoin) isCheaperByRow(rows float64) bool {
	n := j.sub.Root
	for {
		switch x := n.(type) {
		case *Project:
			n = x.Input
			continue
		case *Filter:
			n = x.Input
			continue
		case *Scan:
			if x.Constraint == nil || len(j.from.sources) != 1 {
				return false
			}
			all := j.from.sources[0].tableRows
			return rows*(lookupRowCost+x.cost*all/guessedRows) < all+rows
		}
		return false
	}
}
