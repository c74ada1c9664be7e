package exec

import (
	"cmp"
	"context"
	"math"
	"slices"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// sorter keeps all rows and gives them in order. With a limit it keeps at most twice as many rows as the limit asks for. What is too
// much for the memory it puts aside in sorted runs, and merges them (see spillsort.go).
type sorter struct {
	env   *Env
	input Operator
	node  *plan.Sort
	rows  *rowStore
	items []sortItem
	order []int32 // row numbers, sorted
	worst int     // the last of the rows that a prune kept; -1: there was none
	next  int
	out   types.Batch
	view  types.Batch  // of all rows, if they are in one batch
	runs  []*spillFile // what was put aside, the earlier rows first
	merge *merge       // of the runs and the rows kept; nil: there are no runs
}

// sortItem is a row to be sorted. Rows whose prefixes differ are in their order.
type sortItem struct {
	prefix uint64
	row    int32
}

func (s *sorter) Open(ctx context.Context) error {
	keep := int64(0)
	if s.node.Limit != nil {
		left, skip, err := evalLimit(s.env, s.node.Limit, s.node.Offset)
		if err != nil {
			return err
		}
		if sum := left + skip; sum >= 0 && sum < maxTopRows { // sum may overflow
			keep = max(sum, 1)
		}
	}
	if err := s.input.Open(ctx); err != nil {
		return err
	}
	if s.worst, s.next = -1, 0; s.rows == nil {
		s.rows = newRowStore(s.node.Types(), s.env.Memory)
	}
	if err := s.fill(ctx, int(keep)); err != nil {
		return err
	}
	s.sort()
	return s.startMerge(ctx)
}

// maxTopRows is the limit up to which a sort throws rows away while it reads.
const maxTopRows = 1 << 20

// fill reads the input. If keep is not 0, only the first keep rows of the order are wanted.
func (s *sorter) fill(ctx context.Context, keep int) error {
	for {
		in, err := s.input.Next(ctx)
		if in == nil || err != nil {
			return err
		}
		if keep == 0 {
			if err := s.rows.addBatch(in); err != nil {
				return err
			}
			if err := s.spillIfShort(ctx); err != nil {
				return err
			}
			continue
		}
		for r := range in.Rows() {
			if s.worst >= 0 && s.isBeyond(in, r) {
				continue
			}
			if err := s.rows.add(in, r); err != nil {
				return err
			}
		}
		if s.rows.len() >= 2*keep+types.MaxBatchRows {
			if err := s.prune(keep); err != nil {
				return err
			}
		}
		if err := s.spillIfShort(ctx); err != nil {
			return err
		}
	}
}

// prune throws away all but the first n rows of the order.
func (s *sorter) prune(n int) error {
	s.sort()
	kept := newRowStore(s.rows.types, s.env.Memory)
	for _, i := range s.order[:n] {
		b, r := s.rows.batch(int(i))
		if err := kept.add(b, r); err != nil {
			return err
		}
	}
	s.rows.release()
	s.rows = kept
	s.worst = n - 1
	return nil
}

// isBeyond reports whether row r of a batch comes after all the rows that were kept by the last prune: then it is not wanted.
func (s *sorter) isBeyond(in *types.Batch, r int) bool {
	i := in.Row(r)
	for n := range s.node.Keys {
		k := &s.node.Keys[n]
		if c := compareKey(k, in.Cols[k.Column].Datum(i), s.rows.datum(s.worst, k.Column)); c != 0 {
			return c > 0
		}
	}
	return true // equal rows keep their order
}

// sort orders the rows; equal rows keep their order.
func (s *sorter) sort() {
	n := s.rows.len()
	s.items, s.order = slices.Grow(s.items[:0], n), slices.Grow(s.order[:0], n)
	for i := range n {
		s.items = append(s.items, sortItem{s.prefix(i), int32(i)})
	}
	slices.SortFunc(s.items, func(a, b sortItem) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Or(s.compare(int(a.row), int(b.row)), cmp.Compare(a.row, b.row))
	})
	for _, item := range s.items {
		s.order = append(s.order, item.row)
	}
}

// prefix orders a row by its first key, as far as a number can.
func (s *sorter) prefix(i int) uint64 {
	if len(s.node.Keys) == 0 {
		return 0
	}
	k := &s.node.Keys[0]
	d := s.rows.datum(i, k.Column)
	if d.Null {
		if k.NullsFirst {
			return 0
		}
		return math.MaxUint64
	}
	p := types.SortPrefix(k.Type, d)
	if k.Desc {
		return ^p
	}
	return p
}

func (s *sorter) compare(a, b int) int {
	for i := range s.node.Keys {
		k := &s.node.Keys[i]
		if c := compareKey(k, s.rows.datum(a, k.Column), s.rows.datum(b, k.Column)); c != 0 {
			return c
		}
	}
	return 0
}

// compareKey orders two values by a key of ORDER BY.
func compareKey(k *plan.SortKey, a, b types.Datum) int {
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null:
		return nullOrder(k.NullsFirst)
	case b.Null:
		return -nullOrder(k.NullsFirst)
	}
	c := types.Compare(k.Type, a, b)
	if k.Desc {
		return -c
	}
	return c
}

// nullOrder is how NULL compares with a value.
func nullOrder(first bool) int {
	if first {
		return -1
	}
	return 1
}

func (s *sorter) Next(ctx context.Context) (*types.Batch, error) {
	if s.merge != nil {
		return s.merge.Next(ctx)
	}
	if s.next == len(s.order) {
		return nil, nil
	}
	if all, _ := s.rows.batch(0); len(s.order) < types.MaxBatchRows {
		s.view.Cols, s.view.N, s.view.Sel = all.Cols, all.N, s.order
		s.next = len(s.order)
		return &s.view, nil
	}
	s.out.Init(s.node.Types())
	s.fillSorted(&s.out, &s.next)
	return &s.out, nil
}

// fillSorted adds the sorted rows from next on to a batch until it is full, and moves next.
func (s *sorter) fillSorted(out *types.Batch, next *int) {
	for *next < len(s.order) && out.N < types.MaxBatchRows {
		s.rows.appendTo(out, int(s.order[*next]))
		*next++
	}
}

func (s *sorter) Close() {
	s.input.Close()
	s.removeRuns()
	if s.rows != nil {
		s.rows.recycle()
	}
	if s.order = s.order[:0]; cap(s.order) > keptRows {
		s.items, s.order, s.out = nil, nil, types.Batch{}
	}
	s.next = 0
}
