package plan

import (
	"math"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
)

// What is taken for rows that nothing is known of.
const (
	otherRows       = 1000 // of a query, a function or a system table in FROM
	fewestRows      = 10   // of a table: it may grow while the plan is kept
	unknownDistinct = 200  // different values of a column
	semiSelectivity = 0.5
	lookupRowCost   = 40.0 // of running a scan anew for one row of another, where reading one row costs 1
)

// tableRows is about how many rows a table has.
func (p *Planner) tableRows(t *catalog.Table) float64 {
	if p.Rows == nil {
		return guessedRows
	}
	return math.Max(p.Rows(t), fewestRows)
}

// count sets the estimates of a tree and of those below it: conds are all the conditions on the rows.
func (t *joinTree) count(conds []expr.Expr) {
	if t.source != nil {
		t.rows = t.source.rows(t, conds)
		return
	}
	t.left.count(conds)
	if t.semi != nil {
		t.rows = t.left.rows * semiSelectivity
		return
	}
	t.right.count(conds)
	t.rows = joinedRows(t.left, t.right, append(slices.Clone(t.on), conds...), nil)
	switch t.kind {
	case LeftJoin:
		t.rows = math.Max(t.rows, t.left.rows)
	case RightJoin:
		t.rows = math.Max(t.rows, t.right.rows)
	case FullJoin:
		t.rows = math.Max(t.rows, t.left.rows+t.right.rows)
	}
}

// rows estimates the rows of an item of FROM by the conditions that use nothing else.
func (s *source) rows(t *joinTree, conds []expr.Expr) float64 {
	rows := float64(otherRows)
	if v, ok := s.node.(*Values); ok {
		rows = float64(len(v.Rows))
	}
	if s.scan != nil {
		rows = s.tableRows
	}
	if s.scan != nil && s.scan.statistics != nil {
		return s.known(t, conds)
	}
	var equal []int
	for _, c := range conds {
		if !t.hasAllOf(c) {
			continue
		}
		m, ok := expr.MatchComparison(c)
		if !ok || m.Op != expr.OpEq {
			rows *= filterSelectivity
			continue
		}
		rows *= math.Min(1, float64(max(len(m.List), 1))*math.Max(equalSelectivity, 1/rows))
		if m.List == nil {
			equal = append(equal, m.Column.Index-s.first)
		}
	}
	if s.scan != nil && hasUniqueKey(s.scan.Table, equal) {
		return 1
	}
	return math.Max(rows, 1)
}

// known is rows of a table that was analyzed.
func (s *source) known(t *joinTree, conds []expr.Expr) float64 {
	rows := s.tableRows
	var own []expr.Expr
	for _, c := range conds {
		if t.hasAllOf(c) {
			own = append(own, shift(c, -s.first))
			rows *= s.scan.fraction(own[len(own)-1])
		}
	}
	if s.scan.estimate(own) == 1 {
		return 1
	}
	return math.Max(rows, 1)
}

// hasUniqueKey reports whether the columns, given by ordinal, contain those of a unique index.
func hasUniqueKey(t *catalog.Table, ordinals []int) bool {
	return slices.ContainsFunc(t.AllIndexes(), func(x *catalog.Index) bool {
		return x.Unique && x.Where == 0 && x.State == catalog.IndexPublic && len(x.Keys) > 0 && !slices.ContainsFunc(x.Keys, func(k catalog.IndexColumn) bool {
			return !slices.Contains(ordinals, t.Ordinal(k.Column))
		})
	})
}

