package kv

import (
	"errors"
	"testing"
	"time"
)

// slots queues commits at the timestamps.
func slots(p *publisher, at ...Timestamp) []*slot {
	ss := make([]*slot, len(at))
	for i := range at {
		ss[i] = &slot{}
		p.add(ss[i], at[i])
	}
	return ss
}

// doneLater calls done in the background and waits until it waits.
func doneLater(t *testing.T, p *publisher, s *slot) <-chan error {
	t.Helper()
	c := make(chan error, 1)
	go func() { c <- p.done(s) }()
	for range 10000 {
		p.mu.Lock()
		waits := s.wake != nil
		p.mu.Unlock()
		if waits {
			return c
		}
		time.Sleep(100 * time.Microsecond)
	}
	t.Fatal("done does not wait")
	return nil
}

func wantMark(t *testing.T, p *publisher, want Timestamp) {
	t.Helper()
	if got := p.load(); got != want {
		t.Fatalf("published %v, want %v", got, want)
	}
}

func TestPublicationIsInTimestampOrder(t *testing.T) {
	var p publisher
	s := slots(&p, 5, 6, 7)
	later := doneLater(t, &p, s[2])
	middle := doneLater(t, &p, s[1])
	wantMark(t, &p, 0)
	if err := p.done(s[0]); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-middle, <-later); err != nil {
		t.Fatal(err)
	}
	wantMark(t, &p, 7)
}

func TestVoidTimestampIsPassedOver(t *testing.T) {
	var p publisher
	s := slots(&p, 5, 6)
	later := doneLater(t, &p, s[1])
	p.void(s[0])
	if err := <-later; err != nil {
		t.Fatal(err)
	}
	wantMark(t, &p, 6)
}

func TestNothingFromAFailedCommitOnIsPublished(t *testing.T) {
	var p publisher
	s := slots(&p, 3, 4, 5, 6, 7)
	before := doneLater(t, &p, s[1])
	later := doneLater(t, &p, s[3])
	disk := errors.New("disk")
	p.fail(s[2], disk)
	if !errors.Is(p.stopped(), disk) {
		t.Fatal("not stopped")
	}
	// Those before it are still published when they are done.
	if err := errors.Join(p.done(s[0]), <-before); err != nil {
		t.Fatal(err)
	}
	wantMark(t, &p, 4)
	if err := <-later; !errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, disk) {
		t.Fatalf("waiting behind it: %v", err)
	}
	if err := p.done(s[4]); !errors.Is(err, ErrOutcomeUnknown) {
		t.Fatalf("done after it: %v", err)
	}
	wantMark(t, &p, 4)
}
