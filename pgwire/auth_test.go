package pgwire_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"minidb/pgwire"
	"minidb/sql"
)

func TestPasswordsByScram(t *testing.T) {
	addr, engine := serveEngine(t, sql.Options{}, pgwire.Options{Auth: pgwire.AuthSCRAM})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := engine.SetSuperuserPassword(ctx, "geheim"); err != nil {
		t.Fatal(err)
	}
	url := func(user, password string) string {
		return fmt.Sprintf("postgres://%s:%s@%s/postgres?sslmode=disable", user, password, addr)
	}
	root := connectSQL(t, url("postgres", "geheim"))
	exec(t, root, "CREATE USER bob PASSWORD 'b'")
	exec(t, root, "CREATE USER nopass")
	exec(t, root, "CREATE USER ended PASSWORD 'b' VALID UNTIL '2020-01-01'")
	exec(t, connectSQL(t, url("bob", "b")), "SELECT 1")
	for _, who := range [][2]string{{"bob", "x"}, {"postgres", "b"}, {"nopass", "b"}, {"ended", "b"}, {"nobody", "b"}} {
		_, err := pgx.Connect(ctx, url(who[0], who[1]))
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "28P01" || e.Message != fmt.Sprintf("password authentication failed for user %q", who[0]) {
			t.Errorf("%s with password %s: %v", who[0], who[1], err)
		}
	}
	// A verifier as psql's \password makes it is one, not a password.
	var verifier string
	if err := root.QueryRow(ctx, "SELECT rolpassword FROM pg_authid WHERE rolname = 'bob'").Scan(&verifier); err != nil {
		t.Fatal(err)
	}
	exec(t, root, "ALTER USER nopass PASSWORD '"+verifier+"'")
	exec(t, connectSQL(t, url("nopass", "b")), "SELECT 1")
}

func TestNotificationReachesAnIdleClient(t *testing.T) {
	url := serveSQL(t)
	a, b := connectSQL(t, url), connectSQL(t, url)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	exec(t, a, "LISTEN c")
	for i := range 3 {
		exec(t, b, fmt.Sprintf("NOTIFY c, 'n%d'", i))
		n, err := a.WaitForNotification(ctx)
		if err != nil || n.Channel != "c" || n.Payload != fmt.Sprintf("n%d", i) || n.PID != b.PgConn().PID() {
			t.Fatalf("got %+v, %v", n, err)
		}
	}
	// Not in a transaction, but right after it.
	tx, err := a.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, b, "NOTIFY c, 'later'")
	exec(t, a, "SELECT 1")
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := a.WaitForNotification(ctx); err != nil || n.Payload != "later" {
		t.Fatalf("got %+v, %v", n, err)
	}
	// The connection goes on, and COPY is not disturbed.
	exec(t, b, "CREATE TABLE t (a int)")
	exec(t, b, "NOTIFY c")
	if n, err := a.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"a"}, pgx.CopyFromRows([][]any{{int32(1)}, {int32(2)}})); err != nil || n != 2 {
		t.Fatalf("COPY gives %d, %v", n, err)
	}
}
