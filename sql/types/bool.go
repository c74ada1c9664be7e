package types

// inputBool reads what PostgreSQL reads: any beginning of true, false, yes, no, at least two letters of on, off, and 1, 0,
// in any case.
func inputBool(text []byte) (Datum, error) {
	s := trimSpace(text)
	switch {
	case len(s) == 0:
	case s[0]|0x20 == 't' && isPrefixFold(s, "true"), s[0]|0x20 == 'y' && isPrefixFold(s, "yes"):
		return Datum{I: 1}, nil
	case s[0]|0x20 == 'f' && isPrefixFold(s, "false"), s[0]|0x20 == 'n' && isPrefixFold(s, "no"):
		return Datum{}, nil
	case s[0]|0x20 == 'o' && len(s) >= 2:
		if isPrefixFold(s, "on") {
			return Datum{I: 1}, nil
		}
		if isPrefixFold(s, "off") {
			return Datum{}, nil
		}
	case len(s) == 1 && s[0] == '1':
		return Datum{I: 1}, nil
	case len(s) == 1 && s[0] == '0':
		return Datum{}, nil
	}
	return Datum{}, invalidSyntax("boolean", text)
}

// isPrefixFold reports whether s, in any case, is a beginning of the lower-case word.
func isPrefixFold(s []byte, word string) bool {
	if len(s) > len(word) {
		return false
	}
	for i, c := range s {
		if lower(c) != word[i] {
			return false
		}
	}
	return true
}

// equalFold reports whether s, in any case, is the lower-case word.
func equalFold(s []byte, word string) bool { return len(s) == len(word) && isPrefixFold(s, word) }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
