package expr

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"math/bits"
	"strings"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// binaryFuncs make bytea out of other values, and look into it.
var binaryFuncs = makeBinaryFuncs()

func makeBinaryFuncs() map[string]impl {
	m := map[string]impl{
		"sha224_bytea":    text1(func(a []byte) types.Datum { sum := sha256.Sum224(a); return types.NewBytes(sum[:]) }),
		"sha256_bytea":    text1(func(a []byte) types.Datum { sum := sha256.Sum256(a); return types.NewBytes(sum[:]) }),
		"sha384_bytea":    text1(func(a []byte) types.Datum { sum := sha512.Sum384(a); return types.NewBytes(sum[:]) }),
		"sha512_bytea":    text1(func(a []byte) types.Datum { sum := sha512.Sum512(a); return types.NewBytes(sum[:]) }),
		"bytea_bit_count": text1(bitCount),
		"byteaGetByte":    {f2: getByte},
		"byteaSetByte":    {f3: setByte},
		"byteaoverlay": {fn: func(_ *EvalContext, a []types.Datum) (types.Datum, error) {
			return overlay(a[0].B, a[1].B, a[2].I, a[3].I, byteOffset)
		}},
		"byteaoverlay_no_len": {f3: func(_ *EvalContext, a, b, c types.Datum) (types.Datum, error) {
			return overlay(a.B, b.B, c.I, int64(len(b.B)), byteOffset)
		}},
		"pg_convert_from": {f2: convertFrom},
		"pg_convert_to":   {f2: convertTo},
	}
	for name, t := range map[string]types.Type{
		"boolsend": types.Bool, "int2send": types.Int2, "int4send": types.Int4, "int8send": types.Int8, "oidsend": types.Oid,
		"float4send": types.Float4, "float8send": types.Float8, "numeric_send": types.Numeric, "textsend": types.Text,
		"varcharsend": types.Varchar, "bpcharsend": types.BPChar, "namesend": types.Name, "byteasend": types.Bytea, "date_send": types.Date,
		"timestamp_send": types.Timestamp, "timestamptz_send": types.TimestampTZ, "interval_send": types.Interval, "uuid_send": types.UUID,
	} {
		m[name] = impl{f1: func(ec *EvalContext, a types.Datum) (types.Datum, error) {
			return types.NewBytes(types.AppendBinary(ec.Types, nil, t, a)), nil
		}}
	}
	return m
}

func bitCount(a []byte) types.Datum {
	n := 0
	for _, c := range a {
		n += bits.OnesCount8(c)
	}
	return types.NewInt(int64(n))
}

func indexOutOfRange(n int64, length int) error {
	return sqlerr.New(sqlerr.ArraySubscriptError, "index %d out of valid range, 0..%d", n, length-1)
}

func getByte(_ *EvalContext, a, n types.Datum) (types.Datum, error) {
	if n.I < 0 || n.I >= int64(len(a.B)) {
		return types.Datum{}, indexOutOfRange(n.I, len(a.B))
	}
	return types.NewInt(int64(a.B[n.I])), nil
}

func setByte(_ *EvalContext, a, n, value types.Datum) (types.Datum, error) {
	if n.I < 0 || n.I >= int64(len(a.B)) {
		return types.Datum{}, indexOutOfRange(n.I, len(a.B))
	}
	out := bytes.Clone(a.B)
	out[n.I] = byte(value.I)
	return types.NewBytes(out), nil
}

// checkEncoding: UTF-8 is the only encoding; role is source or destination.
func checkEncoding(name types.Datum, role string) error {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name.Text())) {
	case "utf8", "unicode":
		return nil
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid %s encoding name \"%s\"", role, name.B)
}

func convertFrom(_ *EvalContext, a, name types.Datum) (types.Datum, error) {
	if err := checkEncoding(name, "source"); err != nil {
		return types.Datum{}, err
	}
	return a, types.CheckUTF8(a.B)
}

func convertTo(_ *EvalContext, a, name types.Datum) (types.Datum, error) {
	return a, checkEncoding(name, "destination")
}
