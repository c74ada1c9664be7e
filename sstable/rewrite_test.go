package sstable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"minidb/sstable/internal/block"

	"pgregory.net/rapid"
)

func suffix(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

// rewriteLoop is the plain way that RewriteSuffixes must agree with.
func rewriteLoop(t tb, table, from, to []byte, o WriterOptions) []byte {
	t.Helper()
	r := openTable(t, table, ReaderOptions{})
	it, err := r.NewIter(IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	out.Grow(len(table))
	w := NewWriter(&out, o)
	var k []byte
	for it.Next() {
		if !bytes.HasSuffix(it.Key(), from) {
			t.Fatalf("key %x has another suffix than %x", it.Key(), from)
		}
		k = append(append(k[:0], it.Key()[:Split(it.Key())]...), to...)
		if err := w.Set(k, it.Value()); err != nil {
			t.Fatal(err)
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func rewrite(table, from, to []byte, o WriterOptions, concurrency int) ([]byte, *Properties, error) {
	var out bytes.Buffer
	props, err := RewriteSuffixes(bytes.NewReader(table), int64(len(table)), &out, from, to, o, concurrency)
	return out.Bytes(), props, err
}

func TestRewriteEqualsReadWriteLoop(t *testing.T) {
	from, to := suffix(1), suffix(0xfedcba9876543210)
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		if rapid.Bool().Draw(t, "collector") {
			o.Collectors = []func() BlockPropertyCollector{newSizes}
		}
		entries := drawEntries(t)
		kept := entries[:0]
		for _, e := range entries {
			copy(e.key[Split(e.key):], from)
			if len(kept) == 0 || !bytes.Equal(kept[len(kept)-1].key, e.key) {
				e.value = append(e.value, 'x')
				kept = append(kept, e)
			}
		}
		table, _ := writeTable(t, o, kept)
		want := rewriteLoop(t, table, from, to, o)
		for _, c := range []int{1, 3} {
			got, props, err := rewrite(table, from, to, o, c)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("concurrency %d: %d bytes differ from the loop's %d", c, len(got), len(want))
			}
			r, err := OpenReader(bytes.NewReader(got), int64(len(got)), ReaderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(*r.Properties()) != fmt.Sprint(*props) {
				t.Fatalf("returned %v, file has %v", *props, *r.Properties())
			}
		}
	})
}

func TestRewriteOfManyChunksEqualsLoop(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, mixed := range []bool{false, true} {
		for _, c := range []Compression{Snappy, NoCompression} {
			o := WriterOptions{BlockBytes: 4096, Compression: c, ForceMixed: mixed}
			table, _ := writeTable(t, o, uniformEntries(40_000, 7))
			want := rewriteLoop(t, table, suffix(7), suffix(9), o)
			for _, n := range []int{1, 2, 5, 16} {
				got, _, err := rewrite(table, suffix(7), suffix(9), o, n)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%v, mixed %v, concurrency %d: differs from the loop", c, mixed, n)
				}
			}
		}
	}
}

func TestRewriteLeavesInputUnchanged(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		o := WriterOptions{BlockBytes: 512, ForceMixed: mixed, Compression: NoCompression}
		table, _ := writeTable(t, o, uniformEntries(500, 7))
		before := bytes.Clone(table)
		var first []byte
		for n := range 5 {
			got, _, err := rewrite(table, suffix(7), suffix(9), o, 1+n%2)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !bytes.Equal(got, first) {
				t.Error("results of equal rewrites differ")
			}
		}
		if !bytes.Equal(table, before) {
			t.Error("the input changed")
		}
	}
}

func TestRewriteRefuses(t *testing.T) {
	entries := uniformEntries(1000, 7)
	odd := uniformEntries(1000, 7)
	odd[700].key = key(fmt.Sprintf("%020d", 700), 8)
	tombstone := uniformEntries(1000, 7)
	tombstone[300].value = nil
	nested := []entry{{key("a", 7), []byte("x")}, {key("ab", 7), []byte("x")}}
	stubborn := WriterOptions{BlockBytes: 512, Collectors: []func() BlockPropertyCollector{newStubborn}}
	for name, c := range map[string]struct {
		entries  []entry
		o        WriterOptions // of the writer
		ro       *WriterOptions
		from, to []byte
		n        int
		want     string
	}{
		"concurrency 0":          {n: 0, want: "concurrency 0"},
		"concurrency below 0":    {n: -1, want: "concurrency -1"},
		"lengths that differ":    {n: 1, to: []byte("longer than 8"), want: "8 bytes to one of 13"},
		"short suffixes":         {n: 1, from: []byte("x"), to: []byte("y"), want: "1 bytes to one of 1"},
		"wrong from":             {n: 1, from: suffix(6), want: fmt.Sprintf("key %x has another suffix", entries[0].key)},
		"one odd key":            {n: 2, entries: odd, want: fmt.Sprintf("key %x has another suffix", odd[700].key)},
		"one odd key, mixed":     {n: 2, entries: odd, o: WriterOptions{BlockBytes: 512, ForceMixed: true}, want: fmt.Sprintf("key %x has another suffix", odd[700].key)},
		"one odd key, plain":     {n: 2, entries: odd, o: WriterOptions{BlockBytes: 512, Compression: NoCompression}, want: fmt.Sprintf("key %x has another suffix", odd[700].key)},
		"tombstone":              {n: 1, entries: tombstone, want: fmt.Sprintf("key %x is a tombstone", tombstone[300].key)},
		"nested prefixes":        {n: 1, entries: nested, want: "one prefix begins another"},
		"other filter":           {n: 1, ro: &WriterOptions{Filter: BloomFilter}, want: "filter fuse as one with bloom"},
		"other compression":      {n: 1, ro: &WriterOptions{Compression: NoCompression}, want: "compression snappy as one with none"},
		"missing collector":      {n: 1, o: stubborn, ro: &WriterOptions{}, want: "1 collectors as one with 0"},
		"other collector":        {n: 1, o: stubborn, ro: &WriterOptions{Collectors: []func() BlockPropertyCollector{newSizes}}, want: "collector stubborn as one with sizes"},
		"stubborn collector":     {n: 1, o: stubborn, want: "collector stubborn: sstable: block property cannot follow"},
		"stubborn, concurrently": {n: 4, o: stubborn, want: "collector stubborn"},
	} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			if c.entries == nil {
				c.entries = entries
			}
			if c.from == nil {
				c.from = suffix(7)
			}
			if c.to == nil {
				c.to = suffix(9)
			}
			table, _ := writeTable(t, c.o, c.entries)
			if c.ro == nil {
				c.ro = &c.o
			}
			_, props, err := rewrite(table, c.from, c.to, *c.ro, c.n)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if props != nil {
				t.Error("properties beside an error")
			}
		})
	}
}

