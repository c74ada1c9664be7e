package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minidb/sstable"
	"minidb/storage/internal/compact"
	"minidb/storage/vfs"
)

// collected opens a store whose filter collects at the threshold.
func collected(t *testing.T, fsys vfs.FS, threshold *atomic.Uint64) *DB {
	t.Helper()
	o := manualOptions(fsys)
	o.NewFilter = func() CompactionFilter { return &gcFilter{threshold: threshold.Load()} }
	return openTest(t, o)
}

func ingest(t *testing.T, db *DB, fsys vfs.FS, facts ...string) {
	t.Helper()
	name := db.StagingDir() + "/" + facts[0]
	writeTable(t, fsys, name, facts...)
	must(t, db.Ingest([]string{name}))
	must(t, fsys.Remove(name))
}

// TestFlushRunsTheFilter: what is dead on arrival never reaches a file.
func TestFlushRunsTheFilter(t *testing.T) {
	var threshold atomic.Uint64
	db := collected(t, vfs.NewMem(), &threshold)
	put(t, db, SyncFull, "a@1=old", "a@2=new", "b@1=x", "b@3")
	threshold.Store(5)
	must(t, db.Flush())
	if got := scan(t, db); got != "a@2=new" {
		t.Fatalf("flushed: %s", got)
	}
}

// TestTombstoneStaysAboveAnOlderFileBelow: rule 1, the version that it hides lies
// in a file that is no input, put there by an ingest.
func TestTombstoneStaysAboveAnOlderFileBelow(t *testing.T) {
	var threshold atomic.Uint64
	mem := vfs.NewMem()
	db := collected(t, mem, &threshold)
	ingest(t, db, mem, "a@1=old", "m@1=old")
	if levels(db) != "L6:1" {
		t.Fatalf("the ingest lies in %s", levels(db))
	}
	threshold.Store(9)
	put(t, db, SyncFull, "a@5")
	put(t, db, SyncFull, "b@5")
	must(t, db.Flush())
	if got := scan(t, db); got != "a@5= a@1=old m@1=old" {
		t.Fatalf("after the flush: %s", got)
	}
	must(t, db.Compact(nil, nil))
	if got := scan(t, db); got != "m@1=old" {
		t.Fatalf("after compacting all of it: %s", got)
	}
}

// TestTombstoneStaysAboveAnOlderMemtable: rule 1, the version that it hides is only
// in the memtable, and so also in the live log.
func TestTombstoneStaysAboveAnOlderMemtable(t *testing.T) {
	var threshold atomic.Uint64
	mem := vfs.NewMem()
	db := collected(t, mem, &threshold)
	put(t, db, SyncFull, "a@1=old")
	ingest(t, db, mem, "a@5")
	threshold.Store(9)
	// Not Compact, which would flush first.
	job, ok := db.jobForTest()
	if !ok {
		t.Fatal("nothing to compact")
	}
	must(t, job())
	if got := scan(t, db); got != "a@5= a@1=old" {
		t.Fatalf("after the compaction: %s", got)
	}
	must(t, db.Close())
	db = collected(t, mem, &threshold) // the log puts a@1 in again
	if got := get(t, db, "a", 9); got != "@5" {
		t.Fatalf("after the replay: a = %s", got)
	}
}

// TestTombstoneStaysWhileABatchIsOnItsWay: rule 1, a batch that is enqueued and not
// yet in a memtable.
func TestTombstoneStaysWhileABatchIsOnItsWay(t *testing.T) {
	var threshold atomic.Uint64
	mem := vfs.NewMem()
	db := collected(t, mem, &threshold)
	ingest(t, db, mem, "a@5", "b@9=x")
	threshold.Store(9)
	p := db.Enqueue(batchOf("a@1=late"), SyncFull)
	job, _ := db.jobForTest()
	must(t, job())
	if got := scan(t, db); got != "a@5= b@9=x" {
		t.Fatalf("after the compaction: %s", got)
	}
	must(t, p.Commit())
	if got := get(t, db, "a", 9); got != "@5" {
		t.Fatalf("a = %s", got)
	}
}

