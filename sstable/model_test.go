package sstable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// tb is what testing.TB and *rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// entry is a key with its value in the model, a sorted slice.
type entry struct{ key, value []byte }

func key(prefix string, suffix uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(prefix), suffix)
}

// writeTable writes entries, which are in order.
func writeTable(t tb, o WriterOptions, entries []entry) ([]byte, *Properties) {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf, o)
	for _, e := range entries {
		if err := w.Set(e.key, e.value); err != nil {
			t.Fatal(err)
		}
	}
	props, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes(), props
}

func openTable(t tb, b []byte, o ReaderOptions) *Reader {
	t.Helper()
	r, err := OpenReader(bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readAll(t tb, r *Reader, o IterOptions) []entry {
	t.Helper()
	it, err := r.NewIter(o)
	if err != nil {
		t.Fatal(err)
	}
	var got []entry
	for it.Next() {
		got = append(got, entry{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}

// drawEntries draws a table. Prefixes have two or three letters and end with a
// mark, so that none begins another.
func drawEntries(t *rapid.T) []entry {
	n := rapid.IntRange(0, 400).Draw(t, "entries")
	versions := uint64(rapid.IntRange(1, 40).Draw(t, "versions"))
	set := map[string][]byte{}
	for range n {
		set[string(drawKey(t, versions))] = bytes.Repeat([]byte{'v'}, rapid.IntRange(0, 20).Draw(t, "value"))
	}
	entries := make([]entry, 0, len(set))
	for k, v := range set {
		entries = append(entries, entry{[]byte(k), v})
	}
	sort.Slice(entries, func(i, j int) bool { return bytes.Compare(entries[i].key, entries[j].key) < 0 })
	return entries
}

func drawKey(t *rapid.T, versions uint64) []byte {
	p := rapid.StringMatching(`[abc]{2,3}!`).Draw(t, "prefix")
	return key(p, rapid.Uint64Range(0, versions-1).Draw(t, "suffix"))
}

// drawOptions draws writer options that make many small blocks.
func drawOptions(t *rapid.T) WriterOptions {
	return WriterOptions{
		BlockBytes:  rapid.SampledFrom([]int{1, 60, 300, 4096}).Draw(t, "block bytes"),
		Compression: Compression(rapid.IntRange(0, 1).Draw(t, "compression")),
		Filter:      FilterPolicy(rapid.IntRange(0, 2).Draw(t, "filter")),
		ForceMixed:  rapid.Bool().Draw(t, "force mixed"),
		Concurrency: rapid.IntRange(0, 3).Draw(t, "concurrency"),
	}
}

// modelIter is what Iter is checked against.
type modelIter struct {
	entries []entry // within the bounds
	at      int     // -1 before the first, len after the last
	fresh   bool
}

func newModelIter(entries []entry, lower, upper []byte) *modelIter {
	m := &modelIter{fresh: true, at: -1}
	for _, e := range entries {
		if (lower == nil || bytes.Compare(e.key, lower) >= 0) && (upper == nil || bytes.Compare(e.key, upper) < 0) {
			m.entries = append(m.entries, e)
		}
	}
	return m
}

func (m *modelIter) valid() bool { return m.at >= 0 && m.at < len(m.entries) }

func (m *modelIter) search(key []byte) int {
	return sort.Search(len(m.entries), func(i int) bool { return bytes.Compare(m.entries[i].key, key) >= 0 })
}

func (m *modelIter) move(op string, key []byte) {
	fresh := m.fresh
	m.fresh = false
	switch op {
	case "First":
		m.at = 0
	case "Last":
		m.at = len(m.entries) - 1
	case "SeekGE":
		m.at = m.search(key)
	case "SeekLT":
		m.at = m.search(key) - 1
	case "Prev":
		if fresh {
			m.at = len(m.entries)
		}
		m.at = max(m.at-1, -1)
	case "Next":
		m.at = min(m.at+1, len(m.entries))
	case "NextPrefix":
		if !m.valid() {
			m.at = min(m.at+1, len(m.entries))
			return
		}
		prefix := m.entries[m.at].key[:Split(m.entries[m.at].key)]
		for m.at < len(m.entries) && bytes.Equal(m.entries[m.at].key[:Split(m.entries[m.at].key)], prefix) {
			m.at++
		}
	}
}

func moveIter(it *Iter, op string, key []byte) bool {
	switch op {
	case "First":
		return it.First()
	case "Last":
		return it.Last()
	case "SeekGE":
		return it.SeekGE(key)
	case "SeekLT":
		return it.SeekLT(key)
	case "Prev":
		return it.Prev()
	case "Next":
		return it.Next()
	}
	return it.NextPrefix()
}

// mapCache is a BlockCache without bound.
type mapCache map[uint64][]byte

func (c mapCache) Get(_, offset uint64) ([]byte, bool) { b, ok := c[offset]; return b, ok }
func (c mapCache) Set(_, offset uint64, b []byte)      { c[offset] = b }

// TestIterFollowsModel walks iterators with and without galloping, over tables
// of all kinds, along random moves, and compares each step with a sorted slice.
func TestIterFollowsModel(t *testing.T) {
	ops := []string{"First", "Last", "SeekGE", "SeekGE", "SeekGE", "SeekLT", "SeekLT", "Prev", "Next", "Next", "NextPrefix", "NextPrefix"}
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		table, _ := writeTable(t, drawOptions(t), entries)
		ro := ReaderOptions{}
		if rapid.Bool().Draw(t, "cache") {
			ro.Cache = mapCache{}
		}
		r, err := OpenReader(bytes.NewReader(table), int64(len(table)), ro)
		if err != nil {
			t.Fatal(err)
		}
		var o IterOptions
		if rapid.Bool().Draw(t, "lower") {
			o.Lower = drawKey(t, 40)
		}
		if rapid.Bool().Draw(t, "upper") {
			o.Upper = drawKey(t, 40)
		}
		model := newModelIter(entries, o.Lower, o.Upper)
		var its [2]*Iter
		for n := range its {
			o.noGallop = n == 1
			o.NoCacheFill = rapid.Bool().Draw(t, "no fill")
			its[n], _ = r.NewIter(o)
			defer its[n].Close()
		}
		for range rapid.IntRange(1, 60).Draw(t, "moves") {
			op := rapid.SampledFrom(ops).Draw(t, "op")
			var target []byte
			if op == "SeekGE" || op == "SeekLT" {
				target = drawTarget(t, entries)
			}
			model.move(op, target)
			for n, it := range its {
				ok := moveIter(it, op, target)
				if err := it.Err(); err != nil {
					t.Fatal(err)
				}
				if ok != it.Valid() || ok != model.valid() {
					t.Fatalf("%s(%q), iterator %d: %v, the model says %v", op, target, n, ok, model.valid())
				}
				if want := model; ok && (!bytes.Equal(it.Key(), want.entries[want.at].key) || !bytes.Equal(it.Value(), want.entries[want.at].value)) {
					t.Fatalf("%s(%q), iterator %d: at %q, the model at %q", op, target, n, it.Key(), want.entries[want.at].key)
				}
			}
		}
	})
}

func drawTarget(t *rapid.T, entries []entry) []byte {
	if len(entries) > 0 && rapid.Bool().Draw(t, "present") {
		return rapid.SampledFrom(entries).Draw(t, "target").key
	}
	k := drawKey(t, 40)
	return k[:rapid.IntRange(0, len(k)).Draw(t, "length")]
}

// uniformEntries returns n entries with 20-byte prefixes and one suffix.
func uniformEntries(n int, suffix uint64) []entry {
	entries := make([]entry, n)
	for i := range entries {
		k := key(fmt.Sprintf("%020d", i), suffix)
		entries[i] = entry{k, k}
	}
	return entries
}
