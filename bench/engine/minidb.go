package engine

import (
	"bytes"
	"io"
	"iter"

	"minidb/kv/mvcc"
	"minidb/sstable"
	"minidb/storage"
)

// miniDB is minidb's engine.
type miniDB struct{}

func (miniDB) Open(dir string, o Options) (Store, error) {
	db, err := storage.Open(dir, storage.Options{
		CacheBytes: o.CacheBytes, DisableAutoCompactions: !o.AutoCompactions,
	})
	if err != nil {
		return nil, err
	}
	return miniStore{db}, nil
}

func miniWriter(o TableOptions) sstable.WriterOptions {
	w := sstable.WriterOptions{BlockBytes: o.BlockBytes, ForceMixed: o.Mixed}
	if o.Plain {
		w.Compression = sstable.NoCompression
	}
	return w
}

func (miniDB) WriteTable(entries iter.Seq2[[]byte, []byte], o TableOptions) ([]byte, error) {
	var table bytes.Buffer
	w := sstable.NewWriter(&table, miniWriter(o))
	for key, value := range entries {
		if err := w.Set(key, value); err != nil {
			w.Abort()
			return nil, err
		}
	}
	_, err := w.Close()
	return table.Bytes(), err
}

func (miniDB) OpenTable(table []byte) (Iter, error) {
	r, err := sstable.OpenReader(bytes.NewReader(table), int64(len(table)), sstable.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	it, err := r.NewIter(sstable.IterOptions{})
	if err != nil {
		return nil, err
	}
	return miniTable{it, r}, nil
}

type miniTable struct {
	*sstable.Iter
	r *sstable.Reader
}

func (t miniTable) Close() error {
	if err := t.Iter.Close(); err != nil {
		return err
	}
	return t.r.Close()
}

func (miniDB) Rewrite(table, from, to []byte, o TableOptions, concurrency int) error {
	_, err := sstable.RewriteSuffixes(bytes.NewReader(table), int64(len(table)), io.Discard, from, to,
		miniWriter(o), concurrency)
	return err
}

func (e miniDB) RewriteLoop(table, from, to []byte, o TableOptions) error {
	it, err := e.OpenTable(table)
	if err != nil {
		return err
	}
	w := sstable.NewWriter(io.Discard, miniWriter(o))
	var key []byte
	for it.Next() {
		prefix, found := bytes.CutSuffix(it.Key(), from)
		if !found {
			panic("a key of the table has another suffix")
		}
		key = append(append(key[:0], prefix...), to...)
		if err := w.Set(key, it.Value()); err != nil {
			w.Abort()
			return err
		}
	}
	if err := it.Close(); err != nil {
		w.Abort()
		return err
	}
	_, err = w.Close()
	return err
}

func (miniDB) CheckConflicts(store, table Iter) (bool, error) {
	c, err := mvcc.CheckConflicts(store, table, 0, mvcc.MaxTimestamp)
	return c != nil, err
}

type miniStore struct{ *storage.DB }

func (s miniStore) NewBatch() Batch { return &miniBatch{s.DB, storage.NewBatch()} }

func (s miniStore) Get(key []byte) (bool, error) {
	_, found, closer, err := s.DB.Get(key[:PrefixBytes], key[PrefixBytes:])
	if closer != nil {
		_ = closer.Close()
	}
	return found != nil, err
}

func (s miniStore) NewIter(lower, upper []byte) (Iter, error) {
	return s.DB.NewIter(storage.IterOptions{Lower: lower, Upper: upper})
}

func (s miniStore) Compact() error { return s.DB.Compact(nil, nil) }

func (s miniStore) Busy() bool {
	m := s.Metrics()
	return m.Running > 0 || m.Memtables > 1
}

func (s miniStore) Usage() Usage {
	m := s.Metrics()
	u := Usage{WrittenBytes: m.FlushBytes + m.CompactionWritten, Syncs: m.WALSyncs}
	for _, l := range m.Levels {
		u.TableBytes += l.Bytes
	}
	return u
}

type miniBatch struct {
	db *storage.DB
	b  *storage.Batch
}

func (b *miniBatch) Set(key, value []byte) { b.b.Set(key, value) }

func (b *miniBatch) Commit(sync bool) error {
	mode := storage.SyncOS
	if sync {
		mode = storage.SyncFull
	}
	err := b.db.Apply(b.b, mode)
	b.b.Reset()
	return err
}
