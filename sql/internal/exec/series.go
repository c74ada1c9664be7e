package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// series gives the numbers from Start to Stop in steps.
type series struct {
	env         *Env
	node        *plan.Series
	done        bool
	value, stop types.Datum
	step        types.Datum
	up          bool
	out         types.Batch
}

func (s *series) Open(context.Context) error {
	s.out.Init(s.node.Types())
	s.done = false
	s.step = types.NewInt(1)
	if s.node.Type == types.Numeric {
		s.step = types.NewNumeric(1, 0)
	}
	for _, p := range []struct {
		to   *types.Datum
		from func() (types.Datum, error)
	}{
		{&s.value, func() (types.Datum, error) { return s.node.Start.Eval(s.env.Eval, noRow) }},
		{&s.stop, func() (types.Datum, error) { return s.node.Stop.Eval(s.env.Eval, noRow) }},
		{&s.step, func() (types.Datum, error) {
			if s.node.Step == nil {
				return s.step, nil
			}
			return s.node.Step.Eval(s.env.Eval, noRow)
		}},
	} {
		d, err := p.from()
		if err != nil {
			return err
		}
		if d.Null {
			s.done = true
		}
		*p.to = d
	}
	if s.done {
		return nil
	}
	zero := types.Datum{}
	c := types.Compare(s.node.Type, s.step, zero)
	if c == 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "step size cannot equal zero")
	}
	s.up = c > 0
	return nil
}

func (s *series) Next(ctx context.Context) (*types.Batch, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.out.Reset()
	for !s.done && s.out.N < types.MaxBatchRows {
		c := types.Compare(s.node.Type, s.value, s.stop)
		if s.up && c > 0 || !s.up && c < 0 {
			s.done = true
			break
		}
		s.out.Cols[0].Append(s.value)
		s.out.N++
		if err := s.advance(); err != nil {
			return nil, err
		}
	}
	if s.out.N == 0 {
		return nil, nil
	}
	return &s.out, nil
}

// advance adds the step. A series that reaches the end of its type ends.
func (s *series) advance() error {
	if s.node.Type == types.Numeric {
		sum, err := types.NumericAdd(s.value, s.step)
		s.value = sum
		return err
	}
	sum := s.value.I + s.step.I
	low, high := int64(-1<<63), int64(1<<63-1)
	if s.node.Type == types.Int4 {
		low, high = -1<<31, 1<<31-1
	}
	if (s.up && (sum < s.value.I || sum > high)) || (!s.up && (sum > s.value.I || sum < low)) {
		s.done = true
	}
	s.value.I = sum
	return nil
}

func (s *series) Close() {}
