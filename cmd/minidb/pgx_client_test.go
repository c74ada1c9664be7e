package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// tryPgx is the program that tries pgx, which needs no process of its own. Its checks follow one another.
func tryPgx(ctx context.Context, url string) driverResult {
	r := driverResult{failed: map[string]string{}}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		r.failed["connect"] = err.Error()
		return r
	}
	defer conn.Close(ctx)
	for _, c := range []struct {
		name string
		try  func(context.Context, *pgx.Conn) error
	}{
		{"create tables", pgxCreate},
		{"parameters of every type", pgxTypes},
		{"the modes of executing", pgxModes},
		{"batch", pgxBatch},
		{"COPY in binary", pgxCopy},
		{"transactions and savepoints", pgxTransactions},
		{"errors' fields", pgxErrors},
		{"cancel by context", pgxCancel},
		{"types looked up by name", pgxLoadTypes},
		{"LISTEN and NOTIFY", pgxListen},
		{"drop tables", func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, `DROP TABLE pgx_item; DROP TYPE pgx_mood`)
			return err
		}},
	} {
		if err := c.try(ctx, conn); err != nil {
			r.failed[c.name] = strings.Join(strings.Fields(err.Error()), " ")
		} else {
			r.passed++
		}
	}
	return r
}

func wantEqual(got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func pgxCreate(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `CREATE TABLE pgx_item (id int PRIMARY KEY, name text NOT NULL, n numeric, at timestamptz); CREATE TYPE pgx_mood AS ENUM ('sad', 'ok')`)
	return err
}

func pgxTypes(ctx context.Context, conn *pgx.Conn) error {
	for kind, v := range map[string]any{
		"boolean": true, "smallint": int16(-32768), "integer": int32(7), "bigint": int64(-1 << 63), "real": float32(1.5), "double precision": 0.1,
		"text": "naïve ‘quotes’ \\ and 'more'\n", "bytea": []byte{0, 1, 255}, "uuid": [16]byte{1, 2, 3}, "text[]": []string{"a", `b"c`, ""}, "int[]": []int32{1, 2},
		"numeric": pgtype.Numeric{Int: big.NewInt(-12345), Exp: -2, Valid: true}, "jsonb": map[string]any{"a": []any{1.0, "x", nil}},
		"interval":  pgtype.Interval{Microseconds: 1, Days: -3, Months: 14, Valid: true},
		"date":      time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC),
		"timestamp": time.Date(2024, 2, 29, 12, 30, 15, 123456000, time.UTC),
	} {
		got := reflect.New(reflect.TypeOf(v))
		if err := conn.QueryRow(ctx, "SELECT $1::"+kind, v).Scan(got.Interface()); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		if err := wantEqual(got.Elem().Interface(), v); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func pgxModes(ctx context.Context, conn *pgx.Conn) error {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		var got string
		if err := conn.QueryRow(ctx, `SELECT $1::int + 1 || ' ' || $2::text`, mode, 41, "it's").Scan(&got); err != nil {
			return fmt.Errorf("mode %v: %w", mode, err)
		}
		if err := wantEqual(got, "42 it's"); err != nil {
			return err
		}
	}
	return conn.Ping(ctx)
}

func pgxBatch(ctx context.Context, conn *pgx.Conn) error {
	b := &pgx.Batch{}
	for i := range 100 {
		b.Queue(`INSERT INTO pgx_item VALUES ($1, $2, $3, now())`, i, fmt.Sprintf("item %d", i), float64(i)/4)
	}
	var sum float64
	b.Queue(`SELECT sum(n)::float8 FROM pgx_item`).QueryRow(func(row pgx.Row) error { return row.Scan(&sum) })
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return wantEqual(sum, 1237.5)
}

func pgxCopy(ctx context.Context, conn *pgx.Conn) error {
	var rows [][]any
	for i := range 500 {
		rows = append(rows, []any{1000 + i, "copied", pgtype.Numeric{Int: big.NewInt(int64(i)), Exp: -1, Valid: true}, time.Now()})
	}
	n, err := conn.CopyFrom(ctx, pgx.Identifier{"pgx_item"}, []string{"id", "name", "n", "at"}, pgx.CopyFromRows(rows))
	if err != nil {
		return err
	}
	return wantEqual(n, int64(500))
}

func pgxTransactions(ctx context.Context, conn *pgx.Conn) error {
	back := errors.New("back")
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM pgx_item`); err != nil {
			return err
		}
		err := pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
			_, err := inner.Exec(ctx, `INSERT INTO pgx_item VALUES (1, 'a'), (1, 'b')`)
			return err
		})
		if err := wantPgCode(err, "23505"); err != nil {
			return err
		}
		return back
	})
	if !errors.Is(err, back) {
		return err
	}
	var n int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM pgx_item`).Scan(&n); err != nil {
		return err
	}
	return wantEqual(n, 600)
}

func wantPgCode(err error, code string) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != code {
		return fmt.Errorf("got %w, want an error %s", err, code)
	}
	return nil
}

func pgxErrors(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT id, nope FROM pgx_item`)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return fmt.Errorf("got %w", err)
	}
	return wantEqual([]any{pgErr.Code, pgErr.Position, pgErr.Severity}, []any{"42703", int32(12), "ERROR"})
}

func pgxCancel(ctx context.Context, conn *pgx.Conn) error {
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return err
	}
	defer other.Close(ctx)
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := other.Exec(short, `SELECT pg_sleep(30)`); err == nil {
		return errors.New("pg_sleep was not cancelled")
	}
	return nil
}

func pgxLoadTypes(ctx context.Context, conn *pgx.Conn) error {
	loaded, err := conn.LoadTypes(ctx, []string{"pgx_mood", "_pgx_mood"})
	if err != nil {
		return err
	}
	conn.TypeMap().RegisterTypes(loaded)
	var got []string
	if err := conn.QueryRow(ctx, `SELECT $1::pgx_mood[]`, []string{"ok", "sad"}).Scan(&got); err != nil {
		return err
	}
	return wantEqual(got, []string{"ok", "sad"})
}

func pgxListen(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, `LISTEN pgx_channel; SELECT pg_notify('pgx_channel', 'hello')`); err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	n, err := conn.WaitForNotification(short)
	if err != nil {
		return err
	}
	return wantEqual(n.Payload, "hello")
}
