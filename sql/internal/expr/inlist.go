package expr

import (
	"minidb/sql/types"
)

// setMin is the number of constants from which on a list is searched by a set: below, comparing one by one is as fast.
const setMin = 9

// constSet is the elements of a list of constants of a type whose equality is that of its hash key.
type constSet struct {
	ints    map[int64]struct{}
	texts   map[string]struct{}
	hasNull bool
}

// newConstSet makes the set, or nil if list is short, not constant or of a type where equal values differ in form.
func newConstSet(list []Expr, oper *operator) *constSet {
	if len(list) < setMin || oper.left != oper.right {
		return nil
	}
	s := &constSet{}
	switch oper.left {
	case types.Int2OID, types.Int4OID, types.Int8OID, types.OidOID, types.DateOID, types.TimestampOID, types.TimestampTZOID, anyEnumOID:
		s.ints = make(map[int64]struct{}, len(list))
	case types.TextOID, types.ByteaOID, types.UUIDOID:
		s.texts = make(map[string]struct{}, len(list))
	default:
		return nil
	}
	for _, x := range list {
		c, ok := x.(*Const)
		if !ok {
			return nil
		}
		switch {
		case c.Value.Null:
			s.hasNull = true
		case s.ints != nil:
			s.ints[c.Value.I] = struct{}{}
		default:
			s.texts[string(c.Value.B)] = struct{}{}
		}
	}
	return s
}

func (s *constSet) has(d types.Datum) bool {
	if s.ints != nil {
		_, ok := s.ints[d.I]
		return ok
	}
	_, ok := s.texts[string(d.B)]
	return ok
}

// Eval is the OR (for ALL the AND) of the comparisons.
func (e *InList) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	l, err := e.Left.Eval(ec, row)
	if err != nil {
		return l, err
	}
	if e.set != nil {
		return e.evalSet(l), nil
	}
	// One comparison that gives the decisive value decides; else a NULL among them makes the result NULL.
	null := false
	for _, x := range e.List {
		r, err := x.Eval(ec, row)
		if err != nil {
			return r, err
		}
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

// evalSet: a set is made for = ANY and <> ALL only.
func (e *InList) evalSet(l types.Datum) types.Datum {
	switch {
	case l.Null:
		return types.NullDatum
	case e.set.has(l):
		return types.NewBool(!e.All)
	case e.set.hasNull:
		return types.NullDatum
	default:
		return types.NewBool(e.All)
	}
}

// Eval compares pair by pair until one decides.
func (e *RowCompare) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	for i := range e.Left {
		l, err := e.Left[i].Eval(ec, row)
		if err != nil {
			return l, err
		}
		r, err := e.Right[i].Eval(ec, row)
		if err != nil {
			return r, err
		}
		if l.Null || r.Null {
			return types.NullDatum, nil
		}
		eq, err := e.eq[i].f2(ec, l, r)
		if err != nil {
			return eq, err
		}
		if !eq.Bool() {
			// Of <= and >= the strict form decides between unequal values.
			return e.strict[i].f2(ec, l, r)
		}
	}
	return types.NewBool(e.Op == "<=" || e.Op == ">="), nil
}
