package engine

import (
	"fmt"
	"iter"
	"testing"

	"minidb/kv/mvcc"
)

// numbered yields the facts of n numbers: every step-th from first on, at version.
// value nil: the value is the key.
func numbered(n, first, step uint64, version mvcc.Timestamp, value []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		var key []byte
		for i := range n {
			key = AppendKey(key[:0], first+i*step, version)
			v := value
			if v == nil {
				v = key
			}
			if !yield(key, v) {
				return
			}
		}
	}
}

// BenchmarkRewriteSST has the name and the shape of the published benchmark. One
// operation rewrites one table; its mixed rows are minidb's other kind of block
// against the same table of the peers.
func BenchmarkRewriteSST(b *testing.B) {
	e := underTest(b)
	from, to := mvcc.Suffix(7), mvcc.Suffix(9)
	for _, o := range []TableOptions{
		{BlockBytes: 4096, Plain: true},
		{BlockBytes: 4096},
		{BlockBytes: 4096, Plain: true, Mixed: true},
		{BlockBytes: 4096, Mixed: true},
	} {
		name := "Snappy"
		if o.Plain {
			name = "NoCompression"
		}
		if o.Mixed {
			name += "/mixed"
		}
		for _, keys := range []uint64{100, 10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/keys=%d", name, keys), func(b *testing.B) {
				if testing.Short() && keys > 10_000 {
					b.Skip("short")
				}
				table, err := e.WriteTable(numbered(keys, 0, 1, 7, nil), o)
				must(b, err)
				b.Run("ReaderWriterLoop", func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						must(b, e.RewriteLoop(table, from, to, o))
					}
				})
				for _, n := range []int{1, 2, 4, 8, 16} {
					b.Run(fmt.Sprintf("RewriteSuffixes,concurrency=%d", n), func(b *testing.B) {
						b.ReportAllocs()
						for b.Loop() {
							must(b, e.Rewrite(table, from, to, o, n))
						}
					})
				}
			})
		}
	}
}

// One operation checks one table, opened for it, against a store with some versions
// of each key. overlap: the table's keys lie evenly among the store's, none in
// common; else all lie behind them.
func BenchmarkCheckSSTConflicts(b *testing.B) {
	benchmarkConflicts(b, underTest(b).CheckConflicts)
}

// The same by visiting every entry.
func BenchmarkCheckSSTConflictsNextOnly(b *testing.B) { benchmarkConflicts(b, NextOnly) }

func benchmarkConflicts(b *testing.B, check func(store, table Iter) (bool, error)) {
	for _, keys := range []uint64{1000, 10_000, 100_000} {
		for _, versions := range []int{8, 64} {
			b.Run(fmt.Sprintf("keys=%d/versions=%d", keys, versions), func(b *testing.B) {
				d := dataset{keys: keys, versions: versions}
				if testing.Short() && d.bytes() > 100<<20 {
					b.Skip("short")
				}
				s := d.open(b, 2*d.bytes()+8<<20)
				warm(b, s)
				for _, sstKeys := range []uint64{1000, 10_000} {
					for _, overlap := range []bool{true, false} {
						b.Run(fmt.Sprintf("sstKeys=%d/overlap=%v", sstKeys, overlap), func(b *testing.B) {
							first, step := keys*spacing, uint64(1)
							if overlap {
								first, step = 1, keys*spacing/sstKeys
							}
							benchmarkConflict(b, s, check, sstKeys, first, step)
						})
					}
				}
			})
		}
	}
}

func benchmarkConflict(b *testing.B, s Store, check func(store, table Iter) (bool, error), n, first, step uint64) {
	b.Helper()
	e := underTest(b)
	table, err := e.WriteTable(numbered(n, first, step, 0, make([]byte, ValueBytes)), TableOptions{})
	must(b, err)
	lower, upper := AppendKey(nil, first, mvcc.MaxTimestamp), AppendKey(nil, first+n*step, mvcc.MaxTimestamp)
	b.ReportAllocs()
	for b.Loop() {
		t, err := e.OpenTable(table)
		must(b, err)
		it, err := s.NewIter(lower, upper)
		must(b, err)
		found, err := check(it, t)
		if err != nil || found {
			b.Fatal(found, err)
		}
		must(b, it.Close())
		must(b, t.Close())
	}
}
