package kv

import (
	"fmt"
	"strconv"
	"testing"

	"minidb/storage/vfs"
)

func openBench(b *testing.B) *DB {
	b.Helper()
	db, err := Open(bg, Options{FS: vfs.NewVolatile(), Dir: "db", GCInterval: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// benchKey spreads i, so that engine and table interleave.
func benchKey(dst []byte, i int) []byte {
	return strconv.AppendInt(append(dst, "key-"...), 1e12+int64(i), 10)
}

// benchTable makes a table of n keys: every step-th from first on.
func benchTable(b *testing.B, db *DB, n, first, step int) *SSTable {
	b.Helper()
	t, err := db.NewSSTable(SSTableOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var key []byte
	value := make([]byte, 100)
	for i := range value {
		value[i] = byte(i)
	}
	for i := range n {
		key = benchKey(key[:0], first+i*step)
		if err := t.Add(key, value); err != nil {
			b.Fatal(err)
		}
	}
	s, err := t.Finish()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func importBench(b *testing.B, db *DB, s *SSTable) {
	b.Helper()
	txn, err := db.Begin(TxnOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if err := txn.AddSSTables(bg, []*SSTable{s}, AddOptions{}); err != nil {
		b.Fatal(err)
	}
	if err := txn.Commit(bg); err != nil {
		b.Fatal(err)
	}
}

// The check of a table against an engine with as many keys as it, none in common:
// side by side (dense), one after the other (sparse), or with few keys on one side.
func BenchmarkCheckSSTConflicts(b *testing.B) {
	for _, c := range []struct {
		name             string
		engine, table    int
		engStep, tabStep int
	}{
		{"dense/10000", 10000, 10000, 2, 2},
		{"dense/100000", 100000, 100000, 2, 2},
		{"small-table/100x100000", 100000, 100, 2, 2000},
		{"small-engine/100x100000", 100, 100000, 2000, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			db := openBench(b)
			importBench(b, db, benchTable(b, db, c.engine, 0, c.engStep))
			a := attached{table: benchTable(b, db, c.table, 1, c.tabStep), checked: true}
			defer a.table.remove()
			b.ReportAllocs()
			for b.Loop() {
				if err := db.checkTable(a, 0, db.Now()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(max(c.engine, c.table)), "ns/key")
		})
	}
}

// Conditional puts in key order through one iterator, of a statement that writes n
// keys into its transaction, over an engine with data.
func BenchmarkMVCCConditionalPutCreate(b *testing.B)  { benchCPut(b, 1) }
func BenchmarkMVCCConditionalPutReplace(b *testing.B) { benchCPut(b, 0) }

// benchCPut puts keys that are offset from those in the engine.
func benchCPut(b *testing.B, offset int) {
	const keys = 100000
	db := openBench(b)
	importBench(b, db, benchTable(b, db, keys, 0, 2))
	value := make([]byte, 100)
	for i := range value {
		value[i] = byte(i)
	}
	var expected []byte
	if offset == 0 {
		expected = value
	}
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var key []byte
			for b.Loop() {
				txn, err := db.Begin(TxnOptions{})
				if err != nil {
					b.Fatal(err)
				}
				it, err := txn.NewIter(bg, PrefixSpan([]byte("key-")), IterOptions{Latest: true})
				if err != nil {
					b.Fatal(err)
				}
				for i := range n {
					key = benchKey(key[:0], i*(keys/n)*2+offset)
					if err := txn.CPut(it, key, value, expected); err != nil {
						b.Fatal(err)
					}
				}
				_ = it.Close()
				txn.Rollback()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/put")
		})
	}
}

func BenchmarkTxnPutCommit(b *testing.B) {
	db := openBench(b)
	var key []byte
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		txn, err := db.Begin(TxnOptions{Sync: SyncOS})
		if err != nil {
			b.Fatal(err)
		}
		i++
		key = benchKey(key[:0], i)
		if err := txn.LockKey(bg, key, Update, Block); err != nil {
			b.Fatal(err)
		}
		if err := txn.Put(key, []byte("a value")); err != nil {
			b.Fatal(err)
		}
		if err := txn.Commit(bg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTxnScan(b *testing.B) {
	db := openBench(b)
	importBench(b, db, benchTable(b, db, 100000, 0, 1))
	txn, err := db.Begin(TxnOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer txn.Rollback()
	for _, reverse := range []bool{false, true} {
		b.Run(fmt.Sprintf("reverse=%v", reverse), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				it, err := txn.NewIter(bg, PrefixSpan([]byte("key-")), IterOptions{Reverse: reverse})
				if err != nil {
					b.Fatal(err)
				}
				for it.Next() {
				}
				if err := it.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100000, "ns/row")
		})
	}
}

func BenchmarkTxnGet(b *testing.B) {
	db := openBench(b)
	importBench(b, db, benchTable(b, db, 100000, 0, 1))
	txn, err := db.Begin(TxnOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer txn.Rollback()
	var key []byte
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		key = benchKey(key[:0], i*7919%100000)
		if _, ok, err := txn.Get(bg, key); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
