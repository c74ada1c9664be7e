package mvcc

import "bytes"

// Iterator is what mvcc needs of an iterator over engine keys; storage.Iter and
// sstable.Iter are such. Key and Value are valid until the next move. A seek
// forward costs what the distance costs.
type Iterator interface {
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Last() bool
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
	// seek holds the target of the last seek that skipped newer versions, in
	// reverse always the present key and suffix.
	seek []byte
}

// Init makes i read from it at the timestamp at. MaxTimestamp reads the newest
// version of each key.
func (i *Iter) Init(it Iterator, at Timestamp) {
	i.it, i.at = it, at
	AppendSuffix(i.suffix[:0], at)
}

// At returns the timestamp i reads at.
func (i *Iter) At() Timestamp { return i.at }

// SeekGE moves to the first live key >= key.
func (i *Iter) SeekGE(key []byte) bool { return i.settle(i.it.SeekGE(key)) }

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
func (i *Iter) Prev() bool { return i.settleBack(i.it.SeekLT(i.seek[:len(i.seek)-SuffixLen])) }

// settleBack finds the last live key up to the engine's position, which is the
// oldest version of its key.
func (i *Iter) settleBack(ok bool) bool {
	for ok {
		k := i.it.Key()
		n := len(k) - SuffixLen
		i.seek = append(append(i.seek[:0], k[:n]...), i.suffix[:]...)
		// An oldest version above at means that none is at or below it.
		if bytes.Compare(k[n:], i.suffix[:]) >= 0 && i.it.SeekGE(i.seek) && len(i.it.Value()) > 0 {
			return true
		}
		if i.it.Err() != nil {
			return false
		}
		ok = i.it.SeekLT(i.seek[:n])
	}
	return false
}

// Valid reports whether i stands on a key.
func (i *Iter) Valid() bool { return i.it.Valid() }

// Key returns the present key, valid until the next move.
func (i *Iter) Key() []byte {
	k := i.it.Key()
	return k[:len(k)-SuffixLen]
}

// Value returns the present value, valid until the next move.
func (i *Iter) Value() []byte { return i.it.Value() }

// Timestamp returns the version of the present key.
func (i *Iter) Timestamp() Timestamp {
	_, t := Split(i.it.Key())
	return t
}

// Err returns the engine's error.
func (i *Iter) Err() error { return i.it.Err() }
