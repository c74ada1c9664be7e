package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestCutStatementEndsAtSemicolonsOutsideQuotes(t *testing.T) {
	for _, tc := range []struct {
		text, statement, rest string
		complete              bool
	}{
		{"select 1; select 2", "select 1;", " select 2", true},
		{"select ';'';' ; x", "select ';'';' ;", " x", true},
		{`select E'\';' ; x`, `select E'\';' ;`, " x", true},
		{`select type'\';' ; x`, `select type'\';`, "' ; x", true},
		{`select ";" ; x`, `select ";" ;`, " x", true},
		{"select $$;$$, $a$;$b$;$a$; x", "select $$;$$, $a$;$b$;$a$;", " x", true},
		{"select a$b;c$b, $1; x", "select a$b;", "c$b, $1; x", true},
		{"select 1 -- ;\n; x", "select 1 -- ;\n;", " x", true},
		{"select /* ; /* ; */ ; */ 1; x", "select /* ; /* ; */ ; */ 1;", " x", true},
		{"select 1", "select 1", "", false},
		{"select 'a;", "select 'a;", "", false},
		{"  \n", "  \n", "", true},
	} {
		statement, rest, complete := cutStatement(tc.text)
		if statement != tc.statement || rest != tc.rest || complete != tc.complete {
			t.Errorf("cutStatement(%q) = %q, %q, %v", tc.text, statement, rest, complete)
		}
	}
}

func TestShellPrintsTablesAsPsqlDoes(t *testing.T) {
	var out bytes.Buffer
	sh := &shell{out: &out}
	sh.printTable([]string{"n", "name"}, [][]string{{"1", "ada"}, {"200", "two\nlines"}, {"", ""}}, func(i int) bool { return i == 0 })
	want := "" +
		"  n  | name\n" +
		"-----+-------\n" +
		"   1 | ada\n" +
		" 200 | two  +\n" +
		"     | lines\n" +
		"     | \n" +
		"(3 rows)\n\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestShellPointsAtTheErrorsCharacter(t *testing.T) {
	var out bytes.Buffer
	sh := &shell{errOut: &out}
	sh.printError(&pgconn.PgError{Severity: "ERROR", Message: "no such thing", Position: 12, Hint: "Try another."}, "select\nä, ü, bad")
	want := "ERROR:  no such thing\nLINE 2: ä, ü, bad\n            ^\nHINT:  Try another.\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCopyDataEndsAtBackslashDot(t *testing.T) {
	data, rest := cutCopyData(" -- c\n1\t2\n\\.x\n\\.\nSELECT 1;\n")
	if data != "1\t2\n\\.x\n" || rest != "SELECT 1;\n" {
		t.Errorf("got %q and %q", data, rest)
	}
	if data, rest := cutCopyData("\n1\n2"); data != "1\n2" || rest != "" {
		t.Errorf("without an end: %q and %q", data, rest)
	}
}
