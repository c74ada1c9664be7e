package memtable

import (
	"bytes"

	"minidb/sstable"
)

// Iter walks a memtable in key order within [lower, upper). Facts inserted
// behind its position after its creation are seen, those before are not looked
// for again. The methods are those of sstable.Iter; Key and Value stay valid as
// long as the memtable.
type Iter struct {
	m            *Memtable
	lower, upper []byte
	n            *node // nil: not on a fact
	target       []byte
}

// prefixSteps is how many versions NextPrefix steps over before it searches.
const prefixSteps = 4

// NewIter returns an iterator that stands nowhere; nil bounds are none.
func (m *Memtable) NewIter(lower, upper []byte) *Iter {
	i := &Iter{}
	i.Reset(m, lower, upper)
	return i
}

// Reset makes i an iterator over m that stands nowhere.
func (i *Iter) Reset(m *Memtable, lower, upper []byte) {
	*i = Iter{m: m, lower: lower, upper: upper, target: i.target[:0]}
}

// set stands on n if it is a fact within the bounds.
func (i *Iter) set(n *node) bool {
	if n == i.m.head || n != nil && (i.upper != nil && bytes.Compare(n.key(), i.upper) >= 0 ||
		i.lower != nil && bytes.Compare(n.key(), i.lower) < 0) {
		n = nil
	}
	i.n = n
	return n != nil
}

func (i *Iter) setRef(r ref) bool {
	if r == 0 {
		i.n = nil
		return false
	}
	return i.set(i.m.at(r))
}

// First moves to the first fact.
func (i *Iter) First() bool {
	if i.lower != nil {
		return i.seekFrom(i.m.head, i.lower)
	}
	return i.setRef(i.m.head.next(0))
}

// Last moves to the last fact.
func (i *Iter) Last() bool {
	if i.upper != nil {
		return i.SeekLT(i.upper)
	}
	n := i.m.head
	for level := int(i.m.height.Load()) - 1; level >= 0; level-- {
		for r := n.next(level); r != 0; r = n.next(level) {
			n = i.m.at(r)
		}
	}
	return i.set(n)
}

// Next moves to the following fact.
func (i *Iter) Next() bool {
	if i.n == nil {
		return false
	}
	return i.setRef(i.n.next(0))
}

// Prev moves to the fact before.
func (i *Iter) Prev() bool {
	if i.n == nil {
		return false
	}
	return i.SeekLT(i.n.key())
}

// SeekGE moves to the first fact at or after key. If key is ahead the search
// starts where the iterator stands and costs what the distance costs.
func (i *Iter) SeekGE(key []byte) bool {
	if i.lower != nil && bytes.Compare(key, i.lower) < 0 {
		key = i.lower
	}
	if i.n != nil {
		switch c := bytes.Compare(i.n.key(), key); {
		case c == 0:
			return true
		case c < 0:
			return i.seekFrom(i.n, key)
		}
	}
	return i.seekFrom(i.m.head, key)
}

// seekFrom searches from n, which is before key. It climbs while the levels
// allow: each node passed is on average four times as far as the level below.
func (i *Iter) seekFrom(n *node, key []byte) bool {
	level := int(n.height) - 1
	if n == i.m.head {
		level = int(i.m.height.Load()) - 1
	} else {
		for {
			r := n.next(level)
			if r == 0 {
				break
			}
			after := i.m.at(r)
			if bytes.Compare(after.key(), key) >= 0 {
				break
			}
			n = after
			level = int(n.height) - 1
		}
	}
	var r ref
	for ; level >= 0; level-- {
		n, r = i.m.findLT(n, level, key)
	}
	return i.setRef(r)
}

// SeekLT moves to the last fact before key.
func (i *Iter) SeekLT(key []byte) bool {
	if i.upper != nil && bytes.Compare(key, i.upper) > 0 {
		key = i.upper
	}
	n := i.m.head
	for level := int(i.m.height.Load()) - 1; level >= 0; level-- {
		n, _ = i.m.findLT(n, level, key)
	}
	return i.set(n)
}

// NextPrefix moves to the first fact with a larger prefix.
func (i *Iter) NextPrefix() bool {
	if i.n == nil {
		return false
	}
	prefix := i.n.key()[:sstable.Split(i.n.key())]
	for range prefixSteps {
		if !i.Next() {
			return false
		}
		if !i.hasPrefix(prefix) {
			return true
		}
	}
	// No version comes after the one with the largest suffix.
	i.target = append(append(i.target[:0], prefix...), maxSuffix...)
	return i.SeekGE(i.target) && (!i.hasPrefix(prefix) || i.Next())
}

func (i *Iter) hasPrefix(prefix []byte) bool {
	key := i.n.key()
	return bytes.Equal(key[:sstable.Split(key)], prefix)
}

var maxSuffix = bytes.Repeat([]byte{0xff}, sstable.SuffixLen)

// Valid reports whether the iterator stands on a fact.
func (i *Iter) Valid() bool { return i.n != nil }

// Key returns the fact's key.
func (i *Iter) Key() []byte { return i.n.key() }

// Value returns the fact's value.
func (i *Iter) Value() []byte { return i.n.value() }

// Err is nil: memory does not fail.
func (i *Iter) Err() error { return nil }

// Close lets go of the memtable.
func (i *Iter) Close() error {
	*i = Iter{target: i.target}
	return nil
}
