package expr

import (
	"minidb/sql/types"
)

// aggregates are the implementations by the names of facts.txt.
var aggregates = makeAggregates()

func makeAggregates() map[string]aggImpl {
	m := map[string]aggImpl{
		"count()":                 {make: func(*Aggregate) accumulator { return &countAcc{} }},
		"count(any)":              {make: func(*Aggregate) accumulator { return &countAcc{} }, strict: true},
		"string_agg(text,text)":   {make: func(*Aggregate) accumulator { return &joinAcc{} }, ordered: true},
		"string_agg(bytea,bytea)": {make: func(*Aggregate) accumulator { return &joinAcc{} }, ordered: true},
	}
	for _, t := range []string{
		"int2", "int4", "int8", "oid", "float4", "float8", "numeric", "text", "bpchar", "date", "time", "timestamp",
		"timestamptz", "interval", "timetz", "anyarray", "anyenum",
	} {
		m["min("+t+")"] = aggImpl{make: func(a *Aggregate) accumulator { return &extremeAcc{typ: a.Args[0].Type(), want: -1} }, strict: true}
		m["max("+t+")"] = aggImpl{make: func(a *Aggregate) accumulator { return &extremeAcc{typ: a.Args[0].Type(), want: 1} }, strict: true}
	}
	for name, neutral := range map[string]bool{"bool_and": true, "every": true, "bool_or": false} {
		m[name+"(bool)"] = aggImpl{make: func(*Aggregate) accumulator { return &boolAcc{neutral: neutral} }, strict: true}
	}
	bits := map[string]func(a, b int64) int64{
		"bit_and": func(a, b int64) int64 { return a & b },
		"bit_or":  func(a, b int64) int64 { return a | b },
		"bit_xor": func(a, b int64) int64 { return a ^ b },
	}
	for name, f := range bits {
		for _, t := range []string{"int2", "int4", "int8"} {
			m[name+"("+t+")"] = aggImpl{make: func(*Aggregate) accumulator { return &bitAcc{f: f} }, strict: true}
		}
	}
	addOrderedSets(m)
	addHypotheticalSets(m)
	addSums(m)
	addVariances(m)
	addRegressions(m)
	addArrayAggs(m)
	addJSONAggs(m)
	return m
}

type countAcc struct{ n int64 }

func (c *countAcc) add(*EvalContext, []types.Datum) error {
	c.n++
	return nil
}
func (c *countAcc) result(*EvalContext) (types.Datum, error) { return types.NewInt(c.n), nil }
func (c *countAcc) bytes() int                               { return 0 }

// extremeAcc keeps the largest value, or with want < 0 the smallest.
type extremeAcc struct {
	typ  types.Type
	want int
	any  bool
	best types.Datum
}

func (e *extremeAcc) add(_ *EvalContext, args []types.Datum) error {
	if !e.any || types.Compare(e.typ, args[0], e.best)*e.want > 0 {
		e.any, e.best = true, args[0].Clone()
	}
	return nil
}

func (e *extremeAcc) result(*EvalContext) (types.Datum, error) {
	if !e.any {
		return types.NullDatum, nil
	}
	return e.best, nil
}
func (e *extremeAcc) bytes() int { return len(e.best.B) }

// boolAcc is neutral until a value is not.
type boolAcc struct{ neutral, any, decided bool }

func (b *boolAcc) add(_ *EvalContext, args []types.Datum) error {
	b.any = true
	b.decided = b.decided || args[0].Bool() != b.neutral
	return nil
}

func (b *boolAcc) result(*EvalContext) (types.Datum, error) {
	if !b.any {
		return types.NullDatum, nil
	}
	return types.NewBool(b.decided != b.neutral), nil
}
func (b *boolAcc) bytes() int { return 0 }

type bitAcc struct {
	f   func(a, b int64) int64
	any bool
	v   int64
}

func (b *bitAcc) add(_ *EvalContext, args []types.Datum) error {
	if b.any {
		b.v = b.f(b.v, args[0].I)
	} else {
		b.any, b.v = true, args[0].I
	}
	return nil
}

func (b *bitAcc) result(*EvalContext) (types.Datum, error) {
	if !b.any {
		return types.NullDatum, nil
	}
	return types.NewInt(b.v), nil
}
func (b *bitAcc) bytes() int { return 0 }

// joinAcc joins what is not NULL; a row's separator goes before its value, unless that is the first.
type joinAcc struct {
	any bool
	out []byte
}

func (j *joinAcc) add(_ *EvalContext, args []types.Datum) error {
	if args[0].Null {
		return nil
	}
	if j.any && !args[1].Null {
		j.out = append(j.out, args[1].B...)
	}
	j.any = true
	j.out = append(j.out, args[0].B...)
	if len(j.out) > maxTextBytes {
		return tooLarge()
	}
	return nil
}

func (j *joinAcc) result(*EvalContext) (types.Datum, error) {
	if !j.any {
		return types.NullDatum, nil
	}
	return types.NewBytes(append([]byte{}, j.out...)), nil
}
func (j *joinAcc) bytes() int { return cap(j.out) }
