package parse

import (
	"strings"
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// quoted reads '…' whose opening quote is at open; the token starts at start. A
// string goes on after white space that holds a line break.
func (l *lexer) quoted(start, open int, kind tokenKind) token {
	what := "unterminated quoted string"
	switch kind {
	case tokBits:
		what = "unterminated bit string literal"
	case tokHex:
		what = "unterminated hexadecimal string literal"
	}
	value, ok := l.quotedParts(open)
	if !ok {
		return l.bad(what, start, len(l.text))
	}
	return token{kind: kind, str: value, pos: start, end: l.pos}
}

func (l *lexer) quotedParts(open int) (string, bool) {
	value := ""
	for {
		i := open + 1
		for {
			n := strings.IndexByte(l.text[i:], '\'')
			if n < 0 {
				return "", false
			}
			i += n + 1
			if l.at(i) != '\'' {
				break
			}
			i++
		}
		part := l.text[open+1 : i-1]
		if strings.IndexByte(part, '\'') >= 0 {
			part = strings.ReplaceAll(part, "''", "'")
		}
		value += part
		l.pos = i
		next, more := l.continuation(i)
		if !more {
			return value, true
		}
		open = next
	}
}

// continuation looks behind a closing quote for another one that continues the
// string: only white space with a line break may stand between, where a comment
// counts as white space when it ends with its line.
func (l *lexer) continuation(i int) (int, bool) {
	newline := false
	for i < len(l.text) {
		switch c := l.text[i]; {
		case c == '\n' || c == '\r':
			newline = true
			i++
		case isSpace(c):
			i++
		case c == '-' && l.at(i+1) == '-':
			n := strings.IndexAny(l.text[i:], "\n\r")
			if n < 0 {
				return 0, false
			}
			i += n
		case c == '\'':
			return i, newline
		default:
			return 0, false
		}
	}
	return 0, false
}

// quotedIdent reads "…" whose opening quote is at open.
func (l *lexer) quotedIdent(start, open int) token {
	i := open + 1
	for {
		n := strings.IndexByte(l.text[i:], '"')
		if n < 0 {
			return l.bad("unterminated quoted identifier", start, len(l.text))
		}
		i += n + 1
		if l.at(i) != '"' {
			break
		}
		i++
	}
	l.pos = i
	s := l.text[open+1 : i-1]
	if s == "" {
		return l.bad("zero-length delimited identifier", start, i)
	}
	if strings.IndexByte(s, '"') >= 0 {
		s = strings.ReplaceAll(s, `""`, `"`)
	}
	if start == open {
		s = truncate(s)
	}
	return token{kind: tokIdent, bare: true, str: s, pos: start, end: i}
}

// escapeString reads E'…'.
func (l *lexer) escapeString(start int) token {
	var b []byte
	check := false // bytes written by \x or \ooo may be no UTF-8
	i := start + 2
	for {
		if i >= len(l.text) {
			return l.bad("unterminated quoted string", start, len(l.text))
		}
		switch c := l.text[i]; {
		case c == '\'' && l.at(i+1) == '\'':
			b = append(b, '\'')
			i += 2
		case c == '\'':
			next, more := l.continuation(i + 1)
			if more {
				i = next + 1
				continue
			}
			l.pos = i + 1
			if check && (!utf8.Valid(b) || strings.IndexByte(string(b), 0) >= 0) {
				return token{kind: tokError, pos: start, end: l.pos, err: encodingError(string(b))}
			}
			return token{kind: tokString, str: string(b), pos: start, end: l.pos}
		case c == '\\':
			if i+1 >= len(l.text) {
				return l.bad("unterminated quoted string", start, len(l.text))
			}
			var err error
			b, i, err = l.escape(b, i, &check)
			if err != nil {
				return token{kind: tokError, pos: start, end: len(l.text), err: err}
			}
		default:
			b = append(b, c)
			i++
		}
	}
}

// escape reads one backslash escape at i and returns the offset after it.
func (l *lexer) escape(b []byte, i int, check *bool) ([]byte, int, error) {
	c := l.text[i+1]
	switch c {
	case 'b':
		return append(b, '\b'), i + 2, nil
	case 'f':
		return append(b, '\f'), i + 2, nil
	case 'n':
		return append(b, '\n'), i + 2, nil
	case 'r':
		return append(b, '\r'), i + 2, nil
	case 't':
		return append(b, '\t'), i + 2, nil
	case 'u', 'U':
		return l.escapeRune(b, i)
	case 'x':
		v, j := 0, i+2
		for j < i+4 && hexValue(l.at(j)) >= 0 {
			v = v<<4 | hexValue(l.at(j))
			j++
		}
		if j > i+2 {
			*check = *check || v >= 0x80 || v == 0
			return append(b, byte(v)), j, nil
		}
	}
	if '0' <= c && c <= '7' {
		v, j := 0, i+1
		for j < i+4 && '0' <= l.at(j) && l.at(j) <= '7' {
			v = v<<3 | int(l.at(j)-'0')
			j++
		}
		*check = *check || byte(v) >= 0x80 || byte(v) == 0
		return append(b, byte(v)), j, nil
	}
	return append(b, c), i + 2, nil
}

// escapeRune reads \uXXXX or \UXXXXXXXX; a surrogate needs its other half.
func (l *lexer) escapeRune(b []byte, i int) ([]byte, int, error) {
	r, j, ok := l.hexRune(i)
	if !ok {
		return nil, 0, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid Unicode escape").
			WithHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.").At(Character(l.text, i))
	}
	if 0xDC00 <= r && r <= 0xDFFF {
		return nil, 0, surrogateError(l.text, i)
	}
	if 0xD800 <= r && r <= 0xDBFF {
		low, k, ok := rune(0), j, false
		if l.at(j) == '\\' && (l.at(j+1) == 'u' || l.at(j+1) == 'U') {
			low, k, ok = l.hexRune(j)
		}
		if !ok || low < 0xDC00 || low > 0xDFFF {
			return nil, 0, surrogateError(l.text, j)
		}
		r, j = (r-0xD800)<<10+(low-0xDC00)+0x10000, k
	}
	if r == 0 || r > utf8.MaxRune {
		return nil, 0, errorAt(l.text, "invalid Unicode escape value", i, min(j, len(l.text)))
	}
	return utf8.AppendRune(b, r), j, nil
}

func (l *lexer) hexRune(i int) (rune, int, bool) {
	n := 4
	if l.at(i+1) == 'U' {
		n = 8
	}
	v := 0
	for j := i + 2; j < i+2+n; j++ {
		h := hexValue(l.at(j))
		if h < 0 {
			return 0, 0, false
		}
		v = v<<4 | h
	}
	return rune(v), i + 2 + n, true
}

// unicode decodes the body of U&'…' or U&"…", with UESCAPE 'c' when it follows.
func (l *lexer) unicode(t token) token {
	if t.kind == tokError {
		return t
	}
	escape := byte('\\')
	after := *l
	if u := after.next(); u.kind == tokIdent && u.kw == "uescape" {
		c := after.next()
		switch {
		case c.kind == tokError:
			return c
		case c.kind != tokString:
			return l.bad("UESCAPE must be followed by a simple string literal", c.pos, c.end)
		case len(c.str) != 1 || hexValue(c.str[0]) >= 0 || strings.IndexByte("+'\"", c.str[0]) >= 0 || isSpace(c.str[0]):
			return l.bad("invalid Unicode escape character", c.pos, c.end)
		}
		escape, l.pos, t.end = c.str[0], after.pos, c.end
	}
	s, err := decodeUnicode(l.text, t, escape)
	if err != nil {
		return token{kind: tokError, pos: t.pos, end: t.end, err: err}
	}
	t.str = s
	if t.kind == tokIdent {
		t.str = truncate(s)
	}
	return t
}

func decodeUnicode(text string, t token, escape byte) (string, error) {
	s := t.str
	if strings.IndexByte(s, escape) < 0 {
		return s, nil
	}
	var b []byte
	high := rune(0)
	// Positions are exact unless a doubled quote came before.
	fail := func(i int, message string) (string, error) {
		return "", syntaxError(text, t.pos+3+i, message)
	}
	for i := 0; i < len(s); {
		if s[i] != escape || i+1 < len(s) && s[i+1] == escape {
			if high != 0 {
				return fail(i, "invalid Unicode surrogate pair")
			}
			b = append(b, s[i])
			if s[i] == escape {
				i++
			}
			i++
			continue
		}
		r, n := unicodeEscape(s, i)
		low := 0xDC00 <= r && r <= 0xDFFF
		switch {
		case r < 0:
			return "", syntaxError(text, t.pos+3+i, "invalid Unicode escape").
				WithHint("Unicode escapes must be \\XXXX or \\+XXXXXX.")
		case r == 0 || r > utf8.MaxRune:
			return fail(i, "invalid Unicode escape value")
		case low != (high != 0):
			return fail(i, "invalid Unicode surrogate pair")
		case 0xD800 <= r && r <= 0xDBFF:
			high = r
		case low:
			b = utf8.AppendRune(b, (high-0xD800)<<10+(r-0xDC00)+0x10000)
			high = 0
		default:
			b = utf8.AppendRune(b, r)
		}
		i += n
	}
	if high != 0 {
		return fail(len(s), "invalid Unicode surrogate pair")
	}
	return string(b), nil
}

// unicodeEscape reads \XXXX or \+XXXXXX at i: the value, -1 when it is none, and its
// length.
func unicodeEscape(s string, i int) (rune, int) {
	if i+1 < len(s) && s[i+1] == '+' {
		return hexDigits(s, i+2, 6), 8
	}
	return hexDigits(s, i+1, 4), 5
}

// hexDigits is the value of the n digits of s at i, or -1.
func hexDigits(s string, i, n int) rune {
	if i+n > len(s) {
		return -1
	}
	v := 0
	for _, c := range []byte(s[i : i+n]) {
		h := hexValue(c)
		if h < 0 {
			return -1
		}
		v = v<<4 | h
	}
	return rune(v)
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
