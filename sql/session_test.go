package sql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"minidb/sql"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// newTestSession gives a session on an engine of its own.
func newTestSession(t *testing.T) (*testEngine, *testSession) {
	t.Helper()
	e := openMinidb(t)
	t.Cleanup(e.close)
	return e, e.session("main")
}

// wantError fails unless err is an *sqlerr.Error with the code.
func wantError(t *testing.T, err error, code sqlerr.Code) {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Helper()
		t.Fatalf("got %v, want SQLSTATE %s", err, code)
	}
}

// pull reads up to maxRows rows of a portal as text, one string a row.
func (s *testSession) pull(t *testing.T, p *sql.Portal, maxRows int) []string {
	t.Helper()
	b, err := p.Next(background, maxRows)
	if err != nil {
		t.Fatal(err)
	}
	if b == nil {
		return nil
	}
	var out []string
	for _, row := range textRows(s.Context(), p.Columns(), b) {
		out = append(out, strings.Join(row, " "))
	}
	return out
}

func (s *testSession) bind(t *testing.T, text string, args ...types.Datum) *sql.Portal {
	t.Helper()
	p, err := s.Prepare(background, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	portal, err := s.Bind(background, p, args)
	if err != nil {
		t.Fatal(err)
	}
	return portal
}

func TestPrepareInfersParametersAndColumns(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int8 PRIMARY KEY, b varchar(5), c numeric)`)
	p, err := s.Prepare(background, `SELECT a, b, c * $3 AS x FROM t WHERE a = $1 AND b = $2`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.ParamTypes(); len(got) != 3 || got[0] != types.Int8 || got[1].OID != types.TextOID || got[2] != types.Numeric {
		t.Errorf("parameters are %v", got)
	}
	cols := p.Columns()
	if len(cols) != 3 || cols[0].Attr != 1 || cols[0].TableOID == 0 || cols[1].Type != types.VarcharN(5) || cols[2].Name != "x" || cols[2].TableOID != 0 {
		t.Errorf("columns are %+v", cols)
	}
	if p, err = s.Prepare(background, `INSERT INTO t VALUES ($1, $2, $3)`, []types.OID{types.Int4OID}); err != nil {
		t.Fatal(err)
	}
	if got := p.ParamTypes(); got[0] != types.Int4 || got[1].OID != types.VarcharOID || p.Columns() != nil {
		t.Errorf("parameters are %v, columns %v", got, p.Columns())
	}
	_, err = s.Prepare(background, `SELECT 1; SELECT 2`, nil)
	wantError(t, err, sqlerr.SyntaxError)
	s.Sync(background)
	_, err = s.Prepare(background, `SELECT $1 IS NULL, $2`, nil)
	wantError(t, err, sqlerr.IndeterminateDatatype)
}

func TestExtendedProtocolCommitsAtSync(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY)`)
	for a := range 3 {
		p := s.bind(t, `INSERT INTO t VALUES ($1)`, types.NewInt(int64(a)))
		if rows := s.pull(t, p, 0); rows != nil || p.Tag() != "INSERT 0 1" {
			t.Fatalf("rows %v, tag %q", rows, p.Tag())
		}
	}
	other := e.session("other")
	if got := other.mustRun(t, `SELECT count(*) FROM t`).rows[0][0]; got != "0" {
		t.Errorf("before Sync %s rows are visible", got)
	}
	if err := s.Sync(background); err != nil {
		t.Fatal(err)
	}
	if got := other.mustRun(t, `SELECT count(*) FROM t`).rows[0][0]; got != "3" {
		t.Errorf("after Sync %s rows are visible", got)
	}
	// An error takes all back that came since the last Sync.
	s.pull(t, s.bind(t, `INSERT INTO t VALUES (10)`), 0)
	_, err := s.bind(t, `INSERT INTO t VALUES (1)`).Next(background, 0)
	wantError(t, err, sqlerr.UniqueViolation)
	if err := s.Sync(background); err != nil {
		t.Fatal(err)
	}
	if got := other.mustRun(t, `SELECT count(*) FROM t`).rows[0][0]; got != "3" {
		t.Errorf("after the error %s rows are visible", got)
	}
}

