package exec

import (
	"container/heap"
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// merge gives the rows of sorted sources in order; of equal ones those of the earlier source first.
type merge struct {
	top mergeHeap
	out *types.Batch
}

// mergeSource is a source with a row at hand.
type mergeSource struct {
	number int
	from   rowSource
	batch  *types.Batch
	row    int
}

// advance goes to the next row. It reports false at the end.
func (s *mergeSource) advance(ctx context.Context) (bool, error) {
	s.row++
	if s.batch != nil && s.row < s.batch.Rows() {
		return true, nil
	}
	var err error
	s.batch, err = s.from.Next(ctx)
	s.row = 0
	return s.batch != nil, err
}

func newMerge(ctx context.Context, keys []plan.SortKey, sources []rowSource) (*merge, error) {
	m := &merge{top: mergeHeap{keys: keys}}
	for i, from := range sources {
		s := &mergeSource{number: i, from: from}
		ok, err := s.advance(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			m.top.sources = append(m.top.sources, s)
		}
	}
	heap.Init(&m.top)
	return m, nil
}

// Next gives the next rows.
func (m *merge) Next(ctx context.Context) (*types.Batch, error) {
	if len(m.top.sources) == 0 {
		return nil, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if m.out == nil {
		first := m.top.sources[0].batch
		ts := make([]types.Type, len(first.Cols))
		for i := range ts {
			ts[i] = first.Cols[i].Type
		}
		m.out = types.NewBatch(ts)
	}
	m.out.Reset()
	for len(m.top.sources) > 0 && m.out.N < types.MaxBatchRows {
		s := m.top.sources[0]
		i := s.batch.Row(s.row)
		for c := range m.out.Cols {
			appendValue(&m.out.Cols[c], &s.batch.Cols[c], i)
		}
		m.out.N++
		ok, err := s.advance(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			heap.Fix(&m.top, 0)
		} else {
			heap.Pop(&m.top)
		}
	}
	return m.out, nil
}

// mergeHeap has the source with the first row on top.
type mergeHeap struct {
	keys    []plan.SortKey
	sources []*mergeSource
}

func (h *mergeHeap) Len() int      { return len(h.sources) }
func (h *mergeHeap) Swap(i, j int) { h.sources[i], h.sources[j] = h.sources[j], h.sources[i] }

func (h *mergeHeap) Less(i, j int) bool {
	a, b := h.sources[i], h.sources[j]
	for n := range h.keys {
		k := &h.keys[n]
		if c := compareKey(k, a.batch.Datum(k.Column, a.row), b.batch.Datum(k.Column, b.row)); c != 0 {
			return c < 0
		}
	}
	return a.number < b.number
}

func (h *mergeHeap) Push(any) { panic("exec: a merge gets no new sources") }

func (h *mergeHeap) Pop() any {
	last := len(h.sources) - 1
	s := h.sources[last]
	h.sources = h.sources[:last]
	return s
}
