package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"

	"minidb/sstable"
	"minidb/storage/vfs"
)

// TestCrashAtAnyCall cuts the power in the midst of calls to the file system,
// those of background work included.
func TestCrashAtAnyCall(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		mem := vfs.NewMem()
		fault := vfs.NewFault(mem)
		m := &model{}
		w := newWorld(t, seed, fault, m)
		type cut struct {
			fs            *vfs.Mem
			acked, issued int64
			what          string
		}
		var mu sync.Mutex
		var cuts []cut
		rng := rand.New(rand.NewPCG(seed, 2))
		fault.SetHook(func(op vfs.Op, name string) error {
			mu.Lock()
			defer mu.Unlock()
			if op != vfs.OpRead && rng.IntN(20) == 0 {
				acked := m.acked.Load() // before the clone: it may only grow
				o := vfs.CrashOptions{Seed: rng.Uint64(), KeepUnsynced: []float64{0, 0.5, 1}[rng.IntN(3)], TearBytes: 64}
				cuts = append(cuts, cut{mem.CrashClone(o), acked, m.issued.Load(), fmt.Sprintf("%v %s keep %v", op, name, o.KeepUnsynced)})
			}
			return nil
		})
		must(t, w.open())
		for range 80 {
			must(t, w.step())
		}
		must(t, w.db.Close())
		fault.Heal()
		for _, c := range cuts {
			o := w.o
			o.FS = c.fs
			db, err := Open(testDir, o)
			if err != nil {
				t.Fatalf("after a crash at %s: %v", c.what, err)
			}
			m.acked.Store(c.acked)
			m.issued.Store(c.issued)
			m.survivors(t, db)
			must(t, db.Close())
			if t.Failed() {
				t.Fatalf("crash at %s", c.what)
			}
		}
	})
}

var errInjected = errors.New("injected")

// TestFailingCallsLoseNothing makes the n-th call of each kind fail, once. Whatever
// the store then refuses, after a restart it holds what it acknowledged.
func TestFailingCallsLoseNothing(t *testing.T) {
	kinds := []vfs.Op{
		vfs.OpCreate, vfs.OpOpen, vfs.OpOpenReadWrite, vfs.OpLink, vfs.OpRename, vfs.OpRemove, vfs.OpList,
		vfs.OpStat, vfs.OpSyncDir, vfs.OpRead, vfs.OpWrite, vfs.OpSync, vfs.OpPreallocate,
	}
	for _, op := range kinds {
		t.Run(op.String(), func(t *testing.T) {
			for n := 1; n <= int(*modelCount); n++ {
				testFailingCall(t, op, n, errInjected)
			}
		})
	}
}

func testFailingCall(t *testing.T, op vfs.Op, n int, injected error) {
	mem := vfs.NewMem()
	fault := vfs.NewFault(mem)
	w := newWorld(t, uint64(n), fault, &model{})
	w.log = append(w.log, fmt.Sprintf("failing %v %d", op, n))
	fault.FailNth(op, n, injected, false)
	known := func(err error) {
		if err != nil && !errors.Is(err, injected) && !errors.Is(err, ErrReadOnly) {
			t.Fatalf("%v %d: unexpected error %v", op, n, err)
		}
	}
	if err := w.open(); err != nil {
		known(err)
		must(t, w.open())
	}
	for range 60 {
		known(w.try())
	}
	known(w.db.Close())
	fault.Heal()
	must(t, w.open())
	w.recovered()
	must(t, w.db.VerifyChecksums())
	for range 20 {
		must(t, w.step())
	}
	w.check()
	must(t, w.db.Close())
	w.fs, w.o.FS = mem, mem
}

// try is a step without checks, which a failing read may fail.
func (w *world) try() error {
	switch n := w.rng.IntN(10); {
	case n < 7:
		return w.put()
	case n < 8:
		return w.ingest()
	case n < 9:
		return w.db.Flush()
	default:
		return w.db.Compact(nil, nil)
	}
}

