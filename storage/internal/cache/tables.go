package cache

import (
	"container/list"
	"errors"
	"sync"

	"minidb/sstable"
)

// Tables keeps sstables open, the most recently used ones and those in use.
type Tables struct {
	open func(num uint64) (*sstable.Reader, error)
	max  int

	mu      sync.Mutex
	tables  map[uint64]*Table
	recent  list.List // of *Table, the most recent in front
	closing error
}

// Table is an open sstable. It stays open until Release.
type Table struct {
	*sstable.Reader
	num   uint64
	cache *Tables
	elem  *list.Element // nil: evicted, closes with its last user
	users int           // guarded by cache.mu

	opening sync.Once
	err     error
}

// NewTables returns a cache of about max tables that opens them with open.
func NewTables(maxTables int, open func(num uint64) (*sstable.Reader, error)) *Tables {
	return &Tables{open: open, max: maxTables, tables: map[uint64]*Table{}}
}

// Get returns the table num, which must be released.
func (c *Tables) Get(num uint64) (*Table, error) {
	c.mu.Lock()
	t := c.tables[num]
	if t == nil {
		t = &Table{num: num, cache: c}
		t.elem = c.recent.PushFront(t)
		c.tables[num] = t
	} else if c.recent.Front() != t.elem {
		c.recent.MoveToFront(t.elem)
	}
	t.users++
	c.evict()
	c.mu.Unlock()
	// Opened without the lock: other tables need not wait for the disk.
	t.opening.Do(func() { t.Reader, t.err = c.open(num) })
	if t.err != nil {
		err := t.err
		c.Forget(num) // the next Get tries again
		t.Release()
		return nil, err
	}
	return t, nil
}

// evict takes the least recently used tables that nobody uses out. Requires: mu.
func (c *Tables) evict() {
	for e := c.recent.Back(); e != nil && c.recent.Len() > c.max; {
		t := e.Value.(*Table)
		e = e.Prev()
		if t.users == 0 {
			c.remove(t)
		}
	}
}

// remove takes t out and closes it if nobody uses it. Requires: mu.
func (c *Tables) remove(t *Table) {
	c.recent.Remove(t.elem)
	delete(c.tables, t.num)
	t.elem = nil
	if t.users == 0 {
		c.close(t)
	}
}

func (c *Tables) close(t *Table) {
	if t.Reader != nil {
		c.closing = errors.Join(c.closing, t.Reader.Close())
	}
}

// Release gives the table back.
func (t *Table) Release() {
	c := t.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	t.users--
	if t.users == 0 && t.elem == nil {
		c.close(t)
	}
}

// Forget closes the table num, once its users are done.
func (c *Tables) Forget(num uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tables[num]; t != nil {
		c.remove(t)
	}
}

// Len returns the number of open tables.
func (c *Tables) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.tables)
}

// Close closes all tables. Requires: none is in use.
func (c *Tables) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tables {
		c.remove(t)
	}
	return c.closing
}
