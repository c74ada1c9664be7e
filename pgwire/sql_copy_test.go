package pgwire_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
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

// A connection that ends between two messages of a COPY has not ended the COPY's data.
func TestSQLCopyEndsWithItsClient(t *testing.T) {
	url := serveSQL(t)
	conn := connectSQL(t, url)
	exec(t, conn, "create table t (i int primary key)")
	for _, options := range []string{"", "csv", "binary"} {
		h, err := connectSQL(t, url).PgConn().Hijack()
		if err != nil {
			t.Fatal(err)
		}
		write := func(typ byte, body string) {
			message := binary.BigEndian.AppendUint32([]byte{typ}, uint32(4+len(body)))
			if _, err := h.Conn.Write(append(message, body...)); err != nil {
				t.Fatal(err)
			}
		}
		write('Q', "copy t from stdin "+options+"\x00")
		answer := make([]byte, 1)
		if _, err := io.ReadFull(h.Conn, answer); err != nil || answer[0] != 'G' {
			t.Fatalf("got %q, %v", answer, err)
		}
		if options == "binary" {
			write('d', "PGCOPY\n\xff\r\n\x00"+string(make([]byte, 8))+"\x00\x01\x00\x00\x00\x04\x00\x00\x00\x01")
		} else {
			write('d', "1\n")
		}
		if err := h.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, h.Conn); err != nil { // until the server is done with it
			t.Fatal(err)
		}
		h.Conn.Close()
		if tag := exec(t, conn, "select * from t"); tag != "SELECT 0" {
			t.Errorf("%s: %s after a client went away", options, tag)
		}
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

// The statements of testdata/copy_errors.txt are refused before any data flows, each with what PostgreSQL 15 says on the line below.
func TestSQLCopyRefusals(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	exec(t, conn, "create table t (a int primary key, b text, c numeric(8,2) default 5)")
	exec(t, conn, "create index ti on t (b)")
	text, err := os.ReadFile("testdata/copy_errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	for i := 0; i+1 < len(lines); i += 2 {
		_, err := conn.PgConn().Exec(context.Background(), lines[i]).ReadAll()
		var e *pgconn.PgError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", lines[i], err)
			continue
		}
		got := fmt.Sprintf("%s @%d %s", e.Code, e.Position, e.Message)
		if e.Hint != "" {
			got += " / " + e.Hint
		}
		if want := strings.TrimSpace(lines[i+1]); got != want {
			t.Errorf("%s\n got %s\nwant %s", lines[i], got, want)
		}
	}
}

// Rows are read as INSERT reads them, and an error tells relation, line, column and value.
func TestSQLCopyErrorsHaveTheirPlace(t *testing.T) {
	conn := connectSQL(t, serveSQL(t))
	exec(t, conn, "create table t (a int primary key, b varchar(5) not null, c numeric(8,2) default 5 check (c > 0), unique (b))")
	exec(t, conn, "insert into t values (1, 'one')")
	for _, c := range []struct{ data, code, where string }{
		{"2\tok\t1\nx\ty\t1\n", "22P02", `COPY t, line 2, column a: "x"`},
		{"2\ttoolong\t1\n", "22001", `COPY t, line 1, column b: "toolong"`},
		{"2\t\\N\t1\n", "23502", `COPY t, line 1: "2	\N	1"`},
		{"2\tb\t-1\n", "23514", `COPY t, line 1: "2	b	-1"`},
		{"2\tb\n", "22P04", `COPY t, line 1: "2	b"`},
		{"2\tb\t1\tx\n", "22P04", `COPY t, line 1: "2	b	1	x"`},
		{"2\tb\t1\n3\tb\t1\n", "23505", "COPY t, line 2"},
		{"2\tb\t1\n1\tc\t1\nx\td\t1\n", "22P02", `COPY t, line 3, column a: "x"`}, // as in PostgreSQL, keys are looked at batch by batch
		{"2\tb\t1\n3\tc\xff\t1\n", "22021", "COPY t, line 2"},
	} {
		_, err := conn.PgConn().CopyFrom(context.Background(), strings.NewReader(c.data), "copy t from stdin")
		wantError(t, err, c.code, c.where)
	}
	_, err := conn.PgConn().CopyFrom(context.Background(), strings.NewReader("b,a\ntwo,2\nthree,3\n"), "copy t (b, a) from stdin with (format csv, header match) where a > 2")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, conn, "t", "csv"), "1,one,5.00\n3,three,5.00\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
