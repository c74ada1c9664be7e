package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"minidb/kv/mvcc"
	"minidb/storage"
)

// collector keeps the garbage collection threshold: everything that only reads
// below it could see may go. It stays at or below every read timestamp in use,
// every protected one and the published mark, hence below every commit to come.
type collector struct {
	mu sync.Mutex
	// threshold is durable and in use by filters; next is at or above it and may
	// be on its way to the disk. Nobody may begin to read below next.
	threshold, next Timestamp
	// readers is a ring of the timestamps in use, ascending from readers.next.
	readers reader
	drops   []mvcc.DroppedSpan
	// ripe are the drops at or below threshold, as the filters want them.
	ripe *mvcc.DroppedSpans

	advancing sync.Mutex // held around an advance; taken before mu
}

// reader is a timestamp in use.
type reader struct {
	at         Timestamp
	prev, next *reader
}

func newCollector() *collector {
	c := &collector{}
	c.readers.prev, c.readers.next = &c.readers, &c.readers
	return c
}

// filter makes the filter of one flush or compaction.
func (c *collector) filter() storage.CompactionFilter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return mvcc.NewFilter(c.threshold, c.ripe)
}

// enterNow registers r at the published mark.
func (c *collector) enterNow(r *reader, p *publisher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enterLocked(r, p.load())
}

// enterAt registers r at a past timestamp.
//
// Errors: ErrTooOld.
func (c *collector) enterAt(r *reader, at Timestamp) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at < c.next {
		return fmt.Errorf("%w: %v is below the threshold %v", ErrTooOld, at, c.next)
	}
	c.enterLocked(r, at)
	return nil
}

func (c *collector) enterLocked(r *reader, at Timestamp) {
	r.at = at
	after := c.readers.prev
	for after != &c.readers && after.at > at {
		after = after.prev
	}
	r.prev, r.next = after, after.next
	r.prev.next, r.next.prev = r, r
}

// leave takes r out.
func (c *collector) leave(r *reader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	leaveLocked(r)
}

func leaveLocked(r *reader) {
	r.prev.next, r.next.prev = r.next, r.prev
	r.prev, r.next = nil, nil
}

