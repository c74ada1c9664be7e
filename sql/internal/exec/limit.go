package exec

import (
	"context"
	"math"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// paced is an operator that computes the values of its rows, which may fail or have effects: so it must not run ahead of LIMIT. It
// gives no more rows at a time than wanted has at that moment.
type paced interface{ pace(wanted *int64) }

// limit passes some rows after the first few.
type limit struct {
	env        *Env
	input      Operator
	node       *plan.Limit
	skip, left int64
	wanted     int64 // rows of the input: skip and left
	out        types.Batch
}

func newLimit(env *Env, n *plan.Limit, input Operator) *limit {
	l := &limit{env: env, input: input, node: n}
	if p, ok := input.(paced); ok {
		p.pace(&l.wanted)
	}
	return l
}

func (l *limit) Open(ctx context.Context) (err error) {
	if l.left, l.skip, err = evalLimit(l.env, l.node.Count, l.node.Offset); err != nil {
		return err
	}
	return l.input.Open(ctx)
}

// evalLimit evaluates LIMIT and OFFSET. NULL is as if there were none.
func evalLimit(env *Env, count, offset expr.Expr) (left, skip int64, err error) {
	left, err = evalCount(env, count, math.MaxInt64, sqlerr.InvalidRowCountInLimit, "LIMIT")
	if err != nil {
		return 0, 0, err
	}
	skip, err = evalCount(env, offset, 0, sqlerr.InvalidRowCountInOffset, "OFFSET")
	return left, skip, err
}

func evalCount(env *Env, e expr.Expr, none int64, code sqlerr.Code, clause string) (int64, error) {
	if e == nil {
		return none, nil
	}
	d, err := e.Eval(env.Eval, noRow)
	switch {
	case err != nil:
		return 0, err
	case d.Null:
		return none, nil
	case d.Int() < 0:
		return 0, sqlerr.New(code, "%s must not be negative", clause)
	}
	return d.Int(), nil
}

func (l *limit) Next(ctx context.Context) (*types.Batch, error) {
	for l.left > 0 {
		l.wanted = l.left + min(l.skip, math.MaxInt64-l.left)
		in, err := l.input.Next(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		n := int64(in.Rows())
		if l.skip >= n {
			l.skip -= n
			continue
		}
		from, to := l.skip, min(n, l.skip+min(l.left, n))
		l.skip, l.left = 0, l.left-(to-from)
		if from == 0 && to == n {
			return in, nil
		}
		l.out.Cols, l.out.N, l.out.Sel = in.Cols, in.N, noneSelected(l.out.Sel)
		for r := from; r < to; r++ {
			l.out.Sel = append(l.out.Sel, int32(in.Row(int(r))))
		}
		return &l.out, nil
	}
	return nil, nil
}

func (l *limit) Close() { l.input.Close() }