// jobForTest prepares the compaction of all files, without a flush before it.
func (db *DB) jobForTest() (func() error, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	span, ok := db.spanLocked(nil, nil)
	if !ok {
		return nil, false
	}
	j, ok := compact.All(db.state.version, span, db.busyLocked)
	if !ok {
		return nil, false
	}
	c := db.startLocked(j)
	return func() error {
		defer db.end(j, c)
		return db.compact(j)
	}, true
}

// TestIngestPlacesAsLowAsNothingOverlaps, and beside the output of a running
// compaction not at all.
func TestIngestPlacesAsLowAsNothingOverlaps(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	put(t, db, SyncFull, "m@1=x")
	ingest(t, db, mem, "a@2=x", "z@2=x") // a memtable does not count
	ingest(t, db, mem, "c@3=x", "d@3=x")
	if levels(db) != "L5:1 L6:1" {
		t.Fatalf("files in %s", levels(db))
	}
	job, _ := db.jobForTest()
	// The compaction of a..z into L6 is running.
	ingest(t, db, mem, "~@4=x")
	ingest(t, db, mem, "e@5=x")
	must(t, job())
	if got, want := scan(t, db), "a@2=x c@3=x d@3=x e@5=x m@1=x z@2=x ~@4=x"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	must(t, db.Compact(nil, nil))
	if got, want := scan(t, db), "a@2=x c@3=x d@3=x e@5=x m@1=x z@2=x ~@4=x"; got != want || levels(db) != "L6:1" {
		t.Fatalf("%s in %s", got, levels(db))
	}
}

// TestIngestDuringACompactionIntoAnEmptyLevel: the output that is not there yet
// occupies its span.
func TestIngestDuringACompactionIntoAnEmptyLevel(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	put(t, db, SyncFull, "a@1=x", "z@1=x")
	must(t, db.Flush())
	job, _ := db.jobForTest()
	name := writeTable(t, mem, db.StagingDir()+"/in", "m@2=y")
	must(t, db.Ingest([]string{name}))
	must(t, job())
	if got := scan(t, db); got != "a@1=x m@2=y z@1=x" {
		t.Fatalf("%s in %s", got, levels(db))
	}
}

