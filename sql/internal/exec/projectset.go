package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// projectSet reads the sets of each row side by side.
type projectSet struct {
	env   *Env
	input Operator
	exprs []expr.Expr
	sets  []*expr.SetCall // by expression; nil: it is none
	open  []expr.SetRows  // of the row at hand; nil: ended, or no set
	in    *types.Batch    // nil: the input's next batch is wanted
	next  int             // row of in that comes next
	// wanted, if not nil, is how many rows to give at most.
	wanted *int64
	row    expr.BatchRow
	live   bool // open has sets of row
	out    types.Batch
	buf    []types.Datum
}

func newProjectSet(env *Env, n *plan.ProjectSet, input Operator) *projectSet {
	p := &projectSet{
		env: env, input: input, exprs: n.Exprs, sets: make([]*expr.SetCall, len(n.Exprs)),
		open: make([]expr.SetRows, len(n.Exprs)), buf: make([]types.Datum, len(n.Exprs)),
	}
	for i, e := range n.Exprs {
		p.sets[i], _ = e.(*expr.SetCall)
	}
	p.out.Init(n.Types())
	return p
}

func (p *projectSet) pace(wanted *int64) { p.wanted = wanted }

func (p *projectSet) Open(ctx context.Context) error {
	p.in, p.live = nil, false
	return p.input.Open(ctx)
}

func (p *projectSet) Next(ctx context.Context) (*types.Batch, error) {
	p.out.Reset()
	most := types.MaxBatchRows
	if p.wanted != nil {
		most = int(min(*p.wanted, types.MaxBatchRows))
	}
	for p.out.N < most {
		if !p.live {
			ok, err := p.advance(ctx)
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
		}
		if err := p.emit(); err != nil {
			return nil, err
		}
	}
	if p.out.N == 0 {
		return nil, nil
	}
	return &p.out, nil
}

// advance opens the sets of the input's next row; false at the end.
func (p *projectSet) advance(ctx context.Context) (bool, error) {
	for p.in == nil || p.next == p.in.Rows() {
		var err error
		if err = context.Cause(ctx); err != nil {
			return false, err
		}
		if p.in, err = p.input.Next(ctx); p.in == nil || err != nil {
			return false, err
		}
		p.next = 0
	}
	p.row.Batch, p.row.Pos = p.in, p.in.Row(p.next)
	p.next++
	for i, set := range p.sets {
		if set == nil {
			continue
		}
		var err error
		if p.open[i], err = set.Values(p.env.Eval, &p.row); err != nil {
			return false, err
		}
	}
	p.live = true
	return true, nil
}

// emit gives the next row of the sets; if all of them have ended, none.
func (p *projectSet) emit() error {
	p.live = false
	for i, set := range p.sets {
		if set == nil {
			continue
		}
		p.buf[i] = types.NullDatum
		if p.open[i] == nil {
			continue
		}
		row, ok, err := p.open[i].Next()
		if err != nil {
			return err
		}
		if !ok {
			p.open[i] = nil
			continue
		}
		p.live, p.buf[i] = true, set.Value(row)
	}
	if !p.live {
		return nil
	}
	for i, e := range p.exprs {
		if p.sets[i] == nil {
			var err error
			if p.buf[i], err = e.Eval(p.env.Eval, &p.row); err != nil {
				return err
			}
		}
		p.out.Cols[i].Append(p.buf[i])
	}
	p.out.N++
	return nil
}

func (p *projectSet) Close() {
	p.input.Close()
	clear(p.open)
	p.in = nil
}
