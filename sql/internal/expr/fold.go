package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Fold computes what does not depend on the row, the parameters or the session: immutable operators, functions and casts of
// constants; it also simplifies AND, OR, NOT, CASE and COALESCE around constants. An evaluation that fails is left for run
// time, where it may turn out not to be needed. The tree given is not changed.
func Fold(e Expr) Expr {
	return (&folder{}).fold(e)
}

// FoldChecked is Fold that also tells of the first evaluation that failed. As in PostgreSQL that is not one of an operand of AND, OR
// or COALESCE behind another that decides, nor one of a branch of CASE that cannot be taken.
func FoldChecked(e Expr) (Expr, error) {
	f := &folder{}
	return f.fold(e), f.failed
}

// ParameterParts adds to parts the expressions of e that are constants once the parameters are known, but for the parameters
// themselves, as far as nothing decides whether they are needed.
func ParameterParts(parts []Expr, e Expr) []Expr {
	switch n := e.(type) {
	case nil, *Param, *Const, *Case:
		return parts
	case *And:
		return ParameterParts(parts, n.Args[0])
	case *Or:
		return ParameterParts(parts, n.Args[0])
	case *Coalesce:
		return ParameterParts(parts, n.Args[0])
	}
	if VolatilityOf(e) == Immutable && !contains(e, needsMoreThanParameters) {
		return append(parts, e)
	}
	e.each(func(place *Expr) { parts = ParameterParts(parts, *place) })
	return parts
}

func needsMoreThanParameters(e Expr) bool {
	switch e.(type) {
	case *Column, *CaseValue, *Case, *Aggregate, *Grouping, *WindowCall, *SetCall, *Subquery:
		return true
	}
	return false
}

type folder struct {
	failed error // of the first evaluation that failed
	muted  int   // in how many operands that do not matter it is
}

func (f *folder) fold(e Expr) Expr {
	if e == nil {
		return nil
	}
	switch c := e.(type) {
	case *Case:
		return f.foldCase(c)
	case *Call:
		if isConcat(c) {
			return f.foldChain(c)
		}
	}
	var operands []Expr
	changed, constant := false, true
	decided := false
	e.each(func(place *Expr) {
		o := f.fold(*place)
		if !decided && decides(e, o) {
			decided = true
			f.muted++
		}
		operands = append(operands, o)
		changed = changed || o != *place
		_, isConst := o.(*Const)
		constant = constant && isConst
	})
	if decided {
		f.muted--
	}
	if changed {
		e = e.clone()
		i := 0
		e.each(func(place *Expr) {
			*place = operands[i]
			i++
		})
		if l, ok := e.(*InList); ok {
			l.set = nil // simplify makes it anew
		}
	}
	if constant && computable(e) {
		if c := f.compute(e); c != nil {
			return c
		}
	}
	return simplify(e)
}

// computable reports whether a node whose operands are constants is one itself.
func computable(e Expr) bool {
	switch e := e.(type) {
	case *Const, *Column, *Param, *CaseValue, *Aggregate, *Grouping, *WindowCall, *SetCall, *Subquery, *Record:
		return false
	default:
		return e.volatility() == Immutable
	}
}

func (f *folder) compute(e Expr) Expr {
	d, err := e.Eval(&EvalContext{}, nil)
	if err != nil {
		// An immutable function may look into the catalog, which is not there yet; it tells so by an internal error.
		if f.failed == nil && f.muted == 0 && sqlerr.CodeOf(err) != sqlerr.InternalError {
			f.failed = err
		}
		return nil
	}
	return NewConst(e.Type(), d.Clone())
}

// decides reports whether an operand makes those behind it in e matter no more.
func decides(e, operand Expr) bool {
	c, ok := operand.(*Const)
	if !ok || c.Value.Null {
		return false
	}
	switch e.(type) {
	case *And:
		return !c.Value.Bool()
	case *Or:
		return c.Value.Bool()
	case *Coalesce:
		return true
	}
	return false
}

// simplify takes constants out of AND, OR and COALESCE, and prepares lists for searching.
func simplify(e Expr) Expr {
	switch e := e.(type) {
	case *And:
		return simplifyLogic(e.Args, true)
	case *Or:
		return simplifyLogic(e.Args, false)
	case *Not:
		return negate(e)
	case *Coalesce:
		return simplifyCoalesce(e)
	case *ArrayCompare:
		if list := e.asList(); list != nil {
			return list
		}
	case *InList:
		if set := newConstSet(e.List, e.oper); set != nil && e.set == nil {
			c := *e
			c.set = set
			return &c
		}
	case *Call:
		// A strict function of NULL is NULL, whatever its other arguments are.
		if e.proc.strict && e.proc.kind == 'f' {
			for _, a := range e.Args {
				if isNullConst(a) {
					return NewNull(e.typ)
				}
			}
		}
	}
	return e
}

