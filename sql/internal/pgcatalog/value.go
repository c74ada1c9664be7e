package pgcatalog

import "minidb/sql/types"

// The values of rows, by what they mean.

var null = types.NullDatum

func oid(o types.OID) types.Datum { return types.NewInt(int64(o)) }
func num(n int) types.Datum       { return types.NewInt(int64(n)) }
func flag(b bool) types.Datum     { return types.NewBool(b) }
func text(s string) types.Datum   { return types.NewText(s) }
func char(c byte) types.Datum     { return types.NewBytes([]byte{c}) }
func float(f float64) types.Datum { return types.NewFloat(f) }
func noChar() types.Datum         { return types.NewBytes([]byte{}) }
func orNull(s string) types.Datum { // of an empty text
	if s == "" {
		return null
	}
	return text(s)
}

// vector is an int2vector or oidvector: it counts from 0.
func vector[T ~int16 | ~uint32](elem types.Type, list []T) types.Datum {
	return types.NewArray(elem, types.ArrayValue{Elems: datums(list)})
}

// array is a one-dimensional array that counts from 1.
func array[T ~int16 | ~uint32](elem types.Type, list []T) types.Datum {
	return types.ArrayOf(elem, datums(list))
}

func datums[T ~int16 | ~uint32](list []T) []types.Datum {
	out := make([]types.Datum, len(list))
	for i, x := range list {
		out[i] = types.NewInt(int64(x))
	}
	return out
}

// textArray is an array of texts, names or access items.
func textArray(list ...string) types.Datum {
	elems := make([]types.Datum, len(list))
	for i, s := range list {
		elems[i] = text(s)
	}
	return types.ArrayOf(types.Text, elems)
}
