package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
)

// ViewText gives the query of a view as PostgreSQL 15 writes it: what the query means, with all names qualified and all casts written.
// The planner's own search path is not used. An error tells that there is no such text: of a query that has a part for which there is
// none, or that is no longer understood.
func (p *Planner) ViewText(view *catalog.Table, form pgcatalog.ViewForm) (string, error) {
	stmts, err := parse.Parse(view.View.Text)
	if err != nil {
		return "", err
	}
	st, ok := stmts[0].AST.(*parse.SelectStmt)
	if !ok {
		return "", errNotShown
	}
	p.Text, p.SearchPath, p.describing, p.NoParams = view.View.Text, view.View.SearchPath, true, true
	p.builder, p.root = p.newBuilder(expr.NoParams()), st
	q, err := p.asOwner(view.Owner, func() (*queryPlan, error) { return p.query(st, nil) })
	if err != nil {
		return "", err
	}
	if p.builder.Collated {
		return "", errNotShown
	}
	w := &viewWriter{form: form}
	w.out = expr.NewLayout(form.Pretty, w.column, w.subquery)
	var names []string
	for _, c := range view.Visible() {
		names = append(names, c.Name)
	}
	// The rule that a view is in PostgreSQL names two more items.
	w.taken = []string{"old", "new"}
	w.query(q.shown, names, true)
	w.out.Text(";")
	return w.out.String(), w.err
}

// viewWriter writes a query that was understood.
type viewWriter struct {
	out   *expr.Layout
	form  pgcatalog.ViewForm
	taken []string      // the names of items of FROM in the query at hand and around it
	chain []*shownNames // of the queries whose columns are seen, the innermost last
	ctes  []string      // names in view
	err   error
}

// query writes a query. The columns are called names, if that is not nil; visible tells that their names matter to anyone.
func (w *viewWriter) query(q *shownQuery, names []string, visible bool) {
	level, taken, chain, ctes := w.out.Level(), w.taken, w.chain, w.ctes
	defer func() {
		w.out.SetLevel(level)
		w.taken, w.chain, w.ctes = taken, chain, ctes
	}()
	scope := w.nameItems(q)
	w.with(q)
	w.chain = append(w.chain[:len(w.chain):len(w.chain)], scope)
	w.body(q, names, visible)
	w.orderAndLimit(q)
}

func (w *viewWriter) body(q *shownQuery, names []string, visible bool) {
	switch {
	case q.op != nil:
		w.setOp(q, names, visible)
	case q.values != nil && w.plainValues(q, names):
		w.out.Indent(expr.IndentClause)
		w.out.Text(" ")
		w.values(q.values)
	case q.values != nil:
		w.valuesAsSelect(q, names)
	default:
		w.selectClause(q, names, visible)
	}
}

func (w *viewWriter) with(q *shownQuery) {
	if q.with == nil {
		return
	}
	o := w.out
	o.Indent(expr.IndentClause)
	o.Text(" ", word(q.recursive, "WITH RECURSIVE ", "WITH "))
	chain := w.chain
	for i, c := range q.with {
		o.Text(word(i > 0, ", ", ""), parse.QuoteIdent(c.cte.Name))
		w.columnList(c.cte.Columns)
		o.Text(" AS ", []string{"", "MATERIALIZED ", "NOT MATERIALIZED "}[c.cte.Materialize], "(")
		o.Line("", 0, 0, 0)
		w.ctes = append(w.ctes[:len(w.ctes):len(w.ctes)], c.cte.Name)
		w.query(c.query, nil, true)
		o.Line("", 0, 0, 0)
		o.Text(")")
	}
	w.chain = chain
	o.Indent(-expr.IndentClause)
	o.Line("", 0, 0, 0)
}

// columnList writes (a, b), or nothing for no names.
func (w *viewWriter) columnList(names []string) {
	for i, n := range names {
		w.out.Text(word(i > 0, ", ", "("), parse.QuoteIdent(n))
	}
	w.out.Text(word(len(names) > 0, ")", ""))
}

