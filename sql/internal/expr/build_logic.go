package expr

import (
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func (b *Builder) logic(x *parse.BoolExpr, s *Scope) (Expr, error) {
	construct := map[parse.BoolOp]string{parse.And: "AND", parse.Or: "OR", parse.Not: "NOT"}[x.Op]
	args := make([]Expr, len(x.Args))
	for i, a := range x.Args {
		e, err := b.condition(a, s, construct)
		if err != nil {
			return nil, err
		}
		args[i] = e
	}
	switch x.Op {
	case parse.And:
		return &And{args}, nil
	case parse.Or:
		return &Or{args}, nil
	default:
		return &Not{args[0]}, nil
	}
}

func (b *Builder) nullTest(x *parse.NullTest, s *Scope) (Expr, error) {
	if row, ok := x.X.(*parse.RowExpr); ok && len(row.Args) > 0 {
		// A row is NULL if all of its fields are, and not NULL if none of them is.
		args, err := b.rowArgs(row.Args, s)
		if err != nil {
			return nil, err
		}
		for i, e := range args {
			args[i] = &NullTest{Arg: e, Not: x.Not}
		}
		if len(args) > 0 {
			return all(args), nil
		}
	}
	e, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	return &NullTest{Arg: e, Not: x.Not, Fields: e.Type().IsRecord()}, nil
}

// all is the AND of conditions, of which there is at least one.
func all(conds []Expr) Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return &And{conds}
}

func (b *Builder) boolTest(x *parse.BoolTest, s *Scope) (Expr, error) {
	test, name := IsTrue, "TRUE"
	switch x.Kind {
	case parse.IsFalse:
		test, name = IsFalse, "FALSE"
	case parse.IsUnknown:
		test, name = IsUnknown, "UNKNOWN"
	}
	if x.Not {
		test, name = test+1, "NOT "+name
	}
	e, err := b.condition(x.X, s, "IS "+name)
	if err != nil {
		return nil, err
	}
	return &BoolTest{Arg: e, Test: test}, nil
}

// in makes x IN (list) a search of the list where all of its elements agree on a type, else comparisons one by one.
func (b *Builder) in(x *parse.InExpr, s *Scope) (Expr, error) {
	op := "="
	if x.Not {
		op = "<>"
	}
	if x.Query != nil {
		left, err := b.leftSide(x.X, s)
		if err != nil {
			return nil, err
		}
		return b.subquery(s, SubqueryRequest{Kind: AnySubquery, Query: x.Query, Left: left, Op: "=", Not: x.Not, Pos: x.Pos})
	}
	if row, ok := x.X.(*parse.RowExpr); ok {
		return b.rowIn(x, row, op, s)
	}
	left, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	list, err := b.BuildAll(x.List, s)
	if err != nil {
		return nil, err
	}
	var constant, other []Expr
	for _, e := range list {
		if HasColumns(e) {
			other = append(other, e)
		} else {
			constant = append(constant, e)
		}
	}
	var tests []Expr
	if e, err := b.inConstants(op, left, constant, x); err != nil {
		return nil, err
	} else if e != nil {
		tests, list = append(tests, e), other
	}
	for _, e := range list {
		test, err := b.operator(op, left, e, x.Pos)
		if err != nil {
			return nil, err
		}
		if test, err = b.toBool(test, "IN", x.Pos); err != nil {
			return nil, err
		}
		tests = append(tests, test)
	}
	switch {
	case len(tests) == 1:
		return tests[0], nil
	case x.Not:
		return &And{tests}, nil
	default:
		return &Or{tests}, nil
	}
}

// inConstants makes the search of a list without columns; nil if it has fewer than two elements or no common type.
func (b *Builder) inConstants(op string, left Expr, list []Expr, x *parse.InExpr) (Expr, error) {
	if len(list) < 2 {
		return nil, nil
	}
	f := facts()
	common, bad := f.commonType(append(oidsOf([]Expr{left}), oidsOf(list)...))
	if bad >= 0 {
		return nil, nil
	}
	for _, t := range oidsOf(list) {
		if t != types.UnknownOID && f.path(common, t, types.CastImplicit) == noCast {
			return nil, nil
		}
	}
	return b.listSearch(op, x.Not, left, list, types.Type{OID: common, Mod: -1}, x.Pos)
}

