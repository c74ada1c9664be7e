package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Aggregate is a call of an aggregate function. It has no value of its own: the planner takes it out of the expression it
// stands in, has its state filled row by row (NewState) and puts a Column with the result in its place.
type Aggregate struct {
	Args     []Expr
	Distinct bool
	OrderBy  []SortKey
	Filter   Expr // nil: none
	Star     bool // count(*)
	within   bool // WITHIN GROUP, see addOrderedSets
	proc     *proc
	typ      types.Type
	pos      int // byte offset of the call
}

// SortKey is an item of ORDER BY.
type SortKey struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool
}

// Name is the function's name.
func (e *Aggregate) Name() string { return e.proc.name }

// Pos is the byte offset of the call.
func (e *Aggregate) Pos() int { return e.pos }

// Type is the type of the result.
func (e *Aggregate) Type() types.Type { return e.typ }

// Eval fails: see Aggregate.
func (e *Aggregate) Eval(*EvalContext, Row) (types.Datum, error) {
	return types.Datum{}, sqlerr.Internal("aggregate %s evaluated as a function", e.proc.name)
}

func (e *Aggregate) each(f func(*Expr)) {
	eachOf(e.Args, f)
	for i := range e.OrderBy {
		f(&e.OrderBy[i].Expr)
	}
	if e.Filter != nil {
		f(&e.Filter)
	}
}

func (e *Aggregate) clone() Expr {
	c := *e
	c.Args = append([]Expr(nil), e.Args...)
	c.OrderBy = append([]SortKey(nil), e.OrderBy...)
	return &c
}

func (e *Aggregate) volatility() Volatility { return Immutable }

// State is an aggregate's state over the rows of one group.
type State interface {
	// Add takes in a row: it evaluates the filter and the arguments. It keeps nothing of the row.
	Add(ec *EvalContext, row Row) error
	// Result gives the value over the rows so far; more may be added afterwards.
	Result(ec *EvalContext) (types.Datum, error)
	// Bytes is about how much memory the state holds beyond a fixed 200 bytes.
	Bytes() int
}
