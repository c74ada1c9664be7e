package mvcc

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClockJump: the wall clock is further ahead of the durable mark than a
// store that was merely switched off explains.
var ErrClockJump = errors.New("the clock is far ahead of the newest timestamp of the store")

const (
	// markAhead is how far the durable mark is set ahead of the timestamps: one
	// synced write for so much time. A restart begins at most so far in the future.
	markAhead = Timestamp(10 * time.Second)
	// maxClockJump is what ErrClockJump calls far: a store may well lie unused
	// for months, but timestamps taken from a clock that is off by years cannot be
	// taken back.
	maxClockJump = Timestamp(366 * 24 * time.Hour)
)

// Clock hands out strictly increasing timestamps, close to the wall clock. Every
// timestamp it hands out is at or below a mark that was made durable before, so
// that a restart, which begins above the mark, never repeats one. All methods may
// be called concurrently.
type Clock struct {
	now     func() time.Time
	persist func(mark Timestamp) error

	mu   sync.Mutex
	last Timestamp // handed out last
	mark Timestamp // durable

	extending sync.Mutex // held around persist; taken before mu
}

// NewClock returns a clock that continues above mark, the newest that persist
// made durable, or 0 in a new store. Persist must have made its argument durable
// when it returns; its arguments increase strictly.
//
// Errors: ErrClockJump, unless allowJump.
func NewClock(now func() time.Time, mark Timestamp, allowJump bool, persist func(Timestamp) error) (*Clock, error) {
	if ahead := FromTime(now()); mark > 0 && ahead > mark+maxClockJump && !allowJump {
		return nil, fmt.Errorf("%w: it says %s, the store %s", ErrClockJump,
			ahead.Time().Format(time.RFC3339), mark.Time().Format(time.RFC3339))
	}
	return &Clock{now: now, persist: persist, last: mark, mark: mark}, nil
}

// Next returns a timestamp above all earlier ones. It does I/O only if the mark
// is reached, which calling Extend now and then prevents.
func (c *Clock) Next() (Timestamp, error) {
	for {
		c.mu.Lock()
		t := c.nextLocked()
		if t <= c.mark {
			c.last = t
			c.mu.Unlock()
			return t, nil
		}
		c.mu.Unlock()
		if err := c.extendPast(t); err != nil {
			return 0, err
		}
	}
}

// Last returns the newest timestamp handed out, or the mark the clock began with.
func (c *Clock) Last() Timestamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Extend moves the mark ahead if less than half of the distance is left.
func (c *Clock) Extend() error {
	c.mu.Lock()
	t := c.nextLocked() + markAhead/2
	c.mu.Unlock()
	return c.extendPast(t)
}

func (c *Clock) nextLocked() Timestamp { return max(FromTime(c.now()), c.last+1) }

// extendPast makes the mark t or more.
func (c *Clock) extendPast(t Timestamp) error {
	c.extending.Lock()
	defer c.extending.Unlock()
	c.mu.Lock()
	enough := t <= c.mark
	c.mu.Unlock()
	if enough {
		return nil
	}
	mark := t + markAhead
	if err := c.persist(mark); err != nil {
		return fmt.Errorf("extend the mark of timestamps: %w", err)
	}
	c.mu.Lock()
	c.mark = mark
	c.mu.Unlock()
	return nil
}
