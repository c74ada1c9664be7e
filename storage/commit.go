package storage

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"minidb/storage/internal/memtable"
	"minidb/storage/internal/wal"
)

// SyncMode says when a commit answers.
type SyncMode uint8

const (
	// SyncFull answers after fdatasync.
	SyncFull SyncMode = iota
	// SyncOS answers once the bytes are with the operating system, which are
	// synced within 200 ms: a killed process loses nothing, a power cut at most
	// that window, and always a suffix of the order of Enqueue.
	SyncOS
)

const (
	// syncDelay is how long written bytes wait for a sync that nobody waits for:
	// the promised 200 ms less some for the sync itself.
	syncDelay = 150 * time.Millisecond
	// maxGroupBytes bounds what a leader writes at once for others.
	maxGroupBytes = 1 << 20
)

// commitQueue orders the batches. The first one that finds no leader leads: it
// writes and syncs for all that are queued, in its own goroutine, so that a lone
// writer waits for nobody.
type commitQueue struct {
	mu sync.Mutex
	// queue holds what is not in the log yet, in order.
	queue   []*Pending
	leading bool
	// live holds the batches that are enqueued and not yet in a memtable.
	live []*Pending
}

// Pending is a batch that has its place in the order of the WAL.
type Pending struct {
	db    *DB
	batch *Batch
	mode  SyncMode
	// barrier, instead of a batch, is run by a leader between the groups.
	barrier func() error

	liveAt  int           // index in commitQueue.live; guarded by its mu
	refused bool          // was never in the queue
	wake    chan struct{} // not nil while its goroutine waits
	done    bool          // written or failed
	applied bool          // Commit was called
	mem     *table        // where the batch belongs, once it is in the log
	err     error
}

// Enqueue takes b's place in the order of the WAL. It does no I/O and may be
// called under the caller's mutex. Commit must follow soon: a batch that is
// enqueued and not committed holds up flushes.
func (db *DB) Enqueue(b *Batch, mode SyncMode) *Pending {
	p := &Pending{db: db, batch: b, mode: mode}
	if len(b.data) > wal.MaxRecordBytes {
		p.refused, p.err = true, notApplied(fmt.Errorf("storage: a batch of %d bytes is too large", len(b.data)))
		return p
	}
	db.commits.add(p)
	return p
}

func (q *commitQueue) add(p *Pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, p)
	p.liveAt = len(q.live)
	q.live = append(q.live, p)
}

// remove takes p out of live.
func (q *commitQueue) remove(p *Pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.live) - 1
	q.live[last].liveAt = p.liveAt
	q.live[p.liveAt], q.live[last] = q.live[last], nil
	q.live = q.live[:last]
}

// oldest calls note with a suffix that no fact on its way into a memtable exceeds.
func (q *commitQueue) oldest(note func(suffix []byte)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.live {
		if p.batch != nil && p.batch.n > 0 {
			note(p.batch.oldest[:])
		}
	}
}

// takeGroup removes the next batches, or a single barrier, from the queue.
func (q *commitQueue) takeGroup() []*Pending {
	n, size := 0, 0
	for _, p := range q.queue {
		if p.barrier != nil {
			n = max(n, 1)
			break
		}
		if size += len(p.batch.data); n > 0 && size > maxGroupBytes {
			break
		}
		n++
	}
	group := q.queue[:n:n]
	q.queue = q.queue[n:]
	if len(q.queue) == 0 {
		q.queue = nil
	}
	return group
}

// Commit writes the batch, with those around it, as mode demands; iterators and
// Gets made after it returned see the batch. On an error without ErrNotApplied
// the outcome is unknown until the next Open.
func (p *Pending) Commit() error {
	if p.applied {
		panic("storage: Commit called twice")
	}
	p.applied = true
	if p.refused {
		return p.err
	}
	q := &p.db.commits
	q.mu.Lock()
	for !p.done {
		if q.leading {
			p.wake = make(chan struct{}, 1)
			q.mu.Unlock()
			<-p.wake
			q.mu.Lock()
			p.wake = nil
			continue
		}
		q.leading = true
		group := q.takeGroup()
		q.mu.Unlock()
		p.db.lead(group)
		q.mu.Lock()
		q.leading = false
		q.finish(group)
	}
	q.mu.Unlock()
	if p.mem != nil {
		for key, value := range p.batch.All() {
			p.mem.Insert(key, value)
		}
		p.mem.writers.Done()
	}
	q.remove(p)
	return p.err
}

