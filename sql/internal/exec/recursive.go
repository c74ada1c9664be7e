package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// recursive runs a WITH RECURSIVE query.
type recursive struct {
	env         *Env
	node        *plan.Recursive
	left, right Operator
	leftDone    bool
	rightOpen   bool
	work, next  *rowStore           // what the round at hand reads, and what it gives
	seen        map[string]struct{} // UNION without ALL: the rows that came
	bytes       int64
	key         []byte
	types       []types.Type
	out         types.Batch
}

func (r *recursive) Open(ctx context.Context) error {
	r.types = r.node.Types()
	r.leftDone, r.rightOpen = false, false
	r.next = newRowStore(r.types, r.env.Memory)
	if !r.node.All {
		r.seen = map[string]struct{}{}
	}
	return r.left.Open(ctx)
}

func (r *recursive) Next(ctx context.Context) (*types.Batch, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		in, err := r.input(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		r.out.Cols, r.out.N, r.out.Sel = in.Cols, in.N, noneSelected(r.out.Sel)
		for i := range in.Rows() {
			fresh, err := r.isNew(in, i)
			if err != nil {
				return nil, err
			}
			if !fresh {
				continue
			}
			if err := r.next.add(in, i); err != nil {
				return nil, err
			}
			r.out.Sel = append(r.out.Sel, int32(in.Row(i)))
		}
		if len(r.out.Sel) > 0 {
			return &r.out, nil
		}
	}
}

// input gives the next rows of the round at hand, and begins the next round at its end; nil when a round gave nothing.
func (r *recursive) input(ctx context.Context) (*types.Batch, error) {
	if !r.leftDone {
		in, err := r.left.Next(ctx)
		if in != nil || err != nil {
			return in, err
		}
		r.leftDone = true
	}
	for {
		if !r.rightOpen {
			if r.next.len() == 0 {
				return nil, nil
			}
			if r.work != nil {
				r.work.release()
			}
			r.work, r.next = r.next, newRowStore(r.types, r.env.Memory)
			r.env.work[r.node.Work] = r.work
			if err := r.right.Open(ctx); err != nil {
				return nil, err
			}
			r.rightOpen = true
		}
		in, err := r.right.Next(ctx)
		if in != nil || err != nil {
			return in, err
		}
		r.right.Close()
		r.rightOpen = false
	}
}

// isNew reports whether a row is one of the result, and remembers it.
func (r *recursive) isNew(in *types.Batch, i int) (bool, error) {
	if r.node.All {
		return true, nil
	}
	r.key = r.key[:0]
	for c, t := range r.types {
		d := in.Datum(c, i)
		r.key = rowenc.AppendKey(r.key, t, &d)
	}
	if _, ok := r.seen[string(r.key)]; ok {
		return false, nil
	}
	n := int64(len(r.key)) + mapEntryBytes
	if err := r.env.Memory.grow(n); err != nil {
		return false, err
	}
	r.bytes += n
	r.seen[string(r.key)] = struct{}{}
	return true, nil
}

func (r *recursive) Close() {
	r.left.Close()
	r.right.Close()
	for _, s := range []*rowStore{r.work, r.next} {
		if s != nil {
			s.release()
		}
	}
	r.env.Memory.shrink(r.bytes)
	r.work, r.next, r.seen, r.bytes = nil, nil, nil, 0
}

// workScan reads what the round before of a recursive query gave.
type workScan struct {
	env  *Env
	node *plan.WorkScan
	next int
}

func (w *workScan) Open(context.Context) error {
	w.next = 0
	return nil
}

func (w *workScan) Next(context.Context) (*types.Batch, error) {
	rows := w.env.work[w.node.Work]
	if rows == nil || w.next >= rows.len() {
		return nil, nil
	}
	b, _ := rows.batch(w.next)
	w.next += b.N
	return b, nil
}

func (w *workScan) Close() {}
