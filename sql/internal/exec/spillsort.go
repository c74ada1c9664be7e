package exec

import (
	"context"

	"minidb/sql/types"
)

// maxRuns is how many runs are merged at once.
const maxRuns = 64

// spillIfShort puts the rows that a sorter keeps aside as a run, if the memory is short.
func (s *sorter) spillIfShort(ctx context.Context) error {
	if !s.env.Memory.isShort(s.rows.bytes) {
		return nil
	}
	s.sort()
	if err := s.writeRun(ctx, &sortedRows{sorter: s}); err != nil {
		return err
	}
	s.rows.release()
	s.worst, s.order = -1, s.order[:0]
	if len(s.runs) < maxRuns {
		return nil
	}
	// All of them become one, which stays the first.
	merged, err := newMerge(ctx, s.node.Keys, s.sources())
	if err != nil {
		return err
	}
	old := s.runs
	s.runs = nil
	err = s.writeRun(ctx, merged)
	for _, f := range old {
		f.remove()
	}
	return err
}

// writeRun adds a run of sorted rows.
func (s *sorter) writeRun(ctx context.Context, from rowSource) error {
	f := s.env.newSpillFile(s.rows.types)
	s.runs = append(s.runs, f)
	for {
		b, err := from.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			return f.flush()
		}
		for r := range b.Rows() {
			if err := f.add(b, r); err != nil {
				return err
			}
		}
	}
}

// sources read the runs.
func (s *sorter) sources() []rowSource {
	out := make([]rowSource, 0, len(s.runs)+1)
	for _, f := range s.runs {
		out = append(out, f.reader())
	}
	return out
}

// startMerge merges the runs, if there are any, with the rows that are kept and sorted.
func (s *sorter) startMerge(ctx context.Context) (err error) {
	if len(s.runs) > 0 {
		s.merge, err = newMerge(ctx, s.node.Keys, append(s.sources(), &sortedRows{sorter: s}))
	}
	return err
}

func (s *sorter) removeRuns() {
	for _, f := range s.runs {
		f.remove()
	}
	s.runs, s.merge = nil, nil
}

// sortedRows gives the rows that a sorter keeps, once they are sorted.
type sortedRows struct {
	sorter *sorter
	next   int
	out    *types.Batch
}

// Next gives the next rows.
func (r *sortedRows) Next(context.Context) (*types.Batch, error) {
	if r.next == len(r.sorter.order) {
		return nil, nil
	}
	if r.out == nil {
		r.out = types.NewBatch(r.sorter.rows.types)
	}
	r.out.Reset()
	r.sorter.fillSorted(r.out, &r.next)
	return r.out, nil
}
