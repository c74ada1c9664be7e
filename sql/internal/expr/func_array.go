package expr

import (
	"bytes"
	"strconv"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// arrayFuncs are the functions of arrays. They are bound to the type of the elements when a call is built.
var arrayFuncs = map[string]impl{
	"array_append":  ofElems(1, func(elem types.Type) impl { return impl{f2: arrayAppend(elem)} }),
	"array_prepend": ofElems(2, func(elem types.Type) impl { return impl{f2: arrayPrepend(elem)} }),
	"array_cat":     ofElems(1, func(elem types.Type) impl { return impl{f2: arrayCat(elem)} }),
	"array_remove":  ofElems(1, func(elem types.Type) impl { return impl{f2: arrayRemove(elem)} }),
	"array_replace": ofElems(1, func(elem types.Type) impl { return impl{f3: arrayReplace(elem)} }),
	"trim_array":    ofElems(1, func(elem types.Type) impl { return impl{f2: trimArray(elem)} }),

	"array_dims":        {f1: arrayDims},
	"array_ndims":       {f1: arrayNDims},
	"array_length":      {f2: arrayLength},
	"array_lower":       {f2: arrayLower},
	"array_upper":       {f2: arrayUpper},
	"array_cardinality": {f1: cardinality},

	"array_position": ofElems(1, func(elem types.Type) impl {
		return impl{f2: func(_ *EvalContext, a, e types.Datum) (types.Datum, error) {
			return arrayPosition(elem, a, e, types.Datum{I: -1 << 31})
		}}
	}),
	"array_position_start": ofElems(1, func(elem types.Type) impl {
		return impl{f3: func(_ *EvalContext, a, e, start types.Datum) (types.Datum, error) {
			return arrayPosition(elem, a, e, start)
		}}
	}),
	"array_positions": ofElems(1, func(elem types.Type) impl { return impl{f2: arrayPositions(elem)} }),

	"arraycontains": ofElems(1, func(elem types.Type) impl {
		return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewBool(containsAll(elem, a, b)), nil
		}}
	}),
	"arraycontained": ofElems(1, func(elem types.Type) impl {
		return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewBool(containsAll(elem, b, a)), nil
		}}
	}),
	"arrayoverlap": ofElems(1, func(elem types.Type) impl { return impl{f2: arrayOverlap(elem)} }),

	"array_to_text": ofElems(1, func(elem types.Type) impl {
		return impl{f2: func(ec *EvalContext, a, sep types.Datum) (types.Datum, error) {
			return arrayToText(ec, elem, a, sep, types.NullDatum)
		}}
	}),
	"array_to_text_null": ofElems(1, func(elem types.Type) impl {
		return impl{f3: func(ec *EvalContext, a, sep, null types.Datum) (types.Datum, error) {
			return arrayToText(ec, elem, a, sep, null)
		}}
	}),
	"text_to_array": {f2: func(_ *EvalContext, a, sep types.Datum) (types.Datum, error) {
		return textToArray(a, sep, types.NullDatum)
	}},
	"text_to_array_null": {f3: func(_ *EvalContext, a, sep, null types.Datum) (types.Datum, error) {
		return textToArray(a, sep, null)
	}},
	"array_fill": {bind: func(args []types.Type, _ types.Type) impl {
		return impl{f2: func(_ *EvalContext, e, dims types.Datum) (types.Datum, error) {
			return arrayFill(args[0], e, dims, types.ArrayOf(types.Int4, []types.Datum{types.NewInt(1)}))
		}}
	}},
	"array_fill_with_lower_bounds": {bind: func(args []types.Type, _ types.Type) impl {
		return impl{f3: func(_ *EvalContext, e, dims, lower types.Datum) (types.Datum, error) {
			return arrayFill(args[0], e, dims, lower)
		}}
	}},
}

func init() {
	for name, holds := range map[string]func(c int) bool{
		"array_lt": func(c int) bool { return c < 0 }, "array_le": func(c int) bool { return c <= 0 },
		"array_gt": func(c int) bool { return c > 0 }, "array_ge": func(c int) bool { return c >= 0 },
		"array_eq": func(c int) bool { return c == 0 }, "array_ne": func(c int) bool { return c != 0 },
	} {
		arrayFuncs[name] = impl{bind: func(args []types.Type, _ types.Type) impl {
			t := args[0]
			return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
				return types.NewBool(holds(types.Compare(t, a, b))), nil
			}}
		}}
	}
	for name, want := range map[string]int{"array_larger": 1, "array_smaller": -1} {
		arrayFuncs[name] = impl{bind: func(args []types.Type, _ types.Type) impl {
			t := args[0]
			return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
				if types.Compare(t, a, b)*want > 0 {
					return a, nil
				}
				return b, nil
			}}
		}}
	}
	arrayFuncs["btarraycmp"] = impl{bind: func(args []types.Type, _ types.Type) impl {
		t := args[0]
		return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewInt(int64(types.Compare(t, a, b))), nil
		}}
	}}
}

