package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// driver is a client library with a program in testdata/clients that tries it: a line "ok NAME" or "not ok NAME: WHY" for every check. The
// program is told the server by PGHOST, PGPORT, PGUSER and PGDATABASE. It is run against PostgreSQL 15 by hand with the same variables,
// where every check holds.
type driver struct {
	name      string
	dir       string
	program   []string
	installed []string // a command that succeeds where the driver is installed
}

// python is Debian's, which has Debian's packages; the one of the path may be another.
const python = "/usr/bin/python3"

func drivers() []driver {
	list := []driver{{"lib/pq", "libpq", []string{"go", "run", "."}, []string{"go", "list", "-deps", "."}}}
	for name, module := range map[string]string{
		"psycopg2": "psycopg2", "psycopg 3": "psycopg", "asyncpg": "asyncpg", "SQLAlchemy": "sqlalchemy", "Django": "django",
	} {
		program := strings.ToLower(strings.ReplaceAll(name, " ", "")) + "_client.py"
		list = append(list, driver{name, "python", []string{python, "-B", program}, []string{python, "-c", "import psycopg2, " + module}})
	}
	for name, module := range map[string]string{
		"node-postgres": "pg", "postgres.js": "postgres", "Knex": "knex", "Sequelize": "sequelize", "TypeORM": "typeorm",
	} {
		program := strings.ReplaceAll(module, "postgres", "postgresjs")
		list = append(list, driver{name, "node", []string{"node", program + "_client.js"}, []string{"node", "-e", "require('" + module + "')"}})
	}
	list = append(list,
		driver{"DBD::Pg", "perl", []string{"perl", "dbdpg_client.pl"}, []string{"perl", "-MDBD::Pg", "-e", "1"}},
		driver{"PDO", "php", []string{"php", "pdo_client.php"}, []string{"php", "-r", "exit(extension_loaded('pdo_pgsql') ? 0 : 1);"}},
	)
	slices.SortFunc(list, func(a, b driver) int { return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)) })
	return list
}

// knownDifferences are the checks that do not hold, and why.
var knownDifferences = map[string]string{
	"SQLAlchemy: isolation level SERIALIZABLE": "there is no SERIALIZABLE yet",
	"Sequelize: find or create":                "it makes a function in PL/pgSQL",
}

// driverTimeout is when a driver's program hangs.
const driverTimeout = time.Minute

// run runs the program and gives what it printed.
func (d *driver) run(ctx context.Context, program []string, addr string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, driverTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.Dir = filepath.Join("testdata", "clients", d.dir)
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	cmd.Env = append(os.Environ(), "PGHOST="+host, "PGPORT="+port, "PGUSER=postgres", "PGDATABASE=postgres", "PGTZ=UTC", "TZ=UTC",
		"PYTHONWARNINGS=ignore", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaint(string(out)))
	}
	return string(out), err
}

// driverResult is what a driver's program found.
type driverResult struct {
	passed int
	failed map[string]string // why, by the check's name
}

// readDriverResult reads what a driver's program printed.
func readDriverResult(out string) driverResult {
	r := driverResult{failed: map[string]string{}}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "not ok "); ok {
			name, why, _ := strings.Cut(rest, ": ")
			r.failed[name] = why
		} else if strings.HasPrefix(line, "ok ") {
			r.passed++
		}
	}
	return r
}

// tryDrivers runs the drivers that are installed and adds a row for each to the report.
func tryDrivers(t *testing.T, s *serverProcess, report *clientReport) {
	seen := map[string]bool{}
	judge := func(name string, r driverResult) {
		for _, check := range slices.Sorted(maps.Keys(r.failed)) {
			key := name + ": " + check
			if seen[key] = true; knownDifferences[key] == "" {
				t.Errorf("%s: %s", key, r.failed[check])
			}
		}
		report.addDriver(name, r)
	}
	judge("pgx", tryPgx(t.Context(), s.url()))
	for _, d := range drivers() {
		if _, err := d.run(t.Context(), d.installed, s.addr); err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is not installed: %v", d.name, err)
			}
			t.Logf("%s is not installed", d.name)
			report.missing = append(report.missing, d.name)
			continue
		}
		start := time.Now()
		out, err := d.run(t.Context(), d.program, s.addr)
		r := readDriverResult(out)
		if err != nil || r.passed == 0 {
			t.Errorf("%s: the program failed: %v", d.name, err)
			r.failed["the program"] = fmt.Sprint(err)
		}
		t.Logf("%s: %d of %d in %v", d.name, r.passed, r.passed+len(r.failed), time.Since(start).Round(time.Millisecond))
		judge(d.name, r)
	}
	for key := range knownDifferences {
		if name, _, _ := strings.Cut(key, ": "); !seen[key] && !slices.Contains(report.missing, name) {
			t.Logf("%q holds: take it from the known differences", key)
		}
	}
}
