package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// array makes ARRAY[…]: its elements get one type, by the rules of CASE.
func (b *Builder) array(x *parse.ArrayExpr, s *Scope) (Expr, error) {
	if len(x.Elems) == 0 {
		return nil, b.at(sqlerr.New(sqlerr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."), x.Pos)
	}
	if err := b.refuseNested(x); err != nil {
		return nil, err
	}
	list, err := b.BuildAll(x.Elems, s)
	if err != nil {
		return nil, err
	}
	elem, err := b.Common("ARRAY", list, leftmosts(x.Elems))
	if err != nil {
		return nil, err
	}
	return b.arrayNode(x, list, elem)
}

// arrayAs makes ARRAY[…]::elem[], which casts the elements.
func (b *Builder) arrayAs(x *parse.ArrayExpr, elem types.Type, s *Scope) (Expr, error) {
	if err := b.refuseNested(x); err != nil {
		return nil, err
	}
	list := make([]Expr, len(x.Elems))
	for i, item := range x.Elems {
		e, err := b.Build(item, s)
		if err != nil {
			return nil, err
		}
		c, err := b.coerce(e, elem, types.CastExplicit)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return nil, b.at(sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s",
				e.Type().Base().Format(), elem.Base().Format()), Leftmost(item))
		}
		list[i] = c
	}
	return b.arrayNode(x, list, elem)
}

func (b *Builder) arrayNode(x *parse.ArrayExpr, list []Expr, elem types.Type) (Expr, error) {
	if elem.IsArray() {
		return nil, b.at(errMultiDimensional(), x.Pos)
	}
	array, ok := elem.Array()
	if !ok {
		return nil, b.at(sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", elem.Format()), x.Pos)
	}
	return &Array{Elems: list, typ: array, elem: elem}, nil
}

func (b *Builder) refuseNested(x *parse.ArrayExpr) error {
	for _, item := range x.Elems {
		if _, ok := item.(*parse.ArrayExpr); ok {
			return b.at(errMultiDimensional(), x.Pos)
		}
	}
	return nil
}

// subscript makes x[i], x[a:b] and rows of them.
func (b *Builder) subscript(x *parse.SubscriptExpr, s *Scope) (Expr, error) {
	arg, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	typ := arg.Type()
	if typ.OID == types.JSONBOID {
		return b.jsonSubscript(arg, x, s)
	}
	elem, ok := typ.Elem()
	if typ.OID == types.NameOID {
		elem, ok = types.Char, true
	}
	if !ok {
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting",
			typ.Base().Format()), Leftmost(x.X))
	}
	e := &Subscript{Arg: arg, elem: elem.Base(), typ: elem}
	for _, sub := range x.Subs {
		e.Slice = e.Slice || sub.Slice
	}
	if e.Slice {
		e.typ = typ
	}
	for _, sub := range x.Subs {
		ix, err := b.subscriptIndex(sub, e.Slice, s)
		if err != nil {
			return nil, err
		}
		e.Index = append(e.Index, ix)
	}
	return e, nil
}

// subscriptIndex builds what stands between brackets; among slices [i] means [1:i].
func (b *Builder) subscriptIndex(sub parse.Subscript, slice bool, s *Scope) (ix SubscriptIndex, err error) {
	lower, upper := sub.Lower, sub.Upper
	if !sub.Slice {
		lower, upper = nil, sub.Lower
		if slice {
			ix.Lower = NewConst(types.Int4, types.NewInt(1))
		}
	}
	if lower != nil {
		if ix.Lower, err = b.subscriptBound(lower, s); err != nil {
			return ix, err
		}
	}
	if upper != nil {
		ix.Upper, err = b.subscriptBound(upper, s)
	}
	return ix, err
}

func (b *Builder) subscriptBound(x parse.Expr, s *Scope) (Expr, error) {
	e, err := b.Build(x, s)
	if err != nil {
		return nil, err
	}
	c, err := b.coerce(e, types.Int4, types.CastAssignment)
	if err == nil && c == nil {
		err = b.at(sqlerr.New(sqlerr.DatatypeMismatch, "array subscript must have type integer"), Leftmost(x))
	}
	return c, err
}

// jsonSubscript is the path operator: j['a'][1] is j #> '{a,1}'.
func (b *Builder) jsonSubscript(arg Expr, x *parse.SubscriptExpr, s *Scope) (Expr, error) {
	var path []Expr
	for _, sub := range x.Subs {
		if sub.Slice {
			at := sub.Upper
			if at == nil {
				at = sub.Lower
			}
			pos := x.Pos
			if at != nil {
				pos = Leftmost(at)
			}
			return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "jsonb subscript does not support slices"), pos)
		}
		e, err := b.Build(sub.Lower, s)
		if err != nil {
			return nil, err
		}
		to := types.Text
		if f := facts(); f.path(types.Int4OID, e.Type().OID, types.CastImplicit) != noCast && !e.Type().IsUnknown() {
			if e, err = b.coerce(e, types.Int4, types.CastImplicit); err != nil {
				return nil, err
			}
		} else if f.path(types.TextOID, e.Type().OID, types.CastImplicit) == noCast && !e.Type().IsUnknown() {
			return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "subscript type %s is not supported", e.Type().Base().Format()).
				WithHint("jsonb subscript must be coercible to either integer or text."), Leftmost(sub.Lower))
		}
		if e, err = b.coerce(e, to, types.CastExplicit); err != nil {
			return nil, err
		}
		path = append(path, e)
	}
	list := &Array{Elems: path, typ: types.TextArray, elem: types.Text}
	o := facts().exactOperator("#>", types.JSONBOID, types.TextArray.OID)
	return newCall(o.proc, o, []Expr{arg, list}, types.JSONB), nil
}

// arrayCompare makes left op ANY (array), or ALL, where the array is not written out.
func (b *Builder) arrayCompare(x *parse.AnyAllExpr, left, array Expr) (Expr, error) {
	f := facts()
	right := Expr(NewNull(types.Unknown))
	elem, ok := array.Type().Elem()
	switch {
	case ok:
		right = NewNull(elem.Base())
	case !array.Type().IsUnknown():
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires array on right side"), x.Pos)
	}
	o, err := f.findOperator(x.Op, left, right)
	if err != nil {
		return nil, b.at(err, x.Pos)
	}
	if o.result != types.BoolOID {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean"), x.Pos)
	}
	declared, _, err := f.concrete(oidsOf([]Expr{left, right}), []types.OID{o.left, o.right}, o.result)
	if err != nil {
		return nil, err
	}
	if !o.proc.impl.exists() {
		return nil, b.unsupported("operator "+f.signature(x.Op, o.left, o.right), x.Pos)
	}
	want, err := f.arrayOf(declared[1])
	if err != nil {
		return nil, b.at(err, x.Pos)
	}
	if array.Type().OID == types.Int2VectorOID || array.Type().OID == types.OidVectorOID {
		if declared[1] == elem.OID {
			want = array.Type().OID // its elements need no cast
		}
	}
	args := []Expr{left, array}
	if err := b.coerceArgs(args, []types.OID{declared[0], want}); err != nil {
		return nil, err
	}
	elem, _ = args[1].Type().Elem()
	e := &ArrayCompare{Left: args[0], Array: args[1], All: x.All, oper: o, elem: elem.Base()}
	e.im = o.bound(args[0], NewNull(e.elem))
	return e, nil
}