// ofElems binds a function by the element type of its n-th argument, which is an array.
func ofElems(n int, body func(elem types.Type) impl) impl {
	return impl{bind: func(args []types.Type, _ types.Type) impl {
		elem, _ := args[n-1].Elem()
		return body(elem)
	}}
}

// same: NULL is the same as NULL.
func same(t types.Type, a, b types.Datum) bool {
	if a.Null || b.Null {
		return a.Null && b.Null
	}
	return types.Compare(t, a, b) == 0
}

// elemsOf is an array's elements with room for one more; NULL counts as empty.
func elemsOf(elem types.Type, a types.Datum) types.ArrayValue {
	if a.Null {
		return types.ArrayValue{Lower: 1}
	}
	v := a.Array(elem)
	if len(v.Elems) == 0 {
		v.Lower = 1
	}
	return v
}

func arrayAppend(elem types.Type) binary {
	return func(_ *EvalContext, a, e types.Datum) (types.Datum, error) {
		v := elemsOf(elem, a)
		v.Elems = append(v.Elems, e)
		return types.NewArray(elem, v), nil
	}
}

func arrayPrepend(elem types.Type) binary {
	return func(_ *EvalContext, e, a types.Datum) (types.Datum, error) {
		v := elemsOf(elem, a)
		v.Elems = append([]types.Datum{e}, v.Elems...)
		return types.NewArray(elem, v), nil
	}
}

func arrayCat(elem types.Type) binary {
	return func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		if a.Null {
			return b, nil
		}
		if b.Null {
			return a, nil
		}
		v, w := elemsOf(elem, a), elemsOf(elem, b)
		switch {
		case len(v.Elems) == 0:
			return b, nil
		case len(w.Elems) == 0:
			return a, nil
		}
		v.Elems = append(v.Elems, w.Elems...)
		return types.NewArray(elem, v), nil
	}
}

func arrayRemove(elem types.Type) binary {
	return func(_ *EvalContext, a, e types.Datum) (types.Datum, error) {
		if a.Null {
			return a, nil
		}
		v := elemsOf(elem, a)
		var kept []types.Datum
		for _, x := range v.Elems {
			if !same(elem, x, e) {
				kept = append(kept, x)
			}
		}
		v.Elems = kept
		return types.NewArray(elem, v), nil
	}
}

func arrayReplace(elem types.Type) func(ec *EvalContext, a, from, to types.Datum) (types.Datum, error) {
	return func(_ *EvalContext, a, from, to types.Datum) (types.Datum, error) {
		if a.Null {
			return a, nil
		}
		v := elemsOf(elem, a)
		for i, x := range v.Elems {
			if same(elem, x, from) {
				v.Elems[i] = to
			}
		}
		return types.NewArray(elem, v), nil
	}
}

func trimArray(elem types.Type) binary {
	return func(_ *EvalContext, a, n types.Datum) (types.Datum, error) {
		v := elemsOf(elem, a)
		if n.I < 0 || n.I > int64(len(v.Elems)) {
			return types.Datum{}, sqlerr.New(sqlerr.ArraySubscriptError, "number of elements to trim must be between 0 and %d", len(v.Elems))
		}
		return types.ArrayOf(elem, v.Elems[:len(v.Elems)-int(n.I)]), nil
	}
}

func arrayDims(_ *EvalContext, a types.Datum) (types.Datum, error) {
	n, lower := a.ArrayLen()
	if n == 0 {
		return types.NullDatum, nil
	}
	return types.NewText("[" + strconv.Itoa(lower) + ":" + strconv.Itoa(lower+n-1) + "]"), nil
}

func arrayNDims(_ *EvalContext, a types.Datum) (types.Datum, error) {
	if n, _ := a.ArrayLen(); n == 0 {
		return types.NullDatum, nil
	}
	return types.NewInt(1), nil
}

// arrayLength is NULL for an empty array, which has no dimension, and for a dimension that there is not.
func arrayLength(_ *EvalContext, a, dim types.Datum) (types.Datum, error) {
	n, _ := a.ArrayLen()
	if n == 0 || dim.I != 1 {
		return types.NullDatum, nil
	}
	return types.NewInt(int64(n)), nil
}

func arrayLower(_ *EvalContext, a, dim types.Datum) (types.Datum, error) {
	n, lower := a.ArrayLen()
	if n == 0 || dim.I != 1 {
		return types.NullDatum, nil
	}
	return types.NewInt(int64(lower)), nil
}

func arrayUpper(_ *EvalContext, a, dim types.Datum) (types.Datum, error) {
	n, lower := a.ArrayLen()
	if n == 0 || dim.I != 1 {
		return types.NullDatum, nil
	}
	return types.NewInt(int64(lower + n - 1)), nil
}

func cardinality(_ *EvalContext, a types.Datum) (types.Datum, error) {
	n, _ := a.ArrayLen()
	return types.NewInt(int64(n)), nil
}

