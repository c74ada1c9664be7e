package sorter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"minidb/sstable"
	"minidb/storage/vfs"
)

type pair struct{ key, value string }

// walk returns what a merge gives.
func walk(t *rapid.T, runs []Run, lower, upper []byte) []pair {
	m, err := NewMerge(runs, lower, upper)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var got []pair
	for m.Next() {
		got = append(got, pair{string(m.Key()), string(m.Value())})
	}
	if err := m.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestRunsMergeInOrder sorts random keys, equal ones among them, in buffers and
// files, and merges them, as a whole and in parts.
func TestRunsMergeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewVolatile()
		var want []pair
		var runs []Run
		for n := range rapid.IntRange(0, 5).Draw(t, "runs") {
			b := &Buffer{}
			common := rapid.StringMatching(`[xy]{0,20}`).Draw(t, "common")
			for range rapid.IntRange(0, 200).Draw(t, "keys") {
				p := pair{common + rapid.StringMatching("[ab\x00]{0,12}").Draw(t, "key"), fmt.Sprint(len(want))}
				b.Add([]byte(p.key), []byte(p.value))
				want = append(want, p)
			}
			b.Sort()
			var run Run = b
			if rapid.Bool().Draw(t, "spill") {
				f, err := b.Spill(fs, fmt.Sprint(n), rapid.IntRange(1, 300).Draw(t, "block"))
				if err != nil {
					t.Fatal(err)
				}
				b.Reset()
				run = f
			}
			runs = append(runs, run)
		}
		byKey := func(a, b pair) int { return bytes.Compare([]byte(a.key), []byte(b.key)) }
		slices.SortStableFunc(want, byKey)
		got := walk(t, runs, nil, nil)
		for i := range got {
			if i > 0 && byKey(got[i-1], got[i]) > 0 {
				t.Fatalf("%q before %q", got[i-1].key, got[i].key)
			}
		}
		same := func(got []pair) bool {
			a, b := slices.Clone(want), slices.Clone(got)
			full := func(a, b pair) int {
				if c := byKey(a, b); c != 0 {
					return c
				}
				return bytes.Compare([]byte(a.value), []byte(b.value))
			}
			slices.SortFunc(a, full)
			slices.SortFunc(b, full)
			return slices.Equal(a, b)
		}
		if !same(got) {
			t.Fatalf("%d pairs, want %d", len(got), len(want))
		}
		var parts []pair
		lower := []byte(nil)
		for _, upper := range append(Split(runs, rapid.IntRange(1, 6).Draw(t, "parts")), nil) {
			parts = append(parts, walk(t, runs, lower, upper)...)
			lower = upper
		}
		if !same(parts) {
			t.Fatalf("the parts have %d pairs, want %d", len(parts), len(want))
		}
		f, err := MergeToFile(fs, "merged", 100, runs, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := walk(t, []Run{f}, nil, nil); !same(got) || f.Len() != len(want) {
			t.Fatalf("the merged file has %d pairs of %d", len(got), len(want))
		}
	})
}

func TestSortOrdersManyKeys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := &Buffer{}
	for i := range 50_000 {
		// Three indexes, integers with little in their first bytes, and a tail.
		k := append([]byte("table"), byte(i%3))
		k = binary.BigEndian.AppendUint64(k, uint64(rnd.IntN(20_000)))
		b.Add(append(k, byte(i%2)), []byte("v"))
	}
	b.Sort()
	for i := 1; i < b.Len(); i++ {
		if bytes.Compare(b.key(b.entries[i-1]), b.key(b.entries[i])) > 0 {
			t.Fatalf("key %d is below the one before", i)
		}
	}
}

func TestBufferTakesLargeValues(t *testing.T) {
	b := &Buffer{}
	for _, n := range []int{1, blockBytes - 30, blockBytes, 3 * blockBytes, 2, 5*blockBytes + 7, 3} {
		b.Add(fmt.Appendf(nil, "k%09d", n), bytes.Repeat([]byte{byte(n)}, n))
	}
	b.Sort()
	want := []int{1, 2, 3, blockBytes - 30, blockBytes, 3 * blockBytes, 5*blockBytes + 7}
	for i, n := range want {
		if k, v := b.pair(b.entries[i]); string(k) != fmt.Sprintf("k%09d", n) || !bytes.Equal(v, bytes.Repeat([]byte{byte(n)}, n)) {
			t.Errorf("entry %d: key %s, %d bytes", i, k, len(v))
		}
	}
	b.Reset()
	if b.Len() != 0 || b.Bytes() != 0 {
		t.Error("not empty after Reset")
	}
}

func spilled(t *testing.T, fs vfs.FS) *File {
	b := &Buffer{}
	for i := range 500 {
		b.Add(fmt.Appendf(nil, "%05d", i), []byte("value"))
	}
	b.Sort()
	f, err := b.Spill(fs, "run", 512)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDamagedSpillsAreNoticed(t *testing.T) {
	fs := vfs.NewMem()
	f := spilled(t, fs)
	for off := int64(0); off < f.Bytes(); off += 97 {
		w, _ := fs.OpenReadWrite("run")
		var b [1]byte
		_, _ = w.ReadAt(b[:], off)
		b[0] ^= 4
		_, _ = w.WriteAt(b[:], off)
		m, err := NewMerge([]Run{f}, nil, nil)
		for err == nil && m.Next() {
		}
		if err == nil {
			err = m.Err()
			m.Close()
		}
		var c *sstable.CorruptionError
		if !errors.As(err, &c) || c.File != "run" {
			t.Errorf("offset %d: %v", off, err)
		}
		b[0] ^= 4
		_, _ = w.WriteAt(b[:], off)
		_ = w.Close()
	}
}

func TestFailedSpillLeavesNoFile(t *testing.T) {
	b := &Buffer{}
	for i := range 500 {
		b.Add(fmt.Appendf(nil, "%05d", i), []byte("value"))
	}
	b.Sort()
	boom := errors.New("boom")
	fs := vfs.NewMem()
	if _, err := MergeToFile(fs, "run", 100, []Run{b}, func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	if names, _ := fs.List("."); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestSplitPartsAreEven(t *testing.T) {
	var runs []Run
	for r := range 3 {
		b := &Buffer{}
		for i := range 10_000 {
			b.Add(fmt.Appendf(nil, "%06d", i*3+r), nil)
		}
		b.Sort()
		runs = append(runs, b)
	}
	keys := Split(runs, 4)
	if len(keys) != 3 {
		t.Fatalf("%d keys", len(keys))
	}
	for i, k := range keys {
		var n int
		_, _ = fmt.Sscanf(string(k), "%d", &n)
		if want := (i + 1) * 7500; n < want-1500 || n > want+1500 {
			t.Errorf("part %d ends at %d of 30000", i, n)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	const n = 200_000
	keys := make([][]byte, n)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range keys {
		k := append([]byte("t"), byte(i%3))
		keys[i] = append(binary.BigEndian.AppendUint64(k, uint64(rnd.IntN(1<<24))), 1)
	}
	value := make([]byte, 60)
	for b.Loop() {
		b.StopTimer()
		buf := &Buffer{}
		for _, k := range keys {
			buf.Add(k, value)
		}
		b.StartTimer()
		buf.Sort()
		b.StopTimer()
		buf.Reset()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/key")
}
