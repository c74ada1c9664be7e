package pgcatalog

import (
	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

type (
	datum = types.Datum
	body  = func(ec *expr.EvalContext, args []datum) (datum, error)
)

// functionFamilies are the functions, by their names in expr's facts.txt.
var functionFamilies = []map[string]body{
	defineFuncs, visibleFuncs, commentFuncs, privilegeFuncs, sizeFuncs, functionFuncs, regFuncs, sessionFuncs, constantFuncs,
}

func init() {
	for _, family := range functionFamilies {
		expr.Provide(family)
	}
}

// asking is a function that looks into the catalog of the statement's session.
func asking(f func(r *Reader, s *Snapshot, args []datum) (datum, error)) body {
	return func(ec *expr.EvalContext, args []datum) (datum, error) {
		r, ok := ec.Catalog.(*Reader)
		if !ok {
			return datum{}, sqlerr.Internal("no catalog to look into")
		}
		s, err := r.snapshot()
		if err != nil {
			return datum{}, err
		}
		return f(r, s, args)
	}
}

// always is a function that gives the same whatever it is given.
func always(d datum) body {
	return func(*expr.EvalContext, []datum) (datum, error) { return d, nil }
}

// oidOf is an argument of type oid or of a reg type.
func oidOf(d datum) types.OID { return types.OID(d.I) }
