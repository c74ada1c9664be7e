package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// apply runs its right side anew for each left row.
type apply struct {
	env         *Env
	node        *plan.Apply
	left, right Operator
	rightEnv    *Env // Outer is the row of the arguments
	args        rowDatums
	in          *types.Batch // left rows at hand
	at          int          // of the left row at hand
	open        bool         // right runs for it
	found       bool         // the left row has fitted one
	rest        *types.Batch // right rows at hand
	next        int          // of rest
	row         expr.BatchRow
	pair        pairRow
	out         types.Batch
	split       int
	removed     int64 // pairs that did not fulfil the condition
}

// newApply builds the right side in an environment of its own.
func (b *builder) newApply(n *plan.Apply) (Operator, error) {
	a := &apply{env: b.env, node: n, split: len(n.Left.Types())}
	own := *b.env
	eval := *b.env.Eval
	own.Eval = &eval
	eval.Outer = []expr.Row{&a.args}
	own.EnableSubqueries()
	a.rightEnv = &own
	var err error
	if a.left, err = b.build(n.Left); err != nil {
		return nil, err
	}
	a.right, err = Build(&own, n.Right)
	return a, err
}

func (a *apply) Open(ctx context.Context) error {
	a.out.Init(a.node.Types())
	a.in, a.open = nil, false
	return a.left.Open(ctx)
}

func (a *apply) Next(ctx context.Context) (*types.Batch, error) {
	a.out.Reset()
	for a.out.N < types.MaxBatchRows {
		if a.in == nil || a.at == a.in.Rows() {
			in, err := a.left.Next(ctx)
			if err != nil {
				return nil, err
			}
			a.in, a.at = in, 0
			if in == nil {
				break
			}
		}
		if err := a.step(ctx); err != nil {
			return nil, err
		}
	}
	if a.out.N == 0 {
		return nil, nil
	}
	return &a.out, nil
}

// step takes right rows for the left row at hand, until the batch is full or there are no more.
func (a *apply) step(ctx context.Context) error {
	if !a.open {
		if err := a.begin(ctx); err != nil {
			return err
		}
	}
	a.pair.left, a.pair.leftRow = a.in, a.in.Row(a.at)
	for {
		if a.rest == nil || a.next == a.rest.Rows() {
			var err error
			if a.rest, err = a.right.Next(ctx); err != nil {
				return err
			}
			if a.next = 0; a.rest == nil {
				break
			}
		}
		if a.out.N == types.MaxBatchRows {
			return nil
		}
		a.pair.right, a.pair.rightRow = a.rest, a.rest.Row(a.next)
		a.next++
		if a.node.On != nil {
			if ok, err := isTrue(a.env, a.node.On, &a.pair); err != nil {
				return err
			} else if !ok {
				a.removed++
				continue
			}
		}
		a.found = true
		a.emit(true)
	}
	if !a.found && a.node.Kind == plan.LeftJoin {
		a.emit(false)
	}
	a.right.Close()
	a.open = false
	a.at++
	return nil
}

// begin runs the right side for the left row at hand.
func (a *apply) begin(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	a.row.Batch, a.row.Pos = a.in, a.in.Row(a.at)
	args := make(rowDatums, len(a.node.Args))
	for i, e := range a.node.Args {
		d, err := e.Eval(a.env.Eval, &a.row)
		if err != nil {
			return err
		}
		args[i] = d
	}
	a.args, a.open, a.found, a.rest = args, true, false, nil
	a.rightEnv.Eval.Ctx = a.env.Eval.Ctx
	return a.right.Open(ctx)
}

// emit adds the pair at hand, or the left row with NULLs.
func (a *apply) emit(right bool) {
	for c := range a.out.Cols {
		col := &a.out.Cols[c]
		switch {
		case c < a.split:
			appendValue(col, &a.pair.left.Cols[c], a.pair.leftRow)
		case right:
			appendValue(col, &a.pair.right.Cols[c-a.split], a.pair.rightRow)
		default:
			col.AppendNull()
		}
	}
	a.out.N++
}

func (a *apply) Close() {
	a.left.Close()
	a.right.Close()
}
