package expr

import (
	"slices"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// SetCall is a call of a function that returns a set of rows. It has no value of its own: the planner takes it out of the
// SELECT list or FROM item it stands in, and has its rows read (Rows). As a FROM item it may also be a function that returns
// one value, which is one row.
type SetCall struct {
	Args    []Expr
	proc    *proc
	im      *impl
	typ     types.Type
	columns []SetColumn
	scalar  bool       // Args has the one expression whose value is the only row
	records bool       // the function's rows are records: elements of an array, say
	parts   []*SetCall // calls read side by side, whose arguments Args has one after the other; nil: the call is one
}

// SetColumn is a column of the rows of a SetCall.
type SetColumn struct {
	Name string
	Type types.Type
}

// ColumnList is a column definition list: AS alias(name type, …). Columns nil: there is none.
type ColumnList struct {
	Columns []SetColumn
	Pos     int
}

// SetRows are rows of a SetCall.
type SetRows interface {
	// Next gives the next row, one value a column, and ok false after the last. The row is valid until the next call.
	Next() (row []types.Datum, ok bool, err error)
}

// Type is that of the only column, or record.
func (e *SetCall) Type() types.Type { return e.typ }

// IsSideBySide reports whether the call is several that are read together.
func (e *SetCall) IsSideBySide() bool { return e.parts != nil }

// Name is the function's name.
func (e *SetCall) Name() string { return e.proc.name }

// Columns are the rows' columns. The only column of a function without names for them has the function's.
func (e *SetCall) Columns() []SetColumn { return e.columns }

// Eval fails: see SetCall.
func (e *SetCall) Eval(*EvalContext, Row) (types.Datum, error) {
	return types.Datum{}, sqlerr.Internal("set-returning function %s evaluated as a scalar one", e.proc.name)
}

// Value is the value that a row of Values has in a SELECT list: its only column, or a record.
func (e *SetCall) Value(row []types.Datum) types.Datum {
	if !e.typ.IsRecord() || e.records {
		return row[0]
	}
	return types.NewRecord(e.typ, row)
}

// Rows evaluates the arguments and gives the function's rows for them.
func (e *SetCall) Rows(ec *EvalContext, row Row) (SetRows, error) {
	rows, err := e.Values(ec, row)
	if err != nil {
		return nil, err
	}
	return e.fields(rows), nil
}

// fields makes rows of records those of the records' fields.
func (e *SetCall) fields(rows SetRows) SetRows {
	if !e.records {
		return rows
	}
	return rowFunc(func() ([]types.Datum, bool, error) {
		row, ok, err := rows.Next()
		if !ok || err != nil {
			return nil, ok, err
		}
		_, values := row[0].Record()
		for len(values) < len(e.columns) {
			values = append(values, types.NullDatum)
		}
		return values, true, nil
	})
}

// Values is Rows for Value, which gives each row as one value.
func (e *SetCall) Values(ec *EvalContext, row Row) (SetRows, error) {
	args := make([]types.Datum, len(e.Args))
	for i, x := range e.Args {
		d, err := x.Eval(ec, row)
		if err != nil {
			return nil, err
		}
		args[i] = d.Clone()
	}
	return e.rows(ec, args)
}

func (e *SetCall) rows(ec *EvalContext, args []types.Datum) (SetRows, error) {
	switch {
	case e.parts != nil:
		return e.sideBySide(ec, args)
	case e.scalar:
		return &rowList{rows: [][]types.Datum{args}}, nil
	case e.proc.strict && slices.ContainsFunc(args, func(d types.Datum) bool { return d.Null }):
		if e.proc.retset {
			return &rowList{}, nil
		}
		// A function of one row has one all the same.
		row := make([]types.Datum, len(e.columns))
		for i := range row {
			row[i] = types.NullDatum
		}
		return &rowList{rows: [][]types.Datum{row}}, nil
	case e.im.setAs != nil:
		return e.im.setAs(e.columns)(ec, args)
	}
	return e.im.set(ec, args)
}

// sideBySide reads the parts' rows together, as many as the longest has.
func (e *SetCall) sideBySide(ec *EvalContext, args []types.Datum) (SetRows, error) {
	sets := make([]SetRows, len(e.parts))
	for i, p := range e.parts {
		rows, err := p.rows(ec, args[:len(p.Args)])
		if err != nil {
			return nil, err
		}
		sets[i] = p.fields(rows)
		args = args[len(p.Args):]
	}
	return rowFunc(func() ([]types.Datum, bool, error) {
		var row []types.Datum
		any := false
		for i, p := range e.parts {
			part, ok, err := sets[i].Next()
			if err != nil {
				return nil, false, err
			}
			if !ok {
				sets[i] = &rowList{}
				part = make([]types.Datum, len(p.columns))
				for c := range part {
					part[c] = types.NullDatum
				}
			}
			any = any || ok
			row = append(row, part...)
		}
		return row, any, nil
	}), nil
}

func (e *SetCall) each(f func(*Expr))     { eachOf(e.Args, f) }
func (e *SetCall) clone() Expr            { c := *e; c.Args = append([]Expr(nil), e.Args...); return &c }
func (e *SetCall) volatility() Volatility { return e.proc.volatility }

// HasSetCalls reports whether e contains a SetCall.
func HasSetCalls(e Expr) bool {
	return contains(e, func(n Expr) bool {
		_, ok := n.(*SetCall)
		return ok
	})
}

// rowList is rows that are there already.
type rowList struct {
	rows [][]types.Datum
	next int
}

func (l *rowList) Next() ([]types.Datum, bool, error) {
	if l.next == len(l.rows) {
		return nil, false, nil
	}
	l.next++
	return l.rows[l.next-1], true, nil
}

// columnOf is a list of rows with one column each.
func columnOf(values []types.Datum) *rowList {
	l := &rowList{rows: make([][]types.Datum, len(values))}
	for i := range values {
		l.rows[i] = values[i : i+1]
	}
	return l
}

// rowFunc makes rows one by one.
type rowFunc func() (row []types.Datum, ok bool, err error)

func (f rowFunc) Next() ([]types.Datum, bool, error) { return f() }

// columnsFor are the columns of the rows of a function called with args; nil: one, without a name of its own.
func (p *proc) columnsFor(args []Expr) []SetColumn {
	columns := slices.Clone(p.columns)
	for i := range columns {
		if columns[i].Type.OID == anyElementOID {
			columns[i].Type, _ = args[0].Type().Elem()
		}
	}
	return columns
}

// setCall makes the call of a set-returning function whose arguments have been coerced.
func (b *Builder) setCall(c *candidate, args []Expr, result types.OID, s *Scope, pos int) (Expr, error) {
	typ := resultType(result, args)
	e := &SetCall{Args: args, proc: c.proc, im: c.proc.impl.boundTo(args, typ), typ: typ, columns: c.proc.columnsFor(args)}
	if err := b.setColumns(e, s, pos); err != nil {
		return nil, err
	}
	switch {
	case s.inAggregate:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "aggregate function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item."), pos)
	case s.inWindowCall:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "window function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item."), pos)
	case s.inBranch != "":
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.inBranch).
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item."), pos)
	case s.topLevel || s.SetFuncs:
		return e, nil
	case s.Clause == ClauseFrom:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM"), pos)
	case s.Clause == ClauseSelect:
		return nil, b.unsupported("set-returning function "+c.proc.name, pos)
	}
	return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.Clause.noSets()), pos)
}

