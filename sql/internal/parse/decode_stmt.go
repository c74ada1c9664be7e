package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
)

// query decodes a SELECT into the node its first field names.
func (d *decoder) query(n ast.Node) *SelectStmt {
	sel, ok := n.(*ast.SelectStmt)
	if !ok || sel.Fields == nil || len(sel.Fields.Fields) == 0 {
		bug("a %T where a SELECT was written", n)
	}
	fields := sel.Fields.Fields
	mark, ok := fields[0].Expr.(*ast.FuncCallExpr)
	if !ok {
		bug("a SELECT without its marker")
	}
	q := note[*draft](d, mark.FnName.O)
	s := q.stmt
	if sel.With != nil {
		d.with(s.With, sel.With)
	}
	args := d.exprs(mark.Args)
	if q.body != nil {
		q.body(args)
	} else {
		d.clause(s.Body.(*SelectClause), args, sel)
	}
	if sel.OrderBy != nil {
		for _, item := range sel.OrderBy.Items {
			d.fill(item.Expr)
		}
	}
	return s
}

func (d *decoder) clause(c *SelectClause, distinctOn []Expr, sel *ast.SelectStmt) {
	c.DistinctOn = distinctOn
	for i, f := range sel.Fields.Fields[1:] {
		c.Targets[i].Expr = d.expr(f.Expr)
	}
	if sel.From != nil {
		c.From = d.from(sel.From.TableRefs, c.From)
	}
	c.Where = d.optional(sel.Where)
	if sel.GroupBy != nil {
		for _, item := range sel.GroupBy.Items {
			c.GroupBy = append(c.GroupBy, d.expr(item.Expr))
		}
	}
}

// from decodes the list of FROM: TiDB joins its items from the left, without a
// condition; the joins that were written have one.
func (d *decoder) from(n ast.ResultSetNode, list []TableExpr) []TableExpr {
	if j, ok := n.(*ast.Join); ok && j.On == nil {
		list = d.from(j.Left, list)
		if j.Right != nil {
			list = d.from(j.Right, list)
		}
		return list
	}
	return append(list, d.table(n))
}

func (d *decoder) table(n ast.ResultSetNode) TableExpr {
	switch n := n.(type) {
	case *ast.Join:
		if n.On == nil && n.Right == nil {
			return d.table(n.Left)
		}
		if n.On == nil {
			bug("a join without its marker")
		}
		mark, ok := n.On.Expr.(*ast.FuncCallExpr)
		if !ok {
			bug("a join without its marker")
		}
		j := note[*JoinExpr](d, mark.FnName.O)
		j.Left, j.Right = d.table(n.Left), d.table(n.Right)
		if len(mark.Args) == 1 {
			j.On = d.expr(mark.Args[0])
		}
		return j
	case *ast.TableSource:
		if name, ok := n.Source.(*ast.TableName); ok {
			return note[*TableRef](d, name.Name.O)
		}
		switch t := d.noteOf(n.AsName.O).(type) {
		case *SubqueryTable:
			d.query(n.Source)
			return t
		case *FuncTable:
			if t.Rows == nil {
				t.Func = d.single(n.Source)
				return t
			}
			sel, ok := n.Source.(*ast.SelectStmt)
			if !ok || len(sel.Fields.Fields) != len(t.Rows) {
				bug("ROWS FROM does not fit its functions")
			}
			for i, f := range sel.Fields.Fields {
				t.Rows[i].Func = d.expr(f.Expr)
			}
			return t
		}
		bug("a table without its marker")
	}
	bug("unexpected %T in FROM", n)
	return nil
}

// single decodes SELECT x, which carries one expression.
func (d *decoder) single(n ast.Node) Expr {
	sel, ok := n.(*ast.SelectStmt)
	if !ok || len(sel.Fields.Fields) != 1 {
		bug("a %T where one expression was written", n)
	}
	return d.expr(sel.Fields.Fields[0].Expr)
}

// with decodes the queries of WITH. Those that may change data are units of their
// own, and have SELECT 1 here.
func (d *decoder) with(w *With, n *ast.WithClause) {
	if w == nil || len(w.CTEs) != len(n.CTEs) {
		bug("WITH does not fit its query")
	}
	for _, c := range n.CTEs {
		if sel, ok := c.Query.Query.(*ast.SelectStmt); ok && len(sel.Fields.Fields) == 1 {
			if _, ok := sel.Fields.Fields[0].Expr.(*valueExpr); ok {
				continue
			}
		}
		d.query(c.Query.Query)
	}
}

// withUnit decodes WITH … SELECT 1, the WITH clause of an INSERT, UPDATE or DELETE.
func (d *decoder) withUnit(w *With, n ast.StmtNode) {
	sel, ok := n.(*ast.SelectStmt)
	if !ok || sel.With == nil {
		bug("a %T where WITH was written", n)
	}
	d.with(w, sel.With)
}
