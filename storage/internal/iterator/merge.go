package iterator

import (
	"bytes"
	"errors"
)

// Merge walks the union of its sources in key order. Equal keys are one fact,
// whichever source has them, and are returned once.
//
// It keeps the sources in a heap by their keys. Going forward every source stands
// at its first entry at or after the position, going backward at its last one at
// or before it; so a seek in the direction of travel moves only the sources that
// have not reached the target, and the others need not be asked.
type Merge struct {
	all []Iterator
	// heap holds the sources that stand on an entry.
	heap []placed
	dir  direction
	// cur is a copy of the present key, for when its source moves.
	cur []byte
	err error
}

// placed is a source with the key it stands on, which spares a call for each
// comparison.
type placed struct {
	it  Iterator
	key []byte
}

type direction int8

const (
	nowhere  direction = 0
	forward  direction = 1
	backward direction = -1
)

// NewMerge returns a merge that owns the sources.
func NewMerge(sources ...Iterator) *Merge {
	m := &Merge{}
	m.Reset(sources)
	return m
}

// Reset makes the merge, which was closed, one over other sources. It keeps its
// memory.
func (m *Merge) Reset(sources []Iterator) {
	*m = Merge{all: sources, heap: m.heap[:0], cur: m.cur}
}

// Valid reports whether the merge stands on an entry.
func (m *Merge) Valid() bool { return len(m.heap) > 0 && m.err == nil }

// Key returns the present key.
func (m *Merge) Key() []byte { return m.heap[0].key }

// Value returns the present value.
func (m *Merge) Value() []byte { return m.heap[0].it.Value() }

// Err returns the first error of a source.
func (m *Merge) Err() error { return m.err }

// Close closes the sources.
func (m *Merge) Close() error {
	all := m.err
	for _, s := range m.all {
		if err := s.Close(); err != nil && m.err == nil {
			all = errors.Join(all, err)
		}
	}
	clear(m.heap[:cap(m.heap)])
	m.all, m.heap = nil, m.heap[:0]
	return all
}

// First moves to the first entry.
func (m *Merge) First() bool {
	return m.position(forward, func(s Iterator) bool { return s.First() })
}

// Last moves to the last entry.
func (m *Merge) Last() bool {
	return m.position(backward, func(s Iterator) bool { return s.Last() })
}

// position moves all sources and heaps those that stand on an entry.
func (m *Merge) position(dir direction, move func(Iterator) bool) bool {
	m.dir, m.heap, m.err = dir, m.heap[:0], nil
	for _, s := range m.all {
		if move(s) {
			m.heap = append(m.heap, placed{s, s.Key()})
		} else if !m.check(s) {
			return false
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return len(m.heap) > 0
}

// check takes over the error of a source that ended.
func (m *Merge) check(s Iterator) bool {
	if err := s.Err(); err != nil {
		m.err = err
		m.heap = m.heap[:0]
		return false
	}
	return true
}

// down restores the heap below i.
func (m *Merge) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if right := child + 1; right < len(m.heap) && m.before(right, child) {
			child = right
		}
		if !m.before(child, i) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}

func (m *Merge) before(i, j int) bool {
	c := bytes.Compare(m.heap[i].key, m.heap[j].key)
	return c < 0 && m.dir == forward || c > 0 && m.dir == backward
}

// moved restores the heap after its top moved; ok is what the move returned.
func (m *Merge) moved(ok bool) bool {
	top := m.heap[0].it
	if ok {
		m.heap[0].key = top.Key()
	} else {
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
		if !m.check(top) {
			return false
		}
	}
	m.down(0)
	return true
}

// Next moves to the following entry. Before the first entry, and on a new
// iterator, it is First.
func (m *Merge) Next() bool {
	switch {
	case m.err != nil || m.dir == forward && len(m.heap) == 0:
		return false
	case len(m.heap) == 0:
		return m.First()
	case len(m.heap) == 1 && m.dir == forward:
		return m.moved(m.heap[0].it.Next()) && len(m.heap) > 0
	}
	m.keep()
	if m.dir == backward && !m.turn(forward) {
		return false
	}
	return m.pastKey()
}

// pastKey moves forward past the entries of all sources that have the key cur.
func (m *Merge) pastKey() bool {
	for len(m.heap) > 0 && bytes.Equal(m.heap[0].key, m.cur) {
		if !m.moved(m.heap[0].it.Next()) {
			return false
		}
	}
	return len(m.heap) > 0
}

// Prev moves to the entry before. Beyond the last entry, and on a new iterator,
// it is Last.
func (m *Merge) Prev() bool {
	switch {
	case m.err != nil || m.dir == backward && len(m.heap) == 0:
		return false
	case len(m.heap) == 0:
		return m.Last()
	case len(m.heap) == 1 && m.dir == backward:
		return m.moved(m.heap[0].it.Prev()) && len(m.heap) > 0
	}
	m.keep()
	if m.dir == forward && !m.turn(backward) {
		return false
	}
	for len(m.heap) > 0 && bytes.Equal(m.heap[0].key, m.cur) {
		if !m.moved(m.heap[0].it.Prev()) {
			return false
		}
	}
	return len(m.heap) > 0
}

func (m *Merge) keep() { m.cur = append(m.cur[:0], m.heap[0].key...) }

// turn puts all sources on the other side of cur: going forward at or after it,
// going backward before it.
func (m *Merge) turn(dir direction) bool {
	if dir == forward {
		m.position(dir, func(s Iterator) bool { return s.SeekGE(m.cur) })
	} else {
		m.position(dir, func(s Iterator) bool { return s.SeekLT(m.cur) })
	}
	return m.err == nil
}

// SeekGE moves to the first entry at or after key.
func (m *Merge) SeekGE(key []byte) bool {
	if m.dir != forward || len(m.heap) == 0 || m.err != nil || bytes.Compare(key, m.heap[0].key) < 0 {
		return m.position(forward, func(s Iterator) bool { return s.SeekGE(key) })
	}
	for len(m.heap) > 0 && bytes.Compare(m.heap[0].key, key) < 0 {
		if !m.moved(m.heap[0].it.SeekGE(key)) {
			return false
		}
	}
	return len(m.heap) > 0
}

// SeekLT moves to the last entry before key.
func (m *Merge) SeekLT(key []byte) bool {
	if m.dir != backward || len(m.heap) == 0 || m.err != nil || bytes.Compare(key, m.heap[0].key) > 0 {
		return m.position(backward, func(s Iterator) bool { return s.SeekLT(key) })
	}
	for len(m.heap) > 0 && bytes.Compare(m.heap[0].key, key) >= 0 {
		if !m.moved(m.heap[0].it.SeekLT(key)) {
			return false
		}
	}
	return len(m.heap) > 0
}

// NextPrefix moves to the first entry with a larger prefix; where there is no
// present one it is Next.
func (m *Merge) NextPrefix() bool {
	if len(m.heap) == 0 {
		return m.Next()
	}
	m.keep()
	if m.dir == backward && !m.turn(forward) {
		return false
	}
	p := prefix(m.cur)
	for len(m.heap) > 0 && hasPrefix(m.heap[0].key, p) {
		if !m.moved(m.heap[0].it.NextPrefix()) {
			return false
		}
	}
	return len(m.heap) > 0
}
