package kv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"minidb/storage/vfs"
)

var bg = context.Background()

// wide is a span around all keys of the tests.
var wide = Span{[]byte("!"), []byte("~")}

func begin(t testing.TB, db *DB, o TxnOptions) *Txn {
	t.Helper()
	txn, err := db.Begin(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(txn.Rollback)
	return txn
}

// commitKVs commits pairs of keys and values; an empty value deletes.
func commitKVs(t testing.TB, db *DB, kvs ...string) Timestamp {
	t.Helper()
	txn := begin(t, db, TxnOptions{})
	for i := 0; i < len(kvs); i += 2 {
		var err error
		if kvs[i+1] == "" {
			err = txn.Del([]byte(kvs[i]))
		} else {
			err = txn.Put([]byte(kvs[i]), []byte(kvs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	return txn.CommitTimestamp()
}

// scanAll reads everything in s as "k=v k=v".
func scanAll(txn *Txn, s Span, o IterOptions) (string, error) {
	it, err := txn.NewIter(bg, s, o)
	if err != nil {
		return "", err
	}
	var out []string
	for it.Next() {
		out = append(out, fmt.Sprintf("%s=%s", it.Key(), it.Value()))
	}
	return strings.Join(out, " "), it.Close()
}

func contents(t testing.TB, txn *Txn, s Span) string {
	t.Helper()
	got, err := scanAll(txn, s, IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// now reads everything in a transaction of its own.
func now(t testing.TB, db *DB) string {
	t.Helper()
	txn := begin(t, db, TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	return contents(t, txn, wide)
}

func wantNow(t testing.TB, db *DB, want string) {
	t.Helper()
	if got := now(t, db); got != want {
		t.Fatalf("the store holds [%s], want [%s]", got, want)
	}
}

// build makes an sstable of pairs of keys and values.
func build(t testing.TB, db *DB, kvs ...string) *SSTable {
	t.Helper()
	b, err := db.NewSSTable(SSTableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(kvs); i += 2 {
		if err := b.Add([]byte(kvs[i]), []byte(kvs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	s, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rows returns n pairs of keys and values under prefix.
func rows(prefix string, n int) (kvs []string) {
	for i := range n {
		kvs = append(kvs, fmt.Sprintf("%s%06d", prefix, i), "v")
	}
	return kvs
}

// wantNoTrace checks that nothing is staged and nothing locked.
func wantNoTrace(t testing.TB, db *DB) {
	t.Helper()
	names, err := db.o.FS.List(db.eng.StagingDir())
	if err != nil || len(names) > 0 {
		t.Errorf("staged: %v, %v", names, err)
	}
	if s := db.locks.Stats(); s.Rows+s.Spans+s.Tables+s.Waiters > 0 {
		t.Errorf("locked: %+v", s)
	}
}

// storedBytes is the size of all files under dir.
func storedBytes(t testing.TB, fs vfs.FS, dir string) (n int64) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, err := fs.Stat(dir + "/" + name)
		switch {
		case errors.Is(err, os.ErrNotExist): // removed since
		case err != nil:
			t.Fatal(err)
		case info.IsDir:
			n += storedBytes(t, fs, dir+"/"+name)
		case strings.HasSuffix(name, ".sst"):
			n += info.Size
		}
	}
	return n
}

// waitFor waits until ok.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for range 10000 {
		if ok() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// crashed crashes fs without losing what is durable and opens what is left.
func crashed(t testing.TB, fs *vfs.Mem, o Options) *DB {
	t.Helper()
	o.FS = fs.CrashClone(vfs.CrashOptions{Seed: 1})
	return openWith(t, o)
}

// keysOf returns the keys of pairs of keys and values.
func keysOf(kvs []string) (keys []string) {
	for pair := range slices.Chunk(kvs, 2) {
		keys = append(keys, pair[0])
	}
	return keys
}
