package exec

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Memory counts the bytes that a statement's operators keep, against a limit. What an operator only passes on is not counted. It is for
// one goroutine.
type Memory struct {
	limit, used int64
}

// NewMemory makes an account. A limit of 0 means none.
func NewMemory(limitBytes int64) *Memory { return &Memory{limit: limitBytes} }

// Reset forgets what was counted and sets another limit.
func (m *Memory) Reset(limitBytes int64) { *m = Memory{limit: limitBytes} }

// grow counts n more bytes, or refuses them.
func (m *Memory) grow(n int64) error {
	if m.limit > 0 && m.used+n > m.limit {
		return sqlerr.New(sqlerr.OutOfMemory, "out of memory").
			WithDetail("The statement needs more than its limit of %d bytes.", m.limit).
			WithHint("Raise work_mem, or let the statement handle fewer rows.")
	}
	m.used += n
	return nil
}

// isShort reports whether an operator that keeps own bytes should put rows aside: half of the limit is used, and it holds a good part.
func (m *Memory) isShort(own int64) bool {
	return m.limit > 0 && m.used > m.limit/2 && own >= m.limit/16
}

func (m *Memory) shrink(n int64) { m.used -= n }

// vecBytes is what a column's values take.
func vecBytes(v *types.Vec) int64 {
	return int64(8*len(v.I) + 2*len(v.Scale) + 8*len(v.Big) + 4*len(v.Off) + len(v.B) + v.Len()/8)
}

func batchBytes(b *types.Batch) int64 {
	var n int64
	for i := range b.Cols {
		n += vecBytes(&b.Cols[i])
	}
	return n
}
