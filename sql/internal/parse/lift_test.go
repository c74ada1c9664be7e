package parse

import (
	"fmt"
	"strings"
	"testing"
)

func TestLiftTakesLiteralsWhereTheirPlaceAllows(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`SELECT a FROM t WHERE id = 5`, `SELECT a FROM t WHERE id = $1 | int4 5`},
		{`select a from t where id=-5;`, `select a from t where id=$1; | int4 -5`},
		{`UPDATE t SET a = a + -7, b = 'it''s' WHERE id = 3`, `UPDATE t SET a = a + $1, b = $2 WHERE id = $3 | int4 -7 | string it's | int4 3`},
		{`UPDATE t SET a = a -7`, `UPDATE t SET a = a -$1 | int4 7`},
		{`INSERT INTO t (a, b) VALUES (1, 'x'), (- 2, NULL)`, `INSERT INTO t (a, b) VALUES ($1, $2), ($3, NULL) | int4 1 | string x | int4 -2`},
		{`INSERT INTO t VALUES (f(1, 2), (3), 4)`, `INSERT INTO t VALUES (f(1, 2), (3), $1) | int4 4`},
		{`DELETE FROM t WHERE a IN (1, 2) AND b BETWEEN 3 AND 4`, `DELETE FROM t WHERE a IN ($1, $2) AND b BETWEEN $3 AND $4 | int4 1 | int4 2 | int4 3 | int4 4`},
		{`SELECT a FROM t WHERE a = 5or b`, `SELECT a FROM t WHERE a = 5or b refused`},
		{`SELECT a FROM t WHERE b = 'x'OR a = 1`, `SELECT a FROM t WHERE b = $1 OR a = $2 | string x | int4 1`},
		// Integers are what their values demand; others are no integers.
		{`SELECT a FROM t WHERE a = 2147483647 OR a = 2147483649`, `SELECT a FROM t WHERE a = $1 OR a = $2 | int4 2147483647 | int8 2147483649`},
		{`SELECT a FROM t WHERE a = -2147483648`, `SELECT a FROM t WHERE a = $1 | int4 -2147483648`},
		{`SELECT a FROM t WHERE 1 < a - 2147483648`, `SELECT a FROM t WHERE 1 < a - 2147483648`},
		{`SELECT a FROM t WHERE a = 99999999999999999999 OR a = 1.5 OR a = .5 OR a = 1e-2`, `SELECT a FROM t WHERE a = 99999999999999999999 OR a = 1.5 OR a = .5 OR a = 1e-2`},
		// Places with a meaning of their own.
		{`SELECT a, 7, 'x' FROM t WHERE id = 1 GROUP BY 1, 2 ORDER BY 1, -2 LIMIT 3 OFFSET 4`, `SELECT a, 7, 'x' FROM t WHERE id = $1 GROUP BY 1, 2 ORDER BY 1, -2 LIMIT 3 OFFSET 4 | int4 1`},
		{`SELECT a FROM t WHERE a IN (SELECT b, 2 FROM u ORDER BY 1, 2)`, `SELECT a FROM t WHERE a IN (SELECT b, 2 FROM u ORDER BY 1, 2)`},
		{`SELECT a FROM t WHERE d = date '2020-01-01' AND e = interval '1' day`, `SELECT a FROM t WHERE d = date '2020-01-01' AND e = interval '1' day`},
		{`SELECT a FROM t WHERE d = '1' :: int AND e = 5::int8 AND f = CAST(1 AS numeric(8,2))`, `SELECT a FROM t WHERE d = '1' :: int AND e = 5::int8 AND f = CAST(1 AS numeric(8,2))`},
		{`SELECT a[1], "a = 5" FROM t WHERE b = '{1}'[1]`, `SELECT a[1], "a = 5" FROM t WHERE b = '{1}'[1]`},
		{`SELECT a FROM t WHERE b ~ 'x' AND c ->> 'y' = 'z' AND -5 = 6`, `SELECT a FROM t WHERE b ~ 'x' AND c ->> 'y' = $1 AND $2 = $3 | string z | int4 -5 | int4 6`},
		// Texts that are not for it.
		{`SELECT a FROM t WHERE id = $1`, `refused`},
		{`SELECT a FROM t WHERE id = 1 -- x`, `refused`},
		{`SELECT a FROM t WHERE id = 1 /* x */`, `refused`},
		{`SELECT a FROM t WHERE b = E'\n'`, `refused`},
		{`SELECT a FROM t WHERE b = 'a' 'b'`, `refused`},
		{`SELECT a FROM t WHERE b = 'a`, `refused`},
		{`SELECT 1 = 1; SELECT 2`, `refused`},
		{`BEGIN`, `refused`},
		{`INSERT INTO t VALUES (` + strings.Repeat("1, ", 70) + `1)`, `refused`},
	} {
		var out Lifted
		got := "refused"
		if Lift(c.text, &out) {
			got = string(out.Text)
			for _, v := range out.Values {
				switch v.Kind {
				case LiftedInt4:
					got += fmt.Sprintf(" | int4 %d", v.Int)
				case LiftedInt8:
					got += fmt.Sprintf(" | int8 %d", v.Int)
				case LiftedString:
					got += " | string " + v.Text
				}
			}
		}
		if want := c.want; got != want && !(got == "refused" && strings.HasSuffix(want, " refused")) {
			t.Errorf("%s\n got: %s\nwant: %s", c.text, got, want)
		}
	}
}

func TestLiftOfAKnownShapeAllocatesNothing(t *testing.T) {
	var out Lifted
	if n := testing.AllocsPerRun(100, func() { Lift(`UPDATE t SET a = a + 5, b = 'some text' WHERE id IN (1, 2)`, &out) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzLift looks for texts that Lift makes other statements of: with its values put back the parser must read the same.
func FuzzLift(f *testing.F) {
	for _, s := range []string{`SELECT a FROM t WHERE id = 5`, `INSERT INTO t VALUES (1, 'x''y'), (-2, '')`, `UPDATE t SET a = a - -1 WHERE b IN (1)`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out Lifted
		if !Lift(text, &out) {
			return
		}
		stmts, err := Parse(text)
		if err != nil || len(stmts) != 1 || stmts[0].Params > 0 {
			return
		}
		lifted, err := Parse(string(out.Text))
		if err != nil || len(lifted) != 1 {
			t.Fatalf("%q is a statement, %q is not: %v", text, out.Text, err)
		}
		if lifted[0].Params != len(out.Values) {
			t.Fatalf("%q has %d parameters, not %d", out.Text, lifted[0].Params, len(out.Values))
		}
		back := Print(lifted[0].AST)
		for i := len(out.Values); i > 0; i-- {
			v, s := out.Values[i-1], ""
			if s = fmt.Sprint(v.Int); v.Kind == LiftedString {
				s = "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
			}
			back = strings.ReplaceAll(back, fmt.Sprintf("$%d", i), s)
		}
		again, err := Parse(back)
		if err != nil || len(again) != 1 || Print(again[0].AST) != Print(stmts[0].AST) {
			t.Fatalf("%q became %q", Print(stmts[0].AST), back)
		}
	})
}
