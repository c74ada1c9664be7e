package expr

import (
	"strconv"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// funcCall makes the call of a function, of an aggregate, or of a type name that casts.
func (b *Builder) funcCall(x *parse.FuncCall, s *Scope) (Expr, error) {
	inner := argumentScope(x, s)
	args, err := b.BuildAll(x.Args, inner)
	if err != nil {
		return nil, err
	}
	f := facts()
	if b.userOnly(x) {
		return b.userOnlyCall(x, args, inner)
	}
	name, written, err := b.functionName(f, x, args)
	if err != nil {
		return nil, err
	}
	if err := b.checkArgNames(x); err != nil {
		return nil, err
	}
	if t := f.castByName(name, args); t != nil && !x.Distinct && x.Filter == nil && x.OrderBy == nil && x.ArgNames == nil {
		return b.castCall(t, args[0], x.Pos)
	}
	if x.WithinGroup && f.procs[name] != nil {
		return b.orderedSet(x, args, inner)
	}
	shape := callShape{name: name, written: written, names: x.ArgNames, variadic: x.Variadic}
	if x.Name.Schema == "" {
		if shape.user, err = b.userProcs("", name); err != nil {
			return nil, err
		}
	}
	c, err := f.findFunction(shape, args)
	if err != nil {
		if e := fieldByCall(x, args); e != nil {
			return e, nil
		}
		if x.OrderBy != nil && isAggregateName(name) {
			if e, ok := sqlerr.As(err); ok && e.Code == sqlerr.UndefinedFunction {
				err = e.WithHint("No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY must appear after all regular arguments of the aggregate.")
			}
		}
		return nil, b.at(err, x.Pos)
	}
	if x.Variadic {
		if err := b.checkVariadic(x, c, args); err != nil {
			return nil, err
		}
	}
	if c.proc.user != nil {
		return b.userCall(x, c, args, s)
	}
	if x.Over != nil {
		return b.windowCall(x, c, args, s)
	}
	if c.proc.kind == 'a' && isOrderedSet(c.proc) {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", c.proc.name), x.Pos)
	}
	if c.proc.kind == 'a' {
		a, err := b.aggregate(x, c, args, inner)
		if err != nil {
			return nil, err
		}
		return b.ownAggregate(a, s)
	}
	if err := b.aggregateClauses(x, c.proc); err != nil {
		return nil, err
	}
	if c.proc.retset || c.proc.impl.setAs != nil {
		return b.finishSet(c, args, s, x.Pos)
	}
	e, err := b.finishCall(c, args, x.Pos, formKeyword(x))
	if call, ok := e.(*Call); ok && x.Variadic && c.proc.variadic != 0 {
		call.im, call.variadic = c.proc.spread(call.Args, call.typ), true
	}
	return e, err
}

// argumentScope is the scope of a call's arguments.
func argumentScope(x *parse.FuncCall, s *Scope) *Scope {
	aggregate := x.Over == nil && isAggregateName(x.Name.Name)
	if !s.topLevel && !aggregate && x.Over == nil {
		return s
	}
	inner := *s
	inner.topLevel = false
	inner.inAggregate = inner.inAggregate || aggregate
	inner.inWindowCall = inner.inWindowCall || x.Over != nil
	return &inner
}

// functionName is the name under which the facts have the function of a call, and the name as it was written.
func (b *Builder) functionName(f *factTables, x *parse.FuncCall, args []Expr) (name, written string, err error) {
	name = x.Name.Name
	schema := x.Name.Schema
	if schema == "" {
		return name, name, nil
	}
	written = schema + "." + name
	if err := b.checkSchema(schema, x.Pos); err != nil {
		return "", "", err
	}
	switch {
	case f.procs[written] != nil:
		return written, written, nil // of information_schema
	case schema != "pg_catalog":
		return "", "", b.at(noFunction(written, args, x.ArgNames), x.Pos)
	}
	return name, written, nil
}

// checkSchema: a schema that does not exist is another error than a function or operator that it does not have.
func (b *Builder) checkSchema(schema string, pos int) error {
	switch {
	case schema == "pg_catalog" || schema == "public" || schema == "information_schema":
		return nil
	case b.SchemaExists != nil && b.SchemaExists(schema):
		return nil
	}
	return b.at(sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", schema), pos)
}

// aggregateClauses refuses what only aggregates may have.
func (b *Builder) aggregateClauses(x *parse.FuncCall, p *proc) error {
	var err *sqlerr.Error
	switch {
	case x.Star:
		err = sqlerr.New(sqlerr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", p.name, p.name)
	case x.Distinct:
		err = sqlerr.New(sqlerr.WrongObjectType, "DISTINCT specified, but %s is not an aggregate function", p.name)
	case x.OrderBy != nil:
		err = sqlerr.New(sqlerr.WrongObjectType, "ORDER BY specified, but %s is not an aggregate function", p.name)
	case x.Filter != nil:
		err = sqlerr.New(sqlerr.WrongObjectType, "FILTER specified, but %s is not an aggregate function", p.name)
	case p.kind == 'w':
		err = sqlerr.New(sqlerr.WrongObjectType, "window function %s requires an OVER clause", p.name)
	default:
		return nil
	}
	return b.at(err, x.Pos)
}

// call makes the call of a function by name.
func (b *Builder) call(name string, args []Expr, pos int) (Expr, error) {
	c, err := facts().findFunction(callShape{name: name, written: name}, args)
	if err != nil {
		return nil, b.at(err, pos)
	}
	return b.finishCall(c, args, pos, "")
}

// defaultArgs are the values of arguments that may be left out, of functions that have such.
var defaultArgs = map[string][]types.Datum{
	"jsonb_set":     {types.NewBool(true)},
	"jsonb_insert":  {types.NewBool(false)},
	"make_interval": {{}, {}, {}, {}, {}, {}, {}},
	"parse_ident":   {types.NewBool(true)},
	// The timeout of 0 is not to wait for the end.
	"pg_terminate_backend": {types.NewInt(0)},

	"json_populate_record":    {types.NewBool(false)},
	"json_populate_recordset": {types.NewBool(false)},
}

// finishCall coerces the arguments to what the chosen function takes.
func (b *Builder) finishCall(c *candidate, args []Expr, pos int, keyword string) (Expr, error) {
	f := facts()
	declared, result, err := f.concrete(oidsOf(args), c.args, c.proc.result)
	if err != nil {
		return nil, err
	}
	switch {
	case c.proc.retset:
		return nil, b.unsupported("set-returning function "+c.proc.name, pos) // of an operator or a construct
	case !c.proc.impl.exists() && f.isCast(c.proc):
		return b.coerce(args[0], types.Type{OID: result, Mod: -1}, types.CastExplicit)
	case !c.proc.impl.exists() || len(args) < len(c.proc.args) && c.proc.variadic == 0 && defaultArgs[c.proc.key] == nil:
		return nil, b.unsupported("function "+f.callSignature(c.proc.name, c.proc.args), pos)
	}
	if err := b.coerceArgs(args, declared); err != nil {
		return nil, err
	}
	call := newCall(c.proc, nil, c.inOrder(args), resultType(result, args))
	call.keyword = keyword
	return call, nil
}

// inOrder puts the arguments of a call to their places and fills in the defaults of those that are missing.
func (c *candidate) inOrder(args []Expr) []Expr {
	missing := len(c.proc.args) - len(args)
	if c.places == nil && (missing <= 0 || c.proc.variadic != 0) {
		return args
	}
	out := make([]Expr, len(c.proc.args))
	for i, a := range args {
		if c.places != nil {
			i = c.places[i]
		}
		out[i] = a
	}
	defaults := defaultArgs[c.proc.key]
	for i := range out {
		if out[i] == nil {
			d := defaults[len(defaults)-len(out)+i]
			out[i] = NewConst(types.Type{OID: c.proc.args[i], Mod: -1}, d)
		}
	}
	return out
}

// finishSet is finishCall of a function that returns a set.
func (b *Builder) finishSet(c *candidate, args []Expr, s *Scope, pos int) (Expr, error) {
	f := facts()
	declared, result, err := f.concrete(oidsOf(args), c.args, c.proc.result)
	if err != nil {
		return nil, err
	}
	if !c.proc.impl.exists() || len(args) < len(c.proc.args) && defaultArgs[c.proc.key] == nil {
		return nil, b.unsupported("function "+f.callSignature(c.proc.name, c.proc.args), pos)
	}
	if err := b.coerceArgs(args, declared); err != nil {
		return nil, err
	}
	return b.setCall(c, c.inOrder(args), result, s, pos)
}

// formKeyword is the construct a call was written as, for texts.
func formKeyword(x *parse.FuncCall) string {
	switch x.Form {
	case parse.ExtractCall:
		return "EXTRACT"
	case parse.PositionCall:
		return "POSITION"
	case parse.OverlayCall:
		return "OVERLAY"
	case parse.SubstringCall:
		return "SUBSTRING"
	case parse.TrimCall:
		return "TRIM"
	case parse.AtTimeZoneCall:
		return "AT TIME ZONE"
	}
	return ""
}

// castByName: a call with one argument whose name is a type's is a cast, if it needs no function: date('2020-01-01').
// A function of that name with just this argument goes first.
func (f *factTables) castByName(name string, args []Expr) *typeFact {
	t := f.typeNames[name]
	if t == nil || t.kind != 'b' || len(args) != 1 || args[0].Type().IsRecord() {
		return nil
	}
	source := args[0].Type().OID
	for _, p := range f.procs[name] {
		if len(p.args) == 1 && p.args[0] == source {
			return nil
		}
	}
	if _, literal := args[0].(*Const); literal && source == types.UnknownOID {
		return t
	}
	switch f.path(t.oid, source, types.CastExplicit) {
	case relabelCast, textCast:
		return t
	}
	return nil
}

func (b *Builder) castCall(t *typeFact, arg Expr, pos int) (Expr, error) {
	to, ok := types.ByOID(t.oid)
	if !ok {
		return nil, b.unsupported("type "+t.name, pos)
	}
	return b.coerce(arg, to, types.CastExplicit)
}

// isCast: functions of one argument that are named like their result's type and make the cast to it.
func (f *factTables) isCast(p *proc) bool {
	return len(p.args) == 1 && f.types[p.result] != nil && f.types[p.result].name == p.name &&
		f.path(p.result, p.args[0], types.CastExplicit) == functionCast
}

// callSignature is a function with its argument types: round(numeric, integer).
func (f *factTables) callSignature(name string, args []types.OID) string {
	return f.namedSignature(name, args, nil)
}

// namedSignature is a call with the types of its arguments and their names, if it has some: make_date(year => integer).
func (f *factTables) namedSignature(name string, args []types.OID, argNames []string) string {
	names := make([]string, len(args))
	for i, t := range args {
		names[i] = f.format(t)
		if argNames != nil && argNames[i] != "" {
			names[i] = argNames[i] + " => " + names[i]
		}
	}
	return name + "(" + strings.Join(names, ", ") + ")"
}

// sqlValue makes the functions that SQL writes without parentheses.
func (b *Builder) sqlValue(x *parse.SQLValueFunc) (Expr, error) {
	v, ok := sqlValues[x.Name]
	if !ok {
		return nil, b.unsupported(strings.ToUpper(x.Name), x.Pos)
	}
	value, typ, keyword := v.value, v.typ, strings.ToUpper(x.Name)
	if x.Precision >= 0 {
		typ.Mod = min(x.Precision, 6)
		keyword += "(" + strconv.Itoa(int(typ.Mod)) + ")"
		value = func(ec *EvalContext) (types.Datum, error) {
			d, err := v.value(ec)
			if err != nil {
				return d, err
			}
			return types.ApplyMod(d, typ, true)
		}
	}
	p := &proc{name: strings.ToLower(keyword), result: typ.OID, kind: 'f', volatility: Stable, strict: true, impl: impl{f0: value}}
	call := newCall(p, nil, nil, typ)
	call.keyword = keyword
	return call, nil
}
