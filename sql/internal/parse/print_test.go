package parse

import (
	"testing"
)

// reprint parses s and prints it, and checks that the print parses to itself.
func reprint(t *testing.T, s string) string {
	t.Helper()
	stmts, err := Parse(s)
	if err != nil {
		t.Errorf("%s: %v", s, err)
		return ""
	}
	out := Print(stmts[0].AST)
	again, err := Parse(out)
	if err != nil {
		t.Errorf("%s: the print %q: %v", s, out, err)
		return ""
	}
	if next := Print(again[0].AST); next != out {
		t.Errorf("%s:\n%s prints as\n%s", s, out, next)
	}
	return out
}

func TestCorpusSurvivesPrinting(t *testing.T) {
	for _, s := range loadStatements(t) {
		stmts, err := Parse(s.text)
		if err != nil || len(stmts) != 1 {
			continue
		}
		switch stmts[0].AST.(type) {
		case *SelectStmt, *InsertStmt, *UpdateStmt, *DeleteStmt:
			reprint(t, s.text)
		}
	}
}
