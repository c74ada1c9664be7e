package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func (b *Builder) binary(x *parse.BinaryExpr, s *Scope) (Expr, error) {
	l, lrow := x.L.(*parse.RowExpr)
	r, rrow := x.R.(*parse.RowExpr)
	if lrow && rrow {
		return b.rowCompare(x, l, r, s)
	}
	if sub, ok := x.R.(*parse.SubqueryExpr); ok && lrow {
		left, err := b.rowArgs(l.Args, s)
		if err != nil {
			return nil, err
		}
		return b.subquery(s, SubqueryRequest{Kind: CompareSubquery, Query: sub.Query, Left: left, Op: x.Op, Pos: x.Pos})
	}
	left, err := b.Build(x.L, s)
	if err != nil {
		return nil, err
	}
	right, err := b.Build(x.R, s)
	if err != nil {
		return nil, err
	}
	return b.schemaOperator(x.Schema, x.Op, left, right, x.Pos)
}

func (b *Builder) unary(x *parse.UnaryExpr, s *Scope) (Expr, error) {
	arg, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	return b.schemaOperator(x.Schema, x.Op, nil, arg, x.Pos)
}

// schemaOperator is operator for one that may have been written with a schema: only pg_catalog has any.
func (b *Builder) schemaOperator(schema, name string, left, right Expr, pos int) (Expr, error) {
	if schema != "" && schema != "pg_catalog" {
		if err := b.checkSchema(schema, pos); err != nil {
			return nil, err
		}
		return nil, b.at(noOperator(schema+"."+name, left, right), pos)
	}
	return b.operator(name, left, right, pos)
}

// operator applies an operator to its operands (left is nil for a prefix one) after choosing among those of the name.
func (b *Builder) operator(name string, left, right Expr, pos int) (Expr, error) {
	f := facts()
	o, err := f.findOperator(name, left, right)
	if err != nil {
		return nil, b.at(err, pos)
	}
	args := []Expr{right}
	if left != nil {
		args = []Expr{left, right}
	}
	inputs := oidsOf(args)
	declared := []types.OID{o.left, o.right}[2-len(args):]
	declared, result, err := f.concrete(inputs, declared, o.result)
	if err != nil {
		return nil, err
	}
	p, typ := o.proc, types.Type{OID: result, Mod: -1}
	switch p.key {
	case "textanycat(text,anynonarray)", "anytextcat(anynonarray,text)":
		// These are SQL functions in PostgreSQL: both sides as text, concatenated.
		p, declared = f.procByKey["textcat"], []types.OID{types.TextOID, types.TextOID}
		o = f.exactOperator("||", types.TextOID, types.TextOID)
		for i := range args {
			e, err := b.coerce(args[i], types.Text, types.CastExplicit)
			if err != nil {
				return nil, err
			}
			if c, ok := e.(*Cast); ok && e != args[i] {
				c.ofOperator = true
			}
			args[i] = e
		}
	}
	if !p.impl.exists() {
		return nil, b.unsupported("operator "+f.signature(name, oidsOrZero(left), o.right), pos)
	}
	if err := b.coerceArgs(args, declared); err != nil {
		return nil, err
	}
	return newCall(p, o, args, typ), nil
}

// newCall makes a call of arguments that have been coerced.
func newCall(p *proc, o *operator, args []Expr, typ types.Type) *Call {
	return &Call{Args: args, proc: p, im: p.impl.boundTo(args, typ), oper: o, typ: typ}
}

// bound is the operator's body for operands of the types of left and right.
func (o *operator) bound(left, right Expr) *impl {
	return o.proc.impl.boundTo([]Expr{left, right}, types.Bool)
}

// coerceArgs coerces arguments to what a chosen function takes; that they can be was checked.
func (b *Builder) coerceArgs(args []Expr, declared []types.OID) error {
	for i, e := range args {
		c, err := b.coerce(e, types.Type{OID: declared[i], Mod: -1}, types.CastImplicit)
		if err != nil {
			return err
		}
		if c == nil {
			return sqlerr.Internal("no cast from %s to %s", e.Type().Format(), facts().format(declared[i]))
		}
		args[i] = c
	}
	return nil
}

func oidsOrZero(e Expr) types.OID {
	if e == nil {
		return 0
	}
	return e.Type().OID
}

// exactOperator gives the operator with just these operand types, or nil.
func (f *factTables) exactOperator(name string, left, right types.OID) *operator {
	for _, o := range f.operators[name] {
		if o.left == left && o.right == right {
			return o
		}
	}
	return nil
}

