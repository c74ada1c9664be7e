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

// scanSpans evaluates a scan's constraint and gives the spans of the index it reads, in key order, none of which overlap. Without a
// constraint it is the whole index.
func scanSpans(env *Env, n *plan.Scan) ([]kv.Span, error) {
	if n.Constraint == nil {
		return []kv.Span{rowenc.IndexSpan(n.Table.ID, n.Index.ID)}, nil
	}
	b := spanBuilder{env: env, codec: rowenc.NewKeyCodec(n.Table, n.Index)}
	columnType := func(key int) types.Type { return n.Table.Column(n.Index.Keys[key].Column).Type }
	for i, v := range n.Constraint.Prefix {
		values, err := b.values(v, columnType(i))
		if err != nil || len(values) == 0 {
			return nil, err
		}
		b.prefix = append(b.prefix, values)
	}
	if r := n.Constraint.Range; r != nil {
		if ok, err := b.setRange(r, columnType(len(b.prefix))); !ok || err != nil {
			return nil, err
		}
	}
	b.add(nil)
	slices.SortFunc(b.spans, func(x, y kv.Span) int { return bytes.Compare(x.Start, y.Start) })
	return slices.CompactFunc(b.spans, func(x, y kv.Span) bool { return bytes.Equal(x.Start, y.Start) }), nil
}

// spanBuilder makes the spans for all combinations of the prefix's values.
type spanBuilder struct {
	env    *Env
	codec  *rowenc.KeyCodec
	prefix [][]types.Datum
	ranged bool
	lo, hi *rowenc.Bound
	spans  []kv.Span
}

// values are the values that a key column may have; none if nothing can fit.
func (b *spanBuilder) values(v plan.KeyValues, t types.Type) ([]types.Datum, error) {
	if v.IsNull {
		return []types.Datum{types.NullDatum}, nil
	}
	var out []types.Datum
	for _, e := range v.Values {
		d, err := e.Eval(b.env.Eval, noRow)
		if err != nil {
			return nil, err
		}
		if d.Null {
			continue // nothing equals NULL
		}
		if key, inRange, _ := expr.KeyValue(d, e.Type(), t); inRange {
			out = append(out, key.Clone())
		}
	}
	return out, nil
}

// setRange evaluates the ends of the range. It reports whether anything can lie in it.
func (b *spanBuilder) setRange(r *plan.KeyRange, t types.Type) (bool, error) {
	b.ranged = true
	end := func(e expr.Expr, exclusive, isLow bool) (*rowenc.Bound, bool, error) {
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
		return &rowenc.Bound{Datum: key.Clone(), Inclusive: !exclusive}, true, nil
	}
	var err error
	var ok bool
	if b.lo, ok, err = end(r.Low, r.LowExcl, true); !ok || err != nil {
		return false, err
	}
	b.hi, ok, err = end(r.High, r.HighExcl, false)
	return ok, err
}

// add makes the spans that begin with the given values.
func (b *spanBuilder) add(eq []types.Datum) {
	if len(eq) < len(b.prefix) {
		for _, v := range b.prefix[len(eq)] {
			b.add(append(eq[:len(eq):len(eq)], v))
		}
		return
	}
	switch {
	case !b.ranged:
		b.spans = append(b.spans, b.codec.Span(eq, nil, nil))
	case b.lo == nil && b.hi == nil:
		b.spans = append(b.spans, b.codec.NotNullSpan(eq))
	default:
		if s := b.codec.Span(eq, b.lo, b.hi); bytes.Compare(s.Start, s.End) < 0 {
			b.spans = append(b.spans, s)
		}
	}
}
