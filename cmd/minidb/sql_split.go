package main

import "strings"

// cutStatement cuts text behind its first statement: at the first semicolon
// outside quotes, dollar quotes and comments, by PostgreSQL's lexical rules.
// complete is false where the text ends first; the statement is all of it then.
func cutStatement(text string) (statement, rest string, complete bool) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ';':
			return text[:i+1], text[i+1:], true
		case c == '\'':
			escapes := i > 0 && (text[i-1] == 'e' || text[i-1] == 'E') && (i == 1 || !isIdentByte(text[i-2]))
			i = skipQuoted(text, i, escapes)
		case c == '"':
			i = skipQuoted(text, i, false)
		case c == '$' && (i == 0 || !isIdentByte(text[i-1])):
			i = skipDollarQuoted(text, i)
		case strings.HasPrefix(text[i:], "--"):
			i = skipPast(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = skipComment(text, i)
		default:
			i++
		}
	}
	return text, "", strings.TrimSpace(text) == ""
}

func isIdentByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// skipQuoted returns the offset behind the quoted text that starts at i; a
// doubled quote needs no care, since it reads as two texts in a row.
func skipQuoted(text string, i int, escapes bool) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && escapes:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

// skipDollarQuoted returns the offset behind $tag$ … $tag$, or behind the $
// where it starts no such quote.
func skipDollarQuoted(text string, i int) int {
	end := i + 1
	for end < len(text) && isIdentByte(text[end]) && text[end] != '$' {
		end++
	}
	if end == len(text) || text[end] != '$' || end > i+1 && '0' <= text[i+1] && text[i+1] <= '9' {
		return i + 1
	}
	return skipPast(text, end+1, text[i:end+1])
}

func skipPast(text string, i int, mark string) int {
	if n := strings.Index(text[i:], mark); n >= 0 {
		return i + n + len(mark)
	}
	return len(text)
}

func skipComment(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(text[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return i
}
