package parse

import "testing"

// A refused statement is called by its command; what it names is the user's business.
func TestFeatureNamesNoObjects(t *testing.T) {
	for text, want := range map[string]string{
		"listen x":                             "LISTEN",
		"notify x":                             "NOTIFY",
		"unlisten *":                           "UNLISTEN",
		"declare c cursor for select 1":        "DECLARE CURSOR",
		"fetch all from c":                     "FETCH",
		"do 'begin end'":                       "DO",
		"call p()":                             "CALL",
		"vacuum full t":                        "VACUUM",
		"copy a from stdin":                    "COPY",
		"create or replace view v as select 1": "CREATE VIEW",
		"create table t (a int)":               "CREATE TABLE",
		"create unique index on t (a)":         "CREATE INDEX",
		"refresh materialized view v":          "REFRESH MATERIALIZED VIEW",
		"grant select on t to u":               "GRANT",
		"alter role r superuser":               "ALTER ROLE",
		"comment on table t is 'x'":            "COMMENT ON",
		"set constraints all deferred":         "SET CONSTRAINTS",
		"select 1; checkpoint":                 "SELECT",
		"cluster t":                            "CLUSTER",
	} {
		stmts, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := Feature(stmts[0].AST, text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
