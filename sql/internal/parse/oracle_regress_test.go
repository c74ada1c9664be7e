package parse

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// regressStatements gives each the statements of one of PostgreSQL's regression scripts,
// as far as they can be taken from it: lines for psql are left out.
func regressStatements(t *testing.T, file string, each func(s string)) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(data), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(l), "\\") {
			lines = append(lines, l)
		}
	}
	l := lexer{text: strings.Join(lines, "\n")}
	for start := 0; ; {
		tok := l.next()
		if tok.kind == tokError {
			return
		}
		if tok.kind == ';' || tok.kind == tokEOF {
			// A colon after a blank is a variable of psql's.
			if s := l.text[start:tok.pos]; strings.TrimSpace(s) != "" && len(s) < 20_000 && !strings.Contains(s, " :") {
				each(s)
			}
			start = tok.end
		}
		if tok.kind == tokEOF {
			return
		}
	}
}

// TestOracleRegressionScripts wants PostgreSQL's verdict on every statement of its own
// regression scripts: accepted, refused by name, or the same error at the same place.
func TestOracleRegressionScripts(t *testing.T) {
	o := startOracle(t)
	files, err := filepath.Glob(filepath.Join(corpusDir(t), "postgres-regress", "sql", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	parsed, refused := 0, 0
	for _, f := range files {
		regressStatements(t, f, func(s string) {
			want := o.prepare(s)
			syntax := want != nil && want.Code == "42601" && strings.HasPrefix(want.Message, "syntax error at")
			_, err := Parse(s)
			got, _ := sqlerr.As(err)
			switch {
			case got == nil && syntax:
				t.Errorf("%s: %s\n  accepted; PostgreSQL: %v at %d", filepath.Base(f), s, want, want.Position)
			case got == nil:
				parsed++
			case got.Code == sqlerr.FeatureNotSupported:
				refused++
			case want == nil || want.Code != string(got.Code) || want.Message != got.Message || int(want.Position) != got.Position:
				t.Errorf("%s: %s\n  %v at %d\n  PostgreSQL: %v", filepath.Base(f), s, got, got.Position, want)
			}
		})
	}
	t.Logf("%d parsed, %d refused by name", parsed, refused)
}

// regressScripts run one after the other in one database.
var regressScripts = strings.Fields(`test_setup boolean int2 int4 int8 float8 numeric text varchar char strings date time
	timestamp timestamptz interval json jsonb arrays select select_distinct select_distinct_on select_having
	select_implicit select_views subselect union case join aggregates groupingsets window with limit insert
	insert_conflict update delete returning rangefuncs create_table create_index regex expressions join_hash
	functional_deps tuplesort misc oid uuid bit name rowtypes polymorphism`)

// TestOracleRegressionPlans runs scripts of PostgreSQL's and wants, before each statement
// that prints, the same plan for it and for its print.
func TestOracleRegressionPlans(t *testing.T) {
	o := startOracle(t)
	dir := filepath.Join(corpusDir(t), "postgres-regress", "sql")
	o.exec("SET statement_timeout = '3s'")
	plans := 0
	for _, name := range regressScripts {
		regressStatements(t, filepath.Join(dir, name+".sql"), func(s string) {
			stmts, err := Parse(s)
			if err == nil && len(stmts) == 1 && stmts[0].Params == 0 {
				if out := Print(stmts[0].AST); out != "" {
					want, got := o.plan(stmts[0].Text), o.plan(out)
					switch {
					case strings.HasPrefix(got, "error 25P02"):
						// The first EXPLAIN has spoilt the script's transaction.
					case want != got:
						t.Errorf("%s: %s\n%s\n%s\n%s", name, s, out, want, got)
					case !strings.HasPrefix(want, "error"):
						plans++
					}
				}
			}
			if low := strings.ToLower(s); !strings.Contains(low, "stdin") && !strings.Contains(low, "stdout") {
				_, _ = o.conn.Exec(context.Background(), s)
			}
		})
		o.exec("ROLLBACK")
		o.exec("RESET ALL")
		o.exec("SET statement_timeout = '3s'")
	}
	t.Logf("%d plans equal", plans)
	if plans < 5000 {
		t.Error("fewer than 5000 statements have a plan")
	}
}
