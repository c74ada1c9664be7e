package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// withWrites runs the statements of a WITH clause that write, before it gives the rows of its input.
type withWrites struct {
	env    *Env
	node   *plan.WithWrites
	writes []Operator
	input  Operator
}

// withWritesAffected is a withWrites whose input writes too: that counts for the command tag.
type withWritesAffected struct {
	*withWrites
	affected Affected
}

// Affected is the input's.
func (w withWritesAffected) Affected() int64 { return w.affected.Affected() }

func (b *builder) withWrites(n *plan.WithWrites) (Operator, error) {
	b.env.written = map[*plan.WriteCTE]*rowStore{}
	w := &withWrites{env: b.env, node: n}
	for _, c := range n.Writes {
		op, err := b.build(c.Root)
		if err != nil {
			return nil, err
		}
		w.writes = append(w.writes, op)
	}
	var err error
	if w.input, err = b.build(n.Input); err != nil {
		return nil, err
	}
	if a, ok := w.input.(Affected); ok {
		return withWritesAffected{w, a}, nil
	}
	return w, nil
}

func (w *withWrites) Open(ctx context.Context) error {
	for i, op := range w.writes {
		if err := w.run(ctx, w.node.Writes[i], op); err != nil {
			return err
		}
	}
	return w.input.Open(ctx)
}

// run runs a statement and keeps what it returns.
func (w *withWrites) run(ctx context.Context, c *plan.WriteCTE, op Operator) error {
	rows := newRowStore(c.Root.Types(), w.env.Memory)
	w.env.written[c] = rows
	defer op.Close()
	if err := op.Open(ctx); err != nil {
		return err
	}
	for {
		b, err := op.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		for r := range b.Rows() {
			if err := rows.add(b, r); err != nil {
				return err
			}
		}
	}
}

func (w *withWrites) Next(ctx context.Context) (*types.Batch, error) { return w.input.Next(ctx) }

func (w *withWrites) Close() {
	w.input.Close()
	for _, rows := range w.env.written {
		rows.release()
	}
	clear(w.env.written)
}

// writeScan gives the rows that a statement of a WITH clause returned.
type writeScan struct {
	env  *Env
	node *plan.WriteScan
	next int
}

func (s *writeScan) Open(context.Context) error {
	s.next = 0
	return nil
}

func (s *writeScan) Next(context.Context) (*types.Batch, error) {
	rows := s.env.written[s.node.CTE]
	if rows == nil || s.next >= rows.len() {
		return nil, nil
	}
	b, _ := rows.batch(s.next)
	s.next += b.N
	return b, nil
}

func (s *writeScan) Close() {}
