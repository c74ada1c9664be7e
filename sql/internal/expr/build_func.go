package expr

import (
	"slices"
	"strconv"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// funcCall makes the call of a function, of an aggregate, or of a type name that casts.
func (b *Builder) funcCall(x *parse.FuncCall, s *Scope) (Expr, error) {
	name := x.Name.Name
	inner := s
	if s.topLevel {
		scope := *s
		scope.topLevel = false
		inner = &scope
	}
	if isAggregateName(name) && x.Over == nil {
		if err := b.allowAggregate(x, s); err != nil {
			return nil, err
		}
		scope := *s
		scope.inAggregate, scope.topLevel = true, false
		inner = &scope
	}
	args, err := b.BuildAll(x.Args, inner)
	if err != nil {
		return nil, err
	}
	written := name
	if schema := x.Name.Schema; schema != "" {
		written = schema + "." + name
		if err := b.checkSchema(schema, x.Pos); err != nil {
			return nil, err
		}
		if schema != "pg_catalog" {
			return nil, b.at(noFunction(written, args), x.Pos)
		}
	}
	f := facts()
	if t := f.castByName(name, args); t != nil && !x.Distinct && x.Filter == nil && x.OrderBy == nil {
		return b.castCall(t, args[0], x.Pos)
	}
	if x.WithinGroup && f.procs[name] != nil {
		return b.orderedSet(x, args, inner)
	}
	c, err := f.findFunction(name, written, args)
	if err != nil {
		if x.OrderBy != nil && isAggregateName(name) {
			if e, ok := sqlerr.As(err); ok && e.Code == sqlerr.UndefinedFunction {
				err = e.WithHint("No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY must appear after all regular arguments of the aggregate.")
			}
		}
		return nil, b.at(err, x.Pos)
	}
	if err := b.refuseCall(x); err != nil {
		return nil, err
	}
	if x.Over != nil {
		return b.windowCall(x, c, args, s)
	}
	if c.proc.kind == 'a' && isOrderedSet(c.proc) {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", c.proc.name), x.Pos)
	}
	if c.proc.kind == 'a' {
		return b.aggregate(x, c, args, inner)
	}
	if err := b.aggregateClauses(x, c.proc); err != nil {
		return nil, err
	}
	if c.proc.retset {
		return b.finishSet(c, args, s, x.Pos)
	}
	return b.finishCall(c, args, x.Pos, formKeyword(x))
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

// refuseCall refuses the shapes of calls that minidb does not have.
func (b *Builder) refuseCall(x *parse.FuncCall) error {
	switch {
	case x.ArgNames != nil:
		return b.unsupported("a named argument", x.Pos)
	case x.Variadic:
		return b.unsupported("a VARIADIC argument", x.Pos)
	}
	return nil
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
	c, err := facts().findFunction(name, name, args)
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
	if missing := len(c.proc.args) - len(args); missing > 0 && c.proc.variadic == 0 {
		defaults := defaultArgs[c.proc.key]
		for i, d := range defaults[len(defaults)-missing:] {
			args = append(args, NewConst(types.Type{OID: c.proc.args[len(c.proc.args)-missing+i], Mod: -1}, d))
		}
	}
	call := newCall(c.proc, nil, args, resultType(result, args))
	call.keyword = keyword
	return call, nil
}

// finishSet is finishCall of a function that returns a set.
func (b *Builder) finishSet(c *candidate, args []Expr, s *Scope, pos int) (Expr, error) {
	f := facts()
	declared, result, err := f.concrete(oidsOf(args), c.args, c.proc.result)
	if err != nil {
		return nil, err
	}
	if !c.proc.impl.exists() {
		return nil, b.unsupported("function "+f.callSignature(c.proc.name, c.proc.args), pos)
	}
	if err := b.coerceArgs(args, declared); err != nil {
		return nil, err
	}
	return b.setCall(c, args, result, s, pos)
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
	if t == nil || t.kind != 'b' || len(args) != 1 {
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

// findFunction chooses a function by the rules of PostgreSQL's manual, 10.3. written is the name for messages.
func (f *factTables) findFunction(name, written string, args []Expr) (*candidate, error) {
	inputs := oidsOf(args)
	cands := f.functionCandidates(name, len(inputs))
	for i := range cands {
		if slices.Equal(cands[i].args, inputs) {
			return &cands[i], nil
		}
	}
	cands = f.matching(inputs, cands)
	switch len(cands) {
	case 0:
		return nil, noFunction(written, args)
	case 1:
		return &cands[0], nil
	}
	if c := f.choose(inputs, cands); c != nil {
		return c, nil
	}
	return nil, sqlerr.New(sqlerr.AmbiguousFunction, "function %s is not unique", f.callSignature(written, inputs)).
		WithHint("Could not choose a best candidate function. You might need to add explicit type casts.")
}

// functionCandidates are the functions of a name that take n arguments, with variadic ones spelled out and defaults left
// off.
func (f *factTables) functionCandidates(name string, n int) []candidate {
	var cands []candidate
	for _, p := range f.procs[name] {
		switch {
		case p.variadic != 0 && n >= len(p.args):
			args := append([]types.OID(nil), p.args[:len(p.args)-1]...)
			for len(args) < n {
				args = append(args, p.variadic)
			}
			cands = append(cands, candidate{args: args, proc: p, variadic: true})
		case p.variadic == 0 && n <= len(p.args) && n >= len(p.args)-p.defaults:
			cands = append(cands, candidate{args: p.args[:n], proc: p})
		}
	}
	// Of two that take the same, the one that is not variadic, else the one that needs no defaults.
	return keep(cands, func(c *candidate) bool {
		return !slices.ContainsFunc(cands, func(o candidate) bool {
			if o.proc == c.proc || !slices.Equal(o.args, c.args) {
				return false
			}
			return c.variadic && !o.variadic || c.variadic == o.variadic && len(o.proc.args) < len(c.proc.args)
		})
	})
}

func noFunction(name string, args []Expr) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", facts().callSignature(name, oidsOf(args))).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
}

// callSignature is a function with its argument types: round(numeric, integer).
func (f *factTables) callSignature(name string, args []types.OID) string {
	names := make([]string, len(args))
	for i, t := range args {
		names[i] = f.format(t)
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
