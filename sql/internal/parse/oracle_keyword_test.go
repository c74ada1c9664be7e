package parse

import (
	"sort"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// keywordPlaces are places where a word may or may not be a name; ¤ is the word.
var keywordPlaces = []string{
	"SELECT ¤", "SELECT ¤ FROM t", "SELECT a ¤", "SELECT a ¤ FROM t", "SELECT a AS ¤", "SELECT a + b ¤, c", "SELECT t.¤", "SELECT ¤.a",
	"SELECT ¤(a)", "SELECT s.¤(a)", "SELECT ¤ 'x'", "SELECT a::¤", "SELECT CAST(a AS ¤)", "SELECT a COLLATE ¤",
	"SELECT f(¤ => 1)", "SELECT (a).¤", "SELECT count(*) OVER ¤", "SELECT sum(a) OVER (¤)",
	"SELECT * FROM ¤", "SELECT * FROM ¤ WHERE true", "SELECT * FROM t ¤", "SELECT * FROM t AS ¤", "SELECT * FROM ¤(1)", "SELECT * FROM t ¤ (a)",
	"SELECT * FROM t JOIN ¤ ON true", "SELECT * FROM t JOIN u USING (¤)", "SELECT * FROM f(1) ¤", "SELECT * FROM (SELECT 1) ¤",
	"SELECT a FROM t WHERE ¤", "SELECT a FROM t WHERE ¤ = 1 AND b", "SELECT a FROM t ORDER BY ¤", "SELECT a FROM t ORDER BY ¤ DESC", "SELECT a FROM t LIMIT ¤",
	"SELECT a FROM t GROUP BY ¤", "WITH ¤ AS (SELECT 1) SELECT 1", "SELECT 1 WINDOW ¤ AS ()", "SELECT a FROM t FOR UPDATE OF ¤",
	"INSERT INTO ¤ VALUES (1)", "INSERT INTO t (¤) VALUES (1)", "INSERT INTO t AS ¤ VALUES (1)", "INSERT INTO t VALUES (1) RETURNING ¤",
	"INSERT INTO t VALUES (1) ON CONFLICT (¤) DO NOTHING", "UPDATE ¤ SET a = 1", "UPDATE t SET ¤ = 1", "UPDATE t ¤ SET a = 1",
	"DELETE FROM ¤", "DELETE FROM t ¤", "DELETE FROM t USING ¤",
	"CREATE TABLE ¤ (a int)", "CREATE TABLE t (¤ text)", "CREATE TABLE t (a ¤)", "CREATE TABLE t (a text DEFAULT ¤)", "CREATE TABLE t (a int REFERENCES ¤)",
	"CREATE TABLE t (a int, CONSTRAINT ¤ CHECK (true))", "CREATE INDEX ¤ ON t (a)", "CREATE INDEX ON ¤ (a)", "CREATE INDEX ON t (¤)", "CREATE INDEX ON t (a ¤)",
	"DROP TABLE ¤", "DROP TABLE s.¤", "ALTER TABLE ¤ ADD COLUMN a int", "ALTER TABLE t ADD ¤ int", "ALTER TABLE t DROP ¤", "ALTER TABLE t RENAME ¤ TO a",
	"ALTER TABLE t RENAME TO ¤", "CREATE VIEW ¤ AS SELECT 1", "CREATE SCHEMA ¤", "CREATE SEQUENCE ¤", "CREATE TYPE ¤ AS ENUM ('x')", "CREATE ROLE ¤",
	"SET ¤ = 1", "SET x = ¤", "SET x TO ¤", "SHOW ¤", "RESET ¤", "SAVEPOINT ¤", "RELEASE ¤", "ROLLBACK TO ¤", "PREPARE ¤ AS SELECT 1", "EXECUTE ¤",
	"DEALLOCATE ¤", "DECLARE ¤ CURSOR FOR SELECT 1", "FETCH ¤", "FETCH ALL FROM ¤", "CLOSE ¤", "COPY ¤ FROM STDIN", "COPY t (¤) FROM STDIN",
	"COPY t FROM STDIN WITH (¤)", "COPY t FROM STDIN WITH (FORMAT ¤)", "EXPLAIN (¤) SELECT 1", "VACUUM ¤", "ANALYZE ¤", "TRUNCATE ¤", "LOCK ¤",
	"COMMENT ON TABLE ¤ IS NULL", "GRANT SELECT ON ¤ TO x", "GRANT SELECT ON t TO ¤", "GRANT ¤ TO x", "LISTEN ¤", "CREATE TABLE t (a int) WITH (¤ = 1)",
	"CREATE TABLE t (a int) WITH (x = ¤)", "ALTER TABLE t OWNER TO ¤", "CREATE DATABASE ¤", "REINDEX TABLE ¤", "CLUSTER ¤", "CALL ¤()",
}

// TestOracleKeywords wants PostgreSQL's verdict on every keyword in every place.
func TestOracleKeywords(t *testing.T) {
	o := startOracle(t)
	words := make([]string, 0, len(keywords))
	for w := range keywords {
		words = append(words, w)
	}
	sort.Strings(words)
	checked, misplaced := 0, 0
	for _, place := range keywordPlaces {
		for _, w := range words {
			s := strings.ReplaceAll(place, "¤", w)
			want := o.prepare(s)
			syntax := want != nil && want.Code == "42601" && strings.HasPrefix(want.Message, "syntax error at")
			_, err := Parse(s)
			got, _ := sqlerr.As(err)
			checked++
			switch {
			case got == nil && syntax:
				t.Errorf("%s: accepted; PostgreSQL: %v", s, want)
			case got == nil, got.Code == sqlerr.FeatureNotSupported:
			case want == nil || !syntax && want.Message != got.Message:
				t.Errorf("%s: %v; PostgreSQL: %v", s, got, want)
			case want.Message != got.Message || int(want.Position) != got.Position:
				misplaced++
				t.Logf("%s: %v at %d; PostgreSQL: %v at %d", s, got, got.Position, want, want.Position)
			}
		}
	}
	t.Logf("%d words in places, %d errors elsewhere than PostgreSQL's", checked, misplaced)
}
