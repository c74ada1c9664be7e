package mvcc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestSuffixSortsNewerFirst(t *testing.T) {
	stamps := []Timestamp{MaxTimestamp, 1 << 60, 256, 255, 2, 1, 0}
	for i := 1; i < len(stamps); i++ {
		if bytes.Compare(Suffix(stamps[i-1]), Suffix(stamps[i])) >= 0 {
			t.Errorf("%v does not sort before %v", stamps[i-1], stamps[i])
		}
	}
	key, at := Split(AppendKey(nil, []byte("k"), 77))
	if string(key) != "k" || at != 77 {
		t.Errorf("split: %q, %v", key, at)
	}
}

// randomFacts returns facts over few keys and timestamps, some of them deletes.
func randomFacts(rng *rand.Rand, n int) []fact {
	seen := map[string]fact{}
	for range n {
		key := fmt.Appendf(nil, "%02d", rng.IntN(12))
		f := fact{key: AppendKey(nil, key, Timestamp(1+rng.IntN(20)))}
		if rng.IntN(3) > 0 {
			f.value = fmt.Appendf(nil, "v%d", rng.IntN(100))
		}
		seen[string(f.key)] = f
	}
	var facts []fact
	for _, f := range seen {
		facts = append(facts, f)
	}
	slices.SortFunc(facts, func(a, b fact) int { return bytes.Compare(a.key, b.key) })
	return facts
}

// visible is the reading of facts at a timestamp, from the definition.
func visible(facts []fact, at Timestamp) (live []string) {
	newest := map[string]fact{}
	var keys []string
	for _, f := range facts { // newer versions first
		key, version := Split(f.key)
		if _, ok := newest[string(key)]; !ok && version <= at {
			newest[string(key)] = f
			keys = append(keys, string(key))
		}
	}
	for _, k := range keys {
		if f := newest[k]; len(f.value) > 0 {
			live = append(live, formatFact(f))
		}
	}
	return live
}

func TestScanEqualsDefinition(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		facts := randomFacts(rng, 1+rng.IntN(60))
		at := Timestamp(rng.IntN(22))
		want := visible(facts, at)
		var it Iter
		it.Init(newFake(facts), at)
		var forward, back []string
		for ok := it.SeekGE(nil); ok; ok = it.Next() {
			forward = append(forward, formatFact(fact{AppendKey(nil, it.Key(), it.Timestamp()), it.Value()}))
		}
		for ok := it.Last(); ok; ok = it.Prev() {
			back = append(back, formatFact(fact{AppendKey(nil, it.Key(), it.Timestamp()), it.Value()}))
		}
		slices.Reverse(back)
		if !slices.Equal(forward, want) || !slices.Equal(back, want) {
			t.Fatalf("at %d of %v:\nwant    %v\nforward %v\nback    %v", at, facts, want, forward, back)
		}
	}
}

// A filter may change no read at or above its threshold, whatever part of the
// facts a compaction takes.
func TestFilterChangesNoReadAtOrAboveThreshold(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dropped := 0
	for range 500 {
		facts := randomFacts(rng, 1+rng.IntN(80))
		kept := facts
		threshold := Timestamp(0)
		for range 1 + rng.IntN(4) {
			threshold += Timestamp(rng.IntN(8))
			var inside, others []fact
			for _, f := range kept {
				if rng.IntN(2) == 0 {
					inside = append(inside, f)
				} else {
					others = append(others, f)
				}
			}
			f := NewFilter(threshold, nil)
			inside = slices.DeleteFunc(inside, func(e fact) bool { return f.Drop(e.key, e.value, outside(others)) })
			kept = append(inside, others...)
			slices.SortFunc(kept, func(a, b fact) int { return bytes.Compare(a.key, b.key) })
			for at := threshold; at < 22; at++ {
				if want, got := visible(facts, at), visible(kept, at); !slices.Equal(want, got) {
					t.Fatalf("threshold %d, read at %d of %v:\nwant %v\ngot  %v", threshold, at, facts, want, got)
				}
			}
		}
		dropped += len(facts) - len(kept)
	}
	if dropped == 0 {
		t.Fatal("nothing was ever dropped")
	}
}

func TestConflictsEqualDefinition(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		engine := randomFacts(rng, 1+rng.IntN(50))
		var table []fact
		for k := range 12 {
			if rng.IntN(3) == 0 {
				table = append(table, fact{AppendKey(nil, fmt.Appendf(nil, "%02d", k), 0), []byte("t")})
			}
		}
		after := Timestamp(rng.IntN(15))
		at := after + Timestamp(rng.IntN(8))
		want := "none"
		for _, f := range engine {
			key, version := Split(f.key)
			newest := !slices.ContainsFunc(engine, func(g fact) bool {
				k, v := Split(g.key)
				return bytes.Equal(k, key) && v <= at && v > version
			})
			if version <= at && version > after && newest && len(f.value) > 0 &&
				slices.ContainsFunc(table, func(g fact) bool { return bytes.Equal(prefix(newFakeAt(g)), key) }) {
				want = formatFact(f)
				break
			}
		}
		got := "none"
		c, err := CheckConflicts(newFake(engine), newFake(table), after, at)
		if err != nil {
			t.Fatal(err)
		}
		if c != nil {
			got = formatFact(fact{AppendKey(nil, c.Key, c.At), c.Existing})
		}
		if got != want {
			t.Fatalf("(%d, %d] of %v\nwith %v:\nwant %s, got %s", after, at, engine, table, want, got)
		}
	}
}

