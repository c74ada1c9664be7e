package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Eval of each node; see Expr.

// Eval gives the constant.
func (e *Const) Eval(*EvalContext, Row) (types.Datum, error) { return e.Value, nil }

// Eval reads the row.
func (e *Column) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	if e.Level > 0 {
		row = ec.Outer[len(ec.Outer)-e.Level]
	}
	return row.Datum(e.Index), nil
}

// Eval reads the parameters.
func (e *Param) Eval(ec *EvalContext, _ Row) (types.Datum, error) {
	if e.Number > len(ec.Params) {
		return types.Datum{}, sqlerr.New(sqlerr.UndefinedObject, "no value found for parameter %d", e.Number)
	}
	return ec.Params[e.Number-1], nil
}

// Eval reads what the Case left for it.
func (e *CaseValue) Eval(ec *EvalContext, _ Row) (types.Datum, error) { return ec.caseValue, nil }

// Eval casts; NULL stays NULL.
func (e *Cast) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	d, err := e.Arg.Eval(ec, row)
	if err != nil || d.Null || e.relabel {
		return d, err
	}
	return types.Cast(ec.Types, d, e.from, e.typ, e.Context)
}

// Eval calls the function. If it is strict and an argument is NULL, the result is NULL without a call; all arguments are
// evaluated first, so that their errors show.
func (e *Call) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	im := e.im
	switch {
	case im.f2 != nil:
		if isConcat(e) && isConcat(e.Args[0]) {
			return e.evalChain(ec, row)
		}
		return e.eval2(ec, row)
	case im.f1 != nil:
		a, err := e.Args[0].Eval(ec, row)
		if err != nil || a.Null && e.proc.strict {
			return a, err
		}
		return im.f1(ec, a)
	case im.f0 != nil:
		return im.f0(ec)
	case im.f3 != nil:
		return e.eval3(ec, row)
	default:
		return e.evalN(ec, row)
	}
}

func (e *Call) eval2(ec *EvalContext, row Row) (types.Datum, error) {
	a, err := e.Args[0].Eval(ec, row)
	if err != nil {
		return a, err
	}
	b, err := e.Args[1].Eval(ec, row)
	if err != nil {
		return b, err
	}
	if e.proc.strict && (a.Null || b.Null) {
		return types.NullDatum, nil
	}
	return e.im.f2(ec, a, b)
}

func (e *Call) eval3(ec *EvalContext, row Row) (types.Datum, error) {
	a, err := e.Args[0].Eval(ec, row)
	if err != nil {
		return a, err
	}
	b, err := e.Args[1].Eval(ec, row)
	if err != nil {
		return b, err
	}
	c, err := e.Args[2].Eval(ec, row)
	if err != nil {
		return c, err
	}
	if e.proc.strict && (a.Null || b.Null || c.Null) {
		return types.NullDatum, nil
	}
	return e.im.f3(ec, a, b, c)
}

// evalN keeps the arguments on the context's stack: calls inside the arguments put theirs above and take them off again.
func (e *Call) evalN(ec *EvalContext, row Row) (types.Datum, error) {
	base := len(ec.stack)
	defer func() { ec.stack = ec.stack[:base] }()
	null := false
	for _, x := range e.Args {
		d, err := x.Eval(ec, row)
		if err != nil {
			return d, err
		}
		null = null || d.Null
		ec.stack = append(ec.stack, d)
	}
	if null && e.proc.strict {
		return types.NullDatum, nil
	}
	args := ec.stack[base:]
	if im := e.im; im.fn != nil {
		return im.fn(ec, args)
	}
	return e.im.typed(ec, e.Args, args)
}

// Eval stops at the first false.
func (e *And) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	result := types.NewBool(true)
	for _, x := range e.Args {
		d, err := x.Eval(ec, row)
		switch {
		case err != nil:
			return d, err
		case d.Null:
			result = types.NullDatum
		case !d.Bool():
			return d, nil
		}
	}
	return result, nil
}

// Eval stops at the first true.
func (e *Or) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	result := types.NewBool(false)
	for _, x := range e.Args {
		d, err := x.Eval(ec, row)
		switch {
		case err != nil:
			return d, err
		case d.Null:
			result = types.NullDatum
		case d.Bool():
			return d, nil
		}
	}
	return result, nil
}

