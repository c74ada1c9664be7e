package sstable

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// BenchmarkRewriteSST has the name and the shape of the published benchmark:
// keys of 20 bytes and a suffix, the value is the key, blocks of 4 KiB.
func BenchmarkRewriteSST(b *testing.B) {
	for _, mixed := range []bool{false, true} {
		for _, compression := range []Compression{NoCompression, Snappy} {
			name := "NoCompression"
			if compression == Snappy {
				name = "Snappy"
			}
			if mixed {
				name += "/mixed"
			}
			o := WriterOptions{BlockBytes: 4096, Compression: compression, ForceMixed: mixed}
			for _, keys := range []int{100, 10_000, 1_000_000} {
				b.Run(fmt.Sprintf("%s/keys=%d", name, keys), func(b *testing.B) {
					if keys > 10_000 && testing.Short() {
						b.Skip("short")
					}
					table, _ := writeTable(b, o, uniformEntries(keys, 7))
					benchmarkRewrite(b, table, o)
				})
			}
		}
	}
}

func benchmarkRewrite(b *testing.B, table []byte, o WriterOptions) {
	from, to := suffix(7), suffix(9)
	b.Run("ReaderWriterLoop", func(b *testing.B) {
		b.SetBytes(int64(len(table)))
		b.ReportAllocs()
		for b.Loop() {
			rewriteLoop(b, table, from, to, o)
		}
	})
	for _, n := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprintf("RewriteSuffixes,concurrency=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(table)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := RewriteSuffixes(bytes.NewReader(table), int64(len(table)), io.Discard, from, to, o, n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkIter(b *testing.B) {
	table, _ := writeTable(b, WriterOptions{}, uniformEntries(200_000, 7))
	r := openTable(b, table, ReaderOptions{Cache: mapCache{}})
	it, _ := r.NewIter(IterOptions{})
	defer it.Close()
	b.Run("Next", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !it.Next() {
				it.First()
			}
		}
	})
	b.Run("Prev", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !it.Prev() {
				it.Last()
			}
		}
	})
	for _, step := range []int{1, 4, 16, 64, 1024} {
		b.Run(fmt.Sprintf("SeekGE,ahead=%d", step), func(b *testing.B) {
			targets := make([][]byte, 0, 200_000/step)
			for i := 0; i < 200_000; i += step {
				targets = append(targets, key(fmt.Sprintf("%020d", i), 7))
			}
			n := 0
			for b.Loop() {
				it.SeekGE(targets[n])
				if n++; n == len(targets) {
					n = 0
				}
			}
		})
	}
}
