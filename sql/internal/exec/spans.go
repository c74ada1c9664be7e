package exec

import (
	"bytes"
	"slices"

	"minidb/kv"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// spanBuilder evaluates a scan's constraint. It keeps its memory from one use to the next.
type spanBuilder struct {
	env    *Env
	node   *plan.Scan
	codec  *rowenc.KeyCodec
	prefix [][]types.Datum
	ranged bool
	lo, hi *rowenc.Bound // nil or the places below
	low    rowenc.Bound
	high   rowenc.Bound
	eq     []types.Datum
	keys   []byte
	spans  []kv.Span
}

func newSpanBuilder(env *Env, n *plan.Scan) *spanBuilder {
	return &spanBuilder{env: env, node: n, codec: rowenc.NewKeyCodec(n.Table, n.Index)}
}

// build gives the spans of the index that the scan reads, in key order, none of which overlap. Without a constraint it is the whole
// index. They are valid until the next call.
func (b *spanBuilder) build() ([]kv.Span, error) {
	n := b.node
	b.spans, b.keys, b.ranged, b.lo, b.hi = b.spans[:0], b.keys[:0], false, nil, nil
	if n.Constraint == nil {
		return append(b.spans, rowenc.IndexSpan(n.Table.ID, n.Index.ID)), nil
	}
	columnType := func(key int) types.Type { return n.Table.Column(n.Index.Keys[key].Column).Type }
	for len(b.prefix) < len(n.Constraint.Prefix) {
		b.prefix = append(b.prefix, nil)
	}
	for i, v := range n.Constraint.Prefix {
		var err error
		if b.prefix[i], err = b.values(b.prefix[i][:0], v, columnType(i)); err != nil || len(b.prefix[i]) == 0 {
			return nil, err
		}
	}
	if r := n.Constraint.Range; r != nil {
		if ok, err := b.setRange(r, columnType(len(b.prefix))); !ok || err != nil {
			return nil, err
		}
	}
	b.add(0)
	if len(b.spans) <= 1 {
		return b.spans, nil
	}
	slices.SortFunc(b.spans, func(x, y kv.Span) int { return bytes.Compare(x.Start, y.Start) })
	return slices.CompactFunc(b.spans, func(x, y kv.Span) bool { return bytes.Equal(x.Start, y.Start) }), nil
}

// values appends the values that a key column may have; none if nothing can fit.
func (b *spanBuilder) values(dst []types.Datum, v plan.KeyValues, t types.Type) ([]types.Datum, error) {
	if v.IsNull {
		return append(dst, types.NullDatum), nil
	}
	if v.Array != nil {
		return b.elements(dst, v.Array, t)
	}
	for _, e := range v.Values {
		d, err := e.Eval(b.env.Eval, noRow)
		if err != nil {
			return nil, err
		}
		if d.Null {
			continue // nothing equals NULL
		}
		if key, inRange, _ := expr.KeyValue(d, e.Type(), t); inRange {
			dst = append(dst, key.Clone())
		}
	}
	return dst, nil
}

// elements appends the elements of an array, as values of a key column.
func (b *spanBuilder) elements(dst []types.Datum, array expr.Expr, t types.Type) ([]types.Datum, error) {
	d, err := array.Eval(b.env.Eval, noRow)
	if err != nil || d.Null {
		return dst, err
	}
	elem, _ := array.Type().Elem()
	for _, d := range d.Array(elem).Elems {
		if d.Null {
			continue // nothing equals NULL
		}
		if key, inRange, _ := expr.KeyValue(d, elem, t); inRange {
			dst = append(dst, key.Clone())
		}
	}
	return dst, nil
}

// setRange evaluates the ends of the range. It reports whether anything can lie in it.
func (b *spanBuilder) setRange(r *plan.KeyRange, t types.Type) (bool, error) {
	b.ranged = true
	var err error
	var ok bool
	if b.lo, ok, err = b.bound(&b.low, r.Low, r.LowExcl, t, true); !ok || err != nil {
		return false, err
	}
	b.hi, ok, err = b.bound(&b.high, r.High, r.HighExcl, t, false)
	return ok, err
}

// bound evaluates an end of the range into place, and reports whether anything can lie within it. Nil: it bounds nothing.
func (b *spanBuilder) bound(place *rowenc.Bound, e expr.Expr, exclusive bool, t types.Type, isLow bool) (*rowenc.Bound, bool, error) {
	if e == nil {
		return nil, true, nil
	}
	d, err := e.Eval(b.env.Eval, noRow)
	if err != nil || d.Null {
		return nil, false, err
	}
	key, inRange, above := expr.KeyValue(d, e.Type(), t)
	if !inRange {
		// Beyond all the column's values: either no bound at all, or one that nothing fulfils.
		return nil, above != isLow, nil
	}
	*place = rowenc.Bound{Datum: key.Clone(), Inclusive: !exclusive}
	return place, true, nil
}

// add makes the spans that begin with the first n values of eq.
func (b *spanBuilder) add(n int) {
	if n < len(b.node.Constraint.Prefix) {
		for _, v := range b.prefix[n] {
			b.eq = append(b.eq[:n], v)
			b.add(n + 1)
		}
		return
	}
	eq := b.eq[:n]
	if b.ranged && b.lo == nil && b.hi == nil {
		b.spans = append(b.spans, b.codec.NotNullSpan(eq))
		return
	}
	var s kv.Span
	if s, b.keys = b.codec.AppendSpan(b.keys, eq, b.lo, b.hi); bytes.Compare(s.Start, s.End) < 0 {
		b.spans = append(b.spans, s)
	}
}
