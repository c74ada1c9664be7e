package parse

import "testing"

func TestQuoteIdentQuotesWhatWouldNotReadBack(t *testing.T) {
	for name, want := range map[string]string{
		"abc": "abc", "a_1": "a_1", "Abc": `"Abc"`, "a b": `"a b"`, `a"b`: `"a""b"`, "1a": `"1a"`, "": `""`, "é": `"é"`,
		"select": `"select"`, "left": `"left"`, "int": `"int"`, "key": "key", "_x": "_x", "a$": `"a$"`,
	} {
		if got := QuoteIdent(name); got != want {
			t.Errorf("QuoteIdent(%q) = %s, want %s", name, got, want)
		}
	}
}
