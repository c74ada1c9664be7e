package cache

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"minidb/sstable"
)

func TestBlocksStayWithinTheirBytes(t *testing.T) {
	const maxBytes = 1 << 20
	c := NewBlocks(maxBytes)
	for i := range uint64(2000) {
		c.Set(i%7, i<<12, make([]byte, 1000))
		if n := c.Stats().Bytes; n > maxBytes {
			t.Fatalf("after %d blocks it holds %d bytes", i, n)
		}
	}
	if n := c.Stats().Bytes; n < maxBytes/2 {
		t.Fatalf("it holds only %d bytes", n)
	}
	c.Set(1, 1, make([]byte, maxBytes))
	if _, ok := c.Get(1, 1); ok {
		t.Fatal("it took a block larger than a shard")
	}
}

func TestBlocksInUseSurviveAScan(t *testing.T) {
	c := NewBlocks(1 << 20)
	hot := func(i uint64) []byte { return bytes.Repeat([]byte{byte(i)}, 100) }
	for i := range uint64(100) {
		c.Set(1, i<<12, hot(i))
	}
	lost := 0
	for i := range uint64(5000) {
		c.Set(2, i<<12, make([]byte, 1000))
		b, ok := c.Get(1, i%100<<12)
		if ok && !bytes.Equal(b, hot(i%100)) {
			t.Fatal("wrong block")
		}
		if !ok {
			lost++
			c.Set(1, i%100<<12, hot(i%100))
		}
	}
	if lost > 250 {
		t.Fatalf("blocks in constant use were lost %d times", lost)
	}
	st := c.Stats()
	if st.Hits != int64(5000-lost) || st.Misses != int64(lost) {
		t.Fatalf("%+v with %d lost", st, lost)
	}
}

func TestBlocksConcurrently(t *testing.T) {
	c := NewBlocks(64 << 10)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range uint64(3000) {
				k := i * 7 % 300
				if b, ok := c.Get(uint64(w%2), k); ok && (len(b) != 200 || b[0] != byte(k)) {
					t.Errorf("block %d is wrong", k)
				}
				c.Set(uint64(w%2), k, bytes.Repeat([]byte{byte(k)}, 200))
			}
		})
	}
	wg.Wait()
}

// tableFile is the bytes of a small sstable that knows whether it is open.
type tableFile struct {
	*bytes.Reader
	open *int
}

func (f tableFile) Close() error { *f.open--; return nil }

func opener(t *testing.T, open *int) func(num uint64) (*sstable.Reader, error) {
	var buf bytes.Buffer
	w := sstable.NewWriter(&buf, sstable.WriterOptions{})
	if err := w.Set([]byte("prefix00000001"), []byte("v")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return func(num uint64) (*sstable.Reader, error) {
		if num == 99 {
			return nil, fmt.Errorf("table %d: %w", num, errOpen)
		}
		*open++
		return sstable.OpenReader(tableFile{bytes.NewReader(buf.Bytes()), open}, int64(buf.Len()), sstable.ReaderOptions{})
	}
}

var errOpen = errors.New("cannot open")

func TestTablesInUseStayOpen(t *testing.T) {
	open := 0
	c := NewTables(2, opener(t, &open))
	get := func(num uint64) *Table {
		t.Helper()
		tb, err := c.Get(num)
		if err != nil {
			t.Fatal(err)
		}
		return tb
	}
	one := get(1)
	for num := uint64(2); num < 6; num++ {
		get(num).Release()
	}
	if open != 2 {
		t.Fatalf("%d tables are open", open)
	}
	if again := get(1); again != one {
		t.Fatal("a table in use was opened again")
	} else {
		again.Release()
	}
	c.Forget(1)
	c.Forget(77)
	if n := one.Properties().NumEntries; n != 1 || open != 2 {
		t.Fatalf("forgotten in use: %d entries, %d open", n, open)
	}
	one.Release()
	if open != 1 {
		t.Fatalf("after the last user %d are open", open)
	}
	if _, err := c.Get(99); !errors.Is(err, errOpen) {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil || open != 0 || c.Len() != 0 {
		t.Fatalf("after Close %d are open, %v", open, err)
	}
}
