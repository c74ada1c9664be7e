package kv

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"minidb/kv/internal/resolver"
	"minidb/storage/vfs"
)

func TestTimestampsContinueAboveAllEarlierOnesAfterARestart(t *testing.T) {
	fs := vfs.NewMem()
	clock := &wallClock{now: time.Unix(2e9, 0)}
	db := openWith(t, Options{FS: fs, Now: clock.Now})
	last := commitKVs(t, db, "a", "1")
	// The clock is far behind at the next start.
	clock = &wallClock{now: time.Unix(1e9, 0)}
	again := crashed(t, fs, Options{Now: clock.Now})
	wantNow(t, again, "a=1")
	if at := commitKVs(t, again, "a", "2"); at <= last {
		t.Errorf("%v after %v", at, last)
	}
	wantNow(t, again, "a=2")
}

func TestStartWithTheClockFarAheadIsRefusedUnlessAllowed(t *testing.T) {
	fs := vfs.NewMem()
	db := openWith(t, Options{FS: fs, Now: (&wallClock{now: time.Unix(1e9, 0)}).Now})
	commitKVs(t, db, "a", "1")
	o := Options{
		FS: fs.CrashClone(vfs.CrashOptions{Seed: 1}), Dir: "db", GCInterval: -1,
		Now: (&wallClock{now: time.Unix(3e9, 0)}).Now,
	}
	if _, err := Open(bg, o); !errors.Is(err, ErrClockJump) {
		t.Fatalf("got %v", err)
	}
	o.AllowClockJump = true
	again := openWith(t, o)
	commitKVs(t, again, "b", "2")
	wantNow(t, again, "a=1 b=2")
}

