package sql_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minidb/sql/sqlerr"
)

// behind starts a statement in a session, waits until it is probably waiting for a lock, and gives a function that waits for its end.
func behind(t *testing.T, s *testSession, text string) func() result {
	t.Helper()
	ended := make(chan result, 1)
	go func() { ended <- s.run(background, text) }()
	select {
	case r := <-ended:
		t.Fatalf("%s did not wait: %v %s", text, r.err, r.tag)
	case <-time.After(30 * time.Millisecond):
	}
	return func() result {
		t.Helper()
		select {
		case r := <-ended:
			return r
		case <-time.After(10 * time.Second):
			t.Fatalf("%s waits for ever", text)
			return result{}
		}
	}
}

// twoSessions gives two sessions and a table with rows (1, 10), (2, 20), (3, 30).
func twoSessions(t *testing.T) (a, b *testSession) {
	t.Helper()
	e, a := newTestSession(t)
	a.mustRun(t, `CREATE TABLE t (k int PRIMARY KEY, v int, u int UNIQUE); CREATE INDEX ON t (v)`)
	a.mustRun(t, `INSERT INTO t VALUES (1, 10, 100), (2, 20, 200), (3, 30, 300)`)
	return a, e.session("b")
}

func wantRows(t *testing.T, s *testSession, text, want string) {
	t.Helper()
	if got := fmt.Sprint(s.mustRun(t, text).rows); got != want {
		t.Errorf("%s: got %s, want %s", text, got, want)
	}
}

func TestUpdateGoesOnFromTheNewestRow(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = v + 1 WHERE k = 1`)
	wait := behind(t, b, `UPDATE t SET v = v * 2 WHERE k = 1`)
	a.mustRun(t, `COMMIT`)
	if r := wait(); r.err != nil || r.tag != "UPDATE 1" {
		t.Fatalf("got %v %s", r.err, r.tag)
	}
	wantRows(t, a, `SELECT v FROM t WHERE k = 1`, "[[22]]")
	wantRows(t, a, `SELECT k FROM t WHERE v = 22`, "[[1]]")
}

func TestUpdateLeavesARowThatFitsNoMore(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = 21 WHERE k = 2`)
	wait := behind(t, b, `UPDATE t SET v = 0 WHERE v >= 20 AND v % 10 = 0`)
	a.mustRun(t, `COMMIT`)
	if r := wait(); r.err != nil || r.tag != "UPDATE 1" {
		t.Fatalf("got %v %s", r.err, r.tag)
	}
	wantRows(t, a, `SELECT k, v FROM t ORDER BY k`, "[[1 10] [2 21] [3 0]]")
}

func TestUpdateLeavesADeletedRow(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; DELETE FROM t WHERE k = 2`)
	wait := behind(t, b, `UPDATE t SET v = v + 1`)
	a.mustRun(t, `COMMIT`)
	if r := wait(); r.err != nil || r.tag != "UPDATE 2" {
		t.Fatalf("got %v %s", r.err, r.tag)
	}
	wantRows(t, a, `SELECT k, v FROM t ORDER BY k`, "[[1 11] [3 31]]")
}

func TestDeleteLooksAgainAtAChangedRow(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = 15 WHERE k = 1; UPDATE t SET v = 16 WHERE k = 2`)
	wait := behind(t, b, `DELETE FROM t WHERE v > 15`)
	a.mustRun(t, `COMMIT`)
	// Row 1 did not fit when the statement began; row 2 fitted and fits still; row 3 was not touched.
	if r := wait(); r.err != nil || r.tag != "DELETE 2" {
		t.Fatalf("got %v %s", r.err, r.tag)
	}
	wantRows(t, a, `SELECT k, v FROM t`, "[[1 15]]")
}