// arrayPosition gives the subscript of the first element from start on that is the same as e.
func arrayPosition(elem types.Type, a, e, start types.Datum) (types.Datum, error) {
	if a.Null {
		return a, nil
	}
	if start.Null {
		return types.Datum{}, sqlerr.New(sqlerr.NullValueNotAllowed, "initial position must not be null")
	}
	v := elemsOf(elem, a)
	for i, x := range v.Elems {
		if int64(v.Lower+i) >= start.I && same(elem, x, e) {
			return types.NewInt(int64(v.Lower + i)), nil
		}
	}
	return types.NullDatum, nil
}

func arrayPositions(elem types.Type) binary {
	return func(_ *EvalContext, a, e types.Datum) (types.Datum, error) {
		if a.Null {
			return a, nil
		}
		v := elemsOf(elem, a)
		var found []types.Datum
		for i, x := range v.Elems {
			if same(elem, x, e) {
				found = append(found, types.NewInt(int64(v.Lower+i)))
			}
		}
		return types.ArrayOf(types.Int4, found), nil
	}
}

// elemSet is the elements of an array as hash keys; NULL is none, because it equals nothing.
func elemSet(elem types.Type, a types.Datum) map[string]struct{} {
	v := a.Array(elem)
	set := make(map[string]struct{}, len(v.Elems))
	for _, x := range v.Elems {
		if !x.Null {
			set[string(types.AppendKey(nil, elem, x))] = struct{}{}
		}
	}
	return set
}

// containsAll reports whether every element of b is in a.
func containsAll(elem types.Type, a, b types.Datum) bool {
	set := elemSet(elem, a)
	for _, x := range b.Array(elem).Elems {
		if x.Null {
			return false
		}
		if _, ok := set[string(types.AppendKey(nil, elem, x))]; !ok {
			return false
		}
	}
	return true
}

func arrayOverlap(elem types.Type) binary {
	return func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		set := elemSet(elem, a)
		for _, x := range b.Array(elem).Elems {
			if x.Null {
				continue
			}
			if _, ok := set[string(types.AppendKey(nil, elem, x))]; ok {
				return types.NewBool(true), nil
			}
		}
		return types.NewBool(false), nil
	}
}

// arrayToText joins the elements; NULLs are left out where there is no text for them.
func arrayToText(ec *EvalContext, elem types.Type, a, sep, null types.Datum) (types.Datum, error) {
	if a.Null || sep.Null {
		return types.NullDatum, nil
	}
	var out []byte
	first := true
	for _, x := range a.Array(elem).Elems {
		if x.Null && null.Null {
			continue
		}
		if !first {
			out = append(out, sep.B...)
		}
		first = false
		if x.Null {
			out = append(out, null.B...)
		} else {
			out = types.AppendText(ec.Types, out, elem, x)
		}
		if len(out) > maxTextBytes {
			return types.Datum{}, tooLarge()
		}
	}
	return types.NewBytes(append([]byte{}, out...)), nil
}

// textToArray splits a text: at each separator, between all characters if it is NULL, not at all if it is empty.
func textToArray(a, sep, null types.Datum) (types.Datum, error) {
	if a.Null {
		return a, nil
	}
	var elems []types.Datum
	for _, field := range splitText(a.B, sep) {
		if !null.Null && bytes.Equal(field, null.B) {
			elems = append(elems, types.NullDatum)
		} else {
			elems = append(elems, types.NewBytes(field))
		}
	}
	return types.ArrayOf(types.Text, elems), nil
}

func splitText(text []byte, sep types.Datum) [][]byte {
	switch {
	case len(text) == 0:
		return nil
	case sep.Null:
		return bytes.Split(text, nil)
	case len(sep.B) == 0:
		return [][]byte{text}
	default:
		return bytes.Split(text, sep.B)
	}
}

// maxFilledElems keeps the arrays that array_fill makes within PostgreSQL's limit.
const maxFilledElems = 1 << 27

func arrayFill(elem types.Type, e, dims, lower types.Datum) (types.Datum, error) {
	if dims.Null || lower.Null {
		return types.Datum{}, sqlerr.New(sqlerr.NullValueNotAllowed, "dimension array or low bound array cannot be null")
	}
	d, l := dims.Array(types.Int4).Elems, lower.Array(types.Int4).Elems
	for _, x := range append(d[:len(d):len(d)], l...) {
		if x.Null {
			return types.Datum{}, sqlerr.New(sqlerr.NullValueNotAllowed, "dimension values cannot be null")
		}
	}
	switch {
	case len(d) == 0:
		return types.ArrayOf(elem, nil), nil
	case len(d) > 1:
		return types.Datum{}, errMultiDimensional()
	case len(l) != 1:
		return types.Datum{}, sqlerr.New(sqlerr.ArraySubscriptError, "wrong number of array subscripts").
			WithDetail("Low bound array has different size than dimensions array.")
	case d[0].I < 0 || d[0].I > maxFilledElems:
		return types.Datum{}, sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxFilledElems-1)
	}
	v := types.ArrayValue{Lower: int(l[0].I), Elems: make([]types.Datum, d[0].I)}
	for i := range v.Elems {
		v.Elems[i] = e
	}
	return types.NewArray(elem, v), nil
}
