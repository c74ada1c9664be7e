package sql_test

import (
	"fmt"
	"testing"

	"minidb/sql"
	"minidb/sql/sqlerr"
)

// sessionAs gives a session of a role in a database.
func (e *testEngine) sessionAs(user, database string) (*testSession, error) {
	s := &testSession{}
	var err error
	s.Session, err = e.engine.NewSession(sql.SessionOptions{User: user, Database: database, Notice: func(n *sqlerr.Error) { s.notices = append(s.notices, n) }})
	if err == nil {
		e.sessions[fmt.Sprint(user, "@", database, len(e.sessions))] = s
	}
	return s, err
}

func answer(t *testing.T, s *testSession, texts ...string) [][]string {
	t.Helper()
	var last result
	for _, text := range texts {
		if last = s.run(background, text); last.err != nil {
			t.Fatalf("%s: %v", text, last.err)
		}
	}
	return last.rows
}

func wantAnswer(t *testing.T, got [][]string, want string) {
	t.Helper()
	if fmt.Sprint(got) != want {
		t.Fatalf("got %v, want %s", got, want)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	e, s := newTestSession(t)
	answer(t, s, "CREATE DATABASE shop CONNECTION LIMIT 2", "CREATE TABLE t (a int)", "INSERT INTO t VALUES (1)")
	other, err := e.sessionAs("postgres", "shop")
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, other.run(background, "SELECT * FROM t").err, sqlerr.UndefinedTable)
	answer(t, other, "CREATE TABLE t (b text)", "INSERT INTO t VALUES ('x')", "CREATE SCHEMA s", "CREATE TABLE s.u (a serial)")
	wantAnswer(t, answer(t, other, "SELECT * FROM t"), "[[x]]")
	wantAnswer(t, answer(t, s, "SELECT * FROM t"), "[[1]]")
	wantError(t, s.run(background, "DROP DATABASE shop").err, sqlerr.ObjectInUse)
	wantError(t, s.run(background, "ALTER DATABASE shop RENAME TO store").err, sqlerr.ObjectInUse)
	wantError(t, s.run(background, "CREATE DATABASE copy TEMPLATE shop").err, sqlerr.ObjectInUse)
	wantError(t, s.run(background, "BEGIN; CREATE DATABASE x").err, sqlerr.ActiveSQLTransaction)
	answer(t, s, "ROLLBACK")
	other.Close()
	answer(t, s, "ALTER DATABASE shop RENAME TO store")
	wantError(t, s.run(background, "CREATE DATABASE copy TEMPLATE store").err, sqlerr.FeatureNotSupported)
	if _, err := e.sessionAs("postgres", "shop"); sqlerr.CodeOf(err) != sqlerr.InvalidCatalogName {
		t.Fatalf("connecting by the old name gives %v", err)
	}
	answer(t, s, "DROP DATABASE store", "DROP DATABASE IF EXISTS store")
	wantError(t, s.run(background, "DROP DATABASE store").err, sqlerr.InvalidCatalogName)
	wantError(t, s.run(background, "DROP DATABASE postgres").err, sqlerr.ObjectInUse)
	wantError(t, s.run(background, "DROP DATABASE template1").err, sqlerr.WrongObjectType)
	wantAnswer(t, answer(t, s, "SELECT datname FROM pg_database ORDER BY 1"), "[[postgres] [template0] [template1]]")
}

func TestSessionsBeginWithStoredSettings(t *testing.T) {
	e, s := newTestSession(t)
	answer(t, s, "CREATE USER bob CONNECTION LIMIT 1", "CREATE DATABASE d",
		"ALTER DATABASE d SET work_mem = '1MB'", "ALTER DATABASE d SET statement_timeout = 7",
		"ALTER ROLE bob SET statement_timeout = 8", "ALTER ROLE bob SET search_path = a, b",
		"ALTER ROLE bob IN DATABASE d SET search_path TO c", "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC")
	bob, err := e.sessionAs("bob", "d")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"work_mem": "1MB", "statement_timeout": "8ms", "search_path": "c", "is_superuser": "off"} {
		wantAnswer(t, answer(t, bob, "SHOW "+name), "[["+want+"]]")
	}
	if _, err := e.sessionAs("bob", "d"); sqlerr.CodeOf(err) != sqlerr.TooManyConnections {
		t.Errorf("a second session gives %v", err)
	}
	bob.Close()
	if _, err := e.sessionAs("bob", "postgres"); sqlerr.CodeOf(err) != sqlerr.InsufficientPrivilege {
		t.Errorf("a session without CONNECT gives %v", err)
	}
	answer(t, s, "ALTER ROLE bob NOLOGIN")
	if _, err := e.sessionAs("bob", "d"); sqlerr.CodeOf(err) != sqlerr.InvalidAuthorizationSpecification {
		t.Errorf("a session of a role without LOGIN gives %v", err)
	}
}

