package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// functionScan gives the rows of a function in FROM.
type functionScan struct {
	env  *Env
	node *plan.FunctionScan
	rows expr.SetRows
	n    int64 // rows so far
	out  types.Batch
}

func (s *functionScan) Open(context.Context) error {
	s.out.Init(s.node.Types())
	s.n = 0
	var err error
	s.rows, err = s.node.Call.Rows(s.env.Eval, noRow)
	return err
}

func (s *functionScan) Next(ctx context.Context) (*types.Batch, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.out.Reset()
	for s.out.N < types.MaxBatchRows {
		row, ok, err := s.rows.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		s.n++
		for c, d := range row {
			s.out.Cols[c].Append(d)
		}
		if s.node.Ordinality {
			s.out.Cols[len(row)].AppendInt(s.n)
		}
		s.out.N++
	}
	if s.out.N == 0 {
		return nil, nil
	}
	return &s.out, nil
}

func (s *functionScan) Close() { s.rows = nil }
