package engine

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// pebbleDB is Pebble with bloom filters on all levels, memtables and workers as
// minidb's, and its defaults for the rest: 4 KiB blocks, snappy, and reads that
// leave the filters of the last level alone.
type pebbleDB struct {
	format pebble.FormatMajorVersion
	// table holds the options of tables out of a store.
	table *pebble.Options
}

const (
	rowBlocks      = pebble.FormatFlushableIngestExcises
	columnarBlocks = pebble.FormatNewest
)

func newPebble(format pebble.FormatMajorVersion) *pebbleDB {
	p := &pebbleDB{format: format}
	p.table = p.options()
	p.table.EnsureDefaults()
	return p
}

func (p *pebbleDB) options() *pebble.Options {
	o := &pebble.Options{
		Comparer:           comparer,
		FormatMajorVersion: p.format,
		MemTableSize:       64 << 20,
		Logger:             fatalOnly{},
	}
	o.CompactionConcurrencyRange = func() (int, int) { return 1, 2 }
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return o
}

// comparer orders keys as bytes and splits them after PrefixBytes.
var comparer = newComparer()

func newComparer() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "minidb.bench"
	c.Split = func(key []byte) int { return min(len(key), PrefixBytes) }
	c.Separator = func(dst, a, b []byte) []byte {
		pa, pb := a[:c.Split(a)], b[:c.Split(b)]
		if n := len(dst); !bytes.Equal(pa, pb) {
			if dst = pebble.DefaultComparer.Separator(dst, pa, pb); bytes.Compare(dst[n:], a) >= 0 {
				return dst
			}
			dst = dst[:n]
		}
		return append(dst, a...)
	}
	c.Successor = func(dst, a []byte) []byte { return append(dst, a...) }
	// The next prefix of the same length; its last byte is a digit.
	c.ImmediateSuccessor = func(dst, a []byte) []byte {
		dst = append(dst, a...)
		dst[len(dst)-1]++
		return dst
	}
	return &c
}

// fatalOnly is a logger that drops what is no error.
type fatalOnly struct{}

func (fatalOnly) Infof(string, ...any)           {}
func (fatalOnly) Errorf(string, ...any)          {}
func (fatalOnly) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

func (p *pebbleDB) Open(dir string, o Options) (Store, error) {
	po := p.options()
	po.Cache = pebble.NewCache(o.CacheBytes)
	defer po.Cache.Unref()
	po.DisableAutomaticCompactions = !o.AutoCompactions
	db, err := pebble.Open(dir, po)
	if err != nil {
		return nil, err
	}
	return pebbleStore{db}, nil
}

func (p *pebbleDB) writerOptions(o TableOptions) sstable.WriterOptions {
	w := p.table.MakeWriterOptions(0, p.format.MaxTableFormat())
	if o.BlockBytes > 0 {
		w.BlockSize, w.IndexBlockSize = o.BlockBytes, o.BlockBytes
	}
	w.Compression = sstable.SnappyCompression
	if o.Plain {
		w.Compression = sstable.NoCompression
	}
	return w
}

func (p *pebbleDB) WriteTable(entries iter.Seq2[[]byte, []byte], o TableOptions) ([]byte, error) {
	var table objstorage.MemObj
	w := sstable.NewWriter(&table, p.writerOptions(o))
	for key, value := range entries {
		if err := w.Set(key, value); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return table.Data(), err
}

func (p *pebbleDB) OpenTable(table []byte) (Iter, error) {
	it, err := pebble.NewExternalIter(p.table, nil, [][]sstable.ReadableFile{{vfs.NewMemFile(table)}})
	if err != nil {
		return nil, err
	}
	return pebbleIter{it}, nil
}

func (p *pebbleDB) Rewrite(table, from, to []byte, o TableOptions, concurrency int) error {
	_, _, err := sstable.RewriteKeySuffixesAndReturnFormat(table, p.table.MakeReaderOptions(), discard{},
		p.writerOptions(o), from, to, concurrency)
	return err
}

func (p *pebbleDB) RewriteLoop(table, from, to []byte, o TableOptions) error {
	r, err := sstable.NewMemReader(table, p.table.MakeReaderOptions())
	if err != nil {
		return err
	}
	if _, err = sstable.RewriteKeySuffixesViaWriter(r, discard{}, p.writerOptions(o), from, to); err != nil {
		return err
	}
	return r.Close()
}

// discard is a file that keeps nothing.
type discard struct{}

func (discard) Write([]byte) error { return nil }
func (discard) Finish() error      { return nil }
func (discard) Abort()             {}

func (p *pebbleDB) CheckConflicts(store, table Iter) (bool, error) { return leapfrog(store, table) }

type pebbleStore struct{ db *pebble.DB }

func (s pebbleStore) NewBatch() Batch { return pebbleBatch{s.db.NewBatch()} }

func (s pebbleStore) Get(key []byte) (bool, error) {
	_, closer, err := s.db.Get(key)
	if err == pebble.ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, closer.Close()
}

func (s pebbleStore) NewIter(lower, upper []byte) (Iter, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, err
	}
	return pebbleIter{it}, nil
}

func (s pebbleStore) Flush() error { return s.db.Flush() }

func (s pebbleStore) Compact() error {
	return s.db.Compact(context.Background(), []byte{'0'}, []byte{'9' + 1}, true)
}

func (s pebbleStore) Busy() bool {
	m := s.db.Metrics()
	return m.Compact.NumInProgress > 0 || m.Flush.NumInProgress > 0 || m.MemTable.Count > 1
}

func (s pebbleStore) Usage() Usage {
	u := Usage{Syncs: -1}
	m := s.db.Metrics()
	for _, l := range m.Levels {
		u.WrittenBytes += int64(l.TableBytesFlushed + l.TableBytesCompacted)
		u.TableBytes += l.TablesSize
	}
	return u
}

func (s pebbleStore) Close() error { return s.db.Close() }

type pebbleBatch struct{ b *pebble.Batch }

func (b pebbleBatch) Set(key, value []byte) {
	if err := b.b.Set(key, value, nil); err != nil {
		panic(err) // an open batch takes every key
	}
}

func (b pebbleBatch) Commit(sync bool) error {
	err := b.b.Commit(&pebble.WriteOptions{Sync: sync})
	b.b.Reset()
	return err
}

// pebbleIter reads values as the others do.
type pebbleIter struct{ *pebble.Iterator }

func (i pebbleIter) Err() error { return i.Error() }
