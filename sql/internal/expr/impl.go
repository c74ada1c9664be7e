package expr

import "minidb/sql/types"

// impl is the Go body of a function: the field for its number of arguments, or one for any number.
type impl struct {
	f0 func(ec *EvalContext) (types.Datum, error)
	f1 func(ec *EvalContext, a types.Datum) (types.Datum, error)
	f2 func(ec *EvalContext, a, b types.Datum) (types.Datum, error)
	f3 func(ec *EvalContext, a, b, c types.Datum) (types.Datum, error)
	// fn takes any number. It must not keep args.
	fn func(ec *EvalContext, args []types.Datum) (types.Datum, error)
	// typed is fn for functions that also look at the types of their arguments.
	typed func(ec *EvalContext, exprs []Expr, args []types.Datum) (types.Datum, error)
	// bind makes the body for the types of a call's arguments and result; for functions of anyarray and the like.
	bind func(args []types.Type, result types.Type) impl
	// set is the body of a function that returns a set; its arguments are its own.
	set setFunc
	// setAs is set for functions whose columns the call names.
	setAs func(columns []SetColumn) setFunc
}

func (i *impl) exists() bool {
	return i.f0 != nil || i.f1 != nil || i.f2 != nil || i.f3 != nil || i.fn != nil || i.typed != nil || i.bind != nil || i.set != nil || i.setAs != nil
}

// boundTo is the body for the arguments of a call.
func (i *impl) boundTo(args []Expr, result types.Type) *impl {
	if i.bind == nil {
		return i
	}
	ts := make([]types.Type, len(args))
	for j, a := range args {
		ts[j] = a.Type().Base()
	}
	if !result.IsRecord() {
		result = result.Base()
	}
	bound := i.bind(ts, result)
	return &bound
}

type (
	nullary = func(ec *EvalContext) (types.Datum, error)
	setFunc = func(ec *EvalContext, args []types.Datum) (SetRows, error)
	binary  = func(ec *EvalContext, a, b types.Datum) (types.Datum, error)
)

// families are the implementations by the names of facts.txt, one map a file.
var families = []map[string]impl{
	compareFuncs, intFuncs, floatFuncs, numericFuncs, textFuncs, padFuncs, likeFuncs, regexpFuncs, quoteFuncs, formatFuncs,
	binaryFuncs, sessionFuncs, dateFuncs, datePartFuncs, dateTruncFuncs, toCharFuncs, numCharFuncs, toNumberFuncs, toDateFuncs, sequenceFuncs,
	timeFuncs, regexpMoreFuncs, oidFuncs, arrayFuncs, seriesFuncs, jsonFuncs, jsonMakeFuncs, jsonbEditFuncs, jsonSetFuncs, enumFuncs, bucketFuncs,
	recordFuncs, catalogSetFuncs, jsonRecordFuncs,
}

// provided are the implementations that other packages have.
var provided = map[string]impl{}

// Provide adds the bodies of functions, by the names of facts.txt: those that need what this package knows nothing of, such as
// the catalog, which they find in EvalContext.Catalog. They must not keep args. It is for init functions.
func Provide(bodies map[string]func(ec *EvalContext, args []types.Datum) (types.Datum, error)) {
	for key, body := range bodies {
		provided[key] = impl{fn: body}
	}
}

// implementation gives the body of a function, zero if minidb does not have it.
func implementation(key string) impl {
	if i, ok := provided[key]; ok {
		return i
	}
	for _, f := range families {
		if i, ok := f[key]; ok {
			return i
		}
	}
	return impl{}
}