// findOperator chooses an operator by the rules of PostgreSQL's manual, 10.2.
func (f *factTables) findOperator(name string, left, right Expr) (*operator, error) {
	lt, rt := oidsOrZero(left), right.Type().OID
	inputs := []types.OID{lt, rt}
	if left == nil {
		inputs = inputs[1:]
	}
	// An operand without a type is taken to be of the other's.
	el, er := lt, rt
	switch {
	case lt == types.UnknownOID && rt != types.UnknownOID:
		el = rt
	case rt == types.UnknownOID && left != nil && lt != types.UnknownOID:
		er = lt
	}
	if o := f.exactOperator(name, el, er); o != nil {
		return o, nil
	}
	var cands []candidate
	for _, o := range f.operators[name] {
		switch {
		case left == nil && o.left == 0:
			cands = append(cands, candidate{args: []types.OID{o.right}, oper: o})
		case left != nil && o.left != 0:
			cands = append(cands, candidate{args: []types.OID{o.left, o.right}, oper: o})
		}
	}
	cands = f.matching(inputs, cands)
	switch len(cands) {
	case 0:
		return nil, noOperator(name, left, right)
	case 1:
		return cands[0].oper, nil
	}
	if c := f.choose(inputs, cands); c != nil {
		return c.oper, nil
	}
	return nil, sqlerr.New(sqlerr.AmbiguousFunction, "operator is not unique: %s", f.signature(name, lt, rt)).
		WithHint("Could not choose a best candidate operator. You might need to add explicit type casts.")
}

func noOperator(name string, left, right Expr) *sqlerr.Error {
	err := sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", facts().signature(name, oidsOrZero(left), right.Type().OID))
	if left == nil {
		return err.WithHint("No operator matches the given name and argument type. You might need to add an explicit type cast.")
	}
	return err.WithHint("No operator matches the given name and argument types. You might need to add explicit type casts.")
}

// signature is an operator with its operand types: integer + boolean.
func (f *factTables) signature(name string, left, right types.OID) string {
	if left == 0 {
		return name + " " + f.format(right)
	}
	return f.format(left) + " " + name + " " + f.format(right)
}

// rowCompare compares two rows column by column.
func (b *Builder) rowCompare(x *parse.BinaryExpr, l, r *parse.RowExpr, s *Scope) (Expr, error) {
	left, right, err := b.rowPair(l, r, s, x.Pos)
	if err != nil {
		return nil, err
	}
	if len(left) == 0 {
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "cannot compare rows of zero length"), x.Pos)
	}
	return b.Compare(x.Op, left, right, x.Pos)
}

// rowPair builds the parts of two rows, which must be as many.
func (b *Builder) rowPair(l, r *parse.RowExpr, s *Scope, pos int) (left, right []Expr, err error) {
	if left, err = b.rowArgs(l.Args, s); err != nil {
		return nil, nil, err
	}
	if right, err = b.rowArgs(r.Args, s); err != nil {
		return nil, nil, err
	}
	if len(left) != len(right) {
		return nil, nil, b.at(sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions"), pos)
	}
	return left, right, nil
}

// rowDistinct makes IS DISTINCT FROM of two rows: some of their parts differ.
func (b *Builder) rowDistinct(x *parse.DistinctExpr, l, r *parse.RowExpr, s *Scope) (Expr, error) {
	left, right, err := b.rowPair(l, r, s, x.Pos)
	if err != nil {
		return nil, err
	}
	tests := make([]Expr, len(left))
	for i := range left {
		if tests[i], err = b.distinctValues(left[i], right[i], false, x.Pos); err != nil {
			return nil, err
		}
	}
	var e Expr
	switch len(tests) {
	case 0:
		e = NewConst(types.Bool, types.NewBool(false))
	case 1:
		e = tests[0]
	default:
		e = &Or{tests}
	}
	if x.Not {
		e = &Not{e}
	}
	return e, nil
}

// distinctValues makes IS DISTINCT FROM of two values, or its negation.
func (b *Builder) distinctValues(l, r Expr, not bool, pos int) (Expr, error) {
	eq, err := b.operator("=", l, r, pos)
	if err != nil {
		return nil, err
	}
	call, ok := eq.(*Call)
	if !ok || call.typ.OID != types.BoolOID {
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "IS DISTINCT FROM requires = operator to yield boolean"), pos)
	}
	return &Distinct{Left: call.Args[0], Right: call.Args[1], Not: not, eq: equality{call.oper, call.im}}, nil
}

