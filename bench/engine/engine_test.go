package engine

import (
	"hash/crc32"
	"maps"
	"slices"
	"testing"

	"minidb/kv/mvcc"
)

// What is measured is only worth something if the engines hold and answer the same.
func TestEnginesAnswerAlike(t *testing.T) {
	d := dataset{keys: 500, versions: 8}
	answers := map[string][]uint32{}
	for _, name := range slices.Sorted(maps.Keys(Engines())) {
		e, err := ByName(name)
		must(t, err)
		dir := t.TempDir()
		d.build(t, e, dir)
		s, err := e.Open(dir, Options{CacheBytes: 1 << 20})
		must(t, err)
		a := []uint32{
			sum(t, s, Iter.First, Iter.Next), sum(t, s, Iter.Last, Iter.Prev),
			sum(t, s, Iter.First, Iter.NextPrefix),
		}
		for at := range d.versions {
			a = append(a, sumLive(t, s, mvcc.Timestamp(at+1)))
		}
		answers[name] = a
		for n, want := range map[uint64]bool{0: true, spacing: true, spacing + 1: false} {
			if found, err := s.Get(AppendKey(nil, n, 3)); err != nil || found != want {
				t.Errorf("%s: key %d found: %v, %v", name, n, found, err)
			}
		}
		testTables(t, name, e, s)
		must(t, s.Close())
	}
	for name, a := range answers {
		if !slices.Equal(a, answers["minidb"]) {
			t.Errorf("%s scans %x, minidb %x", name, a, answers["minidb"])
		}
	}
}

// testTables checks conflicts of a table with the store and rewrites it.
func testTables(t *testing.T, name string, e Engine, s Store) {
	t.Helper()
	for first, want := range map[uint64]bool{1: false, spacing: true} {
		table, err := e.WriteTable(numbered(400, first, spacing, 0, []byte("value")), TableOptions{})
		must(t, err)
		for way, check := range map[string]func(store, table Iter) (bool, error){
			"CheckConflicts": e.CheckConflicts, "NextOnly": NextOnly,
		} {
			it, err := s.NewIter(nil, nil)
			must(t, err)
			tab, err := e.OpenTable(table)
			must(t, err)
			if found, err := check(it, tab); err != nil || found != want {
				t.Errorf("%s: %s from %d: %v, %v", name, way, first, found, err)
			}
			must(t, tab.Close())
			must(t, it.Close())
		}
		must(t, e.Rewrite(table, mvcc.Suffix(0), mvcc.Suffix(9), TableOptions{}, 2))
		must(t, e.RewriteLoop(table, mvcc.Suffix(0), mvcc.Suffix(9), TableOptions{}))
	}
}

// sum is a checksum of what a walk from start visits.
func sum(t *testing.T, s Store, start, step func(Iter) bool) uint32 {
	t.Helper()
	it, err := s.NewIter(nil, nil)
	must(t, err)
	crc := uint32(0)
	for ok := start(it); ok; ok = step(it) {
		crc = addEntry(crc, it)
	}
	must(t, it.Close())
	return crc
}

func sumLive(t *testing.T, s Store, at mvcc.Timestamp) uint32 {
	t.Helper()
	it, err := s.NewIter(nil, nil)
	must(t, err)
	var live mvcc.Iter
	live.Init(it, at)
	crc := uint32(0)
	for ok := live.SeekGE([]byte{'0'}); ok; ok = live.Next() {
		crc = addEntry(crc, it)
	}
	must(t, it.Close())
	return crc
}

func addEntry(crc uint32, it Iter) uint32 {
	crc = crc32.Update(crc, crc32.IEEETable, it.Key())
	return crc32.Update(crc, crc32.IEEETable, it.Value())
}
