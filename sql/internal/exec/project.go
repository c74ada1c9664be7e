package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// project computes a row of expressions for each row.
type project struct {
	env   *Env
	input Operator
	exprs []expr.Expr
	// columns are the inputs' columns if all expressions are that: then nothing is copied.
	columns []int
	wanted  *int64       // if not nil, how many rows to give at most
	in      *types.Batch // the input's, of which rows from next on are left; nil if none are
	next    int
	out     types.Batch
	row     expr.BatchRow
}

func newProject(env *Env, n *plan.Project, input Operator) *project {
	p := &project{env: env, input: input, exprs: n.Exprs}
	for _, e := range n.Exprs {
		c, ok := e.(*expr.Column)
		if !ok || c.Level != 0 {
			p.columns = nil
			break
		}
		p.columns = append(p.columns, c.Index)
	}
	if p.columns == nil {
		p.out.Init(n.Types())
	}
	return p
}

func (p *project) pace(wanted *int64) {
	p.wanted = wanted
	if in, ok := p.input.(paced); ok {
		in.pace(wanted) // a row for each of its own
	}
}

func (p *project) Open(ctx context.Context) error {
	p.in = nil
	return p.input.Open(ctx)
}

func (p *project) Next(ctx context.Context) (*types.Batch, error) {
	if p.in == nil {
		in, err := p.input.Next(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		p.in, p.next = in, 0
	}
	in, end := p.in, p.in.Rows()
	if p.columns != nil {
		p.in = nil
		p.out.Cols = p.out.Cols[:0]
		for _, c := range p.columns {
			p.out.Cols = append(p.out.Cols, in.Cols[c])
		}
		p.out.N, p.out.Sel = in.N, in.Sel
		return &p.out, nil
	}
	if p.wanted != nil {
		end = int(min(int64(end), int64(p.next)+min(*p.wanted, types.MaxBatchRows)))
	}
	p.out.Reset()
	p.row.Batch = in
	for r := p.next; r < end; r++ {
		p.row.Pos = in.Row(r)
		for c, e := range p.exprs {
			d, err := e.Eval(p.env.Eval, &p.row)
			if err != nil {
				return nil, err
			}
			p.out.Cols[c].Append(d)
		}
		p.out.N++
	}
	if p.next = end; end == in.Rows() {
		p.in = nil
	}
	return &p.out, nil
}

func (p *project) Close() {
	p.in = nil
	p.input.Close()
}
