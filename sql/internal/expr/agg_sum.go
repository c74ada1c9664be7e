package expr

import (
	"minidb/sql/types"
)

// addSums adds sum and avg.
func addSums(m map[string]aggImpl) {
	add := func(name string, make func(average bool) accumulator) {
		m["sum("+name+")"] = aggImpl{make: func(*Aggregate) accumulator { return make(false) }, strict: true}
		m["avg("+name+")"] = aggImpl{make: func(*Aggregate) accumulator { return make(true) }, strict: true}
	}
	add("int2", func(average bool) accumulator { return &intSum{average: average} })
	add("int4", func(average bool) accumulator { return &intSum{average: average} })
	add("int8", func(average bool) accumulator { return &intSum{average: average, wide: true} })
	add("numeric", func(average bool) accumulator { return &numericSum{average: average} })
	add("interval", func(average bool) accumulator { return &intervalSum{average: average} })
	m["sum(float4)"] = aggImpl{make: func(*Aggregate) accumulator { return &floatSum{single: true} }, strict: true}
	m["sum(float8)"] = aggImpl{make: func(*Aggregate) accumulator { return &floatSum{} }, strict: true}
}

// intSum sums integers: of int2 and int4 as an int8, of int8 (wide) as a numeric.
type intSum struct {
	average, wide bool
	n, sum        int64
	carry         types.Datum // what left sum when it was about to overflow
}

func (s *intSum) add(_ *EvalContext, args []types.Datum) error {
	v := args[0].I
	if c, err := types.IntAdd(types.Int8, s.sum, v); err == nil {
		s.sum = c
	} else {
		if s.carry, err = types.NumericAdd(s.carry, types.NewNumeric(s.sum, 0)); err != nil {
			return err
		}
		s.sum = v
	}
	s.n++
	return nil
}

func (s *intSum) result(*EvalContext) (types.Datum, error) {
	if s.n == 0 {
		return types.NullDatum, nil
	}
	total, err := types.NumericAdd(s.carry, types.NewNumeric(s.sum, 0))
	switch {
	case err != nil:
		return total, err
	case s.average:
		return types.NumericDiv(total, types.NewNumeric(s.n, 0))
	case s.wide:
		return total, nil
	default:
		i, err := types.NumericToInt(total, types.Int8)
		return types.NewInt(i), err
	}
}
func (s *intSum) bytes() int { return 0 }

type numericSum struct {
	average bool
	n       int64
	sum     types.Datum
}

func (s *numericSum) add(_ *EvalContext, args []types.Datum) error {
	sum, err := types.NumericAdd(s.sum, args[0])
	s.sum = sum
	s.n++
	return err
}

func (s *numericSum) result(*EvalContext) (types.Datum, error) {
	switch {
	case s.n == 0:
		return types.NullDatum, nil
	case s.average:
		return types.NumericDiv(s.sum, types.NewNumeric(s.n, 0))
	default:
		return s.sum, nil
	}
}
func (s *numericSum) bytes() int { return numericBytes(s.sum) }

// numericBytes is about what a big numeric takes beyond its Datum.
func numericBytes(d types.Datum) int {
	if d.Big == nil {
		return 0
	}
	return 64 + d.Big.Coeff.BitLen()/8
}

type floatSum struct {
	single bool // float4
	any    bool
	sum    float64
}

func (s *floatSum) add(_ *EvalContext, args []types.Datum) error {
	if !s.any {
		s.any, s.sum = true, args[0].Float()
		return nil
	}
	sum, err := floatAdd(s.sum, args[0].Float())
	if err == nil && s.single {
		var d types.Datum
		d, err = types.Float8To4(sum)
		sum = d.Float()
	}
	s.sum = sum
	return err
}

func (s *floatSum) result(*EvalContext) (types.Datum, error) {
	if !s.any {
		return types.NullDatum, nil
	}
	return types.NewFloat(s.sum), nil
}
func (s *floatSum) bytes() int { return 0 }

type intervalSum struct {
	average bool
	n       int64
	sum     types.IntervalValue
}

func (s *intervalSum) add(_ *EvalContext, args []types.Datum) error {
	d, err := intervalPlus(s.sum, args[0].Interval())
	if err != nil {
		return err
	}
	s.sum = d.Interval()
	s.n++
	return nil
}

func (s *intervalSum) result(*EvalContext) (types.Datum, error) {
	switch {
	case s.n == 0:
		return types.NullDatum, nil
	case s.average:
		return intervalScale(s.sum, float64(s.n), true)
	default:
		return types.NewInterval(s.sum), nil
	}
}
func (s *intervalSum) bytes() int { return 0 }
