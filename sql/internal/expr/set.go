package expr

import (
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
	scalar  bool // Args has the one expression whose value is the only row
}

// SetColumn is a column of the rows of a SetCall.
type SetColumn struct {
	Name string
	Type types.Type
}

// SetRows are rows of a SetCall.
type SetRows interface {
	// Next gives the next row, one value a column, and ok false after the last. The row is valid until the next call.
	Next() (row []types.Datum, ok bool, err error)
}

// Type is that of the only column, or record.
func (e *SetCall) Type() types.Type { return e.typ }

// Name is the function's name.
func (e *SetCall) Name() string { return e.proc.name }

// Columns are the rows' columns. The only column of a function without names for them has the function's.
func (e *SetCall) Columns() []SetColumn { return e.columns }

// Eval fails: see SetCall.
func (e *SetCall) Eval(*EvalContext, Row) (types.Datum, error) {
	return types.Datum{}, sqlerr.Internal("set-returning function %s evaluated as a scalar one", e.proc.name)
}

// Value is the value that a row of the set has in a SELECT list: its only column, or a record.
func (e *SetCall) Value(row []types.Datum) types.Datum {
	if len(e.columns) == 1 {
		return row[0]
	}
	return types.NewRecord(e.typ, row)
}

// Rows evaluates the arguments and gives the function's rows for them.
func (e *SetCall) Rows(ec *EvalContext, row Row) (SetRows, error) {
	args := make([]types.Datum, len(e.Args))
	null := false
	for i, x := range e.Args {
		d, err := x.Eval(ec, row)
		if err != nil {
			return nil, err
		}
		null = null || d.Null
		args[i] = d.Clone()
	}
	switch {
	case e.scalar:
		return &rowList{rows: [][]types.Datum{args}}, nil
	case null && e.proc.strict:
		return &rowList{}, nil
	}
	return e.im.set(ec, args)
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

// setColumns are the names of the columns of functions that have names for them.
var setColumns = map[string][]SetColumn{
	"json_each":                 {{"key", types.Text}, {"value", types.JSON}},
	"json_each_text":            {{"key", types.Text}, {"value", types.Text}},
	"jsonb_each":                {{"key", types.Text}, {"value", types.JSONB}},
	"jsonb_each_text":           {{"key", types.Text}, {"value", types.Text}},
	"json_array_elements":       {{"value", types.JSON}},
	"json_array_elements_text":  {{"value", types.Text}},
	"jsonb_array_elements":      {{"value", types.JSONB}},
	"jsonb_array_elements_text": {{"value", types.Text}},
}

// setCall makes the call of a set-returning function whose arguments have been coerced.
func (b *Builder) setCall(c *candidate, args []Expr, result types.OID, s *Scope, pos int) (Expr, error) {
	typ := resultType(result, args)
	e := &SetCall{Args: args, proc: c.proc, im: c.proc.impl.boundTo(args, typ), typ: typ, columns: setColumns[c.proc.key]}
	switch {
	case e.columns == nil:
		e.columns = []SetColumn{{c.proc.name, typ}}
	case len(e.columns) > 1:
		fields := make([]types.Field, len(e.columns))
		for i, col := range e.columns {
			fields[i] = types.Field{Name: col.Name, Type: col.Type}
		}
		e.typ = types.RecordOf("", fields)
	}
	switch {
	case s.inAggregate:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "aggregate function calls cannot contain set-returning function calls").
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item."), pos)
	case s.inBranch != "":
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.inBranch).
			WithHint("You might be able to move the set-returning function into a LATERAL FROM item."), pos)
	case s.topLevel:
		return e, nil
	case s.Clause == ClauseFrom:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM"), pos)
	case s.Clause != ClauseSelect && s.Clause != ClauseGroupBy && s.Clause != ClauseOrderBy && s.Clause != ClauseDistinctOn:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "set-returning functions are not allowed in %s", s.Clause.noSets()), pos)
	case !s.SetFuncs:
		return nil, b.unsupported("set-returning function "+c.proc.name, pos)
	}
	return e, nil
}

// noSets is what messages call a clause that has no sets.
func (c Clause) noSets() string {
	if f := c.fact(); f.aggregates != "" {
		return f.aggregates
	}
	return c.fact().name
}

// BuildTableFunc makes the call of a function in FROM, which returns a set or one value.
func (b *Builder) BuildTableFunc(x parse.Expr, s *Scope) (*SetCall, error) {
	scope := *s
	scope.topLevel = true
	e, err := b.Build(x, &scope)
	if err != nil {
		return nil, err
	}
	if set, ok := e.(*SetCall); ok {
		return set, nil
	}
	if e, err = b.Resolve(e); err != nil {
		return nil, err
	}
	name := ColumnName(x)
	return &SetCall{
		Args: []Expr{e}, scalar: true, proc: &proc{name: name, kind: 'f'}, typ: e.Type(),
		columns: []SetColumn{{name, e.Type()}},
	}, nil
}
