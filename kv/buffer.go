package kv

import (
	"bytes"
	"math"
)

// buffer holds a transaction's writes, ordered by key: a skiplist of keys, each
// with its chain of writes, newest first.
//
//	keys   a ------------> c ------> f          (skiplist, level 0)
//	       |               |         |
//	log    #2 c=2 (stmt 1) ...                  every write, in order
//	       #0 a=1 (stmt 1)
//
// A write carries its statement's number, so that a reader skips those of
// its own statement. A savepoint is a length of the log; rolling back pops
// writes off their chains. Keys are never taken out of the skiplist, so a
// position in it stays good whatever happens. The zero value is empty.
type buffer struct {
	nodes []bufferNode // nodes[0] is the head
	links []uint32     // towers, one after the other
	log   []bufferWrite
	arena arena

	height int
	rng    uint32
	// splice holds, by level, the last node at or before the key put last, where
	// the search for a larger key begins; at no level one that lies behind that of
	// the level below.
	splice [bufferHeight]uint32
	// puts and rollbacks count, so that iterators know when to look again.
	puts, rollbacks int
	// base is the log's length at the newest savepoint: older writes must not be
	// changed in place.
	base int
}

const bufferHeight = 12

type bufferNode struct {
	key   []byte
	write int32  // newest in log, -1: none
	tower uint32 // where its links begin
}

type bufferWrite struct {
	value []byte // nil: deleted
	node  uint32
	prev  int32 // the key's write before, -1: none
	stmt  uint32
}

// allStatements as a limit sees the writes of all statements.
const allStatements = math.MaxUint32

func (b *buffer) empty() bool { return len(b.log) == 0 }

// bytes is what the buffer holds in keys and values, undone ones included.
func (b *buffer) bytes() int { return b.arena.used }

// put records key = value, or with a nil value its deletion, by statement stmt.
func (b *buffer) put(key, value []byte, stmt uint32) {
	b.puts++
	if value != nil {
		value = b.arena.copy(value)
	}
	n := b.node(key)
	head := b.nodes[n].write
	if int(head) >= b.base && b.log[head].stmt == stmt {
		b.log[head].value = value
		return
	}
	b.nodes[n].write = int32(len(b.log))
	b.log = append(b.log, bufferWrite{value: value, node: n, prev: head, stmt: stmt})
}

// mark returns the point for rollback to return to.
func (b *buffer) mark() int {
	b.base = len(b.log)
	return b.base
}

// rollback undoes the writes after mark.
func (b *buffer) rollback(mark int) {
	b.rollbacks++
	for i := len(b.log) - 1; i >= mark; i-- {
		b.nodes[b.log[i].node].write = b.log[i].prev
	}
	clear(b.log[mark:])
	b.log = b.log[:mark]
	b.base = mark
}

// visible returns the newest write of node n by a statement below limit.
func (b *buffer) visible(n, limit uint32) (value []byte, ok bool) {
	for w := b.nodes[n].write; w >= 0; w = b.log[w].prev {
		if b.log[w].stmt < limit {
			return b.log[w].value, true
		}
	}
	return nil, false
}

// get returns what statements below limit wrote to key; a nil value with ok is a
// deletion.
func (b *buffer) get(key []byte, limit uint32) (value []byte, ok bool) {
	if b.empty() {
		return nil, false
	}
	if n := b.seekGE(key); n != 0 && bytes.Equal(b.nodes[n].key, key) {
		return b.visible(n, limit)
	}
	return nil, false
}

// link returns the successor of n at level; 0: none.
func (b *buffer) link(n uint32, level int) uint32 { return b.links[int(b.nodes[n].tower)+level] }

// node returns the node of key, made if absent.
func (b *buffer) node(key []byte) uint32 {
	if len(b.nodes) == 0 {
		b.nodes = append(make([]bufferNode, 0, 8), bufferNode{write: -1})
		b.links = append(make([]uint32, 0, bufferHeight+16), make([]uint32, bufferHeight)...)
		b.height, b.rng = 1, 0x9e3779b9
	}
	// A key behind the one put last is searched from there: up to the first level on which nothing lies between, then down.
	level, x := b.height, uint32(0)
	if s := b.splice[0]; s != 0 && b.less(s, key) {
		for level = 0; level < b.height; level++ {
			x = b.splice[level]
			if next := b.link(x, level); next == 0 || !b.less(next, key) {
				break
			}
		}
	}
	for level--; level >= 0; level-- {
		for next := b.link(x, level); next != 0 && b.less(next, key); next = b.link(x, level) {
			x = next
		}
		b.splice[level] = x
	}
	x = b.splice[0]
	if next := b.link(x, 0); next != 0 && bytes.Equal(b.nodes[next].key, key) {
		return next
	}
	n := uint32(len(b.nodes))
	height := b.randomHeight()
	b.nodes = append(b.nodes, bufferNode{key: b.arena.copy(key), write: -1, tower: uint32(len(b.links))})
	for level := range height {
		prev := uint32(0)
		if level < b.height {
			prev = b.splice[level]
		}
		b.links = append(b.links, b.link(prev, level))
		b.links[int(b.nodes[prev].tower)+level] = n
		b.splice[level] = n
	}
	b.height = max(b.height, height)
	return n
}

func (b *buffer) less(n uint32, key []byte) bool { return bytes.Compare(b.nodes[n].key, key) < 0 }

// randomHeight returns h with probability 3/4 * 4^(1-h).
func (b *buffer) randomHeight() int {
	b.rng ^= b.rng << 13
	b.rng ^= b.rng >> 17
	b.rng ^= b.rng << 5
	h := 1
	for r := b.rng; h < bufferHeight && r&3 == 0; r >>= 2 {
		h++
	}
	return h
}

// seekLT returns the last node below key; 0: none.
func (b *buffer) seekLT(key []byte) uint32 {
	if len(b.nodes) == 0 {
		return 0
	}
	x := uint32(0)
	for level := b.height - 1; level >= 0; level-- {
		for next := b.link(x, level); next != 0 && b.less(next, key); next = b.link(x, level) {
			x = next
		}
	}
	return x
}

// seekGE returns the first node at or above key; 0: none.
func (b *buffer) seekGE(key []byte) uint32 {
	if len(b.nodes) == 0 {
		return 0
	}
	return b.link(b.seekLT(key), 0)
}

// next returns the node after n; next(0) is the first.
func (b *buffer) next(n uint32) uint32 {
	if len(b.nodes) == 0 {
		return 0
	}
	return b.link(n, 0)
}

// all yields the newest write of every key in order; a nil value is a deletion.
func (b *buffer) all(yield func(key, value []byte) bool) {
	for n := b.next(0); n != 0; n = b.next(n) {
		if w := b.nodes[n].write; w >= 0 && !yield(b.nodes[n].key, b.log[w].value) {
			return
		}
	}
}

// arena hands out memory in chunks that never move.
type arena struct {
	chunk []byte
	used  int
}

const (
	minChunk = 512
	maxChunk = 1 << 20
)

// copy returns src in the arena's memory, never nil.
func (a *arena) copy(src []byte) []byte {
	if cap(a.chunk)-len(a.chunk) < len(src) {
		size := min(max(minChunk, 2*cap(a.chunk)), maxChunk)
		a.chunk = make([]byte, 0, max(size, len(src)))
	}
	from := len(a.chunk)
	a.chunk = append(a.chunk, src...)
	a.used += len(src)
	return a.chunk[from:len(a.chunk):len(a.chunk)]
}
