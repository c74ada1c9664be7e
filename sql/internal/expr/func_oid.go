package expr

import "minidb/sql/types"

// oidFuncs are the comparisons of transaction numbers and of lists of OIDs.
var oidFuncs = makeOidFuncs()

func makeOidFuncs() map[string]impl {
	m := map[string]impl{
		// A transaction number compares with an integer too, and has no order.
		"xideq": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewBool(uint32(a.I) == uint32(b.I)), nil
		}},
		"xidneq": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewBool(uint32(a.I) != uint32(b.I)), nil
		}},
		"cideq": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return types.NewBool(a.I == b.I), nil }},
	}
	addComparisons(m, "xid8#", func(_ *EvalContext, a, b types.Datum) int { return types.Compare(types.Xid8, a, b) })
	addComparisons(m, "oidvector#", func(_ *EvalContext, a, b types.Datum) int { return types.Compare(types.OidVector, a, b) })
	return m
}