// simplifyLogic: neutral is the value that changes nothing, its opposite decides.
func simplifyLogic(args []Expr, neutral bool) Expr {
	var kept []Expr
	null := false
	for _, a := range args {
		c, ok := a.(*Const)
		switch {
		case !ok:
			kept = append(kept, flatten(a, neutral)...)
		case c.Value.Null:
			null = true
		case c.Value.Bool() != neutral:
			return c
		}
	}
	if null {
		kept = append(kept, NewNull(types.Bool))
	}
	switch {
	case len(kept) == 0:
		return NewConst(types.Bool, types.NewBool(neutral))
	case len(kept) == 1:
		return kept[0]
	case neutral:
		return &And{kept}
	default:
		return &Or{kept}
	}
}

// flatten takes an AND inside an AND, or an OR inside an OR, apart.
func flatten(e Expr, isAnd bool) []Expr {
	switch e := e.(type) {
	case *And:
		if isAnd {
			return e.Args
		}
	case *Or:
		if !isAnd {
			return e.Args
		}
	}
	return []Expr{e}
}

// negate pushes NOT down: to the operator's negator, over AND and OR, into tests.
func negate(n *Not) Expr {
	switch a := n.Arg.(type) {
	case *Not:
		return a.Arg
	case *NullTest:
		if a.Fields {
			return n
		}
		return &NullTest{Arg: a.Arg, Not: !a.Not}
	case *BoolTest:
		// The tests come in pairs of opposites.
		return &BoolTest{Arg: a.Arg, Test: a.Test ^ 1}
	case *Call:
		if o := negator(a.oper); o != nil {
			return newCall(o.proc, o, a.Args, a.typ)
		}
	case *InList:
		if o := negator(a.oper); o != nil {
			return simplify(&InList{Left: a.Left, List: a.List, All: !a.All, oper: o, im: o.bound(a.Left, a.List[0])})
		}
	case *And:
		return simplifyLogic(negateAll(a.Args), false)
	case *Or:
		return simplifyLogic(negateAll(a.Args), true)
	}
	return n
}

func negateAll(args []Expr) []Expr {
	out := make([]Expr, len(args))
	for i, a := range args {
		if c, ok := a.(*Const); ok {
			out[i] = c
			if !c.Value.Null {
				out[i] = NewConst(types.Bool, types.NewBool(!c.Value.Bool()))
			}
			continue
		}
		out[i] = negate(&Not{a})
	}
	return out
}

func negator(o *operator) *operator {
	if o == nil || o.negator == "" {
		return nil
	}
	n := facts().exactOperator(o.negator, o.left, o.right)
	if n == nil || !n.proc.impl.exists() {
		return nil
	}
	return n
}

// simplifyCoalesce drops NULLs and what follows a constant.
func simplifyCoalesce(e *Coalesce) Expr {
	var kept []Expr
	for _, a := range e.Args {
		c, ok := a.(*Const)
		if ok && c.Value.Null {
			continue
		}
		kept = append(kept, a)
		if ok {
			break
		}
	}
	switch {
	case len(kept) == 0:
		return NewNull(e.typ)
	case len(kept) == 1 && kept[0].Type() == e.typ:
		return kept[0]
	case len(kept) == len(e.Args):
		return e
	default:
		return &Coalesce{Args: kept, typ: e.typ}
	}
}

// foldCase folds branch by branch, so that a branch that is not taken is dropped before it could be computed.
func (f *folder) foldCase(e *Case) Expr {
	c := &Case{typ: e.typ, Arg: f.fold(e.Arg)}
	// In conditions the value of a constant Arg takes the place of the CaseValue.
	replace := func(x Expr) Expr { return x }
	if value, ok := c.Arg.(*Const); ok {
		replace = func(x Expr) Expr { return replaceCaseValue(x, value) }
		c.Arg = nil
	}
	for _, w := range e.Whens {
		cond := f.fold(replace(w.Cond))
		if v, ok := cond.(*Const); ok {
			if v.Value.Null || !v.Value.Bool() {
				continue
			}
			c.Else = f.fold(w.Result)
			break
		}
		c.Whens = append(c.Whens, When{cond, f.fold(w.Result)})
	}
	if c.Else == nil {
		c.Else = f.fold(e.Else)
	}
	if len(c.Whens) == 0 && c.Else.Type() == e.typ {
		return c.Else
	}
	if len(c.Whens) == 0 {
		c.Arg = nil
	}
	return c
}

// replaceCaseValue leaves the conditions of Cases inside alone: their CaseValues are their own.
func replaceCaseValue(e Expr, value *Const) Expr {
	return Rewrite(e, func(n Expr) (Expr, bool) {
		switch n := n.(type) {
		case *CaseValue:
			return value, true
		case *Case:
			if n.Arg != nil {
				return &Case{Arg: replaceCaseValue(n.Arg, value), Whens: n.Whens, Else: n.Else, typ: n.typ}, true
			}
		}
		return nil, false
	})
}
