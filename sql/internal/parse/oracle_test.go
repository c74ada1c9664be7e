package parse

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"minidb/sql/sqlerr"
)

var (
	oracleBin  = flag.String("oracle", "", "directory of PostgreSQL 15's programs, to compare the parser with")
	oracleSeed = flag.Uint64("oracle-seed", 1, "seed of the random statements; 0 takes one from the clock")
	oracleN    = flag.Int("oracle-n", 20_000, "how many random statements to compare")
)

// oracle is a connection to a PostgreSQL 15 of the test's own.
type oracle struct {
	t    *testing.T
	conn *pgx.Conn
}

// startOracle starts PostgreSQL on loopback with an empty cluster, as the user postgres
// when the test runs as root.
func startOracle(t *testing.T) *oracle {
	t.Helper()
	if *oracleBin == "" {
		t.Skip("-oracle names no PostgreSQL 15")
	}
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attr := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	program := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(*oracleBin, name), args...)
		c.Dir, c.SysProcAttr = dir, attr
		return c
	}
	data := filepath.Join(dir, "data")
	if out, err := program("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--locale=C.UTF-8", "-E", "UTF8").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server := program("postgres", "-D", data, "-p", strconv.Itoa(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT)
		_ = server.Wait()
	})
	url := fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?default_query_exec_mode=simple_protocol", port)
	for wait := 0; ; wait++ {
		conn, err := pgx.Connect(context.Background(), url)
		if err == nil {
			t.Cleanup(func() { conn.Close(context.Background()) })
			return &oracle{t, conn}
		}
		if wait > 100 {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (o *oracle) exec(sql string) {
	o.t.Helper()
	if _, err := o.conn.Exec(context.Background(), sql); err != nil {
		o.t.Fatalf("%s: %v", sql, err)
	}
}

// plan is what EXPLAIN says of a statement, or the error.
func (o *oracle) plan(sql string) string {
	rows, err := o.conn.Query(context.Background(), "EXPLAIN (VERBOSE, COSTS OFF) "+sql)
	if err == nil {
		var lines []string
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil {
			return strings.Join(lines, "\n")
		}
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		o.t.Fatalf("%s: %v", sql, err)
	}
	return "error " + e.Code + ": " + e.Message
}

// prepare gives the error of preparing a statement, or nil.
func (o *oracle) prepare(sql string) *pgconn.PgError {
	_, err := o.conn.PgConn().Prepare(context.Background(), "", sql, nil)
	var e *pgconn.PgError
	if err != nil && !errors.As(err, &e) {
		o.t.Fatalf("%s: %v", sql, err)
	}
	return e
}

func seeded(t *testing.T) *rand.Rand {
	seed := *oracleSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-oracle-seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestOracleSyntaxErrors spoils statements of the corpus by one token and wants
// PostgreSQL's verdict: the same statements accepted, and the same message and place.
func TestOracleSyntaxErrors(t *testing.T) {
	o := startOracle(t)
	r := seeded(t)
	var stmts []string
	for _, s := range loadStatements(t) {
		// INDEX and FAMILY in CREATE TABLE are columns to PostgreSQL.
		if s.valid && len(s.text) < 2000 && !strings.Contains(s.construct, "INDEX inline") && !strings.Contains(s.construct, "FAMILY") {
			stmts = append(stmts, s.text)
		}
	}
	placed, misplaced := 0, 0
	for range *oracleN {
		s := spoil(r, stmts[r.IntN(len(stmts))], stmts[r.IntN(len(stmts))])
		want := o.prepare(s)
		list, err := Parse(s)
		if len(list) > 1 || sqlerr.CodeOf(err) == sqlerr.FeatureNotSupported {
			continue
		}
		got, _ := sqlerr.As(err)
		switch {
		case want == nil || want.Code != "42601":
			if got != nil && (strings.HasPrefix(got.Message, "syntax error") || got.Code == "XX000") {
				t.Errorf("%s\n  refused: %v at %d; PostgreSQL: %v", s, got, got.Position, want)
			}
		case got != nil && (got.Message != want.Message || got.Position != int(want.Position)):
			t.Logf("%s\n  %q at %d\n  PostgreSQL: %q at %d", s, got.Message, got.Position, want.Message, want.Position)
			misplaced++
		case got != nil:
			placed++
		case strings.HasPrefix(want.Message, "syntax error"):
			t.Errorf("%s\n  accepted; PostgreSQL: %v at %d", s, want, want.Position)
		}
	}
	// PostgreSQL's automaton sees some errors later: a dialect's word, the columns of an
	// alias, a type's modifiers.
	t.Logf("%d errors at PostgreSQL's place, %d elsewhere", placed, misplaced)
	if misplaced*100 > placed {
		t.Errorf("more than one in a hundred errors is not at PostgreSQL's place")
	}
}

// spoil takes out, doubles, replaces or inserts one token of s.
func spoil(r *rand.Rand, s, other string) string {
	toks, donors := tokensOf(s), tokensOf(other)
	if len(toks) == 0 || len(donors) == 0 {
		return s
	}
	i := r.IntN(len(toks))
	t, d := toks[i], donors[r.IntN(len(donors))]
	word := other[d.pos:d.end]
	switch r.IntN(4) {
	case 0:
		return s[:t.pos] + s[t.end:]
	case 1:
		return s[:t.end] + " " + s[t.pos:t.end] + s[t.end:]
	case 2:
		return s[:t.pos] + " " + word + " " + s[t.end:]
	}
	return s[:t.pos] + word + " " + s[t.pos:]
}

func tokensOf(s string) []token {
	l := lexer{text: s}
	var list []token
	for {
		t := l.next()
		if t.kind == tokEOF || t.kind == tokError {
			return list
		}
		list = append(list, t)
	}
}

// oracleSchema has the tables and columns that the corpus and the random expressions
// use; every operator they use is there for integers.
const oracleSchema = `
CREATE TABLE t (a int, b int, c int, d int, e int, id int PRIMARY KEY, x int, y int, z int);
CREATE TABLE u (a int, b int, c int, d int, e int, id int PRIMARY KEY, x int, y int, z int);
CREATE TABLE v (a int, b int, c int, d int, e int, id int PRIMARY KEY, x int, y int, z int);
CREATE FUNCTION i2(int, int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'int4pl';
CREATE FUNCTION i1(int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'int4um';
CREATE FUNCTION b2(int, int) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4eq';
CREATE OPERATOR || (LEFTARG = int, RIGHTARG = int, FUNCTION = i2);
CREATE OPERATOR -> (LEFTARG = int, RIGHTARG = int, FUNCTION = i2);
CREATE OPERATOR @@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = i2);
CREATE OPERATOR ^ (LEFTARG = int, RIGHTARG = int, FUNCTION = i2);
CREATE OPERATOR ~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = b2);
CREATE OPERATOR !~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = b2);
CREATE OPERATOR ~~* (LEFTARG = int, RIGHTARG = int, FUNCTION = b2);
CREATE OPERATOR !~~* (LEFTARG = int, RIGHTARG = int, FUNCTION = b2);
CREATE OPERATOR !! (RIGHTARG = int, FUNCTION = i1);
UPDATE pg_cast SET castcontext = 'i' WHERE castsource IN ('int'::regtype, 'bool'::regtype) AND casttarget IN ('int'::regtype, 'bool'::regtype);
`

// TestOraclePlans wants the same plan, or the same error, for a statement of the corpus
// and for what its tree prints as.
func TestOraclePlans(t *testing.T) {
	o := startOracle(t)
	o.exec(oracleSchema)
	plans := 0
	for _, s := range loadStatements(t) {
		stmts, err := Parse(s.text)
		if err != nil || len(stmts) != 1 || stmts[0].Params > 0 {
			continue
		}
		out := Print(stmts[0].AST)
		if out == "" {
			continue
		}
		want, got := o.plan(stmts[0].Text), o.plan(out)
		if want != got {
			t.Errorf("%s\n%s\n%s\n%s", s.text, out, want, got)
		} else if !strings.HasPrefix(want, "error") {
			plans++
		}
	}
	t.Logf("%d plans equal", plans)
	if plans < 400 {
		t.Error("fewer than 400 statements have a plan")
	}
}

// TestOracleExpressions compares the plans of random expressions with those of their prints.
func TestOracleExpressions(t *testing.T) {
	o := startOracle(t)
	o.exec(oracleSchema)
	r := seeded(t)
	refused := 0
	for range *oracleN {
		s := "SELECT " + randomTokens(r) + " FROM t"
		want := o.plan(s)
		stmts, err := Parse(s)
		switch {
		case err != nil && !strings.HasPrefix(want, "error 42601"):
			t.Errorf("%s\n  refused: %v; PostgreSQL: %s", s, err, want)
		case err != nil:
			refused++
		case strings.HasPrefix(want, "error 42601: syntax"):
			t.Errorf("%s\n  accepted; PostgreSQL: %s", s, want)
		default:
			if out := Print(stmts[0].AST); o.plan(out) != want {
				t.Errorf("%s\n%s\n%s\n%s", s, out, want, o.plan(out))
			}
		}
	}
	t.Logf("%d of %d are no expressions", refused, *oracleN)
}

// randomTokens strings operands and operators together without parentheses, so that
// precedence decides.
func randomTokens(r *rand.Rand) string {
	prefix := []string{"-", "+", "!!", "NOT ", "- ", "~ "}
	infix := []string{
		"+", "-", "*", "/", "%", "^", "||", "->", "@@@", "<", ">", "=", "<=", ">=", "<>", "!=", " AND ", " OR ",
		" LIKE ", " NOT LIKE ", " ILIKE ", " IS DISTINCT FROM ", " IS NOT DISTINCT FROM ", "#", "&", "|", "<<",
		" OPERATOR(pg_catalog.+) ", " OPERATOR(public.||) ",
	}
	postfix := []string{
		"::int", "::bool", " IS NULL", " IS NOT NULL", " ISNULL", " NOTNULL", " IS TRUE", " IS NOT FALSE", " IS UNKNOWN",
		" IN (1, b)", " NOT IN (2, c)", " BETWEEN a AND b", " NOT BETWEEN SYMMETRIC a+1 AND b", " = ANY (ARRAY[a, b])",
		" < ALL (ARRAY[a])", " IN (SELECT 1)",
	}
	operand := []string{
		"a", "b", "c", "d", "1", "2", "(a)", "(b+c)", "(SELECT 1)", "t.a", "CASE WHEN a > b THEN c ELSE d END",
		"coalesce(a, b)", "abs(a)", "(-1)", "(a = b)", "CAST(a AS bool)", "int '3'",
	}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var b strings.Builder
	for n := 1 + r.IntN(6); n > 0; n-- {
		for r.IntN(5) == 0 {
			b.WriteString(" " + pick(prefix))
		}
		b.WriteString(" " + pick(operand))
		for r.IntN(6) == 0 {
			b.WriteString(pick(postfix))
		}
		if n > 1 {
			b.WriteString(" " + strings.TrimPrefix(pick(infix), " "))
		}
	}
	return b.String()
}
