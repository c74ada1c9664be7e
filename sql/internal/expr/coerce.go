package expr

import (
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Pseudo-types that a function's argument may be declared with; see generic.go.
const (
	anyElementOID            types.OID = 2283
	anyArrayOID              types.OID = 2277
	anyNonArrayOID           types.OID = 2776
	anyEnumOID               types.OID = 3500
	anyRangeOID              types.OID = 3831
	anyMultirangeOID         types.OID = 4537
	anyCompatibleOID         types.OID = 5077
	anyCompatibleArrayOID    types.OID = 5078
	anyCompatibleNonArrayOID types.OID = 5079
	anyCompatibleRangeOID    types.OID = 5080
	anyCompatibleMultiOID    types.OID = 4538
)

// castPath is how one type becomes another.
type castPath uint8

const (
	noCast       castPath = iota
	relabelCast           // the same bytes under another type
	functionCast          // a function of pg_cast
	textCast              // through the text form
	arrayCast             // element by element
)

// path finds the cast from source to target that context allows.
func (f *factTables) path(target, source types.OID, context types.CastContext) castPath {
	if target == source {
		return relabelCast
	}
	if c, ok := f.casts[[2]types.OID{source, target}]; ok {
		switch {
		case context < c.context:
			return noCast
		case c.method == 'b':
			return relabelCast
		case c.method == 'i':
			return textCast
		default:
			return functionCast
		}
	}
	targetElem, sourceElem := f.element(target), f.element(source)
	if vector := target == types.Int2VectorOID || target == types.OidVectorOID; !vector && targetElem != 0 && sourceElem != 0 && f.path(targetElem, sourceElem, context) != noCast {
		return arrayCast
	}
	// What has no cast of its own goes through text: into a string type by assignment, out of one when told to.
	if category, _ := f.category(target); category == categoryString && context >= types.CastAssignment {
		return textCast
	}
	if category, _ := f.category(source); category == categoryString && context >= types.CastExplicit {
		return textCast
	}
	return noCast
}

// element is the element type of an array type, 0 for any other.
func (f *factTables) element(t types.OID) types.OID {
	if tf := f.types[t]; tf != nil {
		return tf.elem
	}
	elem, _ := types.Type{OID: t, Mod: -1}.Elem()
	return elem.OID
}

// canCoerce reports whether all inputs can become the targets.
func (f *factTables) canCoerce(inputs, targets []types.OID, context types.CastContext) bool {
	generic := false
	for i, target := range targets {
		input := inputs[i]
		switch {
		case input == target || target == types.AnyOID:
		case isPolymorphic(target):
			generic = true
		case input == types.UnknownOID:
		case f.path(target, input, context) == noCast:
			return false
		}
	}
	return !generic || f.fitsGeneric(inputs, targets)
}

// castVolatility is the volatility of the cast that path found.
func (f *factTables) castVolatility(target, source types.OID, p castPath) Volatility {
	switch p {
	case functionCast:
		return f.casts[[2]types.OID{source, target}].volatility
	case textCast, arrayCast:
		if textDependsOnSession(source) || textDependsOnSession(target) {
			return Stable
		}
	}
	return Immutable
}

// textDependsOnSession: the text forms of these types are read or written by settings of the session, or name objects.
func textDependsOnSession(t types.OID) bool {
	if typ := (types.Type{OID: t, Mod: -1}); typ.IsReg() || typ.IsEnum() {
		return true
	} else if elem, ok := typ.Elem(); ok {
		return textDependsOnSession(elem.OID)
	}
	switch t {
	case types.DateOID, types.TimeOID, types.TimeTZOID, types.TimestampOID, types.TimestampTZOID, types.IntervalOID:
		return true
	}
	return false
}

// coerce makes e a value of type to, by a cast that context allows; pos is where an error points if e has no better place.
// It gives nil without an error if there is no such cast.
func (b *Builder) coerce(e Expr, to types.Type, context types.CastContext) (Expr, error) {
	e, err := b.coerceBase(e, to.Base(), context)
	if e == nil || err != nil {
		return nil, err
	}
	if to.Mod == -1 || to == e.Type() {
		return e, nil
	}
	from := e.Type()
	if c, ok := e.(*Cast); ok && c.typ.Mod == -1 && c.typ.OID == to.OID && !c.relabel && c.Context == context {
		// One step does both.
		return &Cast{Arg: c.Arg, Context: context, typ: to, from: c.from, vol: c.vol}, nil
	}
	return &Cast{Arg: e, Context: context, typ: to, from: from}, nil
}

// coerceBase is coerce to a type without a modifier.
func (b *Builder) coerceBase(e Expr, to types.Type, context types.CastContext) (Expr, error) {
	from := e.Type()
	if from.OID == to.OID || to.OID == types.AnyOID {
		return e, nil
	}
	if from.OID == types.UnknownOID {
		switch x := e.(type) {
		case *Const:
			return b.literal(x, to)
		case *Param:
			return b.Params.decide(b, x, to)
		}
	}
	f := facts()
	p := f.path(to.OID, from.OID, context)
	if p == noCast && from.OID == types.UnknownOID {
		p = textCast
	}
	if p == noCast {
		return nil, nil
	}
	return &Cast{
		Arg: e, Context: context, typ: to, from: from,
		vol:     f.castVolatility(to.OID, from.OID, p),
		relabel: p == relabelCast && from.Kind() == types.KindBytes && to.Kind() == types.KindBytes,
	}, nil
}

// literal gives an untyped literal its type: the type's input function reads it now.
func (b *Builder) literal(c *Const, to types.Type) (Expr, error) {
	if oid, ok := to.EnumOf(); ok {
		b.UserTypes = append(b.UserTypes, oid)
	}
	if c.Value.Null {
		return &Const{Value: c.Value, typ: to, pos: c.pos}, nil
	}
	d, err := types.Input(b.Types, to, c.Value.B)
	if err != nil {
		return nil, b.at(err, c.pos)
	}
	return &Const{Value: d, typ: to, pos: c.pos}, nil
}

// numberedLiteral is the literal of a cast to a type by number, as stored expressions have it: with places for labels.
func (b *Builder) numberedLiteral(x *parse.CastExpr, to types.Type) (Expr, bool) {
	lit, ok := x.X.(*parse.Literal)
	if !ok || lit.Kind != parse.StringLiteral || !to.IsUser() || !strings.HasPrefix(x.Type.Name(), "#") {
		return nil, false
	}
	d, err := types.Input(nil, to, []byte(lit.Text))
	return &Const{Value: d, typ: to, pos: lit.Pos}, err == nil
}

// commonType picks the type that CASE, UNION and the like give their branches, by the rules of PostgreSQL's manual, 10.5.
// If there is none, bad is the index of the input that does not fit what the ones before it chose.
func (f *factTables) commonType(inputs []types.OID) (common types.OID, bad int) {
	common = inputs[0]
	category, preferred := f.category(common)
	for i, t := range inputs[1:] {
		if t == types.UnknownOID || t == common {
			continue
		}
		cat, pref := f.category(t)
		switch {
		case common == types.UnknownOID:
			common, category, preferred = t, cat, pref
		case cat != category:
			return common, i + 1
		case !preferred && f.path(t, common, types.CastImplicit) != noCast && f.path(common, t, types.CastImplicit) == noCast:
			common, category, preferred = t, cat, pref
		}
	}
	if common == types.UnknownOID {
		common = types.TextOID
	}
	return common, -1
}

// Common coerces the branches of a construct to one type and gives it. construct is its name in messages (CASE, UNION), pos
// the byte offset of each branch.
func (b *Builder) Common(construct string, branches []Expr, pos []int) (types.Type, error) {
	f := facts()
	common, bad := f.commonType(oidsOf(branches))
	if bad >= 0 {
		return types.Type{}, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "%s types %s and %s cannot be matched",
			construct, f.format(common), branches[bad].Type().Base().Format()), pos[bad])
	}
	t := types.Type{OID: common, Mod: commonMod(branches, common)}
	for i, e := range branches {
		c, err := b.coerce(e, t.Base(), types.CastImplicit)
		if err != nil {
			return t, err
		}
		if c == nil {
			return t, b.at(sqlerr.New(sqlerr.CannotCoerce, "%s could not convert type %s to %s",
				construct, e.Type().Base().Format(), t.Base().Format()), pos[i])
		}
		branches[i] = c
	}
	return t, nil
}

