package pgcatalog

import (
	"strings"
	"testing"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// emptySnapshot is a database with nothing in it but schema public.
func emptySnapshot() *Snapshot {
	db := &catalog.Database{ID: 1, OID: 5, Name: "postgres", Owner: superuserOID, AllowConns: true}
	return newSnapshot(1, db, catalog.Contents{
		Databases: []*catalog.Database{db},
		Schemas:   []*catalog.Schema{{ID: 4, OID: publicOID, Database: 1, Name: "public", Owner: superuserOID}},
		Roles:     []*catalog.Role{{ID: 7, OID: superuserOID, Name: "postgres", Superuser: true, Login: true}},
	}, nil)
}

func TestEveryRowHasAValueForEachColumn(t *testing.T) {
	s := emptySnapshot()
	for _, rel := range relations().all {
		var rows []row
		switch g := generators[rel.Schema+"."+rel.Name]; {
		case g.snapshot != nil:
			rows = g.snapshot(s)
		case rel.Schema == "pg_catalog" && sectionTexts()[rel.Name] != "":
			rows = builtinRows(rel.Name)
		}
		for _, r := range rows {
			if len(r) != len(rel.Columns) {
				t.Errorf("%s.%s: a row has %d values for %d columns", rel.Schema, rel.Name, len(r), len(rel.Columns))
				break
			}
			for i, d := range r {
				if d.Null && rel.Columns[i].notNull {
					t.Errorf("%s.%s: %s is NULL", rel.Schema, rel.Name, rel.Columns[i].Name)
				}
			}
		}
	}
}

func TestGeneratorsAndBuiltinRowsAreOfSystemTables(t *testing.T) {
	for name := range generators {
		schema, table, _ := strings.Cut(name, ".")
		if Find(schema, table) == nil {
			t.Errorf("there are rows for %s, which does not exist", name)
		}
	}
	for name := range sectionTexts() {
		if Find("pg_catalog", name) == nil {
			t.Errorf("builtin.txt has rows of %s, which does not exist", name)
		}
	}
}

func TestFunctionsAreAmongPostgreSQLs(t *testing.T) {
	known := map[string]bool{}
	source := Find("pg_catalog", "pg_proc").Column("prosrc")
	for _, r := range builtinRows("pg_proc") {
		known[r[source].Text()] = true
	}
	for _, family := range functionFamilies {
		for key := range family {
			if name, args, ok := strings.Cut(key, "("); ok {
				key = name
				if len(builtinsNamed("pg_proc", "proname", name)) == 0 {
					t.Errorf("there is no function %s(%s", name, args)
				}
			} else if !known[key] {
				t.Errorf("there is no function with the body %s", key)
			}
		}
	}
}

func TestTypesOfColumnsHaveRows(t *testing.T) {
	for _, rel := range relations().all {
		for i := range rel.Columns {
			if c := &rel.Columns[i]; builtinTypes()[c.declared] == nil {
				t.Errorf("%s.%s.%s has type %d, which is not in pg_type", rel.Schema, rel.Name, c.Name, c.declared)
			}
		}
	}
}

func TestSizePrettyRoundsAsPostgreSQL(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 10239: "10239 bytes", 10240: "10 kB", -10240: "-10 kB", 10485247: "10239 kB", 10485248: "10 MB", 1 << 40: "1024 GB",
	} {
		if got := sizePretty(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestLookupFindsRowsByValue(t *testing.T) {
	s := emptySnapshot()
	rel := Find("pg_catalog", "pg_attribute")
	rows := s.rowsOf(rel, attributeRows)
	class := oid(classRelation)
	got := s.lookupRows(lookup{rel, 0}, rows, []types.Datum{class, class, oid(1)})
	want := 0
	for _, r := range rows {
		if r[0].I == class.I {
			want++
		}
	}
	if len(got) != want || want == 0 {
		t.Errorf("found %d of %d rows", len(got), want)
	}
}
