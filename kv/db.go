package kv

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"minidb/kv/internal/lock"
	"minidb/kv/internal/resolver"
	"minidb/kv/mvcc"
	"minidb/storage"
	"minidb/storage/vfs"
)

// Options configure a DB. The zero value of every field but Dir is a default.
type Options struct {
	// Dir is the store's directory; it is created if absent.
	Dir string
	// FS is the file system Dir lies in; nil: vfs.Disk.
	FS vfs.FS
	// MemtableBytes and CacheBytes bound the engine's memory. 0: the engine's
	// defaults.
	MemtableBytes, CacheBytes int64
	// Logger takes what the background does; nil: discarded.
	Logger *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Retention is how far back reads with TxnOptions.AsOf stay possible. 0: only
	// what running transactions need is kept.
	Retention time.Duration
	// GCInterval is the time between advances of the garbage collection
	// threshold. 0: 5 s; negative: only CollectGarbage advances it.
	GCInterval time.Duration
	// AllowClockJump accepts a clock far ahead of the newest timestamp.
	AllowClockJump bool
	// DisableAutoCompactions leaves compaction to CollectGarbage.
	DisableAutoCompactions bool
	// Border is storage.Options.Border, for keys without versions. Nil: none.
	Border func(before, after []byte) bool
	// BufferBytes is the size of a transaction's writes above which it commits by
	// a sorted file instead of the log. 0: 64 MiB.
	BufferBytes int
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Disk
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		// Since uses the monotonic clock: steps of the wall clock do not show.
		start := time.Now()
		o.Now = func() time.Time { return start.Add(time.Since(start)) }
	}
	if o.GCInterval == 0 {
		o.GCInterval = 5 * time.Second
	}
	if o.BufferBytes == 0 {
		o.BufferBytes = 64 << 20
	}
	return o
}

// DB is an open store. All methods may be called concurrently.
type DB struct {
	o     Options
	eng   *storage.DB
	locks *lock.Manager
	gc    *collector
	clock *mvcc.Clock

	// commitMu is held while a commit takes its timestamp, its place in the log,
	// in the window and in the order of publication.
	commitMu  sync.Mutex
	window    *resolver.Window
	published publisher
	scratch   sync.Pool // of *commitScratch

	countersMu sync.Mutex
	counters   map[string]*counter

	staged atomic.Uint64 // names of staged files
	closed atomic.Bool
	stop   context.CancelFunc
	wg     sync.WaitGroup
}