// listSearch makes left op ANY (list), or ALL, with all of list as values of type elem.
func (b *Builder) listSearch(op string, all bool, left Expr, list []Expr, elem types.Type, pos int) (Expr, error) {
	list = append([]Expr(nil), list...)
	for i, e := range list {
		c, err := b.coerce(e, elem, types.CastImplicit)
		if err != nil {
			return nil, err
		}
		list[i] = c
	}
	f := facts()
	o, err := f.findOperator(op, left, NewNull(elem))
	if err != nil {
		return nil, b.at(err, pos)
	}
	if o.result != types.BoolOID {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean"), pos)
	}
	if !o.proc.impl.exists() {
		return nil, b.unsupported("operator "+f.signature(op, o.left, o.right), pos)
	}
	declared, _, err := f.concrete([]types.OID{left.Type().OID, elem.OID}, []types.OID{o.left, o.right}, o.result)
	if err != nil {
		return nil, err
	}
	side := []Expr{left}
	if err := b.coerceArgs(side, declared[:1]); err != nil {
		return nil, err
	}
	for i := range list {
		if err := b.coerceArgs(list[i:i+1], declared[1:]); err != nil {
			return nil, err
		}
	}
	return &InList{Left: side[0], List: list, All: all, oper: o, im: o.bound(side[0], list[0])}, nil
}

// rowIn compares a row with each row of the list.
func (b *Builder) rowIn(x *parse.InExpr, row *parse.RowExpr, op string, s *Scope) (Expr, error) {
	tests := make([]Expr, len(x.List))
	for i, item := range x.List {
		test, err := b.binary(infix(op, row, item, x.Pos), s)
		if err != nil {
			return nil, err
		}
		tests[i] = test
	}
	switch {
	case len(tests) == 1:
		return tests[0], nil
	case x.Not:
		return &And{tests}, nil
	default:
		return &Or{tests}, nil
	}
}

// leftSide is the left side of IN, ANY and ALL over a query: one expression or the fields of a row.
func (b *Builder) leftSide(x parse.Expr, s *Scope) ([]Expr, error) {
	if row, ok := x.(*parse.RowExpr); ok {
		return b.rowArgs(row.Args, s)
	}
	return b.BuildAll([]parse.Expr{x}, s)
}

// anyAll makes op ANY and op ALL over queries and arrays.
func (b *Builder) anyAll(x *parse.AnyAllExpr, s *Scope) (Expr, error) {
	if x.Query != nil {
		left, err := b.leftSide(x.X, s)
		if err != nil {
			return nil, err
		}
		kind := AnySubquery
		if x.All {
			kind = AllSubquery
		}
		return b.subquery(s, SubqueryRequest{Kind: kind, Query: x.Query, Left: left, Op: x.Op, Pos: x.Pos})
	}
	left, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	array, ok := x.Array.(*parse.ArrayExpr)
	if !ok || len(array.Elems) == 0 {
		e, err := b.Build(x.Array, s)
		if err != nil {
			return nil, err
		}
		return b.arrayCompare(x, left, e)
	}
	if err := b.refuseNested(array); err != nil {
		return nil, err
	}
	list, err := b.BuildAll(array.Elems, s)
	if err != nil {
		return nil, err
	}
	elem, err := b.Common("ARRAY", list, leftmosts(array.Elems))
	if err != nil {
		return nil, err
	}
	return b.listSearch(x.Op, x.All, left, list, elem, x.Pos)
}

func (b *Builder) caseExpr(x *parse.CaseExpr, s *Scope) (Expr, error) {
	c := &Case{}
	s = s.branch("CASE")
	if x.Arg != nil {
		arg, err := b.BuildValue(x.Arg, s)
		if err != nil {
			return nil, err
		}
		c.Arg = arg
	}
	// The ELSE branch is the first when the common type is chosen.
	branches, pos := []Expr{&Const{Value: types.NullDatum, typ: types.Unknown, pos: x.Pos}}, []int{x.Pos}
	conds := make([]Expr, len(x.Whens))
	for i, w := range x.Whens {
		var cond Expr
		var err error
		if c.Arg == nil {
			cond, err = b.condition(w.Cond, s, "CASE/WHEN")
		} else {
			cond, err = b.whenEquals(c.Arg, w, s)
		}
		if err != nil {
			return nil, err
		}
		result, err := b.Build(w.Result, s)
		if err != nil {
			return nil, err
		}
		conds[i] = cond
		branches, pos = append(branches, result), append(pos, Leftmost(w.Result))
	}
	if x.Else != nil {
		e, err := b.Build(x.Else, s)
		if err != nil {
			return nil, err
		}
		branches[0], pos[0] = e, Leftmost(x.Else)
	}
	t, err := b.Common("CASE", branches, pos)
	if err != nil {
		return nil, err
	}
	c.typ, c.Else = t, branches[0]
	for i := range conds {
		c.Whens = append(c.Whens, When{conds[i], branches[i+1]})
	}
	return c, nil
}

