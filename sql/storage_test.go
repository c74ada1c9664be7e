package sql_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// onFaults gives a session on a store whose file system can be made to fail, and a table with one row.
func onFaults(t *testing.T) (*vfs.Fault, *testEngine, *testSession) {
	t.Helper()
	mem := vfs.NewMem()
	faults := vfs.NewFault(mem)
	e := openMinidbOn(t, mem, kv.Options{FS: faults, MemtableBytes: 1 << 20})
	t.Cleanup(func() {
		faults.Heal()
		for _, s := range e.sessions {
			s.Close()
		}
		e.engine.Close()
		e.db.Close() // may report the failure that the test made
	})
	s := e.session("main")
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b text); INSERT INTO t VALUES (0, 'first')`)
	return faults, e, s
}

func TestFullDiskRefusesWritesAndReadsGoOn(t *testing.T) {
	faults, _, s := onFaults(t)
	faults.SetBudget(0)
	var failed *sqlerr.Error
	n := 1
	for ; n < 100000 && failed == nil; n++ {
		failed = s.run(background, fmt.Sprintf(`INSERT INTO t VALUES (%d, repeat('x', 100000))`, n)).err
	}
	if failed == nil || failed.Code != sqlerr.DiskFull {
		t.Fatalf("after %d inserts: %v", n, failed)
	}
	wantRows(t, s, `SELECT b FROM t WHERE a = 0`, "[[first]]")
	faults.Heal()
	s.mustRun(t, `INSERT INTO t VALUES (-1, 'again')`)
}

func TestFailedSyncEndsWritesAndReadsGoOn(t *testing.T) {
	faults, _, s := onFaults(t)
	faults.FailNth(vfs.OpSync, 1, syscall.EIO, false)
	r := s.run(background, `INSERT INTO t VALUES (1, 'x')`)
	if r.err == nil || r.err.Code != sqlerr.StatementCompletionUnknown {
		t.Fatalf("got %v", r.err)
	}
	if r = s.run(background, `INSERT INTO t VALUES (2, 'x')`); r.err == nil || r.err.Code != sqlerr.IOError || !strings.Contains(r.err.Detail, "data/") {
		t.Errorf("got %v", describeError(r.err))
	}
	wantRows(t, s, `SELECT b FROM t WHERE a = 0`, "[[first]]")
}

func TestFlippedByteIsReportedWithFileAndOffset(t *testing.T) {
	mem := vfs.NewMem()
	e := openMinidbOn(t, mem, kv.Options{FS: mem, MemtableBytes: 1 << 18})
	s := e.session("main")
	s.mustRun(t, `CREATE TABLE t (a int PRIMARY KEY, b text)`)
	for i := range 20 {
		s.mustRun(t, fmt.Sprintf(`INSERT INTO t SELECT g, repeat(md5(g::text), 10) FROM generate_series(%d, %d) AS g`, 1000*i, 1000*i+999))
	}
	e.close()

	names, err := mem.List("data")
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		f, err := mem.OpenReadWrite("data/" + name)
		if err != nil {
			t.Fatal(err)
		}
		// In the middle of the data blocks.
		size, err := f.Size()
		if err != nil || size < 1000 {
			t.Fatal(size, err)
		}
		b := make([]byte, 1)
		if _, err := f.ReadAt(b, size/3); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 0x10
		if _, err := f.WriteAt(b, size/3); err != nil {
			t.Fatal(err)
		}
		f.Close()
		damaged++
	}
	if damaged == 0 {
		t.Fatalf("no sstables among %v", names)
	}

	e = openMinidbOn(t, mem, kv.Options{FS: mem, DisableAutoCompactions: true})
	defer e.close()
	r := e.session("main").run(background, `SELECT count(*), sum(length(b)) FROM t`)
	if r.err == nil || r.err.Code != sqlerr.DataCorrupted || !strings.Contains(r.err.Message, ".sst") || !strings.Contains(r.err.Message, "offset") {
		t.Errorf("got %v %v", r.err, r.rows)
	}
}
