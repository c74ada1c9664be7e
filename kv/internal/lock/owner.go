package lock

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// Owner is one transaction's locks. Not safe for concurrent use; different
// owners are.
type Owner struct {
	// Tag tells those who look at the locks whose they are. It is set before the first one.
	Tag int64

	m      *Manager
	grants []grant // in order, for ReleaseTo

	// Guarded by Manager.mu.
	waiting *request
	visited uint64
}

// grant is one mode that an owner got on a row or table, or one span.
type grant struct {
	obj  *object
	span *span
	mode modes
}

// Init makes o an owner of m's locks without any.
func (o *Owner) Init(m *Manager) { *o = Owner{m: m} }

// LockRow locks the row that name names: all keys that begin with it. No row's
// name is a proper prefix of another's. Timeout bounds the wait; 0: no bound.
//
// Errors: ErrDeadlock, ErrTimeout, ErrNotAvailable, ErrSkipped, the context's.
// O holds what it held before.
func (o *Owner) LockRow(ctx context.Context, name []byte, mode Row, w Wait, timeout time.Duration) error {
	r := request{owner: o, kind: rowKind, mode: 1 << mode, conflicts: rowConflicts[mode]}
	return o.m.acquire(ctx, &r, name, w, timeout)
}

// LockTable locks the table that name names; errors as LockRow.
func (o *Owner) LockTable(ctx context.Context, name []byte, mode Table, w Wait, timeout time.Duration) error {
	r := request{owner: o, kind: tableKind, mode: 1 << mode, conflicts: tableConflicts[mode]}
	return o.m.acquire(ctx, &r, name, w, timeout)
}

// LockSpan locks every row with a key in [start, end), present or not; errors as
// LockRow. Its cost grows with the number of rows locked by others.
func (o *Owner) LockSpan(ctx context.Context, start, end []byte, mode Row, w Wait, timeout time.Duration) error {
	r := request{
		owner: o, kind: spanKind, mode: 1 << mode, conflicts: rowConflicts[mode],
		start: bytes.Clone(start), end: bytes.Clone(end),
	}
	return o.m.acquire(ctx, &r, nil, w, timeout)
}

// acquire gets r, whose row or table is called name, or says why not.
func (m *Manager) acquire(ctx context.Context, r *request, name []byte, w Wait, timeout time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.kind != spanKind {
		r.obj = m.objectLocked(r.kind, name)
	}
	if m.coveredLocked(r) {
		return nil
	}
	if !m.blockedLocked(r) {
		m.grantLocked(r)
		return nil
	}
	switch {
	case w == NoWait:
		m.dropIfUnusedLocked(r.obj)
		return ErrNotAvailable
	case w == SkipLocked:
		m.dropIfUnusedLocked(r.obj)
		return ErrSkipped
	case m.deadlockLocked(r):
		m.dropIfUnusedLocked(r.obj)
		return ErrDeadlock
	}
	// The request outlives the call's frame from here on.
	q := *r
	m.enqueueLocked(&q)
	// A new wait may let others pass: those it now waits for.
	m.wakeLocked()
	return m.waitLocked(ctx, &q, timeout)
}

// waitLocked waits for r's grant without the mutex.
func (m *Manager) waitLocked(ctx context.Context, r *request, timeout time.Duration) error {
	var expired <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		expired = t.C
	}
	m.mu.Unlock()
	var err error
	select {
	case <-r.done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-expired:
		err = ErrTimeout
	}
	m.mu.Lock()
	if r.granted {
		return nil
	}
	m.dequeueLocked(r)
	m.dropIfUnusedLocked(r.obj)
	m.wakeLocked()
	return err
}

// Mark returns a point for ReleaseTo.
func (o *Owner) Mark() int { return len(o.grants) }

// releaseChunk bounds how many locks are released under one hold of the mutex.
const releaseChunk = 1024

// ReleaseTo releases what was locked after mark; a mode that was added to a
// row is taken off it again.
func (o *Owner) ReleaseTo(mark int) {
	for len(o.grants) > mark {
		from := max(mark, len(o.grants)-releaseChunk)
		o.m.release(o, o.grants[from:])
		clear(o.grants[from:])
		o.grants = o.grants[:from]
	}
}

// ReleaseAll releases all of o's locks.
func (o *Owner) ReleaseAll() { o.ReleaseTo(0) }

func (m *Manager) release(o *Owner, grants []grant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wake := m.spanWaiters > 0
	for _, g := range grants {
		if g.span != nil {
			i := slices.Index(m.spans, g.span)
			m.spans = slices.Delete(m.spans, i, i+1)
			wake = true
			continue
		}
		i := slices.IndexFunc(g.obj.holders, func(h holder) bool { return h.owner == o })
		if g.obj.holders[i].modes &^= g.mode; g.obj.holders[i].modes == 0 {
			g.obj.holders = slices.Delete(g.obj.holders, i, i+1)
		}
		wake = wake || g.obj.waiting > 0
		m.dropIfUnusedLocked(g.obj)
	}
	if wake && len(m.waiters) > 0 {
		m.wakeLocked()
	}
}
