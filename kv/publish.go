package kv

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// publisher makes commits visible in the order of their timestamps. A commit's
// slot enters the queue in the critical section that allocates its timestamp and
// leaves it once all before it have left:
//
//	queue   5 done | 6 pending | 7 done | 8 void        published: 4
//
// 5 is published at once, 7 waits for 6, 8 is passed over. A failed slot never
// leaves: nothing from it on is published, those before it still are.
type publisher struct {
	mark atomic.Uint64 // the newest published timestamp

	mu     sync.Mutex
	queue  []*slot
	failed error // why nothing from failedAt on is published, if anything failed
	// failedAt is the lowest failed timestamp.
	failedAt Timestamp
}

// slot is one commit on its way.
type slot struct {
	at        Timestamp
	state     slotState
	published bool
	wake      chan struct{} // closed when published or hopeless; nil: nobody waits
}

type slotState uint8

const (
	slotPending slotState = iota
	slotDone
	slotVoid // nothing was written at its timestamp
	slotFailed
)

func (p *publisher) load() Timestamp { return Timestamp(p.mark.Load()) }

// add queues s. Requires ascending timestamps.
func (p *publisher) add(s *slot, at Timestamp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*s = slot{at: at}
	p.queue = append(p.queue, s)
}

// stopped returns the error that keeps commits from being published.
func (p *publisher) stopped() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// done says that s's writes are durable and in the engine, and waits until it is
// published.
//
// Errors: ErrOutcomeUnknown.
func (p *publisher) done(s *slot) error {
	p.mu.Lock()
	s.state = slotDone
	p.advanceLocked()
	if !s.published && !p.hopelessLocked(s) {
		wake := make(chan struct{})
		s.wake = wake // whoever closes it forgets it
		p.mu.Unlock()
		<-wake
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if !s.published {
		return fmt.Errorf("%w: an earlier commit failed: %w", ErrOutcomeUnknown, p.failed)
	}
	return nil
}

// void says that nothing was nor will be written at s's timestamp.
func (p *publisher) void(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.state = slotVoid
	p.advanceLocked()
}

// fail says that nobody knows what of s is durable.
func (p *publisher) fail(s *slot, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.state = slotFailed
	if p.failed == nil || s.at < p.failedAt {
		p.failed, p.failedAt = err, s.at
	}
	for _, s := range p.queue {
		if p.hopelessLocked(s) {
			s.release()
		}
	}
}

// hopelessLocked reports whether s will never be published.
func (p *publisher) hopelessLocked(s *slot) bool { return p.failed != nil && s.at >= p.failedAt }

// advanceLocked publishes from the head on.
func (p *publisher) advanceLocked() {
	n := 0
	for n < len(p.queue) && (p.queue[n].state == slotDone || p.queue[n].state == slotVoid) {
		s := p.queue[n]
		if s.state == slotDone {
			s.published = true
			p.mark.Store(uint64(s.at))
		}
		s.release()
		n++
	}
	p.queue = slices.Delete(p.queue, 0, n)
}

func (s *slot) release() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}