// Compare makes the comparison of two rows of one length, or of two values: = is the AND of equalities, <> the OR of
// inequalities. It is for planners: JOIN USING, IN over a query. The operands are as Build made them.
func (b *Builder) Compare(op string, left, right []Expr, pos int) (Expr, error) {
	// Of <= and >= the strict form decides between the first values that differ.
	strict, ordered := map[string]string{"=": "=", "<>": "<>", "<": "<", "<=": "<", ">": ">", ">=": ">"}[op]
	if !ordered {
		strict = op
	}
	pairs := make([]Expr, len(left))
	rc := &RowCompare{Op: op}
	for i := range left {
		pair, err := b.operator(strict, left[i], right[i], pos)
		if err != nil {
			return nil, err
		}
		call, ok := pair.(*Call)
		if !ok || call.typ.OID != types.BoolOID {
			return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s",
				pair.Type().Format()), pos)
		}
		pairs[i] = call
		if op != "=" && op != "<>" {
			rc.Left, rc.Right = append(rc.Left, call.Args[0]), append(rc.Right, call.Args[1])
			rc.strict = append(rc.strict, call.im)
			eq := facts().exactOperator("=", call.oper.left, call.oper.right)
			rc.eq = append(rc.eq, eq.bound(call.Args[0], call.Args[1]))
		}
	}
	switch {
	case !ordered:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", op).
			WithHint("Row comparison operators must be associated with btree operator families."), pos)
	case len(pairs) == 1:
		if op == strict {
			return pairs[0], nil
		}
		return b.operator(op, left[0], right[0], pos)
	case op == "=":
		return &And{pairs}, nil
	case op == "<>":
		return &Or{pairs}, nil
	default:
		return rc, nil
	}
}

func (b *Builder) distinct(x *parse.DistinctExpr, s *Scope) (Expr, error) {
	lrow, leftRow := x.L.(*parse.RowExpr)
	rrow, rightRow := x.R.(*parse.RowExpr)
	if leftRow && rightRow {
		return b.rowDistinct(x, lrow, rrow, s)
	}
	l, err := b.Build(x.L, s)
	if err != nil {
		return nil, err
	}
	r, err := b.Build(x.R, s)
	if err != nil {
		return nil, err
	}
	// Against the word NULL it is a NULL test.
	if isNullLiteral(x.R) {
		return &NullTest{Arg: l, Not: !x.Not}, nil
	}
	if isNullLiteral(x.L) {
		return &NullTest{Arg: r, Not: !x.Not}, nil
	}
	return b.distinctValues(l, r, x.Not, x.Pos)
}

func isNullLiteral(x parse.Expr) bool {
	l, ok := x.(*parse.Literal)
	return ok && l.Kind == parse.NullLiteral
}

func isNullConst(e Expr) bool {
	c, ok := e.(*Const)
	return ok && c.Value.Null
}

// infix is an operator expression that stands for another construct.
func infix(op string, l, r parse.Expr, pos int) *parse.BinaryExpr {
	x := &parse.BinaryExpr{Op: op, L: l, R: r}
	x.Pos = pos
	return x
}

func (b *Builder) between(x *parse.BetweenExpr, s *Scope) (Expr, error) {
	bounds := [][2]parse.Expr{{x.Lo, x.Hi}}
	if x.Symmetric {
		bounds = append(bounds, [2]parse.Expr{x.Hi, x.Lo})
	}
	var alternatives []Expr
	for _, bound := range bounds {
		lo, hi := ">=", "<="
		if x.Not {
			lo, hi = "<", ">"
		}
		l, err := b.binary(infix(lo, x.X, bound[0], x.Pos), s)
		if err != nil {
			return nil, err
		}
		r, err := b.binary(infix(hi, x.X, bound[1], x.Pos), s)
		if err != nil {
			return nil, err
		}
		if x.Not {
			alternatives = append(alternatives, &Or{[]Expr{l, r}})
		} else {
			alternatives = append(alternatives, &And{[]Expr{l, r}})
		}
	}
	switch {
	case len(alternatives) == 1:
		return alternatives[0], nil
	case x.Not:
		return &And{alternatives}, nil
	default:
		return &Or{alternatives}, nil
	}
}

// like makes LIKE, ILIKE and SIMILAR TO the operators they stand for.
func (b *Builder) like(x *parse.LikeExpr, s *Scope) (Expr, error) {
	l, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	pattern, err := b.Build(x.Pattern, s)
	if err != nil {
		return nil, err
	}
	name, escapes := "~~", "like_escape"
	switch x.Kind {
	case parse.ILike:
		name = "~~*"
	case parse.Similar:
		name, escapes = "~", "similar_to_escape"
	}
	args := []Expr{pattern}
	if x.Escape != nil {
		escape, err := b.Build(x.Escape, s)
		if err != nil {
			return nil, err
		}
		args = append(args, escape)
	}
	if len(args) > 1 || x.Kind == parse.Similar {
		if pattern, err = b.call(escapes, args, x.Pos); err != nil {
			return nil, err
		}
	}
	if x.Not {
		name = "!" + name
	}
	return b.operator(name, l, pattern, x.Pos)
}

// Operator makes the call of an infix operator on expressions that are built already: what the planner needs for IN, ANY and ALL over a
// query.
func (b *Builder) Operator(op string, left, right Expr, pos int) (Expr, error) {
	return b.operator(op, left, right, pos)
}
