package mvcc

import "bytes"

// Iterator is what mvcc needs of an iterator over engine keys; storage.Iter and
// sstable.Iter are such. Key and Value are valid until the next move. A seek
// forward costs what the distance costs.
type Iterator interface {
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Last() bool
	Prev() bool
	NextPrefix() bool
	Valid() bool
	Key() []byte
	Value() []byte
	Err() error
}

// Iter walks the keys that are live at a timestamp. Versions that are not seen are
// skipped by seeks, so that the cost of a step does not grow with a key's history.
type Iter struct {
	it     Iterator
	at     Timestamp
	suffix [SuffixLen]byte // of at
	// seek is the target of a seek over newer versions. In reverse it is the present
	// key and the suffix of at.
	seek []byte

	// In reverse the newest version of a key comes last: the present value and
	// version are copies, and the engine may stand on the next candidate already.
	reverse bool
	valid   bool // reverse: i stands on a key
	ahead   bool // reverse: the engine stands on the oldest version of the key before
	value   []byte
	version Timestamp
}

// Init makes i read from it at the timestamp at. MaxTimestamp reads the newest
// version of each key.
func (i *Iter) Init(it Iterator, at Timestamp) {
	i.it, i.at, i.reverse, i.valid, i.ahead = it, at, false, false, false
	AppendSuffix(i.suffix[:0], at)
}

// At returns the timestamp i reads at.
func (i *Iter) At() Timestamp { return i.at }

// SeekGE moves to the first live key >= key.
func (i *Iter) SeekGE(key []byte) bool {
	i.reverse = false
	return i.settle(i.it.SeekGE(key))
}

// Next moves to the following live key. Requires Valid and that the last move was
// SeekGE or Next.
func (i *Iter) Next() bool { return i.settle(i.it.NextPrefix()) }

// settle finds the first live key from the engine's position on, which is the
// newest version of its key.
func (i *Iter) settle(ok bool) bool {
	for ok {
		k := i.it.Key()
		n := len(k) - SuffixLen
		switch {
		case bytes.Compare(k[n:], i.suffix[:]) < 0:
			// Newer than at: to the newest that is not, or to the next key.
			i.seek = append(append(i.seek[:0], k[:n]...), i.suffix[:]...)
			ok = i.it.SeekGE(i.seek)
		case len(i.it.Value()) > 0:
			return true
		default:
			ok = i.it.NextPrefix()
		}
	}
	return false
}

// SeekLT moves to the last live key < key.
func (i *Iter) SeekLT(key []byte) bool { return i.settleBack(i.it.SeekLT(key)) }

// Last moves to the last live key.
func (i *Iter) Last() bool { return i.settleBack(i.it.Last()) }

// Prev moves to the live key before. Requires Valid and that the last move was
// SeekLT, Last or Prev.
func (i *Iter) Prev() bool {
	if i.ahead {
		return i.settleBack(i.it.Valid())
	}
	return i.settleBack(i.it.SeekLT(i.seek[:len(i.seek)-SuffixLen]))
}

// settleBack finds the last live key up to the engine's position, which is the
// oldest version of its key.
func (i *Iter) settleBack(ok bool) bool {
	i.reverse = true
	for ok {
		k := i.it.Key()
		n := len(k) - SuffixLen
		i.seek = append(append(i.seek[:0], k[:n]...), i.suffix[:]...)
		i.ahead = false
		// An oldest version above at means that none is at or below it.
		if bytes.Compare(k[n:], i.suffix[:]) >= 0 {
			if i.newestBack(n); i.it.Err() == nil && len(i.value) > 0 {
				i.valid = true
				return true
			}
		}
		if i.it.Err() != nil {
			break
		}
		if ok = i.ahead && i.it.Valid(); !i.ahead {
			ok = i.it.SeekLT(i.seek[:n])
		}
	}
	i.valid = false
	return false
}

// newestBack copies the version of the present key that is newest at the read
// timestamp. The engine stands on its oldest version, which is at or below it and
// most often the only one: then a step back finds another key.
func (i *Iter) newestBack(n int) {
	i.keep()
	if !i.it.Prev() {
		i.ahead = true
		return
	}
	if k := i.it.Key(); len(k) != n+SuffixLen || !bytes.Equal(k[:n], i.seek[:n]) {
		i.ahead = true
		return
	}
	if i.it.SeekGE(i.seek) {
		i.keep()
	}
}

func (i *Iter) keep() {
	i.value = append(i.value[:0], i.it.Value()...)
	_, i.version = Split(i.it.Key())
}

// Valid reports whether i stands on a key.
func (i *Iter) Valid() bool {
	if i.reverse {
		return i.valid
	}
	return i.it.Valid()
}

// Key returns the present key, valid until the next move.
func (i *Iter) Key() []byte {
	k := i.seek
	if !i.reverse {
		k = i.it.Key()
	}
	return k[: len(k)-SuffixLen : len(k)-SuffixLen]
}

// Value returns the present value, valid until the next move.
func (i *Iter) Value() []byte {
	if i.reverse {
		return i.value
	}
	return i.it.Value()
}

// Timestamp returns the version of the present key.
func (i *Iter) Timestamp() Timestamp {
	if i.reverse {
		return i.version
	}
	_, t := Split(i.it.Key())
	return t
}

// Err returns the engine's error.
func (i *Iter) Err() error { return i.it.Err() }
