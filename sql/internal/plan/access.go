package plan

import (
	"math"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/rowenc"
)

// columnOrder is an item of an order over a table's columns.
type columnOrder struct {
	ordinal          int // -1: the order is that of expr
	expr             expr.Expr
	desc, nullsFirst bool
}

// access is one way to read a table: an index with what the conditions say of its key.
type access struct {
	index      *catalog.Index
	constraint *Constraint // nil: the whole index
	used       []bool      // the conditions that the constraint stands for
	weak       []expr.Expr // those that the constraint only follows from
	single     []bool      // by key column: has one value
	rows       float64     // about how many entries are read
	one        bool        // at most one
	lookup     bool
	ordered    bool
	reverse    bool
	cost       float64
	passing    float64 // part of the entries that fulfil the rest of the conditions
}

// There are no statistics yet: these are about what PostgreSQL takes when it knows nothing.
const (
	guessedRows       = 100000
	equalSelectivity  = 0.005
	rangeSelectivity  = 0.05 // open at one end
	boundSelectivity  = 0.005
	filterSelectivity = 0.33
	lookupCost        = 8.0 // of a row, where a scan of one costs 1
	maxSpans          = 4096
	guessedElements   = 10 // of an array
)

// guess is about how many values there are.
func (v *KeyValues) guess() int {
	if v.Array != nil {
		return guessedElements
	}
	return max(len(v.Values), 1)
}

// chooseAccess finds the cheapest way to read the table of a scan: need are the columns wanted above it, conds the conditions on it,
// order the order that would save a sort (nil: none), limit how many rows are probably read (0: all). It reports whether the order
// comes out.
func chooseAccess(scan *Scan, conds []expr.Expr, need []bool, order []columnOrder, limit int64) (ordered bool) {
	var best *access
	for _, x := range scan.Table.AllIndexes() {
		partial := scan.expression(x.Where)
		if x.State != catalog.IndexPublic || scan.forced && x != scan.Index || partial != nil && !expr.ImpliesAll(conds, partial) {
			continue
		}
		a := newAccess(scan, x, conds, scan.overKeys(x, conds))
		if partial != nil {
			a.skipImplied(scan, conds, partial)
		}
		a.lookup = needsLookup(scan.Table, x, a.wanted(conds, need))
		a.ordered, a.reverse = a.order(scan.Table, scan.orderOver(x, order))
		a.price(scan, conds, len(order) > 0, limit)
		if best == nil || a.cost < best.cost {
			best = a
		}
	}
	if best == nil { // the index that was named lacks rows
		scan.forced = false
		return chooseAccess(scan, conds, need, order, limit)
	}
	best.apply(scan, conds, need)
	scan.SoftLimit, scan.Estimate = 0, scan.estimate(conds)
	if best.ordered || len(order) == 0 {
		scan.SoftLimit = limit
	}
	scan.ordered = best.ordered && len(order) > 0
	return scan.ordered
}

// orderOver writes the virtual columns of an index's key in place of the expressions of an order.
func (n *Scan) orderOver(x *catalog.Index, order []columnOrder) []columnOrder {
	out := slices.Clone(order)
	for i, o := range out {
		if o.ordinal >= 0 {
			continue
		}
		if c, ok := n.overKeys(x, []expr.Expr{o.expr})[0].(*expr.Column); ok {
			out[i].ordinal = c.Index
		}
	}
	return out
}

// skipImplied leaves out the conditions that all rows of a partial index fulfil.
func (a *access) skipImplied(scan *Scan, conds []expr.Expr, partial expr.Expr) {
	for i, e := range conds {
		if !a.used[i] && expr.ImpliesAll(expr.SplitAnd(partial), e) {
			a.used[i] = true
			a.rows *= scan.fraction(e)
		}
	}
}

