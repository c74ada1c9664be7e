package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Array is ARRAY[…]. Its elements have one type.
type Array struct {
	Elems []Expr
	typ   types.Type
	elem  types.Type
}

// Subscript takes an element, or with Slice a part, out of an array. One-dimensional arrays, which are all there are, give
// NULL for two subscripts and nothing for two slices.
type Subscript struct {
	Arg   Expr
	Index []SubscriptIndex
	Slice bool
	typ   types.Type
	elem  types.Type // of Arg's type
}

// SubscriptIndex is what stands between brackets: Lower is nil in [i], and either is nil where a slice leaves it out.
type SubscriptIndex struct{ Lower, Upper Expr }

// ArrayCompare is Left oper ANY (Array) or, with All, Left oper ALL (Array).
type ArrayCompare struct {
	Left, Array Expr
	All         bool
	oper        *operator
	im          *impl
	elem        types.Type // of Array's type
}

// Type of each node; see Expr.

func (e *Array) Type() types.Type        { return e.typ }
func (e *Subscript) Type() types.Type    { return e.typ }
func (e *ArrayCompare) Type() types.Type { return types.Bool }

func (e *Array) each(f func(*Expr))        { eachOf(e.Elems, f) }
func (e *ArrayCompare) each(f func(*Expr)) { f(&e.Left); f(&e.Array) }
func (e *Subscript) each(f func(*Expr)) {
	f(&e.Arg)
	for i := range e.Index {
		if e.Index[i].Lower != nil {
			f(&e.Index[i].Lower)
		}
		if e.Index[i].Upper != nil {
			f(&e.Index[i].Upper)
		}
	}
}

func (e *Array) clone() Expr { c := *e; c.Elems = append([]Expr(nil), e.Elems...); return &c }
func (e *Subscript) clone() Expr {
	c := *e
	c.Index = append([]SubscriptIndex(nil), e.Index...)
	return &c
}
func (e *ArrayCompare) clone() Expr { c := *e; return &c }

func (e *Array) volatility() Volatility        { return Immutable }
func (e *Subscript) volatility() Volatility    { return Immutable }
func (e *ArrayCompare) volatility() Volatility { return e.oper.proc.volatility }

// Eval makes the array.
func (e *Array) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	elems := make([]types.Datum, len(e.Elems))
	for i, x := range e.Elems {
		var err error
		if elems[i], err = x.Eval(ec, row); err != nil {
			return types.Datum{}, err
		}
	}
	return types.ArrayOf(e.elem, elems), nil
}

// Eval gives NULL for a subscript that is NULL or has no element.
func (e *Subscript) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	d, err := e.Arg.Eval(ec, row)
	if err != nil || d.Null {
		return d, err
	}
	var bounds [2]types.Datum
	for _, ix := range e.Index {
		for i, x := range []Expr{ix.Lower, ix.Upper} {
			if x == nil {
				bounds[i] = types.NullDatum
				continue
			}
			if bounds[i], err = x.Eval(ec, row); err != nil {
				return d, err
			}
			if bounds[i].Null {
				return bounds[i], nil
			}
		}
	}
	if e.Arg.Type().OID == types.NameOID && !e.Slice {
		return nameByte(d, bounds[1].I), nil
	}
	v := d.Array(e.elem)
	switch {
	case len(e.Index) > 1 && e.Slice:
		return types.ArrayOf(e.elem, nil), nil
	case len(e.Index) > 1:
		return types.NullDatum, nil
	case e.Slice:
		return types.ArrayOf(e.elem, slice(v, bounds[0], bounds[1])), nil
	}
	i := bounds[1].I - int64(v.Lower)
	if i < 0 || i >= int64(len(v.Elems)) {
		return types.NullDatum, nil
	}
	return v.Elems[i], nil
}

// nameByte is a byte of a name, which counts from 0 and has zeros behind its text.
func nameByte(d types.Datum, i int64) types.Datum {
	const nameBytes = 64
	switch {
	case i < 0 || i >= nameBytes:
		return types.NullDatum
	case i >= int64(len(d.B)):
		return types.NewBytes([]byte{})
	}
	return types.NewBytes(d.B[i : i+1])
}

// slice gives the elements from lower to upper, both included; NULL stands for the array's own bound.
func slice(v types.ArrayValue, lower, upper types.Datum) []types.Datum {
	lo, hi := int64(0), int64(len(v.Elems))
	if !lower.Null {
		lo = max(lo, lower.I-int64(v.Lower))
	}
	if !upper.Null {
		hi = min(hi, upper.I-int64(v.Lower)+1)
	}
	if lo >= hi {
		return nil
	}
	return v.Elems[lo:hi]
}

// Eval is the OR (for ALL the AND) of the comparisons.
func (e *ArrayCompare) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	l, err := e.Left.Eval(ec, row)
	if err != nil {
		return l, err
	}
	array, err := e.Array.Eval(ec, row)
	if err != nil || array.Null {
		return array, err
	}
	null := false
	for _, r := range array.Array(e.elem).Elems {
		if l.Null || r.Null {
			null = true
			continue
		}
		d, err := e.im.f2(ec, l, r)
		if err != nil {
			return d, err
		}
		if d.Bool() != e.All {
			return d, nil
		}
	}
	if null {
		return types.NullDatum, nil
	}
	return types.NewBool(e.All), nil
}

// asList makes a comparison with a constant array one with a list, which can be searched by a set and by an index; nil if
// that would change its meaning.
func (e *ArrayCompare) asList() Expr {
	c, ok := e.Array.(*Const)
	if !ok {
		return nil
	}
	if c.Value.Null {
		return NewNull(types.Bool)
	}
	v := c.Value.Array(e.elem)
	if len(v.Elems) == 0 {
		return NewConst(types.Bool, types.NewBool(e.All))
	}
	list := &InList{Left: e.Left, All: e.All, oper: e.oper, im: e.im, array: c}
	for _, d := range v.Elems {
		list.List = append(list.List, NewConst(e.elem, d))
	}
	return simplify(list)
}

// errMultiDimensional is the refusal of arrays of arrays.
func errMultiDimensional() *sqlerr.Error {
	return sqlerr.Unsupported("an array of more than one dimension")
}
