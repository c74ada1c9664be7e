// Package memtable is the sorted set of facts that are not in a file yet: a
// skiplist in an arena, with reads that take no lock and concurrent inserts.
//
// It knows nothing of the WAL or of versions of a key. Keys are never removed or
// overwritten; a memtable goes as a whole, by the garbage collector.
package memtable

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"
)

const (
	maxHeight = 16
	// A node reaches level l+1 with 1/4 the probability of level l.
	branchBits = 2
)

// node is followed by its key and its value; its tower ends at height.
type node struct {
	keyLen, valueLen uint32
	height           uint32
	tower            [maxHeight]atomic.Uint32
}

const nodeHead = int(unsafe.Offsetof(node{}.tower))

func (n *node) data() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(n), nodeHead+int(n.height)*4)
}

func (n *node) key() []byte { return unsafe.Slice((*byte)(n.data()), n.keyLen) }

func (n *node) value() []byte {
	return unsafe.Slice((*byte)(unsafe.Add(n.data(), n.keyLen)), n.valueLen)
}

func (n *node) next(level int) ref { return ref(n.tower[level].Load()) }

// Memtable is the set. All methods may be called concurrently.
type Memtable struct {
	arena  *arena
	head   *node
	height atomic.Int32
	count  atomic.Int64
}

// New returns an empty memtable.
func New() *Memtable {
	m := &Memtable{arena: newArena()}
	_, m.head = m.newNode(maxHeight, nil, nil)
	m.height.Store(1)
	return m
}

func (m *Memtable) at(r ref) *node { return (*node)(m.arena.at(r)) }

func (m *Memtable) newNode(height int, key, value []byte) (ref, *node) {
	r := m.arena.alloc(nodeHead + height*4 + len(key) + len(value))
	n := m.at(r)
	n.keyLen, n.valueLen, n.height = uint32(len(key)), uint32(len(value)), uint32(height)
	copy(n.key(), key)
	copy(n.value(), value)
	return r, n
}

// Len returns the number of facts.
func (m *Memtable) Len() int { return int(m.count.Load()) }

// Bytes returns the memory taken.
func (m *Memtable) Bytes() int64 { return m.arena.used.Load() }

// findLT returns the last node before key on the level, searching from n, which
// is before key, and the ref of the node after it.
func (m *Memtable) findLT(n *node, level int, key []byte) (*node, ref) {
	for {
		r := n.next(level)
		if r == 0 {
			return n, 0
		}
		after := m.at(r)
		if bytes.Compare(after.key(), key) >= 0 {
			return n, r
		}
		n = after
	}
}

// Insert adds a fact, copying key and value. A key that is already there is left
// as it is: it is the same fact.
func (m *Memtable) Insert(key, value []byte) {
	var before [maxHeight]*node
	var after [maxHeight]ref
	n := m.head
	for level := int(m.height.Load()) - 1; level >= 0; level-- {
		n, after[level] = m.findLT(n, level, key)
		before[level] = n
	}
	if m.isKey(after[0], key) {
		return
	}
	height := m.randomHeight()
	for level := range height {
		if before[level] == nil {
			before[level], after[level] = m.findLT(m.head, level, key)
		}
	}
	r, added := m.newNode(height, key, value)
	// From the bottom up: once on level 0 the node is in the set, the levels above
	// are shortcuts.
	for level := range height {
		for {
			added.tower[level].Store(uint32(after[level]))
			if before[level].tower[level].CompareAndSwap(uint32(after[level]), uint32(r)) {
				break
			}
			before[level], after[level] = m.findLT(before[level], level, key)
			if level == 0 && m.isKey(after[0], key) {
				return
			}
		}
	}
	m.count.Add(1)
	for old := m.height.Load(); int(old) < height; old = m.height.Load() {
		m.height.CompareAndSwap(old, int32(height))
	}
}

func (m *Memtable) isKey(r ref, key []byte) bool {
	return r != 0 && bytes.Equal(m.at(r).key(), key)
}

func (m *Memtable) randomHeight() int {
	height := 1
	for bits := rand.Uint32(); height < maxHeight && bits&(1<<branchBits-1) == 0; bits >>= branchBits {
		height++
	}
	return height
}