func TestSuspendedPortalKeepsItsSnapshot(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b int)`)
	s.mustRun(t, `INSERT INTO t SELECT g, 0 FROM generate_series(1, 3000) AS g`)
	s.mustRun(t, `BEGIN`)
	p := s.bind(t, `SELECT a, b FROM t ORDER BY a`)
	if got := s.pull(t, p, 2); len(got) != 2 || got[1] != "2 0" {
		t.Fatalf("got %v", got)
	}
	s.mustRun(t, `UPDATE t SET b = 1`)
	s.mustRun(t, `DELETE FROM t WHERE a > 10`)
	seen := 2
	for {
		rows := s.pull(t, p, 700)
		if rows == nil {
			break
		}
		for _, row := range rows {
			if seen++; row != fmt.Sprintf("%d 0", seen) {
				t.Fatalf("row %d is %q", seen, row)
			}
		}
	}
	if seen != 3000 || p.Tag() != "SELECT 3000" {
		t.Errorf("%d rows, tag %q", seen, p.Tag())
	}
	s.mustRun(t, `COMMIT`)
	if _, err := p.Next(background, 0); err != nil {
		t.Error(err) // it is done
	}
}

func TestPortalEndsWithItsTransaction(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `BEGIN`)
	p := s.bind(t, `SELECT g FROM generate_series(1, 10) AS g`)
	s.pull(t, p, 1)
	s.mustRun(t, `COMMIT`)
	_, err := p.Next(background, 0)
	wantError(t, err, sqlerr.InvalidCursorName)
}

func TestPlanFollowsTheCatalog(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b int)`)
	s.mustRun(t, `INSERT INTO t VALUES (1, 2)`)
	p, err := s.Prepare(background, `SELECT b FROM t WHERE a = $1`, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		portal, err := s.Bind(background, p, []types.Datum{types.NewInt(1)})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.pull(t, portal, 0); len(got) != 1 || got[0] != want {
			t.Errorf("got %v, want %s", got, want)
		}
		if err := s.Sync(background); err != nil {
			t.Fatal(err)
		}
	}
	check("2")
	s.mustRun(t, `TRUNCATE t`)
	s.mustRun(t, `INSERT INTO t VALUES (1, 3)`)
	check("3")
	s.mustRun(t, `DROP TABLE t`)
	s.mustRun(t, `CREATE TABLE t (b int, a int PRIMARY KEY)`)
	s.mustRun(t, `INSERT INTO t VALUES (4, 1)`)
	check("4")
	s.mustRun(t, `DROP TABLE t`)
	_, err = s.Bind(background, p, []types.Datum{types.NewInt(1)})
	wantError(t, err, sqlerr.UndefinedTable)
	if err := s.Sync(background); err != nil {
		t.Fatal(err)
	}
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b text)`)
	_, err = s.Bind(background, p, []types.Datum{types.NewInt(1)})
	wantError(t, err, sqlerr.FeatureNotSupported) // cached plan must not change result type
}

func TestCancelEndsTheRunningStatement(t *testing.T) {
	_, s := newTestSession(t)
	s.Cancel() // nothing runs: nothing happens
	time.AfterFunc(20*time.Millisecond, s.Cancel)
	r := s.run(background, `SELECT count(*) FROM generate_series(1, 1000000000) AS g`)
	if r.err == nil || r.err.Code != sqlerr.QueryCanceled || !strings.Contains(r.err.Message, "user request") {
		t.Fatalf("got %v", r.err)
	}
	s.mustRun(t, `SELECT 1`)
}

func TestCancelEndsAWaitForALock(t *testing.T) {
	e, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)`)
	other := e.session("other")
	other.mustRun(t, `BEGIN; DELETE FROM t`)
	time.AfterFunc(20*time.Millisecond, s.Cancel)
	if r := s.run(background, `UPDATE t SET a = 2`); r.err == nil || r.err.Code != sqlerr.QueryCanceled {
		t.Fatalf("got %v", r.err)
	}
	other.mustRun(t, `ROLLBACK`)
}

