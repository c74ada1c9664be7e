package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// filter passes the rows for which a condition is true, by a selection over the input's columns.
type filter struct {
	env   *Env
	input Operator
	cond  expr.Expr
	out   types.Batch
	row   expr.BatchRow
}

func (f *filter) Open(ctx context.Context) error { return f.input.Open(ctx) }

func (f *filter) Next(ctx context.Context) (*types.Batch, error) {
	for {
		in, err := f.input.Next(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		if err := selectRows(f.env, f.cond, in, &f.out, &f.row); err != nil {
			return nil, err
		}
		if len(f.out.Sel) > 0 {
			return &f.out, nil
		}
	}
}

func (f *filter) Close() { f.input.Close() }

// noneSelected is an empty selection that keeps the memory of sel. It is not nil: that would select all rows.
func noneSelected(sel []int32) []int32 {
	if sel == nil {
		return make([]int32, 0, types.MaxBatchRows)
	}
	return sel[:0]
}

// selectRows makes out the rows of in for which cond is true.
func selectRows(env *Env, cond expr.Expr, in, out *types.Batch, row *expr.BatchRow) error {
	out.Cols, out.N, out.Sel = in.Cols, in.N, noneSelected(out.Sel)
	row.Batch = in
	for r := range in.Rows() {
		row.Pos = in.Row(r)
		ok, err := isTrue(env, cond, row)
		if err != nil {
			return err
		}
		if ok {
			out.Sel = append(out.Sel, int32(row.Pos))
		}
	}
	return nil
}
