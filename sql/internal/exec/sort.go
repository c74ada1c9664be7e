package exec

import (
	"context"
	"slices"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// sorter keeps all rows and gives them in order. With a limit it keeps at most twice as many rows as the limit asks for.
type sorter struct {
	env   *Env
	input Operator
	node  *plan.Sort
	rows  *rowStore
	order []int32 // row numbers, sorted
	worst int     // the last of the rows that a prune kept; -1: there was none
	next  int
	out   types.Batch
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
	s.rows, s.worst = newRowStore(s.node.Types(), s.env.Memory), -1
	s.out.Init(s.node.Types())
	if err := s.fill(ctx, int(keep)); err != nil {
		return err
	}
	s.sort()
	return nil
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
		for r := range in.Rows() {
			if s.worst >= 0 && s.isBeyond(in, r) {
				continue
			}
			if err := s.rows.add(in, r); err != nil {
				return err
			}
		}
		if keep > 0 && s.rows.len() >= 2*keep+types.MaxBatchRows {
			if err := s.prune(keep); err != nil {
				return err
			}
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

func (s *sorter) sort() {
	s.order = slices.Grow(s.order[:0], s.rows.len())
	for i := range s.rows.len() {
		s.order = append(s.order, int32(i))
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return s.compare(int(a), int(b)) })
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

func (s *sorter) Next(context.Context) (*types.Batch, error) {
	if s.next == len(s.order) {
		return nil, nil
	}
	s.out.Reset()
	for s.next < len(s.order) && s.out.N < types.MaxBatchRows {
		s.rows.appendTo(&s.out, int(s.order[s.next]))
		s.next++
	}
	return &s.out, nil
}

func (s *sorter) Close() {
	s.input.Close()
	if s.rows != nil {
		s.rows.release()
		s.rows, s.order, s.next = nil, nil, 0
	}
}
