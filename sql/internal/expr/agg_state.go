package expr

import (
	"slices"

	"minidb/sql/types"
)

// accumulator is the state of one aggregate function, with filter, order and distinctness taken care of.
type accumulator interface {
	// add takes in the arguments of a row. It keeps neither args nor what they point to.
	add(ec *EvalContext, args []types.Datum) error
	result(ec *EvalContext) (types.Datum, error)
	bytes() int
}

// aggImpl is the Go side of an aggregate function.
type aggImpl struct {
	make   func(a *Aggregate) accumulator
	strict bool // rows with a NULL among the arguments are left out
	// ordered: the result depends on the order of the rows.
	ordered bool
}

// NewState makes the state for one group.
func (e *Aggregate) NewState() State {
	im := aggregates[e.proc.key]
	s := aggState{agg: e, acc: im.make(e), strict: im.strict, args: make([]types.Datum, len(e.Args))}
	if !e.Distinct && (len(e.OrderBy) == 0 || !im.ordered) {
		return &s
	}
	c := &collectState{aggState: s, sorted: im.ordered}
	if e.Distinct {
		c.seen = make(map[string]struct{})
	}
	return c
}

// aggState feeds an accumulator from rows.
type aggState struct {
	agg    *Aggregate
	acc    accumulator
	strict bool
	args   []types.Datum // of the row at hand
}

// evaluate computes the arguments; ok is false for a row that the filter, or a NULL, leaves out.
func (s *aggState) evaluate(ec *EvalContext, row Row) (ok bool, err error) {
	if s.agg.Filter != nil {
		if ok, err := Holds(ec, s.agg.Filter, row); err != nil || !ok {
			return false, err
		}
	}
	for i, x := range s.agg.Args {
		d, err := x.Eval(ec, row)
		if err != nil {
			return false, err
		}
		if d.Null && s.strict {
			return false, nil
		}
		s.args[i] = d
	}
	return true, nil
}

func (s *aggState) Add(ec *EvalContext, row Row) error {
	ok, err := s.evaluate(ec, row)
	if err != nil || !ok {
		return err
	}
	return s.acc.add(ec, s.args)
}

func (s *aggState) Result(ec *EvalContext) (types.Datum, error) { return s.acc.result(ec) }

func (s *aggState) Bytes() int { return s.acc.bytes() }

// collectState is an aggregate with DISTINCT, or one with ORDER BY whose order matters: the latter keeps its rows until the
// result is asked for.
type collectState struct {
	aggState
	sorted bool
	seen   map[string]struct{} // keys of the arguments so far, for DISTINCT
	rows   [][]types.Datum     // arguments, then ORDER BY values
	size   int
	key    []byte
}

// rowOverhead is about what the slices and map entries around a row's values take.
const rowOverhead = 96

func (s *collectState) Add(ec *EvalContext, row Row) error {
	ok, err := s.evaluate(ec, row)
	if err != nil || !ok {
		return err
	}
	if s.seen != nil {
		s.key = s.key[:0]
		for i, d := range s.args {
			s.key = types.AppendKey(s.key, s.agg.Args[i].Type(), d)
		}
		if _, ok := s.seen[string(s.key)]; ok {
			return nil
		}
		s.seen[string(s.key)] = struct{}{}
		s.size += len(s.key) + rowOverhead
	}
	if !s.sorted {
		return s.acc.add(ec, s.args)
	}
	kept := make([]types.Datum, 0, len(s.args)+len(s.agg.OrderBy))
	for _, d := range s.args {
		kept = append(kept, d.Clone())
	}
	for _, k := range s.agg.OrderBy {
		d, err := k.Expr.Eval(ec, row)
		if err != nil {
			return err
		}
		kept = append(kept, d.Clone())
	}
	for _, d := range kept {
		s.size += datumBytes + len(d.B)
	}
	s.size += rowOverhead
	s.rows = append(s.rows, kept)
	return nil
}

// datumBytes is about the size of a Datum.
const datumBytes = 48

func (s *collectState) Bytes() int { return s.acc.bytes() + s.size }

func (s *collectState) Result(ec *EvalContext) (types.Datum, error) {
	if !s.sorted {
		return s.acc.result(ec)
	}
	slices.SortStableFunc(s.rows, s.compare)
	// More rows may follow, so the accumulator starts anew each time.
	s.acc = aggregates[s.agg.proc.key].make(s.agg)
	for _, r := range s.rows {
		if err := s.acc.add(ec, r[:len(s.args)]); err != nil {
			return types.Datum{}, err
		}
	}
	return s.acc.result(ec)
}

// compare orders by ORDER BY, and then with DISTINCT by the arguments.
func (s *collectState) compare(a, b []types.Datum) int {
	n := len(s.args)
	for i, k := range s.agg.OrderBy {
		if c := k.Compare(a[n+i], b[n+i]); c != 0 {
			return c
		}
	}
	if s.seen == nil {
		return 0
	}
	for i, x := range s.agg.Args {
		if c := (SortKey{Expr: x}).Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// Compare orders two values of the key, NULLs included.
func (k SortKey) Compare(a, b types.Datum) int {
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null != b.Null:
		if a.Null == k.NullsFirst {
			return -1
		}
		return 1
	}
	c := types.Compare(k.Expr.Type(), a, b)
	if k.Desc {
		return -c
	}
	return c
}
