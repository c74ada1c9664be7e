package kv

import (
	"context"
	"errors"
	"fmt"

	"minidb/kv/internal/resolver"
	"minidb/kv/mvcc"
	"minidb/storage"
)

// commitScratch is the memory of one commit.
type commitScratch struct {
	batch *storage.Batch
	keys  resolver.Keys
	key   []byte
}

// maxScratchBytes bounds what is kept for the next commit.
const maxScratchBytes = 1 << 20

// Commit makes the transaction's writes and tables visible and durable, all or
// nothing, and releases its locks. With an error other than
// ErrOutcomeUnknown nothing happened. The transaction has ended in
// any case. Once the log or manifest write has begun ctx is not looked at.
//
// Errors: ErrOutcomeUnknown, and for tables *ConflictError, ErrDeadlock,
// ErrLockTimeout, the context's.
func (t *Txn) Commit(ctx context.Context) error {
	if t.ended {
		return ErrTxnDone
	}
	// Locks go only after publication: who gets one sees what was written under it.
	defer t.end()
	if err := t.db.usable(ctx); err != nil {
		return err
	}
	if t.buf.empty() && len(t.tables) == 0 {
		return nil
	}
	drops, err := t.dropped()
	if err != nil {
		return err
	}
	if len(t.tables) > 0 || t.buf.bytes() > t.db.o.BufferBytes {
		err = t.commitTables(ctx)
	} else {
		err = t.commitBatch()
	}
	if err != nil {
		return err
	}
	t.commit = t.slot.at
	for i := range drops {
		drops[i].At = t.commit
	}
	t.db.gc.addDrops(drops)
	return nil
}

// dropped returns the spans the transaction drops, without timestamps.
func (t *Txn) dropped() ([]mvcc.DroppedSpan, error) {
	var drops []mvcc.DroppedSpan
	for key, value := range t.buf.all {
		if key[0] != 0 {
			break
		}
		if value == nil {
			continue
		}
		s, err := decodeDrop(key)
		if err != nil {
			return nil, err
		}
		drops = append(drops, mvcc.DroppedSpan{Start: s.Start, End: s.End})
	}
	return drops, nil
}

// commitBatch commits by one batch of the log.
func (t *Txn) commitBatch() error {
	db := t.db
	s := db.scratch.Get().(*commitScratch)
	defer s.put(db)
	for key, value := range t.buf.all {
		s.key = append(append(s.key[:0], key...), placeholder...)
		s.batch.Set(s.key, value)
		s.keys.Append(key)
	}
	if s.batch.Len() == 0 {
		return nil // all was rolled back
	}
	var pending *storage.Pending
	err := db.enter(&t.slot, &s.keys, nil, func(suffix []byte) {
		s.batch.SetSuffix(suffix)
		pending = db.eng.Enqueue(s.batch, t.o.Sync.engine())
	})
	if err != nil {
		return err
	}
	return db.leave(&t.slot, pending.Commit())
}

func (s *commitScratch) put(db *DB) {
	if s.batch.Bytes() > maxScratchBytes {
		return
	}
	s.batch.Reset()
	s.keys.Reset()
	db.scratch.Put(s)
}

func (m SyncMode) engine() storage.SyncMode {
	if m == SyncOS {
		return storage.SyncOS
	}
	return storage.SyncFull
}

// enter is the critical section of every commit: timestamp, place in the log (by
// enqueue, if not nil), in the window and in the order of publication.
func (db *DB) enter(s *slot, keys *resolver.Keys, spans []resolver.Span, enqueue func(suffix []byte)) error {
	db.commitMu.Lock()
	defer db.commitMu.Unlock()
	if err := db.published.stopped(); err != nil {
		return fmt.Errorf("the store takes no more writes: %w", err)
	}
	at, err := db.clock.Next()
	if err != nil {
		return err
	}
	if enqueue != nil {
		enqueue(mvcc.Suffix(at))
	}
	db.window.Add(at, keys, spans)
	db.published.add(s, at)
	return nil
}

// leave ends what enter began, with the engine's answer: it publishes, or voids
// the timestamp if nothing was written, or stops publication.
func (db *DB) leave(s *slot, err error) error {
	switch {
	case err == nil:
		return db.published.done(s)
	case errors.Is(err, storage.ErrNotApplied):
		db.published.void(s)
		return err
	default:
		db.published.fail(s, err)
		return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	}
}
