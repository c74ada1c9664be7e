package kv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"minidb/storage/vfs"
)

// attach adds tables to a new transaction.
func attach(t testing.TB, db *DB, o TxnOptions, tables ...*SSTable) (*Txn, error) {
	t.Helper()
	txn := begin(t, db, o)
	return txn, txn.AddSSTables(bg, tables, AddOptions{CheckConflicts: true})
}

func mustAttach(t testing.TB, db *DB, tables ...*SSTable) *Txn {
	t.Helper()
	txn, err := attach(t, db, TxnOptions{}, tables...)
	if err != nil {
		t.Fatal(err)
	}
	return txn
}

func wantConflict(t testing.TB, err error, key, existing string, table int) {
	t.Helper()
	var c *ConflictError
	if !errors.As(err, &c) || string(c.Key) != key || string(c.Existing) != existing || c.Table != table {
		t.Fatalf("got %v (%+v), want a conflict at %s", err, c, key)
	}
}

func TestImportBecomesVisibleWithTheTransactionsOtherWrites(t *testing.T) {
	db := openTest(t, nil)
	txn := mustAttach(t, db, build(t, db, "b1", "x", "b2", "y"), build(t, db, "c1", "z"))
	_ = txn.Put([]byte("a"), []byte("job"))
	_ = txn.Put([]byte("b3"), []byte("beside"))
	wantNow(t, db, "")
	txn.NextStatement()
	if got := contents(t, txn, wide); got != "a=job b3=beside" {
		t.Fatalf("the transaction sees %s", got)
	}
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	wantNow(t, db, "a=job b1=x b2=y b3=beside c1=z")
	if txn.CommitTimestamp() != db.Now() {
		t.Errorf("committed at %v, published %v", txn.CommitTimestamp(), db.Now())
	}
	wantNoTrace(t, db)
}

func TestReadersSeeAllOrNothingOfAnImport(t *testing.T) {
	db := openTest(t, nil)
	const tables, each = 3, 400
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				txn, err := db.Begin(TxnOptions{ReadOnly: true})
				if err != nil {
					t.Error(err)
					return
				}
				got, err := scanAll(txn, wide, IterOptions{})
				txn.Rollback()
				if n := len(strings.Fields(got)); err != nil || n%(tables*each+1) != 0 {
					t.Errorf("a reader saw %d rows: %v", n, err)
					return
				}
			}
		})
	}
	for round := range 5 {
		var ts []*SSTable
		for i := range tables {
			ts = append(ts, build(t, db, rows(fmt.Sprintf("%d-%d-", round, i), each)...))
		}
		txn := mustAttach(t, db, ts...)
		_ = txn.Put(fmt.Appendf(nil, "%d-job", round), []byte("done"))
		if err := txn.Commit(bg); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestImportConflictsWithALiveKey(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "b5", "old", "d", "old")
	txn, err := attach(t, db, TxnOptions{}, build(t, db, "a", "1"), build(t, db, "b1", "1", "b5", "2"))
	wantConflict(t, err, "b5", "old", 1)
	txn.Rollback()
	wantNow(t, db, "b5=old d=old")
	wantNoTrace(t, db)
}

func TestImportOverADeletedKeyIsNoConflict(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "b", "old")
	commitKVs(t, db, "b", "")
	if err := mustAttach(t, db, build(t, db, "a", "1", "b", "2")).Commit(bg); err != nil {
		t.Fatal(err)
	}
	wantNow(t, db, "a=1 b=2")
}

func TestImportFindsARowCommittedAfterItsSnapshot(t *testing.T) {
	db := openTest(t, nil)
	txn := mustAttach(t, db, build(t, db, "a", "1", "b", "2", "c", "3"))
	commitKVs(t, db, "b", "between")
	wantConflict(t, txn.Commit(bg), "b", "between", 0)
	wantNow(t, db, "b=between")
	wantNoTrace(t, db)
	// A row that came and went does not disturb.
	txn = mustAttach(t, db, build(t, db, "x", "1", "y", "2"))
	commitKVs(t, db, "x", "between")
	commitKVs(t, db, "x", "")
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	wantNow(t, db, "b=between x=1 y=2")
}