func TestJoinedWritesLookAgainAtAChangedRow(t *testing.T) {
	for _, c := range []struct{ first, second, tag, rows string }{
		// The row is joined anew: as it is now it still fits the row of the other table that it was read with.
		{`UPDATE t SET v = v + 1 WHERE k = 1`, `UPDATE t SET v = t.v + o.n FROM o WHERE o.k = t.k`, "UPDATE 2", "[[1 111] [2 220] [3 30]]"},
		// It fits no more.
		{`UPDATE t SET v = -1 WHERE k = 1`, `UPDATE t SET v = t.v + o.n FROM o WHERE o.k = t.k AND t.v > 0`, "UPDATE 1", "[[1 -1] [2 220] [3 30]]"},
		// It does not fit the first row that it is read with, but another one.
		{`UPDATE t SET v = 200 WHERE k = 1`, `UPDATE t SET v = o.n FROM o WHERE t.k = 1 AND o.n >= t.v`, "UPDATE 1", "[[1 200] [2 20] [3 30]]"},
		{`DELETE FROM t WHERE k = 1`, `UPDATE t SET v = o.n FROM o WHERE o.k = t.k`, "UPDATE 1", "[[2 200] [3 30]]"},
		{`UPDATE t SET v = 11 WHERE k = 1`, `DELETE FROM t USING o WHERE o.k = t.k AND t.v % 10 = 0`, "DELETE 1", "[[1 11] [3 30]]"},
		{`UPDATE t SET v = 40 WHERE k = 1`, `DELETE FROM t USING o WHERE o.k = t.k AND t.v % 10 = 0`, "DELETE 2", "[[3 30]]"},
	} {
		t.Run(c.second, func(t *testing.T) {
			a, b := twoSessions(t)
			a.mustRun(t, `CREATE TABLE o (k int, n int); INSERT INTO o VALUES (1, 100), (2, 200)`)
			a.mustRun(t, `BEGIN; `+c.first)
			wait := behind(t, b, c.second)
			a.mustRun(t, `COMMIT`)
			if r := wait(); r.err != nil || r.tag != c.tag {
				t.Fatalf("got %v %s", r.err, r.tag)
			}
			wantRows(t, a, `SELECT k, v FROM t ORDER BY k`, c.rows)
		})
	}
	for _, text := range []string{`UPDATE t SET v = 0 FROM t AS o WHERE o.k = t.k`, `DELETE FROM t USING t AS o WHERE o.k = t.k`} {
		a, b := twoSessions(t)
		a.mustRun(t, `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM t`)
		b.mustRun(t, `UPDATE t SET v = v + 1`)
		if r := a.run(background, text); r.err == nil || r.err.Code != sqlerr.SerializationFailure {
			t.Errorf("%s: got %v", text, r.err)
		}
	}
}

func TestLockedJoinGivesTheNewestRows(t *testing.T) {
	for first, rows := range map[string]string{
		`UPDATE t SET v = 11 WHERE k = 1`:                                    "[[1 11 5]]",
		`UPDATE t SET v = 11 WHERE k = 1; UPDATE o SET n = 6 WHERE k = 1`:    "[[1 11 6]]",
		`UPDATE t SET v = -1 WHERE k = 1`:                                    "[]",
		`UPDATE o SET k = 7 WHERE k = 1`:                                     "[]",
		`DELETE FROM o WHERE k = 1`:                                          "[]",
		`UPDATE t SET u = 7 WHERE k = 1; UPDATE t SET v = v + 1 WHERE k = 2`: "[[1 10 5]]",
	} {
		a, b := twoSessions(t)
		a.mustRun(t, `CREATE TABLE o (k int, n int); INSERT INTO o VALUES (1, 5), (9, 9)`)
		a.mustRun(t, `BEGIN; `+first)
		wait := behind(t, b, `SELECT t.k, t.v, o.n FROM t JOIN o ON o.k = t.k WHERE t.v > 0 FOR UPDATE`)
		a.mustRun(t, `COMMIT`)
		if r := wait(); r.err != nil || fmt.Sprint(r.rows) != rows {
			t.Errorf("%s: got %v %v, want %s", first, r.err, r.rows, rows)
		}
	}
}

