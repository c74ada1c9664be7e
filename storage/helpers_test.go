package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"minidb/sstable"
	"minidb/storage/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testDir = "/db"

// testSuffix is the suffix of version ts: newer ones come first.
func testSuffix(ts uint64) []byte { return binary.BigEndian.AppendUint64(nil, ^ts) }

// testKey makes a key from its human form, prefix@version.
func testKey(s string) []byte {
	p, ts, ok := strings.Cut(s, "@")
	if !ok {
		panic("a key is prefix@version: " + s)
	}
	n, err := strconv.ParseUint(ts, 10, 64)
	if err != nil {
		panic(err)
	}
	return append([]byte(p), testSuffix(n)...)
}

// showKey is the human form of a key.
func showKey(key []byte) string {
	return fmt.Sprintf("%s@%d", key[:Split(key)], showTS(key[Split(key):]))
}

func showTS(suffix []byte) uint64 { return ^binary.BigEndian.Uint64(suffix) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// smallOptions make flushes and compactions happen with little data.
func smallOptions(fsys vfs.FS) Options {
	return Options{
		FS: fsys, MemtableBytes: 64 << 10, BlockBytes: 256, TargetFileBytes: 8 << 10,
		BaseLevelBytes: 16 << 10, CacheBytes: 64 << 10, MaxOpenTables: 4,
	}
}

// manualOptions leave flushes and compactions to the test.
func manualOptions(fsys vfs.FS) Options {
	o := smallOptions(fsys)
	o.DisableAutoCompactions = true
	return o
}

func openTest(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(testDir, o)
	must(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// put commits facts of the form "a@5=value"; "a@5" alone is a tombstone.
func put(t testing.TB, db *DB, mode SyncMode, facts ...string) {
	t.Helper()
	must(t, db.Apply(batchOf(facts...), mode))
}

func batchOf(facts ...string) *Batch {
	b := NewBatch()
	for _, f := range facts {
		k, v, _ := strings.Cut(f, "=")
		b.Set(testKey(k), []byte(v))
	}
	return b
}

// writeTable makes a synced sstable of facts, which ascend.
func writeTable(t testing.TB, fsys vfs.FS, name string, facts ...string) string {
	t.Helper()
	f, err := fsys.Create(name)
	must(t, err)
	w := sstable.NewWriter(f, sstable.WriterOptions{BlockBytes: 256})
	for key, value := range batchOf(facts...).All() {
		must(t, w.Set(key, value))
	}
	_, err = w.Close()
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
	return name
}

// scan returns all facts as "a@5=v", separated by blanks.
func scan(t testing.TB, db *DB) string {
	t.Helper()
	it, err := db.NewIter(IterOptions{})
	must(t, err)
	var out []string
	for ok := it.First(); ok; ok = it.Next() {
		out = append(out, showKey(it.Key())+"="+string(it.Value()))
	}
	must(t, it.Close())
	return strings.Join(out, " ")
}

// levels shows where the files lie: "L0:2 L6:1".
func levels(db *DB) string {
	var out []string
	for level, l := range db.Metrics().Levels {
		if l.Files > 0 {
			out = append(out, fmt.Sprintf("L%d:%d", level, l.Files))
		}
	}
	return strings.Join(out, " ")
}

// get returns "v@ts" of the newest version at or below ts, or "-".
func get(t testing.TB, db *DB, prefix string, ts uint64) string {
	t.Helper()
	value, found, closer, err := db.Get([]byte(prefix), testSuffix(ts))
	must(t, err)
	if found == nil {
		if closer != nil {
			t.Fatal("a closer for nothing found")
		}
		return "-"
	}
	s := fmt.Sprintf("%s@%d", value, showTS(found))
	must(t, closer.Close())
	return s
}
