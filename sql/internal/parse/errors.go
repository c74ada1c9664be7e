package parse

import (
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// errorAt makes a syntax error about text[pos:end], in PostgreSQL's words.
func errorAt(text, message string, pos, end int) *sqlerr.Error {
	if pos >= len(text) {
		return sqlerr.New(sqlerr.SyntaxError, "%s at end of input", message).At(Character(text, pos))
	}
	return sqlerr.New(sqlerr.SyntaxError, "%s at or near \"%s\"", message, text[pos:end]).At(Character(text, pos))
}

// syntaxError is a syntax error in words of its own.
func syntaxError(text string, pos int, message string) *sqlerr.Error {
	return sqlerr.New(sqlerr.SyntaxError, "%s", message).At(Character(text, pos))
}

func surrogateError(text string, pos int) error {
	end := min(pos+1, len(text))
	return errorAt(text, "invalid Unicode surrogate pair", pos, end)
}

// encodingError is PostgreSQL's complaint about bytes that are no UTF-8, or NUL.
func encodingError(s string) error {
	i := 0
	for i < len(s) && s[i] != 0 {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		i += n
	}
	// As many bytes are shown as the first one announces.
	n := 1
	switch c := s[i]; {
	case c >= 0xF8:
	case c >= 0xF0:
		n = 4
	case c >= 0xE0:
		n = 3
	case c >= 0xC0:
		n = 2
	}
	list := ""
	for _, c := range []byte(s[i:min(i+n, len(s))]) {
		const digits = "0123456789abcdef"
		list += " 0x" + string(digits[c>>4]) + string(digits[c&15])
	}
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\":%s", list)
}

// undefinedParam is the error of a parameter whose number is out of range.
func undefinedParam(text string, t token) error {
	return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%s", t.str).At(Character(text, t.pos))
}

// internalError is what a client sees of a bug of this package; the cause is for the log.
func internalError(cause error) error {
	return sqlerr.Internal("the statement could not be parsed").WithCause(cause)
}
