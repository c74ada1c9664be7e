package sstable

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestFilterKnowsEveryPrefix(t *testing.T) {
	for _, c := range []struct {
		policy FilterPolicy
		most   int // false positives of 10,000
	}{{FuseFilter, 80}, {BloomFilter, 250}} {
		for _, n := range []int{1, 2, 3, 10, 1000, 20_000} {
			table, _ := writeTable(t, WriterOptions{Filter: c.policy}, uniformEntries(n, 7))
			r := openTable(t, table, ReaderOptions{})
			for _, e := range uniformEntries(n, 7) {
				if ok, err := r.MayContain(e.key[:Split(e.key)]); !ok || err != nil {
					t.Fatalf("%v of %d: denies %q, error %v", c.policy, n, e.key, err)
				}
			}
			positives := 0
			for i := range 10_000 {
				if ok, _ := r.MayContain(fmt.Appendf(nil, "absent %d", i)); ok {
					positives++
				}
			}
			if positives > c.most {
				t.Errorf("%v of %d: %d false positives of 10,000", c.policy, n, positives)
			}
		}
	}
}

func TestNoFilterMayContainAll(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{Filter: NoFilter}, uniformEntries(10, 7))
	if ok, err := openTable(t, table, ReaderOptions{}).MayContain([]byte("absent")); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// countingReader counts the reads and the bytes.
type countingReader struct {
	*bytes.Reader
	reads, bytes int
}

func (c *countingReader) ReadAt(b []byte, off int64) (int, error) {
	c.reads++
	c.bytes += len(b)
	return c.Reader.ReadAt(b, off)
}

