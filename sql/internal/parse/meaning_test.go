package parse

import "testing"

// Text that TiDB's parser takes by itself, but with another meaning than PostgreSQL's. The
// prints say PostgreSQL's.
func TestMeaningIsPostgreSQLs(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT 1 FROM t FULL JOIN u ON true", `SELECT 1 FROM ("t" FULL JOIN "u" ON true)`},
		{"SELECT a FROM t LEFT JOIN u USING (a)", `SELECT "a" FROM ("t" LEFT JOIN "u" USING ("a"))`},
		{"SELECT 5 # 3", `SELECT (5 # 3)`},
		{"SELECT j #> '{a}' FROM t", `SELECT ("j" #> '{a}') FROM "t"`},
		{"SELECT a <@ b", `SELECT ("a" <@ "b")`},
		{"SELECT a ^@ b", `SELECT ("a" ^@ "b")`},
		{"SELECT 1 --x\n", `SELECT 1`},
		{"SELECT a--b\n", `SELECT "a"`},
		{"SELECT /*! 1 */ 2", `SELECT 2`},
		{"SELECT /* /* 1 */ */ 2", `SELECT 2`},
		{"SELECT a + b || c", `SELECT (("a" + "b") || "c")`},
		{"SELECT a * b || c", `SELECT (("a" * "b") || "c")`},
		{"SELECT a || b + c", `SELECT ("a" || ("b" + "c"))`},
		{"SELECT 2 ^ 10", `SELECT (2 ^ 10)`},
		{"SELECT a ISNULL", `SELECT ("a" IS NULL)`},
		{"SELECT a NOTNULL", `SELECT ("a" IS NOT NULL)`},
		{`SELECT E'a\nb'`, "SELECT 'a\nb'"},
		{"SELECT bool 't'", `SELECT ('t'::"bool")`},
		{"SELECT uuid 'x', jsonb '{}'", `SELECT ('x'::"uuid"), ('{}'::"jsonb")`},
		{"SELECT timestamptz 'x'", `SELECT ('x'::"timestamptz")`},
		{`SELECT U&'d\0061'`, `SELECT 'da'`},
		{`SELECT U&'d!0061' UESCAPE '!', U&"d\0061"`, `SELECT 'da', "da"`},
		{"SELECT 'a'\n 'b'", `SELECT 'ab'`},
		{`SELECT 'a\'`, `SELECT 'a\'`},
		{`SELECT "x"`, `SELECT "x"`},
		{"SELECT X'1F', B'101'", `SELECT X'1F', B'101'`},
		{"SELECT N'x'", `SELECT ('x'::"pg_catalog"."bpchar")`},
		{`SELECT Foo, "Foo"`, `SELECT "foo", "Foo"`},
		{"SELECT $1 LIMIT $2", `SELECT $1 LIMIT $2`},
		{"SELECT a && b", `SELECT ("a" && "b")`},
		{"SELECT ! a", `SELECT (! "a")`},
		{"SELECT _utf8", `SELECT "_utf8"`},
		{"SELECT a div", `SELECT "a" AS "div"`},
		{"SELECT if(a)", `SELECT "if"("a")`},
		{"SELECT utc_date, tidb_current_tso", `SELECT "utc_date", "tidb_current_tso"`},
		{"SELECT a IS UNKNOWN", `SELECT ("a" IS UNKNOWN)`},
		{
			"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3",
			`(SELECT 1) UNION ((SELECT 2) INTERSECT (SELECT 3))`,
		},
		{
			"SELECT 1 UNION SELECT 2 EXCEPT ALL SELECT 3 ORDER BY 1 LIMIT 1",
			`((SELECT 1) UNION (SELECT 2)) EXCEPT ALL (SELECT 3) ORDER BY 1 LIMIT 1`,
		},
		{"SELECT rank, groups, \"system\" FROM window1", `SELECT "rank", "groups", "system" FROM "window1"`},
		{"SELECT now(), count(*), sum(DISTINCT a)", `SELECT "now"(), "count"(*), "sum"(DISTINCT "a")`},
		{"SELECT date, year, date(a), char_length(b)", `SELECT "date", "year", "date"("a"), "char_length"("b")`},
		{"SELECT NOT EXISTS (SELECT 1)", `SELECT (NOT EXISTS (SELECT 1))`},
		{
			`SELECT "a "."b "."c ", " f "(1), "s "."g "(2), "a""b", "x.y"."z", "\" FROM "t " AS "u "`,
			`SELECT "a "."b "."c ", " f "(1), "s "."g "(2), "a""b", "x.y"."z", "\" FROM "t " AS "u "`,
		},
		{
			`SELECT '\n', '''' || '"', '/*' || '--' || ';', '?', '` + "\x01'",
			`SELECT '\n', ('''' || '"'), (('/*' || '--') || ';'), '?', '` + "\x01'",
		},
		{"SELECT a FROM t GROUP BY 1 ORDER BY 1", `SELECT "a" FROM "t" GROUP BY 1 ORDER BY 1`},
		{"SELECT a FROM t, u JOIN v ON true, w", `SELECT "a" FROM "t", ("u" JOIN "v" ON true), "w"`},
	} {
		if got := reprint(t, c.sql); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}

