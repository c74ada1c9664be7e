package storage

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"minidb/sstable"
	"minidb/storage/vfs"
)

// killed opens a store, lets fn use it and kills it: nothing more reaches the file
// system. Flushes fail all the time, so that what is not in the logs is nowhere.
func killed(t *testing.T, mem *vfs.Mem, fn func(db *DB)) {
	t.Helper()
	fault := vfs.NewFault(mem)
	fault.SetHook(func(op vfs.Op, name string) error {
		if op == vfs.OpCreate && strings.HasSuffix(name, ".sst") {
			return errInjected
		}
		return nil
	})
	db, err := Open(testDir, manualOptions(fault))
	must(t, err)
	fn(db)
	fault.SetHook(func(vfs.Op, string) error { return errInjected })
	_ = db.Close()
}

// TestRecoveryMakesDurableWhatItShows: what a killed process had only in the page
// cache must not be lost after a later commit was acknowledged.
func TestRecoveryMakesDurableWhatItShows(t *testing.T) {
	mem := vfs.NewMem()
	killed(t, mem, func(db *DB) { put(t, db, SyncOS, "a@1=x") })
	var clone *vfs.Mem
	killed(t, mem, func(db *DB) {
		put(t, db, SyncFull, "b@2=y")
		clone = mem.CrashClone(vfs.CrashOptions{})
	})
	db := openTest(t, manualOptions(clone))
	if got := scan(t, db); got != "a@1=x b@2=y" {
		t.Fatalf("after the power cut: %s", got)
	}
}

// TestNextLogVouchesForTheOneBefore: the log that a recovery begins tells where
// the one before it ended, so its last record cannot go unnoticed.
func TestNextLogVouchesForTheOneBefore(t *testing.T) {
	mem := vfs.NewMem()
	killed(t, mem, func(db *DB) { put(t, db, SyncFull, "a@1=x") })
	killed(t, mem, func(db *DB) { put(t, db, SyncFull, "b@2=y") })
	// The batch follows the header's record, its kind and the record's own head.
	flipBit(t, mem, testDir+"/000001.log", 32+24+4, 0)
	_, err := Open(testDir, manualOptions(mem))
	var c *sstable.CorruptionError
	if !errors.As(err, &c) || c.File != testDir+"/000001.log" || c.Offset != 32 {
		t.Fatalf("after a flip in the last record: %v", err)
	}
}

// TestFlushWaitsForItsWriters: a batch that another goroutine wrote to the log and
// that is not in the memtable yet.
func TestFlushWaitsForItsWriters(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	first := db.Enqueue(batchOf("a@1=x"), SyncFull)
	put(t, db, SyncFull, "b@2=y") // leads, and writes the first one too
	flushed := make(chan error)
	go func() { flushed <- db.Flush() }()
	select {
	case err := <-flushed:
		t.Fatalf("the flush did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, first.Commit())
	must(t, <-flushed)
	clone := mem.CrashClone(vfs.CrashOptions{})
	db2, err := Open(testDir, manualOptions(clone))
	must(t, err)
	if got := scan(t, db2); got != "a@1=x b@2=y" {
		t.Fatalf("after the flush: %s", got)
	}
	must(t, db2.Close())
}

// TestTornLogAtEveryByte: the store opens whatever of an unsynced log is left.
func TestTornLogAtEveryByte(t *testing.T) {
	mem := vfs.NewMem()
	killed(t, mem, func(db *DB) {
		put(t, db, SyncOS, "a@1=x")
		put(t, db, SyncOS, "b@2=y", "c@2=z")
	})
	seen := map[string]int{}
	for cut := int64(250); cut >= 0; cut-- {
		clone := mem.CrashClone(vfs.CrashOptions{KeepUnsynced: 1})
		f, err := clone.OpenReadWrite(testDir + "/000001.log")
		must(t, err)
		must(t, f.Truncate(cut))
		must(t, f.Close())
		db, err := Open(testDir, manualOptions(clone))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		seen[scan(t, db)]++
		put(t, db, SyncFull, "d@3=w")
		must(t, db.Close())
		db, err = Open(testDir, manualOptions(clone))
		must(t, err)
		if got := get(t, db, "d", 9); got != "w@3" {
			t.Fatalf("cut at %d: a later commit is lost: %s", cut, got)
		}
		must(t, db.Close())
	}
	if len(seen) != 3 || seen["a@1=x b@2=y c@2=z"] == 0 || seen["a@1=x"] == 0 || seen[""] == 0 {
		t.Fatalf("the cuts gave %v", seen)
	}
}

// TestOpenWithoutSpaceIsReadOnly.
func TestOpenWithoutSpaceIsReadOnly(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	put(t, db, SyncFull, "a@1=x")
	must(t, db.Flush())
	put(t, db, SyncFull, "b@2=y")
	must(t, db.Close())
	fault := vfs.NewFault(mem)
	for _, op := range []vfs.Op{vfs.OpPreallocate, vfs.OpCreate} {
		fault.FailNth(op, 1, syscall.ENOSPC, true)
		db = openTest(t, manualOptions(fault))
		if got := scan(t, db); got != "a@1=x b@2=y" {
			t.Fatalf("%v: reads %s", op, got)
		}
		for _, err := range []error{
			db.Apply(batchOf("c@3=z"), SyncFull), db.Flush(), db.Compact(nil, nil), db.Ingest([]string{"/x"}),
			db.DeleteFilesInSpan([]byte("a"), []byte("z")),
		} {
			if !errors.Is(err, ErrReadOnly) || !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, ErrNotApplied) {
				t.Fatalf("%v: %v", op, err)
			}
		}
		must(t, db.VerifyChecksums())
		must(t, db.Close())
		fault.Heal()
	}
	db = openTest(t, manualOptions(fault))
	put(t, db, SyncFull, "c@3=z")
	if got := scan(t, db); got != "a@1=x b@2=y c@3=z" {
		t.Fatalf("with space: %s", got)
	}
}

// TestOpenRemovesWhatACrashLeft, and does not use its numbers again.
func TestOpenRemovesWhatACrashLeft(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	put(t, db, SyncFull, "a@1=x")
	must(t, db.Flush())
	must(t, db.Close())
	junk := []string{"000099.sst", "MANIFEST-000050", "CURRENT.tmp", "staging/run1"}
	for _, name := range junk {
		f, err := mem.Create(testDir + "/" + name)
		must(t, err)
		must(t, f.Close())
	}
	other, err := mem.Create(testDir + "/README")
	must(t, err)
	must(t, other.Close())
	db = openTest(t, manualOptions(mem))
	for _, name := range junk {
		if _, err := mem.Stat(testDir + "/" + name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := mem.Stat(testDir + "/README"); err != nil {
		t.Errorf("a file that is none of ours: %v", err)
	}
	if num := db.nextFile.Load(); num <= 99 {
		t.Errorf("the next file is %d", num)
	}
	names, err := mem.List(testDir)
	must(t, err)
	if len(names) > 8 { // CURRENT LOCK MANIFEST README staging, one sstable, two logs
		t.Errorf("left: %v", names)
	}
}