func newFakeAt(f fact) *fakeIter { return &fakeIter{facts: []fact{f}} }

func TestStepsDoNotGrowWithHistory(t *testing.T) {
	moves := func(versions int) (scan, back, conflicts int) {
		var facts, table []fact
		for k := range 10 {
			key := fmt.Appendf(nil, "%02d", k)
			for v := range versions {
				facts = append(facts, fact{AppendKey(nil, key, Timestamp(versions-v)), []byte("x")})
			}
			// The table's keys lie between.
			table = append(table, fact{AppendKey(nil, fmt.Appendf(nil, "%02dt", k), 0), []byte("x")})
		}
		f := newFake(facts)
		var it Iter
		it.Init(f, Timestamp(versions/2+1))
		for ok := it.SeekGE(nil); ok; ok = it.Next() {
		}
		scan, f.moves = f.moves, 0
		for ok := it.Last(); ok; ok = it.Prev() {
		}
		back, f.moves = f.moves, 0
		if c, err := CheckConflicts(f, newFake(table), 0, MaxTimestamp); c != nil || err != nil {
			t.Fatal(c, err)
		}
		return scan, back, f.moves
	}
	s1, b1, c1 := moves(4)
	s2, b2, c2 := moves(1000)
	if s2 != s1 || b2 != b1 || c2 != c1 {
		t.Errorf("4 versions: %d, %d, %d moves; 1000: %d, %d, %d", s1, b1, c1, s2, b2, c2)
	}
}

func TestTandemCostFollowsTheSmallerSide(t *testing.T) {
	var large []fact
	for k := range 10000 {
		large = append(large, fact{AppendKey(nil, fmt.Appendf(nil, "%05d", k), 1), []byte("x")})
	}
	small := []fact{{AppendKey(nil, []byte("05000"), 0), []byte("x")}, {AppendKey(nil, []byte("09999"), 0), []byte("x")}}
	for _, swap := range []bool{false, true} {
		a, b := newFake(large), newFake(small)
		if swap {
			a, b = b, a
		}
		meetings := 0
		for td := NewTandem(a, b); td.Next(); {
			meetings++
		}
		if meetings != 2 || a.moves+b.moves > 12 {
			t.Errorf("swap=%v: %d meetings, %d moves", swap, meetings, a.moves+b.moves)
		}
	}
}

// testClock is a wall clock under the test's hand.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func TestClockIsStrictlyIncreasingWhateverTheWallClockDoes(t *testing.T) {
	wall := &testClock{now: time.Unix(1000, 0)}
	c, err := NewClock(wall.Now, 0, false, func(Timestamp) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	last := Timestamp(0)
	for i := range 100 {
		if i == 50 {
			wall.now = time.Unix(10, 0)
		}
		ts, err := c.Next()
		if err != nil || ts <= last {
			t.Fatalf("%v after %v: %v", ts, last, err)
		}
		last = ts
	}
}

func TestNoTimestampPassesTheDurableMark(t *testing.T) {
	wall := &testClock{now: time.Unix(1000, 0)}
	durable := Timestamp(0)
	fail := error(nil)
	c, _ := NewClock(wall.Now, 0, false, func(m Timestamp) error {
		if fail == nil {
			durable = m
		}
		return fail
	})
	for range 100 {
		wall.now = wall.now.Add(time.Second)
		if ts, err := c.Next(); err != nil || ts > durable {
			t.Fatalf("%v handed out, %v durable: %v", ts, durable, err)
		}
	}
	fail = errors.New("disk")
	wall.now = wall.now.Add(time.Hour)
	if _, err := c.Next(); !errors.Is(err, fail) {
		t.Fatalf("got %v", err)
	}
	fail = nil
	if ts, err := c.Next(); err != nil || ts > durable {
		t.Fatalf("after the failure: %v, %v", ts, err)
	}
}

func TestExtendInTimeKeepsIOOutOfNext(t *testing.T) {
	wall := &testClock{now: time.Unix(1000, 0)}
	calls := 0
	c, _ := NewClock(wall.Now, 0, false, func(Timestamp) error { calls++; return nil })
	for range 100 {
		if err := c.Extend(); err != nil {
			t.Fatal(err)
		}
		before := calls
		if _, err := c.Next(); err != nil || calls != before {
			t.Fatalf("Next did I/O: %v", err)
		}
		wall.now = wall.now.Add(time.Second)
	}
	if calls > 25 {
		t.Errorf("%d writes in 100 s", calls)
	}
}

func TestRestartContinuesAboveTheMarkWithTheClockBehind(t *testing.T) {
	wall := &testClock{now: time.Unix(10, 0)}
	mark := FromTime(time.Unix(5000, 0))
	c, err := NewClock(wall.Now, mark, false, func(Timestamp) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if ts, err := c.Next(); err != nil || ts <= mark {
		t.Fatalf("%v, %v", ts, err)
	}
}

func TestRestartWithTheClockFarAheadIsRefused(t *testing.T) {
	wall := &testClock{now: time.Unix(5e9, 0)}
	mark := FromTime(time.Unix(5000, 0))
	if _, err := NewClock(wall.Now, mark, false, nil); !errors.Is(err, ErrClockJump) {
		t.Fatalf("got %v", err)
	}
	if _, err := NewClock(wall.Now, mark, true, nil); err != nil {
		t.Fatalf("allowed: %v", err)
	}
	// A new store has nothing to be far ahead of.
	if _, err := NewClock(wall.Now, 0, false, nil); err != nil {
		t.Fatalf("new store: %v", err)
	}
}