func TestImportFindsARowCommittedAfterItsSnapshotWhenTheWindowForgotIt(t *testing.T) {
	db := openTest(t, nil)
	txn := mustAttach(t, db, build(t, db, "a", "1", "b", "2"))
	commitKVs(t, db, "b", "between")
	for range 70 {
		commitKVs(t, db, "other", "v")
	}
	wantConflict(t, txn.Commit(bg), "b", "between", 0)
}

func TestImportWaitsForAWriterInItsSpanAndFindsItsRow(t *testing.T) {
	db := openTest(t, nil)
	writer := begin(t, db, TxnOptions{})
	if err := writer.LockKey(bg, []byte("b"), Update, Block); err != nil {
		t.Fatal(err)
	}
	_ = writer.Put([]byte("b"), []byte("w"))
	txn := mustAttach(t, db, build(t, db, "a", "1", "b", "2", "c", "3"))
	done := make(chan error, 1)
	go func() { done <- txn.Commit(bg) }()
	waitFor(t, "the import waits", func() bool { return db.Metrics().Waiters == 1 })
	// New grants in the span have stopped, except for the one it waits for.
	other := begin(t, db, TxnOptions{})
	if err := other.LockKey(bg, []byte("c"), Update, NoWait); !errors.Is(err, ErrLockNotAvailable) {
		t.Errorf("a grant in the span of a waiting import: %v", err)
	}
	if err := writer.LockKey(bg, []byte("c"), Update, NoWait); err != nil {
		t.Errorf("the writer the import waits for: %v", err)
	}
	if err := writer.Commit(bg); err != nil {
		t.Fatal(err)
	}
	wantConflict(t, <-done, "b", "w", 0)
	wantNow(t, db, "b=w")
}

