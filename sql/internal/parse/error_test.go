package parse

import (
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// Messages and places are PostgreSQL 15's.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		sql, code, message string
		position           int
	}{
		{"SELEC 1", "42601", `syntax error at or near "SELEC"`, 1},
		{"SELECT", "", "", 0},
		{"SELECT 1 FROM", "42601", "syntax error at end of input", 14},
		{"SELECT 1 FROM ;", "42601", `syntax error at or near ";"`, 15},
		{"SELECT 1; SELECT FROM FROM", "42601", `syntax error at or near "FROM"`, 23},
		{"SELECT 'é' é é é", "42601", `syntax error at or near "é"`, 14},
		{"SELECT a < b < c", "42601", `syntax error at or near "<"`, 14},
		{"SELECT (1", "42601", "syntax error at end of input", 10},
		{"SELECT 1 + * 2", "42601", `syntax error at or near "*"`, 12},
		{"SELECT 'abc", "42601", `unterminated quoted string at or near "'abc"`, 8},
		{"SELECT E'abc\\", "42601", `unterminated quoted string at or near "E'abc\"`, 8},
		{`SELECT "abc`, "42601", `unterminated quoted identifier at or near ""abc"`, 8},
		{`SELECT ""`, "42601", `zero-length delimited identifier at or near """"`, 8},
		{"SELECT $$abc", "42601", `unterminated dollar-quoted string at or near "$$abc"`, 8},
		{"SELECT 1 /* x", "42601", `unterminated /* comment at or near "/* x"`, 10},
		{"SELECT 1x", "42601", `trailing junk after numeric literal at or near "1x"`, 8},
		{"SELECT 'a' 'b'", "42601", `syntax error at or near "'b'"`, 12},
		{`SELECT E'\uD800'`, "42601", `invalid Unicode surrogate pair at or near "'"`, 16},
		{`SELECT E'\u12'`, "22025", "invalid Unicode escape", 10},
		{`SELECT E'\xff'`, "22021", `invalid byte sequence for encoding "UTF8": 0xff`, 0},
		{"SELECT '\xff'", "22021", `invalid byte sequence for encoding "UTF8": 0xff`, 0},
		{"SELECT 'a\x00'", "22021", `invalid byte sequence for encoding "UTF8": 0x00`, 0},
		{"SELECT \\", "42601", `syntax error at or near "\"`, 8},
		{"SELECT $0", "42P02", "there is no parameter $0", 8},
		{"SELECT * FROM (SELECT 1)", "42601", "subquery in FROM must have an alias", 15},
		{"SELECT * FROM (VALUES (1))", "42601", "VALUES in FROM must have an alias", 15},
		{"VALUES (1), (2, 3)", "42601", "VALUES lists must all be the same length", 14},
		{"SELECT a LIMIT 1, 2", "42601", "LIMIT #,# syntax is not supported", 10},
		{"SELECT 1 LIMIT 1 LIMIT 2", "42601", "multiple LIMIT clauses not allowed", 18},
		{"(SELECT 1 ORDER BY 1) ORDER BY 2", "42601", "multiple ORDER BY clauses not allowed", 23},
		{"SELECT sum(a) OVER (ROWS UNBOUNDED FOLLOWING)", "42P20", "frame start cannot be UNBOUNDED FOLLOWING", 26},
		{"CREATE TABLE t (a int UNIQUE NOT)", "42601", `syntax error at or near ")"`, 33},
		{"INSERT INTO t VALUES (1) ON CONFLICT DO", "42601", "syntax error at end of input", 40},
		{"COPY t FROM STDIN WITH (FORMAT csv", "42601", "syntax error at end of input", 35},
		{"CREATE PROCEDURE f() AS 'x'", "0A000", "", 1},
		{"CREATE FUNCTION f(int, a int =) RETURNS int AS 'x'", "42601", "syntax error at or near \")\"", 31},
		{"CREATE FUNCTION f(a, b) RETURNS int AS 'x'", "", "", 0},
		{"CREATE FUNCTION f(a int b) RETURNS int AS 'x'", "42601", "syntax error at or near \"b\"", 25},
		{"CREATE FUNCTION f() RETURNS int STABLE AS 'x' VOLATILE", "42601", "conflicting or redundant options", 47},
		{"DROP FUNCTION f(int,)", "42601", "syntax error at or near \")\"", 21},
		{"MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE", "0A000", "", 1},
		{"UPSERT INTO t VALUES (1)", "0A000", "", 1},
	} {
		_, err := Parse(c.sql)
		e, _ := sqlerr.As(err)
		if c.code == "" {
			if err != nil {
				t.Errorf("%q: %v", c.sql, err)
			}
			continue
		}
		if e == nil || string(e.Code) != c.code || c.message != "" && e.Message != c.message || e.Position != c.position {
			t.Errorf("%q: %v at %d, want %q at %d", c.sql, err, e.Position, c.message, c.position)
		}
	}
}