// commonMod is the modifier that all branches of the type share, else -1.
func commonMod(branches []Expr, t types.OID) int32 {
	mod := int32(-1)
	for i, e := range branches {
		bt := e.Type()
		if bt.OID != t || i > 0 && bt.Mod != mod {
			return -1
		}
		mod = bt.Mod
	}
	return mod
}

func oidsOf(exprs []Expr) []types.OID {
	oids := make([]types.OID, len(exprs))
	for i, e := range exprs {
		oids[i] = e.Type().OID
	}
	return oids
}

// format is the name of a type as messages show it.
func (f *factTables) format(t types.OID) string {
	if typ, ok := types.ByOID(t); ok || typ.IsUser() {
		return typ.Format()
	}
	tf := f.types[t]
	switch {
	case tf == nil:
		return "???"
	case tf.elem != 0:
		return f.format(tf.elem) + "[]"
	default:
		return tf.name
	}
}

// toBool makes e a condition; construct names what needs it in messages.
func (b *Builder) toBool(e Expr, construct string, pos int) (Expr, error) {
	c, err := b.coerce(e, types.Bool, types.CastAssignment)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type boolean, not type %s",
			construct, e.Type().Base().Format()), pos)
	}
	if HasSetCalls(c) {
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must not return a set", construct), pos)
	}
	return c, nil
}
