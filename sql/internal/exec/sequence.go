package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// sequenceRow gives a sequence's row.
type sequenceRow struct {
	env  *Env
	node *plan.SequenceRow
	done bool
	out  types.Batch
}

func (s *sequenceRow) Open(context.Context) error {
	s.done = false
	s.out.Init(s.node.Types())
	return nil
}

func (s *sequenceRow) Next(ctx context.Context) (*types.Batch, error) {
	if s.done {
		return nil, nil
	}
	s.done = true
	stands, err := s.env.View.Store().SequenceStanding(ctx, s.node.Sequence)
	if err != nil {
		return nil, err
	}
	s.out.Reset()
	// log_cnt tells how many numbers of a block are left, in PostgreSQL's store.
	s.out.AppendRow([]types.Datum{types.NewInt(stands.Last), types.NewInt(0), types.NewBool(stands.Called)})
	return &s.out, nil
}

func (s *sequenceRow) Close() {}
