package sql

import (
	"context"
	"sync"
	"time"
)

// work is under what the calls of a session run: one context for all of them, since making one for each call would cost more than a
// short statement. A call that is cancelled spoils it; the next call gets a fresh one. What a suspended portal keeps of a spoilt one is
// dead with it, as is the transaction.
type work struct {
	running context.Context // of the running call, for those nested in it; nil: none runs

	mu     sync.Mutex
	base   context.Context // of the calls; nil: the next one makes it
	spoil  context.CancelCauseFunc
	parent context.Context // what the caller last gave: its end is passed on
	unlink func() bool
	active bool   // a call runs
	calls  uint64 // how many have begun
}

// begin starts a call whose caller gave ctx, and returns what it runs under.
func (w *work) begin(ctx context.Context) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.base == nil {
		w.base, w.spoil = context.WithCancelCause(context.WithoutCancel(ctx))
		w.parent = nil
	}
	if w.parent != ctx {
		w.unlinkLocked()
		w.parent = ctx
		if spoil := w.spoil; ctx.Done() != nil {
			w.unlink = context.AfterFunc(ctx, func() { spoil(context.Cause(ctx)) })
		}
	}
	if ctx.Err() != nil {
		w.spoil(context.Cause(ctx)) // AfterFunc is not as quick
	}
	w.active = true
	w.calls++
	w.running = w.base
	return w.base
}

// end finishes the call.
func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active, w.running = false, nil
	if w.base.Err() != nil {
		w.unlinkLocked()
		w.base, w.parent = nil, nil
	}
}

func (w *work) unlinkLocked() {
	if w.unlink != nil {
		w.unlink()
		w.unlink = nil
	}
}

// interrupt ends the running call, if there is one, with an error. It may be called from any goroutine.
func (w *work) interrupt(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active {
		w.spoil(why)
	}
}

// interruptAfter does so after a time, unless the timer is stopped or another call runs by then.
func (w *work) interruptAfter(d time.Duration, why error) *time.Timer {
	w.mu.Lock()
	defer w.mu.Unlock()
	call := w.calls
	return time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.active && w.calls == call {
			w.spoil(why)
		}
	})
}

// close gives back what the context holds.
func (w *work) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unlinkLocked()
	if w.base != nil {
		w.spoil(context.Canceled)
		w.base, w.parent = nil, nil
	}
}
