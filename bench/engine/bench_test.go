package engine

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"minidb/kv/mvcc"
)

var (
	engineFlag = flag.String("engine", "minidb", "the engine to measure")
	keysFlag   = flag.Uint64("keys", 200_000, "keys of the store that reads are measured on")
	loadFlag   = flag.Int64("load-mb", 256, "what BenchmarkLoad writes, in MiB")
	dirFlag    = flag.String("dir", "", "where stores are built, and found again by the next run; else they are temporary")
)

func TestMain(m *testing.M) {
	flag.Parse()
	temporary := ""
	if *dirFlag == "" {
		dir, err := os.MkdirTemp("", "enginebench")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		*dirFlag, temporary = dir, dir
	}
	code := m.Run()
	if temporary != "" {
		_ = os.RemoveAll(temporary)
	}
	os.Exit(code)
}

func must(tb testing.TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}

func underTest(tb testing.TB) Engine {
	tb.Helper()
	e, err := ByName(*engineFlag)
	must(tb, err)
	return e
}

// spacing is how far apart the numbers of a dataset lie.
const spacing = 20

// dataset is what a store for reading holds: versions 1 to versions of the
// multiples of spacing below keys*spacing.
type dataset struct {
	keys     uint64
	versions int
}

func (d dataset) bytes() int64 { return int64(d.keys) * int64(d.versions) * FactBytes }

// open opens the store with d of the engine under test, which it builds if it is
// not there yet: written in random order, version by version, then compacted.
func (d dataset) open(tb testing.TB, cacheBytes int64) Store {
	tb.Helper()
	e := underTest(tb)
	dir := filepath.Join(*dirFlag, fmt.Sprintf("%s-%dx%d", *engineFlag, d.keys, d.versions))
	done := dir + ".complete"
	if _, err := os.Stat(done); errors.Is(err, os.ErrNotExist) {
		must(tb, os.RemoveAll(dir))
		must(tb, os.MkdirAll(dir, 0o755))
		d.build(tb, e, dir)
		must(tb, os.WriteFile(done, nil, 0o644))
	}
	s, err := e.Open(dir, Options{CacheBytes: cacheBytes})
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	return s
}

func (d dataset) build(tb testing.TB, e Engine, dir string) {
	tb.Helper()
	s, err := e.Open(dir, Options{CacheBytes: 64 << 20, AutoCompactions: true})
	must(tb, err)
	for v := range d.versions {
		d.write(tb, s, mvcc.Timestamp(v+1))
	}
	must(tb, s.Flush())
	settle(s)
	must(tb, s.Compact())
	must(tb, s.Close())
}

// write puts one version of every key, in an order of its own.
func (d dataset) write(tb testing.TB, s Store, version mvcc.Timestamp) {
	tb.Helper()
	const perBatch = 100
	order := rand.New(rand.NewPCG(uint64(version), 1)).Perm(int(d.keys))
	values := NewValues(uint64(version))
	batch := s.NewBatch()
	var key []byte
	for i, n := range order {
		key = AppendKey(key[:0], uint64(n*spacing), version)
		batch.Set(key, values.Next())
		if (i+1)%perBatch == 0 || i+1 == len(order) {
			must(tb, batch.Commit(false))
		}
	}
}

// settle waits until s has nothing to do in the background.
func settle(s Store) {
	for idle := 0; idle < 3; idle++ {
		if s.Busy() {
			idle = -1
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// warm reads all of s, so that its cache holds what it can.
func warm(tb testing.TB, s Store) {
	tb.Helper()
	it, err := s.NewIter(nil, nil)
	must(tb, err)
	for it.Next() {
		_ = it.Value()
	}
	must(tb, it.Close())
}

// withCaches runs bench on a store with d whose cache holds everything, and on one
// whose cache holds a tenth.
func (d dataset) withCaches(b *testing.B, bench func(b *testing.B, s Store)) {
	for _, c := range []struct {
		name  string
		bytes int64
	}{{"fits", 2*d.bytes() + 8<<20}, {"tenth", d.bytes() / 10}} {
		b.Run("cache="+c.name, func(b *testing.B) {
			s := d.open(b, c.bytes)
			warm(b, s)
			bench(b, s)
		})
	}
}