func TestCursorSeesTheRowsAsOfDeclare(t *testing.T) {
	a, b := twoSessions(t)
	for _, next := range []string{`FETCH ALL c`, `SELECT 1; FETCH ALL c`} {
		b.mustRun(t, `UPDATE t SET v = k`)
		a.mustRun(t, `BEGIN; DECLARE c CURSOR FOR SELECT k, v FROM t ORDER BY k`)
		b.mustRun(t, `UPDATE t SET v = 0; DELETE FROM t WHERE k = 3`)
		if got := fmt.Sprint(a.mustRun(t, next).rows); got != "[[1 1] [2 2] [3 3]]" {
			t.Errorf("%s: got %s", next, got)
		}
		a.mustRun(t, `COMMIT`)
		b.mustRun(t, `INSERT INTO t VALUES (3, 30, 300)`)
	}
}

func TestUpdateAfterARollbackChangesTheOldRow(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = 0 WHERE k = 1`)
	wait := behind(t, b, `UPDATE t SET v = v + 5 WHERE k = 1`)
	a.mustRun(t, `ROLLBACK`)
	if r := wait(); r.err != nil || r.tag != "UPDATE 1" {
		t.Fatalf("got %v %s", r.err, r.tag)
	}
	wantRows(t, a, `SELECT v FROM t WHERE k = 1`, "[[15]]")
}

func TestSelectForUpdateGivesTheNewestRow(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = 11 WHERE k = 1`)
	wait := behind(t, b, `SELECT v FROM t WHERE k = 1 AND v > 5 FOR UPDATE`)
	a.mustRun(t, `COMMIT`)
	if r := wait(); r.err != nil || fmt.Sprint(r.rows) != "[[11]]" {
		t.Fatalf("got %v %v", r.err, r.rows)
	}
}

func TestInsertWaitsForTheOtherInsertOfItsKey(t *testing.T) {
	for _, c := range []struct{ first, second, detail string }{
		{`INSERT INTO t VALUES (9, 1, 901)`, `INSERT INTO t VALUES (9, 2, 902)`, "Key (k)=(9) already exists."},
		{`INSERT INTO t VALUES (9, 1, 900)`, `INSERT INTO t VALUES (8, 2, 900)`, "Key (u)=(900) already exists."},
		{`UPDATE t SET u = 900 WHERE k = 1`, `UPDATE t SET u = 900 WHERE k = 2`, "Key (u)=(900) already exists."},
	} {
		for _, end := range []string{"COMMIT", "ROLLBACK"} {
			t.Run(c.second+" "+end, func(t *testing.T) {
				a, b := twoSessions(t)
				a.mustRun(t, `BEGIN; `+c.first)
				wait := behind(t, b, c.second)
				a.mustRun(t, end)
				r := wait()
				if end == "ROLLBACK" {
					if r.err != nil {
						t.Fatalf("got %v", r.err)
					}
					return
				}
				if r.err == nil || r.err.Code != sqlerr.UniqueViolation || r.err.Detail != c.detail {
					t.Fatalf("got %v", r.err)
				}
			})
		}
	}
}

func TestDeadlockIsFound(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = 0 WHERE k = 1`)
	b.mustRun(t, `BEGIN; UPDATE t SET v = 0 WHERE k = 2`)
	wait := behind(t, a, `UPDATE t SET v = 0 WHERE k = 2`)
	if r := b.run(background, `UPDATE t SET v = 0 WHERE k = 1`); r.err == nil || r.err.Code != sqlerr.DeadlockDetected {
		t.Fatalf("got %v", r.err)
	}
	b.mustRun(t, `ROLLBACK`)
	if r := wait(); r.err != nil {
		t.Fatal(r.err)
	}
	a.mustRun(t, `COMMIT`)
}

func TestReadersDoNotWaitForWriters(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN; UPDATE t SET v = 0; INSERT INTO t VALUES (4, 40, 400); DELETE FROM t WHERE k = 3`)
	wantRows(t, b, `SELECT k, v FROM t ORDER BY k`, "[[1 10] [2 20] [3 30]]")
	a.mustRun(t, `COMMIT`)
	wantRows(t, b, `SELECT k, v FROM t ORDER BY k`, "[[1 0] [2 0] [4 40]]")
}

