package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// window adds the values of calls with OVER to each row. It keeps the rows of one partition at a time.
type window struct {
	env   *Env
	node  *plan.Window
	input Operator
	calls []windowFunc
	part  partition
	in    *types.Batch // rows of it from next on are of the partitions that follow
	next  int
	done  bool
	at    int // row of the partition that is given next
	bytes int64
	out   types.Batch
}

func newWindow(env *Env, n *plan.Window, input Operator) *window {
	return &window{env: env, node: n, input: input}
}

func (w *window) Open(ctx context.Context) error {
	w.part = partition{env: w.env, order: w.node.Order, rows: newRowStore(w.node.Input.Types(), w.env.Memory)}
	w.in, w.next, w.done, w.at = nil, 0, false, 0
	w.calls = w.calls[:0]
	for _, c := range w.node.Calls {
		w.calls = append(w.calls, newWindowFunc(w.env, c, newFrame(w.env, &w.node.Frame, w.node.Order)))
	}
	w.out.Init(w.node.Types())
	return w.input.Open(ctx)
}

func (w *window) Next(ctx context.Context) (*types.Batch, error) {
	w.out.Reset()
	for w.out.N < types.MaxBatchRows {
		if w.at == w.part.rows.len() {
			if w.done {
				break
			}
			if err := w.fill(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if err := w.give(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.count(); err != nil || w.out.N == 0 {
		return nil, err
	}
	return &w.out, nil
}

// fill reads the next partition.
func (w *window) fill(ctx context.Context) error {
	p := &w.part
	p.reset()
	w.at = 0
	for {
		if w.in == nil || w.next == w.in.Rows() {
			var err error
			if w.in, err = w.input.Next(ctx); err != nil {
				return err
			}
			if w.next = 0; w.in == nil {
				w.done = true
				break
			}
		}
		if n := p.rows.len(); n > 0 && !p.isEqual(w.node.Partition, 0, w.in, w.in.Row(w.next)) {
			break
		}
		if err := p.add(w.in, w.next); err != nil {
			return err
		}
		w.next++
	}
	for _, c := range w.calls {
		if err := c.begin(p); err != nil {
			return err
		}
	}
	return nil
}

// give puts out one row.
func (w *window) give(ctx context.Context) error {
	p := &w.part
	if p.group+1 < len(p.groups) && p.groups[p.group+1] == w.at {
		p.group++
	}
	from, r := p.rows.batch(w.at)
	columns := len(from.Cols)
	for c, f := range w.calls {
		d, err := f.value(ctx, p, w.at)
		if err != nil {
			return err
		}
		w.out.Cols[columns+c].Append(d)
	}
	for c := range columns {
		w.out.Cols[c].Append(from.Cols[c].Datum(r))
	}
	w.out.N++
	w.at++
	return nil
}

// count counts the memory that the partition's groups and the aggregates' states take now.
func (w *window) count() error {
	n := int64(len(w.part.groups)) * 8
	for _, c := range w.calls {
		n += int64(c.bytes())
	}
	if err := w.env.Memory.grow(n - w.bytes); err != nil {
		return err
	}
	w.bytes = n
	return nil
}

func (w *window) Close() {
	w.input.Close()
	if w.part.rows != nil {
		w.part.rows.release()
		w.env.Memory.shrink(w.bytes)
		w.part, w.bytes, w.in = partition{}, 0, nil
	}
}

// partition is the rows over which a window's calls are computed, in the window's order.
type partition struct {
	env    *Env
	order  []plan.SortKey
	rows   *rowStore
	groups []int // first rows of the groups of rows that are equal in the order
	group  int   // of the row at hand
	row    expr.BatchRow
}

func (p *partition) reset() {
	p.rows.release()
	p.groups, p.group = p.groups[:0], 0
}

func (p *partition) len() int { return p.rows.len() }

// add adds row r of a batch.
func (p *partition) add(b *types.Batch, r int) error {
	n := p.rows.len()
	if n == 0 || !p.isEqual(p.order, n-1, b, b.Row(r)) {
		p.groups = append(p.groups, n)
	}
	return p.rows.add(b, r)
}

// isEqual reports whether row i and row r of the columns of a batch are equal in the keys.
func (p *partition) isEqual(keys []plan.SortKey, i int, b *types.Batch, r int) bool {
	for n := range keys {
		k := &keys[n]
		if compareKey(k, p.rows.datum(i, k.Column), b.Cols[k.Column].Datum(r)) != 0 {
			return false
		}
	}
	return true
}

// groupEnd is the row after those of a group.
func (p *partition) groupEnd(g int) int {
	if g+1 < len(p.groups) {
		return p.groups[g+1]
	}
	return p.rows.len()
}

// eval computes an expression over row i.
func (p *partition) eval(e expr.Expr, i int) (types.Datum, error) {
	p.row.Batch, p.row.Pos = p.rows.batch(i)
	return e.Eval(p.env.Eval, &p.row)
}
