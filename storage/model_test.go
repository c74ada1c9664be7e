package storage

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"minidb/sstable"
	"minidb/storage/vfs"
)

var (
	modelSeed  = flag.Uint64("model.seed", 0, "run the model tests with this seed only")
	modelCount = flag.Uint64("model.count", 25, "seeds of each model test, and failing calls of each kind")
)

// eachSeed runs the test with the seeds asked for, each named by its seed.
func eachSeed(t *testing.T, test func(t *testing.T, seed uint64)) {
	if *modelSeed != 0 {
		test(t, *modelSeed)
		return
	}
	for seed := uint64(1); seed <= *modelCount; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { test(t, seed) })
	}
}

// gcFilter collects as kv does: of the versions at or below the threshold only
// the newest is kept, and that only if it is no tombstone or may still hide an
// older version.
type gcFilter struct {
	threshold uint64
	prefix    []byte
	seen      bool
}

func (f *gcFilter) Drop(key, value []byte, outside Outside) bool {
	p, suffix := key[:Split(key)], key[Split(key):]
	if !bytes.Equal(p, f.prefix) {
		f.prefix, f.seen = append(f.prefix[:0], p...), false
	}
	if showTS(suffix) > f.threshold {
		return false
	}
	if f.seen {
		return true
	}
	f.seen = true
	if len(value) > 0 {
		return false
	}
	oldest, ok := outside.OldestSuffix(p)
	return !ok || bytes.Compare(oldest, suffix) <= 0
}

// model is what the store should hold: every write in its order.
type model struct {
	writes []map[string]string // key → value; the ingests too
	// acked is the number of writes that must survive a power cut.
	acked     atomic.Int64
	issued    atomic.Int64
	threshold atomic.Uint64
	ts        uint64
}

// visible returns what a reader at ts sees of the first n writes: prefix → value.
func (m *model) visible(n int, ts uint64) map[string]string {
	newest, out := map[string]uint64{}, map[string]string{}
	for _, w := range m.writes[:n] {
		for key, value := range w {
			p, kts := key[:Split([]byte(key))], showTS([]byte(key[Split([]byte(key)):]))
			if kts <= ts && kts >= newest[p] {
				newest[p], out[p] = kts, value
			}
		}
	}
	maps.DeleteFunc(out, func(_, v string) bool { return v == "" })
	return out
}

// stored reads the same from the store, by an iterator.
func stored(t *testing.T, db *DB, ts uint64) map[string]string {
	t.Helper()
	out := map[string]string{}
	it, err := db.NewIter(IterOptions{})
	must(t, err)
	for ok := it.First(); ok; {
		p := string(it.Key()[:Split(it.Key())])
		if ok = it.SeekGE(append([]byte(p), testSuffix(ts)...)); !ok || string(it.Key()[:Split(it.Key())]) != p {
			continue // no version of p is that old
		}
		if len(it.Value()) > 0 {
			out[p] = string(it.Value())
		}
		ok = it.NextPrefix()
	}
	must(t, it.Close())
	return out
}

// world is one run of a model test.
type world struct {
	t   *testing.T
	rng *rand.Rand
	m   *model
	fs  vfs.FS
	db  *DB
	o   Options
	log []string // what was done, for the failure's message
	n   int
}

func newWorld(t *testing.T, seed uint64, fsys vfs.FS, m *model) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 1)), m: m, fs: fsys}
	w.o = smallOptions(fsys)
	w.o.MemtableBytes = 32 << 10 << w.rng.IntN(2)
	w.o.CacheBytes = []int64{-1, 8 << 10, 1 << 20}[w.rng.IntN(3)]
	w.o.DisableAutoCompactions = w.rng.IntN(4) == 0
	w.o.NewFilter = func() CompactionFilter { return &gcFilter{threshold: m.threshold.Load()} }
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("after: %s", strings.Join(w.log, ", "))
		}
	})
	return w
}

func (w *world) open() error {
	db, err := Open(testDir, w.o)
	w.db = db
	return err
}