func TestConcurrentIncrementsAllCount(t *testing.T) {
	e, a := newTestSession(t)
	a.mustRun(t, `CREATE TABLE c (k int PRIMARY KEY, v int); INSERT INTO c VALUES (1, 0), (2, 0)`)
	const sessions, rounds = 8, 50
	var wg sync.WaitGroup
	for i := range sessions {
		s := e.session(fmt.Sprint("s", i))
		wg.Go(func() {
			for n := range rounds {
				if r := s.run(background, fmt.Sprintf(`UPDATE c SET v = v + 1 WHERE k = %d`, 1+(i+n)%2)); r.err != nil || r.tag != "UPDATE 1" {
					t.Errorf("got %v %s", r.err, r.tag)
					return
				}
			}
		})
	}
	wg.Wait()
	wantRows(t, a, `SELECT sum(v) FROM c`, fmt.Sprintf("[[%d]]", sessions*rounds))
}

func TestConcurrentInsertsOfOneKeyHaveOneWinner(t *testing.T) {
	e, a := newTestSession(t)
	a.mustRun(t, `CREATE TABLE c (k int PRIMARY KEY, u int UNIQUE, v int)`)
	const sessions, keys = 6, 40
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for i := range sessions {
		s := e.session(fmt.Sprint("s", i))
		wg.Go(func() {
			for k := range keys {
				r := s.run(background, fmt.Sprintf(`INSERT INTO c VALUES (%d, %d, %d)`, k, k, i))
				switch {
				case r.err == nil:
					won.Add(1)
				case r.err.Code == sqlerr.UniqueViolation:
					lost.Add(1)
				default:
					t.Errorf("got %v", r.err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() != keys || lost.Load() != (sessions-1)*keys {
		t.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
	wantRows(t, a, `SELECT count(*), sum(k) FROM c`, fmt.Sprintf("[[%d %d]]", keys, keys*(keys-1)/2))
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

func TestQueueWorkersLockOnlyTheRowTheyTake(t *testing.T) {
	for _, text := range []string{
		`SELECT k FROM t WHERE v > 5 ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED`,    // in the order of the primary key
		`SELECT k FROM t WHERE v > 5 ORDER BY u LIMIT 1 FOR UPDATE SKIP LOCKED`,    // in the order of an index
		`SELECT k FROM t WHERE v > 5 ORDER BY v, k LIMIT 1 FOR UPDATE SKIP LOCKED`, // sorted
	} {
		e, a := newTestSession(t)
		a.mustRun(t, `CREATE TABLE t (k int PRIMARY KEY, v int, u int UNIQUE); INSERT INTO t SELECT g, g * 10, g FROM generate_series(1, 20) AS g`)
		b := e.session("b")
		a.mustRun(t, `BEGIN`)
		b.mustRun(t, `BEGIN`)
		wantRows(t, a, text, "[[1]]")
		wantRows(t, b, text, "[[2]]")
		wantRows(t, e.session("c"), `SELECT count(*) FROM (SELECT k FROM t WHERE k > 2) AS s`, "[[18]]")
		if got := len(e.session("c").mustRun(t, `SELECT k FROM t FOR UPDATE SKIP LOCKED`).rows); got != 18 {
			t.Errorf("%s: %d rows are not locked, want 18", text, got)
		}
		a.mustRun(t, `COMMIT`)
		b.mustRun(t, `COMMIT`)
	}
}

func TestOldSnapshotDoesNotUseAYoungerIndex(t *testing.T) {
	a, b := twoSessions(t)
	a.mustRun(t, `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM generate_series(1, 1) AS g; SELECT v FROM t WHERE k = 1`)
	wantRows(t, a, `SELECT k FROM t WHERE v = 20`, "[[2]]")
	a.mustRun(t, `COMMIT`)
	b.mustRun(t, `CREATE TABLE other (x int); CREATE TABLE s (x int PRIMARY KEY, y int); INSERT INTO s VALUES (1, 7)`)
	// The snapshot is taken before the index is made; the transaction has no lock of the table then.
	a.mustRun(t, `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT x FROM other`)
	b.mustRun(t, `CREATE INDEX s_y ON s (y)`)
	wantRows(t, a, `SELECT x FROM s WHERE y = 7`, "[[1]]")
	a.mustRun(t, `UPDATE s SET y = 8 WHERE y = 7; COMMIT`)
	wantRows(t, b, `SELECT x FROM s WHERE y = 8`, "[[1]]")
	wantRows(t, b, `SELECT x FROM s WHERE y = 7`, "[]")
	a.mustRun(t, `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT x FROM other`)
	b.mustRun(t, `TRUNCATE s`)
	if r := a.run(background, `SELECT x FROM s`); r.err == nil || r.err.Code != sqlerr.SerializationFailure {
		t.Errorf("got %v %v", r.err, r.rows)
	}
}

func TestConcurrentUpsertsAllCount(t *testing.T) {
	e, a := newTestSession(t)
	a.mustRun(t, `CREATE TABLE c (k int PRIMARY KEY, u text UNIQUE, n int)`)
	const sessions, rounds = 6, 40
	var wg sync.WaitGroup
	for i := range sessions {
		s := e.session(fmt.Sprint("s", i))
		wg.Go(func() {
			for n := range rounds {
				text := fmt.Sprintf(`INSERT INTO c VALUES (%d, 'u%[1]d', 1) ON CONFLICT (k) DO UPDATE SET n = c.n + 1`, n%5)
				if n%2 == 1 {
					text = fmt.Sprintf(`INSERT INTO c VALUES (%d, 'u%d', 1) ON CONFLICT (u) DO UPDATE SET n = c.n + 1`, n%5, n%5)
				}
				if r := s.run(background, text); r.err != nil || r.tag != "INSERT 0 1" {
					t.Errorf("got %v %s", r.err, r.tag)
					return
				}
			}
		})
	}
	wg.Wait()
	wantRows(t, a, `SELECT sum(n), count(*) FROM c`, fmt.Sprintf("[[%d 5]]", sessions*rounds))
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

func TestTransfersKeepTheSumAtEveryLevel(t *testing.T) {
	e, a := newTestSession(t)
	a.mustRun(t, `CREATE TABLE acc (id int PRIMARY KEY, n int); CREATE INDEX ON acc (n); INSERT INTO acc SELECT g, 100 FROM generate_series(1, 10) AS g`)
	var wg sync.WaitGroup
	for i := range 6 {
		s := e.session(fmt.Sprint("s", i))
		level := []string{"READ COMMITTED", "REPEATABLE READ"}[i%2]
		wg.Go(func() {
			for n := range 40 {
				from, to := 1+(i*7+n)%10, 1+(i*3+n*7)%10
				r := s.run(background, fmt.Sprintf(`BEGIN ISOLATION LEVEL %s; UPDATE acc SET n = n - 1 WHERE id = %d; UPDATE acc SET n = n + 1 WHERE id = %d; COMMIT`, level, from, to))
				if r.err != nil {
					if c := r.err.Code; c != sqlerr.SerializationFailure && c != sqlerr.DeadlockDetected {
						t.Errorf("got %v", r.err)
						return
					}
					s.run(background, `ROLLBACK`)
				}
			}
		})
	}
	for range 30 {
		wantRows(t, a, `SELECT sum(n), count(*) FROM acc`, "[[1000 10]]")
		wantRows(t, a, `SELECT sum(n), count(*) FROM acc WHERE n > -100000`, "[[1000 10]]")
	}
	wg.Wait()
	wantRows(t, a, `SELECT sum(n), count(*) FROM acc`, "[[1000 10]]")
	if _, err := e.engine.Check(background); err != nil {
		t.Error(err)
	}
}

// A row whose key moves is another row to those who wait for it: what PostgreSQL finds by following the row is not found here,
// and a condition on the old key fails in both.
func TestWaitersOfARowWhoseKeyMoves(t *testing.T) {
	const move = `UPDATE t SET k = 11 WHERE k = 1`
	for _, c := range []struct {
		second, end, tag string
		code             sqlerr.Code
		rows             string
	}{
		{`UPDATE t SET v = v + 1 WHERE k = 1`, `COMMIT`, "UPDATE 0", "", "[[2 20 200] [3 30 300] [11 10 100]]"},
		{`UPDATE t SET v = v + 1 WHERE k = 1`, `ROLLBACK`, "UPDATE 1", "", "[[1 11 100] [2 20 200] [3 30 300]]"},
		{`DELETE FROM t WHERE k = 1`, `COMMIT`, "DELETE 0", "", "[[2 20 200] [3 30 300] [11 10 100]]"},
		{`INSERT INTO t VALUES (11, 0, 0)`, `COMMIT`, "", sqlerr.UniqueViolation, "[[2 20 200] [3 30 300] [11 10 100]]"},
		{`INSERT INTO t VALUES (11, 0, 0)`, `ROLLBACK`, "INSERT 0 1", "", "[[1 10 100] [2 20 200] [3 30 300] [11 0 0]]"},
		{`INSERT INTO t VALUES (1, 0, 0)`, `COMMIT`, "INSERT 0 1", "", "[[1 0 0] [2 20 200] [3 30 300] [11 10 100]]"},
		{`INSERT INTO t VALUES (1, 0, 0)`, `ROLLBACK`, "", sqlerr.UniqueViolation, "[[1 10 100] [2 20 200] [3 30 300]]"},
		{`UPDATE t SET k = 11 WHERE k = 2`, `COMMIT`, "", sqlerr.UniqueViolation, "[[2 20 200] [3 30 300] [11 10 100]]"},
		{`UPDATE t SET k = 1 WHERE k = 2`, `COMMIT`, "UPDATE 1", "", "[[1 20 200] [3 30 300] [11 10 100]]"},
		{`INSERT INTO t VALUES (11, 5, 5) ON CONFLICT (k) DO UPDATE SET v = t.v + excluded.v`, `COMMIT`, "INSERT 0 1", "", "[[2 20 200] [3 30 300] [11 15 100]]"},
	} {
		t.Run(c.second+" "+c.end, func(t *testing.T) {
			a, b := twoSessions(t)
			a.mustRun(t, `BEGIN; `+move)
			wait := behind(t, b, c.second)
			a.mustRun(t, c.end)
			r := wait()
			switch {
			case r.err != nil && r.err.Code != c.code:
				t.Errorf("got %v, want %q", r.err, c.code)
			case r.err == nil && (c.code != "" || r.tag != c.tag):
				t.Errorf("got %q, want %q %q", r.tag, c.code, c.tag)
			}
			wantRows(t, a, `SELECT * FROM t ORDER BY k`, c.rows)
			wantRows(t, a, `SELECT count(*) FROM t WHERE u >= 0`, fmt.Sprintf("[[%s]]", a.mustRun(t, `SELECT count(*) FROM t`).rows[0][0]))
		})
	}
}

func TestAChildOfAKeyThatMoves(t *testing.T) {
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		a, b := twoSessions(t)
		a.mustRun(t, `CREATE TABLE c (id int PRIMARY KEY, k int REFERENCES t)`)
		a.mustRun(t, `BEGIN; UPDATE t SET k = 11 WHERE k = 1`)
		wait := behind(t, b, `INSERT INTO c VALUES (1, 1)`)
		a.mustRun(t, end)
		if r := wait(); (r.err != nil) != (end == "COMMIT") || r.err != nil && sqlerr.CodeOf(r.err) != sqlerr.ForeignKeyViolation {
			t.Errorf("%s: got %v %s", end, r.err, r.tag)
		}
	}
}
