package kv

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"minidb/storage/vfs"
)

// fill commits n rows under prefix with long values that do not compress away.
func fill(t testing.TB, db *DB, prefix string, n int) {
	t.Helper()
	txn := begin(t, db, TxnOptions{})
	x := uint64(88172645463325252)
	for i := range n {
		var value []byte
		for range 12 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			value = fmt.Appendf(value, "%016x", x)
		}
		_ = txn.Put(fmt.Appendf(nil, "%s%06d", prefix, i), value)
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
}

func deleteRows(t testing.TB, db *DB, prefix string, n int) {
	t.Helper()
	txn := begin(t, db, TxnOptions{})
	for i := range n {
		_ = txn.Del(fmt.Appendf(nil, "%s%06d", prefix, i))
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
}

// countRows counts the rows under prefix.
func countRows(t testing.TB, db *DB, prefix string) int {
	t.Helper()
	txn := begin(t, db, TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	return len(strings.Fields(contents(t, txn, PrefixSpan([]byte(prefix)))))
}

// wantStored waits until the sstables have at most so many bytes: files that are
// no longer needed are removed in the background.
func wantStored(t testing.TB, db *DB, most int64) {
	t.Helper()
	n := int64(0)
	for range 2000 {
		if n = storedBytes(t, db.o.FS, "db"); n <= most {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d bytes are stored, want at most %d", n, most)
}

// settledBytes is the size of the sstables once the files that are no longer
// needed are gone.
func settledBytes(t testing.TB, db *DB) int64 {
	t.Helper()
	waitFor(t, "old files are removed", func() bool { return db.Metrics().Engine.ObsoleteFiles == 0 })
	return storedBytes(t, db.o.FS, "db")
}

func collect(t testing.TB, db *DB) {
	t.Helper()
	if err := db.CollectGarbage(bg, Span{}); err != nil {
		t.Fatal(err)
	}
}

func TestSpaceOfDeletedAndOverwrittenDataComesBack(t *testing.T) {
	fs := vfs.NewMem()
	db := openTest(t, fs)
	fill(t, db, "a", 2000)
	collect(t, db)
	full := settledBytes(t, db)
	for range 3 {
		fill(t, db, "a", 2000)
	}
	collect(t, db)
	wantStored(t, db, full*5/4)
	deleteRows(t, db, "a", 2000)
	collect(t, db)
	wantStored(t, db, full/20)
	wantNow(t, db, "")
}

func TestRunningReaderKeepsWhatItSees(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "a", "1", "b", "1")
	reader := begin(t, db, TxnOptions{Isolation: RepeatableRead})
	commitKVs(t, db, "a", "2", "b", "")
	collect(t, db)
	if got := contents(t, reader, wide); got != "a=1 b=1" {
		t.Fatalf("the reader sees %s", got)
	}
	if th := db.Metrics().Threshold; th > reader.ReadTimestamp() {
		t.Errorf("threshold %v above the read timestamp %v", th, reader.ReadTimestamp())
	}
	reader.Rollback()
	collect(t, db)
	if th := db.Metrics().Threshold; th != db.Now() {
		t.Errorf("threshold %v, published %v", th, db.Now())
	}
	wantNow(t, db, "a=2")
}

func TestReadCommittedHoldsBackOnlyItsStatement(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "a", "1")
	txn := begin(t, db, TxnOptions{})
	commitKVs(t, db, "a", "2")
	txn.NextStatement()
	collect(t, db)
	if th := db.Metrics().Threshold; th != db.Now() {
		t.Errorf("threshold %v, published %v", th, db.Now())
	}
}

func TestReadBelowTheThresholdIsRefused(t *testing.T) {
	fs := vfs.NewMem()
	db := openTest(t, fs)
	old := commitKVs(t, db, "a", "1")
	at := commitKVs(t, db, "a", "2")
	past := begin(t, db, TxnOptions{ReadOnly: true, AsOf: old})
	if got := contents(t, past, wide); got != "a=1" {
		t.Fatalf("as of the first commit: %s", got)
	}
	past.Rollback()
	collect(t, db)
	for _, db := range []*DB{db, crashed(t, fs, Options{})} { // also after a restart
		if _, err := db.Begin(TxnOptions{ReadOnly: true, AsOf: old}); !errors.Is(err, ErrTooOld) {
			t.Errorf("got %v", err)
		}
		if _, err := db.ProtectTimestamp(old); !errors.Is(err, ErrTooOld) {
			t.Errorf("protect: %v", err)
		}
		if got := contents(t, begin(t, db, TxnOptions{ReadOnly: true, AsOf: at}), wide); got != "a=2" {
			t.Errorf("at the threshold: %s", got)
		}
	}
	if _, err := db.Begin(TxnOptions{ReadOnly: true, AsOf: db.Now() + 1}); err == nil {
		t.Error("a read in the future")
	}
}

func TestProtectedTimestampStaysReadable(t *testing.T) {
	db := openTest(t, nil)
	old := commitKVs(t, db, "a", "1")
	release, err := db.ProtectTimestamp(old)
	if err != nil {
		t.Fatal(err)
	}
	commitKVs(t, db, "a", "2")
	collect(t, db)
	past := begin(t, db, TxnOptions{ReadOnly: true, AsOf: old})
	if got := contents(t, past, wide); got != "a=1" {
		t.Errorf("sees %s", got)
	}
	past.Rollback()
	release()
	release()
	collect(t, db)
	if _, err := db.Begin(TxnOptions{ReadOnly: true, AsOf: old}); !errors.Is(err, ErrTooOld) {
		t.Errorf("released: %v", err)
	}
}

// wallClock is a clock that the test moves.
type wallClock struct{ now time.Time }

func (c *wallClock) Now() time.Time { return c.now }

func TestRetentionKeepsThePastReadable(t *testing.T) {
	clock := &wallClock{now: time.Unix(1e9, 0)}
	db := openWith(t, Options{Now: clock.Now, Retention: time.Minute})
	old := commitKVs(t, db, "a", "1")
	clock.now = clock.now.Add(50 * time.Second)
	commitKVs(t, db, "a", "2")
	collect(t, db)
	past := begin(t, db, TxnOptions{ReadOnly: true, AsOf: old})
	if got := contents(t, past, wide); got != "a=1" {
		t.Errorf("sees %s", got)
	}
	past.Rollback()
	clock.now = clock.now.Add(50 * time.Second)
	commitKVs(t, db, "a", "3")
	collect(t, db)
	if _, err := db.Begin(TxnOptions{ReadOnly: true, AsOf: old}); !errors.Is(err, ErrTooOld) {
		t.Errorf("beyond retention: %v", err)
	}
}

func dropSpan(t testing.TB, db *DB, prefix string) {
	t.Helper()
	txn := begin(t, db, TxnOptions{})
	txn.DropSpan(PrefixSpan([]byte(prefix)))
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
}

func TestSpaceOfADroppedSpanComesBackAndTheRecordIsForgotten(t *testing.T) {
	fs := vfs.NewMem()
	db := openTest(t, fs)
	fill(t, db, "a", 1000)
	fill(t, db, "b", 2000)
	fill(t, db, "c", 1000)
	collect(t, db)
	full := settledBytes(t, db)
	dropSpan(t, db, "b")
	if n := db.Metrics().Drops; n != 1 {
		t.Fatalf("%d drops", n)
	}
	collect(t, db)
	wantStored(t, db, full*11/20)
	if n := db.Metrics().Drops; n != 0 {
		t.Errorf("%d drops left", n)
	}
	if a, b, c := countRows(t, db, "a"), countRows(t, db, "b"), countRows(t, db, "c"); a != 1000 || b != 0 || c != 1000 {
		t.Errorf("%d, %d, %d rows", a, b, c)
	}
	again := crashed(t, fs, Options{})
	if n := again.Metrics().Drops; n != 0 {
		t.Errorf("%d drops after a restart", n)
	}
}

func TestDroppedSpanSurvivesARestart(t *testing.T) {
	fs := vfs.NewMem()
	db := openTest(t, fs)
	fill(t, db, "b", 1000)
	dropSpan(t, db, "b")
	again := crashed(t, fs, Options{})
	if n := again.Metrics().Drops; n != 1 {
		t.Fatalf("%d drops", n)
	}
	collect(t, again)
	wantStored(t, again, 20000)
	wantNow(t, again, "")
}

func TestDroppedSpanStaysForThoseWhoReadBeforeIt(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "b1", "v", "b2", "v")
	reader := begin(t, db, TxnOptions{Isolation: RepeatableRead})
	dropSpan(t, db, "b")
	collect(t, db)
	if got := contents(t, reader, wide); got != "b1=v b2=v" {
		t.Errorf("sees %s", got)
	}
	if n := db.Metrics().Drops; n != 1 {
		t.Errorf("%d drops", n)
	}
	reader.Rollback()
	collect(t, db)
	wantNow(t, db, "")
}

func TestRolledBackDropIsNone(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "b1", "v")
	txn := begin(t, db, TxnOptions{})
	s := txn.Savepoint()
	txn.DropSpan(PrefixSpan([]byte("b")))
	txn.RollbackTo(s)
	_ = txn.Put([]byte("c"), []byte("v"))
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	collect(t, db)
	wantNow(t, db, "b1=v c=v")
}

func TestDropInTheSameCommitAsAnImport(t *testing.T) {
	fs := vfs.NewMem()
	db := openTest(t, fs)
	commitKVs(t, db, "b1", "old")
	txn := mustAttach(t, db, build(t, db, "c1", "new"))
	txn.DropSpan(PrefixSpan([]byte("b")))
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	again := crashed(t, fs, Options{})
	for _, db := range []*DB{db, again} {
		collect(t, db)
		wantNow(t, db, "c1=new")
	}
}

func TestBackgroundAdvancesTheThreshold(t *testing.T) {
	db := openWith(t, Options{GCInterval: time.Millisecond})
	commitKVs(t, db, "b1", "v")
	dropSpan(t, db, "b")
	waitFor(t, "the drop is collected", func() bool { return db.Metrics().Drops == 0 })
	wantNow(t, db, "")
}