// A privilege that goes is gone for plans that were made while it was there, in sessions of long ago too.
func TestRevokeReachesCachedPlans(t *testing.T) {
	e, s := newTestSession(t)
	answer(t, s, "CREATE USER bob", "CREATE TABLE t (a int PRIMARY KEY)", "INSERT INTO t VALUES (1)", "GRANT SELECT ON t TO bob")
	bob, err := e.sessionAs("bob", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		wantAnswer(t, answer(t, bob, "SELECT a FROM t WHERE a = 1"), "[[1]]")
	}
	p, err := bob.Prepare(background, "SELECT a FROM t WHERE a = 1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := bob.Sync(background); err != nil {
		t.Fatal(err)
	}
	answer(t, s, "REVOKE SELECT ON t FROM bob")
	wantError(t, bob.run(background, "SELECT a FROM t WHERE a = 1").err, sqlerr.InsufficientPrivilege)
	if portal, err := bob.Bind(background, p, nil); err == nil {
		_, err = portal.Next(background, 0)
		wantError(t, err, sqlerr.InsufficientPrivilege)
	}
	answer(t, s, "CREATE ROLE readers", "GRANT SELECT ON t TO readers", "GRANT readers TO bob")
	wantAnswer(t, answer(t, bob, "SELECT a FROM t WHERE a = 1"), "[[1]]")
	answer(t, s, "REVOKE readers FROM bob")
	wantError(t, bob.run(background, "SELECT a FROM t WHERE a = 1").err, sqlerr.InsufficientPrivilege)
	answer(t, s, "ALTER ROLE bob SUPERUSER")
	wantAnswer(t, answer(t, bob, "SELECT a FROM t WHERE a = 1"), "[[1]]")
	answer(t, s, "DROP OWNED BY bob", "DROP ROLE bob")
	if r := bob.run(background, "SELECT a FROM t WHERE a = 1"); r.err == nil {
		t.Error("a role that was dropped still reads")
	}
}

func TestTemporaryTablesEndWithTheirSession(t *testing.T) {
	e, s := newTestSession(t)
	other := e.session("other")
	const made = "SELECT count(*) FROM pg_class WHERE relpersistence = 't'"
	answer(t, other, "CREATE TEMP TABLE t (a serial PRIMARY KEY)", "INSERT INTO t DEFAULT VALUES", "CREATE TEMP VIEW v AS SELECT * FROM t")
	wantAnswer(t, answer(t, s, made), "[[4]]")
	other.Close()
	delete(e.sessions, "other")
	wantAnswer(t, answer(t, s, made), "[[0]]")
	wantAnswer(t, answer(t, s, "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'pg\\_temp%'"), "[[0]]")

	// A server that is killed has no time for that: the next one does it.
	answer(t, s, "CREATE TEMP TABLE t (a int)")
	again, err := sql.Open(background, sql.Options{KV: e.db})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	fresh, err := again.NewSession(sql.SessionOptions{User: "postgres"})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	wantAnswer(t, answer(t, &testSession{Session: fresh}, made), "[[0]]")
}

func TestNotificationsArriveAtCommit(t *testing.T) {
	e, s := newTestSession(t)
	woken := 0
	var err error
	a := &testSession{}
	if a.Session, err = e.engine.NewSession(sql.SessionOptions{User: "postgres", Notified: func() { woken++ }}); err != nil {
		t.Fatal(err)
	}
	e.sessions["a"] = a
	inbox := func(want string) {
		t.Helper()
		var got []string
		for _, n := range a.Notifications() {
			got = append(got, n.Channel+"="+n.Payload)
		}
		if fmt.Sprint(got) != want {
			t.Fatalf("got %v, want %s", got, want)
		}
	}
	answer(t, s, "NOTIFY c, 'nobody listens'")
	answer(t, a, "LISTEN c", "LISTEN d")
	answer(t, s, "NOTIFY c", "BEGIN", "NOTIFY c, 'once'", "NOTIFY c, 'once'", "SELECT pg_notify('d', 'x')")
	inbox("[c=]")
	answer(t, s, "SAVEPOINT p", "NOTIFY d, 'undone'", "ROLLBACK TO p", "COMMIT")
	inbox("[c=once d=x]")
	answer(t, s, "BEGIN", "NOTIFY c, 'rolled back'", "ROLLBACK")
	inbox("[]")
	// To itself, and not before its transaction ends.
	answer(t, a, "BEGIN", "NOTIFY c, 'self'")
	answer(t, s, "NOTIFY c, 'other'")
	inbox("[]")
	answer(t, a, "COMMIT")
	inbox("[c=other c=self]")
	answer(t, a, "BEGIN", "UNLISTEN c", "ROLLBACK", "UNLISTEN d")
	answer(t, s, "NOTIFY d", "NOTIFY c, 'still'")
	inbox("[c=still]")
	answer(t, a, "UNLISTEN *")
	answer(t, s, "NOTIFY c")
	inbox("[]")
	if woken != 4 {
		t.Errorf("the session was woken %d times", woken)
	}
	wantError(t, s.run(background, "SELECT pg_notify('', 'x')").err, sqlerr.InvalidParameterValue)
	wantError(t, s.run(background, "SELECT pg_notify('c', repeat('x', 8000))").err, sqlerr.InvalidParameterValue)
	wantError(t, s.run(background, "SELECT pg_notify(repeat('x', 64), '')").err, sqlerr.InvalidParameterValue)

	answer(t, s, "CREATE DATABASE d")
	answer(t, a, "LISTEN c")
	elsewhere, err := e.sessionAs("postgres", "d")
	if err != nil {
		t.Fatal(err)
	}
	answer(t, elsewhere, "NOTIFY c, 'elsewhere'")
	inbox("[]")
}

