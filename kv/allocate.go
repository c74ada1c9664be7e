package kv

import (
	"context"
	"sync"
)

// counterAhead is how many numbers are reserved beyond those asked for, so that
// not every small request costs a synced write. A crash leaves them out.
const counterAhead = 32

// counter hands out the numbers [next, reserved), which are durably taken.
type counter struct {
	mu             sync.Mutex
	loaded         bool
	next, reserved uint64
}

// Allocate hands out the n numbers [first, first+n) of the named counter.
// Counters start at 1 and never hand out a number twice, also after a crash;
// numbers may be left out. Durable when it returns and outside transactions.
func (db *DB) Allocate(ctx context.Context, name []byte, n uint64) (first uint64, err error) {
	if err := db.usable(ctx); err != nil {
		return 0, err
	}
	db.countersMu.Lock()
	c := db.counters[string(name)]
	if c == nil {
		c = &counter{}
		db.counters[string(name)] = c
	}
	db.countersMu.Unlock()

	c.mu.Lock()
	defer c.mu.Unlock()
	key := sysKey(sysCounter, name)
	if !c.loaded {
		reserved, err := getSystem(db.eng, key)
		if err != nil {
			return 0, err
		}
		c.next, c.reserved, c.loaded = max(1, reserved), max(1, reserved), true
	}
	if c.next+n > c.reserved {
		reserved := c.next + n + counterAhead
		at, err := db.clock.Next()
		if err != nil {
			return 0, err
		}
		if err := putSystem(db.eng, key, reserved, at); err != nil {
			return 0, err
		}
		c.reserved = reserved
	}
	first = c.next
	c.next += n
	return first, nil
}
