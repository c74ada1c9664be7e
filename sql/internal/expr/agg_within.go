package expr

import (
	"math"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Ordered-set aggregates, NAME(fraction) WITHIN GROUP (ORDER BY value): their Args are the value and then the fraction, and the rows
// come in the order of OrderBy. Rows without a value are left out.
func addOrderedSets(m map[string]aggImpl) {
	m["percentile_cont(float8,float8)"] = aggImpl{make: func(*Aggregate) accumulator { return &percentileAcc{between: true} }, strict: true, ordered: true}
	m["percentile_disc(float8,anyelement)"] = aggImpl{make: func(*Aggregate) accumulator { return &percentileAcc{} }, strict: true, ordered: true}
	m["mode(anyelement)"] = aggImpl{make: func(a *Aggregate) accumulator { return &modeAcc{typ: a.Args[0].Type()} }, strict: true, ordered: true}
}

// percentileAcc gives the value that a fraction of the rows does not exceed.
type percentileAcc struct {
	between  bool // a value between two rows'
	fraction float64
	values   []types.Datum
	size     int
}

func (p *percentileAcc) add(_ *EvalContext, args []types.Datum) error {
	if p.fraction = args[1].Float(); !(p.fraction >= 0 && p.fraction <= 1) {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "percentile value %g is not between 0 and 1", p.fraction)
	}
	d := args[0].Clone()
	p.values = append(p.values, d)
	p.size += datumBytes + len(d.B)
	return nil
}

func (p *percentileAcc) result(*EvalContext) (types.Datum, error) {
	n := float64(len(p.values))
	if n == 0 {
		return types.NullDatum, nil
	}
	if !p.between {
		return p.values[max(int(math.Ceil(p.fraction*n)), 1)-1], nil
	}
	at := p.fraction * (n - 1)
	low, high := p.values[int(math.Floor(at))].Float(), p.values[int(math.Ceil(at))].Float()
	if low == high {
		return types.NewFloat(low), nil
	}
	return types.NewFloat(low + (at-math.Floor(at))*(high-low)), nil
}

func (p *percentileAcc) bytes() int { return p.size }

// modeAcc gives the most frequent value, the first one of several.
type modeAcc struct {
	typ         types.Type
	best, last  types.Datum
	count, most int
}

func (m *modeAcc) add(_ *EvalContext, args []types.Datum) error {
	if m.count > 0 && types.Compare(m.typ, m.last, args[0]) == 0 {
		m.count++
	} else {
		m.last, m.count = args[0].Clone(), 1
	}
	if m.count > m.most {
		m.best, m.most = m.last, m.count
	}
	return nil
}

func (m *modeAcc) result(*EvalContext) (types.Datum, error) {
	if m.most == 0 {
		return types.NullDatum, nil
	}
	return m.best, nil
}

func (m *modeAcc) bytes() int { return len(m.best.B) + len(m.last.B) }

// orderedSet makes the call of an ordered-set aggregate; direct are the arguments in its parentheses.
func (b *Builder) orderedSet(x *parse.FuncCall, direct []Expr, s *Scope) (Expr, error) {
	name := x.Name.Name
	keys, err := b.sortKeys(x.OrderBy, s)
	if err != nil {
		return nil, err
	}
	args := append([]Expr(nil), direct...)
	for _, k := range keys {
		args = append(args, k.Expr)
	}
	f := facts()
	c, err := f.findFunction(callShape{name: name, written: name}, args)
	if err != nil {
		return nil, b.at(err, x.Pos)
	}
	switch {
	case c.proc.kind == 'w':
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "window function %s cannot have WITHIN GROUP", c.proc.name), x.Pos)
	case c.proc.kind == 'f':
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP specified, but %s is not an aggregate function", c.proc.name), x.Pos)
	case !isOrderedSet(c.proc):
		return nil, b.at(sqlerr.New(sqlerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", c.proc.name), x.Pos)
	case x.Over != nil:
		return nil, b.at(sqlerr.New(sqlerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", c.proc.name), x.Pos)
	case isHypothetical(c.proc):
		return b.hypothetical(x, c, direct, keys, s)
	case !hasAggregate(c.proc) || len(direct) > 1:
		return nil, b.unsupported("aggregate function "+f.callSignature(c.proc.name, c.proc.args), x.Pos)
	case len(direct) > 0 && HasColumns(direct[0]):
		return nil, b.unsupported("a column among the direct arguments of an ordered-set aggregate", x.Pos)
	}
	plain := *x
	plain.OrderBy, plain.WithinGroup = nil, false
	a, err := b.aggregate(&plain, c, args, s)
	if err != nil {
		return nil, err
	}
	keys[0].Expr = args[len(direct)]
	a.OrderBy, a.within = keys, true
	a.Args = append([]Expr{args[len(direct)]}, args[:len(direct)]...)
	return b.ownAggregate(a, s)
}
