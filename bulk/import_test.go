package bulk

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

func TestImportMakesAllIndexes(t *testing.T) {
	for _, memory := range []int64{0, 1 << 20, 64 << 10} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) {
			m := mem(t)
			db := openDB(t, m)
			writeFile(t, m, "imp/a.csv", shuffled(rows(1, 6000)))
			writeFile(t, m, "imp/b.csv", rows(6001, 9000))
			txn := begin(t, db)
			r := request(db, txn, m, "a.csv", "b.csv")
			r.MemoryBytes = memory
			res, err := Import(bg, r)
			if err != nil {
				t.Fatal(err)
			}
			if res.Rows != 9000 || res.Bytes != r.totalBytes() {
				t.Errorf("result %+v", res)
			}
			if got := scanKeys(t, db); len(got) != 0 {
				t.Errorf("%d keys before the commit", len(got))
			}
			if err := txn.Commit(bg); err != nil {
				t.Fatal(err)
			}
			wantRows(t, db, 9000)
			wantNoFiles(t, db)
		})
	}
}

func TestTinyMemorySpillsAndMergesRuns(t *testing.T) {
	m := mem(t)
	var spills atomic.Int64
	db := openDB(t, creationCounter{m, &spills})
	writeFile(t, m, "imp/a.csv", shuffled(rows(1, 20_000)))
	txn := begin(t, db)
	r := request(db, txn, m, "a.csv")
	r.MemoryBytes = 1
	if _, err := Import(bg, r); err != nil {
		t.Fatal(err)
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	if spills.Load() < 20 {
		t.Errorf("only %d runs were spilled", spills.Load())
	}
	wantRows(t, db, 20_000)
	wantNoFiles(t, db)
}

// creationCounter counts spilled runs.
type creationCounter struct {
	vfs.FS
	runs *atomic.Int64
}

func (c creationCounter) Create(name string) (vfs.File, error) {
	if strings.HasSuffix(name, ".run") {
		c.runs.Add(1)
	}
	return c.FS.Create(name)
}

func TestImportOfNothing(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", "")
	txn := begin(t, db)
	res, err := Import(bg, request(db, txn, m, "a.csv"))
	if err != nil || res.Rows != 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	wantRows(t, db, 0)
}

func TestImportIntoFilledStore(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	// Odd ids first, even ids between them.
	var odd, even strings.Builder
	for i, line := range strings.SplitAfter(strings.TrimSuffix(rows(1, 3000), "\n"), "\n") {
		if i%2 == 0 {
			odd.WriteString(line)
		} else {
			even.WriteString(line)
		}
	}
	writeFile(t, m, "imp/odd.csv", odd.String())
	writeFile(t, m, "imp/even.csv", even.String())
	for _, name := range []string{"odd.csv", "even.csv"} {
		txn := begin(t, db)
		if _, err := Import(bg, request(db, txn, m, name)); err != nil {
			t.Fatal(err)
		}
		if err := txn.Commit(bg); err != nil {
			t.Fatal(err)
		}
	}
	wantRows(t, db, 3000)
}

// refused runs an import that must fail, and checks that it leaves nothing.
func refused(t *testing.T, db *kv.DB, r Request, n int) error {
	t.Helper()
	_, err := Import(bg, r)
	if err == nil {
		err = Explain(bg, r, r.Txn.Commit(bg))
	}
	if err == nil {
		t.Fatal("no error")
	}
	r.Txn.Rollback()
	wantRows(t, db, n)
	wantNoFiles(t, db)
	return err
}

func TestDuplicatesNameBothLines(t *testing.T) {
	for _, memory := range []int64{0, 1} {
		m := mem(t)
		db := openDB(t, m)
		writeFile(t, m, "imp/a.csv", rows(1, 5000))
		writeFile(t, m, "imp/b.csv", rows(6000, 9000)+"\"77\",\"two\nlines\"\n"+rows(9500, 9600)+"77,third\n")
		r := request(db, begin(t, db), m, "a.csv", "b.csv")
		r.MemoryBytes = memory
		var dup *DuplicateKeyError
		if err := refused(t, db, r, 0); !errors.As(err, &dup) {
			t.Fatal(err)
		}
		if string(dup.Key) != "p00000077" || dup.File != "b.csv" || dup.Line != 3002 || dup.OtherFile != "a.csv" || dup.OtherLine != 77 || dup.Existing != nil {
			t.Errorf("%+v", dup)
		}
	}
}

func TestDuplicateWithinOneRecord(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", "1,a\n2,b\n")
	r := request(db, begin(t, db), m, "a.csv")
	r.Rows = planFunc(func(rec *Record, emit func(k, v []byte) error) error {
		for range len(rec.Fields[0]) + int(rec.Line) - 1 {
			if err := emit(append([]byte("k"), rec.Fields[0]...), []byte("v")); err != nil {
				return err
			}
		}
		return nil
	})
	var dup *DuplicateKeyError
	if err := refused(t, db, r, 0); !errors.As(err, &dup) || string(dup.Key) != "k2" || dup.Line != 2 || dup.OtherLine != 2 {
		t.Errorf("%v: %+v", err, dup)
	}
}

// planFunc is a row plan without state.
type planFunc func(rec *Record, emit func(k, v []byte) error) error

func (p planFunc) NewWorker() RowWorker { return p }
func (p planFunc) Encode(rec *Record, emit func(k, v []byte) error) error {
	return p(rec, emit)
}

func TestConflictWithTheStoreNamesTheLine(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	put(t, db, "p00000070", "=old")
	writeFile(t, m, "imp/a.csv", rows(1, 100))
	txn := begin(t, db)
	_, err := Import(bg, request(db, txn, m, "a.csv"))
	wantConflict(t, err)
	txn.Rollback()
	wantNoFiles(t, db)
}

func TestConflictAtCommitIsExplained(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", rows(1, 100))
	txn := begin(t, db)
	r := request(db, txn, m, "a.csv")
	if _, err := Import(bg, r); err != nil {
		t.Fatal(err)
	}
	put(t, db, "p00000070", "=old")
	wantConflict(t, Explain(bg, r, txn.Commit(bg)))
}

func put(t *testing.T, db *kv.DB, key, value string) {
	t.Helper()
	txn := begin(t, db)
	if err := txn.Put([]byte(key), []byte(value)); err != nil {
		t.Fatal(err)
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
}

func wantConflict(t *testing.T, err error) {
	t.Helper()
	var dup *DuplicateKeyError
	if !errors.As(err, &dup) || string(dup.Key) != "p00000070" || dup.File != "a.csv" || dup.Line != 70 || dup.OtherFile != "" || string(dup.Existing) != "=old" {
		t.Errorf("%v: %+v", err, dup)
	}
}

func TestExplainLeavesOtherErrorsAlone(t *testing.T) {
	if err := Explain(bg, Request{}, errors.ErrUnsupported); err != errors.ErrUnsupported {
		t.Errorf("%v", err)
	}
	if err := Explain(bg, Request{}, nil); err != nil {
		t.Errorf("%v", err)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	good := rows(1, 4000)
	for _, c := range []struct {
		name, a, b string
		code       sqlerr.Code
		where      string
	}{
		{"wrong type", good, "5000,x\nabc,y\n", "22P02", `file "b.csv", line 2, column id`},
		{"too few fields", good + "9000\n", "x,y\n", "22P04", `file "a.csv", line 4001`},
		{"too many fields", "1,a,b\n", good, "22P04", `file "a.csv", line 1`},
		{"unterminated", good, good + "1,\"a", "22P04", `file "b.csv", line 4001`},
		{"bad bytes", good + "1,\xff\n", "x\n", "22021", `file "a.csv", line 4001`},
		{"no file", good, "", "58P01", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mem(t)
			db := openDB(t, m)
			writeFile(t, m, "imp/a.csv", c.a)
			if c.b != "" {
				writeFile(t, m, "imp/b.csv", c.b)
			}
			for range 3 {
				e, ok := sqlerr.As(refused(t, db, request(db, begin(t, db), m, "a.csv", "b.csv"), 0))
				if !ok || e.Code != c.code || e.Where != c.where {
					t.Fatalf("%v: %+v", e, e)
				}
			}
		})
	}
}

func TestPlainErrorsOfTheRowPlanNameTheLine(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", "1,a\n2,b\n")
	boom := errors.New("boom")
	r := request(db, begin(t, db), m, "a.csv")
	r.Rows = planFunc(func(rec *Record, _ func(k, v []byte) error) error {
		if rec.Line == 2 {
			return boom
		}
		return nil
	})
	if err := refused(t, db, r, 0); !errors.Is(err, boom) || err.Error() != `file "a.csv", line 2: boom` {
		t.Errorf("%v", err)
	}
}

// TestEveryFailureLeavesNothing fails each file operation of the store in turn.

func TestProgressGoesUpToTheTotals(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", rows(1, 5000))
	writeFile(t, m, "imp/b.csv", rows(5001, 9000))
	var mu sync.Mutex
	var stages []string
	var last Progress
	r := request(db, begin(t, db), m, "a.csv", "b.csv")
	r.Progress = func(p Progress) {
		if !mu.TryLock() {
			t.Error("two reports at once")
			return
		}
		defer mu.Unlock()
		if p.Rows < last.Rows || p.Bytes < last.Bytes || p.Keys < last.Keys || p.Bytes > p.TotalBytes {
			t.Errorf("%+v after %+v", p, last)
		}
		if len(stages) == 0 || stages[len(stages)-1] != string(p.Stage) {
			stages = append(stages, string(p.Stage))
		}
		last = p
	}
	if _, err := Import(bg, r); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(stages, " "); got != "reading building checking done" {
		t.Errorf("stages %s", got)
	}
	if last.Rows != 9000 || last.Bytes != last.TotalBytes || last.TotalBytes == 0 || last.Keys != 18_000 || last.TotalKeys != 18_000 {
		t.Errorf("%+v", last)
	}
}

func TestLimitTakesTheFirstRecords(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", "id,text\n"+rows(1, 700))
	writeFile(t, m, "imp/b.csv", "id,text\n"+rows(701, 2000))
	txn := begin(t, db)
	r := request(db, txn, m, "a.csv", "b.csv")
	r.Format = Format{Header: true, Limit: 1234}
	res, err := Import(bg, r)
	if err != nil || res.Rows != 1234 {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	wantRows(t, db, 1234)
}

func TestTablesEndAtBorders(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	b := NewBuilder(bg, BuilderOptions{DB: db, Borders: borders})
	a := b.Adder()
	for i := range 1000 {
		for _, c := range []string{"s", "p"} {
			if err := a.Add(fmt.Appendf(nil, "%s%05d", c, i), []byte("v")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := b.Finish(bg)
	if err != nil || len(tables) != 2 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for i, want := range []string{"p00000", "s00000"} {
		if got := string(tables[i].Span().Start); got != want || tables[i].Entries != 1000 {
			t.Errorf("table %d begins at %s with %d keys", i, got, tables[i].Entries)
		}
		tables[i].Remove()
	}
	wantNoFiles(t, db)
}

// TestBuilderTakesKeysFromManyGoroutines is how a backfill uses it.
