package exec

import "minidb/sql/types"

// Scrollback keeps the rows that a cursor has read, so that it can go back to them.
type Scrollback struct{ rows *rowStore }

// NewScrollback makes an empty one for rows of some types.
func NewScrollback(ts []types.Type, m *Memory) *Scrollback { return &Scrollback{newRowStore(ts, m)} }

// Add copies all rows of a batch to the end. After an error, for want of memory, it is good for Release only.
func (s *Scrollback) Add(b *types.Batch) error {
	for r := range b.Rows() {
		if err := s.rows.add(b, r); err != nil {
			return err
		}
	}
	return nil
}

// Len is how many rows there are.
func (s *Scrollback) Len() int64 { return int64(s.rows.len()) }

// AppendTo copies row i, counted from 0, to the end of a batch of the same types.
func (s *Scrollback) AppendTo(b *types.Batch, i int64) { s.rows.appendTo(b, int(i)) }

// Release forgets the rows and gives their memory back.
func (s *Scrollback) Release() { s.rows.release() }
