package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"minidb/storage/vfs"
)

// layered fills a store whose facts lie in memtables, L0 and lower levels, mixed,
// and returns the keys in order. A value is its key's human form.
func layered(t testing.TB, rng *rand.Rand) (*DB, []string) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	var keys []string
	for round := range 6 {
		var facts []string
		for i := range 60 {
			k := fmt.Sprintf("k%03d@%d", rng.IntN(80), round*100+i+1)
			facts = append(facts, k+"="+k)
			keys = append(keys, string(testKey(k)))
		}
		put(t, db, SyncOS, facts...)
		switch round {
		case 1:
			must(t, db.Compact(nil, nil))
		case 2, 3:
			must(t, db.Flush())
		case 4:
			must(t, db.rotateNow())
		}
	}
	slices.Sort(keys)
	return db, keys
}

// TestIterAgreesWithASortedSlice walks at random over all kinds of sources, with
// and without bounds.
func TestIterAgreesWithASortedSlice(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		db, keys := layered(t, rng)
		anyKey := func() []byte { return testKey(fmt.Sprintf("k%03d@%d", rng.IntN(82), rng.IntN(600))) }
		var o IterOptions
		if rng.IntN(2) == 0 {
			o.Lower, o.Upper = anyKey(), anyKey()
			if string(o.Lower) > string(o.Upper) {
				o.Lower, o.Upper = o.Upper, o.Lower
			}
			from := sort.SearchStrings(keys, string(o.Lower))
			keys = keys[from:sort.SearchStrings(keys, string(o.Upper))]
		}
		it, err := db.NewIter(o)
		must(t, err)
		at := -1
		for step := range 300 {
			target := anyKey()
			ge := sort.SearchStrings(keys, string(target))
			var ok bool
			op := rng.IntN(8)
			switch {
			case op == 0:
				ok, at = it.First(), 0
			case op == 1:
				ok, at = it.Last(), len(keys)-1
			case op <= 3:
				ok, at = it.SeekGE(target), ge
			case op == 4:
				ok, at = it.SeekLT(target), ge-1
			case at < 0 || at >= len(keys):
				continue
			case op == 5:
				ok, at = it.Next(), at+1
			case op == 6:
				ok, at = it.Prev(), at-1
			default:
				ok = it.NextPrefix()
				for p := keys[at][:4]; at < len(keys) && keys[at][:4] == p; {
					at++
				}
			}
			if want := at >= 0 && at < len(keys); ok != want || it.Valid() != want {
				t.Fatalf("seed %d step %d op %d: %v, want %v", seed, step, op, ok, want)
			}
			if ok && (string(it.Key()) != keys[at] || string(it.Value()) != showKey(it.Key())) {
				t.Fatalf("seed %d step %d op %d: at %s, want %s", seed, step, op, showKey(it.Key()), showKey([]byte(keys[at])))
			}
		}
		must(t, it.Close())
		must(t, db.Close())
	}
}

// TestSuffixBoundsSkipWholeFiles, and return all that is within them.
func TestSuffixBoundsSkipWholeFiles(t *testing.T) {
	db := openTest(t, manualOptions(vfs.NewMem()))
	put(t, db, SyncFull, "a@1=x", "b@2=x")
	must(t, db.Flush())
	put(t, db, SyncFull, "c@11=x", "d@12=x")
	must(t, db.Flush())
	it, err := db.NewIter(IterOptions{MinSuffix: testSuffix(20), MaxSuffix: testSuffix(10)})
	must(t, err)
	got := ""
	for ok := it.First(); ok; ok = it.Next() {
		got += showKey(it.Key()) + " "
	}
	must(t, it.Close())
	if got != "c@11 d@12 " {
		t.Fatal(got)
	}
}

// TestIteratorPinsWhatItSees: compactions and deletions go on beneath it.
func TestIteratorPinsWhatItSees(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	put(t, db, SyncFull, "a@1=x", "b@1=x")
	must(t, db.Flush())
	it, err := db.NewIter(IterOptions{})
	must(t, err)
	it.First()
	put(t, db, SyncFull, "c@2=x")
	must(t, db.Compact(nil, nil))
	must(t, db.Compact(nil, nil))
	waitFor(t, func() bool { return countTables(t, mem) == 2 })
	if !it.Next() || showKey(it.Key()) != "b@1" || it.Next() {
		t.Fatal("the iterator lost its facts")
	}
	must(t, it.Close())
	waitFor(t, func() bool { return countTables(t, mem) == 1 })
}
