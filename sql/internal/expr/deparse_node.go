package expr

// deparser writes an expression.
type deparser struct {
	out     []byte
	qualify bool
}

func (d *deparser) expr(e Expr) {}
