package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// setOp is UNION, INTERSECT and EXCEPT, by counting the rows of the right input in a hash table. UNION passes the left rows and then the
// right ones.
type setOp struct {
	env         *Env
	node        *plan.SetOp
	left, right Operator
	counts      map[string]int64 // INTERSECT and EXCEPT: how often a row is in the right input; else: which rows were given
	key         []byte
	bytes       int64
	leftDone    bool
	out         types.Batch
}

func (s *setOp) Open(ctx context.Context) error {
	s.counts, s.leftDone = map[string]int64{}, false
	if err := s.right.Open(ctx); err != nil {
		return err
	}
	if s.node.Kind != plan.Union {
		if err := s.count(ctx); err != nil {
			return err
		}
	}
	return s.left.Open(ctx)
}

// count reads the right input.
func (s *setOp) count(ctx context.Context) error {
	for {
		in, err := s.right.Next(ctx)
		if in == nil || err != nil {
			return err
		}
		for r := range in.Rows() {
			if err := s.add(in, r, 1); err != nil {
				return err
			}
		}
	}
}

// makeKey encodes a row so that equal rows have equal keys.
func (s *setOp) makeKey(in *types.Batch, r int) {
	s.key = s.key[:0]
	for c, t := range s.node.Columns {
		d := in.Datum(c, r)
		s.key = rowenc.AppendKey(s.key, t, &d)
	}
}

// add changes the count of a row.
func (s *setOp) add(in *types.Batch, r int, n int64) error {
	s.makeKey(in, r)
	if _, ok := s.counts[string(s.key)]; !ok {
		size := int64(len(s.key)) + mapEntryBytes
		if err := s.env.Memory.grow(size); err != nil {
			return err
		}
		s.bytes += size
	}
	s.counts[string(s.key)] += n
	return nil
}

func (s *setOp) Next(ctx context.Context) (*types.Batch, error) {
	for {
		in, err := s.input(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		if s.node.Kind == plan.Union && s.node.All {
			return in, nil
		}
		s.out.Cols, s.out.N, s.out.Sel = in.Cols, in.N, noneSelected(s.out.Sel)
		for r := range in.Rows() {
			ok, err := s.passes(in, r)
			if err != nil {
				return nil, err
			}
			if ok {
				s.out.Sel = append(s.out.Sel, int32(in.Row(r)))
			}
		}
		if len(s.out.Sel) > 0 {
			return &s.out, nil
		}
	}
}

// input gives the next rows that may be in the result.
func (s *setOp) input(ctx context.Context) (*types.Batch, error) {
	if !s.leftDone {
		in, err := s.left.Next(ctx)
		if in != nil || err != nil {
			return in, err
		}
		s.leftDone = true
	}
	if s.node.Kind != plan.Union {
		return nil, nil
	}
	return s.right.Next(ctx)
}

// given marks the rows of INTERSECT and EXCEPT that are in the result already: no count is so low.
const given = -1 << 62

// passes reports whether a row is in the result, and notes that it was given.
func (s *setOp) passes(in *types.Batch, r int) (bool, error) {
	s.makeKey(in, r)
	n, known := s.counts[string(s.key)]
	switch {
	case s.node.Kind == plan.Union:
		return !known, s.add(in, r, 1)
	case s.node.Kind == plan.Intersect && s.node.All:
		if n <= 0 {
			return false, nil
		}
		return true, s.add(in, r, -1)
	case s.node.Kind == plan.Intersect:
		if n <= 0 {
			return false, nil
		}
		return true, s.add(in, r, given-n)
	case s.node.All: // EXCEPT ALL
		if n > 0 {
			return false, s.add(in, r, -1)
		}
		return true, nil
	default:
		if known {
			return false, nil
		}
		return true, s.add(in, r, given)
	}
}

func (s *setOp) Close() {
	s.left.Close()
	s.right.Close()
	s.env.Memory.shrink(s.bytes)
	s.counts, s.bytes = nil, 0
}
