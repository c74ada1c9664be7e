package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"minidb/kv/mvcc"
)

func facts() dataset { return dataset{keys: *keysFlag, versions: 1} }

func newRand() *rand.Rand { return rand.New(rand.NewPCG(2, 2)) }

// One operation reads the value of one key. The keys missed lie between those
// that are there.
func BenchmarkGet(b *testing.B) {
	d := facts()
	d.withCaches(b, func(b *testing.B, s Store) {
		for _, hit := range []bool{true, false} {
			name, odd := "hit", uint64(0)
			if !hit {
				name, odd = "miss", 1
			}
			b.Run(name, func(b *testing.B) {
				rng := newRand()
				var key []byte
				b.ReportAllocs()
				for b.Loop() {
					key = AppendKey(key[:0], spacing*rng.Uint64N(d.keys)+odd, 1)
					if found, err := s.Get(key); err != nil || found != hit {
						b.Fatal(found, err)
					}
				}
			})
		}
	})
}

// One operation is one seek of an iterator that stays open.
func BenchmarkSeek(b *testing.B) {
	d := facts()
	d.withCaches(b, func(b *testing.B, s Store) {
		rng := newRand()
		benchIter(b, s, func(it Iter, key []byte) []byte {
			key = AppendKey(key, rng.Uint64N(spacing*(d.keys-1)), mvcc.MaxTimestamp)
			if !it.SeekGE(key) {
				b.Fatal(it.Err())
			}
			return key
		})
	})
}

// One operation is one seek from where the iterator stands to an entry ahead.
func BenchmarkSeekAhead(b *testing.B) {
	d := facts()
	d.withCaches(b, func(b *testing.B, s Store) {
		for _, by := range []uint64{1, 4, 16, 64} {
			b.Run(fmt.Sprintf("by=%d", by), func(b *testing.B) {
				n := uint64(0)
				benchIter(b, s, func(it Iter, key []byte) []byte {
					if n += by; n >= d.keys {
						n = 0
					}
					key = AppendKey(key, spacing*n, mvcc.MaxTimestamp)
					if !it.SeekGE(key) {
						b.Fatal(it.Err())
					}
					return key
				})
			})
		}
	})
}

// One operation is one entry, its value read; after the last the first follows.
func BenchmarkScan(b *testing.B) {
	facts().withCaches(b, func(b *testing.B, s Store) {
		benchIter(b, s, func(it Iter, key []byte) []byte {
			if !it.Next() && !it.First() {
				b.Fatal(it.Err())
			}
			touch(it)
			return key
		})
	})
}

func BenchmarkReverseScan(b *testing.B) {
	facts().withCaches(b, func(b *testing.B, s Store) {
		benchIter(b, s, func(it Iter, key []byte) []byte {
			if !it.Prev() && !it.Last() {
				b.Fatal(it.Err())
			}
			touch(it)
			return key
		})
	})
}

// One operation is one key with 64 versions, of which the newest, one in the
// middle or the oldest is read.
func BenchmarkScanVersions(b *testing.B) {
	const versions = 64
	d := dataset{keys: min(100_000, *keysFlag/64), versions: versions}
	d.withCaches(b, func(b *testing.B, s Store) {
		for _, at := range []mvcc.Timestamp{versions, versions / 2, 1} {
			b.Run(fmt.Sprintf("versions=%d/at=%d", versions, at), func(b *testing.B) {
				it, err := s.NewIter(nil, nil)
				must(b, err)
				var live mvcc.Iter
				live.Init(it, at)
				ok := false
				b.ReportAllocs()
				for b.Loop() {
					if ok {
						ok = live.Next()
					}
					if !ok {
						ok = live.SeekGE([]byte{'0'})
					}
					if !ok || live.Timestamp() != at {
						b.Fatal(ok, live.Err())
					}
					touch(it)
				}
				must(b, it.Close())
			})
		}
	})
}

// benchIter measures op on an iterator over s; op may use key as memory.
func benchIter(b *testing.B, s Store, op func(it Iter, key []byte) []byte) {
	b.Helper()
	it, err := s.NewIter(nil, nil)
	must(b, err)
	var key []byte
	b.ReportAllocs()
	for b.Loop() {
		key = op(it, key[:0])
	}
	must(b, it.Close())
}

var sink byte

// touch reads a byte of the present key and value.
func touch(it Iter) { sink += it.Key()[0] + it.Value()[0] }