// TestIngestIsAllOrNothing: one bad file, and none is in; the error names it.
func TestIngestIsAllOrNothing(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	good := writeTable(t, mem, "/good", "a@1=x")
	bad := writeTable(t, mem, "/bad", "b@1=x")
	flipBit(t, mem, bad, 3, 1)
	empty := writeTable(t, mem, "/empty")
	for _, path := range []string{bad, empty, "/none"} {
		err := db.Ingest([]string{good, path})
		if !errors.Is(err, ErrNotApplied) || !strings.Contains(err.Error(), path) {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if got := scan(t, db); got != "" || levels(db) != "" {
		t.Fatalf("holds %s in %s", got, levels(db))
	}
	names, err := mem.List(testDir)
	must(t, err)
	for _, name := range names {
		if kind, _ := parseName(name); kind == tableFile {
			t.Errorf("%s was left behind", name)
		}
	}
	must(t, db.Ingest([]string{good}))
	if _, err := mem.Stat(good); err != nil {
		t.Fatalf("the source is gone: %v", err)
	}
}

// TestIngestOverlappingFilesOfOneCall, which cannot all lie in one level.
func TestIngestOverlappingFilesOfOneCall(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	one := writeTable(t, mem, "/1", "a@1=x", "m@1=x")
	two := writeTable(t, mem, "/2", "b@2=x", "z@2=x")
	must(t, db.Ingest([]string{one, two}))
	if got := scan(t, db); got != "a@1=x b@2=x m@1=x z@2=x" {
		t.Fatal(got)
	}
}

// TestGetTrustsNoOrderOfSources: rule 6, the newest version may lie in any of them.
func TestGetTrustsNoOrderOfSources(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	ingest(t, db, mem, "a@9=newest", "b@1=x") // L6
	put(t, db, SyncFull, "a@7=seven")
	must(t, db.Flush()) // L0
	put(t, db, SyncFull, "a@3=three")
	must(t, db.Flush()) // L0, newer as a file
	put(t, db, SyncFull, "a@5=five")
	for ts, want := range map[uint64]string{2: "-", 3: "three@3", 4: "three@3", 5: "five@5", 6: "five@5", 7: "seven@7", 8: "seven@7", 9: "newest@9"} {
		if got := get(t, db, "a", ts); got != want {
			t.Errorf("at %d: %s, want %s", ts, got, want)
		}
	}
}

// TestPrefixNeverLiesInTwoFilesOfALevel: outputs split only between prefixes.
func TestPrefixNeverLiesInTwoFilesOfALevel(t *testing.T) {
	db := openTest(t, manualOptions(vfs.NewMem()))
	for i := range 400 {
		put(t, db, SyncOS, fmt.Sprintf("k%d@%d=%s", i%5, i+1, strings.Repeat("x", 200)))
	}
	must(t, db.Compact(nil, nil))
	s := db.acquire()
	defer db.release(s)
	files := s.version.Levels[6]
	if len(files) < 2 || len(files) > 5 {
		t.Fatalf("%d files", len(files))
	}
	for i := 1; i < len(files); i++ {
		if files[i-1].Span().Overlaps(files[i].Span()) {
			t.Fatalf("files %d and %d share a prefix", i-1, i)
		}
	}
}

// TestDeleteFilesInSpanTakesWholeFilesOnly, and their bytes go.
func TestDeleteFilesInSpanTakesWholeFilesOnly(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	ingest(t, db, mem, "a@1=x", "c@1=x")
	ingest(t, db, mem, "d@1=x", "e@1=x")
	ingest(t, db, mem, "f@1=x", "h@1=x")
	put(t, db, SyncFull, "e@2=memtable")
	it, err := db.NewIter(IterOptions{})
	must(t, err)
	must(t, db.DeleteFilesInSpan([]byte("b"), []byte("g")))
	if got := scan(t, db); got != "a@1=x c@1=x e@2=memtable f@1=x h@1=x" {
		t.Fatal(got)
	}
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	if n != 7 {
		t.Fatalf("the iterator from before sees %d facts", n)
	}
	must(t, it.Close())
	waitFor(t, func() bool { return countTables(t, mem) == 2 })
	must(t, db.Close())
	db = openTest(t, manualOptions(mem))
	if got := scan(t, db); got != "a@1=x c@1=x e@2=memtable f@1=x h@1=x" {
		t.Fatalf("reopened: %s", got)
	}
}

func countTables(t *testing.T, fsys vfs.FS) int {
	t.Helper()
	names, err := fsys.List(testDir)
	must(t, err)
	return len(slices.DeleteFunc(names, func(s string) bool { return !strings.HasSuffix(s, ".sst") }))
}

func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	for range 500 {
		if cond() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not come to pass")
}

// TestMissingFilesAreCorruption: logs with a gap, an sstable, the pointer itself.
func TestMissingFilesAreCorruption(t *testing.T) {
	build := func(mem *vfs.Mem) {
		fault := vfs.NewFault(mem)
		db := openTest(t, manualOptions(fault))
		put(t, db, SyncFull, "a@1=x")
		must(t, db.Flush())
		// Two logs that the next Open needs: flushes fail.
		fault.FailNth(vfs.OpCreate, 1, errInjected, true)
		put(t, db, SyncFull, "b@2=x")
		must(t, db.atBarrier(func() error { return nil }))
		fault.Heal()
		must(t, db.rotateNow())
		put(t, db, SyncFull, "c@3=x")
	}
	for _, name := range []string{"000002.log", "CURRENT", "000002.sst"} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			build(mem)
			clone := mem.CrashClone(vfs.CrashOptions{})
			must(t, clone.Remove(testDir+"/"+name))
			_, err := Open(testDir, manualOptions(clone))
			var c *sstable.CorruptionError
			if !errors.As(err, &c) {
				t.Fatalf("without %s: %v", name, err)
			}
		})
	}
}

