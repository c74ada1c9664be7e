package sstable

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestWriterRefusesBadKeys(t *testing.T) {
	for name, c := range map[string]struct {
		keys [][]byte
		want string
	}{
		"no prefix":         {[][]byte{suffix(1)}, "key of 8"},
		"equal":             {[][]byte{key("a", 1), key("a", 1)}, "does not follow"},
		"smaller suffix":    {[][]byte{key("a", 2), key("a", 1)}, "does not follow"},
		"smaller prefix":    {[][]byte{key("b", 1), key("a", 2)}, "does not follow"},
		"nested, unordered": {[][]byte{key("a", 1<<63), key("ab", 1)}, "does not follow"},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewWriter(&bytes.Buffer{}, WriterOptions{})
			var err error
			for _, k := range c.keys {
				err = w.Set(k, []byte("v"))
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if again := w.Set(key("z", 1), nil); again != err {
				t.Errorf("a later Set gives %v, not the first error", again)
			}
			if _, cerr := w.Close(); cerr != err {
				t.Errorf("Close gives %v, not the first error", cerr)
			}
		})
	}
}

func TestWriterAcceptsNestedPrefixes(t *testing.T) {
	table, props := writeTable(t, WriterOptions{}, []entry{{key("a", 1), nil}, {key("ab", 1), nil}})
	if !props.NestedPrefixes {
		t.Error("nested prefixes were not noticed")
	}
	if err := openTable(t, table, ReaderOptions{}).Check(); err != nil {
		t.Error(err)
	}
}

func TestWriterPropertiesDescribeFile(t *testing.T) {
	entries := []entry{
		{key("a", 3), []byte("12345")}, {key("a", 9), nil}, {key("b", 1), []byte("x")}, {key("c", 5), []byte("yz")},
	}
	o := WriterOptions{BlockBytes: 1, Collectors: []func() BlockPropertyCollector{newSizes}}
	table, props := writeTable(t, o, entries)
	r := openTable(t, table, ReaderOptions{})
	if got, want := fmt.Sprintf("%+v", *r.Properties()), fmt.Sprintf("%+v", *props); got != want {
		t.Errorf("read %s\nwrote %s", got, want)
	}
	p := r.Properties()
	if p.NumEntries != 4 || p.NumTombstones != 1 || p.NumBlocks != 4 || p.NumUniform != 4 || p.RawKeyBytes != 36 || p.RawValueBytes != 8 || p.FileBytes != uint64(len(table)) {
		t.Errorf("counts: %+v", p)
	}
	if !bytes.Equal(p.Smallest, key("a", 3)) || !bytes.Equal(p.Largest, key("c", 5)) || !bytes.Equal(p.MinSuffix, suffix(1)) || !bytes.Equal(p.MaxSuffix, suffix(9)) {
		t.Errorf("bounds: %+v", p)
	}
	if got := p.UserProperties["sizes"]; !bytes.Equal(got, []byte{8}) {
		t.Errorf("collected %x", got)
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

func TestEmptyTable(t *testing.T) {
	for _, policy := range []FilterPolicy{FuseFilter, BloomFilter, NoFilter} {
		table, props := writeTable(t, WriterOptions{Filter: policy}, nil)
		if props.NumEntries != 0 || props.Smallest != nil {
			t.Errorf("%+v", props)
		}
		r := openTable(t, table, ReaderOptions{})
		if got := readAll(t, r, IterOptions{}); len(got) != 0 {
			t.Errorf("entries %v", got)
		}
		it, _ := r.NewIter(IterOptions{})
		if it.Last() || it.SeekGE([]byte("a")) || it.SeekLT([]byte("z")) || it.Prev() || it.NextPrefix() || it.Err() != nil {
			t.Errorf("an entry in an empty table, or %v", it.Err())
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		if got, _, err := rewrite(table, suffix(1), suffix(2), WriterOptions{Filter: policy}, 2); err != nil || !bytes.Equal(got, table) {
			t.Errorf("rewrite of an empty table: %v", err)
		}
	}
}

// TestWriterBytesDoNotDependOnConcurrency also checks tables of every kind with
// Check.
func TestWriterBytesDoNotDependOnConcurrency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		o := drawOptions(t)
		want, _ := writeTable(t, o, entries)
		for _, c := range []int{0, 2, 4} {
			o.Concurrency = c
			if got, _ := writeTable(t, o, entries); !bytes.Equal(got, want) {
				t.Fatalf("concurrency %d writes other bytes", c)
			}
		}
		r, err := OpenReader(bytes.NewReader(want), int64(len(want)), ReaderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWriterReturnsWriteErrors(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, concurrency := range []int{1, 4} {
		w := NewWriter(&failAfter{100_000}, WriterOptions{BlockBytes: 1024, Concurrency: concurrency, Compression: NoCompression})
		var err error
		for _, e := range uniformEntries(20_000, 7) {
			if err = w.Set(e.key, e.value); err != nil {
				break
			}
		}
		if !errors.Is(err, errSink) {
			t.Errorf("concurrency %d: Set gives %v", concurrency, err)
		}
		if _, err := w.Close(); !errors.Is(err, errSink) {
			t.Errorf("concurrency %d: Close gives %v", concurrency, err)
		}
	}
	w := NewWriter(&failAfter{10}, WriterOptions{})
	_ = w.Set(key("a", 1), nil)
	if _, err := w.Close(); !errors.Is(err, errSink) {
		t.Errorf("Close gives %v", err)
	}
}

func TestWriterAbortEndsGoroutines(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := NewWriter(&bytes.Buffer{}, WriterOptions{BlockBytes: 100, Concurrency: 4})
	for _, e := range uniformEntries(1000, 7) {
		if err := w.Set(e.key, e.value); err != nil {
			t.Fatal(err)
		}
	}
	w.Abort()
	w.Abort()
	if err := w.Set(key("z", 1), nil); err == nil {
		t.Error("Set after Abort succeeds")
	}
	if _, err := w.Close(); err == nil {
		t.Error("Close after Abort succeeds")
	}
}

func TestEstimatedSizeIsNearTheFile(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf, WriterOptions{Compression: NoCompression, BlockBytes: 4096})
	for _, e := range uniformEntries(50_000, 7) {
		if err := w.Set(e.key, e.value); err != nil {
			t.Fatal(err)
		}
	}
	estimate := w.EstimatedSize()
	props, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if low, high := props.FileBytes*9/10, props.FileBytes*11/10; estimate < low || estimate > high {
		t.Errorf("estimate %d, file %d", estimate, props.FileBytes)
	}
}
