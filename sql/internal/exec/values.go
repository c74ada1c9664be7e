package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// values gives rows of expressions.
type values struct {
	env  *Env
	node *plan.Values
	next int
	out  types.Batch
}

func (v *values) Open(context.Context) error {
	v.next = 0
	v.out.Init(v.node.Columns)
	return nil
}

func (v *values) Next(context.Context) (*types.Batch, error) {
	if v.next == len(v.node.Rows) {
		return nil, nil
	}
	v.out.Reset()
	for v.next < len(v.node.Rows) && v.out.N < types.MaxBatchRows {
		for c, e := range v.node.Rows[v.next] {
			d, err := e.Eval(v.env.Eval, noRow)
			if err != nil {
				return nil, err
			}
			v.out.Cols[c].Append(d)
		}
		v.out.N++
		v.next++
	}
	return &v.out, nil
}

func (v *values) Close() {}
