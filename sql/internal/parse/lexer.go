package parse

import (
	"strings"
	"unicode/utf8"
)

// maxNameBytes is the longest name; PostgreSQL's NAMEDATALEN less one.
const maxNameBytes = 63

// MaxNameBytes is the length that names are cut to.
const MaxNameBytes = maxNameBytes

// lexer cuts a text into tokens by the rules of PostgreSQL's scan.l, with
// standard_conforming_strings on. The text is valid UTF-8 without NUL.
type lexer struct {
	text string
	pos  int
}

func (l *lexer) bad(message string, pos, end int) token {
	l.pos = len(l.text)
	return token{kind: tokError, pos: pos, end: end, err: errorAt(l.text, message, pos, end)}
}

// next returns the next token; at the end it returns tokEOF again and again.
func (l *lexer) next() token {
	if t, ok := l.skipBlank(); !ok {
		return t
	}
	start := l.pos
	if start >= len(l.text) {
		return token{kind: tokEOF, pos: len(l.text), end: len(l.text)}
	}
	c := l.text[start]
	switch {
	case isIdentStart(c):
		return l.word(start)
	case isDigit(c), c == '.' && isDigit(l.at(start+1)):
		return l.number(start)
	}
	switch c {
	case '\'':
		return l.quoted(start, start, tokString)
	case '"':
		return l.quotedIdent(start, start)
	case '$':
		return l.dollar(start)
	case ':':
		if l.at(start+1) == ':' {
			return l.punct(tokCast, start, 2)
		}
		if l.at(start+1) == '=' {
			return l.punct(tokColonEquals, start, 2)
		}
		return l.punct(tokenKind(c), start, 1)
	case '.':
		if l.at(start+1) == '.' {
			return l.punct(tokDotDot, start, 2)
		}
		return l.punct(tokenKind(c), start, 1)
	case '(', ')', '[', ']', ',', ';':
		return l.punct(tokenKind(c), start, 1)
	}
	if isOpChar(c) {
		return l.operator(start)
	}
	_, n := utf8.DecodeRuneInString(l.text[start:])
	return l.punct(tokBad, start, n)
}

// at is the byte at i, or 0 beyond the end.
func (l *lexer) at(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

func (l *lexer) punct(kind tokenKind, start, n int) token {
	l.pos = start + n
	return token{kind: kind, pos: start, end: l.pos}
}

// skipBlank passes over white space and comments. It returns false and an error
// token for a comment that does not end.
func (l *lexer) skipBlank() (token, bool) {
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case isSpace(c):
			l.pos++
		case c == '-' && l.at(l.pos+1) == '-':
			l.skipLine()
		case c == '/' && l.at(l.pos+1) == '*':
			start := l.pos
			if !l.skipBlock() {
				return l.bad("unterminated /* comment", start, len(l.text)), false
			}
		default:
			return token{}, true
		}
	}
	return token{}, true
}

func (l *lexer) skipLine() {
	if n := strings.IndexAny(l.text[l.pos:], "\n\r"); n >= 0 {
		l.pos += n
	} else {
		l.pos = len(l.text)
	}
}

// skipBlock passes over a /* comment */, which may hold others.
func (l *lexer) skipBlock() bool {
	depth := 0
	for l.pos < len(l.text) {
		switch {
		case l.text[l.pos] == '/' && l.at(l.pos+1) == '*':
			depth++
			l.pos += 2
		case l.text[l.pos] == '*' && l.at(l.pos+1) == '/':
			depth--
			l.pos += 2
			if depth == 0 {
				return true
			}
		default:
			l.pos++
		}
	}
	return false
}

// word reads an identifier, a keyword, or a string with a letter in front.
func (l *lexer) word(start int) token {
	next := l.at(start + 1)
	switch l.text[start] {
	case 'e', 'E':
		if next == '\'' {
			return l.escapeString(start)
		}
	case 'b', 'B':
		if next == '\'' {
			return l.quoted(start, start+1, tokBits)
		}
	case 'x', 'X':
		if next == '\'' {
			return l.quoted(start, start+1, tokHex)
		}
	case 'n', 'N':
		// N'x' is the keyword NCHAR and a string.
		if next == '\'' {
			l.pos = start + 1
			return token{kind: tokIdent, kw: "nchar", cat: colName, bare: true, str: "nchar", pos: start, end: l.pos}
		}
	case 'u', 'U':
		if next == '&' && l.at(start+2) == '\'' {
			return l.unicode(l.quoted(start, start+2, tokString))
		}
		if next == '&' && l.at(start+2) == '"' {
			return l.unicode(l.quotedIdent(start, start+2))
		}
	}
	i, upper := start, false
	for i < len(l.text) && isIdentPart(l.text[i]) {
		upper = upper || 'A' <= l.text[i] && l.text[i] <= 'Z'
		i++
	}
	l.pos = i
	s := l.text[start:i]
	t := token{kind: tokIdent, bare: true, pos: start, end: i}
	if k := findKeyword(s); k != nil {
		t.kw, t.cat, t.bare, t.str = k.word, k.category, k.bare, k.word
		return t
	}
	if upper {
		s = lowerASCII(s)
	}
	t.str = truncate(s)
	return t
}

