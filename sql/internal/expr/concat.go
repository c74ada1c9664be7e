package expr

import "minidb/sql/types"

// A chain a || b || c || … is a tree that leans to the left. Evaluated step by step it would copy its beginning once for every
// operator, which for a chain of many thousand takes its square in time; so chains are taken as a whole.

// isConcat reports whether e is text || text.
func isConcat(e Expr) bool {
	c, ok := e.(*Call)
	return ok && c.oper != nil && c.proc.concat
}

// chain gives the operators of a chain, the outermost first.
func (e *Call) chain() []*Call {
	nodes := []*Call{e}
	for isConcat(nodes[len(nodes)-1].Args[0]) {
		nodes = append(nodes, nodes[len(nodes)-1].Args[0].(*Call))
	}
	return nodes
}

// evalChain evaluates all operands from the left and joins them once; a NULL among them makes the result NULL.
func (e *Call) evalChain(ec *EvalContext, row Row) (types.Datum, error) {
	base := len(ec.stack)
	defer func() { ec.stack = ec.stack[:base] }()
	null, size := false, 0
	add := func(x Expr) error {
		d, err := x.Eval(ec, row)
		if err != nil {
			return err
		}
		null = null || d.Null
		size += len(d.B)
		ec.stack = append(ec.stack, d)
		return nil
	}
	nodes := e.chain()
	if err := add(nodes[len(nodes)-1].Args[0]); err != nil {
		return types.Datum{}, err
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if err := add(nodes[i].Args[1]); err != nil {
			return types.Datum{}, err
		}
	}
	switch {
	case null:
		return types.NullDatum, nil
	case size > maxTextBytes:
		return types.Datum{}, tooLarge()
	}
	out := make([]byte, 0, size)
	for _, d := range ec.stack[base:] {
		out = append(out, d.B...)
	}
	return types.NewBytes(out), nil
}

// foldChain folds the operands; the constants that a chain begins with become one.
func (f *folder) foldChain(e *Call) Expr {
	join := func(l, r Expr) *Call {
		c := *e
		c.Args = []Expr{l, r}
		return &c
	}
	nodes := e.chain()
	left := f.fold(nodes[len(nodes)-1].Args[0])
	_, constant := left.(*Const)
	pending := 0 // constants joined to left that are not computed yet
	compute := func() {
		if pending > 0 {
			if c := f.compute(left); c != nil {
				left = c
			}
		}
		pending = 0
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		right := f.fold(nodes[i].Args[1])
		if _, ok := right.(*Const); ok && constant {
			left = join(left, right)
			pending++
			continue
		}
		compute()
		constant = false
		left = simplify(join(left, right))
	}
	compute()
	return left
}