// renew moves r to the published mark.
func (c *collector) renew(r *reader, p *publisher) {
	if p.load() == r.at {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	leaveLocked(r)
	c.enterLocked(r, p.load())
}

// addDrops notes spans dropped at a published timestamp.
func (c *collector) addDrops(drops []mvcc.DroppedSpan) {
	if len(drops) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops = append(c.drops, drops...)
}

// ripeDropsLocked returns the drops at or below the threshold.
func (c *collector) ripeDropsLocked() []mvcc.DroppedSpan {
	var ripe []mvcc.DroppedSpan
	for _, d := range c.drops {
		if d.At <= c.threshold {
			ripe = append(ripe, d)
		}
	}
	return ripe
}

// setThresholdLocked puts a durable threshold to use.
func (c *collector) setThresholdLocked(at Timestamp) {
	c.threshold, c.next = at, max(c.next, at)
	c.ripe = mvcc.NewDroppedSpans(c.ripeDropsLocked())
}

// advanceThreshold moves the threshold as far as readers and retention allow, and
// returns the drops that it has passed.
func (db *DB) advanceThreshold() ([]mvcc.DroppedSpan, error) {
	c := db.gc
	c.advancing.Lock()
	defer c.advancing.Unlock()
	c.mu.Lock()
	at := db.published.load()
	if keep := Timestamp(db.o.Retention); at > keep {
		at -= keep
	} else {
		at = 0
	}
	if c.readers.next != &c.readers {
		at = min(at, c.readers.next.at)
	}
	advance := at > c.threshold
	if advance {
		c.next = at
	}
	c.mu.Unlock()
	if advance {
		if err := putSystem(db.eng, sysKey(sysThreshold), uint64(at), at); err != nil {
			return nil, fmt.Errorf("advance the garbage collection threshold: %w", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if advance {
		c.setThresholdLocked(at)
	}
	return c.ripeDropsLocked(), nil
}

// collectDrops gives back the space of dropped spans and then forgets them.
func (db *DB) collectDrops(ctx context.Context, drops []mvcc.DroppedSpan) error {
	for _, d := range drops {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := db.clearSpan(d.Start, d.End); err != nil {
			return err
		}
		if err := db.forgetDrop(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// clearSpan gives back the space of a span that is dead as a whole.
func (db *DB) clearSpan(start, end []byte) error {
	it, err := db.eng.NewIter(storage.IterOptions{Lower: start, Upper: end})
	if err != nil {
		return err
	}
	any := it.First()
	if err := it.Close(); err != nil || !any {
		return err // a table that was empty
	}
	// From the memtables to files, without the dead; then whole files, then the
	// dead parts of files that reach beyond the span.
	if err := db.eng.Flush(); err != nil {
		return err
	}
	if err := db.eng.DeleteFilesInSpan(start, end); err != nil {
		return err
	}
	return db.eng.Compact(start, end)
}

// forgetDrop removes the record of a drop of which nothing is left: everything at
// or below its timestamp was published, hence in the engine, when its space was
// collected.
func (db *DB) forgetDrop(ctx context.Context, d mvcc.DroppedSpan) error {
	t, err := db.Begin(TxnOptions{})
	if err != nil {
		return err
	}
	t.buf.put(sysKey(sysDrop, d.Start, d.End), nil, t.stmt)
	if err := t.Commit(ctx); err != nil {
		return err
	}
	db.gc.mu.Lock()
	defer db.gc.mu.Unlock()
	db.gc.drops = slices.DeleteFunc(db.gc.drops, func(e mvcc.DroppedSpan) bool {
		return e.At == d.At && string(e.Start) == string(d.Start) && string(e.End) == string(d.End)
	})
	db.gc.ripe = mvcc.NewDroppedSpans(db.gc.ripeDropsLocked())
	return nil
}

// ProtectTimestamp keeps everything readable at t until release is called.
//
// Errors: ErrTooOld.
func (db *DB) ProtectTimestamp(t Timestamp) (release func(), err error) {
	r := &reader{}
	if err := db.gc.enterAt(r, t); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { db.gc.leave(r) }), nil
}

// CollectGarbage advances the garbage collection threshold as far as running
// readers allow and compacts all of s, so that the space of dead versions
// in it comes back. A zero Span is everything.
func (db *DB) CollectGarbage(ctx context.Context, s Span) error {
	return db.collect(ctx, s, db.eng.Compact)
}

// CollectMuchGarbage is CollectGarbage that only compacts where dead versions are
// a share worth the work. It reads the keys of s, but not those of imported files
// that nothing was written to.
func (db *DB) CollectMuchGarbage(ctx context.Context, s Span) error {
	return db.collect(ctx, s, db.eng.CompactGarbage)
}

func (db *DB) collect(ctx context.Context, s Span, compact func(lower, upper []byte) error) error {
	if err := db.usable(ctx); err != nil {
		return err
	}
	drops, err := db.advanceThreshold()
	if err != nil {
		return err
	}
	if s.End != nil {
		// The others are left to the background.
		drops = slices.DeleteFunc(drops, func(d mvcc.DroppedSpan) bool {
			return bytes.Compare(d.Start, s.End) >= 0 || bytes.Compare(s.Start, d.End) >= 0
		})
	}
	if err := db.collectDrops(ctx, drops); err != nil {
		return err
	}
	return compact(s.Start, s.End)
}

// background advances the threshold and the clock's mark until ctx ends.
func (db *DB) background(ctx context.Context) {
	tick := time.NewTicker(db.o.GCInterval)
	defer tick.Stop()
	seen := db.clock.Last()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := db.clock.Last(); now != seen {
			seen = now
			if err := db.clock.Extend(); err != nil {
				db.o.Logger.Error("kv: extend the clock", "err", err)
			}
		}
		drops, err := db.advanceThreshold()
		if err == nil {
			err = db.collectDrops(ctx, drops)
		}
		if err != nil && ctx.Err() == nil {
			db.o.Logger.Error("kv: collect garbage", "err", err)
		}
		if errors.Is(err, storage.ErrReadOnly) {
			return
		}
	}
}
