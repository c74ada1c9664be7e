package scram

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// prepare is SASLprep (RFC 4013) of a password. What the profile prohibits is taken as it is, as PostgreSQL does.
func prepare(password string) string {
	ascii := true
	for i := 0; i < len(password); i++ {
		ascii = ascii && password[i] < utf8.RuneSelf
	}
	if ascii || !utf8.ValidString(password) {
		return password
	}
	mapped := strings.Map(func(r rune) rune {
		switch {
		case isNothing(r):
			return -1
		case isSpace(r):
			return ' '
		}
		return r
	}, password)
	if out := norm.NFKC.String(mapped); out != "" {
		return out
	}
	return password
}

// isNothing are the characters commonly mapped to nothing (RFC 3454, table B.1).
func isNothing(r rune) bool {
	switch r {
	case 0xad, 0x34f, 0x1806, 0x180b, 0x180c, 0x180d, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f
}

// isSpace are the spaces beyond ASCII (RFC 3454, table C.1.2).
func isSpace(r rune) bool {
	switch r {
	case 0xa0, 0x1680, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200b
}