func (w *world) prefix() string { return fmt.Sprintf("k%02d", w.rng.IntN(30)) }

// facts makes the next write: up to n prefixes at a new timestamp.
func (w *world) facts(n int) map[string]string {
	w.m.ts++
	facts := map[string]string{}
	for range 1 + w.rng.IntN(n) {
		value := ""
		if w.rng.IntN(3) > 0 {
			value = fmt.Sprintf("v%d.%s", w.m.ts, strings.Repeat("x", w.rng.IntN(200)))
		}
		facts[w.prefix()+string(testSuffix(w.m.ts))] = value
	}
	return facts
}

// put writes a batch. An error is returned with the write taken back if the store
// says that nothing of it happened.
func (w *world) put() error {
	mode := SyncMode(w.rng.IntN(2))
	facts := w.facts(8)
	w.log = append(w.log, fmt.Sprintf("put@%d/%d", w.m.ts, mode))
	b := NewBatch()
	for _, key := range slices.Sorted(maps.Keys(facts)) {
		b.Set([]byte(key), []byte(facts[key]))
	}
	w.m.writes = append(w.m.writes, facts)
	w.m.issued.Add(1)
	return w.settle(w.db.Apply(b, mode), mode == SyncFull)
}

func (w *world) settle(err error, durable bool) error {
	switch {
	case errors.Is(err, ErrNotApplied):
		w.m.writes = w.m.writes[:len(w.m.writes)-1]
		w.m.issued.Add(-1)
	case err == nil && durable:
		w.m.acked.Store(int64(len(w.m.writes)))
	}
	return err
}

func (w *world) ingest() error {
	facts := w.facts(20)
	w.log = append(w.log, fmt.Sprintf("ingest@%d", w.m.ts))
	keys := slices.Sorted(maps.Keys(facts))
	var paths []string
	for len(keys) > 0 {
		part := keys[:1+w.rng.IntN(len(keys))]
		keys = keys[len(part):]
		w.n++
		name := fmt.Sprintf("%s/in%d", w.db.StagingDir(), w.n)
		if err := w.writeFile(name, part, facts); err != nil {
			return err
		}
		paths = append(paths, name)
	}
	w.m.writes = append(w.m.writes, facts)
	w.m.issued.Add(1)
	err := w.settle(w.db.Ingest(paths), true)
	for _, p := range paths {
		_ = w.fs.Remove(p)
	}
	return err
}

func (w *world) writeFile(name string, keys []string, facts map[string]string) error {
	f, err := w.fs.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	tw := sstable.NewWriter(f, sstable.WriterOptions{BlockBytes: 256, ForceMixed: w.rng.IntN(2) == 0})
	for _, key := range keys {
		if err := tw.Set([]byte(key), []byte(facts[key])); err != nil {
			tw.Abort()
			return err
		}
	}
	if _, err := tw.Close(); err != nil {
		return err
	}
	return f.Sync()
}

// step does one random operation.
func (w *world) step() error {
	switch n := w.rng.IntN(100); {
	case n < 70:
		return w.put()
	case n < 78:
		return w.ingest()
	case n < 84:
		w.log = append(w.log, "flush")
		return w.db.Flush()
	case n < 88:
		lower, upper := w.prefix(), w.prefix()
		w.log = append(w.log, "compact")
		return w.db.Compact([]byte(lower), []byte(upper))
	case n < 94:
		// The threshold follows what is durable: nothing reads below it any more.
		w.m.threshold.Store(max(w.m.threshold.Load(), w.m.ts-min(w.m.ts, uint64(w.rng.IntN(20)))))
		w.log = append(w.log, fmt.Sprintf("threshold=%d", w.m.threshold.Load()))
	default:
		w.log = append(w.log, "check")
		w.check()
	}
	return nil
}

