package expr

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestTextsAgreeWithPostgreSQL: each line of the file is followed by how EXPLAIN VERBOSE shows it as the output of a scan of
// t; record them as TestExpressionsAgreeWithPostgreSQL says.
func TestTextsAgreeWithPostgreSQL(t *testing.T) {
	const path = "testdata/deparse.txt"
	lines, cases := readCases(t, path)
	if *postgres != "" {
		recordTexts(t, path, lines, cases)
		return
	}
	scope, _ := testRows(t, "t", tableT)
	for _, c := range cases {
		e, _, err := buildTest(scope, c.expr, "t")
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		if got := Deparse(Fold(e), false); got != c.want {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", path, c.line+1, c.expr, got, c.want)
		}
	}
}

func recordTexts(t *testing.T, path string, lines []string, cases []agreeCase) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	setUp(t, conn, "t", tableT)
	outcomes := map[int]string{}
	for _, c := range cases {
		results, err := conn.PgConn().Exec(ctx, "EXPLAIN (VERBOSE, COSTS OFF) SELECT "+c.expr+" FROM t").ReadAll()
		if err != nil {
			t.Fatal(c.expr, err)
		}
		for _, row := range results[0].Rows {
			if _, text, ok := strings.Cut(string(row[0]), "Output: "); ok {
				outcomes[c.line] = text
				break
			}
		}
	}
	writeCases(t, path, lines, outcomes)
}

func TestQualifiedTextsNameTheTable(t *testing.T) {
	scope, _ := testRows(t, "t", tableT)
	e, _, err := buildTest(scope, "a + 1 > i8", "t")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Deparse(e, true), "((t.a + 1) > t.i8)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTextsReadBackAsTheSameExpression(t *testing.T) {
	_, cases := readCases(t, "testdata/deparse.txt")
	scope, _ := testRows(t, "t", tableT)
	for _, c := range cases {
		e, _, err := buildTest(scope, c.expr, "t")
		if err != nil {
			t.Fatal(err)
		}
		e = Fold(e)
		text := Deparse(e, true)
		// A list of values is shown as an array, which minidb does not read.
		if strings.Contains(text, "'{") {
			continue
		}
		again, _, err := buildTest(scope, text, "t")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := Deparse(Fold(again), true); got != text {
			t.Errorf("%s reads back as %s", text, got)
		}
	}
}
