package memtable

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// arena hands out memory that lives as long as the memtable and that the garbage
// collector need not scan: nodes refer to each other by ref, not by pointer.
//
// Memory comes in chunks that grow from 32 KiB to 1 MiB; what is larger gets a
// chunk of its own. Allocation is one atomic addition while the chunk has room.
type arena struct {
	// chunks is replaced as a whole when one is added.
	chunks atomic.Pointer[[]*uint64]
	// tail is the current chunk's index (high half) and the next free unit in it.
	tail atomic.Uint64
	mu   sync.Mutex   // for growth
	used atomic.Int64 // bytes of all chunks
}

// ref is the place of a node: chunk index and unit (8 bytes) in it. 0 is no node.
type ref uint32

const (
	unitBytes     = 8
	unitBits      = 17 // units in a chunk
	firstChunk    = 32 << 10 / unitBytes
	maxChunk      = 1 << unitBits
	maxChunkCount = 1 << (32 - unitBits)
)

func newArena() *arena {
	a := &arena{}
	a.chunks.Store(&[]*uint64{})
	a.grow(firstChunk)
	a.tail.Store(1) // ref 0 stays unused
	return a
}

// grow appends a chunk of n units. Requires: mu is held, or the arena is new.
//
// A chunk has room for one more node than it hands out: a node's tower is cut off
// at its height, but its Go type has the full one, and the checks of unsafe
// pointers want the whole type inside the allocation.
func (a *arena) grow(n uint64) {
	chunk := make([]uint64, n+uint64(unsafe.Sizeof(node{}))/unitBytes+1)
	old := *a.chunks.Load()
	if len(old) == maxChunkCount {
		panic("memtable: the arena is full")
	}
	grown := append(old[:len(old):len(old)], &chunk[0])
	a.chunks.Store(&grown)
	a.used.Add(int64(n) * unitBytes)
}

// alloc returns the place of n bytes, zeroed, aligned to 8.
func (a *arena) alloc(n int) ref {
	units := (uint64(n) + unitBytes - 1) / unitBytes
	for {
		tail := a.tail.Load()
		chunk, unit := tail>>32, tail&(1<<32-1)
		if unit+units <= chunkSize(chunk) {
			if a.tail.CompareAndSwap(tail, tail+units) {
				return ref(chunk<<unitBits | unit)
			}
			continue
		}
		if r, ok := a.allocSlow(tail, units); ok {
			return r
		}
	}
}

// chunkSize returns the units of a chunk that was not made for one large node.
// Only a place below 1<<unitBits has a ref.
func chunkSize(chunk uint64) uint64 {
	return min(maxChunk, uint64(firstChunk)<<min(chunk, 8))
}

// allocSlow starts a new chunk, unless another goroutine has since tail was read.
func (a *arena) allocSlow(tail, units uint64) (ref, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tail.Load()>>32 != tail>>32 {
		return 0, false
	}
	next := uint64(len(*a.chunks.Load()))
	size := chunkSize(next)
	a.grow(max(size, units))
	a.tail.Store(next<<32 | units)
	return ref(next << unitBits), true
}

func (a *arena) at(r ref) unsafe.Pointer {
	chunk := (*a.chunks.Load())[r>>unitBits]
	return unsafe.Add(unsafe.Pointer(chunk), uintptr(r&(1<<unitBits-1))*unitBytes)
}