// TestFullDisk fills the disk at any byte: every error is ENOSPC, reads go on, and
// when there is space again the store takes writes, if need be after a restart.
func TestFullDisk(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		mem := vfs.NewMem()
		fault := vfs.NewFault(mem)
		w := newWorld(t, seed, fault, &model{})
		must(t, w.open())
		fault.SetBudget(int64(w.rng.IntN(300 << 10)))
		refused := 0
		for range 150 {
			if err := w.try(); err != nil {
				refused++
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("not ENOSPC: %v", err)
				}
			}
		}
		readOnly := w.db.fatal.Load() != nil
		if !readOnly {
			w.check()
		}
		w.log = append(w.log, fmt.Sprintf("%d refused, read-only %v", refused, readOnly))
		if w.rng.IntN(2) == 0 { // a restart on the full disk can be read
			_ = w.db.Close()
			must(t, w.open())
			w.recovered()
			w.check()
		}
		fault.Heal()
		if w.db.fatal.Load() != nil {
			_ = w.db.Close()
			must(t, w.open())
			w.recovered()
		}
		for range 30 {
			if err := w.try(); err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err) // a background flush may still have to notice the space
			}
		}
		must(t, w.db.Flush())
		must(t, w.put())
		w.check()
		must(t, w.db.Close())
	})
}

// TestFailedSyncIsFinal: the error names the file, reads go on, writes are refused.
func TestFailedSyncIsFinal(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpSync, vfs.OpWrite} {
		t.Run(op.String(), func(t *testing.T) {
			fault := vfs.NewFault(vfs.NewMem())
			db := openTest(t, manualOptions(fault))
			put(t, db, SyncFull, "a@1=x")
			fault.FailNth(op, 1, syscall.EIO, false)
			err := db.Apply(batchOf("b@2=y"), SyncFull)
			var ro *ReadOnlyError
			if !errors.Is(err, ErrReadOnly) || !errors.Is(err, syscall.EIO) || !errors.As(err, &ro) ||
				ro.File != testDir+"/000001.log" || errors.Is(err, ErrNotApplied) {
				t.Fatalf("the failed commit: %v", err)
			}
			err = db.Apply(batchOf("c@3=z"), SyncFull)
			if !errors.Is(err, ErrReadOnly) || !errors.Is(err, ErrNotApplied) {
				t.Fatalf("the next commit: %v", err)
			}
			if err := db.Ingest([]string{"/none"}); !errors.Is(err, ErrReadOnly) {
				t.Fatalf("ingest: %v", err)
			}
			if got := scan(t, db); got != "a@1=x" {
				t.Fatalf("reads: %s", got)
			}
			if got := get(t, db, "a", 9); got != "x@1" {
				t.Fatalf("get: %s", got)
			}
		})
	}
}

// TestUnsyncedLogFailureIsFinal: the sync that follows SyncOS commits fails.
func TestUnsyncedLogFailureIsFinal(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	failed := make(chan error, 1)
	o := manualOptions(fault)
	o.Events.BackgroundError = func(err error) { failed <- err }
	db := openTest(t, o)
	fault.FailNth(vfs.OpSync, 1, syscall.EIO, false)
	put(t, db, SyncOS, "a@1=x")
	if err := <-failed; !errors.Is(err, ErrReadOnly) {
		t.Fatalf("background error: %v", err)
	}
	if err := db.Apply(batchOf("b@2=y"), SyncOS); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("the next commit: %v", err)
	}
}

// TestRefusedWriteLeavesNothing: a log that cannot grow refuses the batch, and
// takes the next one when there is space.
func TestRefusedWriteLeavesNothing(t *testing.T) {
	mem := vfs.NewMem()
	fault := vfs.NewFault(mem)
	db := openTest(t, manualOptions(fault))
	put(t, db, SyncFull, "a@1=x")
	fault.SetBudget(0)
	big := batchOf("b@2=" + string(make([]byte, 40<<10)))
	err := db.Apply(big, SyncFull)
	if !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, ErrNotApplied) || errors.Is(err, ErrReadOnly) {
		t.Fatalf("without space: %v", err)
	}
	if got := scan(t, db); got != "a@1=x" {
		t.Fatalf("reads: %s", got)
	}
	fault.Heal()
	put(t, db, SyncFull, "c@3=z")
	must(t, db.Close())
	db = openTest(t, manualOptions(mem.CrashClone(vfs.CrashOptions{})))
	if got := scan(t, db); got != "a@1=x c@3=z" {
		t.Fatalf("after a restart: %s", got)
	}
}

