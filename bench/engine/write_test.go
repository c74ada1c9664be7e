package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// One operation is one durable commit of one fact.
func BenchmarkSyncCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s, err := underTest(b).Open(b.TempDir(), Options{CacheBytes: 64 << 20, AutoCompactions: true})
			must(b, err)
			before := s.Usage().Syncs
			var next atomic.Int64
			var running sync.WaitGroup
			failed := make(chan error, writers)
			b.ResetTimer()
			for range writers {
				running.Go(func() {
					if err := commitUntil(s, &next, int64(b.N)); err != nil {
						failed <- err
					}
				})
			}
			running.Wait()
			b.StopTimer()
			close(failed)
			must(b, <-failed)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			if before >= 0 {
				b.ReportMetric(float64(s.Usage().Syncs-before)/float64(b.N), "syncs/op")
			}
			must(b, s.Close())
		})
	}
}

// commitUntil commits facts whose numbers it draws from next, below n.
func commitUntil(s Store, next *atomic.Int64, n int64) error {
	const golden = 0x9e3779b97f4a7c15 // spreads the numbers over the keys
	batch := s.NewBatch()
	values := NewValues(1)
	var key []byte
	for {
		i := next.Add(1)
		if i > n {
			return nil
		}
		key = AppendKey(key[:0], uint64(i)*golden>>1, 1)
		batch.Set(key, values.Next())
		if err := batch.Commit(true); err != nil {
			return err
		}
	}
}

// One operation loads a store with facts in random order, unsynced, until nothing
// is left to compact in the background (load), and then brings all into the last
// level (full, from the start). MB are of keys and values; amplification is bytes
// of tables, written and kept, over those; the log is not counted.
func BenchmarkLoad(b *testing.B) {
	d := dataset{keys: uint64(*loadFlag<<20) / FactBytes, versions: 1}
	mb := float64(d.bytes()) / 1e6
	var load, full time.Duration
	var loaded, compacted Usage
	for b.Loop() {
		s, err := underTest(b).Open(b.TempDir(), Options{CacheBytes: 64 << 20, AutoCompactions: true})
		must(b, err)
		start := time.Now()
		d.write(b, s, 1)
		must(b, s.Flush())
		settle(s)
		load += time.Since(start)
		loaded = s.Usage()
		must(b, s.Compact())
		full += time.Since(start)
		compacted = s.Usage()
		must(b, s.Close())
	}
	n := float64(b.N)
	b.ReportMetric(0, "ns/op") // not reported
	b.ReportMetric(mb*n/load.Seconds(), "load-MB/s")
	b.ReportMetric(mb*n/full.Seconds(), "full-MB/s")
	b.ReportMetric(float64(loaded.WrittenBytes)/float64(d.bytes()), "load-write-amp")
	b.ReportMetric(float64(loaded.TableBytes)/float64(d.bytes()), "load-space-amp")
	b.ReportMetric(float64(compacted.WrittenBytes)/float64(d.bytes()), "full-write-amp")
	b.ReportMetric(float64(compacted.TableBytes)/float64(d.bytes()), "full-space-amp")
}