func TestSuffixBoundsSkipBlocksUnread(t *testing.T) {
	// Blocks alternate between old and new suffixes.
	var entries []entry
	for i := range 20_000 {
		e := uniformEntries(1, 7)[0]
		e.key = key(fmt.Sprintf("%08d", i), uint64(i/1000%2*100))
		entries = append(entries, e)
	}
	table, _ := writeTable(t, WriterOptions{BlockBytes: 512, Filter: NoFilter}, entries)
	src := &countingReader{Reader: bytes.NewReader(table)}
	r, err := OpenReader(src, int64(len(table)), ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.footer.levels != 2 {
		t.Fatal("the table is too small for this test")
	}
	got := readAll(t, r, IterOptions{})
	all := src.bytes
	src.bytes = 0
	if len(got) != len(entries) {
		t.Fatalf("%d entries without bounds", len(got))
	}
	for name, o := range map[string]IterOptions{
		"newest":  {MaxSuffix: suffix(50)},
		"oldest":  {MinSuffix: suffix(50)},
		"range":   {MinSuffix: suffix(0), MaxSuffix: suffix(99)},
		"nothing": {MinSuffix: suffix(30), MaxSuffix: suffix(60)},
	} {
		src.bytes = 0
		want := map[string]bool{}
		for _, e := range entries {
			s := e.key[Split(e.key):]
			if (o.MinSuffix == nil || bytes.Compare(s, o.MinSuffix) >= 0) && (o.MaxSuffix == nil || bytes.Compare(s, o.MaxSuffix) <= 0) {
				want[string(e.key)] = true
			}
		}
		got := readAll(t, r, o)
		for _, e := range got {
			delete(want, string(e.key))
		}
		if len(want) > 0 {
			t.Errorf("%s: %d entries are missing", name, len(want))
		}
		if src.bytes > all*2/3 {
			t.Errorf("%s: read %d bytes of %d", name, src.bytes, all)
		}
		it, _ := r.NewIter(o)
		n := 0
		for it.Prev() {
			n++
		}
		if err := it.Close(); err != nil || n != len(got) {
			t.Errorf("%s: %d entries backwards, %d forwards, %v", name, n, len(got), err)
		}
	}
}

// atLeast is of interest where a block has that many value bytes.
type atLeast struct{ n byte }

func (f atLeast) Name() string                      { return "sizes" }
func (f atLeast) Intersects(p []byte) (bool, error) { return len(p) > 1 || p[0] >= f.n, nil }

func TestBlockPropertyFilterSkipsBlocks(t *testing.T) {
	entries := []entry{{key("a", 1), []byte("x")}, {key("b", 1), []byte("xxxxxxxx")}, {key("c", 1), []byte("x")}}
	o := WriterOptions{BlockBytes: 1, Collectors: []func() BlockPropertyCollector{newSizes}}
	table, _ := writeTable(t, o, entries)
	r := openTable(t, table, ReaderOptions{})
	got := readAll(t, r, IterOptions{Filters: []BlockPropertyFilter{atLeast{5}}})
	if len(got) != 1 || !bytes.Equal(got[0].key, entries[1].key) {
		t.Errorf("got %q", got)
	}
	plain, _ := writeTable(t, WriterOptions{BlockBytes: 1}, entries)
	if got := readAll(t, openTable(t, plain, ReaderOptions{}), IterOptions{Filters: []BlockPropertyFilter{atLeast{5}}}); len(got) != 3 {
		t.Errorf("a file without the collector gives %d of 3", len(got))
	}
}

func TestCacheServesRepeatedReads(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{BlockBytes: 512}, uniformEntries(5000, 7))
	src := &countingReader{Reader: bytes.NewReader(table)}
	cache := mapCache{}
	r, err := OpenReader(src, int64(len(table)), ReaderOptions{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, r, IterOptions{NoCacheFill: true})
	if len(cache) != 0 {
		t.Errorf("NoCacheFill filled %d blocks", len(cache))
	}
	readAll(t, r, IterOptions{})
	src.reads = 0
	if n := len(readAll(t, r, IterOptions{})); n != 5000 || src.reads != 0 {
		t.Errorf("%d entries by %d reads", n, src.reads)
	}
}

func TestIterAllocatesNothingPerKey(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{BlockBytes: 1024}, uniformEntries(5000, 7))
	r := openTable(t, table, ReaderOptions{})
	it, _ := r.NewIter(IterOptions{Upper: []byte("9"), MinSuffix: suffix(1)})
	defer it.Close()
	for it.Next() {
	}
	targets := uniformEntries(5000, 7)
	if n := testing.AllocsPerRun(5, func() {
		for ok := it.First(); ok; ok = it.Next() {
		}
		for ok := it.Last(); ok; ok = it.Prev() {
		}
		for i := 0; i < len(targets); i += 37 {
			it.SeekGE(targets[i].key)
			it.NextPrefix()
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSecondCloseDoesNoHarmToOthers(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{}, uniformEntries(10, 7))
	r := openTable(t, table, ReaderOptions{})
	a, _ := r.NewIter(IterOptions{})
	_ = a.Close()
	b, _ := r.NewIter(IterOptions{})
	b.First()
	_ = a.Close()
	if !b.Valid() || !b.Next() {
		t.Error("another iterator was closed")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestReaderIsSafeForConcurrentUse(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{BlockBytes: 512}, uniformEntries(3000, 7))
	r := openTable(t, table, ReaderOptions{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			it, err := r.NewIter(IterOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			n := 0
			for it.Next() {
				n++
			}
			if ok, err := r.MayContain([]byte(fmt.Sprintf("%020d", 5))); n != 3000 || !ok || err != nil || it.Close() != nil {
				t.Errorf("%d entries, %v, %v", n, ok, err)
			}
		})
	}
	wg.Wait()
}

var errDisk = errors.New("disk is gone")

type brokenReader struct {
	*bytes.Reader
	broken bool
}

func (b *brokenReader) ReadAt(p []byte, off int64) (int, error) {
	if b.broken {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p, off)
}

func TestReadErrorsAreNotCorruption(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{}, uniformEntries(1000, 7))
	src := &brokenReader{Reader: bytes.NewReader(table)}
	r, err := OpenReader(src, int64(len(table)), ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src.broken = true
	it, _ := r.NewIter(IterOptions{})
	var c *CorruptionError
	if it.First() || !errors.Is(it.Err(), errDisk) || errors.As(it.Err(), &c) {
		t.Errorf("iterator gives %v", it.Err())
	}
	if it.Next() || it.Prev() || it.Last() || it.SeekGE(nil) || !errors.Is(it.Close(), errDisk) {
		t.Error("the error does not last")
	}
	if _, err := r.MayContain([]byte("x")); !errors.Is(err, errDisk) {
		t.Errorf("MayContain gives %v", err)
	}
	if _, err := OpenReader(src, int64(len(table)), ReaderOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("OpenReader gives %v", err)
	}
}

// readEverything reads a table in every way and returns the first error.
func readEverything(table []byte, want []entry) error {
	r, err := OpenReader(bytes.NewReader(table), int64(len(table)), ReaderOptions{FileName: "000007.sst"})
	if err != nil {
		return err
	}
	for _, e := range want {
		if ok, err := r.MayContain(e.key[:Split(e.key)]); err != nil {
			return err
		} else if !ok {
			return errors.New("wrong: the filter denies a prefix")
		}
	}
	it, err := r.NewIter(IterOptions{})
	if err != nil {
		return err
	}
	n := 0
	for it.Next() {
		if n >= len(want) || !bytes.Equal(it.Key(), want[n].key) || !bytes.Equal(it.Value(), want[n].value) {
			return errors.New("wrong: another entry")
		}
		n++
	}
	if err := it.Err(); err != nil {
		return err
	}
	if n != len(want) {
		return errors.New("wrong: entries are missing")
	}
	return r.VerifyChecksums()
}

// TestEveryBitFlipIsDetected flips one bit in every byte of small tables of all
// kinds. The damage must be found, with file and an offset inside it.
func TestEveryBitFlipIsDetected(t *testing.T) {
	mixed := []entry{{key("a", 1), []byte("one")}, {key("a", 2), nil}, {key("b", 1), []byte("two")}, {key("c", 9), bytes.Repeat([]byte("z"), 200)}}
	for _, entries := range [][]entry{mixed, uniformEntries(60, 7)} {
		for _, o := range []WriterOptions{{BlockBytes: 200}, {BlockBytes: 200, Filter: BloomFilter, Compression: NoCompression}} {
			table, _ := writeTable(t, o, entries)
			if err := readEverything(table, entries); err != nil {
				t.Fatal(err)
			}
			for i := range table {
				table[i] ^= 1 << (i % 8)
				err := readEverything(table, entries)
				table[i] ^= 1 << (i % 8)
				var c *CorruptionError
				if !errors.As(err, &c) || c.File != "000007.sst" || c.Offset < 0 || c.Offset > int64(len(table)) {
					t.Fatalf("bit %d of byte %d of %d: error %v", i%8, i, len(table), err)
				}
			}
		}
	}
}

func TestTruncatedFilesAreCorrupt(t *testing.T) {
	table, _ := writeTable(t, WriterOptions{BlockBytes: 100}, uniformEntries(50, 7))
	var c *CorruptionError
	for n := range table {
		if err := readEverything(table[:n], nil); !errors.As(err, &c) {
			t.Fatalf("%d of %d bytes: error %v", n, len(table), err)
		}
	}
	// The size is right but the bytes are not there.
	if _, err := OpenReader(bytes.NewReader(table[:len(table)-1]), int64(len(table)), ReaderOptions{}); !errors.As(err, &c) {
		t.Errorf("short file: error %v", err)
	}
}

func TestLayoutShowsBlocksAndEntries(t *testing.T) {
	table, props := writeTable(t, WriterOptions{BlockBytes: 60}, uniformEntries(8, 7))
	r := openTable(t, table, ReaderOptions{})
	var out bytes.Buffer
	if err := r.WriteLayout(&out, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"data uniform", "index ", "filter", "properties", "footer", "3030303030303030303030303030303030303033@0000000000000007"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if _, err := props.WriteTo(&out); err != nil || !strings.Contains(out.String(), "entries            8\n") {
		t.Errorf("properties: %v\n%s", err, out.String())
	}
}