// Open opens or creates the store in o.Dir. Staged files of earlier runs are
// removed.
//
// Errors: ErrClockJump, vfs.ErrLocked when another process has it open, and the
// engine's.
func Open(ctx context.Context, o Options) (*DB, error) {
	o = o.withDefaults()
	db := &DB{o: o, locks: lock.NewManager(), gc: newCollector(), counters: map[string]*counter{}}
	db.scratch.New = func() any { return &commitScratch{batch: storage.NewBatch()} }
	var err error
	db.eng, err = storage.Open(o.Dir, storage.Options{
		FS: o.FS, MemtableBytes: o.MemtableBytes, CacheBytes: o.CacheBytes, Logger: o.Logger,
		NewFilter: db.gc.filter, DisableAutoCompactions: o.DisableAutoCompactions, Border: o.Border,
	})
	if err != nil {
		return nil, err
	}
	if err := db.load(ctx); err != nil {
		_ = db.eng.Close() // the first error counts
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	if o.GCInterval > 0 {
		db.wg.Go(func() { db.background(background) })
	}
	return db, nil
}

// load reads what kv keeps of itself: the clock's mark, the threshold and the
// dropped spans.
func (db *DB) load(ctx context.Context) error {
	mark, err := getSystem(db.eng, sysKey(sysClock))
	if err != nil {
		return fmt.Errorf("read the clock's mark: %w", err)
	}
	persist := func(mark Timestamp) error {
		return putSystem(db.eng, sysKey(sysClock), uint64(mark), mark)
	}
	if db.clock, err = mvcc.NewClock(db.o.Now, Timestamp(mark), db.o.AllowClockJump, persist); err != nil {
		return err
	}
	if err := db.clock.Extend(); err != nil {
		return err
	}
	// All commits of earlier runs are at or below the mark.
	db.published.mark.Store(mark)
	db.window = resolver.NewWindow(Timestamp(mark))
	threshold, err := getSystem(db.eng, sysKey(sysThreshold))
	if err != nil {
		return fmt.Errorf("read the garbage collection threshold: %w", err)
	}
	drops, err := db.loadDrops(ctx)
	if err != nil {
		return fmt.Errorf("read the dropped spans: %w", err)
	}
	db.gc.addDrops(drops)
	db.gc.mu.Lock()
	defer db.gc.mu.Unlock()
	db.gc.setThresholdLocked(Timestamp(threshold))
	return nil
}

func (db *DB) loadDrops(ctx context.Context) (drops []mvcc.DroppedSpan, err error) {
	s := PrefixSpan([]byte{0, sysDrop})
	eng, err := db.eng.NewIter(storage.IterOptions{Lower: s.Start, Upper: s.End})
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := eng.Close(); err == nil {
			err = e
		}
	}()
	var it mvcc.Iter
	it.Init(eng, mvcc.MaxTimestamp)
	for ok := it.SeekGE(s.Start); ok; ok = it.Next() {
		span, err := decodeDrop(append([]byte(nil), it.Key()...))
		if err != nil {
			return nil, err
		}
		drops = append(drops, mvcc.DroppedSpan{Start: span.Start, End: span.End, At: it.Timestamp()})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return drops, nil
}

// Close waits for background work and closes the engine. Requires that all
// transactions have ended; their later calls fail with ErrClosed.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	db.stop()
	db.wg.Wait()
	return db.eng.Close()
}

func (db *DB) usable(ctx context.Context) error {
	if db.closed.Load() {
		return ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Now returns the newest published timestamp: a transaction that begins now
// reads at it.
func (db *DB) Now() Timestamp { return db.published.load() }

// Check verifies the checksums of everything on disk.
func (db *DB) Check(ctx context.Context) error {
	if err := db.usable(ctx); err != nil {
		return err
	}
	return db.eng.VerifyChecksums()
}

// EstimateKeys is about how many keys a span has: all versions count, and keys
// that were deleted, until their garbage is gone. It is cheap.
func (db *DB) EstimateKeys(s Span) (uint64, error) {
	return db.eng.EstimateEntries(s.Start, s.End)
}

// Metrics are figures of the store as it stands.
type Metrics struct {
	Engine    storage.Metrics
	Published Timestamp // what new transactions read at
	Threshold Timestamp // reads below it are refused
	RowLocks  int
	Waiters   int // requests for locks that wait
	Drops     int // dropped spans whose space is not back yet
}

// TableHold is a table lock that a transaction holds or waits for; Name is the key that LockTable was given, Tag TxnOptions.Owner.
type TableHold = lock.TableHold

// TableLocks lists the table locks of all transactions.
func (db *DB) TableLocks() []TableHold { return db.locks.TableHolds() }

// SpanBytes is about how much room the keys of a span take in the engine, old versions and compression included. What transactions have
// not committed is not in it.
func (db *DB) SpanBytes(s Span) (int64, error) { return db.eng.SpanBytes(s.Start, s.End) }

// Metrics returns the present figures.
func (db *DB) Metrics() Metrics {
	locks := db.locks.Stats()
	db.gc.mu.Lock()
	defer db.gc.mu.Unlock()
	return Metrics{
		Engine: db.eng.Metrics(), Published: db.Now(), Threshold: db.gc.threshold,
		RowLocks: locks.Rows, Waiters: locks.Waiters, Drops: len(db.gc.drops),
	}
}
