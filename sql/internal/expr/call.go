package expr

import (
	"slices"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// callShape is how a function is called: its name, and what the call says of its arguments.
type callShape struct {
	name, written string   // written is for messages
	names         []string // of the arguments, "" for one by place; nil: all are
	variadic      bool     // the last argument is the variadic array itself
	user          []*proc  // the user's functions of that name
	userOnly      bool     // the name's schema has no other ones
}

// checkArgNames refuses names that come twice and places after names.
func (b *Builder) checkArgNames(x *parse.FuncCall) error {
	named := false
	for i, name := range x.ArgNames {
		switch {
		case name == "" && named:
			return b.at(sqlerr.New(sqlerr.SyntaxError, "positional argument cannot follow named argument"), x.Args[i].Position())
		case name != "" && slices.Contains(x.ArgNames[:i], name):
			return b.at(sqlerr.New(sqlerr.SyntaxError, "argument name %q used more than once", name), b.namePos(name, x.Args[i]))
		}
		named = named || name != ""
	}
	return nil
}

// namePos is the place of the name of an argument: the last one before its value.
func (b *Builder) namePos(name string, value parse.Expr) int {
	pos := min(Leftmost(value), len(b.Text))
	if i := strings.LastIndex(strings.ToLower(b.Text[:pos]), strings.ToLower(name)); i >= 0 {
		return i
	}
	return pos
}

// findFunction chooses a function by the rules of PostgreSQL's manual, 10.3.
func (f *factTables) findFunction(call callShape, args []Expr) (*candidate, error) {
	inputs := oidsOf(args)
	cands := f.functionCandidates(call, len(inputs))
	for i := range cands {
		if slices.Equal(cands[i].args, inputs) {
			return &cands[i], nil
		}
	}
	cands = f.matching(inputs, cands)
	switch len(cands) {
	case 0:
		return nil, noFunction(call.written, args, call.names)
	case 1:
		return &cands[0], nil
	}
	if c := f.choose(inputs, cands); c != nil {
		return c, nil
	}
	return nil, sqlerr.New(sqlerr.AmbiguousFunction, "function %s is not unique", f.namedSignature(call.written, inputs, call.names)).
		WithHint("Could not choose a best candidate function. You might need to add explicit type casts.")
}

// functionCandidates are the functions of a name that take n arguments, with variadic ones spelled out and defaults left
// off.
func (f *factTables) functionCandidates(call callShape, n int) []candidate {
	var cands []candidate
	for _, p := range f.overloads(call) {
		switch {
		case call.names != nil:
			if c, ok := p.named(call.names); ok && p.variadic == 0 {
				cands = append(cands, c)
			}
		case p.variadic != 0 && n >= len(p.args) && !call.variadic:
			args := append([]types.OID(nil), p.args[:len(p.args)-1]...)
			for len(args) < n {
				args = append(args, p.variadic)
			}
			cands = append(cands, candidate{args: args, proc: p, variadic: true})
		case (p.variadic == 0 || call.variadic) && n <= len(p.args) && n >= len(p.args)-p.defaults:
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

// named fits a call with named arguments to a function.
func (p *proc) named(names []string) (candidate, bool) {
	c := candidate{proc: p, places: make([]int, len(names))}
	given := make([]bool, len(p.args))
	for i, name := range names {
		at := i
		if name != "" {
			at = slices.Index(p.argNames, name)
		}
		if at < 0 || at >= len(p.args) || given[at] {
			return c, false
		}
		given[at], c.places[i] = true, at
		c.args = append(c.args, p.args[at])
	}
	// Only the last ones have defaults.
	return c, !slices.Contains(given[:len(p.args)-p.defaults], false)
}

func noFunction(name string, args []Expr, names []string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", facts().namedSignature(name, oidsOf(args), names)).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
}

// checkVariadic refuses VARIADIC before what is no array, where any type would do.
func (b *Builder) checkVariadic(x *parse.FuncCall, c *candidate, args []Expr) error {
	last := len(args) - 1
	if c.proc.variadic != types.AnyOID || args[last].Type().IsArray() || isNullConst(args[last]) {
		return nil
	}
	return b.at(sqlerr.New(sqlerr.DatatypeMismatch, "VARIADIC argument must be an array"), x.Args[last].Position())
}

// spread is the body of a call whose last argument is the variadic array itself: its elements become arguments.
func (p *proc) spread(args []Expr, result types.Type) *impl {
	last := len(args) - 1
	elem, isArray := args[last].Type().Elem()
	if !isArray {
		elem = types.Text
	}
	elem = elem.Base()
	return &impl{fn: func(ec *EvalContext, values []types.Datum) (types.Datum, error) {
		if values[last].Null && p.key != "text_format" {
			return types.NullDatum, nil
		}
		exprs, all := slices.Clone(args[:last]), slices.Clone(values[:last])
		if !values[last].Null {
			for _, d := range values[last].Array(elem).Elems {
				exprs, all = append(exprs, NewNull(elem)), append(all, d)
			}
		}
		body := p.impl.boundTo(exprs, result)
		switch {
		case body.typed != nil:
			return body.typed(ec, exprs, all)
		case body.fn != nil:
			return body.fn(ec, all)
		case body.f2 != nil && len(all) == 2:
			return body.f2(ec, all[0], all[1])
		}
		return types.Datum{}, sqlerr.Unsupported("a VARIADIC argument of function " + p.name)
	}}
}
