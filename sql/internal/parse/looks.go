package parse

// LooksLikeCall reports whether an expression is written as the call of a function, so that as the key of an index it needs no
// parentheses.
func LooksLikeCall(x Expr) bool {
	switch x.(type) {
	case *FuncCall, *CoalesceExpr, *MinMaxExpr, *NullIfExpr, *SQLValueFunc:
		return true
	}
	return false
}
