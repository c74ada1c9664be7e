package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// binary is the program under test, built once for all end-to-end tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "minidb-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "minidb")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func mustBinary(t *testing.T) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startServer starts the built binary on a free port; the test's end kills it
// if it still runs.
func startServer(t *testing.T, data string, args ...string) *serverProcess {
	t.Helper()
	s, err := startServerProcess(mustBinary(t), append([]string{"--data", data}, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.kill()
		}
	})
	return s
}

func connect(t *testing.T, s *serverProcess) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), s.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func mustExec(t *testing.T, conn *pgx.Conn, text string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func mustInt(t *testing.T, conn *pgx.Conn, query string) int64 {
	t.Helper()
	var n int64
	if err := conn.QueryRow(context.Background(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func mustSchema(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for rest := tradeSchema; strings.TrimSpace(rest) != ""; {
		var statement string
		statement, rest, _ = cutStatement(rest)
		mustExec(t, conn, statement)
	}
}

func mustTrades(t *testing.T, data string, rows int64, parts int) {
	t.Helper()
	g := tradeFiles{rows: rows, seed: 1, parts: parts, dir: filepath.Join(data, "import")}
	if _, err := g.write(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestKillDuringInsertsLosesNothingAcknowledged kills the server with SIGKILL
// while eight connections insert, and then looks for every row whose INSERT
// was answered.
func TestKillDuringInsertsLosesNothingAcknowledged(t *testing.T) {
	data := t.TempDir()
	s := startServer(t, data)
	mustExec(t, connect(t, s), `CREATE TABLE log (w int4, n int4, note text, PRIMARY KEY (w, n))`)
	mustExec(t, connect(t, s), `CREATE INDEX ON log (note)`)
	const writers = 8
	var acked [writers]atomic.Int64 // rows 1..acked of each writer were answered
	for round := range 3 {
		var wg sync.WaitGroup
		for w := range writers {
			conn := connect(t, s)
			wg.Go(func() {
				for n := acked[w].Load() + 1; ; n++ {
					// The row may be there already: its answer was lost in the kill before.
					_, err := conn.Exec(context.Background(), `INSERT INTO log VALUES ($1, $2, $3)`, w, n, fmt.Sprintf("row %d", n))
					if pgErr := (*pgconn.PgError)(nil); err != nil && !(errors.As(err, &pgErr) && pgErr.Code == "23505") {
						return
					}
					acked[w].Store(n)
				}
			})
		}
		time.Sleep(700 * time.Millisecond)
		if err := s.kill(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		s = startServer(t, data)
		conn := connect(t, s)
		for w := range writers {
			want := acked[w].Load()
			if want == 0 {
				t.Fatalf("round %d: writer %d inserted nothing", round, w)
			}
			byKey := mustInt(t, conn, fmt.Sprintf(`SELECT count(*) FROM log WHERE w = %d AND n <= %d`, w, want))
			if byKey != want {
				t.Errorf("round %d: writer %d: %d rows acknowledged, %d found", round, w, want, byKey)
			}
		}
	}
	conn := connect(t, s)
	total := mustInt(t, conn, `SELECT count(*) FROM log`)
	if byIndex := mustInt(t, conn, `SELECT count(*) FROM log WHERE note >= 'row'`); byIndex != total {
		t.Errorf("the table has %d rows, its index %d", total, byIndex)
	}
	if err := s.stop(); err != nil {
		t.Errorf("stop after SIGTERM: %v", err)
	}
	mustCheck(t, data)
}

// mustCheck runs `minidb check` on the directory of a stopped server.
func mustCheck(t *testing.T, data string) {
	t.Helper()
	if out, err := exec.Command(mustBinary(t), "check", "--data", data).CombinedOutput(); err != nil {
		t.Errorf("minidb check: %v\n%s", err, out)
	}
}

// TestKillDuringImportLeavesAllOrNothing kills the server at various moments of
// an import, the last ones around its commit: afterwards the table holds all
// rows or none, and the job agrees.
func TestKillDuringImportLeavesAllOrNothing(t *testing.T) {
	const rows = 40_000
	const statement = `IMPORT INTO trade CSV DATA ('nodelocal://1/*/Trade.txt') WITH delimiter = '|'`
	var whole time.Duration // how long the import takes when nobody kills it
	for _, percent := range []time.Duration{100, 30, 60, 80, 90, 95, 100, 105, 115} {
		data := t.TempDir()
		s := startServer(t, data)
		conn := connect(t, s)
		mustSchema(t, conn)
		mustTrades(t, data, rows, 2)
		start := time.Now()
		if whole == 0 {
			mustExec(t, conn, statement)
			whole = time.Since(start)
		} else {
			mustExec(t, conn, statement+`, DETACHED`)
			time.Sleep(whole*percent/100 - time.Since(start))
		}
		if err := s.kill(); err != nil {
			t.Fatal(err)
		}
		s = startServer(t, data)
		conn = connect(t, s)
		n := mustInt(t, conn, `SELECT count(*) FROM trade`)
		if n != 0 && n != rows {
			t.Errorf("killed at %d %%: %d rows of %d", percent, n, rows)
		}
		succeeded := strings.Contains(mustLines(t, conn, `SHOW JOBS`), "|succeeded|")
		if succeeded != (n == rows) {
			t.Errorf("killed at %d %%: %d rows, but the job says succeeded = %v", percent, n, succeeded)
		}
		if left, err := filepath.Glob(filepath.Join(data, "staging", "*")); err != nil || len(left) > 0 {
			t.Errorf("killed at %d %%: files left behind: %v %v", percent, left, err)
		}
		t.Logf("killed at %d %% of %v: %d rows", percent, whole, n)
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		mustCheck(t, data)
	}
}

// mustLines returns a query's rows as text, a line each.
func mustLines(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	results, err := conn.PgConn().Exec(context.Background(), query).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var b strings.Builder
	for _, row := range results[0].Rows {
		b.Write(bytes.Join(row, []byte("|")))
		b.WriteByte('\n')
	}
	return b.String()
}

func TestBothImportSpellingsLoadTheSameRows(t *testing.T) {
	const rows = 5000
	data := t.TempDir()
	s := startServer(t, data)
	conn := connect(t, s)
	mustTrades(t, data, rows, 3)
	var sums []string
	for _, statement := range []string{
		`IMPORT INTO trade CSV DATA ('nodelocal://1/*/Trade.txt') WITH delimiter = '|'`,
		`IMPORT INTO trade CSV DATA ('1/Trade.txt', '2/Trade.txt', '3/Trade.txt') WITH delimiter = '|'`,
		`IMPORT INTO trade FROM '*/Trade.txt' FORMAT 'csv' WITH delimiter = '|'`,
		`IMPORT INTO trade FROM '*/Trade.txt' WITH (delimiter '|')`,
	} {
		mustSchema(t, conn)
		if got := mustLines(t, conn, statement); !strings.Contains(got, "|succeeded|1|5000|") {
			t.Errorf("%s answered %q", statement, got)
		}
		sums = append(sums, mustLines(t, conn, `SELECT count(*), sum(t_comm), min(t_dts), max(t_exec_name) FROM trade`))
		mustExec(t, conn, `DROP TABLE trade`)
	}
	for _, sum := range sums[1:] {
		if sum != sums[0] {
			t.Errorf("the spellings load different rows: %v", sums)
		}
	}
}

// TestPsqlRuns runs a real psql: results, errors with position, and the exit
// code that a script relies on.
func TestPsqlRuns(t *testing.T) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("psql is not installed")
		}
		t.Skip("psql is not installed")
	}
	s := startServer(t, t.TempDir())
	run := func(script string) string {
		cmd := exec.Command(psql, "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", s.port(), "-U", "postgres", "postgres")
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("psql: %v\n%s", err, out)
		}
		return string(out)
	}
	got := run(`
CREATE TABLE item (id int4 PRIMARY KEY, name varchar(5), price numeric(8,2) DEFAULT 1.5);
INSERT INTO item VALUES (1, 'one', 10), (2, 'two', 2.345);
INSERT INTO item (id) VALUES (3);
SELECT * FROM item ORDER BY id DESC;
INSERT INTO item VALUES (1, 'again');
INSERT INTO item VALUES (4, 'too long');
SELEC 1;
SELECT nope FROM item;
BEGIN; DELETE FROM item; ROLLBACK;
SELECT count(*), sum(price) FROM item;
`)
	want := `3||1.50
2|two|2.35
1|one|10.00
ERROR:  duplicate key value violates unique constraint "item_pkey"
DETAIL:  Key (id)=(1) already exists.
ERROR:  value too long for type character varying(5)
ERROR:  syntax error at or near "SELEC"
LINE 1: SELEC 1;
        ^
ERROR:  column "nope" does not exist
LINE 1: SELECT nope FROM item;
               ^
HINT:  Perhaps you meant to reference the column "item.name".
3|13.85
`
	if got != want {
		t.Errorf("psql printed\n%s\nwant\n%s", got, want)
	}
}

func TestSecondServerOnTheSameDirectoryIsRefused(t *testing.T) {
	data := t.TempDir()
	startServer(t, data)
	out, err := exec.Command(mustBinary(t), "start", "--data", data, "--listen", "127.0.0.1:0").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("the second server ended with %v, want exit status 1", err)
	}
	if !strings.Contains(string(out), "in use") || !strings.Contains(string(out), data) {
		t.Errorf("the message does not say that %s is in use: %s", data, out)
	}
}

func TestServerStopsCleanlyOnSIGTERM(t *testing.T) {
	data := t.TempDir()
	s := startServer(t, data)
	conn := connect(t, s)
	mustExec(t, conn, `CREATE TABLE a (x int4)`)
	mustExec(t, conn, `INSERT INTO a VALUES (1)`)
	if err := s.stop(); err != nil {
		t.Fatalf("SIGTERM with a connected client: %v", err)
	}
	s = startServer(t, data)
	if n := mustInt(t, connect(t, s), `SELECT count(*) FROM a`); n != 1 {
		t.Errorf("%d rows after a clean restart, want 1", n)
	}
}
