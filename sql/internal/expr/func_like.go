package expr

import (
	"bytes"
	"unicode/utf8"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// likeFuncs are LIKE and ILIKE. ILIKE compares small letters with small letters.
var likeFuncs = makeLikeFuncs()

func makeLikeFuncs() map[string]impl {
	match := func(want, fold bool, step func([]byte) int) impl {
		return impl{f2: func(_ *EvalContext, a, pattern types.Datum) (types.Datum, error) {
			text, p := a.B, pattern.B
			if fold {
				text, p = bytes.ToLower(text), bytes.ToLower(p)
			}
			ok, err := like(text, p, step)
			return types.NewBool(ok == want), err
		}}
	}
	m := map[string]impl{
		"bytealike":         match(true, false, oneByte),
		"byteanlike":        match(false, false, oneByte),
		"like_escape":       {f2: likeEscape},
		"like_escape_bytea": {f2: likeEscape},
	}
	for _, t := range []string{"text", "name"} {
		m[t+"like"], m[t+"nlike"] = match(true, false, oneRune), match(false, false, oneRune)
		m[t+"iclike"], m[t+"icnlike"] = match(true, true, oneRune), match(false, true, oneRune)
	}
	return m
}

func oneByte([]byte) int { return 1 }

func oneRune(s []byte) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(s)
	return n
}

// like matches text against a pattern in which % stands for anything, _ for one character and \ takes the meaning of the
// next away. step is the length of the first character. It goes back to the last % only, so it takes at most
// len(text)*len(pattern) steps.
func like(text, pattern []byte, step func([]byte) int) (bool, error) {
	backPattern, backText := -1, 0
	t, p := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '%' {
			p++
			backPattern, backText = p, t
			continue
		}
		next, matched, err := likeOne(text[t:], pattern, p, step)
		switch {
		case err != nil:
			return false, err
		case matched > 0:
			t, p = t+matched, next
		case backPattern >= 0:
			// Let the last % take one character more.
			backText += step(text[backText:])
			t, p = backText, backPattern
		default:
			return false, nil
		}
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern), nil
}

// likeOne matches the pattern's element at p, which is no %, and gives the place of the next and how much it took; 0 if it
// does not match.
func likeOne(text, pattern []byte, p int, step func([]byte) int) (next, matched int, err error) {
	if p >= len(pattern) {
		return p, 0, nil
	}
	switch pattern[p] {
	case '_':
		return p + 1, step(text), nil
	case '\\':
		if p++; p == len(pattern) {
			return p, 0, sqlerr.New(sqlerr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
		}
	}
	if pattern[p] == text[0] {
		return p + 1, 1, nil
	}
	return p, 0, nil
}

// likeEscape turns a pattern with another escape character, or none, into one with \.
func likeEscape(_ *EvalContext, pattern, escape types.Datum) (types.Datum, error) {
	out := make([]byte, 0, len(pattern.B)+4)
	if len(escape.B) == 0 {
		return types.NewBytes(bytes.ReplaceAll(pattern.B, []byte{'\\'}, []byte(`\\`))), nil
	}
	if utf8.RuneCount(escape.B) != 1 {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	if escape.B[0] == '\\' {
		return pattern, nil
	}
	for rest := pattern.B; len(rest) > 0; {
		switch {
		case bytes.HasPrefix(rest, escape.B):
			out = append(out, '\\')
			rest = rest[len(escape.B):]
			if len(rest) == 0 {
				break
			}
			// The escaped character is itself, a backslash too.
			n := oneRune(rest)
			out = append(out, rest[:n]...)
			rest = rest[n:]
		case rest[0] == '\\':
			out = append(out, '\\', '\\')
			rest = rest[1:]
		default:
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return types.NewBytes(out), nil
}