// finish wakes the group's goroutines, and one of those behind it to lead.
func (q *commitQueue) finish(group []*Pending) {
	for _, p := range group {
		p.done = true
		p.nudge()
	}
	for _, p := range q.queue {
		if p.nudge() {
			return
		}
	}
}

// nudge wakes p's goroutine if it waits, and reports whether it does. It may have
// been woken already, to lead, and not have come to look yet.
func (p *Pending) nudge() bool {
	if p.wake == nil {
		return false
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return true
}

// Apply is Enqueue and Commit.
func (db *DB) Apply(b *Batch, mode SyncMode) error { return db.Enqueue(b, mode).Commit() }

// atBarrier runs fn as the leader, when all batches enqueued before are in the log.
func (db *DB) atBarrier(fn func() error) error {
	p := &Pending{db: db, barrier: fn}
	db.commits.add(p)
	return p.Commit()
}

// lead writes the group to the log.
func (db *DB) lead(group []*Pending) {
	if p := group[0]; p.barrier != nil {
		p.err = p.barrier()
		return
	}
	size, full := 0, false
	for _, p := range group {
		size += len(p.batch.data)
		full = full || p.mode == SyncFull
	}
	err := db.makeRoom(int64(size))
	if err == nil {
		err = db.writeGroup(group, full)
	}
	for _, p := range group {
		if p.err = err; err == nil {
			p.mem = db.mem
		}
	}
	if err == nil {
		db.counters.commitGroups.Add(1)
		db.counters.commits.Add(int64(len(group)))
	}
}

// writeGroup writes one record for each batch, all in one write, and syncs if a
// batch wants that. If it succeeds the memtable counts the writers.
func (db *DB) writeGroup(group []*Pending, full bool) error {
	for _, p := range group {
		db.wal.Add(p.batch.data)
	}
	before := db.wal.Size()
	if err := db.wal.Flush(); err != nil {
		return db.writeFailed(err)
	}
	db.counters.walBytes.Add(db.wal.Size() - before)
	if full {
		if err := db.wal.Sync(); err != nil {
			return db.fail(db.wal.Name(), err)
		}
	} else {
		db.syncSoon()
	}
	db.mem.writers.Add(len(group))
	return nil
}

// writeFailed turns an error of a log's Flush into that of a commit. Without
// space nothing was written and the log is as it was, so the batch is refused and
// the next one may succeed; everything else is final.
func (db *DB) writeFailed(err error) error {
	if !errors.Is(err, wal.ErrNotWritten) {
		return db.fail(db.wal.Name(), err)
	}
	if errors.Is(err, syscall.ENOSPC) && db.fatal.Load() == nil {
		return notApplied(fmt.Errorf("storage: no space for the log: %w", err))
	}
	return notApplied(db.fail(db.wal.Name(), err))
}

// syncSoon has the log synced within syncDelay.
func (db *DB) syncSoon() {
	select {
	case db.kickSync <- struct{}{}:
	default:
	}
}

// syncLoop syncs what was written without a sync.
func (db *DB) syncLoop() {
	defer db.workers.Done()
	for {
		select {
		case <-db.closing:
			return
		case <-db.kickSync:
		}
		select {
		case <-db.closing:
			return // Close syncs
		case <-time.After(syncDelay):
		}
		// A rotated log was synced by its rotation.
		db.mu.Lock()
		log := db.wal
		db.mu.Unlock()
		if err := log.Sync(); err != nil {
			_ = db.fail(log.Name(), err)
		}
	}
}

// makeRoom prepares the log and the memtable for a write of size bytes: it slows
// the writer down if flushes or compactions lag, and begins a new memtable if the
// present one is full. The leader calls it.
func (db *DB) makeRoom(size int64) error {
	if err := db.writable(); err != nil {
		return err
	}
	if err := db.throttle(size); err != nil {
		return err
	}
	if !db.mustRotate && (db.mem.Bytes() < db.o.MemtableBytes || db.mem.Len() == 0) {
		return nil
	}
	return db.rotate()
}

// rotate begins a new log and memtable. The leader calls it. All that is in the
// log before it is durable then.
func (db *DB) rotate() error {
	if err := db.writable(); err != nil {
		return err
	}
	old := db.wal
	if err := old.Sync(); err != nil {
		return notApplied(db.fail(old.Name(), err))
	}
	next, err := db.createLog(old.Num()+1, old.Size())
	if err != nil {
		// The half-made log may already say where this one ends.
		db.mustRotate = true
		if errors.Is(err, syscall.ENOSPC) {
			return notApplied(fmt.Errorf("storage: %w", err))
		}
		return notApplied(db.fail(db.logName(old.Num()+1), err))
	}
	db.mustRotate = false
	if err := old.Close(false); err != nil {
		db.o.Logger.Warn("close a log that is synced", "file", old.Name(), "error", err)
	}
	db.counters.walSyncs.Add(old.Syncs())
	db.mu.Lock()
	defer db.mu.Unlock()
	db.logs = append(db.logs, oldLog{old.Num(), old.Name(), old.Size()})
	db.wal = next
	db.mem = &table{Memtable: memtable.New(), logNum: next.Num()}
	db.installLocked(db.mem, db.state.memtables(), nil)
	return nil
}

// createLog makes the log num durable, in a recycled file if there is one.
func (db *DB) createLog(num uint64, prevEnd int64) (*wal.Writer, error) {
	o := wal.Options{PrevEnd: prevEnd, AllocateBytes: min(1<<20, max(4096, db.o.MemtableBytes/4))}
	db.mu.Lock()
	if n := len(db.recycled); n > 0 {
		o.Recycle, db.recycled = db.recycled[n-1], db.recycled[:n-1]
	}
	db.mu.Unlock()
	w, err := wal.Create(db.fs, db.logName(num), num, o)
	if err != nil {
		return nil, err
	}
	if err := db.fs.SyncDir(db.dir); err != nil {
		w.Close(false)
		return nil, err
	}
	return w, nil
}

// throttle delays a write in proportion to how far compactions lag, and lets it
// wait while there are too many memtables or too many files in level 0.
func (db *DB) throttle(size int64) error {
	depth := int(db.counters.l0Depth.Load())
	if depth >= db.o.L0SlowDepth && !db.o.DisableAutoCompactions {
		// From 32 MB/s down to 1 MB/s.
		lag := float64(min(depth, db.o.L0StopDepth)-db.o.L0SlowDepth) / float64(max(1, db.o.L0StopDepth-db.o.L0SlowDepth))
		rate := 32e6 * (1 - lag*31/32)
		delay := time.Duration(float64(size) / rate * float64(time.Second))
		db.counters.stallNanos.Add(int64(delay))
		time.Sleep(delay)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for db.mustWaitLocked() {
		if db.flushErr != nil {
			return notApplied(fmt.Errorf("storage: memtables are full and cannot be flushed: %w", db.flushErr))
		}
		if err := db.writable(); err != nil {
			return err
		}
		start := time.Now()
		db.cond.Wait()
		db.counters.stallNanos.Add(int64(time.Since(start)))
	}
	return nil
}

func (db *DB) mustWaitLocked() bool {
	full := db.state.mem.Bytes() >= db.o.MemtableBytes && db.state.mem.Len() > 0
	if full && len(db.state.imms)+1 >= db.o.MaxMemtables {
		return true
	}
	return int(db.counters.l0Depth.Load()) >= db.o.L0StopDepth && !db.o.DisableAutoCompactions && !db.backoff
}

// maxSuffix is at or after every suffix.
var maxSuffix = bytes.Repeat([]byte{0xff}, SuffixLen)