// Eval negates; NULL stays NULL.
func (e *Not) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	d, err := e.Arg.Eval(ec, row)
	if err != nil || d.Null {
		return d, err
	}
	return types.NewBool(!d.Bool()), nil
}

// Eval is never NULL.
func (e *NullTest) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	d, err := e.Arg.Eval(ec, row)
	if err != nil {
		return d, err
	}
	if !e.Fields || d.Null {
		return types.NewBool(d.Null != e.Not), nil
	}
	_, values := d.Record()
	for _, v := range values {
		if v.Null == e.Not {
			return types.NewBool(false), nil
		}
	}
	return types.NewBool(true), nil
}

// Eval is never NULL.
func (e *BoolTest) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	d, err := e.Arg.Eval(ec, row)
	if err != nil {
		return d, err
	}
	isTrue, isFalse := !d.Null && d.Bool(), !d.Null && !d.Bool()
	switch e.Test {
	case IsTrue:
		return types.NewBool(isTrue), nil
	case IsNotTrue:
		return types.NewBool(!isTrue), nil
	case IsFalse:
		return types.NewBool(isFalse), nil
	case IsNotFalse:
		return types.NewBool(!isFalse), nil
	case IsUnknown:
		return types.NewBool(d.Null), nil
	default:
		return types.NewBool(!d.Null), nil
	}
}

// Eval is never NULL.
func (e *Distinct) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	l, err := e.Left.Eval(ec, row)
	if err != nil {
		return l, err
	}
	r, err := e.Right.Eval(ec, row)
	if err != nil {
		return r, err
	}
	same := l.Null && r.Null
	if !l.Null && !r.Null {
		eq, err := e.eq.im.f2(ec, l, r)
		if err != nil {
			return eq, err
		}
		same = eq.Bool()
	}
	return types.NewBool(same == e.Not), nil
}

// Eval compares only if neither is NULL.
func (e *NullIf) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	l, err := e.Left.Eval(ec, row)
	if err != nil {
		return l, err
	}
	r, err := e.Right.Eval(ec, row)
	if err != nil {
		return r, err
	}
	if l.Null || r.Null {
		return l, nil
	}
	eq, err := e.eq.im.f2(ec, l, r)
	if err != nil {
		return eq, err
	}
	if eq.Bool() {
		return types.NullDatum, nil
	}
	return l, nil
}

// Eval evaluates conditions up to the first true one, and that one's result only.
func (e *Case) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	result, err := e.pick(ec, row)
	if err != nil {
		return types.Datum{}, err
	}
	return result.Eval(ec, row)
}

// pick finds the result to evaluate.
func (e *Case) pick(ec *EvalContext, row Row) (Expr, error) {
	if e.Arg != nil {
		d, err := e.Arg.Eval(ec, row)
		if err != nil {
			return nil, err
		}
		// A Case inside of a condition puts its own value here and restores this one.
		saved := ec.caseValue
		ec.caseValue = d
		defer func() { ec.caseValue = saved }()
	}
	for i := range e.Whens {
		d, err := e.Whens[i].Cond.Eval(ec, row)
		if err != nil {
			return nil, err
		}
		if !d.Null && d.Bool() {
			return e.Whens[i].Result, nil
		}
	}
	return e.Else, nil
}

// Eval stops at the first value.
func (e *Coalesce) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	for _, x := range e.Args {
		d, err := x.Eval(ec, row)
		if err != nil || !d.Null {
			return d, err
		}
	}
	return types.NullDatum, nil
}

// Eval evaluates all.
func (e *MinMax) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	best := types.NullDatum
	for _, x := range e.Args {
		d, err := x.Eval(ec, row)
		if err != nil {
			return d, err
		}
		if d.Null {
			continue
		}
		if best.Null {
			best = d
			continue
		}
		// Of equal values the first stays.
		if c := types.Compare(e.typ, d, best); c < 0 && e.Least || c > 0 && !e.Least {
			best = d
		}
	}
	return best, nil
}

// Eval hands over to the executor.
func (e *Subquery) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	if ec.Subquery == nil {
		return types.Datum{}, sqlerr.Internal("no evaluation of subqueries here")
	}
	return ec.Subquery(ec, e, row)
}

// Holds evaluates a condition: NULL counts as false, as in WHERE.
func Holds(ec *EvalContext, e Expr, row Row) (bool, error) {
	d, err := e.Eval(ec, row)
	return err == nil && !d.Null && d.Bool(), err
}
