package memtable

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"testing"
)

// key makes a key with an 8-byte suffix.
func key(prefix string, version int) []byte { return fmt.Appendf(nil, "%s%08d", prefix, version) }

// filled returns a memtable of n keys and the keys in order.
func filled(rng *rand.Rand, n int) (*Memtable, []string) {
	m := New()
	seen := map[string]bool{}
	for range n {
		k := key(fmt.Sprintf("k%03d", rng.IntN(n/4+1)), rng.IntN(20))
		m.Insert(k, append([]byte("v"), k...))
		seen[string(k)] = true
	}
	var keys []string
	for k := range seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return m, keys
}

// TestIterAgreesWithASortedSlice walks at random, with and without bounds.
func TestIterAgreesWithASortedSlice(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		m, keys := filled(rng, 1+rng.IntN(400))
		if m.Len() != len(keys) {
			t.Fatalf("seed %d: %d facts, want %d", seed, m.Len(), len(keys))
		}
		var lower, upper []byte
		if rng.IntN(2) == 0 {
			lower, upper = key(fmt.Sprintf("k%03d", rng.IntN(50)), 3), key(fmt.Sprintf("k%03d", 40+rng.IntN(60)), 5)
			from := sort.SearchStrings(keys, string(lower))
			keys = keys[from:max(from, sort.SearchStrings(keys, string(upper)))]
		}
		it := m.NewIter(lower, upper)
		at := -1
		for step := range 500 {
			target := key(fmt.Sprintf("k%03d", rng.IntN(120)), rng.IntN(20))
			ge := sort.SearchStrings(keys, string(target))
			op := rng.IntN(7)
			if at < 0 || at >= len(keys) {
				op = []int{0, 1, 4, 5}[rng.IntN(4)]
			}
			var ok bool
			switch op {
			case 0:
				ok, at = it.First(), 0
			case 1:
				ok, at = it.Last(), len(keys)-1
			case 2:
				ok, at = it.Next(), at+1
			case 3:
				ok, at = it.Prev(), at-1
			case 4:
				ok, at = it.SeekGE(target), ge
			case 5:
				ok, at = it.SeekLT(target), ge-1
			case 6:
				ok = it.NextPrefix()
				for p := keys[at][:4]; at < len(keys) && keys[at][:4] == p; {
					at++
				}
			}
			if want := at >= 0 && at < len(keys); ok != want || ok != it.Valid() {
				t.Fatalf("seed %d step %d op %d: %v, want %v", seed, step, op, ok, want)
			}
			if ok && (string(it.Key()) != keys[at] || string(it.Value()) != "v"+keys[at]) {
				t.Fatalf("seed %d step %d op %d: at %s = %s, want %s", seed, step, op, it.Key(), it.Value(), keys[at])
			}
		}
	}
}

func TestConcurrentInsertsAndReads(t *testing.T) {
	m := New()
	const writers, each = 4, 2000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				// Half of the keys are inserted by two writers.
				k := key(fmt.Sprintf("k%d", w/2), i*2+w%2*(i%2))
				m.Insert(k, k)
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			var last []byte
			it := m.NewIter(nil, nil)
			for ok := it.First(); ok; ok = it.Next() {
				if bytes.Compare(last, it.Key()) >= 0 || !bytes.Equal(it.Key(), it.Value()) {
					t.Errorf("%s=%s after %s", it.Key(), it.Value(), last)
					return
				}
				last = it.Key()
			}
		}
	})
	wg.Wait()
	n := 0
	it := m.NewIter(nil, nil)
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	if want := writers / 2 * (each + each/2); n != want || m.Len() != want {
		t.Fatalf("%d facts, Len %d, want %d", n, m.Len(), want)
	}
}

func TestLargeValuesAndManyChunks(t *testing.T) {
	m := New()
	for i := range 50 {
		m.Insert(key("k", i), bytes.Repeat([]byte{byte(i)}, i*100_000))
	}
	it := m.NewIter(nil, nil)
	for i := range 50 {
		if !it.Next() && !it.SeekGE(key("k", i)) {
			t.Fatal("end")
		}
		if !bytes.Equal(it.Key(), key("k", i)) || !bytes.Equal(it.Value(), bytes.Repeat([]byte{byte(i)}, i*100_000)) {
			t.Fatalf("fact %d is wrong", i)
		}
	}
	if m.Bytes() < 120_000_000 {
		t.Fatalf("it says it takes %d bytes", m.Bytes())
	}
}

func BenchmarkInsert(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	keys := make([][]byte, 1<<16)
	for i := range keys {
		keys[i] = key(fmt.Sprintf("k%08d", rng.IntN(1<<30)), i)
	}
	value := make([]byte, 100)
	m := New()
	for i := 0; b.Loop(); i++ {
		if i%len(keys) == 0 {
			m = New()
		}
		m.Insert(keys[i%len(keys)], value)
	}
}

func BenchmarkSeekGEAhead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	m, keys := filled(rng, 1<<16)
	for _, step := range []int{1, 16, 1024} {
		b.Run(fmt.Sprintf("by=%d", step), func(b *testing.B) {
			it := m.NewIter(nil, nil)
			for i := 0; b.Loop(); i += step {
				it.SeekGE([]byte(keys[i%len(keys)]))
			}
		})
	}
}
