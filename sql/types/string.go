package types

import (
	"bytes"
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// maxNameBytes is the length of PostgreSQL's identifiers.
const maxNameBytes = 63

// inputString reads a text-like type. The result may share memory with text.
func inputString(t Type, text []byte) (Datum, error) {
	if err := CheckUTF8(text); err != nil {
		return Datum{}, err
	}
	switch t.OID {
	case VarcharOID, BPCharOID:
		return fitString(t, text, false)
	case NameOID:
		return Datum{B: truncateName(text)}, nil
	case CharOID:
		return Datum{B: inputChar(text)}, nil
	}
	return Datum{B: text}, nil
}

// CheckUTF8 is 22021 if text is not valid UTF-8 or holds a NUL.
func CheckUTF8(text []byte) error {
	if bytes.IndexByte(text, 0) < 0 && utf8.Valid(text) {
		return nil
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if text[i] == 0 {
			return invalidByteSequence(text[i : i+1])
		}
		if r == utf8.RuneError && n == 1 {
			return invalidByteSequence(text[i:min(i+sequenceLen(text[i]), len(text))])
		}
		i += n
	}
	return nil
}

func invalidByteSequence(seq []byte) error {
	const hex = "0123456789abcdef"
	var b []byte
	for _, c := range seq {
		b = append(b, " 0x"...)
		b = append(b, hex[c>>4], hex[c&15])
	}
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\":%s", b)
}

// sequenceLen is how many bytes a character has that begins with c.
func sequenceLen(c byte) int {
	switch {
	case c&0xe0 == 0xc0:
		return 2
	case c&0xf0 == 0xe0:
		return 3
	case c&0xf8 == 0xf0:
		return 4
	default:
		return 1
	}
}

// truncateName cuts an identifier to PostgreSQL's length, at a character's border.
func truncateName(s []byte) []byte {
	if len(s) <= maxNameBytes {
		return s
	}
	n := maxNameBytes
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n:n]
}

// fitString applies the length of varchar(n) or char(n) to a string. What is too long is cut off if it is blank or the
// cast is explicit; else it is 22001.
func fitString(t Type, s []byte, explicit bool) (Datum, error) {
	limit := t.CharLimit()
	if limit < 0 {
		return Datum{B: s}, nil
	}
	if len(s) > limit { // else it has not more characters either
		if cut := runePrefix(s, limit); cut < len(s) {
			if !explicit && len(bytes.TrimLeft(s[cut:], " ")) > 0 {
				return Datum{}, sqlerr.New(sqlerr.StringDataRightTruncation, "value too long for type %s", t.Format())
			}
			return Datum{B: s[:cut:cut]}, nil
		}
	}
	if t.OID == BPCharOID {
		return Datum{B: padString(s, limit)}, nil
	}
	return Datum{B: s}, nil
}

// runePrefix gives the length in bytes of the first n characters of s, or of all if there are fewer.
func runePrefix(s []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}

// padString adds blanks up to n characters.
func padString(s []byte, n int) []byte {
	missing := n - utf8.RuneCount(s)
	if missing <= 0 {
		return s
	}
	out := make([]byte, len(s), len(s)+missing)
	copy(out, s)
	for ; missing > 0; missing-- {
		out = append(out, ' ')
	}
	return out
}

// TrimBlanks takes the trailing blanks off, as char(n) does where it becomes text or is compared.
func TrimBlanks(s []byte) []byte {
	n := len(s)
	for n > 0 && s[n-1] == ' ' {
		n--
	}
	return s[:n:n]
}

// inputChar reads a "char": one byte, or \ooo for one above 127; the rest is ignored.
func inputChar(s []byte) []byte {
	if len(s) == 0 {
		return []byte{}
	}
	if len(s) == 4 && s[0] == '\\' && isOctal(s[1]) && isOctal(s[2]) && isOctal(s[3]) {
		if c := (s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0'); c != 0 {
			return []byte{c}
		}
		return []byte{}
	}
	return s[:1:1]
}

func appendChar(dst, b []byte) []byte {
	if len(b) == 0 || b[0] == 0 {
		return dst
	}
	if b[0] >= utf8.RuneSelf {
		return append(dst, '\\', '0'+b[0]>>6, '0'+b[0]>>3&7, '0'+b[0]&7)
	}
	return append(dst, b[0])
}

func isOctal(c byte) bool { return c-'0' <= 7 }
