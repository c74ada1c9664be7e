package types

import (
	"encoding/hex"
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// inputBytea reads the hex form \x… or the escape form.
func inputBytea(text []byte) (Datum, error) {
	if len(text) >= 2 && text[0] == '\\' && text[1] == 'x' {
		return inputHex(text[2:])
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		rest := text[i+1:]
		switch {
		case len(rest) >= 1 && rest[0] == '\\':
			out = append(out, '\\')
			i++
		case len(rest) >= 3 && rest[0]-'0' <= 3 && isOctal(rest[1]) && isOctal(rest[2]):
			out = append(out, (rest[0]-'0')<<6|(rest[1]-'0')<<3|(rest[2]-'0'))
			i += 3
		default:
			return Datum{}, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
	}
	return Datum{B: out}, nil
}

// inputHex reads pairs of hexadecimal digits; blanks may stand between pairs.
func inputHex(s []byte) (Datum, error) {
	out := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r' {
			continue
		}
		hi, ok := hexDigit(s[i])
		if !ok {
			return Datum{}, badHexDigit(s[i:])
		}
		i++
		if i == len(s) {
			return Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		lo, ok := hexDigit(s[i])
		if !ok {
			return Datum{}, badHexDigit(s[i:])
		}
		out = append(out, hi<<4|lo)
	}
	return Datum{B: out}, nil
}

func badHexDigit(s []byte) error {
	_, n := utf8.DecodeRune(s)
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid hexadecimal digit: \"%s\"", s[:n])
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	default:
		return 0, false
	}
}

func appendBytea(ec *Context, dst, b []byte) []byte {
	if !ec.ByteaEscape {
		dst = append(dst, '\\', 'x')
		return hex.AppendEncode(dst, b)
	}
	for _, c := range b {
		switch {
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c < 0x20 || c > 0x7e:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