// joinedRows estimates the pairs of rows of two trees that fulfil the conditions that use columns of both.
func joinedRows(left, right *joinTree, conds []expr.Expr, classes columnClasses) float64 {
	rows := left.rows * right.rows
	var ofLeft, ofRight []int // columns that equalities compare
	for _, c := range conds {
		if !left.has(c) || !right.has(c) {
			continue
		}
		l, r, ok := expr.MatchEquality(c)
		if !ok {
			rows *= filterSelectivity
			continue
		}
		if right.has(l) {
			l, r = r, l
		}
		values := math.Max(left.distinct(l), right.distinct(r))
		rows /= math.Max(math.Min(values, classes.distinct(l)), 1)
		ofLeft, ofRight = appendColumn(ofLeft, l), appendColumn(ofRight, r)
	}
	// A row of the one side fits one row of the other at most, if that has a key of these columns.
	if right.determinedBy(ofRight) {
		rows = math.Min(rows, left.rows)
	}
	if left.determinedBy(ofLeft) {
		rows = math.Min(rows, right.rows)
	}
	return math.Max(rows, 1)
}

func appendColumn(list []int, e expr.Expr) []int {
	if c, ok := e.(*expr.Column); ok && c.Level == 0 {
		return append(list, c.Index)
	}
	return list
}

// distinct is about how many values an expression has before any condition.
func (t *joinTree) distinct(e expr.Expr) float64 {
	c, ok := e.(*expr.Column)
	if !ok || c.Level > 0 {
		return unknownDistinct
	}
	s := t.leafOf(c.Index)
	if s == nil || s.scan == nil {
		return unknownDistinct
	}
	if hasUniqueKey(s.scan.Table, []int{c.Index - s.first}) {
		return s.tableRows
	}
	if k := s.scan.statistics.Column(&s.scan.Table.Columns[c.Index-s.first]); k != nil && k.Distinct != 0 {
		return math.Max(k.Values(s.tableRows), 1)
	}
	return math.Min(unknownDistinct, s.tableRows)
}

// columnClasses are the columns that equalities make equal: by column about how many values those of its class have at most.
type columnClasses map[int]*float64

// equalColumns finds the columns that equalities make equal, through others too.
func equalColumns(trees []*joinTree, conds []expr.Expr) columnClasses {
	out := columnClasses{}
	distinct := func(c *expr.Column) *float64 {
		if d := out[c.Index]; d != nil {
			return d
		}
		d := math.Inf(1)
		for _, t := range trees {
			if s := t.leafOf(c.Index); s != nil && s.scan != nil && hasUniqueKey(s.scan.Table, []int{c.Index - s.first}) {
				d = s.tableRows
			}
		}
		out[c.Index] = &d
		return &d
	}
	for _, cond := range conds {
		l, r, ok := expr.MatchEquality(cond)
		if !ok {
			continue
		}
		left, okL := l.(*expr.Column)
		right, okR := r.(*expr.Column)
		if !okL || !okR || left.Level > 0 || right.Level > 0 {
			continue
		}
		a, b := distinct(left), distinct(right)
		*a = math.Min(*a, *b)
		for column, d := range out {
			if d == b {
				out[column] = a
			}
		}
	}
	return out
}

// distinct is about how many values an expression may have if it equals those of its class.
func (c columnClasses) distinct(e expr.Expr) float64 {
	if col, ok := e.(*expr.Column); ok && col.Level == 0 && c[col.Index] != nil {
		return *c[col.Index]
	}
	return math.Inf(1)
}

// determinedBy reports whether columns contain a key of a tree of one table.
func (t *joinTree) determinedBy(columns []int) bool {
	for t.semi != nil {
		t = t.left
	}
	if t.source == nil || t.source.scan == nil {
		return false
	}
	ordinals := make([]int, len(columns))
	for i, c := range columns {
		ordinals[i] = c - t.first
	}
	return hasUniqueKey(t.source.scan.Table, ordinals)
}

// leafOf is the item of FROM that a column is of; nil if it is not of the tree.
func (t *joinTree) leafOf(column int) *source {
	switch {
	case column < t.first || column >= t.first+t.width:
		return nil
	case t.source != nil:
		return t.source
	case t.semi != nil || column < t.left.first+t.left.width:
		return t.left.leafOf(column)
	}
	return t.right.leafOf(column)
}
