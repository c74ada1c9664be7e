package sql_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
)

// table reads the newest descriptor of a table of schema public.
func (e *testEngine) table(name string) *catalog.Table {
	e.t.Helper()
	store, err := catalog.Open(background, e.db, "postgres")
	if err != nil {
		e.t.Fatal(err)
	}
	txn, err := e.db.Begin(kv.TxnOptions{})
	if err != nil {
		e.t.Fatal(err)
	}
	defer txn.Rollback()
	r, err := store.View(txn).Relation(background, catalog.PublicSchema, name, kv.TableAccessShare)
	if err != nil {
		e.t.Fatal(err)
	}
	return r.Table
}

// kvs reads the live KVs of a span.
func (e *testEngine) kvs(span kv.Span) map[string]string {
	e.t.Helper()
	txn, err := e.db.Begin(kv.TxnOptions{})
	if err != nil {
		e.t.Fatal(err)
	}
	defer txn.Rollback()
	it, err := txn.NewIter(background, span, kv.IterOptions{})
	if err != nil {
		e.t.Fatal(err)
	}
	out := map[string]string{}
	for it.Next() {
		out[string(it.Key())] = string(it.Value())
	}
	if err := it.Close(); err != nil {
		e.t.Fatal(err)
	}
	return out
}

// checkIndexes compares all indexes with the rows of their tables.
func (e *testEngine) checkIndexes() {
	e.t.Helper()
	if _, err := e.engine.Check(background); err != nil {
		e.t.Error(err)
	}
}

// TestIndexMadeAmongWritersIsComplete makes and drops indexes while others insert, change and delete rows.
func TestIndexMadeAmongWritersIsComplete(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	main := e.session("main")
	main.mustRun(t, "CREATE TABLE t (a int PRIMARY KEY, b int, c text)")
	const writers = 3
	var sessions []*testSession
	for w := range writers {
		sessions = append(sessions, e.session(fmt.Sprint("writer", w)))
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w, s := range sessions {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				a := i*writers + w
				for _, text := range []string{
					fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 'x'), (%d, NULL, NULL)", 2*a, i%7, 2*a+1),
					fmt.Sprintf("UPDATE t SET b = %d, c = 'y' WHERE a = %d", i%5, a),
					fmt.Sprintf("DELETE FROM t WHERE a = %d", a/2),
				} {
					if r := s.run(background, text); r.err != nil {
						t.Errorf("%s: %s", text, describeError(r.err))
						return
					}
				}
			}
		})
	}
	for i := range 12 {
		main.mustRun(t, fmt.Sprintf("CREATE INDEX i%d ON t (b, c DESC)", i))
		time.Sleep(3 * time.Millisecond)
		if i >= 3 {
			main.mustRun(t, fmt.Sprintf("DROP INDEX i%d", i-3))
		}
	}
	close(stop)
	wg.Wait()
	e.checkIndexes()
	if n := len(e.table("t").Indexes); n != 3 {
		t.Errorf("%d indexes are left", n)
	}
}

// insertRows inserts n rows (a, a % 1000, text) into a table.
func insertRows(t *testing.T, s *testSession, table string, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		s.mustRun(t, fmt.Sprintf("INSERT INTO %s SELECT g, g %% 1000, 'some text that takes a little space' FROM generate_series(%d, %d) g",
			table, from, min(from+1000, n)-1))
	}
}

func TestDroppedAndTruncatedTablesGiveTheirSpaceBack(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	s := e.session("main")
	var spans []kv.Span
	for _, name := range []string{"dropped", "truncated", "kept"} {
		s.mustRun(t, "CREATE TABLE "+name+" (a int PRIMARY KEY, b int, c text)")
		s.mustRun(t, "CREATE INDEX ON "+name+" (b)")
		insertRows(t, s, name, 2000)
		spans = append(spans, rowenc.TableSpan(e.table(name).ID))
	}
	index := e.table("kept").IndexByName("kept_b_idx")
	spans[2] = rowenc.IndexSpan(e.table("kept").ID, index.ID)
	for _, span := range spans {
		if len(e.kvs(span)) < 2000 {
			t.Fatalf("span %x has too few KVs to tell", span.Start)
		}
	}
	s.mustRun(t, "DROP TABLE dropped")
	s.mustRun(t, "TRUNCATE truncated")
	s.mustRun(t, "DROP INDEX kept_b_idx")
	if err := e.db.CollectGarbage(background, kv.Span{}); err != nil {
		t.Fatal(err)
	}
	for _, span := range spans {
		if n := len(e.kvs(span)); n != 0 {
			t.Errorf("%d KVs of a dropped span are left", n)
		}
	}
	if got := s.mustRun(t, "SELECT count(*) FROM kept WHERE b = 7").rows[0][0]; got != "2" {
		t.Errorf("the other table has %s rows of 2", got)
	}
}

// TestCancelledIndexLeavesNothing cancels a CREATE INDEX that waits for a writer.
func TestCancelledIndexLeavesNothing(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	main, writer := e.session("main"), e.session("writer")
	main.mustRun(t, "CREATE TABLE t (a int PRIMARY KEY, b int)")
	writer.mustRun(t, "BEGIN; INSERT INTO t VALUES (1, 1)")
	done := make(chan result)
	go func() { done <- main.run(background, "CREATE INDEX i ON t (b)") }()
	time.Sleep(10 * time.Millisecond)
	main.Cancel()
	if r := <-done; r.err == nil || r.err.Code != "57014" {
		t.Errorf("cancelled CREATE INDEX gives %v", r.err)
	}
	writer.mustRun(t, "COMMIT")
	if r := main.run(background, "DROP INDEX i"); r.err == nil || r.err.Code != "42704" {
		t.Errorf("the index is there: %v", r.err)
	}
	e.checkIndexes()
}

func TestIndexesMadeAtOnceAreBothThere(t *testing.T) {
	e := openMinidb(t)
	defer e.close()
	first, second := e.session("first"), e.session("second")
	first.mustRun(t, "CREATE TABLE t (a int PRIMARY KEY, b int)")
	first.mustRun(t, "BEGIN; CREATE INDEX one ON t (b)")
	done := make(chan result)
	go func() { done <- second.run(background, "CREATE INDEX two ON t (b)") }()
	time.Sleep(10 * time.Millisecond)
	first.mustRun(t, "COMMIT")
	if r := <-done; r.err != nil {
		t.Fatal(describeError(r.err))
	}
	for _, name := range []string{"one", "two"} {
		if e.table("t").IndexByName(name) == nil {
			t.Errorf("index %s is lost", name)
		}
	}
}
