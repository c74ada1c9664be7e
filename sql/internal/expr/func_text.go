package expr

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// textFuncs are the functions that take text apart and put it together; padding and trimming are in func_pad.go.
var textFuncs = map[string]impl{
	"textcat":           {f2: textConcat},
	"byteacat":          {f2: textConcat},
	"textlen":           text1(func(a []byte) types.Datum { return types.NewInt(int64(utf8.RuneCount(a))) }),
	"bpcharlen":         text1(func(a []byte) types.Datum { return types.NewInt(int64(utf8.RuneCount(types.TrimBlanks(a)))) }),
	"textoctetlen":      text1(byteLength),
	"byteaoctetlen":     text1(byteLength),
	"bpcharoctetlen":    text1(byteLength),
	"bit_length(text)":  text1(bitLength),
	"bit_length(bytea)": text1(bitLength),
	"upper":             text1(func(a []byte) types.Datum { return types.NewBytes(bytes.ToUpper(a)) }),
	"lower":             text1(func(a []byte) types.Datum { return types.NewBytes(bytes.ToLower(a)) }),
	"initcap":           text1(initCap),
	"text_reverse":      text1(reverse),
	"ascii":             text1(ascii),
	"chr":               {f1: chr},
	"text_left":         {f2: textLeft},
	"text_right":        {f2: textRight},
	"textpos":           {f2: textPosition},
	"byteapos": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewInt(int64(bytes.Index(a.B, b.B) + 1)), nil
	}},
	"text_starts_with": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return types.NewBool(bytes.HasPrefix(a.B, b.B)), nil
	}},
	"text_substr": {f3: func(_ *EvalContext, a, b, c types.Datum) (types.Datum, error) {
		return substring(a.B, b.I, c.I, runeOffset)
	}},
	"bytea_substr": {f3: func(_ *EvalContext, a, b, c types.Datum) (types.Datum, error) {
		return substring(a.B, b.I, c.I, byteOffset)
	}},
	"text_substr_no_len": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return substring(a.B, b.I, math.MaxInt32, runeOffset)
	}},
	"bytea_substr_no_len": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return substring(a.B, b.I, math.MaxInt32, byteOffset)
	}},
	"textoverlay": {fn: func(_ *EvalContext, a []types.Datum) (types.Datum, error) {
		return overlay(a[0].B, a[1].B, a[2].I, a[3].I, runeOffset)
	}},
	"textoverlay_no_len": {f3: overlayText},
	"replace_text":       {f3: replaceText},
	"translate":          {f3: translate},
	"split_part":         {f3: splitPart},
	"text_larger":        {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return larger(types.Text, a, b), nil }},
	"text_smaller":       {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return larger(types.Text, b, a), nil }},
}

// maxTextBytes bounds what a function may make out of small inputs. PostgreSQL allows 1 GB; a quarter of it keeps one
// statement from taking the server's memory.
const maxTextBytes = 1 << 28

func tooLarge() error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "requested length too large")
}

func text1(f func(a []byte) types.Datum) impl {
	return impl{f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return f(a.B), nil }}
}

func larger(t types.Type, a, b types.Datum) types.Datum {
	if types.Compare(t, a, b) < 0 {
		return b
	}
	return a
}

func textConcat(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	if len(a.B)+len(b.B) > maxTextBytes {
		return types.Datum{}, tooLarge()
	}
	out := make([]byte, 0, len(a.B)+len(b.B))
	return types.NewBytes(append(append(out, a.B...), b.B...)), nil
}

func byteLength(a []byte) types.Datum { return types.NewInt(int64(len(a))) }

func bitLength(a []byte) types.Datum { return types.NewInt(8 * int64(len(a))) }

// initCap makes the first letter of every word a capital and the others small. A word is letters and digits.
func initCap(a []byte) types.Datum {
	inWord := false
	return types.NewBytes(bytes.Map(func(r rune) rune {
		c := unicode.ToUpper(r)
		if inWord {
			c = unicode.ToLower(r)
		}
		inWord = unicode.IsLetter(r) || unicode.IsDigit(r)
		return c
	}, a))
}

func reverse(a []byte) types.Datum {
	out := make([]byte, len(a))
	for i := 0; i < len(a); {
		_, n := utf8.DecodeRune(a[i:])
		copy(out[len(a)-i-n:], a[i:i+n])
		i += n
	}
	return types.NewBytes(out)
}

func ascii(a []byte) types.Datum {
	if len(a) == 0 {
		return types.NewInt(0)
	}
	r, _ := utf8.DecodeRune(a)
	return types.NewInt(int64(r))
}

func chr(_ *EvalContext, a types.Datum) (types.Datum, error) {
	limit := func(format string, args ...any) (types.Datum, error) {
		return types.Datum{}, sqlerr.New(sqlerr.ProgramLimitExceeded, format, args...)
	}
	switch {
	case a.I < 0:
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "character number must be positive")
	case a.I == 0:
		return limit("null character not permitted")
	case a.I > unicode.MaxRune:
		return limit("requested character too large for encoding: %d", a.I)
	case !utf8.ValidRune(rune(a.I)):
		return limit("requested character not valid for encoding: %d", a.I)
	}
	return types.NewBytes(utf8.AppendRune(nil, rune(a.I))), nil
}

