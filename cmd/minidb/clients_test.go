package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	clientsFlag = flag.Bool("clients", false, "run the clients that are installed and write docs/compatibility.md")
	clientTime  = flag.Int("clients.seconds", 1, "seconds of each run")
)

// clientCase is one way of running a client: a row of docs/compatibility.md.
type clientCase struct {
	client string // the program
	name   string
	args   []string
	rate   bool // it prints how many transactions a second it made
}

// The clients' own scripts, in every mode they have, at these numbers of connections.
var clientConnections = []int{1, 8, 32}

// clientCases lists the runs of pgbench and sysbench, their set-up first.
func clientCases(host, port string) []clientCase {
	pgbench := func(name string, args ...string) clientCase {
		return clientCase{client: "pgbench", name: name, args: append([]string{"-h", host, "-p", port, "-U", "postgres"}, append(args, "postgres")...)}
	}
	var cases []clientCase
	for _, how := range []struct{ name, steps string }{
		{"server-side data, primary and foreign keys", "dtGvpf"},
		{"client-side data (COPY), primary keys", "dtgvp"},
	} {
		cases = append(cases, pgbench("-i: "+how.name, "-i", "-s", "1", "-I", how.steps))
	}
	for _, script := range []string{"tpcb-like", "simple-update", "select-only"} {
		for _, mode := range []string{"simple", "extended", "prepared"} {
			for _, n := range clientConnections {
				c := pgbench(fmt.Sprintf("%s, %s, %d", script, mode, n), "-b", script, "-M", mode, "-c", strconv.Itoa(n), "-T", strconv.Itoa(*clientTime))
				c.rate = true
				cases = append(cases, c)
			}
		}
	}
	sysbench := func(name, script string, args ...string) clientCase {
		return clientCase{client: "sysbench", name: name, args: append([]string{
			script, "--db-driver=pgsql", "--pgsql-host=" + host, "--pgsql-port=" + port, "--pgsql-user=postgres", "--pgsql-db=postgres",
			"--tables=1", "--table-size=10000",
		}, args...)}
	}
	cases = append(cases, sysbench("prepare", "oltp_read_write", "prepare"))
	for _, script := range []string{
		"oltp_insert", "oltp_update_index", "oltp_update_non_index", "oltp_point_select", "oltp_read_only", "oltp_read_write", "oltp_write_only",
		"oltp_delete", "select_random_points", "select_random_ranges",
	} {
		for _, n := range clientConnections {
			c := sysbench(fmt.Sprintf("%s, %d", script, n), script, "--threads="+strconv.Itoa(n), "--time="+strconv.Itoa(*clientTime), "run")
			c.rate = true
			cases = append(cases, c)
		}
	}
	return append(cases, sysbench("cleanup", "oltp_read_write", "cleanup"))
}

