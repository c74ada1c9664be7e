package exec

import (
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// scan reads rows of a table in the order of an index. Its batches have a column for each column of the table; those that are not
// wanted are empty.
type scan struct {
	env    *Env
	node   *plan.Scan
	cursor cursor
	spans  *spanBuilder
	lookup *lookup // nil: the index has all that is wanted

	index    *rowenc.Decoder
	inner    types.Batch // the wanted columns that the index has
	ordinals []int       // of inner's columns, in the table
	wide     types.Batch // inner's columns at their ordinals
	rowKeys  *rowKeys    // for lookup: the row of each entry of inner
	row      expr.BatchRow
	early    types.Batch
	out      types.Batch
	maxRows  int
	read     int // rows of the largest batch
	// Rows that did not fulfil the filter and the index filter.
	removed, removedEarly int64
}

func newScan(env *Env, n *plan.Scan) (Operator, error) {
	s := &scan{env: env, node: n, spans: newSpanBuilder(env, n)}
	has := rowenc.ColumnsOf(n.Table, n.Index)
	var want []catalog.ColumnID
	for i := range n.Table.Columns {
		id := n.Table.Columns[i].ID
		if s.wants(i) && slices.Contains(has, id) {
			want = append(want, id)
			s.ordinals = append(s.ordinals, i)
		}
	}
	s.index = rowenc.NewDecoder(n.Table, n.Index, want)
	s.inner.Init(columnTypes(n.Table, s.ordinals))
	s.wide.Init(n.Types())
	if n.Lookup {
		s.lookup = newLookup(env, n.Table, n.Want)
		s.rowKeys = &rowKeys{codec: rowenc.NewKeyCodec(n.Table, n.Index)}
	}
	return s, nil
}

// wants reports whether the index should deliver a column: for a lookup only what its filter needs.
func (s *scan) wants(ordinal int) bool {
	if !s.node.Lookup {
		return s.node.Want[ordinal]
	}
	found := false
	expr.Columns(s.node.IndexFilter, func(c *expr.Column) { found = found || c.Index == ordinal })
	return found
}

func columnTypes(t *catalog.Table, ordinals []int) []types.Type {
	ts := make([]types.Type, len(ordinals))
	for i, o := range ordinals {
		ts[i] = t.Columns[o].Type
	}
	return ts
}

func (s *scan) Open(ctx context.Context) error {
	s.Close()
	spans, err := s.spans.build()
	if err != nil {
		return err
	}
	s.maxRows = types.MaxBatchRows
	if s.node.SoftLimit > 0 {
		s.maxRows = int(min(s.node.SoftLimit, types.MaxBatchRows))
	}
	severalKVs := s.node.Index.Primary && len(s.node.Table.Families) > 1
	s.cursor.reset(s.env.Txn, spans, s.node.Reverse, severalKVs)
	return nil
}

func (s *scan) Next(ctx context.Context) (*types.Batch, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := s.fill(ctx); err != nil {
			return nil, err
		}
		if s.inner.N == 0 {
			return nil, nil
		}
		s.maxRows = min(4*s.maxRows, types.MaxBatchRows)
		b, err := s.filterAndFetch(ctx)
		if err != nil {
			return nil, err
		}
		if b.Rows() > 0 {
			return b, nil
		}
	}
}

// fill decodes the next entries of the index.
func (s *scan) fill(ctx context.Context) error {
	s.index.ResetMax(&s.inner, s.maxRows)
	if s.rowKeys != nil {
		s.rowKeys.reset()
	}
	for {
		key, value, err := s.cursor.next(ctx)
		if err != nil {
			return err
		}
		if key == nil {
			break
		}
		full, err := s.index.Add(key, value)
		if err != nil {
			return err
		}
		if full {
			s.cursor.unread()
			break
		}
		if s.rowKeys != nil {
			if err := s.rowKeys.add(key, value); err != nil {
				return err
			}
		}
	}
	s.index.Finish()
	s.read = max(s.read, s.inner.N)
	s.wide.N, s.wide.Sel = s.inner.N, nil
	for i, o := range s.ordinals {
		s.wide.Cols[o] = s.inner.Cols[i]
	}
	return nil
}

