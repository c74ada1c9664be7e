package expr

import (
	"strconv"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Record is ROW(…), or the whole row of a FROM item.
type Record struct {
	Args []Expr
	// Key, if not nil, tells whether there is a row at all: where it is NULL, so is the record. With OrNull it is also NULL where
	// all of Args are: that is how the missing side of an outer join looks.
	Key    Expr
	OrNull bool
	name   string // of the FROM item; "" for ROW(…)
	typ    types.Type
}

// FieldOf is a field of a record; NULL if the record is.
type FieldOf struct {
	Arg   Expr
	Index int
	name  string
	typ   types.Type
}

// NewField makes field i of a record whose fields are known.
func NewField(record Expr, i int) Expr {
	f := record.Type().Fields()[i]
	if r, ok := record.(*Record); ok && r.Key == nil && !r.OrNull {
		return r.Args[i]
	}
	return &FieldOf{Arg: record, Index: i, name: f.Name, typ: f.Type}
}

// Type of each node; see Expr.

func (e *Record) Type() types.Type  { return e.typ }
func (e *FieldOf) Type() types.Type { return e.typ }

func (e *FieldOf) each(f func(*Expr)) { f(&e.Arg) }
func (e *Record) each(f func(*Expr)) {
	eachOf(e.Args, f)
	if e.Key != nil {
		f(&e.Key)
	}
}

func (e *Record) clone() Expr  { c := *e; c.Args = append([]Expr(nil), e.Args...); return &c }
func (e *FieldOf) clone() Expr { c := *e; return &c }

func (e *Record) volatility() Volatility  { return Immutable }
func (e *FieldOf) volatility() Volatility { return Immutable }

// Eval makes the record.
func (e *Record) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	if e.Key != nil {
		if d, err := e.Key.Eval(ec, row); err != nil || d.Null {
			return types.NullDatum, err
		}
	}
	values, null := make([]types.Datum, len(e.Args)), true
	for i, x := range e.Args {
		var err error
		if values[i], err = x.Eval(ec, row); err != nil {
			return types.Datum{}, err
		}
		null = null && values[i].Null
	}
	if null && e.OrNull {
		return types.NullDatum, nil
	}
	return types.NewRecord(e.typ, values), nil
}

// Eval takes the field out of the record.
func (e *FieldOf) Eval(ec *EvalContext, row Row) (types.Datum, error) {
	d, err := e.Arg.Eval(ec, row)
	if err != nil || d.Null {
		return types.NullDatum, err
	}
	_, values := d.Record()
	if e.Index >= len(values) {
		return types.NullDatum, nil
	}
	return values[e.Index], nil
}

// row makes ROW(…); t.* among its parts stands for the columns.
func (b *Builder) row(x *parse.RowExpr, s *Scope) (Expr, error) {
	args, err := b.rowArgs(x.Args, s)
	if err != nil {
		return nil, err
	}
	r := &Record{Args: args}
	fields := make([]types.Field, len(args))
	for i := range args {
		fields[i] = types.Field{Name: "f" + strconv.Itoa(i+1), Type: args[i].Type()}
	}
	r.typ = types.RecordOf(types.RowType{}, fields)
	return r, nil
}

// rowArgs builds the parts of a row.
func (b *Builder) rowArgs(list []parse.Expr, s *Scope) ([]Expr, error) {
	var out []Expr
	for _, x := range list {
		if isStar(x) {
			columns, err := b.ExpandStar(x, s)
			if err != nil {
				return nil, err
			}
			for _, c := range columns {
				out = append(out, c.Expr)
			}
			continue
		}
		e, err := b.Build(x, s)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// isStar reports whether an item of a list stands for several: t.* or (x).*.
func isStar(x parse.Expr) bool {
	switch x := x.(type) {
	case *parse.ColumnRef:
		return x.Star && len(x.Parts) > 0
	case *parse.FieldExpr:
		return x.Star
	}
	return false
}

// wholeRow makes the record of a FROM item's columns, seen from level queries further in.
func (b *Builder) wholeRow(src *Source, level, pos int) Expr {
	r := &Record{name: src.Name, OrNull: src.Nullable && src.Key == 0}
	var fields []types.Field
	for i := range src.Columns {
		c := &src.Columns[i]
		if c.Hidden || c.Dropped {
			continue
		}
		r.Args = append(r.Args, c.at(src, level, pos))
		fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
	}
	if src.Scalar && len(r.Args) == 1 {
		return r.Args[0]
	}
	if src.Nullable && src.Key > 0 {
		r.Key = src.Columns[src.Key-1].at(src, level, pos)
	}
	r.typ = types.RecordOf(src.RowType, fields)
	return r
}

// field makes (x).name.
func (b *Builder) field(x *parse.FieldExpr, s *Scope) (Expr, error) {
	if x.Star {
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "row expansion via \"*\" is not supported here"), Leftmost(x.X))
	}
	e, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	t := e.Type()
	if !t.IsRecord() {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type",
			x.Field, t.Base().Format()), Leftmost(x.X))
	}
	for i, f := range t.Fields() {
		if f.Name == x.Field {
			return NewField(e, i), nil
		}
	}
	if r, ok := e.(*Record); ok && r.name != "" {
		return nil, b.at(sqlerr.New(sqlerr.UndefinedColumn, "column %s.%s does not exist", r.name, x.Field), Leftmost(x.X))
	}
	if name := t.Format(); name != "record" {
		return nil, b.at(sqlerr.New(sqlerr.UndefinedColumn, "column %q not found in data type %s", x.Field, name), Leftmost(x.X))
	}
	return nil, b.at(sqlerr.New(sqlerr.UndefinedColumn, "could not identify column %q in record data type", x.Field), Leftmost(x.X))
}

