package exec

import (
	"bytes"
	"hash/maphash"
)

// keySet is a set of byte strings that keeps them in one piece of memory. The zero value is empty.
type keySet struct {
	arena []byte
	ends  []int   // of the keys in arena, in the order in which they came
	slots []int32 // open addressing: 0 or a key's place in ends, counted from 1; a power of two
}

var keySeed = maphash.MakeSeed()

// add puts a copy of key into the set and reports whether it was not there.
func (s *keySet) add(key []byte) bool {
	if 2*len(s.ends) >= len(s.slots) {
		s.grow()
	}
	i := s.find(key)
	if s.slots[i] != 0 {
		return false
	}
	s.arena = append(s.arena, key...)
	s.ends = append(s.ends, len(s.arena))
	s.slots[i] = int32(len(s.ends))
	return true
}

// find returns the slot of key, or the one where it belongs.
func (s *keySet) find(key []byte) int {
	mask := len(s.slots) - 1
	for i := int(maphash.Bytes(keySeed, key)) & mask; ; i = (i + 1) & mask {
		if n := s.slots[i]; n == 0 || bytes.Equal(s.key(int(n)-1), key) {
			return i
		}
	}
}

func (s *keySet) key(n int) []byte {
	from := 0
	if n > 0 {
		from = s.ends[n-1]
	}
	return s.arena[from:s.ends[n]]
}

const minKeySlots = 64

func (s *keySet) grow() {
	s.slots = make([]int32, max(minKeySlots, 4*len(s.slots)))
	for n := range s.ends {
		s.slots[s.find(s.key(n))] = int32(n + 1)
	}
}

// reset empties the set. It keeps the memory of a small one.
func (s *keySet) reset() {
	if len(s.ends) > keptRows || cap(s.arena) > maxKeptBytes {
		*s = keySet{}
		return
	}
	s.arena, s.ends = s.arena[:0], s.ends[:0]
	clear(s.slots)
}