// filterAndFetch gives the rows of the entries at hand that pass.
func (s *scan) filterAndFetch(ctx context.Context) (*types.Batch, error) {
	b := &s.wide
	if s.lookup != nil {
		if s.node.IndexFilter != nil {
			if err := selectRows(s.env, s.node.IndexFilter, b, &s.early, &s.row); err != nil {
				return nil, err
			}
			s.removedEarly += int64(b.Rows() - s.early.Rows())
			b = &s.early
		}
		var err error
		if b, err = s.lookup.fetch(ctx, b, s.rowKeys); err != nil {
			return nil, err
		}
	}
	if s.node.Filter == nil {
		return b, nil
	}
	err := selectRows(s.env, s.node.Filter, b, &s.out, &s.row)
	s.removed += int64(b.Rows() - s.out.Rows())
	return &s.out, err
}

func (s *scan) Close() {
	s.cursor.close()
	if s.read > keptRows {
		s.read = 0
		s.inner = types.Batch{}
		s.inner.Init(columnTypes(s.node.Table, s.ordinals))
		if s.lookup != nil {
			s.lookup = newLookup(s.env, s.node.Table, s.node.Want)
		}
	}
}

// cursor walks the KVs of spans, forward or in reverse. In reverse a row's KVs still come in key order, as the decoder wants them.
type cursor struct {
	txn     *kv.Txn
	spans   []kv.Span // left to read
	reverse bool
	regroup bool // rows have several KVs and come in reverse
	iter    kv.Iter
	isOpen  bool // iter is
	again   bool // the last KV is to be given again
	key     []byte
	value   []byte
	group   []entry // of a row, last KV first
	spare   []entry // given out before; to be used again
}

// entry is a KV with memory of its own.
type entry struct{ key, value []byte }

// reset makes c, which was closed, one that stands before the spans.
func (c *cursor) reset(txn *kv.Txn, spans []kv.Span, reverse, severalKVs bool) {
	c.txn, c.spans, c.reverse, c.regroup = txn, spans, reverse, reverse && severalKVs
	c.again, c.group = false, c.group[:0]
}

// next gives the next KV, valid until the next call; nil at the end.
func (c *cursor) next(ctx context.Context) (key, value []byte, err error) {
	if c.again {
		c.again = false
		return c.key, c.value, nil
	}
	if !c.regroup {
		c.key, c.value, err = c.step(ctx)
		return c.key, c.value, err
	}
	if len(c.group) == 0 {
		if err := c.readGroup(ctx); err != nil || len(c.group) == 0 {
			return nil, nil, err
		}
	}
	last := len(c.group) - 1
	c.key, c.value = c.group[last].key, c.group[last].value
	c.spare = append(c.spare, c.group[last])
	c.group = c.group[:last]
	return c.key, c.value, nil
}

// unread makes next give the last KV again.
func (c *cursor) unread() { c.again = true }

// readGroup reads the KVs of a row, which in reverse end with that of family 0.
func (c *cursor) readGroup(ctx context.Context) error {
	for {
		key, value, err := c.step(ctx)
		if key == nil || err != nil {
			return err
		}
		var e entry
		if n := len(c.spare); n > 0 {
			e, c.spare = c.spare[n-1], c.spare[:n-1]
		}
		e.key, e.value = append(e.key[:0], key...), append(e.value[:0], value...)
		c.group = append(c.group, e)
		if key[len(key)-1] == 0 {
			return nil
		}
	}
}

// step moves the iterator, and from span to span.
func (c *cursor) step(ctx context.Context) (key, value []byte, err error) {
	for {
		if !c.isOpen {
			if len(c.spans) == 0 {
				return nil, nil, nil
			}
			span := c.spans[0]
			if c.reverse {
				span = c.spans[len(c.spans)-1]
				c.spans = c.spans[:len(c.spans)-1]
			} else {
				c.spans = c.spans[1:]
			}
			if err := c.txn.OpenIter(ctx, &c.iter, span, kv.IterOptions{Reverse: c.reverse}); err != nil {
				return nil, nil, err
			}
			c.isOpen = true
		}
		if c.iter.Next() {
			return c.iter.Key(), c.iter.Value(), nil
		}
		c.isOpen = false
		if err := c.iter.Close(); err != nil {
			return nil, nil, err
		}
	}
}

func (c *cursor) close() {
	if c.isOpen {
		c.isOpen = false
		c.iter.Close()
	}
	c.txn, c.spans, c.key, c.value = nil, nil, nil, nil
}
