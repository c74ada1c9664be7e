package expr

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// quoteFuncs write values as text: quoted, joined, encoded, hashed.
var quoteFuncs = map[string]impl{
	"quote_ident":                text1(func(a []byte) types.Datum { return types.NewText(parse.QuoteIdent(string(a))) }),
	"quote_literal":              text1(func(a []byte) types.Datum { return types.NewBytes(appendLiteral(nil, a)) }),
	"quote_nullable":             {f1: quoteNullable},
	"quote_literal(anyelement)":  {typed: quoteAny},
	"quote_nullable(anyelement)": {typed: quoteAny},
	"text_concat":                {typed: concat},
	"text_concat_ws":             {typed: concatWS},
	"to_hex32":                   {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return toHex(uint64(uint32(a.I))), nil }},
	"to_hex64":                   {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return toHex(uint64(a.I)), nil }},
	"md5_text":                   text1(md5Hex),
	"md5_bytea":                  text1(md5Hex),
	"binary_encode":              {f2: encode},
	"binary_decode":              {f2: decode},
	"pg_num_nulls": {fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		return types.NewInt(countNulls(args)), nil
	}},
	"pg_num_nonnulls": {fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		return types.NewInt(int64(len(args)) - countNulls(args)), nil
	}},
	"pg_typeof":   {typed: typeOf},
	"format_type": {f2: formatType},
}

func countNulls(args []types.Datum) int64 {
	n := int64(0)
	for _, a := range args {
		if a.Null {
			n++
		}
	}
	return n
}

// appendLiteral writes a string constant; one with backslashes in the E form.
func appendLiteral(dst, a []byte) []byte {
	if bytes.IndexByte(a, '\\') >= 0 {
		dst = append(dst, 'E')
	}
	dst = append(dst, '\'')
	for _, c := range a {
		if c == '\'' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

func quoteNullable(_ *EvalContext, a types.Datum) (types.Datum, error) {
	if a.Null {
		return types.NewText("NULL"), nil
	}
	return types.NewBytes(appendLiteral(nil, a.B)), nil
}

// quoteAny quotes a value of any type after a cast to text.
func quoteAny(ec *EvalContext, exprs []Expr, args []types.Datum) (types.Datum, error) {
	if args[0].Null {
		return types.NewText("NULL"), nil
	}
	text, err := types.Cast(ec.Types, args[0], exprs[0].Type(), types.Text, types.CastExplicit)
	if err != nil {
		return text, err
	}
	return types.NewBytes(appendLiteral(nil, text.B)), nil
}

// concat joins the text forms of what is not NULL.
func concat(ec *EvalContext, exprs []Expr, args []types.Datum) (types.Datum, error) {
	return joinText(ec, nil, exprs, args)
}

// concatWS puts a separator between them.
func concatWS(ec *EvalContext, exprs []Expr, args []types.Datum) (types.Datum, error) {
	if args[0].Null {
		return types.NullDatum, nil
	}
	return joinText(ec, args[0].B, exprs[1:], args[1:])
}

func joinText(ec *EvalContext, sep []byte, exprs []Expr, args []types.Datum) (types.Datum, error) {
	out := []byte{}
	first := true
	for i, a := range args {
		if a.Null {
			continue
		}
		if !first {
			out = append(out, sep...)
		}
		first = false
		out = types.AppendText(ec.Types, out, exprs[i].Type(), a)
		if len(out) > maxTextBytes {
			return types.Datum{}, tooLarge()
		}
	}
	return types.NewBytes(out), nil
}

func toHex(u uint64) types.Datum { return types.NewBytes(strconv.AppendUint(nil, u, 16)) }

func md5Hex(a []byte) types.Datum {
	sum := md5.Sum(a)
	return types.NewBytes(hex.AppendEncode(nil, sum[:]))
}

func encode(_ *EvalContext, a, format types.Datum) (types.Datum, error) {
	switch string(bytes.ToLower(format.B)) {
	case "hex":
		return types.NewBytes(hex.AppendEncode(nil, a.B)), nil
	case "base64":
		// Lines of 76 characters, as MIME has them.
		text := base64.StdEncoding.AppendEncode(nil, a.B)
		var out []byte
		for len(text) > 76 {
			out = append(append(out, text[:76]...), '\n')
			text = text[76:]
		}
		return types.NewBytes(append(out, text...)), nil
	case "escape":
		var out []byte
		for _, c := range a.B {
			switch {
			case c == '\\':
				out = append(out, `\\`...)
			case c == 0 || c >= 0x80:
				out = append(out, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			default:
				out = append(out, c)
			}
		}
		return types.NewBytes(out), nil
	default:
		return types.Datum{}, unrecognizedEncoding(format.B)
	}
}

func unrecognizedEncoding(name []byte) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized encoding: \"%s\"", name)
}

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func decode(ec *EvalContext, a, format types.Datum) (types.Datum, error) {
	switch string(bytes.ToLower(format.B)) {
	case "hex":
		return types.Input(ec.Types, types.Bytea, append([]byte(`\x`), a.B...))
	case "escape":
		if bytes.HasPrefix(a.B, []byte(`\x`)) {
			return types.Datum{}, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
		return types.Input(ec.Types, types.Bytea, a.B)
	case "base64":
		text := bytes.Map(func(r rune) rune {
			if r == ' ' || r == '\t' || r == '\n' || r == '\r' {
				return -1
			}
			return r
		}, a.B)
		out, err := base64.StdEncoding.AppendDecode(nil, text)
		if err == nil {
			return types.NewBytes(out), nil
		}
		for _, r := range string(text) {
			if r != '=' && !strings.ContainsRune(base64Alphabet, r) {
				return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid symbol \"%c\" found while decoding base64 sequence", r)
			}
		}
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid base64 end sequence").
			WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
	default:
		return types.Datum{}, unrecognizedEncoding(format.B)
	}
}

func typeOf(_ *EvalContext, exprs []Expr, _ []types.Datum) (types.Datum, error) {
	t := exprs[0].Type()
	if r := t.RowType(); r.OID != 0 {
		return types.NewInt(int64(r.OID)), nil
	}
	return types.NewInt(int64(t.OID)), nil
}

// formatType names a type with its modifier; an unknown one is ???.
func formatType(_ *EvalContext, oid, mod types.Datum) (types.Datum, error) {
	if oid.Null {
		return oid, nil
	}
	t, ok := types.ByOID(types.OID(oid.I))
	if !ok {
		return types.NewText("???"), nil
	}
	if !mod.Null {
		t.Mod = int32(mod.I)
	}
	return types.NewText(t.Format()), nil
}