// runeOffset is the byte offset of the n-th character, counted from 0; the length of a if it has no more.
func runeOffset(a []byte, n int64) int {
	if n >= int64(len(a)) {
		return len(a)
	}
	i := 0
	for ; n > 0 && i < len(a); n-- {
		_, size := utf8.DecodeRune(a[i:])
		i += size
	}
	return i
}

func byteOffset(a []byte, n int64) int { return int(min(max(n, 0), int64(len(a)))) }

// substring gives length elements from the start-th on, counted from 1. What lies before the first counts as empty.
func substring(a []byte, start, length int64, offset func([]byte, int64) int) (types.Datum, error) {
	if length < 0 {
		return types.Datum{}, negativeSubstring()
	}
	end := start + length
	start = max(start, 1)
	if end <= start {
		return types.NewBytes([]byte{}), nil
	}
	tail := a[offset(a, start-1):]
	return types.NewBytes(tail[:offset(tail, end-start)]), nil
}

func negativeSubstring() error {
	return sqlerr.New(sqlerr.SubstringError, "negative substring length not allowed")
}

// overlay puts b in place of length elements of a from the start-th on.
func overlay(a, b []byte, start, length int64, offset func([]byte, int64) int) (types.Datum, error) {
	if start <= 0 {
		return types.Datum{}, negativeSubstring()
	}
	if start+length > math.MaxInt32 {
		return types.Datum{}, types.IntOutOfRange(types.Int4)
	}
	head := a[:offset(a, start-1)]
	tail := a[offset(a, max(start+length-1, 0)):]
	out := append(append(append([]byte{}, head...), b...), tail...)
	return types.NewBytes(out), nil
}

func overlayText(_ *EvalContext, a, b, start types.Datum) (types.Datum, error) {
	return overlay(a.B, b.B, start.I, int64(utf8.RuneCount(b.B)), runeOffset)
}

// textLeft gives the first n characters; with a negative n all but the last -n.
func textLeft(_ *EvalContext, a, n types.Datum) (types.Datum, error) {
	count := n.I
	if count < 0 {
		count = max(0, int64(utf8.RuneCount(a.B))+count)
	}
	return types.NewBytes(a.B[:runeOffset(a.B, count)]), nil
}

// textRight gives the last n characters; with a negative n all but the first -n.
func textRight(_ *EvalContext, a, n types.Datum) (types.Datum, error) {
	skip := -n.I
	if n.I >= 0 {
		skip = max(0, int64(utf8.RuneCount(a.B))-n.I)
	}
	return types.NewBytes(a.B[runeOffset(a.B, skip):]), nil
}

// textPosition is the place of b in a, in characters from 1; 0 if it is not there.
func textPosition(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	i := bytes.Index(a.B, b.B)
	if i < 0 {
		return types.NewInt(0), nil
	}
	return types.NewInt(int64(utf8.RuneCount(a.B[:i]) + 1)), nil
}

func replaceText(_ *EvalContext, a, from, to types.Datum) (types.Datum, error) {
	if len(from.B) == 0 {
		return a, nil
	}
	n := bytes.Count(a.B, from.B)
	switch {
	case n == 0:
		return a, nil
	case len(a.B)+n*(len(to.B)-len(from.B)) > maxTextBytes:
		return types.Datum{}, tooLarge()
	}
	return types.NewBytes(bytes.ReplaceAll(a.B, from.B, to.B)), nil
}

// translate replaces each character of from by that in the same place of to, or drops it if to is shorter.
func translate(_ *EvalContext, a, from, to types.Datum) (types.Datum, error) {
	m := make(map[rune]rune)
	target := bytes.Runes(to.B)
	for i, r := range bytes.Runes(from.B) {
		if _, ok := m[r]; ok {
			continue
		}
		m[r] = -1
		if i < len(target) {
			m[r] = target[i]
		}
	}
	return types.NewBytes(bytes.Map(func(r rune) rune {
		if t, ok := m[r]; ok {
			return t
		}
		return r
	}, a.B)), nil
}

// splitPart gives the n-th field, from the end if n is negative; empty if there are fewer.
func splitPart(_ *EvalContext, a, sep, n types.Datum) (types.Datum, error) {
	if n.I == 0 {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "field position must not be zero")
	}
	none := types.NewBytes([]byte{})
	if len(a.B) == 0 {
		return none, nil
	}
	if len(sep.B) == 0 {
		if n.I == 1 || n.I == -1 {
			return a, nil
		}
		return none, nil
	}
	k := n.I
	if k < 0 {
		k += int64(bytes.Count(a.B, sep.B)) + 2
	}
	rest := a.B
	for ; k > 1; k-- {
		_, after, found := bytes.Cut(rest, sep.B)
		if !found {
			return none, nil
		}
		rest = after
	}
	if k < 1 {
		return none, nil
	}
	field, _, _ := bytes.Cut(rest, sep.B)
	return types.NewBytes(field), nil
}
