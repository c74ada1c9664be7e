package block

import (
	"bytes"
	"encoding/binary"
)

// sections are the parts of an opened data block.
type sections struct {
	entries   []byte
	suffixes  []byte // empty in a uniform block
	values    []byte
	restarts  []byte
	n         int
	nRestarts int
	uniform   []byte // the one suffix; nil in a mixed block
}

const restartLen = 8

// init finds the parts. It trusts nothing in opened.
func (s *sections) init(opened []byte) error {
	if len(opened) < kindLen {
		return corrupt("empty data block")
	}
	kind := Kind(opened[len(opened)-kindLen])
	b := Payload(opened)
	s.uniform = nil
	if kind.Uniform() {
		if len(b) < SuffixLen {
			return corrupt("data block without its suffix")
		}
		s.uniform = b[len(b)-SuffixLen:]
		b = b[:len(b)-SuffixLen]
	}
	if len(b) < dataTailLen {
		return corrupt("data block of %d bytes", len(b))
	}
	n := uint64(binary.LittleEndian.Uint32(b[len(b)-8:]))
	entries := uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	b = b[:len(b)-dataTailLen]
	restarts := (n + restartInterval - 1) / restartInterval * restartLen
	suffixes := n * SuffixLen
	if s.uniform != nil {
		suffixes = 0
	}
	if n == 0 || entries+suffixes+restarts > uint64(len(b)) {
		return corrupt("data block of %d keys in %d bytes", n, len(b))
	}
	s.n, s.nRestarts = int(n), int(restarts/restartLen)
	s.entries = b[:entries]
	s.suffixes = b[entries : entries+suffixes]
	s.values = b[entries+suffixes : uint64(len(b))-restarts]
	s.restarts = b[uint64(len(b))-restarts:]
	return nil
}

func (s *sections) suffix(n int) []byte {
	if s.uniform != nil {
		return s.uniform
	}
	return s.suffixes[n*SuffixLen : (n+1)*SuffixLen]
}

// header is one decoded entry without its bytes.
type header struct {
	shared, unshared, value int
	start                   int // of the unshared bytes in entries
}

// header decodes the entry at off.
func (s *sections) header(off int) (h header, ok bool) {
	e := s.entries
	if uint(off)+3 <= uint(len(e)) && e[off]|e[off+1]|e[off+2] < 0x80 {
		h = header{shared: int(e[off]), unshared: int(e[off+1]), value: int(e[off+2]), start: off + 3}
		return h, h.unshared <= len(e)-h.start
	}
	if uint(off) > uint(len(e)) {
		return h, false
	}
	var v [3]uint64
	for i := range v {
		x, n := binary.Uvarint(e[off:])
		if n <= 0 || x > 1<<31 {
			return h, false
		}
		v[i] = x
		off += n
	}
	h = header{shared: int(v[0]), unshared: int(v[1]), value: int(v[2]), start: off}
	return h, h.unshared <= len(e)-off
}

// restartPrefix returns the whole prefix stored at restart point r.
func (s *sections) restartPrefix(r int) ([]byte, bool) {
	h, ok := s.header(int(binary.LittleEndian.Uint32(s.restarts[r*restartLen:])))
	if !ok || h.shared != 0 {
		return nil, false
	}
	return s.entries[h.start : h.start+h.unshared], true
}

// Iter visits the entries of one opened data block. Its zero value is one over
// an empty block. Key and Value are valid until the next call.
type Iter struct {
	sections
	// NoGallop makes every seek a binary search over the whole block.
	NoGallop bool

	ord        int // current entry; -1 or n: none
	next       int // offset in entries of the entry after the current
	val, valTo int // bounds of the current value
	key        []byte
	prefixLen  int
	err        error
}

// Init points the iterator at an opened data block, before its first entry. The
// block must not change while the iterator is used.
func (i *Iter) Init(opened []byte) error {
	i.ord, i.next, i.val, i.valTo, i.prefixLen, i.err = -1, 0, 0, 0, 0, nil
	if err := i.init(opened); err != nil {
		i.n = 0
		return err
	}
	return nil
}

// Reset forgets the block.
func (i *Iter) Reset() {
	i.sections = sections{}
	i.ord, i.err = -1, nil
}

// Valid reports whether the iterator stands on an entry.
func (i *Iter) Valid() bool { return uint(i.ord) < uint(i.n) }

// Key is the current key.
func (i *Iter) Key() []byte { return i.key }

// Value is the current value.
func (i *Iter) Value() []byte { return i.values[i.val:i.valTo:i.valTo] }

// Ordinal is the current entry's place in the block, counted from 0.
func (i *Iter) Ordinal() int { return i.ord }

// Len is the number of entries in the block.
func (i *Iter) Len() int { return i.n }

// Err is the damage that was met.
func (i *Iter) Err() error { return i.err }

func (i *Iter) fail(what string) bool {
	i.err = corrupt("%s at key %d of %d", what, i.ord+1, i.n)
	i.ord = i.n
	return false
}

// First moves to the first entry.
func (i *Iter) First() bool {
	return i.n > 0 && i.jump(0)
}

// Last moves to the last entry.
func (i *Iter) Last() bool {
	return i.n > 0 && i.jump((i.n-1)/restartInterval) && i.walkTo(i.n-1)
}

