package expr

import "minidb/sql/types"

// Implies reports whether a condition that is true makes another one true, as far as that shows: they are the same, compare the same
// value with constants, or one asks for what the other cannot do without. Both must have been folded.
func Implies(cond, then Expr) bool {
	if Equal(cond, then) {
		return true
	}
	if or, ok := cond.(*Or); ok {
		for _, a := range or.Args {
			if !impliesAny(SplitAnd(a), then) {
				return false
			}
		}
		return true
	}
	switch then := then.(type) {
	case *And:
		for _, a := range then.Args {
			if !Implies(cond, a) {
				return false
			}
		}
		return true
	case *Or:
		for _, a := range then.Args {
			if Implies(cond, a) {
				return true
			}
		}
	case *NullTest:
		return then.Not && needsValue(cond, then.Arg)
	}
	c, ok := asBounds(cond)
	if !ok {
		return false
	}
	t, ok := asBounds(then)
	return ok && Equal(c.arg, t.arg) && c.typ == t.typ && c.implies(&t)
}

func impliesAny(conds []Expr, then Expr) bool {
	for _, c := range conds {
		if Implies(c, then) {
			return true
		}
	}
	return false
}

// ImpliesAll reports whether conditions that are all true make another one true.
func ImpliesAll(conds []Expr, then Expr) bool {
	for _, t := range SplitAnd(then) {
		if !impliesAny(conds, t) {
			return false
		}
	}
	return true
}

// needsValue reports whether a condition cannot be true where arg is NULL: it is an operator's, and operators are strict.
func needsValue(cond, arg Expr) bool {
	switch e := cond.(type) {
	case *Call:
		if e.oper == nil {
			return false
		}
		for _, a := range e.Args {
			if Equal(a, arg) || needsValue(a, arg) || isRelabelOf(a, arg) {
				return true
			}
		}
	case *InList:
		return Equal(e.Left, arg) || isRelabelOf(e.Left, arg)
	case *ArrayCompare:
		return !e.All && (Equal(e.Left, arg) || isRelabelOf(e.Left, arg))
	case *Column:
		return Equal(e, arg)
	case *Not:
		return needsValue(e.Arg, arg)
	}
	return false
}

func isRelabelOf(e, arg Expr) bool {
	c, ok := e.(*Cast)
	return ok && c.relabel && Equal(c.Arg, arg)
}

// bounds is a comparison of a value with constants of one type.
type bounds struct {
	arg    Expr
	typ    types.OID // of the constants
	op     string    // = <> < <= > >=; with several constants = means any of them
	values []*Const
}

// asBounds recognises value op constant, value IN (constants) and a bool by itself.
func asBounds(e Expr) (bounds, bool) {
	switch e := e.(type) {
	case *Column:
		return bounds{e, types.BoolOID, "=", []*Const{NewConst(types.Bool, types.NewBool(true))}}, e.typ.OID == types.BoolOID
	case *Not:
		if c, ok := e.Arg.(*Column); ok {
			return bounds{c, types.BoolOID, "=", []*Const{NewConst(types.Bool, types.NewBool(false))}}, true
		}
	case *Call:
		if e.oper == nil || len(e.Args) != 2 {
			return bounds{}, false
		}
		arg, op, c := e.Args[0], e.oper.name, asConst(e.Args[1])
		if c == nil {
			arg, op, c = e.Args[1], e.oper.commutator, asConst(e.Args[0])
		}
		if _, ok := compareOps[op]; c == nil || !ok && op != "<>" {
			return bounds{}, false
		}
		return bounds{arg, c.typ.OID, op, []*Const{c}}, true
	case *InList:
		b := bounds{arg: e.Left, op: e.oper.name}
		if e.All != (b.op == "<>") || b.op != "=" && (b.op != "<>" || len(e.List) != 1) {
			return b, false
		}
		for _, x := range e.List {
			c := asConst(x)
			if c == nil || len(b.values) > 0 && c.typ.OID != b.typ {
				return b, false
			}
			b.typ, b.values = c.typ.OID, append(b.values, c)
		}
		return b, len(b.values) > 0
	}
	return bounds{}, false
}

// asConst is a constant that is not NULL, or nil.
func asConst(e Expr) *Const {
	if c, ok := e.(*Const); ok && !c.Value.Null {
		return c
	}
	return nil
}

// implies reports whether every value that fulfils c fulfils t.
func (c *bounds) implies(t *bounds) bool {
	for _, v := range c.values {
		if !c.impliesOf(v, t) {
			return false
		}
	}
	return true
}

func (c *bounds) impliesOf(v *Const, t *bounds) bool {
	if c.op == "=" {
		for _, w := range t.values {
			if holds(t.op, types.Compare(v.typ, v.Value, w.Value)) {
				return true
			}
		}
		return false
	}
	if c.op == "<>" {
		return t.op == "<>" && types.Compare(v.typ, v.Value, t.values[0].Value) == 0
	}
	if len(t.values) != 1 || t.op == "=" {
		return false
	}
	// What is greater than v lies above w if v does, or is w itself.
	n := types.Compare(v.typ, v.Value, t.values[0].Value)
	if c.op[0] == '<' {
		n = -n
	}
	switch {
	case t.op == "<>":
		return n > 0 || n == 0 && len(c.op) == 1
	case t.op[0] != c.op[0]:
		return false
	}
	return n > 0 || n == 0 && (len(t.op) == 2 || len(c.op) == 1)
}

// holds reports whether a comparison is true of two values that compare as n.
func holds(op string, n int) bool {
	switch op {
	case "=":
		return n == 0
	case "<>":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}