func TestStatementTimeout(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `SET statement_timeout = 30`)
	r := s.run(background, `SELECT count(*) FROM generate_series(1, 1000000000) AS g`)
	if r.err == nil || r.err.Code != sqlerr.QueryCanceled || !strings.Contains(r.err.Message, "statement timeout") {
		t.Fatalf("got %v", r.err)
	}
	s.mustRun(t, `SELECT 1`)
}

func TestClientThatLeavesEndsTheStatement(t *testing.T) {
	_, s := newTestSession(t)
	ctx, leave := context.WithCancel(background)
	time.AfterFunc(20*time.Millisecond, leave)
	if r := s.run(ctx, `SELECT count(*) FROM generate_series(1, 1000000000) AS g`); r.err == nil || r.err.Code != sqlerr.QueryCanceled {
		t.Fatalf("got %v", r.err)
	}
}

func TestIdleInTransactionTimeoutTerminates(t *testing.T) {
	e, _ := newTestSession(t)
	ended := make(chan *sqlerr.Error, 1)
	s, err := e.engine.NewSession(sql.SessionOptions{Terminate: func(err *sqlerr.Error) { ended <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(text string) {
		if err := s.Query(background, text, func(p *sql.Portal) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	run(`SET idle_in_transaction_session_timeout = 10`)
	time.Sleep(20 * time.Millisecond) // not in a transaction: no limit
	select {
	case err := <-ended:
		t.Fatalf("outside a transaction: %v", err)
	default:
	}
	run(`BEGIN`)
	select {
	case err := <-ended:
		if err.Code != sqlerr.IdleInTransactionSessionTimeout || err.Severity != sqlerr.SeverityFatal {
			t.Errorf("got %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the session was not terminated")
	}
}

func TestNoticesAndWarnings(t *testing.T) {
	_, s := newTestSession(t)
	for _, c := range []struct{ text, code string }{
		{`COMMIT`, "25P01"},
		{`ROLLBACK`, "25P01"},
		{`BEGIN; BEGIN`, "25001"},
		{`ROLLBACK; SET LOCAL work_mem = 100`, "25P01"},
		{`SET TRANSACTION READ ONLY`, "25P01"},
	} {
		s.notices = nil
		s.mustRun(t, c.text)
		if len(s.notices) != 1 || string(s.notices[0].Code) != c.code || s.notices[0].Severity != "WARNING" {
			t.Errorf("%s: notices %v, want %s", c.text, s.notices, c.code)
		}
	}
	s.mustRun(t, `SET client_min_messages = error`)
	s.notices = nil
	if s.mustRun(t, `COMMIT`); s.notices != nil {
		t.Errorf("client_min_messages lets %v through", s.notices)
	}
}

func TestParameterChangesAreReported(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `SET application_name = 'x'; SET work_mem = 1024; SET timezone = 'europe/berlin'`)
	s.mustRun(t, `BEGIN; SET application_name = 'y'; ROLLBACK`)
	want := []sql.Param{{Name: "application_name", Value: "x"}, {Name: "TimeZone", Value: "Europe/Berlin"}, {Name: "application_name", Value: "y"}, {Name: "application_name", Value: "x"}}
	if fmt.Sprint(s.changed) != fmt.Sprint(want) {
		t.Errorf("reported %v, want %v", s.changed, want)
	}
}

func TestStartupParameters(t *testing.T) {
	e, _ := newTestSession(t)
	s, err := e.engine.NewSession(sql.SessionOptions{User: "postgres", Database: "postgres", ApplicationName: "app", Params: map[string]string{"DateStyle": "iso, dmy", "statement_timeout": "5s", "client_encoding": "'utf-8'"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := map[string]string{}
	for _, p := range s.Parameters() {
		got[p.Name] = p.Value
	}
	for name, want := range map[string]string{
		"application_name": "app", "DateStyle": "ISO, DMY", "server_encoding": "UTF8", "client_encoding": "UTF8", "standard_conforming_strings": "on",
		"integer_datetimes": "on", "session_authorization": "postgres", "TimeZone": "UTC", "is_superuser": "on", "in_hot_standby": "off",
		"default_transaction_read_only": "off", "IntervalStyle": "postgres", "server_version": sql.ServerVersion,
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	_, err = e.engine.NewSession(sql.SessionOptions{Database: "nope"})
	wantError(t, err, sqlerr.InvalidCatalogName)
	_, err = e.engine.NewSession(sql.SessionOptions{Params: map[string]string{"nope": "1"}})
	wantError(t, err, sqlerr.UndefinedObject)
}

func TestEmptyQueryGivesOneEmptyPortal(t *testing.T) {
	_, s := newTestSession(t)
	for _, text := range []string{"", " ; ;", "-- ping"} {
		n := 0
		if err := s.Query(background, text, func(p *sql.Portal) error {
			n++
			if b, err := p.Next(background, 0); b != nil || err != nil || p.Tag() != "" || p.Columns() != nil {
				t.Errorf("%q: %v %v %q", text, b, err, p.Tag())
			}
			return nil
		}); err != nil || n != 1 {
			t.Errorf("%q: %d portals, %v", text, n, err)
		}
	}
	p, err := s.Prepare(background, "", nil)
	if err != nil || p.Columns() != nil || len(p.ParamTypes()) != 0 {
		t.Errorf("empty statement: %v", err)
	}
}

func TestPanicFailsTheStatementOnly(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `CREATE TABLE t (a int)`)
	err := s.Query(background, `INSERT INTO t VALUES (1); SELECT 1`, func(p *sql.Portal) error {
		if p.Columns() != nil {
			panic("boom")
		}
		return nil
	})
	wantError(t, err, sqlerr.InternalError)
	wantRows(t, s, `SELECT count(*) FROM t`, "[[0]]")
}

func TestTxStatus(t *testing.T) {
	_, s := newTestSession(t)
	for _, c := range []struct {
		text string
		want byte
	}{{`SELECT 1`, 'I'}, {`BEGIN`, 'T'}, {`SELECT 1`, 'T'}, {`SELECT 1/0`, 'E'}, {`SELECT 1`, 'E'}, {`ROLLBACK`, 'I'}, {`SELECT 1/0`, 'I'}, {`BEGIN; SELEC`, 'I'}} {
		s.run(background, c.text)
		if got := s.TxStatus(); got != c.want {
			t.Errorf("after %s: %c, want %c", c.text, got, c.want)
		}
	}
}

func TestStatementMemoryIsBounded(t *testing.T) {
	_, s := newTestSession(t)
	s.mustRun(t, `SET work_mem = '64kB'`)
	for _, text := range []string{
		// One partition of a window, and rows whose keys are all the same, cannot be divided.
		`SELECT sum(g) OVER () FROM generate_series(1, 200000) AS g`,
		`SELECT count(*) FROM generate_series(1, 1) AS a JOIN (SELECT 1 AS x FROM generate_series(1, 100000)) AS b ON b.x = a`,
		`SELECT string_agg(repeat('x', 100), '') FROM generate_series(1, 1000000) AS g`,
	} {
		if r := s.run(background, text); r.err == nil || r.err.Code != sqlerr.OutOfMemory {
			t.Errorf("%s: %v", text, r.err)
		}
	}
	// What is not kept does not count.
	s.mustRun(t, `SELECT count(*) FROM generate_series(1, 300000) AS g`)
	s.mustRun(t, `SELECT g FROM generate_series(1, 300000) AS g ORDER BY g DESC LIMIT 3`)
}
