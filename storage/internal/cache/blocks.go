// Package cache holds what is costly to get from files: decompressed blocks, and
// open sstables.
//
// Blocks is bounded in bytes and Tables in files. Neither knows what a version
// is: whoever deletes a file tells Tables, and what Blocks has of it ages out.
package cache

import (
	"sync"
	"sync/atomic"

	"minidb/sstable"
)

var _ sstable.BlockCache = (*Blocks)(nil)

const (
	shardCount = 16
	// entryOverhead is about what an entry costs beside its block.
	entryOverhead = 96
)

// Blocks caches blocks by file and offset. Each shard is a CLOCK: a hit sets a
// mark, the hand takes marks away and evicts what has none. That keeps a hit
// under the shard's read lock.
type Blocks struct {
	shards       [shardCount]shard
	hits, misses atomic.Int64
}

type blockKey struct{ file, offset uint64 }

type shard struct {
	mu       sync.RWMutex
	entries  map[blockKey]*entry
	ring     []*entry
	hand     int
	bytes    int64
	maxBytes int64
}

type entry struct {
	key    blockKey
	block  []byte
	marked atomic.Bool
}

// NewBlocks returns a cache of at most maxBytes.
func NewBlocks(maxBytes int64) *Blocks {
	c := &Blocks{}
	for i := range c.shards {
		c.shards[i].entries = map[blockKey]*entry{}
		c.shards[i].maxBytes = maxBytes / shardCount
	}
	return c
}

func (c *Blocks) shard(k blockKey) *shard {
	h := (k.file ^ k.offset>>12) * 0x9e3779b97f4a7c15
	return &c.shards[h>>60]
}

// Get implements sstable.BlockCache.
func (c *Blocks) Get(file, offset uint64) ([]byte, bool) {
	k := blockKey{file, offset}
	s := c.shard(k)
	s.mu.RLock()
	e := s.entries[k]
	s.mu.RUnlock()
	if e == nil {
		c.misses.Add(1)
		return nil, false
	}
	if !e.marked.Load() {
		e.marked.Store(true)
	}
	c.hits.Add(1)
	return e.block, true
}

// Set implements sstable.BlockCache.
func (c *Blocks) Set(file, offset uint64, block []byte) {
	e := &entry{key: blockKey{file, offset}, block: block}
	s := c.shard(e.key)
	if e.cost() > s.maxBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.key] != nil {
		return // another reader was first; the blocks are the same
	}
	for s.bytes+e.cost() > s.maxBytes {
		s.evictOne()
	}
	s.entries[e.key] = e
	s.ring = append(s.ring, e)
	s.bytes += e.cost()
}

func (e *entry) cost() int64 { return int64(cap(e.block)) + entryOverhead }

// evictOne moves the hand to the first entry without a mark and removes it.
func (s *shard) evictOne() {
	for {
		if s.hand >= len(s.ring) {
			s.hand = 0
		}
		e := s.ring[s.hand]
		if e.marked.Swap(false) {
			s.hand++
			continue
		}
		last := len(s.ring) - 1
		s.ring[s.hand], s.ring[last] = s.ring[last], nil
		s.ring = s.ring[:last]
		delete(s.entries, e.key)
		s.bytes -= e.cost()
		return
	}
}

// BlockStats are the figures of a Blocks.
type BlockStats struct{ Hits, Misses, Bytes int64 }

// Stats returns the present figures.
func (c *Blocks) Stats() BlockStats {
	st := BlockStats{Hits: c.hits.Load(), Misses: c.misses.Load()}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.RLock()
		st.Bytes += s.bytes
		s.mu.RUnlock()
	}
	return st
}
