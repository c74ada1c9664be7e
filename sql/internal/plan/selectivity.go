package plan

import (
	"math"
	"sort"

	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// equalFraction is about what part of the rows has a value in a column. E may not be constant.
func (n *Scan) equalFraction(ordinal int, e expr.Expr) float64 {
	k := n.statistics.Column(&n.Table.Columns[ordinal])
	if k == nil || k.Distinct == 0 {
		return equalSelectivity
	}
	common := 0.0
	c, isConst := e.(*expr.Const)
	for i, f := range k.Frequencies {
		common += f
		if isConst && i < len(k.CommonValues) && n.compare(ordinal, c, k.CommonValues[i]) == 0 {
			return f
		}
	}
	values := k.Values(n.tableRows)
	if !isConst {
		return math.Min(1, (1-k.NullFraction)/math.Max(values, 1))
	}
	rest := math.Max(1-k.NullFraction-common, 0)
	return math.Min(rest/math.Max(values-float64(len(k.Frequencies)), 1), 1)
}

// compare compares a constant with a value of a column; as unequal if they have no common order.
func (n *Scan) compare(ordinal int, c *expr.Const, d types.Datum) int {
	t := n.Table.Columns[ordinal].Type
	v, inRange, above := expr.KeyValue(c.Value, c.Type(), t)
	switch {
	case c.Value.Null, !inRange && !above:
		return -1
	case above:
		return 1
	}
	return types.Compare(t, v, d)
}

// below is about what part of a column's values lies below a constant, or is it; ok is false without a histogram.
func (n *Scan) below(ordinal int, e expr.Expr) (part float64, ok bool) {
	k := n.statistics.Column(&n.Table.Columns[ordinal])
	c, isConst := e.(*expr.Const)
	if k == nil || !isConst || len(k.Bounds) == 0 && len(k.CommonValues) == 0 {
		return 0, false
	}
	common := 0.0
	for i, d := range k.CommonValues {
		if i < len(k.Frequencies) && n.compare(ordinal, c, d) > 0 {
			part += k.Frequencies[i]
		}
		common += k.Frequencies[i]
	}
	if m := len(k.Bounds); m > 1 {
		at := sort.Search(m, func(i int) bool { return n.compare(ordinal, c, k.Bounds[i]) <= 0 })
		part += math.Max(1-k.NullFraction-common, 0) * math.Min(math.Max((float64(at)-0.5)/float64(m-1), 0), 1)
	}
	return part, true
}

// valuesFraction is about what part of the rows has one of some values in a column.
func (n *Scan) valuesFraction(ordinal int, v *KeyValues) float64 {
	k := n.statistics.Column(&n.Table.Columns[ordinal])
	switch {
	case v.IsNull && k != nil:
		return k.NullFraction
	case v.IsNull:
		return equalSelectivity
	case v.Array != nil:
		return math.Min(1, guessedElements*n.equalFraction(ordinal, nil))
	}
	f := 0.0
	for _, e := range v.Values {
		f += n.equalFraction(ordinal, e)
	}
	return math.Min(1, f)
}

// rangeFraction is about what part of the rows lies in a range of a column.
func (n *Scan) rangeFraction(ordinal int, r *KeyRange) float64 {
	k := n.statistics.Column(&n.Table.Columns[ordinal])
	low, lowOK := 0.0, r.Low == nil
	high, highOK := 1.0, r.High == nil
	if r.Low != nil {
		low, lowOK = n.below(ordinal, r.Low)
	}
	if r.High != nil {
		high, highOK = n.below(ordinal, r.High)
	}
	switch {
	case lowOK && highOK && k != nil:
		if r.High == nil {
			high = 1 - k.NullFraction
		}
		return math.Max(high-low, 1/math.Max(n.tableRows, 1))
	case r.Low != nil && r.High != nil:
		return boundSelectivity
	case r.Low != nil || r.High != nil:
		return rangeSelectivity
	}
	return 1
}

// fraction is about what part of the table's rows fulfils a condition.
func (n *Scan) fraction(e expr.Expr) float64 {
	switch e := e.(type) {
	case *expr.And:
		f := 1.0
		for _, a := range e.Args {
			f *= n.fraction(a)
		}
		return f
	case *expr.Or:
		f := 0.0
		for _, a := range e.Args {
			f += n.fraction(a)
		}
		return math.Min(f, 1)
	}
	if c, not, ok := expr.MatchNull(e); ok {
		if k := n.statistics.Column(&n.Table.Columns[c.Index]); k != nil {
			if not {
				return 1 - k.NullFraction
			}
			return k.NullFraction
		}
		return filterSelectivity
	}
	m, ok := expr.MatchComparison(e)
	if !ok || n.statistics.Column(&n.Table.Columns[m.Column.Index]) == nil {
		return filterSelectivity
	}
	switch {
	case m.Array != nil:
		return math.Min(1, guessedElements*n.equalFraction(m.Column.Index, nil))
	case m.List != nil:
		f := 0.0
		for _, v := range m.List {
			f += n.equalFraction(m.Column.Index, v)
		}
		return math.Min(1, f)
	case m.Op == expr.OpEq:
		return n.equalFraction(m.Column.Index, m.Value)
	}
	var r KeyRange
	r.bound(&m)
	return n.rangeFraction(m.Column.Index, &r)
}

// estimate is about how many rows fulfil conditions, by the statistics; 0 if there are none.
func (n *Scan) estimate(conds []expr.Expr) float64 {
	if n.statistics == nil {
		return 0
	}
	for _, x := range n.Table.AllIndexes() {
		if a := newAccess(n, x, conds, n.overKeys(x, conds)); a.one && x.Where == 0 {
			return 1
		}
	}
	rows := float64(n.statistics.Rows)
	for _, c := range conds {
		rows *= n.fraction(c)
	}
	return math.Max(rows, 1)
}
