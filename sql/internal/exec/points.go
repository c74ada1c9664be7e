package exec

import (
	"bytes"
	"context"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// points reads the rows whose whole primary keys a scan's conditions give, each by one look-up: no iterator, and no memory of its own
// for a row once it is warm. It gives what scan would.
type points struct {
	env     *Env
	node    *plan.Scan
	codec   *rowenc.KeyCodec
	decoder *rowenc.Decoder
	one     bool // each key column has one value: at most one row

	ordinals []int
	inner    types.Batch // the wanted columns
	wide     types.Batch // the same at their ordinals
	out      types.Batch
	row      expr.BatchRow
	removed  int64 // rows that did not fulfil the filter

	eq    []types.Datum
	keys  [][]byte // left to read, in order
	first [1][]byte
	key   []byte
	value []byte
}

// isPoints reports whether points can do what a scan asks for: rows of one KV each, whose names are known.
func isPoints(n *plan.Scan) bool {
	c := n.Constraint
	if c == nil || c.Range != nil || !n.Index.Primary || n.Lookup || len(n.Table.Families) != 1 || len(c.Prefix) != len(n.Index.Keys) {
		return false
	}
	return !slices.ContainsFunc(c.Prefix, func(v plan.KeyValues) bool { return v.IsNull })
}

func newPoints(env *Env, n *plan.Scan) *points {
	p := &points{env: env, node: n, codec: rowenc.NewKeyCodec(n.Table, n.Index), one: true}
	for _, v := range n.Constraint.Prefix {
		p.one = p.one && len(v.Values) == 1
	}
	var want []catalog.ColumnID
	for i := range n.Table.Columns {
		if n.Want[i] {
			want = append(want, n.Table.Columns[i].ID)
			p.ordinals = append(p.ordinals, i)
		}
	}
	p.decoder = rowenc.NewDecoder(n.Table, n.Index, want)
	p.inner.Init(columnTypes(n.Table, p.ordinals))
	p.wide.Init(n.Types())
	return p
}

func (p *points) Open(context.Context) error {
	p.keys = p.keys[:0]
	if !p.one {
		return p.findKeys()
	}
	p.eq = p.eq[:0]
	for i, v := range p.node.Constraint.Prefix {
		e := v.Values[0]
		d, err := e.Eval(p.env.Eval, noRow)
		if err != nil {
			return err
		}
		if d.Null {
			return nil // nothing equals NULL
		}
		key, inRange, _ := expr.KeyValue(d, e.Type(), p.node.Table.Column(p.node.Index.Keys[i].Column).Type)
		if !inRange {
			return nil
		}
		p.eq = append(p.eq, key)
	}
	p.key = append(p.codec.AppendKey(p.key[:0], p.eq), 0)
	p.first[0] = p.key
	p.keys = p.first[:]
	return nil
}

// findKeys makes the keys of all combinations of values, in the scan's order.
func (p *points) findKeys() error {
	spans, err := newSpanBuilder(p.env, p.node).build()
	if err != nil {
		return err
	}
	p.keys = make([][]byte, len(spans))
	for i, s := range spans {
		p.keys[i] = append(bytes.Clone(s.Start), 0) // the key of family 0
	}
	if p.node.Reverse {
		slices.Reverse(p.keys)
	}
	return nil
}

func (p *points) Next(ctx context.Context) (*types.Batch, error) {
	for len(p.keys) > 0 {
		if err := p.fill(ctx); err != nil {
			return nil, err
		}
		b := &p.wide
		if p.node.Filter != nil {
			b = &p.out
			if err := selectRows(p.env, p.node.Filter, &p.wide, b, &p.row); err != nil {
				return nil, err
			}
			p.removed += int64(p.wide.Rows() - b.Rows())
		}
		if b.Rows() > 0 {
			return b, nil
		}
	}
	return nil, nil
}

// fill looks up the next keys.
func (p *points) fill(ctx context.Context) error {
	p.decoder.ResetMax(&p.inner, types.MaxBatchRows)
	for len(p.keys) > 0 {
		var ok bool
		var err error
		if p.value, ok, err = p.env.Txn.AppendValue(ctx, p.value[:0], p.keys[0]); err != nil {
			return err
		}
		if ok {
			full, err := p.decoder.Add(p.keys[0], p.value)
			if err != nil {
				return err
			}
			if full {
				break
			}
		}
		p.keys = p.keys[1:]
	}
	p.decoder.Finish()
	p.wide.N, p.wide.Sel = p.inner.N, nil
	for i, o := range p.ordinals {
		p.wide.Cols[o] = p.inner.Cols[i]
	}
	return nil
}

func (p *points) Close() {
	p.keys = nil
	if cap(p.value) > maxKeptBytes {
		p.value = nil
	}
}

// maxKeptBytes bounds a buffer that an operator keeps for the next execution of its statement.
const maxKeptBytes = 64 << 10
