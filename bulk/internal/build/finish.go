package build

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"minidb/bulk/internal/sorter"
	"minidb/kv"
)

// Parts of less than this are not worth a goroutine.
const minPartKeys = 20_000

// checkEvery is after how many keys a part looks whether it should go on.
const checkEvery = 1024

// errStopped ends a part because one before it failed.
var errStopped = errors.New("stopped")

// Finish builds the sstables and returns them in key order; the caller owns
// them. The builder is then done for, also after an error, which leaves no file
// behind. A key that came twice gives a *DuplicateKeyError, of several such keys
// the lowest.
func (b *Builder) Finish(ctx context.Context) ([]*kv.SSTable, error) {
	defer b.Abort()
	if err := b.reduceFiles(ctx); err != nil {
		return nil, err
	}
	parts := int(min(int64(b.o.Threads), b.keys/minPartKeys+1))
	splits := sorter.Split(b.runs, parts)
	f := &finisher{b: b, ctx: ctx}
	f.failed.Store(math.MaxInt64)
	results := make([]part, len(splits)+1)
	var wg sync.WaitGroup
	for n := range results {
		p := &results[n]
		p.f, p.n = f, n
		if n > 0 {
			p.lower = splits[n-1]
		}
		if n < len(splits) {
			p.upper = splits[n]
		}
		wg.Go(p.run)
	}
	wg.Wait()
	var tables []*kv.SSTable
	var err error
	for n := range results {
		tables = append(tables, results[n].tables...)
		if err == nil && !errors.Is(results[n].err, errStopped) {
			err = results[n].err
		}
	}
	if err != nil {
		for _, t := range tables {
			t.Remove()
		}
		return nil, err
	}
	return tables, nil
}

// reduceFiles merges spilled runs until they are few enough to be read at once
// by all parts.
func (b *Builder) reduceFiles(ctx context.Context) error {
	most := int(b.o.MemoryBytes / 4 / int64(b.o.Threads*b.spillBlock))
	most = min(max(most, 4), 256)
	for len(b.files) > most {
		group := make([]sorter.Run, most)
		for i, f := range b.files[:most] {
			group[i] = f
		}
		merged, err := sorter.MergeToFile(b.fs, b.spillName(), b.spillBlock, group, ctx.Err)
		if err != nil {
			return err
		}
		for _, f := range b.files[:most] {
			_ = f.Remove() // what stays goes when the store is opened next
		}
		b.files = append(b.files[most:], merged)
	}
	var runs []sorter.Run
	for _, r := range b.runs {
		if _, spilled := r.(*sorter.File); !spilled {
			runs = append(runs, r)
		}
	}
	for _, f := range b.files {
		runs = append(runs, f)
	}
	b.runs = runs
	return nil
}

// finisher is what the parts share.
type finisher struct {
	b      *Builder
	ctx    context.Context
	failed atomic.Int64 // the lowest part that failed
	done   atomic.Int64 // keys in sstables
}

// part builds the sstables of the keys in [lower, upper).
type part struct {
	f            *finisher
	n            int
	lower, upper []byte
	borders      [][]byte
	sst          *kv.SSTableBuilder
	tables       []*kv.SSTable
	err          error
}

func (p *part) run() {
	p.err = p.build()
	if p.sst != nil {
		p.sst.Abort()
	}
	if p.err == nil {
		return
	}
	for {
		lowest := p.f.failed.Load()
		if lowest <= int64(p.n) || p.f.failed.CompareAndSwap(lowest, int64(p.n)) {
			return
		}
	}
}

func (p *part) build() error {
	b := p.f.b
	m, err := sorter.NewMerge(b.runs, p.lower, p.upper)
	if err != nil {
		return err
	}
	defer m.Close()
	p.borders = b.o.Borders
	var last []byte
	n := 0
	for ; m.Next(); n++ {
		key := m.Key()
		if n > 0 && bytes.Equal(key, last) {
			return &DuplicateKeyError{Key: bytes.Clone(key)}
		}
		last = append(last[:0], key...)
		if err := p.cut(key); err != nil {
			return err
		}
		if err := p.sst.Add(key, m.Value()); err != nil {
			return err
		}
		if n%checkEvery == checkEvery-1 {
			if err := p.check(); err != nil {
				return err
			}
		}
	}
	if err := m.Err(); err != nil {
		return err
	}
	p.tell(int64(n % checkEvery))
	return p.finishTable()
}

// check reports progress and whether to go on.
func (p *part) check() error {
	p.tell(checkEvery)
	if p.f.failed.Load() < int64(p.n) {
		return errStopped
	}
	return p.f.ctx.Err()
}

func (p *part) tell(n int64) {
	done := p.f.done.Add(n)
	if tell := p.f.b.o.Progress; tell != nil {
		tell(done, p.f.b.keys)
	}
}

// cut sees to it that there is an sstable for key.
func (p *part) cut(key []byte) error {
	crossed := false
	for len(p.borders) > 0 && bytes.Compare(p.borders[0], key) <= 0 {
		p.borders, crossed = p.borders[1:], true
	}
	if p.sst != nil && (crossed || p.sst.EstimatedSize() >= p.f.b.o.TableBytes) {
		if err := p.finishTable(); err != nil {
			return err
		}
	}
	if p.sst != nil {
		return nil
	}
	var err error
	p.sst, err = p.f.b.o.DB.NewSSTable(kv.SSTableOptions{})
	return err
}

// finishTable completes the open sstable.
func (p *part) finishTable() error {
	if p.sst == nil {
		return nil
	}
	sst := p.sst
	p.sst = nil
	t, err := sst.Finish()
	if err == nil {
		p.tables = append(p.tables, t)
	}
	return err
}