func TestRewriteReportsLowestBadBlock(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, mixed := range []bool{false, true} {
		// Blocks of very different sizes, so that a later one is done sooner.
		entries := uniformEntries(30_000, 7)
		for i := range entries {
			if i%5000 == 17 {
				entries[i].value = bytes.Repeat([]byte("big"), 100_000)
			}
		}
		o := WriterOptions{BlockBytes: 1024, ForceMixed: mixed}
		table, _ := writeTable(t, o, entries)
		var handles []int64
		r := openTable(t, table, ReaderOptions{})
		if err := r.eachBlock(func(h blockAt) error {
			if h.kind == block.Data {
				handles = append(handles, int64(h.handle.Offset))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		bad := len(handles) / 3
		for _, b := range []int{bad, bad + 1, bad + 200, len(handles) - 2} {
			table[handles[b]+3] ^= 0x10
		}
		for range 5 {
			_, _, err := rewrite(table, suffix(7), suffix(9), o, 8)
			var c *CorruptionError
			if !errors.As(err, &c) || c.Offset != handles[bad] {
				t.Fatalf("mixed %v: error %v, want corruption at %d", mixed, err, handles[bad])
			}
		}
	}
}

// failAfter fails the write that would pass the limit.
type failAfter struct{ left int }

var errSink = errors.New("sink is full")

func (f *failAfter) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errSink
	}
	return len(b), nil
}

func TestRewriteReturnsWriteErrors(t *testing.T) {
	defer goleak.VerifyNone(t)
	o := WriterOptions{BlockBytes: 1024}
	table, _ := writeTable(t, o, uniformEntries(20_000, 7))
	for limit := 0; limit < len(table); limit += len(table)/20 + 1 {
		_, err := RewriteSuffixes(bytes.NewReader(table), int64(len(table)), &failAfter{limit}, suffix(7), suffix(9), o, 3)
		if !errors.Is(err, errSink) {
			t.Fatalf("limit %d: error %v", limit, err)
		}
	}
}

func TestRewriteCopiesFilterVerbatim(t *testing.T) {
	for _, policy := range []FilterPolicy{FuseFilter, BloomFilter} {
		o := WriterOptions{Filter: policy}
		table, _ := writeTable(t, o, uniformEntries(2000, 7))
		got, _, err := rewrite(table, suffix(7), suffix(9), o, 1)
		if err != nil {
			t.Fatal(err)
		}
		in, out := openTable(t, table, ReaderOptions{}), openTable(t, got, ReaderOptions{})
		a, b := in.footer.filter, out.footer.filter
		if !bytes.Equal(table[a.Offset:a.Offset+a.Size], got[b.Offset:b.Offset+b.Size]) {
			t.Errorf("%v: filter blocks differ", policy)
		}
	}
}

func TestRewriteOfSmallTableStartsNoGoroutine(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{}, uniformEntries(100, 7))
	before := runtime.NumGoroutine()
	var during int
	_, err := RewriteSuffixes(bytes.NewReader(table), int64(len(table)), writerFunc(func(b []byte) (int, error) {
		during = runtime.NumGoroutine()
		return len(b), nil
	}), suffix(7), suffix(9), WriterOptions{}, 16)
	if err != nil || during != before {
		t.Errorf("%d goroutines instead of %d, error %v", during, before, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestRewriteAllocatesLittle holds the bound max(2x output, 32 KiB) once the
// buffer pools are warm.
func TestRewriteAllocatesLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector changes what is allocated")
	}
	for _, n := range []int{100, 10_000, 100_000} {
		for _, mixed := range []bool{false, true} {
			o := WriterOptions{BlockBytes: 4096, ForceMixed: mixed}
			table, _ := writeTable(t, o, uniformEntries(n, 7))
			var out bytes.Buffer
			least := uint64(math.MaxUint64) // of some runs: a collection in between empties the pools
			for range 4 {
				out.Reset()
				out.Grow(2 * len(table))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := RewriteSuffixes(bytes.NewReader(table), int64(len(table)), &out, suffix(7), suffix(9), o, 2); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				least = min(least, after.TotalAlloc-before.TotalAlloc)
			}
			if limit := uint64(max(2*out.Len(), 32<<10)); least > limit {
				t.Errorf("%d keys, mixed %v: allocated %d bytes, the limit is %d", n, mixed, least, limit)
			}
		}
	}
}

// sizes collects the number of value bytes, which no suffix changes.
type sizes struct{ n uint64 }

func newSizes() BlockPropertyCollector { return &sizes{} }

func (c *sizes) Name() string { return "sizes" }
func (c *sizes) Add(_, value []byte) error {
	c.n += uint64(len(value))
	return nil
}

func (c *sizes) FinishBlock(dst []byte) ([]byte, error) {
	dst = binary.AppendUvarint(dst, c.n)
	c.n = 0
	return dst, nil
}

func (c *sizes) Union(dst, a, b []byte) ([]byte, error) {
	x, _ := binary.Uvarint(a)
	y, _ := binary.Uvarint(b)
	return binary.AppendUvarint(dst, x+y), nil
}

func (c *sizes) UpdateSuffix(dst, property, _, _ []byte) ([]byte, error) {
	return append(dst, property...), nil
}

// stubborn cannot follow a rewrite.
type stubborn struct{ sizes }

func newStubborn() BlockPropertyCollector { return &stubborn{} }

func (c *stubborn) Name() string { return "stubborn" }
func (c *stubborn) UpdateSuffix(_, _, _, _ []byte) ([]byte, error) {
	return nil, ErrCannotUpdateSuffix
}
