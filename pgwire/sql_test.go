package pgwire_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"minidb/kv"
	"minidb/pgwire"
	"minidb/sql"
	"minidb/storage/vfs"
)

// serveSQL serves an empty database in memory and gives its URL.
func serveSQL(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", serveWith(t, sql.Options{}))
}

// serveWith serves an empty database in memory, with options of its engine, and gives its address.
func serveWith(t testing.TB, o sql.Options) string {
	t.Helper()
	addr, _ := serveEngine(t, o, pgwire.Options{})
	return addr
}

// serveEngine is serveWith with options of the server; it gives the engine too.
func serveEngine(t testing.TB, o sql.Options, po pgwire.Options) (string, *sql.Engine) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	ctx := context.Background()
	db, err := kv.Open(ctx, kv.Options{Dir: "data", FS: vfs.NewMem(), Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	o.KV, o.Logger, o.Version = db, logger, "test"
	engine, err := sql.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := pgwire.Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	po.Logger = logger
	s := pgwire.NewServer(engine, po)
	go s.Serve(l)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		for _, err := range []error{s.Shutdown(ctx), engine.Close(), db.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return l.Addr().String(), engine
}

func connectSQL(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, text string, args ...any) string {
	t.Helper()
	tag, err := conn.Exec(context.Background(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tag.String()
}

// errorOf gives code, position and constraint of the error of a statement.
func errorOf(t *testing.T, conn *pgx.Conn, text string, args ...any) string {
	t.Helper()
	_, err := conn.Exec(context.Background(), text, args...)
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v", text, err)
	}
	return strings.TrimRight(fmt.Sprintf("%s @%d %s", e.Code, e.Position, e.ConstraintName), " ")
}

// modes are the ways in which pgx sends statements.
var modes = map[string]pgx.QueryExecMode{
	"prepared": pgx.QueryExecModeCacheStatement,
	"describe": pgx.QueryExecModeDescribeExec,
	"exec":     pgx.QueryExecModeExec,
	"simple":   pgx.QueryExecModeSimpleProtocol,
}

func TestSQLThroughEveryModeOfPgx(t *testing.T) {
	url := serveSQL(t)
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			conn := connectSQL(t, url)
			table := "t_" + name
			exec(t, conn, "create table "+table+` (id int8 primary key, b bool, i int4, n numeric(10,2), f float8, s varchar(20),
				c char(5), y bytea, ts timestamp, tz timestamptz, d date, u uuid)`)
			at := time.Date(2024, 2, 29, 12, 30, 0, 250_000_000, time.UTC)
			day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
			tag := exec(t, conn, "insert into "+table+" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)", mode,
				int64(1)<<40, true, int32(-7), "1234.5", 0.25, "häß'\\", "ab", []byte{0, 255}, at, at, pgtype.Date{Time: day, Valid: true},
				"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
			if tag != "INSERT 0 1" {
				t.Error(tag)
			}
			exec(t, conn, "insert into "+table+" (id) values ($1)", mode, int64(2))
			var (
				id         int64
				b          bool
				i          int32
				n          pgtype.Numeric
				f          float64
				s, c, u    string
				y          []byte
				ts, tz, dt time.Time
			)
			err := conn.QueryRow(context.Background(), "select * from "+table+" where id = $1", mode, int64(1)<<40).
				Scan(&id, &b, &i, &n, &f, &s, &c, &y, &ts, &tz, &dt, &u)
			if err != nil {
				t.Fatal(err)
			}
			num, _ := n.Float64Value()
			got := []any{id, b, i, num.Float64, f, s, c, y, ts, tz.UTC(), dt, u}
			want := []any{
				int64(1) << 40, true, int32(-7), 1234.5, 0.25, "häß'\\", "ab   ",
				[]byte{0, 255},
				at, at, day,
				"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			var null *int32
			if err := conn.QueryRow(context.Background(), "select i from "+table+" where id = 2", mode).Scan(&null); err != nil || null != nil {
				t.Errorf("NULL came as %v, %v", null, err)
			}
			for stmt, want := range map[string]string{
				"insert into " + table + " (id) values (2)":              "23505 @0 " + table + "_pkey",
				"insert into " + table + " (b) values (true)":            "23502 @0",
				"insert into " + table + " (id, c) values (3, 'xxxxxx')": "22001 @0",
				"select nope from " + table:                              "42703 @8",
				"select 1 +":                                             "42601 @11",
				"select 1/0":                                             "22012 @0",
			} {
				if got := errorOf(t, conn, stmt, mode); got != want {
					t.Errorf("%s: %s, want %s", stmt, got, want)
				}
			}
		})
	}
}

func TestSQLTransactionsThroughPgx(t *testing.T) {
	url := serveSQL(t)
	a, b := connectSQL(t, url), connectSQL(t, url)
	exec(t, a, "create table t (k int primary key)")
	ctx := context.Background()
	count := func(conn *pgx.Conn) (n int) {
		if err := conn.QueryRow(ctx, "select count(*) from t").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	tx, err := a.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, a, "insert into t values (1)")
	if n := count(b); n != 0 {
		t.Errorf("another session sees %d rows before the commit", n)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n := count(b); n != 1 {
		t.Errorf("another session sees %d rows after the commit", n)
	}
	if tx, err = a.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	exec(t, a, "insert into t values (2)")
	if got := errorOf(t, a, "insert into t values (1)"); got != "23505 @0 t_pkey" {
		t.Error(got)
	}
	if got := errorOf(t, a, "select 1"); got != "25P02 @0" {
		t.Error(got)
	}
	if err := tx.Commit(ctx); !errors.Is(err, pgx.ErrTxCommitRollback) {
		t.Errorf("commit of a failed transaction: %v", err)
	}
	// A pipeline is one implicit transaction up to its Sync.
	var batch pgx.Batch
	batch.Queue("insert into t values (3)")
	batch.Queue("insert into t values (1)")
	if err := a.SendBatch(ctx, &batch).Close(); err == nil {
		t.Error("a duplicate passed")
	}
	if n := count(b); n != 1 {
		t.Errorf("%d rows after two failed transactions", n)
	}
	if _, err := a.Exec(ctx, "insert into t values (4); insert into t values (1)", pgx.QueryExecModeSimpleProtocol); err == nil {
		t.Error("a duplicate passed")
	}
	if n := count(b); n != 1 {
		t.Errorf("%d rows: a Query message is not one transaction", n)
	}
}

func TestSQLCancelFreesAWaitingSession(t *testing.T) {
	url := serveSQL(t)
	a, b := connectSQL(t, url), connectSQL(t, url)
	ctx := context.Background()
	exec(t, a, "create table t (k int primary key, v int)")
	exec(t, a, "insert into t values (1, 1)")
	exec(t, a, "begin")
	exec(t, a, "update t set v = 2 where k = 1")
	failed := make(chan error, 1)
	go func() {
		_, err := b.Exec(ctx, "update t set v = 3 where k = 1")
		failed <- err
	}()
	select {
	case err := <-failed:
		t.Fatalf("did not wait for the other transaction: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := b.PgConn().CancelRequest(ctx); err != nil {
		t.Fatal(err)
	}
	var e *pgconn.PgError
	if err := <-failed; !errors.As(err, &e) || e.Code != "57014" {
		t.Errorf("got %v", err)
	}
	exec(t, a, "commit")
	exec(t, b, "update t set v = 4 where k = 1")
}

func TestSQLStartupRefusesUnknownNames(t *testing.T) {
	url := serveSQL(t)
	for from, want := range map[string]string{
		"postgres@":  "28000",
		"/postgres?": "3D000",
	} {
		_, err := pgx.Connect(context.Background(), strings.Replace(url, from, strings.Replace(from, "postgres", "nobody", 1), 1))
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != want || e.Severity != "FATAL" {
			t.Errorf("%s: %v", from, err)
		}
	}
}

func TestSQLSendsNoColumnThatWasOnlySortedBy(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	exec(t, conn, "create table t (a int, b int)")
	exec(t, conn, "insert into t values (1, 2), (2, 1)")
	for _, query := range []string{"select a from t order by b", "select min(a) from t group by b order by b"} {
		results, err := conn.PgConn().Exec(context.Background(), query).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][][]byte{{[]byte("2")}, {[]byte("1")}}, results[0].Rows); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

// A portal that is read in parts gives every row once.
func TestSQLPortalInParts(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	exec(t, conn, "create table t (k int primary key)")
	for i := range 30 {
		exec(t, conn, "insert into t values ($1)", i)
	}
	ctx := context.Background()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	if _, err := conn.Prepare(ctx, "s", "select k from t order by k"); err != nil {
		t.Fatal(err)
	}
	f := conn.PgConn().Frontend()
	next := 0
	for part := 0; ; part++ {
		if part == 0 {
			f.SendBind(&pgproto3.Bind{PreparedStatement: "s"})
		}
		f.SendExecute(&pgproto3.Execute{MaxRows: 7})
		f.SendSync(&pgproto3.Sync{})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		rows, suspended := readPart(t, f)
		for _, r := range rows {
			if r != fmt.Sprint(next) {
				t.Fatalf("part %d: row %s, want %d", part, r, next)
			}
			next++
		}
		if !suspended {
			break
		}
	}
	if next != 30 {
		t.Errorf("%d rows", next)
	}
}

// readPart reads to ReadyForQuery and gives the first column of the rows.
func readPart(t *testing.T, f *pgproto3.Frontend) (rows []string, suspended bool) {
	t.Helper()
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			rows = append(rows, string(m.Values[0]))
		case *pgproto3.PortalSuspended:
			suspended = true
		case *pgproto3.ErrorResponse:
			t.Fatalf("%s %s", m.Code, m.Message)
		case *pgproto3.ReadyForQuery:
			return rows, suspended
		}
	}
}

// PREPARE's names and the protocol's are the same, and so are DECLARE's cursors and its portals.
func TestNamesOfSQLAndTheProtocolAreShared(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, serveSQL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	mustAnswer := func(text, want string) {
		t.Helper()
		got := ""
		results, err := conn.Exec(ctx, text).ReadAll()
		for _, r := range results {
			for _, row := range r.Rows {
				got += string(row[0]) + " "
			}
		}
		if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) {
			got += pgErr.Code
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if _, err := conn.Prepare(ctx, "twice", "SELECT $1::int * 2", nil); err != nil {
		t.Fatal(err)
	}
	mustAnswer("EXECUTE twice(4)", "8 ")
	mustAnswer("PREPARE twice AS SELECT 1", "42P05")
	mustAnswer("DEALLOCATE twice", "")
	if r := conn.ExecPrepared(ctx, "twice", [][]byte{[]byte("1")}, nil, nil).Read(); r.Err == nil {
		t.Error("a statement that was deallocated can be executed")
	}
	mustAnswer("PREPARE thrice(int) AS SELECT $1 * 3", "")
	if r := conn.ExecPrepared(ctx, "thrice", [][]byte{[]byte("2")}, nil, nil).Read(); r.Err != nil || string(r.Rows[0][0]) != "6" {
		t.Errorf("a statement of PREPARE by the protocol: %v", r)
	}
	mustAnswer("BEGIN; DECLARE c CURSOR FOR SELECT 1 AS one, 'x'::text AS two", "")
	f := conn.Frontend()
	f.SendDescribe(&pgproto3.Describe{ObjectType: 'P', Name: "c"})
	f.SendSync(&pgproto3.Sync{})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	m, err := f.Receive()
	d, ok := m.(*pgproto3.RowDescription)
	if err != nil || !ok || len(d.Fields) != 2 || string(d.Fields[1].Name) != "two" {
		t.Errorf("the description of a cursor: %v %v", m, err)
	}
	if _, err := f.Receive(); err != nil {
		t.Fatal(err)
	}
}
