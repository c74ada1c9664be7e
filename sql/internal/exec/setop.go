package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// setOp is UNION, INTERSECT and EXCEPT, by counting the rows of the right input in a hash table. UNION passes the left rows and then the
// right ones. When the table has no room for more rows, others are put aside, those of both inputs by the hashes of the rows, and are
// taken afterwards.
type setOp struct {
	env         *Env
	node        *plan.SetOp
	left, right Operator
	rows        keyTable
	counts      []int64 // by row: INTERSECT and EXCEPT: how often it is in the right input
	key         []byte
	bytes       int64
	from        rowSource // of the rows that may be in the result
	leftDone    bool
	out         types.Batch

	aside setAside
	parts []joinPart // still to be taken
	part  joinPart   // that is being taken
}

// setAside are the rows of the inputs that the table had no room for.
type setAside struct {
	right, left *partitions
}

func (s *setOp) Open(ctx context.Context) error {
	s.from, s.leftDone = s.left, false
	if err := s.right.Open(ctx); err != nil {
		return err
	}
	if s.node.Kind != plan.Union {
		if err := s.count(ctx, s.right); err != nil {
			return err
		}
	}
	return s.left.Open(ctx)
}

// count reads rows of the right input.
func (s *setOp) count(ctx context.Context, from rowSource) error {
	for {
		in, err := from.Next(ctx)
		if in == nil || err != nil {
			return err
		}
		for r := range in.Rows() {
			sum := s.makeKey(in, r)
			if i := s.rows.find(s.key, sum); i >= 0 {
				s.counts[i]++
			} else if s.isFull() {
				err = s.aside.right.add(in, r, sum)
			} else {
				err = s.add(sum, 1)
			}
			if err != nil {
				return err
			}
		}
	}
}

// isFull reports whether rows that are new are put aside.
func (s *setOp) isFull() bool {
	if s.aside.left == nil && s.part.depth < spillDepth && s.env.Memory.isShort(s.bytes) {
		ts := s.node.Types()
		s.aside = setAside{right: s.env.newPartitions(ts, s.part.depth), left: s.env.newPartitions(ts, s.part.depth)}
	}
	return s.aside.left != nil
}

// makeKey encodes a row so that equal rows have equal keys, and gives the key's hash.
func (s *setOp) makeKey(in *types.Batch, r int) uint64 {
	s.key = s.key[:0]
	for c, t := range s.node.Columns {
		d := in.Datum(c, r)
		s.key = rowenc.AppendKey(s.key, t, &d)
	}
	return hashKey(s.key)
}

// add enters the row at hand with a count.
func (s *setOp) add(sum uint64, n int64) error {
	size := int64(len(s.key)) + mapEntryBytes
	if err := s.env.Memory.grow(size); err != nil {
		return err
	}
	s.bytes += size
	s.rows.add(s.key, sum)
	s.counts = append(s.counts, n)
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
	for {
		in, err := s.from.Next(ctx)
		if in != nil || err != nil {
			return in, err
		}
		if !s.leftDone && s.node.Kind == plan.Union {
			s.from, s.leftDone = s.right, true
			continue
		}
		s.leftDone = true
		if more, err := s.nextPart(ctx); !more || err != nil {
			return nil, err
		}
	}
}

// nextPart goes on to rows that were put aside.
func (s *setOp) nextPart(ctx context.Context) (bool, error) {
	if a := s.aside; a.left != nil {
		if err := a.right.flush(); err != nil {
			return false, err
		}
		if err := a.left.flush(); err != nil {
			return false, err
		}
		for i := range a.left.files {
			s.parts = append(s.parts, joinPart{built: a.right.files[i], other: a.left.files[i], depth: s.part.depth + 1})
		}
		s.aside = setAside{}
	}
	if len(s.parts) == 0 {
		return false, nil
	}
	s.part.remove()
	last := len(s.parts) - 1
	s.part, s.parts = s.parts[last], s.parts[:last]
	s.forget()
	s.from = s.part.other.reader()
	return true, s.count(ctx, s.part.built.reader())
}

// given marks the rows of INTERSECT and EXCEPT that are in the result already: no count is so low.
const given = -1 << 62

// passes reports whether a row is in the result, and notes that it was given; if there is no room for it, it is put aside.
func (s *setOp) passes(in *types.Batch, r int) (bool, error) {
	sum := s.makeKey(in, r)
	i := s.rows.find(s.key, sum)
	if i >= 0 {
		return s.passesAgain(i), nil
	}
	enters := s.node.Kind == plan.Union || s.node.Kind == plan.Except && !s.node.All
	if s.aside.left != nil || enters && s.isFull() {
		return false, s.aside.left.add(in, r, sum)
	}
	if !enters {
		return s.node.Kind == plan.Except, nil
	}
	return true, s.add(sum, given)
}

// passesAgain is passes for a row that has a count.
func (s *setOp) passesAgain(i int) bool {
	n := s.counts[i]
	switch {
	case s.node.Kind == plan.Union || s.node.Kind == plan.Except && !s.node.All:
		return false
	case s.node.Kind == plan.Except: // ALL
		if n > 0 {
			s.counts[i]--
		}
		return n <= 0
	case n > 0 && s.node.All:
		s.counts[i]--
	case n > 0:
		s.counts[i] = given
	}
	return n > 0
}

// forget drops the rows that were counted.
func (s *setOp) forget() {
	s.env.Memory.shrink(s.bytes)
	s.rows.reset()
	s.counts, s.bytes = s.counts[:0], 0
}

func (s *setOp) Close() {
	s.left.Close()
	s.right.Close()
	s.forget()
	s.aside.right.remove()
	s.aside.left.remove()
	s.part.remove()
	for _, p := range s.parts {
		p.remove()
	}
	s.aside, s.part, s.parts = setAside{}, joinPart{}, nil
}
