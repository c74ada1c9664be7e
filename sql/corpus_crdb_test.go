package sql_test

import "testing"

// TestCockroachScripts runs the logic tests of an ancestor of CockroachDB, of which PostgreSQL passes a third. Those that always run are the
// files of plain SQL.
func TestCockroachScripts(t *testing.T) {
	always := map[string]bool{}
	for _, name := range []string{
		"aggregate", "array", "case_sensitive_names", "datetime", "decimal", "distinct", "distinct_on", "float", "insert", "join", "limit",
		"order_by", "postgres_jsonb", "postgresjoin", "returning", "savepoints", "subquery", "subquery_correlated", "timestamp", "typing",
		"union", "update", "upsert", "uuid", "values", "window", "with",
	} {
		always[name] = true
	}
	(&scriptCorpus{
		dir: "crdb-logictest-apl/pkg/sql/logictest/testdata/logic_test", list: "crdb.txt", open: "crdb_open.txt", engine: "postgresql",
		always: func(name string) bool { return always[name] },
	}).run(t)
}