// findKeyword looks s up in any case, without an allocation.
func findKeyword(s string) *keyword {
	var b [20]byte
	if len(s) > len(b) {
		return nil
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return keywords[string(b[:len(s)])]
}

// number reads an integer or a decimal number.
func (l *lexer) number(start int) token {
	i, kind := start, tokInt
	for isDigit(l.at(i)) {
		i++
	}
	// 1..2 is an integer and two dots.
	if l.at(i) == '.' && l.at(i+1) != '.' {
		kind = tokFloat
		i++
		for isDigit(l.at(i)) {
			i++
		}
	}
	if c := l.at(i); c == 'e' || c == 'E' {
		j := i + 1
		if l.at(j) == '+' || l.at(j) == '-' {
			j++
		}
		if !isDigit(l.at(j)) {
			return l.bad("trailing junk after numeric literal", start, j)
		}
		kind, i = tokFloat, j
		for isDigit(l.at(i)) {
			i++
		}
	}
	if isIdentStart(l.at(i)) {
		return l.bad("trailing junk after numeric literal", start, l.wordEnd(i))
	}
	l.pos = i
	return token{kind: kind, str: l.text[start:i], pos: start, end: i}
}

// wordEnd is the offset after the identifier that goes on at i.
func (l *lexer) wordEnd(i int) int {
	for isIdentPart(l.at(i)) {
		i++
	}
	return i
}

// operator reads an operator: as many operator characters as there are, but no
// comment, and no + or - at its end unless it holds one of ~!@#^&|`?%.
func (l *lexer) operator(start int) token {
	end := start
	for end < len(l.text) && isOpChar(l.text[end]) {
		end++
	}
	s := l.text[start:end]
	if i := strings.Index(s, "/*"); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, "--"); i >= 0 {
		s = s[:i]
	}
	if n := len(s); n > 1 && (s[n-1] == '+' || s[n-1] == '-') && !strings.ContainsAny(s, "~!@#^&|`?%") {
		for n > 1 && (s[n-1] == '+' || s[n-1] == '-') {
			n--
		}
		s = s[:n]
	}
	l.pos = start + len(s)
	t := token{kind: tokOp, str: s, pos: start, end: l.pos}
	switch {
	case s == "=>":
		t.kind = tokArrow
	case s == "!=":
		t.str = "<>"
	case len(s) > maxNameBytes:
		return l.bad("operator too long", start, l.pos)
	}
	return t
}

// dollar reads $n or a $tag$ string $tag$.
func (l *lexer) dollar(start int) token {
	i := start + 1
	if isDigit(l.at(i)) {
		for isDigit(l.at(i)) {
			i++
		}
		if isIdentStart(l.at(i)) {
			return l.bad("trailing junk after parameter", start, l.wordEnd(i))
		}
		l.pos = i
		return token{kind: tokParam, str: l.text[start+1 : i], pos: start, end: i}
	}
	if isIdentStart(l.at(i)) {
		for isIdentStart(l.at(i)) || isDigit(l.at(i)) {
			i++
		}
	}
	if l.at(i) != '$' {
		return l.punct(tokBad, start, 1)
	}
	tag := l.text[start : i+1]
	n := strings.Index(l.text[i+1:], tag)
	if n < 0 {
		return l.bad("unterminated dollar-quoted string", start, len(l.text))
	}
	l.pos = i + 1 + n + len(tag)
	return token{kind: tokString, str: l.text[i+1 : i+1+n], pos: start, end: l.pos}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isIdentStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

func isIdentPart(c byte) bool { return isIdentStart(c) || isDigit(c) || c == '$' }

func isOpChar(c byte) bool {
	switch c {
	case '~', '!', '@', '#', '^', '&', '|', '`', '?', '+', '-', '*', '/', '%', '<', '>', '=':
		return true
	}
	return false
}

// lowerASCII folds A to Z; PostgreSQL leaves other letters alone in UTF-8.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// truncate cuts a name to maxNameBytes at the border of a character.
func truncate(s string) string {
	if len(s) <= maxNameBytes {
		return s
	}
	n := maxNameBytes
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
