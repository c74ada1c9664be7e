package parse

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"minidb/sql/sqlerr"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"SELECT 1", tradeSchema, "SELECT a FROM (t JOIN u USING (x)) WHERE b IN (1, 2) ORDER BY c DESC NULLS LAST",
		"WITH a AS (SELECT 1) INSERT INTO t (a) VALUES ($1) ON CONFLICT DO NOTHING RETURNING *",
		"SELECT count(*) FILTER (WHERE a) OVER (PARTITION BY b ROWS 1 PRECEDING), E'\\x41', U&'\\0041', $$x$$",
		"COPY t FROM STDIN WITH (FORMAT csv)", "GRANT SELECT ON t TO bob", "SET x = 'y'", "BEGIN; COMMIT",
		"UPDATE t SET (a, b) = (SELECT 1, 2) FROM u WHERE a[1:2] = ANY ($1)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		stmts, err := Parse(s)
		if err != nil {
			e, ok := sqlerr.As(err)
			if !ok || e.Code == "XX000" {
				t.Fatalf("%q: %v: %v", s, err, errors.Unwrap(err))
			}
			return
		}
		for _, st := range stmts {
			out := Print(st.AST)
			if out == "" {
				continue
			}
			again, err := Parse(out)
			if err != nil || len(again) != 1 {
				t.Fatalf("%q prints as %q: %v", s, out, err)
			}
			if next := Print(again[0].AST); next != out {
				t.Fatalf("%q prints as %q and then as %q", s, out, next)
			}
		}
	})
}

func TestRandomExpressionsSurvivePrinting(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	parsed := 0
	for range 3000 {
		s := "SELECT " + randomTokens(r) + " FROM t"
		if _, err := Parse(s); err != nil {
			// Two comparisons in a row and the like.
			continue
		}
		parsed++
		reprint(t, s)
	}
	if parsed < 1000 {
		t.Errorf("only %d were expressions", parsed)
	}
}

// Whatever the text, time and memory stay within bounds: either it is parsed, or refused as
// too complex.
func TestLargeTexts(t *testing.T) {
	for name, s := range map[string]string{
		"|| chain":      "SELECT 'a'" + strings.Repeat(" || 'a'", 100_000),
		"+ chain":       "SELECT 1" + strings.Repeat("+1", 200_000),
		"AND chain":     "SELECT a" + strings.Repeat(" AND a", 100_000),
		"UNION chain":   "SELECT 1" + strings.Repeat(" UNION SELECT 1", 100_000),
		"joins":         "SELECT 1 FROM t" + strings.Repeat(" JOIN t ON true", 100_000),
		"parentheses":   "SELECT " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000),
		"deeper":        "SELECT " + strings.Repeat("(", 200_000),
		"minus signs":   "SELECT " + strings.Repeat("- ", 200_000) + "1",
		"NOTs":          "SELECT " + strings.Repeat("NOT ", 200_000) + "a",
		"subqueries":    strings.Repeat("SELECT (", 100_000),
		"from":          strings.Repeat("SELECT * FROM (", 100_000),
		"parens from":   "SELECT * FROM " + strings.Repeat("(", 100_000),
		"brackets":      "SELECT ARRAY" + strings.Repeat("[", 100_000),
		"subscripts":    "SELECT a" + strings.Repeat("[1]", 200_000),
		"casts":         "SELECT a" + strings.Repeat("::int", 200_000),
		"IN list":       "SELECT a IN (1" + strings.Repeat(", 1", 100_000) + ")",
		"values":        "INSERT INTO t VALUES (1, 'x')" + strings.Repeat(", (1, 'x')", 30_000),
		"long string":   "SELECT '" + strings.Repeat("x", 10<<20) + "'",
		"long name":     "SELECT " + strings.Repeat("x", 10<<20),
		"comments":      strings.Repeat("/*", 200_000),
		"many of them":  strings.Repeat("SELECT 1;", 20_000),
		"grouping sets": "SELECT 1 GROUP BY " + strings.Repeat("GROUPING SETS (", 100_000),
		"CTEs":          strings.Repeat("WITH a AS (", 100_000),
		"CASE":          "SELECT " + strings.Repeat("CASE WHEN ", 100_000),
	} {
		start := time.Now()
		_, err := Parse(s)
		if err != nil && sqlerr.CodeOf(err) != sqlerr.StatementTooComplex && sqlerr.CodeOf(err) != sqlerr.SyntaxError {
			t.Errorf("%s: %.200s", name, err.Error())
		}
		// A guard against quadratic work, far above what a busy machine needs.
		if d := time.Since(start); d > 2*time.Minute {
			t.Errorf("%s took %s", name, d)
		}
	}
}

func TestParseFromSeveralGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				s := fmt.Sprintf("SELECT a%d + %d FROM t%d WHERE x = 'y%d'", g, i, g, i)
				stmts, err := Parse(s)
				if err != nil {
					t.Error(err)
					return
				}
				want := fmt.Sprintf(`SELECT ("a%d" + %d) FROM "t%d" WHERE ("x" = 'y%d')`, g, i, g, i)
				if got := Print(stmts[0].AST); got != want {
					t.Errorf("%s: %s", s, got)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkParse(b *testing.B) {
	for name, s := range map[string]string{
		"point select": "SELECT c FROM sbtest1 WHERE id=$1",
		"insert":       "INSERT INTO t VALUES ($1,$2,$3,$4)",
		"update":       "UPDATE t SET a=a+1 WHERE id=$1",
		"select 1":     "SELECT 1",
		"begin":        "BEGIN",
		"join": "SELECT t.a, count(*) FROM t JOIN u ON t.id = u.id WHERE t.b > 5 AND u.c = 'x' " +
			"GROUP BY t.a ORDER BY 2 DESC LIMIT 10",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