// newAccess matches the conditions with the key columns of an index, from the first on. Conds are what overs, over those columns, are
// of the scan.
func newAccess(scan *Scan, x *catalog.Index, conds, overs []expr.Expr) *access {
	t := scan.Table
	a := &access{index: x, used: make([]bool, len(conds)), single: make([]bool, len(x.Keys)), rows: guessedRows}
	var c Constraint
	spans := 1
	for i, k := range x.Keys {
		v, cond := findEqual(overs, a.used, t.Ordinal(k.Column), spans)
		if cond < 0 {
			c.Range = a.findRange(scan, overs, t.Ordinal(k.Column))
			break
		}
		a.used[cond] = true
		n := v.guess()
		spans *= n
		a.single[i] = n == 1
		a.rows *= scan.valuesFraction(t.Ordinal(k.Column), &v)
		c.Prefix = append(c.Prefix, v)
	}
	if x.Unique && len(c.Prefix) == len(x.Keys) && !slices.ContainsFunc(c.Prefix, func(v KeyValues) bool { return v.IsNull }) {
		a.rows = float64(spans)
		a.one = spans == 1
	}
	a.rows = math.Max(a.rows, float64(spans))
	for i, used := range a.used {
		if used {
			c.Conds = append(c.Conds, conds[i])
		}
	}
	for i, e := range a.weak {
		if i == 0 || e != a.weak[i-1] {
			c.Conds = append(c.Conds, e)
		}
	}
	if len(c.Prefix) > 0 || c.Range != nil {
		a.constraint = &c
	}
	return a
}

// findEqual finds a condition that says what values a column may have; -1 if there is none.
func findEqual(conds []expr.Expr, used []bool, ordinal, spans int) (KeyValues, int) {
	for i, e := range conds {
		if used[i] {
			continue
		}
		if c, not, ok := expr.MatchNull(e); ok && !not && c.Index == ordinal {
			return KeyValues{IsNull: true}, i
		}
		if m, ok := expr.MatchComparison(e); ok && m.Array != nil && m.Column.Index == ordinal && spans*guessedElements <= maxSpans {
			return KeyValues{Array: m.Array}, i
		}
		if values := equalValues(e, ordinal); values != nil && spans*len(values) <= maxSpans {
			return KeyValues{Values: values}, i
		}
	}
	return KeyValues{}, -1
}

// equalValues are the values of which a column must have one for a condition to be true, if that is all that the condition says:
// column = value, column IN (values), or an OR of such.
func equalValues(e expr.Expr, ordinal int) []expr.Expr {
	if or, ok := e.(*expr.Or); ok {
		var all []expr.Expr
		for _, a := range or.Args {
			values := equalValues(a, ordinal)
			if values == nil {
				return nil
			}
			all = append(all, values...)
		}
		return all
	}
	m, ok := expr.MatchComparison(e)
	switch {
	case !ok || m.Op != expr.OpEq || m.Column.Index != ordinal || m.Array != nil:
		return nil
	case m.List != nil:
		return m.List
	}
	return []expr.Expr{m.Value}
}

// findRange finds the conditions that bound a column.
func (a *access) findRange(scan *Scan, conds []expr.Expr, ordinal int) *KeyRange {
	var r KeyRange
	notNull := -1
	for i, e := range conds {
		if a.used[i] {
			continue
		}
		if c, not, ok := expr.MatchNull(e); ok && not && c.Index == ordinal {
			notNull = i
			continue
		}
		if m, ok := expr.MatchComparison(e); ok && m.Column.Index == ordinal && m.List == nil && m.Array == nil && r.bound(&m) {
			a.used[i] = true
		}
	}
	for i, e := range conds {
		for _, m := range expr.WeakBounds(e) {
			if !a.used[i] && m.Column.Index == ordinal && r.bound(&m) {
				a.weak = append(a.weak, e)
			}
		}
	}
	if notNull >= 0 {
		a.used[notNull] = true
		r.NotNull = true
	}
	switch {
	case len(a.weak) > 0:
		a.rows *= rangeSelectivity
	case r.Low != nil || r.High != nil || r.NotNull:
		a.rows *= scan.rangeFraction(ordinal, &r)
	default:
		return nil
	}
	return &r
}

// bound takes a comparison as an end, unless there is one already.
func (r *KeyRange) bound(m *expr.ColumnComparison) bool {
	switch {
	case (m.Op == expr.OpGt || m.Op == expr.OpGe) && r.Low == nil:
		r.Low, r.LowExcl = m.Value, m.Op == expr.OpGt
	case (m.Op == expr.OpLt || m.Op == expr.OpLe) && r.High == nil:
		r.High, r.HighExcl = m.Value, m.Op == expr.OpLt
	default:
		return false
	}
	return true
}