// jump moves to the entry at restart point r.
func (i *Iter) jump(r int) bool {
	i.ord = r*restartInterval - 1
	i.next = int(binary.LittleEndian.Uint32(i.restarts[r*restartLen:]))
	i.valTo = int(binary.LittleEndian.Uint32(i.restarts[r*restartLen+4:]))
	i.prefixLen = 0
	return i.Next()
}

// walkTo moves ahead to entry ord of the same restart group.
func (i *Iter) walkTo(ord int) bool {
	for i.ord < ord {
		if !i.Next() {
			return false
		}
	}
	return true
}

// Next moves to the next entry.
func (i *Iter) Next() bool {
	if i.ord+1 >= i.n {
		i.ord = i.n
		return false
	}
	h, ok := i.header(i.next)
	if !ok || h.shared > i.prefixLen || h.value > len(i.values)-i.valTo {
		return i.fail("damaged entry")
	}
	i.ord++
	i.next = h.start + h.unshared
	i.val, i.valTo = i.valTo, i.valTo+h.value
	i.prefixLen = h.shared + h.unshared
	i.key = append(i.key[:h.shared], i.entries[h.start:i.next]...)
	i.key = append(i.key, i.suffix(i.ord)...)
	return true
}

// Prev moves to the previous entry. From the end it moves to the last.
func (i *Iter) Prev() bool {
	ord := i.ord - 1
	if ord < 0 || i.err != nil {
		i.ord = -1
		return false
	}
	return i.jump(ord/restartInterval) && i.walkTo(ord)
}

// SeekGE moves to the first entry whose key is at least target. If the iterator
// stands on an entry the search doubles its steps from there, over restart
// points, in the direction of the target.
func (i *Iter) SeekGE(target []byte) bool {
	if i.n == 0 || i.err != nil {
		return false
	}
	lo, hi := 0, i.nRestarts // restart points before lo are below target, from hi on none is
	group := -1              // of the current entry, if that is below target
	if !i.NoGallop && i.Valid() {
		g := i.ord / restartInterval
		switch c := bytes.Compare(i.key, target); {
		case c == 0:
			return true
		case c < 0:
			group = g
			lo, hi = i.gallopAhead(g+1, target)
		default:
			lo, hi = i.gallopBack(g+1, target)
		}
	}
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); i.below(mid, target) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	r := max(lo-1, 0)
	if i.err != nil || r != group && !i.jump(r) {
		return false
	}
	for bytes.Compare(i.key, target) < 0 {
		if !i.Next() {
			return false
		}
	}
	return true
}

// SeekLT moves to the last entry whose key is below target.
func (i *Iter) SeekLT(target []byte) bool {
	i.SeekGE(target)
	return i.Prev()
}

// gallopAhead narrows where restart points stop being below target, starting
// from lo.
func (i *Iter) gallopAhead(lo int, target []byte) (int, int) {
	hi := i.nRestarts
	for step := 1; lo+step <= hi; step *= 2 {
		if p := lo + step - 1; i.below(p, target) {
			lo = p + 1
		} else {
			hi = p
		}
	}
	return lo, hi
}

// gallopBack is gallopAhead to the left of hi.
func (i *Iter) gallopBack(hi int, target []byte) (int, int) {
	lo := 0
	for step := 1; hi-step >= lo; step *= 2 {
		if p := hi - step; i.below(p, target) {
			lo = p + 1
		} else {
			hi = p
		}
	}
	return lo, hi
}

// below reports whether the key at restart point r is below target.
func (i *Iter) below(r int, target []byte) bool {
	p, ok := i.restartPrefix(r)
	if !ok {
		i.err = corrupt("damaged restart point %d of %d", r, i.nRestarts)
		return false
	}
	n := len(p)
	if len(target) < n {
		return bytes.Compare(p, target) < 0
	}
	if c := bytes.Compare(p, target[:n]); c != 0 {
		return c < 0
	}
	return bytes.Compare(i.suffix(r*restartInterval), target[n:]) < 0
}

// NextPrefix moves to the next entry with another prefix than the current. It
// returns false if the block ends before there is one.
func (i *Iter) NextPrefix() bool {
	if !i.Valid() {
		return false
	}
	for {
		for i.ord+1 < i.n && (i.ord+1)%restartInterval != 0 {
			h, ok := i.header(i.next)
			if !ok || h.shared != i.prefixLen || h.unshared != 0 {
				return i.Next()
			}
			// A version of the same prefix: only the counts move.
			if h.value > len(i.values)-i.valTo {
				return i.fail("damaged entry")
			}
			i.ord++
			i.next = h.start
			i.val, i.valTo = i.valTo, i.valTo+h.value
		}
		group := i.ord / restartInterval
		last := i.lastRestartOfPrefix(group)
		if i.err != nil {
			i.ord = i.n
			return false
		}
		if last == group {
			return i.Next()
		}
		if !i.jump(last) {
			return false
		}
	}
}

// lastRestartOfPrefix returns the last restart point after group whose prefix is
// the current one, group if there is none.
func (i *Iter) lastRestartOfPrefix(group int) int {
	same := func(r int) bool {
		p, ok := i.restartPrefix(r)
		if !ok {
			i.err = corrupt("damaged restart point %d of %d", r, i.nRestarts)
		}
		return ok && bytes.Equal(p, i.key[:i.prefixLen])
	}
	lo, hi := group+1, i.nRestarts
	for step := 1; lo+step <= hi; step *= 2 {
		if p := lo + step - 1; same(p) {
			lo = p + 1
		} else {
			hi = p
		}
	}
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); same(mid) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}
