package expr

import (
	"bytes"
	"unicode/utf8"

	"minidb/sql/types"
)

// padFuncs are the functions that trim, pad and repeat text.
var padFuncs = map[string]impl{
	"btrim": {f2: func(_ *EvalContext, a, set types.Datum) (types.Datum, error) {
		return trim(a.B, set.B, true, true), nil
	}},
	"ltrim": {f2: func(_ *EvalContext, a, set types.Datum) (types.Datum, error) {
		return trim(a.B, set.B, true, false), nil
	}},
	"rtrim": {f2: func(_ *EvalContext, a, set types.Datum) (types.Datum, error) {
		return trim(a.B, set.B, false, true), nil
	}},
	"btrim1": text1(func(a []byte) types.Datum { return trim(a, blank, true, true) }),
	"ltrim1": text1(func(a []byte) types.Datum { return trim(a, blank, true, false) }),
	"rtrim1": text1(func(a []byte) types.Datum { return trim(a, blank, false, true) }),
	"byteatrim": {f2: func(_ *EvalContext, a, set types.Datum) (types.Datum, error) {
		return trimBytes(a.B, set.B, true, true), nil
	}},
	"bytealtrim": {f2: func(_ *EvalContext, a, set types.Datum) (types.Datum, error) {
		return trimBytes(a.B, set.B, true, false), nil
	}},
	"byteartrim": {f2: func(_ *EvalContext, a, set types.Datum) (types.Datum, error) {
		return trimBytes(a.B, set.B, false, true), nil
	}},
	"lpad":            {f3: func(_ *EvalContext, a, n, fill types.Datum) (types.Datum, error) { return pad(a.B, n.I, fill.B, true) }},
	"rpad":            {f3: func(_ *EvalContext, a, n, fill types.Datum) (types.Datum, error) { return pad(a.B, n.I, fill.B, false) }},
	"lpad(text,int4)": {f2: func(_ *EvalContext, a, n types.Datum) (types.Datum, error) { return pad(a.B, n.I, blank, true) }},
	"rpad(text,int4)": {f2: func(_ *EvalContext, a, n types.Datum) (types.Datum, error) { return pad(a.B, n.I, blank, false) }},
	"repeat":          {f2: repeat},
}

var blank = []byte{' '}

// trim takes the characters of a set off the ends.
func trim(a, set []byte, left, right bool) types.Datum {
	inSet := func(r rune) bool { return bytes.ContainsRune(set, r) }
	if left {
		a = bytes.TrimLeftFunc(a, inSet)
	}
	if right {
		a = bytes.TrimRightFunc(a, inSet)
	}
	return types.NewBytes(a)
}

func trimBytes(a, set []byte, left, right bool) types.Datum {
	for left && len(a) > 0 && bytes.IndexByte(set, a[0]) >= 0 {
		a = a[1:]
	}
	for right && len(a) > 0 && bytes.IndexByte(set, a[len(a)-1]) >= 0 {
		a = a[:len(a)-1]
	}
	return types.NewBytes(a)
}

// pad fills up to n characters on one side, or cuts off after n.
func pad(a []byte, n int64, fill []byte, left bool) (types.Datum, error) {
	if n <= 0 {
		return types.NewBytes([]byte{}), nil
	}
	have := int64(utf8.RuneCount(a))
	switch {
	case n > maxTextBytes/utf8.UTFMax:
		return types.Datum{}, tooLarge()
	case have >= n:
		return types.NewBytes(a[:runeOffset(a, n)]), nil
	case len(fill) == 0:
		return types.NewBytes(a), nil
	}
	missing := n - have
	width := int64(utf8.RuneCount(fill))
	out := make([]byte, 0, len(a)+int(missing/width+1)*len(fill))
	if !left {
		out = append(out, a...)
	}
	for ; missing >= width; missing -= width {
		out = append(out, fill...)
	}
	out = append(out, fill[:runeOffset(fill, missing)]...)
	if left {
		out = append(out, a...)
	}
	return types.NewBytes(out), nil
}

func repeat(_ *EvalContext, a, n types.Datum) (types.Datum, error) {
	if n.I <= 0 || len(a.B) == 0 {
		return types.NewBytes([]byte{}), nil
	}
	if int64(len(a.B)) > maxTextBytes/n.I {
		return types.Datum{}, tooLarge()
	}
	return types.NewBytes(bytes.Repeat(a.B, int(n.I))), nil
}
