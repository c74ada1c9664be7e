package plan

import (
	"slices"
	"strings"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// shownNames are the names that the items of a query's FROM have in its text.
type shownNames struct {
	query   *shownQuery
	items   []string   // by source
	columns [][]string // by source
}

// nameItems chooses the names: the items' own, with a number where a query around, or the query itself, has one like it.
func (w *viewWriter) nameItems(q *shownQuery) *shownNames {
	n := &shownNames{query: q}
	w.taken = slices.Clip(w.taken)
	if q.values != nil {
		w.taken = append(w.taken, valuesName)
	}
	if q.from == nil {
		return n
	}
	for _, s := range q.from.sources {
		name := unlike(w.taken, s.names.Name)
		w.taken = append(w.taken, name)
		n.items = append(n.items, name)
		var columns []string
		for _, c := range s.names.Columns {
			name := c.Name
			if !c.Dropped && !c.Hidden {
				name = unlike(columns, name)
			}
			columns = append(columns, name)
		}
		n.columns = append(n.columns, columns)
	}
	return n
}

// unlike gives a name a number that makes it unlike others.
func unlike(others []string, name string) string {
	base := name
	for i := 1; slices.Contains(others, name); i++ {
		number := "_" + itoa(i)
		for len(base)+len(number) > parse.MaxNameBytes {
			base = strings.ToValidUTF8(base[:len(base)-1], "")
		}
		name = base + number
	}
	return name
}

// column is expr.NewLayout's.
func (w *viewWriter) column(c *expr.Column) (item, name string) {
	item, name = w.names(c)
	if item != "" {
		item = parse.QuoteIdent(item)
	}
	return item, parse.QuoteIdent(name)
}

// names are the names of a column and of its item.
func (w *viewWriter) names(c *expr.Column) (item, name string) {
	if c.Index < 0 {
		return "", c.Name // of USING
	}
	if c.Level < len(w.chain) {
		n := w.chain[len(w.chain)-1-c.Level]
		if n.query.values != nil {
			return valuesName, c.Name
		}
		if n.query.from != nil {
			for i, s := range n.query.from.sources {
				if at := c.Index - s.first; at >= 0 && at < s.width && at < len(n.columns[i]) {
					return n.items[i], n.columns[i][at]
				}
			}
		}
	}
	w.err = errNotShown
	return "", c.Name
}

// wholeRow writes, after t.*, the type of the row of a table; it gives the name that the value has by itself, which is none.
func (w *viewWriter) wholeRow(r *expr.Record, none string) string {
	if t := r.RowType(); t != (types.RowType{}) {
		w.out.Text("::", w.form.TypeName(t.OID))
	} else if r.IsWhole() {
		w.out.Text("::record")
	}
	return none
}

// subquery writes a query in an expression.
func (w *viewWriter) subquery(e *expr.Subquery) {
	sub := e.Plan.(*SubPlan)
	o := w.out
	if sub.Kind == expr.ArraySubquery {
		o.Text("ARRAY(")
	} else {
		o.Text("(")
	}
	paren := true
	switch sub.Kind {
	case expr.ExistsSubquery:
		o.Text("EXISTS ")
	case expr.AnySubquery, expr.AllSubquery, expr.CompareSubquery:
		op := w.comparison(e, sub)
		switch {
		case sub.Kind == expr.AllSubquery:
			o.Text(" ", op, " ALL ")
		case sub.Kind == expr.CompareSubquery:
			o.Text(" ", op, " ")
		case op == "=":
			o.Text(" IN ")
		default:
			o.Text(" ", op, " ANY ")
		}
	default:
		paren = false
	}
	o.Text(word(paren, "(", ""))
	w.query(sub.shown, nil, false)
	o.Text(word(paren, "))", ")"))
}

// comparison writes the left side of IN, ANY or ALL, and gives the operator.
func (w *viewWriter) comparison(e *expr.Subquery, sub *SubPlan) string {
	left, op, ok := expr.ComparisonSides(sub.Compare)
	if !ok {
		w.err = errNotShown
		return ""
	}
	w.out.Text(word(len(left) > 1, "(", ""))
	for i, x := range left {
		w.out.Text(word(i > 0, ", ", ""))
		w.out.Expr(expr.Rewrite(x, func(n expr.Expr) (expr.Expr, bool) {
			c, ok := n.(*expr.Column)
			if !ok || c.Level > 0 || c.Index >= sub.Left {
				return nil, false
			}
			return e.Args[c.Index], true
		}))
	}
	w.out.Text(word(len(left) > 1, ")", ""))
	return op
}

func (w *viewWriter) fromClause(q *shownQuery) {
	o := w.out
	for i, t := range q.from.trees {
		if i == 0 {
			o.Clause(" FROM ", 2)
			w.tree(q, t)
			continue
		}
		o.Text(", ")
		o.Apart(w.form.Width, false, false, func() { w.tree(q, t) })
	}
}

// tree writes an item of FROM, or a join.
func (w *viewWriter) tree(q *shownQuery, t *joinTree) {
	if t.source != nil {
		w.item(q, t.source)
		return
	}
	j, o := t.shown, w.out
	merges := t.hasMerged(q)
	if j.st.Alias.Name != "" || j.st.UsingAlias != "" || merges && len(q.from.sources) > 2 {
		w.err = errNotShown
		return
	}
	o.Text(word(o.Pretty(), "", "("))
	w.tree(q, t.left)
	verb := [...]string{InnerJoin: " JOIN ", LeftJoin: " LEFT JOIN ", RightJoin: " RIGHT JOIN ", FullJoin: " FULL JOIN "}[t.kind]
	if t.kind == InnerJoin && j.on == nil && len(j.using) == 0 {
		verb = " CROSS JOIN "
	}
	o.Line(verb, -expr.IndentClause, expr.IndentClause, expr.IndentJoin)
	paren := o.Pretty() && t.right.source == nil
	o.Text(word(paren, "(", ""))
	w.tree(q, t.right)
	o.Text(word(paren, ")", ""))
	switch {
	case len(j.using) > 0:
		o.Text(" USING ")
		w.columnList(j.using)
	case j.on != nil:
		o.Text(" ON ", word(o.Pretty(), "", "("))
		o.Value(j.on)
		o.Text(word(o.Pretty(), "", ")"))
	case t.kind != InnerJoin:
		o.Text(" ON TRUE")
	}
	o.Text(word(o.Pretty(), "", ")"))
}

// hasMerged reports whether USING of a join has a column that is neither side's own.
func (t *joinTree) hasMerged(q *shownQuery) bool {
	return slices.ContainsFunc(q.from.scope.Sources, func(s *expr.Source) bool {
		return s.Name == "" && slices.ContainsFunc(s.Columns, func(c expr.SourceColumn) bool {
			x, ok := c.Expr.(*expr.Column)
			return ok && x.Index < 0
		})
	})
}

// item writes an item of FROM that is no join.
func (w *viewWriter) item(q *shownQuery, s *source) {
	o, it := w.out, &s.shown
	scope := w.chain[len(w.chain)-1]
	at := slices.Index(q.from.sources, s)
	own := ""
	o.Text(word(it.lateral, "LATERAL ", ""))
	switch {
	case it.table != nil:
		own = it.table.Name
		o.Text(word(it.only, "ONLY ", ""), w.form.Name(it.table.OID, slices.Contains(w.ctes, own)))
	case it.system != nil:
		own = it.system.Name
		o.Text(w.form.Name(it.system.OID, slices.Contains(w.ctes, own)))
	case it.cte != "":
		own = it.cte
		o.Text(parse.QuoteIdent(own))
	case it.query != nil:
		o.Text("(")
		w.inner(it.query, it.lateral)
		o.Text(")")
	default:
		w.function(it)
	}
	if scope.items[at] != own || it.alias {
		o.Text(" ", parse.QuoteIdent(scope.items[at]))
	}
	if it.typed != nil {
		for i, c := range it.typed {
			o.Text(word(i > 0, ", ", "("), parse.QuoteIdent(c.Name), " ", expr.TypeText(c.Type))
		}
		o.Text(")")
		return
	}
	w.columnNames(s, scope.columns[at])
}

// inner writes a query in FROM, which sees the items before it only if it is lateral.
func (w *viewWriter) inner(q *shownQuery, lateral bool) {
	chain := w.chain
	if !lateral {
		w.chain = chain[:len(chain)-1]
	}
	w.query(q, nil, true)
	w.chain = chain
}

// function writes the call of a function in FROM.
func (w *viewWriter) function(it *shownItem) {
	chain := w.chain
	// The items before it are those of a query around.
	w.chain = append(chain[:len(chain):len(chain)], &shownNames{query: &shownQuery{}})
	switch {
	case it.rows:
		w.out.Text("ROWS FROM(")
		w.out.Expr(it.call)
		w.out.Text(")")
	case it.call.IsSideBySide():
		w.out.Text("UNNEST(") // of several arrays
		w.out.Exprs(it.call.Args, ", ")
		w.out.Text(")")
	default:
		w.out.Expr(it.call)
	}
	w.chain = chain
	w.out.Text(word(it.ordinality, " WITH ORDINALITY", ""))
}

// columnNames writes the list of an item's columns where it says something: of functions always.
func (w *viewWriter) columnNames(s *source, names []string) {
	it := &s.shown
	list := it.call != nil || it.listed
	var shown []string
	for i, c := range s.names.Columns {
		if c.Dropped || c.Hidden {
			continue
		}
		shown = append(shown, names[i])
		own := c.Name
		switch {
		case it.table != nil:
			own = it.table.Columns[i].Name
		case it.system != nil:
			own = it.system.Columns[i].Name
		case it.cte != "":
			own = s.shown.own[i]
		}
		list = list || names[i] != own
	}
	if list {
		w.columnList(shown)
	}
}
