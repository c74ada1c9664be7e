package sql_test

import (
	"crypto/md5"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var recordFlag = flag.Bool("record-catalog", false, "with -oracle: write PostgreSQL's answers to catalog queries into testdata/catalog_answers.txt")

const answersFile = "testdata/catalog_answers.txt"

// catalogSchema is what the queries are asked about.
var catalogSchema = []string{
	`CREATE TABLE customers (id serial PRIMARY KEY, name varchar(80) NOT NULL, email text UNIQUE, balance numeric(12,2) DEFAULT 0, born date)`,
	`CREATE TABLE orders (id bigserial PRIMARY KEY, customer_id int NOT NULL, total numeric(10,2) CHECK (total >= 0), note text DEFAULT 'none', placed timestamptz DEFAULT now())`,
	`CREATE INDEX orders_customer_idx ON orders (customer_id, placed DESC)`,
	`CREATE TABLE trade (t_id numeric(15) PRIMARY KEY, t_dts timestamp NOT NULL, t_st_id char(4) NOT NULL, t_qty int NOT NULL CHECK (t_qty > 0), t_name varchar(49))`,
	`CREATE UNIQUE INDEX trade_st ON trade (t_st_id, t_dts) INCLUDE (t_qty)`,
	`CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84))`,
	`CREATE SEQUENCE sq INCREMENT 5`,
}

// catalogQueries are the statements of real clients that only read.
func catalogQueries(t *testing.T) []string {
	raw, err := os.ReadFile(filepath.Join(corpora(), "client-statements.json"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the corpora are not there: %v", err)
		}
		t.Skipf("the corpora are not there (set MINIDB_CORPORA): %v", err)
	}
	var groups map[string][]string
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	reads := regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(select|show|with|values|table)\b`)
	// What shows the other databases, roles and settings of the server that was asked is left out too.
	elsewhere := regexp.MustCompile(`(?i)pg_database|pg_roles|pg_authid|time zone|source <> 'default'`)
	writes := regexp.MustCompile(`(?i)for update|\$[0-9]|pg_sleep|setval|nextval|set_config|pg_advisory|;\s*\S|lastval|pg_backend_pid|txid|now\(\)|clock_timestamp|version\(\)|gen_random_uuid|into\s+temp`)
	var out []string
	for _, g := range groups {
		for _, q := range g {
			if reads.MatchString(q) && !writes.MatchString(q) && !elsewhere.MatchString(q) {
				out = append(out, q)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// catalogSide is an engine with the numbers of its objects.
type catalogSide struct {
	engine engineUnderTest
	oids   map[string]string // of tables, by name
	names  map[string]string // of objects, by number
}

func newCatalogSide(t *testing.T, e engineUnderTest) *catalogSide {
	s := &catalogSide{engine: e, oids: map[string]string{}, names: map[string]string{}}
	for _, text := range catalogSchema {
		if r := e.run("main", text); r.err != nil {
			t.Fatalf("%s: %s: %v", e.name(), text, r.err)
		}
	}
	for _, q := range []string{
		"SELECT oid, relname FROM pg_class WHERE oid >= 16384", "SELECT oid, typname FROM pg_type WHERE oid >= 16384",
		"SELECT oid, conname FROM pg_constraint WHERE oid >= 16384", "SELECT oid, adrelid::regclass || '.' || adnum FROM pg_attrdef",
	} {
		for _, row := range e.run("main", q).rows {
			s.names[row[0]] = row[1]
			if strings.HasPrefix(q, "SELECT oid, relname") {
				s.oids[row[1]] = row[0]
			}
		}
	}
	return s
}

var capturedOID = regexp.MustCompile(`\b16[3-9][0-9]{2}\b`)

// databaseName is what openOracle calls its databases.
var databaseName = regexp.MustCompile(`\blogic_[0-9]+\b`)

// ask gives the answer to a query in a form that does not depend on the numbers of objects: an error's code, or a sum of the rows.
func (s *catalogSide) ask(query string) (answer, shown string) {
	tables := []string{"orders", "customers", "trade"}
	query = capturedOID.ReplaceAllStringFunc(query, func(n string) string {
		return s.oids[tables[int(n[4]-'0')%len(tables)]]
	})
	r := s.engine.run("main", query)
	if r.err != nil {
		return string(r.err.Code), r.err.Error()
	}
	number := regexp.MustCompile(`\b[0-9]{5,}\b`)
	lines := make([]string, len(r.rows))
	for i, row := range r.rows {
		lines[i] = number.ReplaceAllStringFunc(strings.Join(row, "|"), func(n string) string {
			if name, ok := s.names[n]; ok {
				return name
			}
			return n
		})
	}
	if !strings.Contains(strings.ToLower(query), "order by") {
		slices.Sort(lines)
	}
	for i := range lines {
		lines[i] = databaseName.ReplaceAllString(lines[i], "postgres")
	}
	shown = strings.Join(r.columns, "|") + "\n" + strings.Join(lines, "\n")
	return fmt.Sprintf("%x", md5.Sum([]byte(shown)))[:12], shown
}

// catalogFloor is how many of the queries at least are answered as PostgreSQL 15 answers them.
const catalogFloor = 705

// TestClientsCatalogQueries asks what real clients ask of the system catalogs and compares with what PostgreSQL 15 answered.
func TestClientsCatalogQueries(t *testing.T) {
	queries := catalogQueries(t)
	if *oracleFlag != "" && *recordFlag {
		recordAnswers(t, queries)
	}
	raw, err := os.ReadFile(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		f := strings.Fields(line)
		answers[f[0]] = f[1]
	}
	e := openMinidb(t)
	defer e.close()
	side := newCatalogSide(t, e)
	equal, failed, different := 0, 0, 0
	for _, q := range queries {
		want, ok := answers[queryName(q)]
		if !ok {
			t.Fatalf("no answer of PostgreSQL for %s: run with -oracle URL -record-catalog", q)
		}
		got, shown := side.ask(q)
		switch {
		case got == want:
			equal++
			continue
		case len(got) == 5:
			failed++
		default:
			different++
		}
		if testing.Verbose() {
			t.Logf("want %s\n%s\n=> %s", want, q, shown)
		}
	}
	t.Logf("%d of %d as PostgreSQL, %d fail, %d differ", equal, len(queries), failed, different)
	if equal < catalogFloor {
		t.Errorf("%d answers are PostgreSQL's, there were %d", equal, catalogFloor)
	}
}

func queryName(q string) string { return fmt.Sprintf("%x", md5.Sum([]byte(q)))[:12] }

func recordAnswers(t *testing.T, queries []string) {
	o := openOracle(t, *oracleFlag)
	defer o.close()
	side := newCatalogSide(t, o)
	var b strings.Builder
	for _, q := range queries {
		answer, shown := side.ask(q)
		fmt.Fprintf(&b, "%s %s\n", queryName(q), answer)
		if dir := os.Getenv("CATALOG_ANSWERS_DIR"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, queryName(q)), []byte(shown), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(answersFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
