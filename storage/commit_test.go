package storage

import (
	"testing"
	"time"
)

// A waiter that was woken to lead may find itself led before it comes to look: it
// is then woken twice, which must block nobody.
func TestWaiterWokenTwiceBlocksNobody(t *testing.T) {
	p := &Pending{wake: make(chan struct{}, 1)}
	q := &commitQueue{queue: []*Pending{p}}
	done := make(chan struct{})
	go func() {
		q.finish(nil)
		q.queue = nil
		q.finish([]*Pending{p})
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the leader is stuck")
	}
	if <-p.wake; !p.done {
		t.Fatal("not done")
	}
}