func TestCountersNeverRepeatAlsoAfterACrash(t *testing.T) {
	fs := vfs.NewMem()
	seen := map[string]map[uint64]bool{"rows": {}, "oids": {}}
	for range 4 {
		db := openTest(t, fs)
		var mu sync.Mutex
		var wg sync.WaitGroup
		for w := range 3 {
			wg.Go(func() {
				name := []string{"rows", "oids"}[w%2]
				for i := range 30 {
					n := uint64(1 + i%5*20)
					first, err := db.Allocate(bg, []byte(name), n)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for v := first; v < first+n; v++ {
						if v == 0 || seen[name][v] {
							t.Errorf("%s: %d twice", name, v)
						}
						seen[name][v] = true
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		fs = fs.CrashClone(vfs.CrashOptions{Seed: 1})
	}
}

func TestGarbageCollectionKeepsTheStoresOwnRecords(t *testing.T) {
	fs := vfs.NewMem()
	db := openTest(t, fs)
	first, err := db.Allocate(bg, []byte("c"), 100)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := db.Allocate(bg, []byte("c"), 100); err != nil {
			t.Fatal(err)
		}
		commitKVs(t, db, "k", "v")
		collect(t, db)
	}
	again := crashed(t, fs, Options{})
	next, err := again.Allocate(bg, []byte("c"), 1)
	if err != nil || next < first+400 {
		t.Errorf("%d after 400 from %d: %v", next, first, err)
	}
}

func TestFailedLogStopsPublicationAndReadsGoOn(t *testing.T) {
	mem := vfs.NewMem()
	fs := vfs.NewFault(mem)
	db, err := Open(bg, Options{FS: fs, Dir: "db", GCInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	commitKVs(t, db, "a", "1")
	disk := errors.New("injected")
	txn := begin(t, db, TxnOptions{})
	if err := txn.LockKey(bg, []byte("b"), Update, Block); err != nil {
		t.Fatal(err)
	}
	_ = txn.Put([]byte("b"), []byte("2"))
	fs.FailNth(vfs.OpSync, 1, disk, false)
	if err := txn.Commit(bg); !errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, disk) {
		t.Fatalf("got %v", err)
	}
	fs.Heal()
	wantNow(t, db, "a=1")
	next := begin(t, db, TxnOptions{})
	if err := next.LockKey(bg, []byte("b"), Update, NoWait); err != nil {
		t.Errorf("the lock is not given back: %v", err)
	}
	_ = next.Put([]byte("c"), []byte("3"))
	if err := next.Commit(bg); err == nil || errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, disk) {
		t.Errorf("a later commit: %v", err)
	}
	wantNow(t, db, "a=1")
	if _, err := db.Allocate(bg, []byte("n"), 1000); err == nil {
		t.Error("a counter moved")
	}
	if got := now(t, crashed(t, mem, Options{})); got != "a=1" && got != "a=1 b=2" {
		t.Errorf("after a restart: %s", got)
	}
}

func TestEndedTransactionsAndClosedStoresRefuse(t *testing.T) {
	db, err := Open(bg, Options{FS: vfs.NewMem(), Dir: "db"})
	if err != nil {
		t.Fatal(err)
	}
	txn := begin(t, db, TxnOptions{})
	if err := txn.Commit(bg); err != nil {
		t.Fatal(err)
	}
	if txn.CommitTimestamp() != 0 {
		t.Error("a commit without writes took a timestamp")
	}
	_, _, err = txn.Get(bg, []byte("k"))
	for _, err := range []error{err, txn.Put([]byte("k"), []byte("v")), txn.Commit(bg), txn.LockKey(bg, []byte("k"), Share, Block)} {
		if !errors.Is(err, ErrTxnDone) {
			t.Errorf("ended: %v", err)
		}
	}
	ro := begin(t, db, TxnOptions{ReadOnly: true})
	if err := ro.Put([]byte("k"), []byte("v")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
	rw := begin(t, db, TxnOptions{})
	for key, want := range map[string]error{"": ErrInvalidKey, "\x00d": ErrInvalidKey} {
		if err := rw.Put([]byte(key), []byte("v")); !errors.Is(err, want) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if err := rw.Put([]byte("k"), nil); !errors.Is(err, ErrEmptyValue) {
		t.Errorf("empty value: %v", err)
	}
	if _, err := db.Begin(TxnOptions{Isolation: Serializable}); !errors.Is(err, ErrUnsupportedIsolation) {
		t.Errorf("serializable: %v", err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, _, err := rw.Get(ctx, []byte("k")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ro.Rollback()
	rw.Rollback()
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Begin(TxnOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := db.Allocate(bg, []byte("n"), 1); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestLockIsReleasedOnlyAfterPublication(t *testing.T) {
	db := openTest(t, nil)
	// An earlier commit is still on its way.
	earlier := &slot{}
	if err := db.enter(earlier, &resolver.Keys{}, nil, nil); err != nil {
		t.Fatal(err)
	}
	w := begin(t, db, TxnOptions{})
	if err := w.LockKey(bg, []byte("k"), Update, Block); err != nil {
		t.Fatal(err)
	}
	_ = w.Put([]byte("k"), []byte("v"))
	done := make(chan error, 1)
	go func() { done <- w.Commit(bg) }()
	waitFor(t, "the commit waits to be published", func() bool {
		db.published.mu.Lock()
		defer db.published.mu.Unlock()
		return w.slot.wake != nil
	})
	r := begin(t, db, TxnOptions{})
	if err := r.LockKey(bg, []byte("k"), KeyShare, NoWait); !errors.Is(err, ErrLockNotAvailable) {
		t.Errorf("the lock of an unpublished commit: %v", err)
	}
	wantNow(t, db, "")
	db.published.void(earlier)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := r.LockKey(bg, []byte("k"), KeyShare, NoWait); err != nil {
		t.Error(err)
	}
	wantNow(t, db, "k=v")
}

func TestScanAllocatesNothingPerRow(t *testing.T) {
	db := openTest(t, nil)
	fill(t, db, "a", 2000)
	collect(t, db)
	txn := begin(t, db, TxnOptions{})
	scan := func(rows int) float64 {
		return testing.AllocsPerRun(5, func() {
			it, err := txn.NewIter(bg, wide, IterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer it.Close()
			for range rows {
				if !it.Next() {
					t.Fatal("too few rows")
				}
			}
		})
	}
	short, long := scan(10), scan(1900)
	// The blocks of a table are read into the cache; rows are not allocated.
	if long > short+100 {
		t.Errorf("10 rows: %v allocations, 1900 rows: %v", short, long)
	}
}

func TestSharedIteratorSeesNoStaleSeek(t *testing.T) {
	db := openTest(t, nil)
	commitKVs(t, db, "b", "1", "d", "1", "f", "1")
	txn := begin(t, db, TxnOptions{})
	it, err := txn.NewIter(bg, wide, IterOptions{Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	walk := func(steps ...string) (got []string) {
		for _, s := range steps {
			ok := false
			if s == "next" {
				ok = it.Next()
			} else {
				ok = it.SeekGE([]byte(s))
			}
			if !ok {
				got = append(got, "-")
				continue
			}
			got = append(got, string(it.Key()))
		}
		return got
	}
	for _, c := range []struct{ steps, want []string }{
		{[]string{"a", "next", "next", "c"}, []string{"b", "d", "f", "d"}}, // back over a step
		{[]string{"c", "d", "c", "b"}, []string{"d", "d", "d", "b"}},
		{[]string{"g", "e", "g", "a"}, []string{"-", "f", "-", "b"}}, // back from the end
		{[]string{"e", "next", "e"}, []string{"f", "-", "f"}},
	} {
		if got := walk(c.steps...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.steps, got, c.want)
		}
	}
	// Own writes and others' commits between two seeks.
	_ = txn.Put([]byte("c"), []byte("own"))
	commitKVs(t, db, "a", "new", "f", "")
	if got := walk("a", "next", "next", "next", "next"); !slices.Equal(got, []string{"a", "b", "c", "d", "-"}) {
		t.Errorf("got %v", got)
	}
	_ = txn.Put([]byte("e"), []byte("own"))
	if got := walk("e"); got[0] != "e" {
		t.Errorf("got %v", got)
	}
}