// TestGroupCommit: while the leader syncs the others queue, and go together.
func TestGroupCommit(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	db := openTest(t, Options{FS: fault})
	fault.SetHook(func(op vfs.Op, _ string) error {
		if op == vfs.OpSync {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				b := batchOf(fmt.Sprintf("w%d@%d=x", w, i+1))
				if err := db.Apply(b, SyncFull); err != nil {
					t.Error(err)
				}
				if _, found, closer, err := db.Get(fmt.Appendf(nil, "w%d", w), testSuffix(1000)); err != nil || showTS(found) != uint64(i+1) {
					t.Errorf("own write %d is not seen: %x, %v", i+1, found, err)
				} else {
					_ = closer.Close()
				}
			}
		})
	}
	wg.Wait()
	m := db.Metrics()
	if m.Commits != writers*each || m.CommitGroups*2 > m.Commits || m.WALSyncs > m.CommitGroups+2 {
		t.Fatalf("%d commits in %d groups with %d syncs", m.Commits, m.CommitGroups, m.WALSyncs)
	}
}

// TestEnqueueFixesTheOrder: the batches lie in the log as they were enqueued,
// whoever commits first.
func TestEnqueueFixesTheOrder(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	first := db.Enqueue(batchOf("a@1=first"), SyncFull)
	second := db.Enqueue(batchOf("b@2=second"), SyncFull)
	must(t, second.Commit())
	if got := scan(t, db); got != "b@2=second" {
		t.Fatalf("before the first one's Commit: %s", got)
	}
	clone := mem.CrashClone(vfs.CrashOptions{})
	must(t, first.Commit())
	db2, err := Open("/db", manualOptions(clone))
	must(t, err)
	if got := scan(t, db2); got != "a@1=first b@2=second" {
		t.Fatalf("a crash between the two Commits: %s", got)
	}
	must(t, db2.Close())
}

// TestSyncOSIsSyncedSoon: without another write.
func TestSyncOSIsSyncedSoon(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	start := time.Now()
	put(t, db, SyncOS, "a@1=x")
	waitFor(t, func() bool {
		db2, err := Open(testDir, manualOptions(mem.CrashClone(vfs.CrashOptions{})))
		must(t, err)
		defer db2.Close()
		return scan(t, db2) == "a@1=x"
	})
	if took := time.Since(start); took > 3*time.Second {
		t.Fatalf("it took %v", took)
	}
}

// TestBackPressureWaitsForFlushes: writers outrun a flush that hangs, and wait.
func TestBackPressureWaitsForFlushes(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	o := manualOptions(fault)
	o.MaxMemtables = 2
	db := openTest(t, o)
	gate := make(chan struct{})
	fault.SetHook(func(op vfs.Op, name string) error {
		if op == vfs.OpCreate && strings.HasSuffix(name, ".sst") {
			<-gate
		}
		return nil
	})
	done := make(chan struct{})
	var written atomic.Int64
	go func() {
		defer close(done)
		for i := range 40 {
			if err := db.Apply(batchOf(fmt.Sprintf("k%d@1=%s", i, strings.Repeat("x", 10<<10))), SyncOS); err != nil {
				t.Error(err)
			}
			written.Add(1)
		}
	}()
	waitFor(t, func() bool { return written.Load() > 0 })
	time.Sleep(100 * time.Millisecond)
	if n := written.Load(); n == 40 {
		t.Errorf("%d of 40 batches were written while the flush hung", n)
	}
	if n := db.Metrics().Memtables; n > 2 {
		t.Errorf("%d memtables", n)
	}
	close(gate)
	<-done
}