func TestLongNamesAreTruncatedWithANotice(t *testing.T) {
	_, s := newTestSession(t)
	const long = "a_name_of_more_than_sixty_three_bytes_is_cut_to_that_length_and_told"
	for _, text := range []string{"SELECT 1 AS " + long, `SELECT 1 AS "` + long + `"`} {
		s.notices = nil
		answer(t, s, text, text)
		if len(s.notices) != 2 || s.notices[0].Code != sqlerr.NameTooLong ||
			s.notices[0].Message != `identifier "`+long+`" will be truncated to "`+long[:63]+`"` {
			t.Errorf("%s gives %v", text, s.notices)
		}
	}
	s.notices = nil
	answer(t, s, "SELECT '"+long+"', 'it''s "+long+"'")
	if len(s.notices) > 0 {
		t.Errorf("a string gives %v", s.notices)
	}
}

func TestSignalsTakeRights(t *testing.T) {
	e, s := newTestSession(t)
	answer(t, s, "CREATE USER bob", "CREATE USER eve")
	bob, err := e.sessionAs("bob", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	eve, err := e.sessionAs("eve", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int32{s.PID(), bob.PID()} {
		wantError(t, eve.run(background, fmt.Sprintf("SELECT pg_cancel_backend(%d)", pid)).err, sqlerr.InsufficientPrivilege)
	}
	wantError(t, eve.run(background, fmt.Sprintf("SELECT pg_terminate_backend(%d)", bob.PID())).err, sqlerr.InsufficientPrivilege)
	wantAnswer(t, answer(t, eve, "SELECT usename, query = '<insufficient privilege>' FROM pg_stat_activity ORDER BY 1"), "[[bob t] [eve f] [postgres t]]")
	answer(t, s, "GRANT bob TO eve")
	wantAnswer(t, answer(t, eve, fmt.Sprintf("SELECT pg_cancel_backend(%d)", bob.PID())), "[[t]]")
	wantError(t, eve.run(background, "CANCEL JOB 1").err, sqlerr.InsufficientPrivilege)
	wantError(t, eve.run(background, "IMPORT INTO t CSV DATA ('x.csv')").err, sqlerr.InsufficientPrivilege)
}

// Who may write a table but not read it learns nothing of its rows from errors.
func TestErrorsHideRowsFromWhoMayNotReadThem(t *testing.T) {
	e, s := newTestSession(t)
	answer(t, s, "CREATE TABLE h (a int PRIMARY KEY, b text, c int CHECK (c > 0))", "INSERT INTO h VALUES (1, 'secret', 1), (2, 'secret', 2)",
		"CREATE ROLE clerk LOGIN", "GRANT INSERT, UPDATE ON h TO clerk")
	clerk, err := e.sessionAs("clerk", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"UPDATE h SET c = -1", "UPDATE h SET a = NULL", "UPDATE h SET a = 1", "INSERT INTO h VALUES (1, '', 1)"} {
		err, _ := sqlerr.As(clerk.run(background, text).err)
		if err == nil || err.Code[:2] != "23" || err.Detail != "" {
			t.Errorf("%s: got %v", text, err)
		}
		if err, _ := sqlerr.As(s.run(background, text).err); err == nil || err.Detail == "" {
			t.Errorf("%s of the owner: got %v", text, err)
		}
	}
	answer(t, clerk, "UPDATE h SET (b, c) = (SELECT 'x', 3) WHERE false")
	wantError(t, clerk.run(background, "UPDATE h SET (b, c) = (SELECT b, 3)").err, sqlerr.InsufficientPrivilege)
}
