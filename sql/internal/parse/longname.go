package parse

import "strings"

// LongNames are the names in a text that are too long, as they are written but folded, and each followed by what is left of it.
func LongNames(text string) [][2]string {
	if !mayHaveLongName(text) {
		return nil
	}
	var out [][2]string
	l := lexer{text: text}
	for {
		t := l.next()
		if t.kind == tokEOF || t.kind == tokError {
			return out
		}
		if t.kind != tokIdent || t.end-t.pos <= maxNameBytes {
			continue
		}
		name := lowerASCII(text[t.pos:t.end])
		if name[0] == '"' {
			name = strings.ReplaceAll(text[t.pos+1:t.end-1], `""`, `"`)
		}
		if len(name) > maxNameBytes && strings.HasPrefix(name, t.str) {
			out = append(out, [2]string{name, t.str})
		}
	}
}

// mayHaveLongName looks for a long run of a name's characters, or a long quoted name, outside of strings.
func mayHaveLongName(text string) bool {
	run := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return false
			}
			if c == '"' && n > maxNameBytes {
				return true
			}
			i, run = i+1+n, 0
		case isIdentStart(c) || isDigit(c) || c == '$':
			if run++; run > maxNameBytes {
				return true
			}
		default:
			run = 0
		}
	}
	return false
}
