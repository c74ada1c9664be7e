package types

import "encoding/hex"

// inputUUID reads 32 hexadecimal digits, a hyphen allowed after every fourth, in braces or not.
func inputUUID(text []byte) (Datum, error) {
	s := text
	if len(s) > 0 && s[0] == '{' {
		if s[len(s)-1] != '}' {
			return Datum{}, invalidSyntax("uuid", text)
		}
		s = s[1 : len(s)-1]
	}
	out := make([]byte, 0, 16)
	for len(out) < 16 {
		if len(s) < 2 {
			return Datum{}, invalidSyntax("uuid", text)
		}
		hi, ok1 := hexDigit(s[0])
		lo, ok2 := hexDigit(s[1])
		if !ok1 || !ok2 {
			return Datum{}, invalidSyntax("uuid", text)
		}
		out = append(out, hi<<4|lo)
		s = s[2:]
		if len(out)%2 == 0 && len(out) < 16 && len(s) > 0 && s[0] == '-' {
			s = s[1:]
		}
	}
	if len(s) > 0 {
		return Datum{}, invalidSyntax("uuid", text)
	}
	return Datum{B: out}, nil
}

func appendUUID(dst, b []byte) []byte {
	if len(b) != 16 {
		return hex.AppendEncode(dst, b)
	}
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, []byte{c})
	}
	return dst
}