// whenEquals is the condition of a WHEN of the simple form.
func (b *Builder) whenEquals(arg Expr, w parse.CaseWhen, s *Scope) (Expr, error) {
	value, err := b.Build(w.Cond, s)
	if err != nil {
		return nil, err
	}
	eq, err := b.operator("=", &CaseValue{typ: arg.Type()}, value, b.whenPos(w))
	if err != nil {
		return nil, err
	}
	return b.toBool(eq, "CASE/WHEN", w.Pos)
}

// whenPos is the place of the word WHEN: the last one before its condition.
func (b *Builder) whenPos(w parse.CaseWhen) int {
	pos := min(w.Pos, Leftmost(w.Cond), len(b.Text))
	if i := strings.LastIndex(strings.ToLower(b.Text[:pos]), "when"); i >= 0 {
		return i
	}
	return pos
}

func leftmosts(list []parse.Expr) []int {
	pos := make([]int, len(list))
	for i, x := range list {
		pos[i] = Leftmost(x)
	}
	return pos
}

func (b *Builder) coalesce(x *parse.CoalesceExpr, s *Scope) (Expr, error) {
	args, err := b.BuildAll(x.Args, s.branch("COALESCE"))
	if err != nil {
		return nil, err
	}
	t, err := b.Common("COALESCE", args, leftmosts(x.Args))
	if err != nil {
		return nil, err
	}
	return &Coalesce{Args: args, typ: t}, nil
}

func (b *Builder) nullIf(x *parse.NullIfExpr, s *Scope) (Expr, error) {
	l, err := b.Build(x.L, s)
	if err != nil {
		return nil, err
	}
	r, err := b.Build(x.R, s)
	if err != nil {
		return nil, err
	}
	eq, err := b.operator("=", l, r, x.Pos)
	if err != nil {
		return nil, err
	}
	call, ok := eq.(*Call)
	if !ok || call.typ.OID != types.BoolOID {
		return nil, b.at(sqlerr.New(sqlerr.DatatypeMismatch, "NULLIF requires = operator to yield boolean"), x.Pos)
	}
	return &NullIf{Left: call.Args[0], Right: call.Args[1], eq: equality{call.oper, call.im}}, nil
}

func (b *Builder) minMax(x *parse.MinMaxExpr, s *Scope) (Expr, error) {
	construct := "GREATEST"
	if x.Least {
		construct = "LEAST"
	}
	args, err := b.BuildAll(x.Args, s)
	if err != nil {
		return nil, err
	}
	t, err := b.Common(construct, args, leftmosts(x.Args))
	if err != nil {
		return nil, err
	}
	return &MinMax{Args: args, Least: x.Least, typ: t}, nil
}

// Leftmost is the byte offset where the text of an expression begins, as PostgreSQL reckons it for its errors: the least of
// the places of the expression and of the operands it begins with.
func Leftmost(x parse.Expr) int {
	pos := x.Position()
	first := func(operands ...parse.Expr) int {
		for _, o := range operands {
			if o != nil {
				pos = min(pos, Leftmost(o))
			}
		}
		return pos
	}
	switch x := x.(type) {
	case *parse.BinaryExpr:
		if row, ok := x.L.(*parse.RowExpr); ok {
			// A comparison of rows is comparisons of their fields.
			return first(row.Args...)
		}
		return first(x.L, x.R)
	case *parse.UnaryExpr:
		return first(x.X)
	case *parse.BoolExpr:
		return first(x.Args...)
	case *parse.NullTest:
		return first(x.X)
	case *parse.BoolTest:
		return first(x.X)
	case *parse.DistinctExpr:
		return first(x.L, x.R)
	case *parse.BetweenExpr:
		return first(x.X)
	case *parse.InExpr:
		return first(x.X)
	case *parse.LikeExpr:
		return first(x.X)
	case *parse.AnyAllExpr:
		return first(x.X)
	case *parse.CastExpr:
		if l, ok := x.X.(*parse.Literal); ok && (l.Kind == parse.StringLiteral || l.Kind == parse.NullLiteral) {
			// The literal becomes a constant of the type, wherever the type is written.
			return l.Pos
		}
		return first(x.X)
	case *parse.CollateExpr:
		return first(x.X)
	case *parse.SubscriptExpr:
		return first(x.X)
	case *parse.FieldExpr:
		return first(x.X)
	case *parse.FuncCall:
		return first(x.Args...)
	}
	return pos
}