// check compares all prefixes at the newest timestamp, and one point.
func (w *world) check() {
	w.t.Helper()
	want, got := w.m.visible(len(w.m.writes), w.m.ts), stored(w.t, w.db, w.m.ts)
	if !maps.Equal(want, got) {
		w.t.Fatalf("the store differs: %s", diff(want, got))
	}
	low := w.m.threshold.Load()
	ts := low + w.rng.Uint64N(w.m.ts-low+1)
	want = w.m.visible(len(w.m.writes), ts)
	p := w.prefix()
	value, found, closer, err := w.db.Get([]byte(p), testSuffix(ts))
	must(w.t, err)
	if string(value) != want[p] {
		w.t.Fatalf("Get(%s, %d) = %q at %x, want %q", p, ts, value, found, want[p])
	}
	if closer != nil {
		must(w.t, closer.Close())
	}
}

func diff(want, got map[string]string) string {
	var out []string
	for k, v := range want {
		if got[k] != v {
			out = append(out, fmt.Sprintf("%s is %.12q, want %.12q", k, got[k], v))
		}
	}
	for k, v := range got {
		if _, ok := want[k]; !ok {
			out = append(out, fmt.Sprintf("%s is %.12q, want none", k, v))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// TestStoreAgreesWithModel runs random operations, restarts among them.
func TestStoreAgreesWithModel(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		w := newWorld(t, seed, vfs.NewMem(), &model{})
		must(t, w.open())
		defer func() { must(t, w.db.Close()) }()
		for range 250 {
			must(t, w.step())
			if w.rng.IntN(60) == 0 {
				w.log = append(w.log, "reopen")
				must(t, w.db.Close())
				must(t, w.open())
				w.check()
			}
		}
		w.check()
		must(t, w.db.VerifyChecksums())
	})
}

// TestCrashKeepsAcknowledgedWrites cuts the power or kills the process at random
// moments. After a power cut what was acknowledged as durable is there, and what is
// there is a beginning of the order of writes; after a kill everything is there,
// and durable before anything that comes later.
func TestCrashKeepsAcknowledgedWrites(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		mem := vfs.NewMem()
		fault := vfs.NewFault(mem)
		w := newWorld(t, seed, fault, &model{})
		must(t, w.open())
		for range 8 {
			for range 1 + w.rng.IntN(60) {
				must(t, w.step())
			}
			if w.rng.IntN(2) == 0 {
				w.log = append(w.log, "kill")
				w.m.acked.Store(int64(len(w.m.writes)))
				fault.SetHook(func(vfs.Op, string) error { return errInjected })
				_ = w.db.Close()
			} else {
				crash := vfs.CrashOptions{Seed: w.rng.Uint64(), KeepUnsynced: []float64{0, 0.5, 0.9, 1}[w.rng.IntN(4)], TearBytes: 64}
				w.log = append(w.log, fmt.Sprintf("crash(keep %v)", crash.KeepUnsynced))
				clone := mem.CrashClone(crash)
				must(t, w.db.Close())
				mem = clone
			}
			fault = vfs.NewFault(mem)
			w.fs, w.o.FS = fault, fault
			must(t, w.open())
			w.recovered()
		}
		must(t, w.db.Close())
	})
}

// recovered finds out how many of the writes survived, and goes on from there.
func (w *world) recovered() {
	w.t.Helper()
	n := w.m.survivors(w.t, w.db)
	w.log = append(w.log, fmt.Sprintf("%d of %d writes left", n, len(w.m.writes)))
	w.m.writes = w.m.writes[:n]
	w.m.acked.Store(int64(n))
	w.m.issued.Store(int64(n))
}

// survivors returns how many writes the store holds; they must be the first ones
// and all that were acknowledged.
func (m *model) survivors(t *testing.T, db *DB) int {
	t.Helper()
	got := stored(t, db, m.ts)
	for n := int(m.issued.Load()); n >= int(m.acked.Load()); n-- {
		if maps.Equal(m.visible(n, m.ts), got) {
			return n
		}
	}
	t.Fatalf("of %d writes, %d acknowledged, the store holds no beginning: %s",
		m.issued.Load(), m.acked.Load(), diff(m.visible(int(m.acked.Load()), m.ts), got))
	return 0
}
