package plan

import (
	"slices"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// addView adds a view: its query takes its place, with the names of the search path that the view was made under.
func (p *Planner) addView(f *from, view *catalog.Table, names *expr.Source, use Use, t *parse.TableRef) error {
	switch use {
	case UseWrite:
		return p.unsupported("writing through a view", t.Pos)
	case UseRowLock:
		return p.unsupported("locking the rows of a view", t.Pos)
	}
	stmts, err := parse.Parse(view.View.Text)
	if err != nil {
		return err
	}
	st, ok := stmts[0].AST.(*parse.SelectStmt)
	if !ok {
		return sqlerr.Internal("the text of view %q is no query", view.Name)
	}
	outer := *p
	p.Text, p.SearchPath, p.ctes, p.later = view.View.Text, view.View.SearchPath, nil, nil
	p.builder = p.newBuilder(expr.NoParams())
	p.inViews++
	p.as = view.Owner
	q, err := p.asOwner(view.Owner, func() (*queryPlan, error) { return p.query(st, nil) })
	p.Text, p.SearchPath, p.ctes, p.later, p.builder = outer.Text, outer.SearchPath, outer.ctes, outer.later, outer.builder
	p.as = outer.as
	p.inViews--
	if err != nil {
		return err
	}
	return p.add(f, &source{node: &Subquery{Input: q.node, Alias: names.Name}, width: len(q.node.Types()), names: names}, t.Alias.Pos, t.Pos)
}

// asOwner calls f with the owner of a view as the current user: names in a view's text are looked up with his rights.
func (p *Planner) asOwner(owner types.OID, f func() (*queryPlan, error)) (*queryPlan, error) {
	restore := p.View.ActFor(owner)
	defer restore()
	return f()
}

// ViewQuery is what a view is made of.
type ViewQuery struct {
	Text    string // with every * written out
	Columns []Column
	Uses    []catalog.Use
}

// PlanView plans the query of a new view, to know its columns and what it uses.
func (p *Planner) PlanView(st *parse.SelectStmt) (*ViewQuery, error) {
	p.NoParams, p.writeStars, p.defining = true, true, true
	plan, err := p.Plan(st, nil)
	if err != nil {
		return nil, err
	}
	v := &ViewQuery{Text: parse.Print(st), Columns: plan.Columns}
	for _, t := range p.direct {
		if slices.ContainsFunc(v.Uses, func(u catalog.Use) bool { return u.OID == t.OID }) {
			continue
		}
		u := catalog.Use{OID: t.OID}
		for i := range t.Columns {
			// Names in the text may be those of other tables' columns too: better one column too many than one too few.
			if c := &t.Columns[i]; strings.Contains(v.Text, `"`+c.Name+`"`) || strings.Contains(v.Text, "NATURAL") {
				u.Columns = append(u.Columns, c.ID)
			}
		}
		v.Uses = append(v.Uses, u)
	}
	for _, c := range plan.Columns {
		if oid, ok := c.Type.EnumOf(); ok {
			p.builder.UserTypes = append(p.builder.UserTypes, oid)
		}
	}
	slices.Sort(p.called)
	for _, oid := range slices.Compact(p.called) {
		v.Uses = append(v.Uses, catalog.Use{OID: oid})
	}
	slices.Sort(p.builder.UserTypes)
	for _, oid := range slices.Compact(p.builder.UserTypes) {
		v.Uses = append(v.Uses, catalog.Use{OID: oid})
	}
	return v, nil
}

// writeOut puts the columns that a * stands for in its place, as they could have been written.
func (p *Planner) writeOut(list []parse.Target, scope *expr.Scope) ([]parse.Target, error) {
	var out []parse.Target
	for _, t := range list {
		ref, ok := t.Expr.(*parse.ColumnRef)
		if !ok || !ref.Star {
			out = append(out, t)
			continue
		}
		cols, err := p.builder.ExpandStar(ref, scope)
		if err != nil {
			return nil, err
		}
		for _, c := range cols {
			parts := []string{c.Name}
			if col, ok := c.Expr.(*expr.Column); ok && col.Table != "" {
				parts = []string{col.Table, c.Name}
			}
			out = append(out, parse.Target{Expr: columnRef(parts, t.Pos), Name: c.Name, Pos: t.Pos})
		}
	}
	return out, nil
}

// FillTable is the insertion of a query's rows into a table that was made for them.
func FillTable(t *catalog.Table, q *Plan) *Insert {
	project := &Project{Input: q.Root}
	n := &Insert{Table: t, Input: project, Defaults: make([]expr.Expr, len(t.Columns))}
	for i, c := range q.Columns {
		n.From = append(n.From, i)
		project.Exprs = append(project.Exprs, expr.NewColumn(i, c.Type, "", c.Name))
	}
	return n
}

func columnRef(parts []string, pos int) *parse.ColumnRef {
	ref := &parse.ColumnRef{Parts: parts}
	ref.Pos = pos
	return ref
}
