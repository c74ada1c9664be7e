package pgwire

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

func (s *testServer) pgx(t *testing.T) *pgx.Conn {
	t.Helper()
	ctx, cancel := timeoutContext()
	defer cancel()
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://u@%s/d?sslmode=prefer", s.addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Every type goes to the server and back as pgx reads and writes it, in binary and in text.
func TestPgxRoundTripsEveryType(t *testing.T) {
	values := map[string][]any{
		"bool":        {true, false},
		"int2":        {int16(-32768), int16(32767)},
		"int4":        {int32(-2147483648), int32(7)},
		"int8":        {int64(-9223372036854775808), int64(9223372036854775807)},
		"float4":      {float32(1.5), float32(-0.1)},
		"float8":      {0.1, -1e300},
		"text":        {"", "häß\n", strings.Repeat("x", 100_000)},
		"varchar":     {"a"},
		"bpchar":      {"a "},
		"bytea":       {[]byte{}, []byte{0, 1, 255, '\\'}},
		"uuid":        {[16]byte{0xa0, 0xee, 15: 0x11}},
		"date":        {time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)},
		"timestamp":   {time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC)},
		"timestamptz": {time.Date(2024, 7, 1, 12, 0, 0, 1000, time.UTC)},
		"numeric": {
			pgtype.Numeric{Int: big.NewInt(12345), Exp: -2, Valid: true},
			pgtype.Numeric{Int: big.NewInt(-1), Exp: -10, Valid: true},
			pgtype.Numeric{NaN: true, Valid: true},
		},
		"interval": {pgtype.Interval{Microseconds: -1, Days: 2, Months: 14, Valid: true}},
	}
	conn := startServer(t, Options{}).pgx(t)
	ctx, cancel := timeoutContext()
	defer cancel()
	for name, vs := range values {
		for _, v := range vs {
			for _, format := range []int16{pgx.TextFormatCode, pgx.BinaryFormatCode} {
				got := reflect.New(reflect.TypeOf(v))
				err := conn.QueryRow(ctx, "echo "+name, pgx.QueryResultFormats{format}, v).Scan(got.Interface())
				if err != nil {
					t.Errorf("%s %v, format %d: %v", name, v, format, err)
					continue
				}
				compare := cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 })
				if diff := cmp.Diff(v, got.Elem().Interface(), compare); diff != "" {
					t.Errorf("%s, format %d: %s", name, format, diff)
				}
			}
		}
		var null *string
		if err := conn.QueryRow(ctx, "echo "+name, pgx.QueryResultFormats{pgx.TextFormatCode}, nil).Scan(&null); err != nil || null != nil {
			t.Errorf("%s NULL: %v, %v", name, null, err)
		}
	}
}

func TestPgxPipelinesABatch(t *testing.T) {
	conn := startServer(t, Options{}).pgx(t)
	ctx, cancel := timeoutContext()
	defer cancel()
	var b pgx.Batch
	for i := range 50 {
		b.Queue(fmt.Sprintf("rows %d", i))
	}
	results := conn.SendBatch(ctx, &b)
	for i := range 50 {
		rows, err := results.Query()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if n != i || rows.Err() != nil {
			t.Errorf("batch item %d: %d rows, %v", i, n, rows.Err())
		}
	}
	if err := results.Close(); err != nil {
		t.Error(err)
	}
}

func TestPgxSeesTheFieldsOfAnError(t *testing.T) {
	conn := startServer(t, Options{}).pgx(t)
	ctx, cancel := timeoutContext()
	defer cancel()
	_, err := conn.Exec(ctx, "error")
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	got := []string{
		e.Severity, e.SeverityUnlocalized, e.Code, e.Message, e.Detail, e.Hint, fmt.Sprint(e.Position), e.Where, e.SchemaName, e.TableName,
		e.ColumnName, e.DataTypeName, e.ConstraintName,
	}
	want := []string{"ERROR", "ERROR", "23514", "bad? row", "d", "h", "7", "w", "s", "t", "c", "dt", "n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if rows, err := conn.Query(ctx, "rows 1"); err != nil {
		t.Error(err)
	} else {
		rows.Close()
	}
}

func TestPgxContextCancelsAStatement(t *testing.T) {
	s := startServer(t, Options{WatchInterval: 5 * time.Millisecond})
	conn := s.pgx(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-s.e.waiting
		cancel()
	}()
	if _, err := conn.Exec(ctx, "wait"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the session is closed", func() bool { return s.e.closed.Load() == 1 })
}
