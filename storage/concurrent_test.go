package storage

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"minidb/sstable"
	"minidb/storage/vfs"
)

// TestReadersSeeWholeBatches while writers, ingests, flushes and compactions run:
// what a writer published before the read is there, all of it.
func TestReadersSeeWholeBatches(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, smallOptions(mem))
	const writers, keys = 4, 5
	var published [writers]atomic.Uint64
	var wg, background sync.WaitGroup
	stop := make(chan struct{})
	run := func(fn func(i int)) {
		background.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					fn(i)
				}
			}
		})
	}
	for w := range writers {
		wg.Go(func() {
			for ts := uint64(1); ts <= 150; ts++ {
				var facts []string
				for k := range keys {
					facts = append(facts, fmt.Sprintf("w%dk%d@%d=%d.%s", w, k, ts, ts, strings.Repeat("x", 300)))
				}
				var err error
				if w == 0 && ts%10 == 0 {
					name := writeTable(t, mem, fmt.Sprintf("%s/%d", db.StagingDir(), ts), facts...)
					err = db.Ingest([]string{name})
				} else {
					err = db.Apply(batchOf(facts...), SyncMode(ts%2))
				}
				if err != nil {
					t.Error(err)
					return
				}
				published[w].Store(ts)
			}
		})
	}
	for range 2 {
		run(func(i int) {
			w := i % writers
			ts := published[w].Load()
			if ts == 0 {
				return
			}
			it, err := db.NewIter(IterOptions{Lower: fmt.Appendf(nil, "w%d", w), Upper: fmt.Appendf(nil, "w%d", w+1)})
			if err != nil {
				t.Error(err)
				return
			}
			for k := range keys {
				target := testKey(fmt.Sprintf("w%dk%d@%d", w, k, ts))
				if !it.SeekGE(target) || showKey(it.Key()) != showKey(target) {
					t.Errorf("writer %d published %d, its key %d is not there: %v", w, ts, k, it.Err())
				}
				if i%2 == 0 && ts > 1 && (!it.Next() || showTS(it.Key()[Split(it.Key()):]) != ts-1) {
					t.Errorf("writer %d: version %d of key %d is not there", w, ts-1, k)
				}
			}
			if err := it.Close(); err != nil {
				t.Error(err)
			}
			prefix := fmt.Sprintf("w%dk%d", w, i%keys)
			if _, found, closer, err := db.Get([]byte(prefix), testSuffix(ts)); err != nil || showTS(found) != ts {
				t.Errorf("Get(%s, %d) found %x, %v", prefix, ts, found, err)
			} else if err := closer.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	run(func(i int) {
		err := db.Flush()
		if i%3 == 0 {
			err = db.Compact([]byte("w1"), []byte("w3"))
		}
		if err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	})
	wg.Wait()
	close(stop)
	background.Wait()
	must(t, db.VerifyChecksums())
	it, err := db.NewIter(IterOptions{})
	must(t, err)
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	must(t, it.Close())
	if n != writers*keys*150 {
		t.Fatalf("%d facts, want %d", n, writers*keys*150)
	}
}

// TestCompactionsKeepUp: L0 stays shallow under load, obsolete files and logs go,
// and the figures add up.
func TestCompactionsKeepUp(t *testing.T) {
	mem := vfs.NewMem()
	o := smallOptions(mem)
	var flushed, compacted atomic.Int64
	o.Events.Flushed = func(JobInfo) { flushed.Add(1) }
	o.Events.Compacted = func(info JobInfo) {
		if !info.Moved {
			compacted.Add(1)
		}
	}
	db := openTest(t, o)
	const n = 6000
	for i := range n {
		put(t, db, SyncOS, fmt.Sprintf("k%04d@%d=%s", i*7919%n, i+1, strings.Repeat("x", 100)))
	}
	must(t, db.Flush())
	waitFor(t, func() bool {
		m := db.Metrics()
		return m.L0Depth < o.L0CompactDepth+4 && m.Running == 0 && m.ObsoleteFiles == 0
	})
	m := db.Metrics()
	var entries, files int64
	for _, l := range m.Levels {
		entries += l.Entries
		files += int64(l.Files)
	}
	if entries != n || int(files) != countTables(t, mem) {
		t.Errorf("%d entries in %d files, %d on disk", entries, files, countTables(t, mem))
	}
	if m.Flushes != flushed.Load() || m.Compactions != compacted.Load() || m.Compactions == 0 || m.Commits != n {
		t.Errorf("%+v, %d and %d events", m, flushed.Load(), compacted.Load())
	}
	if m.OpenTables > o.MaxOpenTables+1 || m.CacheBytes > o.CacheBytes {
		t.Errorf("%d open tables, %d bytes of blocks", m.OpenTables, m.CacheBytes)
	}
	names, err := mem.List(testDir)
	must(t, err)
	logs := 0
	for _, name := range names {
		if kind, _ := parseName(name); kind == logFile {
			logs++
		}
	}
	if logs > 1+maxRecycled+1 {
		t.Errorf("%d logs: %v", logs, names)
	}
	if m.Levels[5].Files+m.Levels[6].Files == 0 {
		t.Errorf("files in %s", levels(db))
	}
}

// TestWritersSlowDownBeforeTheyStop: with a deep L0 a write is delayed, not blocked.
func TestWritersSlowDownBeforeTheyStop(t *testing.T) {
	o := smallOptions(vfs.NewMem())
	o.L0CompactDepth, o.L0SlowDepth, o.L0StopDepth = 1000, 2, 6
	db := openTest(t, o)
	var stalls []time.Duration
	for i := range 5 {
		put(t, db, SyncFull, fmt.Sprintf("a@%d=x", i+1), fmt.Sprintf("b@%d=%s", i+1, strings.Repeat("x", 20<<10)))
		must(t, db.Flush())
		stalls = append(stalls, db.Metrics().WriteStall)
	}
	if stalls[1] != 0 || stalls[4] <= stalls[3] || stalls[3] <= stalls[2] || stalls[4]-stalls[3] < stalls[3]-stalls[2] {
		t.Fatalf("stalls add up to %v", stalls)
	}
	put(t, db, SyncFull, "a@9=x")
	must(t, db.Flush())
	blocked := make(chan error)
	go func() { blocked <- db.Apply(batchOf("a@10=x"), SyncFull) }()
	select {
	case err := <-blocked:
		t.Fatalf("at the stop depth a write went on: %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	job, _ := db.jobForTest() // Compact would wait behind the blocked write
	must(t, job())
	must(t, <-blocked)
}

// TestFailingCompactionDoesNotStopWriters, and works again when it can.
func TestFailingCompactionDoesNotStopWriters(t *testing.T) {
	fault := vfs.NewFault(vfs.NewMem())
	o := smallOptions(fault)
	o.L0CompactDepth, o.L0SlowDepth, o.L0StopDepth = 2, 3, 4
	var failures atomic.Int64
	o.Events.BackgroundError = func(err error) {
		if errors.Is(err, syscall.ENOSPC) {
			failures.Add(1)
		}
	}
	db := openTest(t, o)
	fault.FailNth(vfs.OpRead, 1, syscall.ENOSPC, true)
	for i := range 8 {
		put(t, db, SyncFull, fmt.Sprintf("a@%d=x", i+1))
		must(t, db.Flush())
	}
	waitFor(t, func() bool { return failures.Load() > 0 })
	put(t, db, SyncFull, "b@9=x")
	fault.Heal()
	waitFor(t, func() bool { return db.Metrics().L0Depth < 2 })
	if got := scan(t, db); got != "a@8=x a@7=x a@6=x a@5=x a@4=x a@3=x a@2=x a@1=x b@9=x" {
		t.Fatal(got)
	}
}

// TestReadsReportCorruptionWithFileAndOffset, and go on elsewhere.
func TestReadsReportCorruptionWithFileAndOffset(t *testing.T) {
	mem := vfs.NewMem()
	o := manualOptions(mem)
	o.CacheBytes = -1
	db := openTest(t, o)
	put(t, db, SyncFull, "a@1="+strings.Repeat("x", 100))
	must(t, db.Flush())
	put(t, db, SyncFull, "b@1=y")
	must(t, db.Flush())
	s := db.acquire()
	name := db.tableName(s.version.Levels[0][0].Num)
	db.release(s)
	flipBit(t, mem, name, 5, 2)
	_, _, _, err := db.Get([]byte("a"), testSuffix(9))
	for what, err := range map[string]error{"get": err, "verify": db.VerifyChecksums(), "compact": db.Compact(nil, nil)} {
		var c *sstable.CorruptionError
		if !errors.As(err, &c) || c.File != name {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := get(t, db, "b", 9); got != "y@1" {
		t.Errorf("b = %s", got)
	}
	if db.fatal.Load() != nil {
		t.Error("damage to an sstable made the store read-only")
	}
}
