package pgwire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pgx's CopyFrom describes the columns and then sends rows in the binary format.
func TestSQLCopyFromOfPgx(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	ctx := context.Background()
	exec(t, conn, "create table t (i int primary key, n numeric(8,2), s varchar(6), b bytea, ts timestamp, y bool, u uuid, f float8 default 1.5)")
	at := time.Date(2024, 2, 29, 12, 0, 0, 1000, time.UTC)
	var rows [][]any
	for i := range 2500 {
		row := []any{int32(i), "1.50", fmt.Sprintf("s%d", i), []byte{0, byte(i)}, at, i%2 == 0, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}
		if i%3 == 0 {
			row = []any{int32(i), nil, nil, nil, nil, nil, nil}
		}
		rows = append(rows, row)
	}
	columns := []string{"i", "n", "s", "b", "ts", "y", "u"}
	n, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, columns, pgx.CopyFromRows(rows))
	if err != nil || n != 2500 {
		t.Fatal(n, err)
	}
	var count, nulls int
	var last string
	err = conn.QueryRow(ctx, "select count(*), count(*) - count(n), max(s) from t where f = 1.5").Scan(&count, &nulls, &last)
	if err != nil || count != 2500 || nulls != 834 || last != "s998" {
		t.Errorf("%d rows, %d nulls, last %s, %v", count, nulls, last, err)
	}
	// The modifiers of types count.
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"i", "s"}, pgx.CopyFromRows([][]any{{int32(9000), "fine"}, {int32(9001), "longer"}, {int32(9002), "too long"}}))
	wantError(t, err, "22001", "COPY t, line 3, column s")
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"i"}, pgx.CopyFromRows([][]any{{int32(9000)}, {int32(7)}}))
	wantError(t, err, "23505", "COPY t, line 2")
	exec(t, conn, "insert into t (i) values (9000)") // nothing of the failed ones is there
}

func wantError(t *testing.T, err error, code, where string) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Errorf("got %v, want %s", err, code)
	} else if e.Code != code || e.Where != where {
		t.Errorf("got %v at %q, want %s at %q", err, e.Where, code, where)
	}
}

// What COPY TO gives, COPY FROM takes, in every format.
func TestSQLCopyRoundTrips(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	ctx := context.Background()
	const columns = "(i int, n numeric, s text, b bytea, d date, ts timestamptz, iv interval, y bool, u uuid, f float8, c char(4))"
	exec(t, conn, "create table a "+columns)
	exec(t, conn, `insert into a values
		(1, 1.50, e'a\tb\\c\nd"e,f', '\x00ff', '2024-02-29', '2020-01-01 00:00:00.5+00', '1 mon 2 days 03:04:05', true, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 0.1, 'ab'),
		(2, 'NaN', '', '', 'infinity', null, '-1 day', false, null, 'Infinity', ''),
		(3, null, '\.', null, null, null, null, null, null, null, null), (4, 0, '\N', null, null, null, null, null, null, -0.0, 'NULL')`)
	want := dump(t, conn, "a", "")
	for i, options := range []string{
		"", "(format csv)", "(format csv, header, force_quote *)", "(format csv, quote '''', escape '\\', delimiter '|', null 'x')",
		"(format binary)", "(header match, delimiter '|')",
	} {
		table := fmt.Sprintf("b%d", i)
		exec(t, conn, "create table "+table+" "+columns)
		from := strings.ReplaceAll(options, "force_quote *", "header")
		from = strings.ReplaceAll(from, "header, header", "header match")
		to := strings.ReplaceAll(options, "match", "true")
		var data bytes.Buffer
		if _, err := conn.PgConn().CopyTo(ctx, &data, "copy a to stdout "+to); err != nil {
			t.Fatalf("%s: %v", options, err)
		}
		tag, err := conn.PgConn().CopyFrom(ctx, &data, "copy "+table+" from stdin "+from)
		if err != nil || tag.String() != "COPY 4" {
			t.Fatalf("%s: %s, %v", options, tag, err)
		}
		if diff := cmp.Diff(want, dump(t, conn, table, "")); diff != "" {
			t.Errorf("%s: %s", options, diff)
		}
	}
}

// dump is a table in COPY's text format.
func dump(t *testing.T, conn *pgx.Conn, table, options string) string {
	t.Helper()
	var data bytes.Buffer
	if _, err := conn.PgConn().CopyTo(context.Background(), &data, "copy "+table+" to stdout "+options); err != nil {
		t.Fatal(err)
	}
	return data.String()
}

// endless gives lines until the statement fails, or so many.
type endless struct{ next, end int }

func (e *endless) Read(p []byte) (int, error) {
	if e.next == e.end {
		return 0, io.EOF
	}
	e.next++
	return copy(p, fmt.Sprintf("%d\n", e.next)), nil
}

// Of a client that goes away, gives up or is cancelled nothing stays.
func TestSQLCopyIsAllOrNothing(t *testing.T) {
	url := serveSQL(t)
	conn := connectSQL(t, url)
	exec(t, conn, "create table t (i int primary key)")
	ctx := context.Background()

	gone := connectSQL(t, url)
	lost, cut := io.Pipe()
	result := make(chan error, 1)
	go func() {
		_, err := gone.PgConn().CopyFrom(ctx, lost, "copy t from stdin")
		result <- err
	}()
	fmt.Fprintln(cut, 1)
	gone.PgConn().Conn().Close()
	cut.Close()
	if err := <-result; err == nil {
		t.Error("the copy of a client that is gone succeeded")
	}

	_, err := conn.PgConn().CopyFrom(ctx, io.MultiReader(&endless{end: 3000}, failingReader{}), "copy t from stdin")
	wantError(t, err, "57014", "COPY t, line 3001")

	cancelled := connectSQL(t, url)
	go func() {
		_, err := cancelled.PgConn().CopyFrom(ctx, &endless{end: -1}, "copy t from stdin")
		result <- err
	}()
	time.Sleep(20 * time.Millisecond)
	if err := cancelled.PgConn().CancelRequest(ctx); err != nil {
		t.Fatal(err)
	}
	var e *pgconn.PgError
	if err := <-result; !errors.As(err, &e) || e.Code != "57014" {
		t.Errorf("got %v", err)
	}
	exec(t, cancelled, "select 1") // the connection goes on

	if tag := exec(t, conn, "select * from t"); tag != "SELECT 0" {
		t.Errorf("%s after copies that failed", tag)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestSQLCopyInATransactionBlock(t *testing.T) {
	url := serveSQL(t)
	conn, other := connectSQL(t, url), connectSQL(t, url)
	ctx := context.Background()
	exec(t, conn, "create table t (i int primary key, s text)")
	copyIn := func(text string) error {
		_, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(text), "copy t from stdin")
		return err
	}
	exec(t, conn, "begin")
	if err := copyIn("1\ta\n2\tb\n"); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, conn, "t", ""); got != "1\ta\n2\tb\n" {
		t.Errorf("the transaction sees %q", got)
	}
	if got := dump(t, other, "t", ""); got != "" {
		t.Errorf("others see %q", got)
	}
	exec(t, conn, "savepoint s")
	wantError(t, copyIn("3\tc\n2\tb\n"), "23505", "COPY t, line 2")
	if got := errorOf(t, conn, "select 1"); !strings.HasPrefix(got, "25P02") {
		t.Errorf("after an error: %s", got)
	}
	exec(t, conn, "rollback to s")
	exec(t, conn, "commit")
	if got := dump(t, other, "t", "csv header"); got != "i,s\n1,a\n2,b\n" {
		t.Errorf("after the commit: %q", got)
	}
}
