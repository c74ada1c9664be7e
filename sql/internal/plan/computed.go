package plan

import (
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// Computed is a column whose value follows from others of its row.
type Computed struct {
	Ordinal int
	Expr    expr.Expr // over the table's columns
	Virtual bool
}

// CompileComputed makes the expressions of a table's computed columns, in the order of the columns.
func CompileComputed(t *catalog.Table, ec *types.Context) ([]Computed, error) {
	var out []Computed
	for i := range t.Columns {
		c := &t.Columns[i]
		if !c.Computed() {
			continue
		}
		e, err := compileComputed(t, c, ec)
		if err != nil {
			return nil, err
		}
		out = append(out, Computed{Ordinal: i, Expr: e, Virtual: c.Virtual()})
	}
	return out, nil
}

func compileComputed(t *catalog.Table, c *catalog.Column, ec *types.Context) (expr.Expr, error) {
	e, _, err := buildComputed(t, c, ec)
	if err != nil {
		return nil, err
	}
	return expr.Fold(e), nil
}

// buildComputed makes the expression as it is written.
func buildComputed(t *catalog.Table, c *catalog.Column, ec *types.Context) (expr.Expr, parse.Expr, error) {
	x, err := parseExpression(c.Generated)
	if err != nil {
		return nil, nil, err
	}
	b := &expr.Builder{Text: c.Generated, Types: ec}
	var e expr.Expr
	if c.Virtual() {
		e, err = b.BuildValue(x, tableColumns(t, expr.ClauseIndexExpr))
	} else {
		e, err = b.BuildGenerated(x, tableColumns(t, expr.ClauseGenerated), c.Name, c.Type)
	}
	return e, x, err
}

// RenameInComputed is the text of a computed column's expression with another name for a column, which is "" if it does not mention it.
func RenameInComputed(t *catalog.Table, c *catalog.Column, ordinal int, to string, ec *types.Context) (string, error) {
	e, _, err := buildComputed(t, c, ec)
	if err != nil {
		return "", err
	}
	mentions := false
	e = expr.Rewrite(e, func(x expr.Expr) (expr.Expr, bool) {
		col, ok := x.(*expr.Column)
		if !ok || col.Index != ordinal {
			return nil, false
		}
		mentions = true
		return expr.NewColumn(ordinal, col.Type(), "", to), true
	})
	if !mentions {
		return "", nil
	}
	return expr.DeparseStored(e, false), nil
}

// tableColumns is the scope of an expression over a table's columns.
func tableColumns(t *catalog.Table, clause expr.Clause) *expr.Scope {
	names := &expr.Source{Table: t.Name, Name: t.Name}
	for i := range t.Columns {
		c := &t.Columns[i]
		names.Columns = append(names.Columns, expr.SourceColumn{Name: c.Name, Type: c.Type, Index: i, Dropped: c.Hidden})
	}
	return &expr.Scope{Sources: []*expr.Source{names}, Clause: clause}
}

// ComputedText is the expression of a virtual column as the details of errors name a key.
func ComputedText(t *catalog.Table, c *catalog.Column, ec *types.Context) (string, error) {
	e, x, err := buildComputed(t, c, ec)
	if err != nil {
		return "", err
	}
	text := expr.DeparseStored(e, true)
	if !parse.LooksLikeCall(x) {
		text = "(" + text + ")"
	}
	return text, nil
}

// virtualColumns are the computed columns of a table that are virtual.
func virtualColumns(t *catalog.Table, ec *types.Context) ([]Computed, error) {
	if n := len(t.Visible()); n == len(t.Columns) || !t.Columns[n].Virtual() {
		return nil, nil
	}
	all, err := CompileComputed(t, ec)
	return slices.DeleteFunc(all, func(c Computed) bool { return !c.Virtual }), err
}

// expression is that of a virtual column; nil for any other column.
func (n *Scan) expression(id catalog.ColumnID) expr.Expr {
	for _, c := range n.virtual {
		if n.Table.Columns[c.Ordinal].ID == id {
			return c.Expr
		}
	}
	return nil
}

// overKeys writes the virtual columns of an index's key in place of their expressions.
func (n *Scan) overKeys(x *catalog.Index, exprs []expr.Expr) []expr.Expr {
	if x.Plain() {
		return exprs
	}
	out := make([]expr.Expr, len(exprs))
	for i, e := range exprs {
		out[i] = expr.Rewrite(e, func(e expr.Expr) (expr.Expr, bool) {
			for _, k := range x.Keys {
				if key := n.expression(k.Column); key != nil && expr.Equal(key, e) {
					o := n.Table.Ordinal(k.Column)
					return expr.NewColumn(o, n.Table.Columns[o].Type, "", n.Table.Columns[o].Name), true
				}
			}
			return nil, false
		})
	}
	return out
}

// WantsLiterals reports whether the plan may be another one for other constants: those that indexes are on.
func (p *Plan) WantsLiterals() bool {
	if n, ok := p.Root.(*Insert); ok && n.OnConflict == nil {
		return false
	}
	return slices.ContainsFunc(p.Tables, func(u TableUse) bool {
		return slices.ContainsFunc(u.Table.AllIndexes(), func(x *catalog.Index) bool { return !x.Plain() })
	})
}