// fieldByCall makes the field that name(x) means where there is no function of that name; nil if it has none.
func fieldByCall(x *parse.FuncCall, args []Expr) Expr {
	if len(args) != 1 || x.Name.Schema != "" || !args[0].Type().IsRecord() {
		return nil
	}
	for i, f := range args[0].Type().Fields() {
		if f.Name == x.Name.Name {
			return NewField(args[0], i)
		}
	}
	return nil
}

// fieldStar gives the fields that (x).* stands for.
func (b *Builder) fieldStar(x *parse.FieldExpr, s *Scope) ([]Output, error) {
	e, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	t := e.Type()
	if !t.IsRecord() {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "type %s is not composite", t.Base().Format()), Leftmost(x.X))
	}
	if t.Fields() == nil && t.Mod < 0 {
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "record type has not been registered"), Leftmost(x.X))
	}
	var out []Output
	for i, f := range t.Fields() {
		out = append(out, Output{NewField(e, i), f.Name})
	}
	return out, nil
}

// recordFuncs compare records and make json of them.
var recordFuncs = makeRecordFuncs()

func makeRecordFuncs() map[string]impl {
	m := map[string]impl{
		"row_to_json": {f1: func(ec *EvalContext, a types.Datum) (types.Datum, error) {
			return types.NewBytes(appendJSON(ec, nil, types.Record, a, ",")), nil
		}},
		"row_to_json_pretty": {f2: func(ec *EvalContext, a, pretty types.Datum) (types.Datum, error) {
			sep := ","
			if pretty.Bool() {
				sep = ",\n "
			}
			return types.NewBytes(appendJSON(ec, nil, types.Record, a, sep)), nil
		}},
	}
	for name, holds := range map[string]func(c int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
		"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	} {
		m["record_"+name] = impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			c, err := types.CompareRecords(a, b)
			return types.NewBool(holds(c)), err
		}}
	}
	return m
}

// resultType is the type of a function's result: if it is a record or an array of records, of the fields that those among the
// arguments have.
func resultType(result types.OID, args []Expr) types.Type {
	t := types.Type{OID: result, Mod: -1}
	elem, isArray := t.Elem()
	if !t.IsRecord() && !(isArray && elem.IsRecord()) {
		return t
	}
	for _, a := range args {
		from := a.Type()
		if e, ok := from.Elem(); ok {
			from = e
		}
		if from.IsRecord() && from.Mod >= 0 {
			t.Mod = from.Mod
			break
		}
	}
	return t
}

// castToRow makes a record of a table's row type.
func (b *Builder) castToRow(e Expr, to types.Type, x *parse.CastExpr) (Expr, error) {
	refuse := func() *sqlerr.Error {
		return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", e.Type().Format(), to.Format())
	}
	switch from := e.(type) {
	case *Const:
		if !from.typ.IsUnknown() {
			break
		}
		if from.Value.Null {
			return NewNull(to), nil
		}
		d, err := types.Input(b.Types, to, from.Value.B)
		if err != nil {
			return nil, b.at(err, from.pos)
		}
		return &Const{Value: d, typ: to, pos: from.pos}, nil
	case *Record:
		fields := to.Fields()
		switch {
		case from.typ == to:
			return e, nil
		case len(from.Args) < len(fields):
			return nil, b.at(refuse().WithDetail("Input has too few columns."), x.Pos)
		case len(from.Args) > len(fields):
			return nil, b.at(refuse().WithDetail("Input has too many columns."), x.Pos)
		}
		r := &Record{Args: make([]Expr, len(fields)), Key: from.Key, OrNull: from.OrNull, typ: to}
		for i, f := range fields {
			c, err := b.coerce(from.Args[i], f.Type, types.CastExplicit)
			if err == nil && c == nil {
				err = b.at(refuse().WithDetail("Cannot cast type %s to %s in column %d.", from.Args[i].Type().Base().Format(), f.Type.Format(), i+1), x.Pos)
			}
			if err != nil {
				return nil, err
			}
			r.Args[i] = c
		}
		return r, nil
	}
	if e.Type() == to {
		return e, nil
	}
	if category, _ := facts().category(e.Type().OID); category == categoryString {
		return &Cast{Arg: e, Context: types.CastExplicit, typ: to, from: e.Type(), vol: Stable}, nil
	}
	return nil, b.at(refuse(), x.Pos)
}