// setColumns gives a call its columns: those of the function, those of its column definition list, or one of its own name.
func (b *Builder) setColumns(e *SetCall, s *Scope, pos int) error {
	fields := e.typ.Fields()
	switch {
	case e.im.setAs != nil && s.columns.Columns == nil && s.topLevel:
		return b.at(sqlerr.New(sqlerr.SyntaxError, "a column definition list is required for functions returning \"record\""), pos)
	case e.im.setAs != nil && s.columns.Columns == nil:
		return sqlerr.New(sqlerr.FeatureNotSupported, "could not determine row type for result of %s", e.proc.name).
			WithHint("Provide a non-null record argument, or call the function in the FROM clause using a column definition list.")
	case e.im.setAs != nil:
		e.columns = s.columns.Columns
	case s.columns.Columns != nil && len(e.columns) > 1:
		return b.at(sqlerr.New(sqlerr.SyntaxError, "a column definition list is redundant for a function with OUT parameters"), s.columns.Pos)
	case s.columns.Columns != nil:
		return b.at(sqlerr.New(sqlerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\""), s.columns.Pos)
	case fields != nil:
		e.columns, e.records = fieldColumns(e.typ), true
		return nil
	case e.columns == nil:
		e.columns = []SetColumn{{e.proc.name, e.typ}}
	}
	if len(e.columns) > 1 || e.im.setAs != nil {
		for _, c := range e.columns {
			fields = append(fields, types.Field(c))
		}
		e.typ = types.RecordOf(types.RowType{}, fields)
	}
	return nil
}

