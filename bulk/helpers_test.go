package bulk

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

var bg = context.Background()

func openDB(t testing.TB, fs vfs.FS) *kv.DB {
	t.Helper()
	db, err := kv.Open(bg, kv.Options{Dir: "data", FS: fs, GCInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func begin(t testing.TB, db *kv.DB) *kv.Txn {
	t.Helper()
	txn, err := db.Begin(kv.TxnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(txn.Rollback)
	return txn
}

func writeFile(t testing.TB, fs vfs.FS, name, data string) {
	t.Helper()
	f, err := fs.Create(name)
	if err == nil {
		_, err = f.Write([]byte(data))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// twoIndexes is a row plan for records of an integer and a text: a key "p" ‖
// integer holds the text, a key "s" ‖ text ‖ 0 ‖ integer makes an index.
type twoIndexes struct{ seen func(*Record) }

func (p twoIndexes) NewWorker() RowWorker { return p }

func (p twoIndexes) Encode(rec *Record, emit func(key, value []byte) error) error {
	if p.seen != nil {
		p.seen(rec)
	}
	id, err := strconv.Atoi(string(rec.Fields[0]))
	if err != nil {
		return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bigint: %q", rec.Fields[0]).WithWhere("column id")
	}
	if err := emit(fmt.Appendf(nil, "p%08d", id), append([]byte("="), rec.Fields[1]...)); err != nil {
		return err
	}
	return emit(fmt.Appendf(nil, "s%s\x00%08d", rec.Fields[1], id), []byte{1})
}

var borders = [][]byte{[]byte("p"), []byte("q"), []byte("s"), []byte("t")}

// rows makes the lines "id,text" of the ids from first to last.
func rows(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "%d,text %d\n", i, i*7919%10007)
	}
	return b.String()
}

func request(db *kv.DB, txn *kv.Txn, fs vfs.FS, files ...string) Request {
	return Request{
		DB: db, Txn: txn, FS: fs, Dir: "imp", Files: files, Columns: []string{"id", "text"}, Rows: twoIndexes{}, Borders: borders,
		Threads: 3,
	}
}

// scanKeys returns all keys and values as "k=v" lines.
func scanKeys(t testing.TB, db *kv.DB) []string {
	t.Helper()
	txn := begin(t, db)
	defer txn.Rollback()
	it, err := txn.NewIter(bg, kv.Span{Start: []byte("a"), End: []byte("z")}, kv.IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for it.Next() {
		got = append(got, fmt.Sprintf("%s %s", it.Key(), it.Value()))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}

// wantRows checks that the store holds exactly the rows from 1 to n.
func wantRows(t testing.TB, db *kv.DB, n int) {
	t.Helper()
	got := scanKeys(t, db)
	if len(got) != 2*n {
		t.Fatalf("%d keys, want %d", len(got), 2*n)
	}
	for i := range n {
		if want := fmt.Sprintf("p%08d =text %d", i+1, (i+1)*7919%10007); got[i] != want {
			t.Fatalf("key %d: %q, want %q", i, got[i], want)
		}
	}
}

// wantNoFiles checks that nothing is left in the staging directory.
func wantNoFiles(t testing.TB, db *kv.DB) {
	t.Helper()
	files, dir := db.Staging()
	names, err := files.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) > 0 {
		t.Errorf("left in the staging directory: %v", names)
	}
}

// mem returns a memory file system with the import directory.
func mem(t testing.TB) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	if err := m.MkdirAll("imp"); err != nil {
		t.Fatal(err)
	}
	return m
}

// shuffled returns the lines of s in another order.
func shuffled(s string) string {
	lines := bytes.SplitAfter([]byte(s), []byte("\n"))
	var odd, even []byte
	for i, l := range lines {
		if i%3 == 1 {
			odd = append(append([]byte{}, l...), odd...)
		} else {
			even = append(even, l...)
		}
	}
	return string(odd) + string(even)
}
