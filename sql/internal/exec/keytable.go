package exec

import (
	"bytes"

	"github.com/cespare/xxhash/v2"
)

// keyTable numbers keys from 0 on, in the order in which they are added. It is a hash table with open addressing whose keys lie in one
// piece of memory, so that adding a key allocates nothing most of the time.
type keyTable struct {
	slots []int32 // 1 + a key's number, 0: free; a power of two, at most half full
	sums  []uint64
	ends  []int // of the keys in bytes
	bytes []byte
}

// hashKey is the hash that the table, and spilling by it, goes by.
func hashKey(key []byte) uint64 { return xxhash.Sum64(key) }

// size is what the table takes.
func (t *keyTable) size() int64 {
	return int64(4*cap(t.slots) + 8*cap(t.sums) + 8*cap(t.ends) + cap(t.bytes))
}

// find gives the number of a key whose hash is sum; -1 if it is not there.
func (t *keyTable) find(key []byte, sum uint64) int {
	if len(t.slots) == 0 {
		return -1
	}
	for at := sum & uint64(len(t.slots)-1); ; at = (at + 1) & uint64(len(t.slots)-1) {
		n := int(t.slots[at]) - 1
		if n < 0 || t.sums[n] == sum && bytes.Equal(t.key(n), key) {
			return n
		}
	}
}

// add adds a key that is not there and gives its number.
func (t *keyTable) add(key []byte, sum uint64) int {
	n := len(t.sums)
	if 2*(n+1) > len(t.slots) {
		t.rehash(max(64, 2*len(t.slots)))
	}
	t.bytes = append(t.bytes, key...)
	t.sums, t.ends = append(t.sums, sum), append(t.ends, len(t.bytes))
	t.place(n)
	return n
}

// reset empties the table and keeps its memory if that is little.
func (t *keyTable) reset() {
	if len(t.slots) > keptKeySlots || cap(t.bytes) > maxKeptBytes {
		*t = keyTable{}
		return
	}
	clear(t.slots)
	t.sums, t.ends, t.bytes = t.sums[:0], t.ends[:0], t.bytes[:0]
}

// keptKeySlots is up to how many slots an empty table keeps.
const keptKeySlots = 4 * keptRows

func (t *keyTable) key(n int) []byte {
	start := 0
	if n > 0 {
		start = t.ends[n-1]
	}
	return t.bytes[start:t.ends[n]]
}

func (t *keyTable) rehash(size int) {
	t.slots = make([]int32, size)
	for n := range t.sums {
		t.place(n)
	}
}

// place puts key n into the next free slot.
func (t *keyTable) place(n int) {
	mask := uint64(len(t.slots) - 1)
	at := t.sums[n] & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = int32(n + 1)
}