// TestNoSpaceForTheNextLog: the half-made log tells where the one before ends, so
// nothing more is written there until the rotation succeeds.
func TestNoSpaceForTheNextLog(t *testing.T) {
	mem := vfs.NewMem()
	fault := vfs.NewFault(mem)
	db := openTest(t, manualOptions(fault))
	put(t, db, SyncFull, "a@1=x")
	fault.FailNth(vfs.OpSyncDir, 1, syscall.ENOSPC, true)
	if err := db.Flush(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("flush: %v", err)
	}
	if err := db.Apply(batchOf("b@2=x"), SyncFull); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, ErrNotApplied) {
		t.Fatalf("commit: %v", err)
	}
	clone := mem.CrashClone(vfs.CrashOptions{KeepUnsynced: 1})
	fault.Heal()
	put(t, db, SyncFull, "c@3=x")
	must(t, db.Close())
	for fsys, want := range map[vfs.FS]string{clone: "a@1=x", mem: "a@1=x c@3=x"} {
		db := openTest(t, manualOptions(fsys))
		if got := scan(t, db); got != want {
			t.Fatalf("after a restart: %s, want %s", got, want)
		}
		must(t, db.Close())
	}
}

// TestLoneCommitCostsOneWriteAndOneSync counts the calls of a SyncFull commit.
func TestLoneCommitCostsOneWriteAndOneSync(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	db := openTest(t, Options{FS: fault})
	put(t, db, SyncFull, "a@1=x")
	var before []int
	for _, op := range vfs.Ops() {
		before = append(before, fault.Count(op))
	}
	put(t, db, SyncFull, "b@2=y")
	for i, op := range vfs.Ops() {
		want := 0
		if op == vfs.OpWrite || op == vfs.OpSync {
			want = 1
		}
		if n := fault.Count(op) - before[i]; n != want {
			t.Errorf("%d calls of %v, want %d", n, op, want)
		}
	}
}

// TestFlippedBitsAreDetected flips bits in every file of a store that was closed
// in good order: it refuses, or the damage makes no difference; never another answer.
func TestFlippedBitsAreDetected(t *testing.T) {
	mem := vfs.NewMem()
	o := manualOptions(mem)
	db := openTest(t, o)
	put(t, db, SyncFull, "a@1=one", "b@2=two")
	must(t, db.Flush())
	put(t, db, SyncFull, "a@3=three")
	put(t, db, SyncFull, "c@4=four")
	want := scan(t, db)
	must(t, db.Close())
	names, err := mem.List(testDir)
	must(t, err)
	detected := map[string]int{}
	for _, name := range names {
		if kind, _ := parseName(name); kind == otherFile && name != "CURRENT" {
			continue
		}
		info, err := mem.Stat(testDir + "/" + name)
		must(t, err)
		for off := int64(0); off < min(info.Size, 600); off++ {
			clone := mem.CrashClone(vfs.CrashOptions{})
			flipBit(t, clone, testDir+"/"+name, off, uint(off%8))
			o.FS = clone
			got, err := tryScan(o)
			var corruption *sstable.CorruptionError
			switch {
			case errors.As(err, &corruption):
				detected[name]++
			case err != nil:
				detected[name]++
				if name != "CURRENT" && off > 30 {
					t.Errorf("%s at %d: %v", name, off, err)
				}
			case got != want:
				t.Errorf("%s at %d: the store holds %s", name, off, got)
			}
		}
		if kind, num := parseName(name); detected[name] == 0 && (kind != logFile || num > 1) {
			t.Errorf("%s: no flip was detected", name)
		}
	}
}

func flipBit(t *testing.T, fsys vfs.FS, name string, off int64, bit uint) {
	t.Helper()
	f, err := fsys.OpenReadWrite(name)
	must(t, err)
	var b [1]byte
	_, err = f.ReadAt(b[:], off)
	must(t, err)
	b[0] ^= 1 << bit
	_, err = f.WriteAt(b[:], off)
	must(t, err)
	must(t, f.Close())
}

// tryScan opens the store, reads and verifies everything, and closes it.
func tryScan(o Options) (string, error) {
	db, err := Open(testDir, o)
	if err != nil {
		return "", err
	}
	defer db.Close()
	it, err := db.NewIter(IterOptions{})
	if err != nil {
		return "", err
	}
	out := ""
	for ok := it.First(); ok; ok = it.Next() {
		if out != "" {
			out += " "
		}
		out += showKey(it.Key()) + "=" + string(it.Value())
	}
	if err := it.Close(); err != nil {
		return "", err
	}
	return out, db.VerifyChecksums()
}
