package expr

// Walk visits e and everything below it, parents first, as long as visit returns true; below a node for which it returns
// false nothing is visited.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	e.each(func(place *Expr) { Walk(*place, visit) })
}

// Rewrite gives a copy of e in which every node for which replace returns true is replaced by what it returns; what it
// returns is not looked into. It shares what did not change with e.
func Rewrite(e Expr, replace func(Expr) (Expr, bool)) Expr {
	if e == nil {
		return nil
	}
	if r, ok := replace(e); ok {
		return r
	}
	var operands []Expr
	changed := false
	e.each(func(place *Expr) {
		r := Rewrite(*place, replace)
		operands = append(operands, r)
		changed = changed || r != *place
	})
	if !changed {
		return e
	}
	c := e.clone()
	i := 0
	c.each(func(place *Expr) {
		*place = operands[i]
		i++
	})
	if l, ok := c.(*InList); ok && l.set != nil {
		l.set = newConstSet(l.List, l.oper)
	}
	return c
}

// VolatilityOf is the highest volatility in e. Columns and parameters do not count: they are inputs.
func VolatilityOf(e Expr) Volatility {
	v := Immutable
	Walk(e, func(n Expr) bool {
		v = max(v, n.volatility())
		return v < Volatile
	})
	return v
}

// HasColumns reports whether e refers to a column of the row at hand.
func HasColumns(e Expr) bool {
	return contains(e, func(n Expr) bool {
		c, ok := n.(*Column)
		return ok && c.Level == 0
	})
}

// HasAggregates reports whether e contains an aggregate, or GROUPING.
func HasAggregates(e Expr) bool {
	return contains(e, func(n Expr) bool {
		switch n.(type) {
		case *Aggregate, *Grouping:
			return true
		}
		return false
	})
}

// HasSubqueries reports whether e contains a subquery.
func HasSubqueries(e Expr) bool {
	return contains(e, func(n Expr) bool {
		_, ok := n.(*Subquery)
		return ok
	})
}

// IsRowIndependent reports whether e has the same value for every row of a statement: no columns of the row, nothing
// volatile, no aggregates, sets and subqueries. Such an expression can be evaluated once, before the first row.
func IsRowIndependent(e Expr) bool {
	return VolatilityOf(e) < Volatile && !contains(e, func(n Expr) bool {
		switch n := n.(type) {
		case *Column:
			return n.Level == 0
		case *Aggregate, *Grouping, *WindowCall, *SetCall, *Subquery:
			return true
		}
		return false
	})
}

// Columns calls f for every column of the row at hand that e refers to; more than once where it does so more than once.
func Columns(e Expr, f func(*Column)) {
	Walk(e, func(n Expr) bool {
		if c, ok := n.(*Column); ok && c.Level == 0 {
			f(c)
		}
		return true
	})
}

func contains(e Expr, is func(Expr) bool) bool {
	found := false
	Walk(e, func(n Expr) bool {
		found = found || is(n)
		return !found
	})
	return found
}