// noSets is what messages call a clause that has no sets.
func (c Clause) noSets() string {
	if f := c.fact(); f.aggregates != "" {
		return f.aggregates
	}
	return c.fact().name
}

// BuildTableFunc makes the call of a function in FROM, which returns a set or one value. Columns is its column definition list.
func (b *Builder) BuildTableFunc(x parse.Expr, columns ColumnList, s *Scope) (*SetCall, error) {
	if call, ok := x.(*parse.FuncCall); ok && call.Name.Name == "unnest" && len(call.Args) > 1 {
		return b.unnestAll(call, s)
	}
	scope := *s
	scope.topLevel, scope.columns = true, columns
	e, err := b.Build(x, &scope)
	if err != nil {
		return nil, err
	}
	if set, ok := e.(*SetCall); ok {
		return set, nil
	}
	if columns.Columns != nil {
		return nil, b.at(sqlerr.New(sqlerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\""), columns.Pos)
	}
	if e, err = b.Resolve(e); err != nil {
		return nil, err
	}
	name := ColumnName(x)
	if e.Type().IsRecord() {
		return &SetCall{
			Args: []Expr{e}, scalar: true, records: true, proc: &proc{name: name, kind: 'f'}, typ: e.Type(), columns: fieldColumns(e.Type()),
		}, nil
	}
	return &SetCall{
		Args: []Expr{e}, scalar: true, proc: &proc{name: name, kind: 'f'}, typ: e.Type(),
		columns: []SetColumn{{name, e.Type()}},
	}, nil
}

// unnestAll makes unnest(a, b, …) of FROM, which reads several arrays side by side.
func (b *Builder) unnestAll(x *parse.FuncCall, s *Scope) (*SetCall, error) {
	var parts []*SetCall
	for _, a := range x.Args {
		one := *x
		one.Args = []parse.Expr{a}
		part, err := b.BuildTableFunc(&one, ColumnList{}, s)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return SideBySide(parts), nil
}

// SideBySide makes the call that reads several together, as many rows as the longest has. It goes by the name of the first.
func SideBySide(parts []*SetCall) *SetCall {
	all := &SetCall{proc: &proc{name: parts[0].proc.name, kind: 'f', retset: true}, parts: parts}
	for _, p := range parts {
		all.Args, all.columns = append(all.Args, p.Args...), append(all.columns, p.columns...)
		all.proc.volatility = max(all.proc.volatility, p.proc.volatility)
	}
	fields := make([]types.Field, len(all.columns))
	for i, c := range all.columns {
		fields[i] = types.Field(c)
	}
	all.typ = types.RecordOf(types.RowType{}, fields)
	return all
}
