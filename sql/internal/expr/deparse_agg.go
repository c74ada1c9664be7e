package expr

import "minidb/sql/internal/parse"

func (d *deparser) aggregate(e *Aggregate) {
	if e.within {
		d.function(parse.QuoteIdent(e.proc.name), e.Args[len(e.OrderBy):])
		d.text(" WITHIN GROUP (ORDER BY ")
		for i, k := range e.OrderBy {
			if i > 0 {
				d.text(", ")
			}
			d.sortKey(k)
		}
		d.text(")")
		d.filter(e)
		return
	}
	d.text(parse.QuoteIdent(e.proc.name), "(")
	if e.Star {
		d.text("*")
	}
	if e.Distinct {
		d.text("DISTINCT ")
	}
	d.list(e.Args, ", ")
	for i, k := range e.OrderBy {
		d.text(map[bool]string{true: " ORDER BY ", false: ", "}[i == 0])
		k.Expr = asArgument(e, k.Expr)
		d.sortKey(k)
	}
	d.text(")")
	d.filter(e)
}

func (d *deparser) filter(e *Aggregate) {
	if e.Filter != nil {
		d.text(" FILTER (WHERE ")
		d.expr(e.Filter)
		d.text(")")
	}
}

// sortKey writes only what is not the default.
func (d *deparser) sortKey(k SortKey) {
	if d.lines {
		d.key(k.Expr)
	} else {
		d.expr(k.Expr)
	}
	d.direction(k.Desc, k.NullsFirst)
}

// direction writes only what is not the default.
func (d *deparser) direction(desc, nullsFirst bool) {
	if desc {
		d.text(" DESC")
	}
	switch {
	case nullsFirst && !desc:
		d.text(" NULLS FIRST")
	case !nullsFirst && desc:
		d.text(" NULLS LAST")
	}
}

// String is the key as EXPLAIN shows it.
func (k SortKey) String() string {
	var d deparser
	d.sortKey(k)
	return string(d.out)
}