// wanted is which columns the scan has to deliver: those needed above it and those of the conditions that are left.
func (a *access) wanted(conds []expr.Expr, need []bool) []bool {
	want := append([]bool(nil), need...)
	for i, e := range conds {
		if !a.used[i] {
			expr.Columns(e, func(c *expr.Column) { want[c.Index] = true })
		}
	}
	return want
}

// covered is which columns an index has.
func covered(t *catalog.Table, x *catalog.Index) []bool {
	has := make([]bool, len(t.Columns))
	for _, id := range rowenc.ColumnsOf(t, x) {
		has[t.Ordinal(id)] = true
	}
	return has
}

func needsLookup(t *catalog.Table, x *catalog.Index, want []bool) bool {
	if x.Primary {
		return false
	}
	has := covered(t, x)
	for i, w := range want {
		if w && !has[i] {
			return true
		}
	}
	return false
}

// order reports whether the entries come in the wanted order, read forward or in reverse.
func (a *access) order(t *catalog.Table, order []columnOrder) (ordered, reverse bool) {
	if len(order) == 0 {
		return false, false
	}
	keys := append([]catalog.IndexColumn(nil), a.index.Keys...)
	if !a.index.Primary && !a.index.Unique {
		for _, k := range t.Primary.Keys {
			keys = append(keys, catalog.IndexColumn{Column: k.Column})
		}
	}
	decided := false
	at := 0
	for _, o := range order {
		if a.isSingle(t, o.ordinal) {
			continue
		}
		for at < len(keys) && a.isSingle(t, t.Ordinal(keys[at].Column)) {
			at++
		}
		if at == len(keys) {
			// All of a primary key: no two rows are left to order.
			return a.index.Primary && decided, reverse
		}
		k := keys[at]
		if t.Ordinal(k.Column) != o.ordinal {
			return false, false
		}
		backward := k.Desc != o.desc
		if decided && backward != reverse {
			return false, false
		}
		if (k.NullsFirst != backward) != o.nullsFirst && !t.Columns[o.ordinal].NotNull {
			return false, false
		}
		decided, reverse = true, backward
		at++
	}
	return true, reverse
}

// isSingle reports whether the constraint gives a column one value.
func (a *access) isSingle(t *catalog.Table, ordinal int) bool {
	for i, k := range a.index.Keys {
		if t.Ordinal(k.Column) == ordinal {
			return a.single[i]
		}
	}
	return false
}

// price estimates what the way costs.
func (a *access) price(scan *Scan, conds []expr.Expr, wantOrder bool, limit int64) {
	t := scan.Table
	passing := 1.0
	for i := range conds {
		if !a.used[i] {
			passing *= scan.fraction(conds[i])
		}
	}
	a.passing = passing
	rows := a.rows
	sort := wantOrder && !a.ordered
	if limit > 0 && !sort {
		rows = math.Min(rows, float64(limit)/passing)
	}
	perRow := 1.0
	if a.index.Primary {
		perRow += 0.5*float64(len(t.Families)-1) + 0.01*float64(len(t.Columns))
	}
	if a.lookup {
		perRow += lookupCost
	}
	a.cost = 2 + rows*perRow
	if out := rows * passing; sort && out > 1 {
		a.cost += 0.2 * out * math.Log2(out)
	}
	if a.reverse && a.ordered {
		a.cost *= 1.1
	}
	if !a.index.Primary {
		a.cost *= 1.01 // of two equal ways the primary index
	}
}

// apply makes the scan read that way.
func (a *access) apply(scan *Scan, conds []expr.Expr, need []bool) {
	scan.Index, scan.Constraint, scan.Lookup, scan.Reverse = a.index, a.constraint, a.lookup, a.reverse && a.ordered
	scan.Want, scan.cost = a.wanted(conds, need), a.cost
	var early, late []expr.Expr
	has := covered(scan.Table, a.index)
	for i, e := range conds {
		if a.used[i] {
			continue
		}
		if a.lookup && onlyColumns(e, has) {
			early = append(early, e)
		} else {
			late = append(late, e)
		}
	}
	scan.IndexFilter, scan.Filter = expr.JoinAnd(early), expr.JoinAnd(late)
}

// onlyColumns reports whether an expression uses no columns beyond those given.
func onlyColumns(e expr.Expr, has []bool) bool {
	ok := true
	expr.Columns(e, func(c *expr.Column) { ok = ok && has[c.Index] })
	return ok
}
