package storage

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"minidb/storage/vfs"
)

// BenchmarkCommit writes batches of one fact of 100 bytes to the disk.
func BenchmarkCommit(b *testing.B) {
	for _, mode := range []SyncMode{SyncFull, SyncOS} {
		for _, writers := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("mode=%s/writers=%d", [...]string{"full", "os"}[mode], writers), func(b *testing.B) {
				db, err := Open(b.TempDir(), Options{})
				must(b, err)
				defer db.Close()
				var next atomic.Uint64
				value := make([]byte, 100)
				b.SetParallelism((writers + 1) / 2) // times GOMAXPROCS, which is 2 here
				if writers == 1 {
					batch := NewBatch()
					for b.Loop() {
						commitOne(b, db, batch, next.Add(1), value, mode)
					}
				} else {
					b.RunParallel(func(pb *testing.PB) {
						batch := NewBatch()
						for pb.Next() {
							commitOne(b, db, batch, next.Add(1), value, mode)
						}
					})
				}
				b.StopTimer()
				m := db.Metrics()
				b.ReportMetric(float64(m.WALSyncs)/float64(m.Commits), "syncs/op")
			})
		}
	}
}

func commitOne(b *testing.B, db *DB, batch *Batch, n uint64, value []byte, mode SyncMode) {
	batch.Reset()
	batch.Set(benchKey(n*0x9e3779b97f4a7c15>>20, n), value)
	if err := db.Apply(batch, mode); err != nil {
		b.Fatal(err)
	}
}

func benchKey(prefix, ts uint64) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, 20), prefix)
	return append(key, testSuffix(ts)...)
}

const benchFacts = 200_000

// benchStore holds benchFacts facts of 100 bytes in its lowest level and some in
// L0 and the memtable. The prefixes are the even numbers.
func benchStore(b *testing.B) *DB {
	b.Helper()
	db, err := Open("/bench", Options{FS: vfs.NewVolatile(), DisableAutoCompactions: true})
	must(b, err)
	b.Cleanup(func() { must(b, db.Close()) })
	value := make([]byte, 100)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range rng.Perm(benchFacts) {
		batch := NewBatch()
		batch.Set(benchKey(uint64(2*p), 1), value)
		must(b, db.Apply(batch, SyncOS))
	}
	must(b, db.Compact(nil, nil))
	for round := range uint64(3) {
		batch := NewBatch()
		for range 1000 {
			batch.Set(benchKey(2*rng.Uint64N(benchFacts), 2+round), value)
		}
		must(b, db.Apply(batch, SyncOS))
		if round < 2 {
			must(b, db.Flush())
		}
	}
	return db
}

func BenchmarkGet(b *testing.B) {
	db := benchStore(b)
	for name, odd := range map[string]uint64{"hit": 0, "miss": 1} {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(2, 2))
			read := testSuffix(100)
			b.ReportAllocs()
			for b.Loop() {
				key := benchKey(2*rng.Uint64N(benchFacts)+odd, 0)
				_, found, closer, err := db.Get(key[:8], read)
				if err != nil || (found == nil) != (odd == 1) {
					b.Fatal(found, err)
				}
				if closer != nil {
					closer.Close()
				}
			}
		})
	}
}

func BenchmarkIter(b *testing.B) {
	db := benchStore(b)
	b.Run("next", func(b *testing.B) {
		it, err := db.NewIter(IterOptions{})
		must(b, err)
		b.ReportAllocs()
		for b.Loop() {
			if !it.Next() && !it.First() {
				b.Fatal(it.Err())
			}
		}
		must(b, it.Close())
	})
	b.Run("prev", func(b *testing.B) {
		it, err := db.NewIter(IterOptions{})
		must(b, err)
		for b.Loop() {
			if !it.Prev() && !it.Last() {
				b.Fatal(it.Err())
			}
		}
		must(b, it.Close())
	})
	for _, step := range []uint64{1, 16, 1024} {
		b.Run(fmt.Sprintf("seekAhead=%d", step), func(b *testing.B) {
			it, err := db.NewIter(IterOptions{})
			must(b, err)
			n := uint64(0)
			for b.Loop() {
				n += step
				it.SeekGE(benchKey(2*(n%benchFacts), 100))
			}
			must(b, it.Close())
		})
	}
	b.Run("seekRandom", func(b *testing.B) {
		it, err := db.NewIter(IterOptions{})
		must(b, err)
		rng := rand.New(rand.NewPCG(2, 2))
		for b.Loop() {
			it.SeekGE(benchKey(rng.Uint64N(2*benchFacts), 100))
		}
		must(b, it.Close())
	})
	b.Run("newSeekClose", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(2, 2))
		b.ReportAllocs()
		for b.Loop() {
			it, err := db.NewIter(IterOptions{})
			must(b, err)
			it.SeekGE(benchKey(rng.Uint64N(2*benchFacts), 100))
			must(b, it.Close())
		}
	})
}
