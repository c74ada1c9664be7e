// Package resolver remembers what the recent commits wrote, so that a
// transaction can ask whether something it read was overwritten.
//
// It knows nothing of values, locks or the engine. In reading order: Keys (what
// one commit wrote), Window, Answer.
package resolver

import (
	"bytes"
	"sort"
	"sync"

	"minidb/kv/mvcc"
)

const (
	// slots is the number of commits remembered.
	slots = 2048
	// maxKeyBytes bounds what is kept of one commit; a larger one is remembered
	// as a span. The window stays below slots * maxKeyBytes = 8 MiB.
	maxKeyBytes = 4 << 10
	// maxLookBack bounds the commits one question looks at; beyond it the answer
	// is Unknown, since by then asking the engine is cheaper.
	maxLookBack = 64
)

// Answer says whether something was overwritten.
type Answer uint8

// The answers. Unknown: the window cannot tell, look into the store.
const (
	No Answer = iota
	Yes
	Unknown
)

// Keys are the sorted keys of one commit, end to end in one buffer.
type Keys struct {
	data []byte
	ends []uint32 // ends[i] is where key i ends in data
}

// Append adds a key above all before; it is copied.
func (k *Keys) Append(key []byte) {
	k.data = append(k.data, key...)
	k.ends = append(k.ends, uint32(len(k.data)))
}

// Len returns the number of keys, Bytes their total length.
func (k *Keys) Len() int { return len(k.ends) }

// Bytes returns the total length of the keys.
func (k *Keys) Bytes() int { return len(k.data) }

// At returns key i.
func (k *Keys) At(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = k.ends[i-1]
	}
	return k.data[from:k.ends[i]:k.ends[i]]
}

// Reset empties k and keeps its memory.
func (k *Keys) Reset() { k.data, k.ends = k.data[:0], k.ends[:0] }

// touches reports whether a key lies in [start, end).
func (k *Keys) touches(start, end []byte) bool {
	i := sort.Search(len(k.ends), func(i int) bool { return bytes.Compare(k.At(i), start) >= 0 })
	return i < len(k.ends) && bytes.Compare(k.At(i), end) < 0
}

// Span is the keys in [Start, End).
type Span struct{ Start, End []byte }

func (s Span) overlaps(start, end []byte) bool {
	return bytes.Compare(s.Start, end) < 0 && bytes.Compare(start, s.End) < 0
}

// commit is one slot of the ring.
type commit struct {
	at    mvcc.Timestamp
	keys  Keys
	spans []Span
}

// Window remembers the last commits. All methods may be called concurrently.
type Window struct {
	mu   sync.RWMutex
	ring [slots]commit
	n    int // commits ever added; the newest is ring[(n-1)%slots]
	// forgotten: commits at or below it may be missing.
	forgotten mvcc.Timestamp
}

// NewWindow returns a window that knows of nothing up to since.
func NewWindow(since mvcc.Timestamp) *Window { return &Window{forgotten: since} }

// Add remembers that the commit at the timestamp at, above all before, wrote
// keys, which are copied, and something in spans, which are kept.
func (w *Window) Add(at mvcc.Timestamp, keys *Keys, spans []Span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.ring[w.n%slots]
	w.n++
	w.forgotten = max(w.forgotten, c.at)
	c.at, c.spans = at, spans
	c.keys.Reset()
	if keys.Len() > 0 && keys.Bytes() > maxKeyBytes {
		last := keys.At(keys.Len() - 1)
		c.spans = append(c.spans[:len(c.spans):len(c.spans)], Span{
			Start: bytes.Clone(keys.At(0)), End: append(bytes.Clone(last), 0),
		})
		return
	}
	c.keys.data = append(c.keys.data, keys.data...)
	c.keys.ends = append(c.keys.ends, keys.ends...)
}

// Touched reports whether a commit above after wrote a key in [start, end). Of a
// commit remembered as a span that overlaps it the answer is Unknown.
func (w *Window) Touched(start, end []byte, after mvcc.Timestamp) Answer {
	w.mu.RLock()
	defer w.mu.RUnlock()
	answer := No
	for i := range min(w.n, slots) {
		c := &w.ring[(w.n-1-i)%slots]
		if c.at <= after {
			return answer
		}
		if i == maxLookBack {
			return Unknown
		}
		if c.keys.touches(start, end) {
			return Yes
		}
		for _, s := range c.spans {
			if s.overlaps(start, end) {
				answer = Unknown
			}
		}
	}
	if w.forgotten > after {
		return Unknown
	}
	return answer
}
