package main

import (
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var psqlRecordFlag = flag.String("psql.record", "", "URL of a PostgreSQL 15 just made (C.UTF-8) whose answers to psql's commands become testdata/psql/commands.golden")

// psqlKnown are the commands of testdata/psql/commands.txt whose output is not what PostgreSQL 15's psql prints, and why. A command whose
// output is the same must not be among them.
var psqlKnown = map[string]string{
	`\d+`:               "sizes: a table has no pages of 8 kB",
	`\dt+`:              "sizes: a table has no pages of 8 kB",
	`\di+`:              "sizes: an index has no pages of 8 kB",
	`\ds+`:              "sizes: a sequence has no page of 8 kB",
	`\l+`:               "sizes",
	`\dx`:               "PL/pgSQL is not there",
	`\dL`:               "PL/pgSQL is not there",
	`\dF`:               "text search has the configuration simple only",
	`\dconfig work_mem`: "its own default",
	`\errverbose`:       "errors do not name a place in PostgreSQL's source",
}

// psqlDifferences is what docs/compatibility.md says of them.
func psqlDifferences() string {
	raw, err := os.ReadFile(filepath.Join("testdata", "psql", "commands.txt"))
	if err != nil {
		return err.Error()
	}
	commands := len(psqlCommands(string(raw)))
	var b strings.Builder
	fmt.Fprintf(&b, "## psql\n\npsql 15 prints what it prints with PostgreSQL 15 for %d of the %d commands in `cmd/minidb/testdata/psql/commands.txt`.\nThe others:\n\n",
		commands-len(psqlKnown), commands)
	for _, command := range slices.Sorted(maps.Keys(psqlKnown)) {
		fmt.Fprintf(&b, "- `%s`: %s\n", command, psqlKnown[command])
	}
	return b.String()
}

// psqlCommands splits a file of commands, which empty lines separate.
func psqlCommands(text string) []string {
	return strings.Split(strings.TrimSpace(text), "\n\n")
}

// psqlEnv makes psql print the same everywhere.
func psqlEnv() []string {
	return append(os.Environ(), "PGTZ=UTC", "PAGER=", "PSQL_PAGER=", "LC_ALL=C.UTF-8", "COLUMNS=")
}

// runPsql feeds a script to psql.
func runPsql(t *testing.T, target *url.URL, script string) string {
	t.Helper()
	cmd := exec.Command("psql", "-X", "-q", target.String())
	cmd.Env = psqlEnv()
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	return string(out)
}

// psqlAnswers gives psql's output for each command, over the schema of testdata/psql.
func psqlAnswers(t *testing.T, target *url.URL, commands []string) map[string]string {
	schema, err := os.ReadFile(filepath.Join("testdata", "psql", "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if out := runPsql(t, target, string(schema)); out != "" {
		t.Fatalf("the schema: %s", out)
	}
	var script strings.Builder
	for i, c := range commands {
		fmt.Fprintf(&script, "\\echo ==> %d\n%s\n", i, c)
	}
	// The server's port stands in \conninfo.
	out := strings.ReplaceAll(runPsql(t, target, script.String()), target.Port(), "PORT")
	answers := map[string]string{}
	for i, c := range commands {
		_, rest, _ := strings.Cut(out, fmt.Sprintf("==> %d\n", i))
		answers[c], _, _ = strings.Cut(rest, fmt.Sprintf("==> %d\n", i+1))
	}
	return answers
}

// TestPsqlPrintsWhatItPrintsWithPostgreSQL runs psql's commands over a rich schema and compares what they print with what was recorded from
// PostgreSQL 15.
func TestPsqlPrintsWhatItPrintsWithPostgreSQL(t *testing.T) {
	mustPsql(t)
	raw, err := os.ReadFile(filepath.Join("testdata", "psql", "commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	commands := psqlCommands(string(raw))
	golden := filepath.Join("testdata", "psql", "commands.golden")
	if *psqlRecordFlag != "" {
		recordPsql(t, golden, commands)
	}
	want := map[string]string{}
	raw, err = os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(raw), "==> ")[1:] {
		command, answer, _ := strings.Cut(part, "\n--\n")
		want[command] = answer
	}
	s := startServer(t, t.TempDir())
	target, err := url.Parse(s.url())
	if err != nil {
		t.Fatal(err)
	}
	for command, got := range psqlAnswers(t, target, commands) {
		known := psqlKnown[command]
		answer, ok := want[command]
		switch {
		case !ok:
			t.Errorf("no answer of PostgreSQL for %s: run with -psql.record URL", command)
		case got == answer && known != "":
			t.Errorf("%s prints what it prints with PostgreSQL: take it from the known differences", command)
		case got != answer && known == "":
			t.Errorf("%s prints\n%s\nwant\n%s", command, got, answer)
		}
	}
}

// mustPsql skips the test where there is no psql.
func mustPsql(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("psql"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("psql is not installed")
		}
		t.Skip("psql is not installed")
	}
}

func recordPsql(t *testing.T, golden string, commands []string) {
	target, err := url.Parse(*psqlRecordFlag)
	if err != nil {
		t.Fatal(err)
	}
	answers := psqlAnswers(t, target, commands)
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "==> %s\n--\n%s", c, answers[c])
	}
	if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
