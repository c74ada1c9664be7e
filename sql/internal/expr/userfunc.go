package expr

import (
	"slices"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Function is a function that a user made, as calls see it.
type Function struct {
	Name       string
	Args       []types.OID
	ArgNames   []string // as many as Args; "" for none
	Defaults   int      // of the last arguments
	Result     types.OID
	Set        bool
	Strict     bool
	Volatility Volatility
	Columns    []SetColumn // of the rows of RETURNS TABLE
	Body       any         // the planner's
}

// FunctionCall is the call of a user's function: its arguments in the function's order and of its types, nil where a default is meant.
type FunctionCall struct {
	Function *Function
	Args     []Expr
	Pos      int // byte offset
}

// overloads are the functions of a name. A user's function that takes the same as one that is nearer is hidden.
func (f *factTables) overloads(call callShape) []*proc {
	if len(call.user) == 0 {
		return f.procs[call.name]
	}
	var out []*proc
	if !call.userOnly {
		out = slices.Clone(f.procs[call.name])
	}
	for _, p := range call.user {
		if !slices.ContainsFunc(out, func(o *proc) bool { return slices.Equal(o.args, p.args) }) {
			out = append(out, p)
		}
	}
	return out
}

// userProcs are the user's functions that a name may mean, as resolution sees them.
func (b *Builder) userProcs(schema, name string) ([]*proc, error) {
	if b.Functions == nil {
		return nil, nil
	}
	list, err := b.Functions(schema, name)
	var out []*proc
	for _, fn := range list {
		p := &proc{
			name: fn.Name, args: fn.Args, result: fn.Result, kind: 'f', volatility: fn.Volatility, strict: fn.Strict, retset: fn.Set,
			defaults: fn.Defaults, user: fn,
		}
		if slices.ContainsFunc(fn.ArgNames, func(n string) bool { return n != "" }) {
			p.argNames = fn.ArgNames
		}
		out = append(out, p)
	}
	return out, err
}

// userOnly reports whether a call names a schema whose functions are all the user's.
func (b *Builder) userOnly(x *parse.FuncCall) bool {
	return b.Functions != nil && x.Name.Schema != "" && x.Name.Schema != "pg_catalog" && x.Name.Schema != "information_schema"
}

// userOnlyCall makes a call with a schema that has no functions but the user's.
func (b *Builder) userOnlyCall(x *parse.FuncCall, args []Expr, s *Scope) (Expr, error) {
	c, err := b.findUserFunction(x, args)
	if err != nil {
		return nil, err
	}
	return b.userCall(x, c, args, s)
}

func (b *Builder) findUserFunction(x *parse.FuncCall, args []Expr) (*candidate, error) {
	written := x.Name.Schema + "." + x.Name.Name
	if err := b.checkSchema(x.Name.Schema, x.Pos); err != nil {
		return nil, err
	}
	procs, err := b.userProcs(x.Name.Schema, x.Name.Name)
	if err != nil {
		return nil, err
	}
	if len(procs) == 0 {
		return nil, b.at(noFunction(written, args, x.ArgNames), x.Pos)
	}
	if err := b.checkArgNames(x); err != nil {
		return nil, err
	}
	c, err := facts().findFunction(callShape{
		name: x.Name.Name, written: written, names: x.ArgNames, variadic: x.Variadic, user: procs, userOnly: true,
	}, args)
	return c, b.at(err, x.Pos)
}

// userCall makes the call of a user's function that was chosen.
func (b *Builder) userCall(x *parse.FuncCall, c *candidate, args []Expr, s *Scope) (Expr, error) {
	switch {
	case x.Over != nil:
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", c.proc.name), x.Pos)
	case c.proc.retset:
		return nil, b.unsupported("set-returning SQL function "+c.proc.name+" outside of FROM", x.Pos)
	}
	if err := b.aggregateClauses(x, c.proc); err != nil {
		return nil, err
	}
	call, err := b.userArgs(c, args, x.Pos)
	if err != nil {
		return nil, err
	}
	return b.Call(s, call)
}

// userArgs coerces the arguments of a call and puts them to their places.
func (b *Builder) userArgs(c *candidate, args []Expr, pos int) (FunctionCall, error) {
	call := FunctionCall{Function: c.proc.user, Args: make([]Expr, len(c.proc.args)), Pos: pos}
	if err := b.coerceArgs(args, c.args); err != nil {
		return call, err
	}
	for i, a := range args {
		if c.places != nil {
			i = c.places[i]
		}
		call.Args[i] = a
	}
	return call, nil
}

// UserTableCall finds the user's function that a call in FROM means; ok is false if it means another one.
func (b *Builder) UserTableCall(x *parse.FuncCall, s *Scope) (call FunctionCall, ok bool, err error) {
	schema := x.Name.Schema
	if schema == "pg_catalog" || schema == "information_schema" || b.Functions == nil {
		return call, false, nil
	}
	procs, err := b.userProcs(schema, x.Name.Name)
	if len(procs) == 0 || err != nil {
		return call, false, err
	}
	args, err := b.BuildAll(x.Args, s)
	if err != nil {
		return call, false, err
	}
	if err := b.checkArgNames(x); err != nil {
		return call, false, err
	}
	shape := callShape{name: x.Name.Name, written: x.Name.Name, names: x.ArgNames, variadic: x.Variadic, user: procs, userOnly: schema != ""}
	if schema != "" {
		shape.written = schema + "." + shape.name
	}
	c, err := facts().findFunction(shape, args)
	if err != nil {
		return call, false, b.at(err, x.Pos)
	}
	if c.proc.user == nil {
		return call, false, nil
	}
	if err := b.aggregateClauses(x, c.proc); err != nil {
		return call, false, err
	}
	call, err = b.userArgs(c, args, x.Pos)
	return call, true, err
}

// argument is $n in the body of a function.
func (b *Builder) argument(x *parse.ParamRef, s *Scope) (Expr, error) {
	if x.Number < 1 || x.Number > len(b.Arguments.Columns) {
		return nil, b.at(sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", x.Number), x.Pos)
	}
	level := 0
	for s != nil && s.Parent != nil {
		s, level = s.Parent, level+1
	}
	return b.Arguments.Columns[x.Number-1].at(b.Arguments, level, x.Pos), nil
}

// ReturnValue coerces what the body of a function gives to the type that the function returns; ok is false if it does not fit.
func (b *Builder) ReturnValue(e Expr, to types.OID) (_ Expr, ok bool, err error) {
	if e, err = b.Resolve(e); err != nil {
		return nil, false, err
	}
	c, err := b.coerce(e, types.Type{OID: to, Mod: -1}, types.CastAssignment)
	return c, err == nil && c != nil, err
}
