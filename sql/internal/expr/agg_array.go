package expr

import "minidb/sql/types"

// addArrayAggs adds array_agg. An aggregate over arrays would make an array of more than one dimension.
func addArrayAggs(m map[string]aggImpl) {
	m["array_agg(anynonarray)"] = aggImpl{ordered: true, make: func(a *Aggregate) accumulator {
		return &arrayAcc{elem: a.Args[0].Type().Base()}
	}}
}

// arrayAcc collects values, NULLs too.
type arrayAcc struct {
	elem  types.Type
	elems []types.Datum
	size  int
}

func (a *arrayAcc) add(_ *EvalContext, args []types.Datum) error {
	a.elems = append(a.elems, args[0].Clone())
	a.size += datumBytes + len(args[0].B)
	return nil
}

func (a *arrayAcc) result(*EvalContext) (types.Datum, error) {
	if a.elems == nil {
		return types.NullDatum, nil
	}
	return types.ArrayOf(a.elem, a.elems), nil
}

func (a *arrayAcc) bytes() int { return a.size }
