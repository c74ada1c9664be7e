package exec

import (
	"minidb/sql/types"
)

// rowStore keeps rows in batches, in the order in which they were added. Its memory is counted.
type rowStore struct {
	types  []types.Type
	memory *Memory
	full   []*types.Batch // each of MaxBatchRows rows
	last   *types.Batch   // not yet counted; nil or empty if there are no rows beyond full
	bytes  int64
}

func newRowStore(ts []types.Type, m *Memory) *rowStore { return &rowStore{types: ts, memory: m} }

// len is the number of rows.
func (s *rowStore) len() int {
	n := len(s.full) * types.MaxBatchRows
	if s.last != nil {
		n += s.last.N
	}
	return n
}

// add copies row r of b.
func (s *rowStore) add(b *types.Batch, r int) error {
	last := s.room()
	i := b.Row(r)
	for c := range last.Cols {
		if i < b.Cols[c].Len() { // a column that nobody wants has no values
			last.Cols[c].Append(b.Cols[c].Datum(i))
		}
	}
	last.N++
	return s.countIfFull()
}

// addBatch copies all rows of b.
func (s *rowStore) addBatch(b *types.Batch) error {
	if last := s.room(); b.Sel == nil && last.N+b.N < types.MaxBatchRows {
		for c := range last.Cols {
			last.Cols[c].AppendVec(&b.Cols[c])
		}
		last.N += b.N
		return nil
	}
	for r := range b.Rows() {
		if err := s.add(b, r); err != nil {
			return err
		}
	}
	return nil
}

// addRow copies a row of datums.
func (s *rowStore) addRow(row []types.Datum) error {
	s.room().AppendRow(row)
	return s.countIfFull()
}

func (s *rowStore) room() *types.Batch {
	if s.last == nil {
		s.last = types.NewBatch(s.types)
	}
	return s.last
}

func (s *rowStore) countIfFull() error {
	if s.last.N < types.MaxBatchRows {
		return nil
	}
	n := batchBytes(s.last)
	if err := s.memory.grow(n); err != nil {
		return err
	}
	s.bytes += n
	s.full = append(s.full, s.last)
	s.last = nil
	return nil
}

// batch is the batch that holds row i, and the row's place in it.
func (s *rowStore) batch(i int) (*types.Batch, int) {
	if c := i / types.MaxBatchRows; c < len(s.full) {
		return s.full[c], i % types.MaxBatchRows
	}
	return s.last, i % types.MaxBatchRows
}

// datum is column c of row i.
func (s *rowStore) datum(i, c int) types.Datum {
	b, r := s.batch(i)
	return b.Cols[c].Datum(r)
}

// appendTo copies row i to the end of b.
func (s *rowStore) appendTo(b *types.Batch, i int) {
	from, r := s.batch(i)
	for c := range b.Cols {
		if r < from.Cols[c].Len() {
			b.Cols[c].Append(from.Cols[c].Datum(r))
		}
	}
	b.N++
}

// release forgets the rows and gives their memory back.
func (s *rowStore) release() {
	s.memory.shrink(s.bytes)
	s.full, s.last, s.bytes = nil, nil, 0
}

// recycle is release that keeps the memory of a few rows for the next ones. Requires that nobody looks at the rows any more.
func (s *rowStore) recycle() {
	last := s.last
	few := len(s.full) == 0 && last != nil && last.N <= keptRows
	if s.release(); few {
		last.Reset()
		s.last = last
	}
}
