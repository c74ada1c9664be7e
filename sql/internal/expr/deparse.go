package expr

// Deparse gives the expression as SQL text, as PostgreSQL's EXPLAIN and pg_get_expr do: operators in parentheses, constants
// with their types where those are not plain. With qualify, columns carry their table's name.
func Deparse(e Expr, qualify bool) string {
	d := deparser{qualify: qualify}
	d.expr(e)
	return string(d.out)
}