func word(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func (w *viewWriter) selectClause(q *shownQuery, names []string, visible bool) {
	o := w.out
	o.Indent(expr.IndentClause)
	o.Text(" SELECT")
	switch {
	case len(q.on) > 0:
		o.Text(" DISTINCT ON (")
		o.Keys(q.on)
		o.Text(")")
	case q.clause.Distinct:
		o.Text(" DISTINCT")
	}
	w.targets(q, names, visible)
	w.fromClause(q)
	if q.where != nil {
		o.Clause(" WHERE ", 1)
		o.Value(q.where)
	}
	if len(q.groups) > 0 {
		o.Clause(" GROUP BY ", 1)
		o.Text(word(q.clause.GroupDistinct, "DISTINCT ", ""))
		w.groups(q)
	}
	if q.having != nil {
		o.Clause(" HAVING ", 0)
		o.Value(q.having)
	}
	for i, win := range q.windows {
		if i == 0 {
			o.Clause(" WINDOW ", 1)
		} else {
			o.Text(", ")
		}
		o.Text(parse.QuoteIdent(win.Name), " AS ")
		o.Window(win)
	}
}

// targets writes the SELECT list.
func (w *viewWriter) targets(q *shownQuery, names []string, visible bool) {
	o, lines := w.out, false
	for i, t := range q.targets {
		o.Text(word(i > 0, ", ", " "))
		name := t.column.Name
		if i < len(names) {
			name = names[i]
		}
		lines = o.Apart(w.form.Width, i == 0, lines, func() {
			o.Expr(t.expr)
			shown := word(visible, "", "?column?")
			switch e := t.expr.(type) {
			case *expr.Column:
				_, shown = w.names(e)
			case *expr.Record:
				shown = w.wholeRow(e, shown)
			}
			if name != shown {
				o.Text(" AS ", parse.QuoteIdent(name))
			}
		})
	}
}

// groups writes the items of GROUP BY. Without grouping sets it is a list of expressions, each of them once.
func (w *viewWriter) groups(q *shownQuery) {
	var plain []expr.Expr
	sets := false
	for _, g := range q.groups {
		sets = sets || g.sets != nil
		for _, e := range g.exprs {
			if !containsExpr(plain, e) {
				plain = append(plain, e)
			}
		}
	}
	if !sets {
		w.out.Keys(plain)
		return
	}
	written := false
	for _, g := range q.groups {
		if g.sets != nil && g.sets.Kind == parse.GroupingEmpty && len(q.groups) > 1 {
			continue // () adds nothing to other items
		}
		w.out.Text(word(written, ", ", ""))
		w.group(g, true)
		written = true
	}
}

// group writes an item of GROUP BY; bare tells that one expression needs no parentheses.
func (w *viewWriter) group(g shownGroup, bare bool) {
	o := w.out
	if g.sets == nil {
		bare = bare && len(g.exprs) == 1
		o.Text(word(bare, "", "("))
		o.Keys(g.exprs)
		o.Text(word(bare, "", ")"))
		return
	}
	o.Text([]string{"(", "ROLLUP(", "CUBE(", "GROUPING SETS ("}[g.sets.Kind])
	for i, item := range g.items {
		o.Text(word(i > 0, ", ", ""))
		w.group(item, g.sets.Kind != parse.GroupingSets)
	}
	o.Text(")")
}

// orderAndLimit writes what stands around a query's body.
func (w *viewWriter) orderAndLimit(q *shownQuery) {
	o := w.out
	for i, k := range q.order {
		if i == 0 {
			o.Clause(" ORDER BY ", 1)
		} else {
			o.Text(", ")
		}
		switch {
		case q.op != nil:
			o.Text(itoa(k.Column + 1))
		default:
			o.Key(k.Expr)
		}
		o.Direction(k.Desc, k.NullsFirst)
	}
	if q.offset != nil {
		o.Clause(" OFFSET ", 0)
		o.Value(q.offset)
	}
	if q.limit != nil {
		o.Clause(" LIMIT ", 0)
		if c, ok := q.limit.(*expr.Const); ok && c.Value.Null {
			o.Text("ALL")
			return
		}
		o.Value(q.limit)
	}
}

// setOp writes a set operation. A nested one is in parentheses, unless it is the left side of one of its kind.
func (w *viewWriter) setOp(q *shownQuery, names []string, visible bool) {
	o := w.out
	if l := q.left; l.op != nil && !l.isOwn() {
		if l.op.Op == q.op.Op && l.op.All == q.op.All {
			w.setOp(l, names, visible)
			o.Line("", 0, 0, 0)
		} else {
			o.Text("(")
			o.Line("", expr.IndentClause, 0, 0)
			w.setOp(l, names, visible)
			o.Line(") ", -expr.IndentClause, 0, 0)
		}
	} else {
		w.branch(l, names, visible)
		o.Line("", 0, 0, 0)
	}
	o.Text([]string{"UNION ", "INTERSECT ", "EXCEPT "}[q.op.Op], word(q.op.All, "ALL ", ""))
	if r := q.right; r.op != nil && !r.isOwn() {
		o.Text("(")
		o.Line("", expr.IndentClause, 0, 0)
		w.setOp(r, names, false)
		o.Indent(-expr.IndentClause)
		o.Line(")", 0, 0, 0)
		return
	}
	o.Line("", 0, 0, 0)
	w.branch(q.right, names, false)
}

// isOwn reports whether a branch of a set operation has something around its body, which keeps it a query of its own.
func (q *shownQuery) isOwn() bool {
	return q.with != nil || q.order != nil || q.limit != nil || q.offset != nil
}

// branch writes a query that is a branch of a set operation. What it sees of the queries around is what the operation sees.
func (w *viewWriter) branch(q *shownQuery, names []string, visible bool) {
	chain := w.chain
	w.chain = chain[:len(chain)-1]
	w.out.Text(word(q.isOwn(), "(", ""))
	w.query(q, names, visible)
	w.out.Text(word(q.isOwn(), ")", ""))
	w.chain = chain
}

// values writes VALUES and its rows.
func (w *viewWriter) values(rows [][]expr.Expr) {
	o := w.out
	o.Text("VALUES ")
	for i, row := range rows {
		o.Text(word(i > 0, ", ", ""), "(")
		for c, e := range row {
			o.Text(word(c > 0, ",", ""))
			o.Value(e)
		}
		o.Text(")")
	}
}

// valuesName is what VALUES is called where it needs a name.
const valuesName = "*VALUES*"

// plainValues reports whether VALUES stands for itself: its columns have the names that it gives them.
func (w *viewWriter) plainValues(q *shownQuery, names []string) bool {
	for i := range names {
		if names[i] != "column"+itoa(i+1) {
			return false
		}
	}
	return true
}

// valuesAsSelect writes VALUES whose columns have other names.
func (w *viewWriter) valuesAsSelect(q *shownQuery, names []string) {
	o := w.out
	o.Indent(expr.IndentClause)
	o.Text(" SELECT")
	name := parse.QuoteIdent(valuesName)
	for i := range q.values[0] {
		o.Text(word(i > 0, ", ", " "))
		column := "column" + itoa(i+1)
		o.Apart(w.form.Width, i == 0, false, func() {
			o.Text(name, ".", column)
			if names[i] != column {
				o.Text(" AS ", parse.QuoteIdent(names[i]))
			}
		})
	}
	o.Clause(" FROM ", 2)
	o.Text("(")
	w.values(q.values)
	o.Text(") ", name)
	w.columnList(nil)
}