func TestInserterThatWaitsForAnImportFindsItsRow(t *testing.T) {
	db := openTest(t, nil)
	txn := mustAttach(t, db, build(t, db, "a", "1", "b", "2"))
	if err := txn.lockTables(bg); err != nil {
		t.Fatal(err)
	}
	inserter := begin(t, db, TxnOptions{})
	it, err := inserter.NewIter(bg, wide, IterOptions{Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	done := make(chan error, 1)
	go func() {
		if err := inserter.LockKey(bg, []byte("b"), Update, Block); err != nil {
			done <- err
			return
		}
		done <- inserter.CPut(it, []byte("b"), []byte("mine"), nil)
	}()
	waitFor(t, "the inserter waits", func() bool { return db.Metrics().Waiters == 1 })
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	var failed *ConditionFailedError
	if err := <-done; !errors.As(err, &failed) || string(failed.Actual) != "2" {
		t.Fatalf("got %v", err)
	}
}

func TestDeadlockBetweenTwoImportsIsRefused(t *testing.T) {
	db := openTest(t, nil)
	x := mustAttach(t, db, build(t, db, "a1", "1", "a9", "1"), build(t, db, "b1", "1", "b9", "1"))
	y := mustAttach(t, db, build(t, db, "a5", "2"), build(t, db, "b5", "2"))
	// Each holds what the other's commit wants.
	if err := x.LockSpan(bg, PrefixSpan([]byte("b")), Update, Block); err != nil {
		t.Fatal(err)
	}
	if err := y.LockSpan(bg, PrefixSpan([]byte("a")), Update, Block); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- x.Commit(bg) }()
	waitFor(t, "one waits", func() bool { return db.Metrics().Waiters == 1 })
	if err := y.Commit(bg); !errors.Is(err, ErrDeadlock) {
		t.Fatalf("got %v", err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	wantNow(t, db, "a1=1 a9=1 b1=1 b9=1")
	wantNoTrace(t, db)
}

func TestImportHonoursLockTimeoutAndCancel(t *testing.T) {
	db := openTest(t, nil)
	holder := begin(t, db, TxnOptions{})
	if err := holder.LockKey(bg, []byte("a"), KeyShare, Block); err != nil {
		t.Fatal(err)
	}
	txn, err := attach(t, db, TxnOptions{LockTimeout: time.Millisecond}, build(t, db, "a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := txn.Commit(bg); !errors.Is(err, ErrLockTimeout) {
		t.Fatalf("got %v", err)
	}
	cause := errors.New("user's request")
	ctx, cancel := context.WithCancelCause(bg)
	txn = mustAttach(t, db, build(t, db, "a", "1"))
	done := make(chan error, 1)
	go func() { done <- txn.Commit(ctx) }()
	waitFor(t, "the import waits", func() bool { return db.Metrics().Waiters == 1 })
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Fatalf("got %v", err)
	}
	holder.Rollback()
	wantNow(t, db, "")
	wantNoTrace(t, db)
}

func TestCancelDuringTheRewriteLeavesNothing(t *testing.T) {
	fs := vfs.NewFault(vfs.NewMem())
	db := openTest(t, fs)
	ctx, cancel := context.WithCancel(bg)
	txn := mustAttach(t, db, build(t, db, rows("a", 2000)...))
	_ = txn.Put([]byte("job"), []byte("done"))
	before := db.Now()
	fs.SetHook(func(op vfs.Op, name string) error {
		if op == vfs.OpCreate && strings.Contains(name, "staging") {
			cancel()
		}
		return nil
	})
	if err := txn.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	fs.SetHook(nil)
	wantNow(t, db, "")
	wantNoTrace(t, db)
	// Its timestamp is passed over.
	if at := commitKVs(t, db, "k", "v"); db.Now() != at || at <= before {
		t.Errorf("published %v after a commit at %v", db.Now(), at)
	}
}

// Every call of an import's commit that can fail does, one after the other.
func TestFailedImportLeavesNothing(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpCreate, vfs.OpOpen, vfs.OpWrite, vfs.OpSync, vfs.OpLink, vfs.OpSyncDir} {
		t.Run(op.String(), func(t *testing.T) {
			for n := 1; ; n++ {
				if !failImport(t, op, n) {
					if n == 1 {
						t.Fatalf("an import makes no call of %v", op)
					}
					return
				}
			}
		})
	}
}

// failImport lets the n-th call of op in an import's commit fail and reports
// whether there was one.
func failImport(t *testing.T, op vfs.Op, n int) bool {
	disk := errors.New("injected")
	mem := vfs.NewMem()
	fs := vfs.NewFault(mem)
	o := Options{FS: fs, Dir: "db", GCInterval: -1, DisableAutoCompactions: true}
	db, err := Open(bg, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	commitKVs(t, db, "k", "before")
	txn := mustAttach(t, db, build(t, db, "a", "1", "b", "2"), build(t, db, "c", "3"))
	_ = txn.Put([]byte("job"), []byte("done"))
	fs.FailNth(op, n, disk, false)
	err = txn.Commit(bg)
	fs.Heal()
	const before, after = "k=before", "a=1 b=2 c=3 job=done k=before"
	switch {
	case err == nil:
		wantNow(t, db, after)
	case errors.Is(err, ErrOutcomeUnknown):
		wantNow(t, db, before)
		if next, err := db.Begin(TxnOptions{}); err == nil {
			_ = next.Put([]byte("k"), []byte("x"))
			if next.Commit(bg) == nil {
				t.Errorf("%v %d: a commit after an unknown outcome", op, n)
			}
		}
		wantNoTrace(t, db)
	default:
		wantNow(t, db, before)
		wantNoTrace(t, db)
	}
	// A restart shows the same, or decides what was unknown.
	again := crashed(t, mem, Options{})
	got := now(t, again)
	if got != before && got != after || err == nil && got != after ||
		err != nil && !errors.Is(err, ErrOutcomeUnknown) && got != before {
		t.Errorf("%v %d: commit said %v, a restart shows %s", op, n, err, got)
	}
	return err != nil
}

func TestFullDiskFailsAnImportAndLeavesTheStoreUsable(t *testing.T) {
	fs := vfs.NewFault(vfs.NewMem())
	db := openTest(t, fs)
	commitKVs(t, db, "k", "v")
	txn := mustAttach(t, db, build(t, db, rows("a", 5000)...))
	fs.SetBudget(1000)
	if err := txn.Commit(bg); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	wantNow(t, db, "k=v")
	fs.Heal()
	wantNoTrace(t, db)
	commitKVs(t, db, "l", "w")
	wantNow(t, db, "k=v l=w")
}

func TestTablesThatShareAKeyAreRefused(t *testing.T) {
	db := openTest(t, nil)
	_, err := attach(t, db, TxnOptions{}, build(t, db, "a", "1", "d", "1"), build(t, db, "b", "2", "c", "2"), build(t, db, "c", "3", "e", "3"))
	var c *ConflictError
	if !errors.As(err, &c) || string(c.Key) != "c" || c.Table != 2 || c.Other != 1 {
		t.Fatalf("got %v %+v", err, c)
	}
	// In two calls too.
	txn := mustAttach(t, db, build(t, db, "m", "1"))
	if err := txn.AddSSTables(bg, []*SSTable{build(t, db, "m", "2")}, AddOptions{}); !errors.As(err, &c) {
		t.Fatalf("got %v", err)
	}
}

func TestTableAndOwnWritesThatShareAKeyAreRefused(t *testing.T) {
	db := openTest(t, nil)
	txn := mustAttach(t, db, build(t, db, "a", "1", "b", "2"))
	_ = txn.Put([]byte("b"), []byte("mine"))
	wantConflict(t, txn.Commit(bg), "b", "mine", 0)
	wantNow(t, db, "")
}

func TestRollbackRemovesTables(t *testing.T) {
	db := openTest(t, nil)
	txn := mustAttach(t, db, build(t, db, "a", "1"))
	s := txn.Savepoint()
	if err := txn.AddSSTables(bg, []*SSTable{build(t, db, "b", "1")}, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	txn.RollbackTo(s)
	if names, _ := db.o.FS.List(db.eng.StagingDir()); len(names) != 1 {
		t.Fatalf("staged: %v", names)
	}
	txn.Rollback()
	build(t, db, "c", "1").Remove()
	b, err := db.NewSSTable(SSTableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Abort()
	wantNoTrace(t, db)
	wantNow(t, db, "")
}

func TestOpenRemovesStagedFiles(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, mem)
	mustAttach(t, db, build(t, db, "a", "1"))
	build(t, db, "b", "1")
	// Nothing is lost by this crash: the files are there for Open to remove.
	clone := mem.CrashClone(vfs.CrashOptions{Seed: 1, KeepUnsynced: 1})
	if names, err := clone.List(db.eng.StagingDir()); err != nil || len(names) == 0 {
		t.Fatalf("the test leaves nothing to remove: %v", err)
	}
	wantNoTrace(t, openTest(t, clone))
}

func TestLargeWriteSetCommitsByOneIngest(t *testing.T) {
	mem := vfs.NewMem()
	o := Options{FS: mem, BufferBytes: 1000}
	db := openWith(t, o)
	commitKVs(t, db, "m000003", "old", "m000004", "old")
	txn := begin(t, db, TxnOptions{})
	for _, k := range keysOf(rows("m", 200)) {
		_ = txn.Put([]byte(k), []byte("new"))
	}
	_ = txn.Del([]byte("m000004"))
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	if db.Metrics().Engine.IngestedFiles != 1 {
		t.Errorf("ingested %d files", db.Metrics().Engine.IngestedFiles)
	}
	got := now(t, db)
	if n := strings.Count(got, "=new"); n != 199 || strings.Contains(got, "m000004") {
		t.Fatalf("%d rows: %s", n, got)
	}
	if again := now(t, crashed(t, mem, o)); again != got {
		t.Errorf("after a crash: %s", again)
	}
}

func TestSSTableRefusesWhatAStoreCannotHold(t *testing.T) {
	db := openTest(t, nil)
	b, err := db.NewSSTable(SSTableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Abort()
	for _, c := range []struct {
		key, value string
		want       error
	}{{"", "v", ErrInvalidKey}, {"\x00a", "v", ErrInvalidKey}, {"k", "", ErrEmptyValue}} {
		if err := b.Add([]byte(c.key), []byte(c.value)); !errors.Is(err, c.want) {
			t.Errorf("%q=%q: %v", c.key, c.value, err)
		}
	}
	if err := b.Add([]byte("k"), []byte("v")); err != nil {
		t.Fatal(err)
	}
	if err := b.Add([]byte("j"), []byte("v")); err == nil {
		t.Error("a key below the last one")
	}
	empty, err := db.NewSSTable(SSTableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Finish(); err == nil {
		t.Error("an sstable without entries")
	}
}
