// Command libpq-client tries lib/pq, the older of Go's drivers, over database/sql. It prints a line for every check.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/lib/pq"
)

var (
	db  *sql.DB
	ctx = context.Background()
)

// check prints whether what held.
func check(name string, what func() error) {
	if err := what(); err != nil {
		fmt.Printf("not ok %s: %s\n", name, strings.Join(strings.Fields(err.Error()), " "))
		return
	}
	fmt.Println("ok " + name)
}

func equal(got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func exec(text string, args ...any) error {
	_, err := db.ExecContext(ctx, text, args...)
	return err
}

// wantCode wants an error with a SQLSTATE.
func wantCode(err error, code string) (*pq.Error, error) {
	var pqErr *pq.Error
	if !errors.As(err, &pqErr) {
		return nil, fmt.Errorf("got %v, want an error %s", err, code)
	}
	return pqErr, equal(string(pqErr.Code), code)
}

func main() {
	var err error
	if db, err = sql.Open("postgres", "sslmode=disable"); err != nil {
		fmt.Println("not ok open:", err)
		os.Exit(1)
	}
	defer db.Close()
	check("create tables", func() error {
		if err := exec(`DROP TABLE IF EXISTS libpq_items`); err != nil {
			return err
		}
		return exec(`CREATE TABLE libpq_items (id serial PRIMARY KEY, name varchar(20) NOT NULL, price numeric(8,2), tags text[], at timestamptz)`)
	})
	checkTypes()
	check("prepared statements and RETURNING", prepared)
	check("transactions", transactions)
	check("errors' fields", errorFields)
	check("COPY", copyIn)
	check("cancel by context", cancelled)
	check("columns' types", columnTypes)
	check("LISTEN and NOTIFY", listen)
	check("drop tables", func() error { return exec(`DROP TABLE libpq_items`) })
}

// checkTypes sends a value of every type and reads it back.
func checkTypes() {
	at := time.Date(2024, 2, 29, 12, 30, 15, 123456000, time.UTC)
	bytes := make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	for _, c := range []struct {
		kind string
		v    any
	}{
		{"boolean", true},
		{"bigint", int64(-9223372036854775808)},
		{"double precision", 0.1},
		{"text", "naïve ‘quotes’ \\ and 'more'\n"},
		{"bytea", bytes},
		{"timestamptz", at},
	} {
		check("parameter of type "+c.kind, func() error {
			got := reflect.New(reflect.TypeOf(c.v))
			if err := db.QueryRow(`SELECT $1::`+c.kind, c.v).Scan(got.Interface()); err != nil {
				return err
			}
			if t, ok := got.Elem().Interface().(time.Time); ok {
				return equal(t.UTC(), c.v)
			}
			return equal(got.Elem().Interface(), c.v)
		})
	}
	check("parameter of type text[]", func() error {
		var got []string
		want := []string{"a", `b "quoted"`, "", "NULL", "c,d{}"}
		if err := db.QueryRow(`SELECT $1::text[]`, pq.Array(want)).Scan(pq.Array(&got)); err != nil {
			return err
		}
		return equal(got, want)
	})
	check("null parameter", func() error {
		var got sql.NullString
		if err := db.QueryRow(`SELECT $1::text`, nil).Scan(&got); err != nil {
			return err
		}
		return equal(got.Valid, false)
	})
}

func prepared() error {
	st, err := db.Prepare(`INSERT INTO libpq_items (name, price, tags, at) VALUES ($1, $2, $3, $4) RETURNING id`)
	if err != nil {
		return err
	}
	defer st.Close()
	for i := 1; i <= 50; i++ {
		var id int
		if err := st.QueryRow(fmt.Sprintf("item %d", i), "9.50", pq.Array([]string{"t"}), time.Now()).Scan(&id); err != nil {
			return err
		}
		if err := equal(id, i); err != nil {
			return err
		}
	}
	r, err := db.Exec(`UPDATE libpq_items SET price = price + 1 WHERE id = ANY($1)`, pq.Array([]int64{1, 2, 3}))
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return err
	}
	return equal(n, int64(3))
}

func transactions() error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM libpq_items`); err != nil {
		return err
	}
	if err := tx.Rollback(); err != nil {
		return err
	}
	tx, err = db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow(`SELECT count(*) FROM libpq_items`).Scan(&n); err != nil {
		return err
	}
	_, err = tx.Exec(`DELETE FROM libpq_items`)
	if _, err := wantCode(err, "25006"); err != nil {
		return err
	}
	return equal(n, 50)
}

func errorFields() error {
	e, err := wantCode(exec(`INSERT INTO libpq_items (id, name) VALUES (1, 'again')`), "23505")
	if err != nil {
		return err
	}
	if err := equal(e.Constraint+" "+e.Table+" "+e.Schema, "libpq_items_pkey libpq_items public"); err != nil {
		return err
	}
	if e, err = wantCode(exec(`SELECT nope FROM libpq_items`), "42703"); err != nil {
		return err
	}
	return equal(e.Position, "8")
}

func copyIn() error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	st, err := tx.Prepare(pq.CopyIn("libpq_items", "id", "name", "tags"))
	if err != nil {
		return err
	}
	for i := 1000; i < 1500; i++ {
		if _, err := st.Exec(i, "copied\t", pq.Array([]string{"x y"})); err != nil {
			return err
		}
	}
	if _, err := st.Exec(); err != nil {
		return err
	}
	if err := st.Close(); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM libpq_items WHERE name = E'copied\t' AND tags = '{x y}'`).Scan(&n); err != nil {
		return err
	}
	return equal(n, 500)
}

func cancelled() error {
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, err := db.ExecContext(short, `SELECT pg_sleep(30)`)
	_, err = wantCode(err, "57014")
	return err
}

func columnTypes() error {
	rows, err := db.Query(`SELECT id, name, price, tags FROM libpq_items LIMIT 1`)
	if err != nil {
		return err
	}
	defer rows.Close()
	cols, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	var got []string
	for _, c := range cols {
		got = append(got, c.DatabaseTypeName())
	}
	if err := equal(got, []string{"INT4", "VARCHAR", "NUMERIC", "_TEXT"}); err != nil {
		return err
	}
	precision, scale, _ := cols[2].DecimalSize()
	length, _ := cols[1].Length()
	return equal([]int64{precision, scale, length}, []int64{8, 2, 20})
}

// notifyTimeout is how long a notification may take.
const notifyTimeout = 10 * time.Second

func listen() error {
	l := pq.NewListener("sslmode=disable", time.Second, time.Minute, nil)
	heard := make(chan error, 1)
	go func() { heard <- l.Listen("libpq_channel") }() // never ends if LISTEN fails
	select {
	case err := <-heard:
		if err != nil {
			return err
		}
	case <-time.After(notifyTimeout):
		return errors.New("LISTEN is not answered")
	}
	if err := exec(`SELECT pg_notify('libpq_channel', 'hello')`); err != nil {
		return err
	}
	select {
	case n := <-l.Notify:
		if err := equal(n.Extra, "hello"); err != nil {
			return err
		}
		return l.Close()
	case <-time.After(notifyTimeout):
		return errors.New("no notification came")
	}
}