// TestClients runs the drivers and the benchmark clients against a server, checks what the latter leave behind and writes down what passed.
func TestClients(t *testing.T) {
	if !*clientsFlag {
		t.Skip("run it by make clients")
	}
	s := startServer(t, t.TempDir())
	conn := connect(t, s)
	var report clientReport
	tryDrivers(t, s, &report)
	for _, client := range []string{"pgbench", "sysbench"} {
		if _, err := exec.LookPath(client); err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is not installed", client)
			}
			report.missing = append(report.missing, client)
		}
	}
	host, port, _ := strings.Cut(s.addr, ":")
	for _, c := range clientCases(host, port) {
		if slices.Contains(report.missing, c.client) {
			continue
		}
		err := c.runAndCheck(conn)
		if err != nil {
			t.Errorf("%s, %s: %v", c.client, c.name, err)
		}
		report.add(c, err)
	}
	if len(report.missing) > 0 {
		t.Skipf("docs/compatibility.md stays as it is: not installed are %s", strings.Join(report.missing, ", "))
	}
	t.Logf("%d of %d runs passed", report.passed, len(report.lines))
	if err := os.WriteFile(filepath.Join("..", "..", "docs", "compatibility.md"), report.markdown(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runAndCheck runs the client and, if it is pgbench, looks at what it left.
func (c *clientCase) runAndCheck(conn *pgx.Conn) error {
	if c.client != "pgbench" || !c.rate {
		return c.run()
	}
	old, err := readBalances(conn)
	if err != nil {
		return err
	}
	if err := c.run(); err != nil {
		return err
	}
	now, err := readBalances(conn)
	if err != nil {
		return err
	}
	return now.check(old, c.name)
}

// clientRunLimit is when a run hangs.
const clientRunLimit = 2 * time.Minute

var (
	rateLine   = regexp.MustCompile(`tps = ([0-9.]+)|(?m:^ +transactions: +([0-9]+))`)
	failedLine = regexp.MustCompile(`number of failed transactions: [1-9]`)
	// Transactions of several writes may close a circle of waits, here as in PostgreSQL: sysbench begins them again.
	ignoredLine = regexp.MustCompile(`ignored errors: +[1-9]`)
)

// run runs the client and finds out whether it was content.
func (c *clientCase) run() error {
	ctx, cancel := context.WithTimeout(context.Background(), clientRunLimit)
	defer cancel()
	raw, err := exec.CommandContext(ctx, c.client, c.args...).CombinedOutput()
	out := string(raw)
	if err != nil || strings.Contains(out, "FATAL") {
		return fmt.Errorf("%v: %s", err, complaint(out))
	}
	if !c.rate {
		return nil
	}
	single := !strings.HasPrefix(c.name, "oltp_read_write") && !strings.HasPrefix(c.name, "oltp_write_only")
	if failedLine.MatchString(out) || single && ignoredLine.MatchString(out) {
		return fmt.Errorf("transactions failed: %s", complaint(out))
	}
	if m := rateLine.FindStringSubmatch(out); m == nil || m[1]+m[2] == "0" {
		return fmt.Errorf("no transactions: %s", complaint(out))
	}
	return nil
}

// complaint is what a client's output says about what went wrong.
func complaint(out string) string {
	const most = 200
	for _, line := range strings.Split(out, "\n") {
		if strings.Contains(line, "ERROR") || strings.Contains(line, "FATAL") || strings.Contains(line, "error:") {
			return line
		}
	}
	out = strings.Join(strings.Fields(out), " ")
	return out[max(0, len(out)-most):]
}

// balances are the sums of pgbench's tables.
type balances struct{ accounts, tellers, branches, history, rows int64 }

func readBalances(conn *pgx.Conn) (b balances, err error) {
	err = conn.QueryRow(context.Background(), `SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers),
		(SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history), (SELECT count(*) FROM pgbench_accounts)`).
		Scan(&b.accounts, &b.tellers, &b.branches, &b.history, &b.rows)
	return b, err
}

// check tells whether a run of a script, which begins with an empty history, can have led from old to b.
func (b balances) check(old balances, script string) error {
	want := balances{old.accounts + b.history, old.tellers, old.branches, b.history, 100000}
	if strings.HasPrefix(script, "tpcb") {
		want.tellers += b.history
		want.branches += b.history
	}
	if b != want {
		return fmt.Errorf("the balances became %+v, want %+v", b, want)
	}
	return nil
}

// clientReport is what docs/compatibility.md says.
type clientReport struct {
	missing  []string // clients that are not installed
	drivers  []string
	failures []string // checks of drivers that do not hold
	lines    []string // runs of benchmark clients
	passed   int      // of the runs
}

func (r *clientReport) add(c clientCase, err error) {
	result := "passes"
	if err == nil {
		r.passed++
	} else {
		result = "**fails**: " + cell(err.Error())
	}
	r.lines = append(r.lines, fmt.Sprintf("| %s | %s | %s |", c.client, c.name, result))
}

func (r *clientReport) addDriver(name string, result driverResult) {
	r.drivers = append(r.drivers, fmt.Sprintf("| %s | %d / %d |", name, result.passed, result.passed+len(result.failed)))
	for _, check := range slices.Sorted(maps.Keys(result.failed)) {
		why := knownDifferences[name+": "+check]
		if why == "" {
			why = result.failed[check]
		}
		r.failures = append(r.failures, fmt.Sprintf("- %s, %s: %s", name, check, why))
	}
}

// cell is a text in a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func (r *clientReport) markdown() []byte {
	var b strings.Builder
	b.WriteString("# Clients\n\nWritten by `make clients`, which runs drivers and the benchmark clients against a server.\n\n## Drivers\n\n" +
		"The programs in `cmd/minidb/testdata/clients` connect, create tables, send a value of every type and read it back, look at the fields\n" +
		"of errors, use transactions, cursors, COPY, cancel and notifications as far as the driver has them, and reflect a schema. Every check\n" +
		"holds against PostgreSQL 15.\n\n| driver | checks that hold |\n|---|---|\n" + strings.Join(r.drivers, "\n") + "\n")
	if len(r.failures) > 0 {
		b.WriteString("\nWhat does not hold:\n\n" + strings.Join(r.failures, "\n") + "\n")
	}
	b.WriteString("\n" + psqlDifferences())
	b.WriteString("\n## Benchmark clients\n\npgbench and sysbench, unmodified, with their own scripts, at 1, 8 and 32 connections. A run passes if no transaction fails and,\n" +
		"for pgbench, if the tables' balances agree after it.\n\n")
	fmt.Fprintf(&b, "%d of %d runs pass.\n\n| client | run | result |\n|---|---|---|\n", r.passed, len(r.lines))
	b.WriteString(strings.Join(r.lines, "\n") + "\n")
	return []byte(b.String())
}
