package types

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// JSONKind is the kind of a json value. The order of the kinds is that of jsonb's comparison.
type JSONKind uint8

// The kinds.
const (
	JSONNull JSONKind = iota
	JSONString
	JSONNumber
	JSONBool
	JSONArray
	JSONObject
)

// JSONValue is a json value taken apart. Its slices may point into the text that it was made of.
type JSONValue struct {
	Kind JSONKind
	// Raw is the value's text in the text it was read from; nil for one that was made otherwise, except that a number always
	// has it.
	Raw []byte
	// Str is a string without quotes and escapes. It is set only by a reader that was asked for it.
	Str  []byte
	Bool bool
	// Keys are an object's, in the order of Elems; there may be equal ones until the object is in normal form.
	Keys [][]byte
	// Elems are an array's elements or an object's values.
	Elems []JSONValue
}

// ParseJSON reads a text as PostgreSQL's json does; its errors are those of json's input function. With strings it makes the
// strings of the values, which can fail where an escape stands for no character.
func ParseJSON(text []byte, strings bool) (*JSONValue, error) {
	l := jsonLexer{input: text, strings: strings}
	var v JSONValue
	err := l.next()
	if err == nil {
		err = l.value(&v, 0)
	}
	if err == nil && l.token != jsonEnd {
		err = l.fail("Expected end of input, but found \"%s\".")
	}
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// maxJSONDepth is how deep arrays and objects can be nested. PostgreSQL's limit is that of its stack, and about as large.
const maxJSONDepth = 6400

// The tokens of json are their first characters, except for these.
const (
	jsonEnd    = 0
	jsonString = '"'
	jsonNumber = '0'
	jsonTrue   = 't'
	jsonFalse  = 'f'
	jsonNull   = 'n'
)

// jsonLexer reads tokens. start and end are the place of the last one.
type jsonLexer struct {
	input      []byte
	token      byte
	start, end int
	line       int // from 0
	lineStart  int
	strings    bool
	str        []byte // of the last string
	high       rune   // the high surrogate that the escape before was, or -1
}

// next reads a token.
func (l *jsonLexer) next() error {
	s := l.end
	for s < len(l.input) && (l.input[s] == ' ' || l.input[s] == '\t' || l.input[s] == '\n' || l.input[s] == '\r') {
		s++
		if l.input[s-1] == '\n' {
			l.line++
			l.lineStart = s
		}
	}
	l.start = s
	if s == len(l.input) {
		l.token, l.end = jsonEnd, s
		return nil
	}
	switch c := l.input[s]; {
	case c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':':
		l.token, l.end = c, s+1
		return nil
	case c == '"':
		l.token = jsonString
		return l.lexString()
	case c == '-' || isDigit(c):
		l.token = jsonNumber
		return l.lexNumber()
	}
	e := l.word(s)
	if e == s {
		l.end = s + 1
		return l.invalid()
	}
	l.end = e
	switch string(l.input[s:e]) {
	case "true", "false", "null":
		l.token = l.input[s]
		return nil
	}
	return l.invalid()
}

// word gives the end of the letters and digits from s on.
func (l *jsonLexer) word(s int) int {
	for s < len(l.input) && (isLetter(l.input[s]) || isDigit(l.input[s]) || l.input[s] == '_' || l.input[s] >= 0x80) {
		s++
	}
	return s
}

func (l *jsonLexer) lexNumber() error {
	s := l.start
	at := func() byte {
		if s < len(l.input) {
			return l.input[s]
		}
		return 0
	}
	digits := func() bool {
		first := s
		for isDigit(at()) {
			s++
		}
		return s > first
	}
	if at() == '-' {
		s++
	}
	ok := true
	if at() == '0' {
		s++
	} else {
		ok = digits()
	}
	if at() == '.' {
		s++
		ok = digits() && ok
	}
	if c := at(); c == 'e' || c == 'E' {
		s++
		if c := at(); c == '+' || c == '-' {
			s++
		}
		ok = digits() && ok
	}
	l.end = l.word(s)
	if !ok || l.end > s {
		return l.invalid()
	}
	return nil
}

// lexString reads a string and checks its escapes.
func (l *jsonLexer) lexString() error {
	in := l.input
	// Most strings have no escapes.
	s := l.start + 1
	for s < len(in) && in[s] >= ' ' && in[s] != '"' && in[s] != '\\' {
		s++
	}
	if s < len(in) && in[s] == '"' {
		l.str, l.end = in[l.start+1:s:s], s+1
		return nil
	}
	str := append([]byte{}, in[l.start+1:s]...)
	l.high = -1
	for ; ; s++ {
		if s >= len(in) {
			l.end = len(in)
			return l.invalid()
		}
		c := in[s]
		unicode := c == '\\' && s+1 < len(in) && in[s+1] == 'u'
		if !unicode && l.high >= 0 && l.strings {
			return l.failAt(s, "Unicode low surrogate must follow a high surrogate.")
		}
		switch {
		case unicode:
			r, err := l.unicodeEscape(s + 2)
			if err != nil {
				return err
			}
			if r > 0 {
				str = utf8.AppendRune(str, r)
			}
			s += 5
		case c == '"':
			l.str, l.end = str, s+1
			return nil
		case c < ' ':
			l.end = s
			return l.fail("Character with value 0x%02x must be escaped.", c)
		case c == '\\':
			s++
			c, err := l.plainEscape(s)
			if err != nil {
				return err
			}
			str = append(str, c)
		default:
			str = append(str, c)
		}
	}
}

// plainEscape reads what follows a backslash that is no \u.
func (l *jsonLexer) plainEscape(s int) (byte, error) {
	if s >= len(l.input) {
		l.end = len(l.input)
		return 0, l.invalid()
	}
	i := bytes.IndexByte([]byte(`"\/bfnrt`), l.input[s])
	if i < 0 {
		return 0, l.failAt(s, "Escape sequence \"\\%s\" is invalid.", l.character(s))
	}
	return "\"\\/\b\f\n\r\t"[i], nil
}

// unicodeEscape reads the digits of a \u at s; 0 if the character is not whole yet, or strings are not wanted.
func (l *jsonLexer) unicodeEscape(s int) (rune, error) {
	r, err := l.hexEscape(s)
	if err != nil || !l.strings {
		return 0, err
	}
	last := s + 3
	switch {
	case utf16.IsSurrogate(r) && r < 0xdc00:
		if l.high >= 0 {
			return 0, l.failAt(last, "Unicode high surrogate must not follow a high surrogate.")
		}
		l.high = r
		return 0, nil
	case utf16.IsSurrogate(r) && l.high >= 0:
		r, l.high = utf16.DecodeRune(l.high, r), -1
		return r, nil
	case utf16.IsSurrogate(r) || l.high >= 0:
		return 0, l.failAt(last, "Unicode low surrogate must follow a high surrogate.")
	case r == 0:
		l.end = last + 1
		return 0, sqlerr.New(sqlerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("\\u0000 cannot be converted to text.").WithWhere("%s", l.where())
	}
	return r, nil
}

// hexEscape reads the four digits of \u.
func (l *jsonLexer) hexEscape(s int) (rune, error) {
	var r rune
	for i := s; i < s+4; i++ {
		if i >= len(l.input) {
			l.end = len(l.input)
			return 0, l.invalid()
		}
		d, ok := hexDigit(l.input[i])
		if !ok {
			return 0, l.failAt(i, "\"\\u\" must be followed by four hexadecimal digits.")
		}
		r = r<<4 | rune(d)
	}
	return r, nil
}

// character is the character at s.
func (l *jsonLexer) character(s int) []byte {
	_, n := utf8.DecodeRune(l.input[s:])
	return l.input[s : s+n]
}

// failAt is fail with the character at s as the last of the token.
func (l *jsonLexer) failAt(s int, detail string, args ...any) error {
	l.end = min(s+len(l.character(s)), len(l.input))
	return l.detail(detail, args...)
}

func (l *jsonLexer) invalid() error { return l.fail("Token \"%s\" is invalid.") }

// fail is the error of a text that is not json; a detail with %s names the last token.
func (l *jsonLexer) fail(detail string, args ...any) error {
	switch {
	case l.start == len(l.input):
		return l.detail("The input string ended unexpectedly.")
	case len(args) == 0:
		args = []any{l.input[l.start:l.end]}
	}
	return l.detail(detail, args...)
}

func (l *jsonLexer) detail(detail string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type json").
		WithDetail(detail, args...).WithWhere("%s", l.where())
}

// where shows the line up to the end of the last token, 50 bytes of it at most.
func (l *jsonLexer) where() string {
	start := l.lineStart
	for l.end-start >= 50 {
		_, n := utf8.DecodeRune(l.input[start:])
		start += n
	}
	if start-l.lineStart <= 3 {
		start = l.lineStart
	}
	var b []byte
	b = append(b, "JSON data, line "...)
	b = appendInt(b, int64(l.line+1))
	b = append(b, ": "...)
	if start > l.lineStart {
		b = append(b, "..."...)
	}
	b = append(b, l.input[min(start, l.end):l.end]...)
	if l.start < len(l.input) && l.end < len(l.input) && l.input[l.end] != '\n' && l.input[l.end] != '\r' {
		b = append(b, "..."...)
	}
	return string(b)
}

// value reads the value that begins with the last token, and the token after it.
func (l *jsonLexer) value(v *JSONValue, depth int) error {
	if depth > maxJSONDepth {
		return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded")
	}
	start := l.start
	switch l.token {
	case '{':
		if err := l.object(v, depth); err != nil {
			return err
		}
	case '[':
		if err := l.array(v, depth); err != nil {
			return err
		}
	case jsonString:
		v.Kind, v.Str = JSONString, l.str
	case jsonNumber:
		v.Kind = JSONNumber
	case jsonTrue, jsonFalse:
		v.Kind, v.Bool = JSONBool, l.token == jsonTrue
	case jsonNull:
		v.Kind = JSONNull
	default:
		return l.fail("Expected JSON value, but found \"%s\".")
	}
	v.Raw = l.input[start:l.end:l.end]
	return l.next()
}

// array reads an array up to its bracket.
func (l *jsonLexer) array(v *JSONValue, depth int) error {
	v.Kind = JSONArray
	if err := l.next(); err != nil {
		return err
	}
	for l.token != ']' || len(v.Elems) > 0 {
		v.Elems = append(v.Elems, JSONValue{})
		if err := l.value(&v.Elems[len(v.Elems)-1], depth+1); err != nil {
			return err
		}
		if l.token == ']' {
			break
		}
		if l.token != ',' {
			return l.fail("Expected \",\" or \"]\", but found \"%s\".")
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

// object reads an object up to its brace.
func (l *jsonLexer) object(v *JSONValue, depth int) error {
	v.Kind = JSONObject
	if err := l.next(); err != nil {
		return err
	}
	for l.token != '}' || len(v.Keys) > 0 {
		if l.token != jsonString {
			if len(v.Keys) == 0 {
				return l.fail("Expected string or \"}\", but found \"%s\".")
			}
			return l.fail("Expected string, but found \"%s\".")
		}
		v.Keys = append(v.Keys, l.str)
		if err := l.next(); err != nil {
			return err
		}
		if l.token != ':' {
			return l.fail("Expected \":\", but found \"%s\".")
		}
		if err := l.next(); err != nil {
			return err
		}
		v.Elems = append(v.Elems, JSONValue{})
		if err := l.value(&v.Elems[len(v.Elems)-1], depth+1); err != nil {
			return err
		}
		if l.token == '}' {
			break
		}
		if l.token != ',' {
			return l.fail("Expected \",\" or \"}\", but found \"%s\".")
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

// inputJSON checks a json, which is its text.
func inputJSON(text []byte) (Datum, error) {
	if err := CheckUTF8(text); err != nil {
		return Datum{}, err
	}
	if _, err := ParseJSON(text, false); err != nil {
		return Datum{}, err
	}
	return Datum{B: bytes.Clone(text)}, nil
}

// AppendJSONString appends a string in quotes, with the escapes that PostgreSQL writes.
func AppendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		default:
			if i := bytes.IndexByte([]byte("\b\f\n\r\t"), c); i >= 0 {
				dst = append(dst, '\\', "bfnrt"[i])
			} else {
				dst = append(dst, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
			}
		}
	}
	return append(dst, '"')
}
