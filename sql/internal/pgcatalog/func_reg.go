package pgcatalog

import (
	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// regFuncs find objects by name; what does not exist is NULL.
var regFuncs = map[string]body{
	"to_regclass":     toReg(types.RegClassOID),
	"to_regtype":      toReg(types.RegTypeOID),
	"to_regproc":      toReg(types.RegProcOID),
	"to_regprocedure": toReg(types.RegProcedureOID),
	"to_regoper":      toReg(types.RegOperOID),
	"to_regnamespace": toReg(types.RegNamespaceOID),
	"to_regrole":      toReg(types.RegRoleOID),
	"to_regcollation": toReg(types.RegCollationOID),
}

func toReg(t types.OID) body {
	return func(ec *expr.EvalContext, args []datum) (datum, error) {
		r, ok := ec.Catalog.(*Reader)
		if !ok {
			return datum{}, sqlerr.Internal("no catalog to look into")
		}
		d, err := types.Input(&types.Context{Names: r}, types.Type{OID: t, Mod: -1}, args[0].B)
		if isNotFound(err) || sqlerr.CodeOf(err) == sqlerr.AmbiguousFunction {
			return null, nil
		}
		return d, err
	}
}
