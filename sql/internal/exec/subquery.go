package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// subquery runs a query for an expression.
type subquery struct {
	env  *Env // its own: Outer is the row of the arguments
	plan *plan.SubPlan
	op   Operator
	args rowDatums
	pair pairDatums

	// What a query that uses nothing from outside gave, the first time.
	done  bool
	value types.Datum
	any   bool      // it gave a row
	rows  *rowStore // ANY and ALL: its rows
	// set are the rows' keys, if the comparison is an equality that keys decide; nulls tells that a row has a NULL.
	set   map[string]struct{}
	nulls bool
}

// pairDatums is the left side of a comparison and then a row of the query.
type pairDatums struct {
	left []types.Datum
	b    *types.Batch
	row  int
}

// Datum is the value of column i.
func (p *pairDatums) Datum(i int) types.Datum {
	if i < len(p.left) {
		return p.left[i]
	}
	return p.b.Cols[i-len(p.left)].Datum(p.row)
}

// EnableSubqueries makes the expressions of env, whose statement begins, evaluate the queries inside of them.
func (e *Env) EnableSubqueries() {
	if e.Subqueries == nil || e.Subqueries.env != e {
		e.Subqueries = newSubqueries(e)
	}
	s := e.Subqueries
	s.Forget()
	if e.work == nil {
		e.work = s.work
	}
	e.Eval.Subquery = s.eval
}

// Subqueries are the queries inside the expressions of a statement, by their plans, made when they are first needed.
type Subqueries struct {
	env  *Env
	all  map[*plan.SubPlan]*subquery
	work map[*plan.WorkTable]*rowStore // Env.work, if it is not another's
	eval func(ec *expr.EvalContext, s *expr.Subquery, row expr.Row) (types.Datum, error)
}

// Forget lets go of what the statement kept of its queries.
func (s *Subqueries) Forget() {
	clear(s.all)
	clear(s.work)
}

func newSubqueries(e *Env) *Subqueries {
	s := &Subqueries{env: e, all: map[*plan.SubPlan]*subquery{}, work: map[*plan.WorkTable]*rowStore{}}
	s.eval = func(ec *expr.EvalContext, q *expr.Subquery, row expr.Row) (types.Datum, error) {
		sub, err := s.get(q.Plan.(*plan.SubPlan))
		if err != nil {
			return types.Datum{}, err
		}
		return sub.eval(ec, q.Args, row)
	}
	return s
}

func (s *Subqueries) get(p *plan.SubPlan) (*subquery, error) {
	if q := s.all[p]; q != nil {
		return q, nil
	}
	own := *s.env
	if p.Function != "" {
		own.calls++
	}
	eval := *s.env.Eval
	own.Eval = &eval
	q := &subquery{env: &own, plan: p}
	eval.Outer = []expr.Row{&q.args}
	own.EnableSubqueries()
	var err error
	if q.op, err = Build(&own, p.Root); err != nil {
		return nil, err
	}
	s.all[p] = q
	return q, nil
}

// eval computes the value of the expression for a row of the enclosing query.
func (s *subquery) eval(ec *expr.EvalContext, args []expr.Expr, row expr.Row) (types.Datum, error) {
	values := make(rowDatums, len(args))
	for i, a := range args {
		d, err := a.Eval(ec, row)
		if err != nil {
			return types.Datum{}, err
		}
		if d.Null && s.plan.Strict {
			return types.NullDatum, nil
		}
		values[i] = d
	}
	s.args = values
	s.env.Eval.Ctx = ec.Ctx
	ctx := ec.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	if s.plan.Function != "" {
		return s.call(ctx)
	}
	if s.plan.Correlated {
		return s.run(ctx)
	}
	return s.runOnce(ctx)
}

// maxCalls is how deep calls of functions may be nested, as PostgreSQL's stack of 2 MB allows.
const maxCalls = 2000

// call runs the body of a function.
func (s *subquery) call(ctx context.Context) (d types.Datum, err error) {
	if s.env.calls > maxCalls {
		return d, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack depth limit is adequate.")
	}
	if s.plan.Correlated {
		d, err = s.run(ctx)
	} else {
		d, err = s.runOnce(ctx)
	}
	if e, ok := sqlerr.As(err); ok && e.Code != sqlerr.StatementTooComplex {
		where := "SQL function \"" + s.plan.Function + "\" statement 1"
		if e.Where != "" {
			where = e.Where + "\n" + where
		}
		err = e.WithWhere("%s", where)
	}
	if s.plan.Void {
		d = types.NullDatum
	}
	return d, err
}

// run runs the query and stops as soon as the value is decided.
func (s *subquery) run(ctx context.Context) (types.Datum, error) {
	defer s.op.Close()
	if err := s.op.Open(ctx); err != nil {
		return types.Datum{}, err
	}
	fold := newFold(s.plan.Kind)
	defer func() { s.env.Memory.shrink(fold.bytes) }()
	for {
		b, err := s.op.Next(ctx)
		if err != nil {
			return types.Datum{}, err
		}
		if b == nil {
			if s.plan.Kind == expr.ArraySubquery {
				return types.ArrayOf(s.plan.Root.Types()[0], fold.elems), nil
			}
			return fold.value, nil
		}
		for r := range b.Rows() {
			done, err := s.fold(&fold, b, r)
			if done || err != nil {
				return fold.value, err
			}
		}
	}
}

// rowFold is the value over the rows so far.
type rowFold struct {
	value types.Datum
	any   bool
	elems []types.Datum // of an array
	bytes int64         // that they count for
}