func TestPlacesOfExpressions(t *testing.T) {
	const sql = "SELECT é, a + f(b) FROM t WHERE c = $1 AND NOT (d IN (1, 'x')) OR e::int[] IS NULL"
	stmts, err := Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	c := stmts[0].AST.(*SelectStmt).Body.(*SelectClause)
	check := func(e Expr, want string) {
		t.Helper()
		if got := e.Position(); !strings.HasPrefix(sql[got:], want) {
			t.Errorf("%T is at %d, %q; want %q", e, got, sql[got:], want)
		}
	}
	check(c.Targets[0].Expr, "é")
	sum := c.Targets[1].Expr.(*BinaryExpr)
	check(sum, "+ f")
	check(sum.L, "a +")
	check(sum.R, "f(b)")
	check(sum.R.(*FuncCall).Args[0], "b)")
	or := c.Where.(*BoolExpr)
	check(or, "OR")
	and := or.Args[0].(*BoolExpr)
	check(and, "AND")
	eq := and.Args[0].(*BinaryExpr)
	check(eq, "= $1")
	check(eq.R, "$1")
	not := and.Args[1].(*BoolExpr)
	check(not, "NOT")
	in := not.Args[0].(*InExpr)
	check(in, "IN")
	check(in.List[1], "'x'")
	null := or.Args[1].(*NullTest)
	check(null, "IS NULL")
	check(null.X, "::int")
	if got := Character(sql, c.Targets[1].Expr.Position()); got != 13 {
		t.Errorf("+ is character %d, want 13", got)
	}
	if stmts[0].Params != 1 {
		t.Errorf("%d parameters", stmts[0].Params)
	}
}

func TestTextSplitsIntoStatements(t *testing.T) {
	stmts, err := Parse(" ;; SELECT 1 ; -- x\n INSERT INTO t VALUES ($2);/* y */ ;BEGIN")
	if err != nil {
		t.Fatal(err)
	}
	want := []Statement{{Text: "SELECT 1", Start: 4}, {Text: "INSERT INTO t VALUES ($2)", Start: 21, Params: 2}, {Text: "BEGIN", Start: 56}}
	if len(stmts) != len(want) {
		t.Fatalf("%d statements", len(stmts))
	}
	for i, s := range stmts {
		if s.Text != want[i].Text || s.Start != want[i].Start || s.Params != want[i].Params {
			t.Errorf("statement %d is %q at %d with %d parameters", i, s.Text, s.Start, s.Params)
		}
	}
	for _, empty := range []string{"", " ", ";", "-- x", "/* x */;"} {
		if stmts, err := Parse(empty); err != nil || len(stmts) != 0 {
			t.Errorf("%q: %v, %v", empty, stmts, err)
		}
	}
}

func TestNamesAreFoldedAndTruncated(t *testing.T) {
	long := strings.Repeat("é", 40)
	stmts, err := Parse("SELECT ABC, \"ABC\", " + long + ", \"\x01x\", \"\x011\"(1) FROM ÀB")
	if err != nil {
		t.Fatal(err)
	}
	c := stmts[0].AST.(*SelectStmt).Body.(*SelectClause)
	want := []string{"abc", "ABC", strings.Repeat("é", 31), "\x01x"}
	for i, w := range want {
		if got := c.Targets[i].Expr.(*ColumnRef).Parts[0]; got != w {
			t.Errorf("column %d is %q, want %q", i, got, w)
		}
	}
	if f := c.Targets[4].Expr.(*FuncCall); f.Name.Name != "\x011" || len(f.Args) != 1 {
		t.Errorf("the function is %+v", f)
	}
	if name := c.From[0].(*TableRef).Name.Name; name != "Àb" {
		t.Errorf("the table is %q", name)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		kind LiteralKind
		want string
	}{
		{"0", IntLiteral, "0"},
		{"007", IntLiteral, "7"},
		{"9223372036854775807", IntLiteral, "9223372036854775807"},
		{"-9223372036854775808", IntLiteral, "-9223372036854775808"},
		{"9223372036854775808", NumericLiteral, "9223372036854775808"},
		{"1.50", NumericLiteral, "1.50"},
		{".5", NumericLiteral, ".5"},
		{"-1e400", NumericLiteral, "-1e400"},
		{strings.Repeat("9", 200), NumericLiteral, strings.Repeat("9", 200)},
	} {
		stmts, err := Parse("SELECT " + c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		l := stmts[0].AST.(*SelectStmt).Body.(*SelectClause).Targets[0].Expr.(*Literal)
		if l.Kind != c.kind || l.Text != c.want {
			t.Errorf("%s is %d %q", c.text, l.Kind, l.Text)
		}
	}
}
