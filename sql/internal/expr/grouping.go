package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Grouping is GROUPING(…): a bit an argument, the last one's lowest, which is 1 where the row's grouping set does not have the
// argument. Like an Aggregate it has no value of its own.
type Grouping struct {
	Args []Expr
	Pos  []int // of the arguments, byte offsets
}

// Type is int4.
func (e *Grouping) Type() types.Type { return types.Int4 }

// Eval fails: see Grouping.
func (e *Grouping) Eval(*EvalContext, Row) (types.Datum, error) {
	return types.Datum{}, sqlerr.Internal("GROUPING evaluated as a function")
}

func (e *Grouping) each(f func(*Expr)) { eachOf(e.Args, f) }

func (e *Grouping) clone() Expr {
	c := *e
	c.Args = append([]Expr(nil), e.Args...)
	return &c
}

func (e *Grouping) volatility() Volatility { return Immutable }

// maxGroupingArgs is how many bits the result has.
const maxGroupingArgs = 31

func (b *Builder) grouping(x *parse.GroupingFunc, s *Scope) (Expr, error) {
	if len(x.Args) > maxGroupingArgs {
		return nil, b.at(sqlerr.New(sqlerr.TooManyArguments, "GROUPING must have fewer than 32 arguments"), x.Pos)
	}
	g := &Grouping{}
	for _, a := range x.Args {
		e, err := b.Build(a, s)
		if err != nil {
			return nil, err
		}
		g.Args, g.Pos = append(g.Args, e), append(g.Pos, Leftmost(a))
	}
	if c := s.Clause.fact().aggregates; c != "" {
		return nil, b.at(sqlerr.New(sqlerr.GroupingError, "grouping operations are not allowed in %s", c), x.Pos)
	}
	return g, nil
}