func newFold(kind expr.SubqueryKind) rowFold {
	switch kind {
	case expr.ScalarSubquery, expr.CompareSubquery, expr.RowSubquery:
		return rowFold{value: types.NullDatum}
	case expr.AllSubquery:
		return rowFold{value: types.NewBool(true)}
	default:
		return rowFold{value: types.NewBool(false)}
	}
}

// datumBytes is about what a Datum takes beside its bytes.
const datumBytes = 56

// fold takes in a row. It reports true if no other row can change the value.
func (s *subquery) fold(f *rowFold, b *types.Batch, r int) (done bool, err error) {
	switch s.plan.Kind {
	case expr.ExistsSubquery:
		f.value = types.NewBool(true)
		return true, nil
	case expr.ScalarSubquery, expr.CompareSubquery, expr.RowSubquery:
		if f.any {
			return true, sqlerr.New(sqlerr.CardinalityViolation, "more than one row returned by a subquery used as an expression")
		}
		f.any = true
		f.value, err = s.only(b, r)
		return false, err
	case expr.ArraySubquery:
		d := b.Datum(0, r).Clone()
		n := int64(len(d.B)) + datumBytes
		if err := s.env.Memory.grow(n); err != nil {
			return false, err
		}
		f.elems, f.bytes = append(f.elems, d), f.bytes+n
		return false, nil
	}
	s.pair = pairDatums{left: s.args[:s.plan.Left], b: b, row: b.Row(r)}
	d, err := s.plan.Compare.Eval(s.env.Eval, &s.pair)
	if err != nil {
		return false, err
	}
	switch {
	case d.Null:
		f.value = types.NullDatum
	case d.Bool() == (s.plan.Kind == expr.AnySubquery):
		f.value = d
		return true, nil
	}
	return false, nil
}

// only is the value that the only row of a query gives.
func (s *subquery) only(b *types.Batch, r int) (types.Datum, error) {
	switch s.plan.Kind {
	case expr.CompareSubquery:
		s.pair = pairDatums{left: s.args[:s.plan.Left], b: b, row: b.Row(r)}
		return s.plan.Compare.Eval(s.env.Eval, &s.pair)
	case expr.RowSubquery:
		values := make([]types.Datum, s.plan.Columns)
		for c := range values {
			values[c] = b.Datum(c, r)
		}
		return types.NewRecord(s.plan.Row, values), nil
	default:
		return b.Datum(0, r).Clone(), nil
	}
}

// runOnce gives the value of a query that depends on nothing but the left side of its comparison.
func (s *subquery) runOnce(ctx context.Context) (types.Datum, error) {
	compares := s.plan.Kind == expr.AnySubquery || s.plan.Kind == expr.AllSubquery || s.plan.Kind == expr.CompareSubquery
	if !s.done {
		var err error
		if compares {
			err = s.keep(ctx)
		} else {
			s.value, err = s.run(ctx)
		}
		if err != nil {
			return types.Datum{}, err
		}
		s.done = true
	}
	if !compares {
		return s.value, nil
	}
	if s.set != nil {
		return s.lookUp()
	}
	fold := newFold(s.plan.Kind)
	for i := 0; i < s.rows.len(); {
		b, _ := s.rows.batch(i)
		for r := range b.Rows() {
			done, err := s.fold(&fold, b, r)
			if done || err != nil {
				return fold.value, err
			}
		}
		i += b.N
	}
	return fold.value, nil
}

// keep reads the rows of the query.
func (s *subquery) keep(ctx context.Context) error {
	defer s.op.Close()
	if err := s.op.Open(ctx); err != nil {
		return err
	}
	s.rows = newRowStore(s.plan.Root.Types(), s.env.Memory)
	hashed := s.plan.Kind == expr.AnySubquery && s.plan.Left == 1 && s.isHashable()
	if hashed {
		s.set = map[string]struct{}{}
	}
	for {
		b, err := s.op.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		for r := range b.Rows() {
			if !hashed {
				if err := s.rows.add(b, r); err != nil {
					return err
				}
				continue
			}
			if err := s.addKey(b, r); err != nil {
				return err
			}
		}
	}
}

// isHashable reports whether the comparison is an equality that equal keys decide.
func (s *subquery) isHashable() bool {
	left, right, ok := expr.MatchEquality(s.plan.Compare)
	return ok && expr.VolatilityOf(left) == expr.Immutable && expr.VolatilityOf(right) == expr.Immutable
}

func (s *subquery) addKey(b *types.Batch, r int) error {
	_, right, _ := expr.MatchEquality(s.plan.Compare)
	s.pair = pairDatums{left: s.args[:1], b: b, row: b.Row(r)}
	d, err := right.Eval(s.env.Eval, &s.pair)
	if err != nil {
		return err
	}
	s.any = true
	if d.Null {
		s.nulls = true
		return nil
	}
	key := rowenc.AppendKey(nil, right.Type(), &d)
	if _, ok := s.set[string(key)]; ok {
		return nil
	}
	s.set[string(key)] = struct{}{}
	return s.env.Memory.grow(int64(len(key)) + mapEntryBytes)
}

// lookUp is left = ANY (rows) by the set of the rows' keys.
func (s *subquery) lookUp() (types.Datum, error) {
	left, _, _ := expr.MatchEquality(s.plan.Compare)
	s.pair = pairDatums{left: s.args[:1]}
	d, err := left.Eval(s.env.Eval, &s.pair)
	switch {
	case err != nil:
		return d, err
	case !s.any:
		return types.NewBool(false), nil
	case d.Null:
		return types.NullDatum, nil
	}
	if _, ok := s.set[string(rowenc.AppendKey(nil, left.Type(), &d))]; ok {
		return types.NewBool(true), nil
	}
	if s.nulls {
		return types.NullDatum, nil
	}
	return types.NewBool(false), nil
}