func TestCreateIndexConcurrentlyHasNoName(t *testing.T) {
	stmts, err := Parse("CREATE INDEX CONCURRENTLY ON t (a)")
	if err != nil {
		t.Fatal(err)
	}
	if s := stmts[0].AST.(*CreateIndexStmt); s.Name != "" || !s.Concurrently {
		t.Errorf("%+v", s)
	}
}

func TestPrecedence(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT -a::int", `SELECT (- ("a"::"pg_catalog"."int4"))`},
		{"SELECT -2 ^ 2", `SELECT ((-2) ^ 2)`},
		{"SELECT -9223372036854775808", `SELECT (-9223372036854775808)`},
		{"SELECT - -1", `SELECT 1`},
		{"SELECT NOT a = b", `SELECT (NOT ("a" = "b"))`},
		{"SELECT NOT a IS NULL", `SELECT (NOT ("a" IS NULL))`},
		{"SELECT a OR b AND NOT c", `SELECT ("a" OR ("b" AND (NOT "c")))`},
		{"SELECT a AND b AND c OR d", `SELECT (("a" AND "b" AND "c") OR "d")`},
		{"SELECT a = b IS NULL", `SELECT (("a" = "b") IS NULL)`},
		{"SELECT 2 * ~ d + 1", `SELECT (2 * (~ ("d" + 1)))`},
		{"SELECT ~ a || b", `SELECT ((~ "a") || "b")`},
		{"SELECT a BETWEEN b AND c AND d", `SELECT (("a" BETWEEN "b" AND "c") AND "d")`},
		{"SELECT a NOT IN (1) = b", `SELECT (("a" NOT IN (1)) = "b")`},
		{"SELECT a LIKE b || 'x' ESCAPE 'e'", `SELECT ("a" LIKE ("b" || 'x') ESCAPE 'e')`},
		{"SELECT a -> b ->> c", `SELECT (("a" -> "b") ->> "c")`},
		{"SELECT a AT TIME ZONE b || c", `SELECT (("a" AT TIME ZONE "b") || "c")`},
		{"SELECT a COLLATE \"C\" < b", `SELECT (("a" COLLATE "C") < "b")`},
		{"SELECT a = ANY ('{1}'::int[])", `SELECT ("a" = ANY (('{1}'::"pg_catalog"."int4"[])))`},
		{"SELECT a[1][2:3].b", `SELECT (("a")[1][2 : 3])."b"`},
		{"SELECT (a[1])[b], a[:2], a[1:], a[:]", `SELECT (("a")[1])["b"], ("a")[ : 2], ("a")[1 : ], ("a")[ : ]`},
		{"UPDATE t SET a[1] = 2, (b.c, d) = (3, 4)", `UPDATE "t" SET "a"[1] = 2, ("b"."c", "d") = (3, 4)`},
		{"SELECT a OPERATOR(pg_catalog.*) b + c", `SELECT ("a" OPERATOR("pg_catalog".*) ("b" + "c"))`},
		{"SELECT (a, b) OVERLAPS (c, d)", `SELECT (("a", "b") OVERLAPS ("c", "d"))`},
	} {
		stmts, err := Parse(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if got := Print(stmts[0].AST); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
}
