package mvcc

import "bytes"

// Tandem finds the keys that two iterators have in common. They leapfrog: the one
// behind takes one step and then gallops to the other's key, so the cost follows
// the smaller side and the number of meetings, not the number of versions, and
// where both sides are dense it is that of a scan.
type Tandem struct {
	a, b    Iterator
	started bool
}

// NewTandem returns a tandem that stands before the first meeting.
func NewTandem(a, b Iterator) *Tandem { return &Tandem{a: a, b: b} }

// Next moves to the next key that both sides have; each side then stands on its
// newest version of it. Between calls the caller may move a on to an older
// version. After false see Err.
func (t *Tandem) Next() bool {
	var ok bool
	if t.started {
		ok = t.b.NextPrefix() && t.a.Valid()
	} else {
		t.started = true
		ok = t.b.SeekGE(nil) && t.a.SeekGE(prefix(t.b))
	}
	for ok {
		switch c := bytes.Compare(prefix(t.a), prefix(t.b)); {
		case c < 0:
			ok = advance(t.a, prefix(t.b))
		case c > 0:
			ok = advance(t.b, prefix(t.a))
		default:
			return true
		}
	}
	return false
}

// Err returns the error of the side that has one.
func (t *Tandem) Err() error {
	if err := t.a.Err(); err != nil {
		return err
	}
	return t.b.Err()
}

// advance moves it, which is behind key, by one key and then on to key.
func advance(it Iterator, key []byte) bool {
	ok := it.NextPrefix()
	if ok && bytes.Compare(prefix(it), key) < 0 {
		ok = it.SeekGE(key)
	}
	return ok
}

func prefix(it Iterator) []byte {
	k := it.Key()
	return k[:len(k)-SuffixLen]
}

// Conflict is a key of a table that is live in the engine.
type Conflict struct {
	Key      []byte
	Existing []byte    // the engine's value
	At       Timestamp // and version
	Value    []byte    // the table's value
}

// CheckConflicts returns the first key of table whose newest engine version at or
// below at is live and above after, or nil. A deleted key is no conflict. With
// after = 0 that is a check of the whole store at a snapshot; with the snapshot as
// after it is a check of what changed since.
func CheckConflicts(engine, table Iterator, after, at Timestamp) (*Conflict, error) {
	var seek []byte
	t := NewTandem(engine, table)
	for t.Next() {
		key, version := Split(engine.Key())
		if version > at {
			seek = AppendKey(seek[:0], key, at)
			if !engine.SeekGE(seek) {
				break
			}
			if key, version = Split(engine.Key()); !bytes.Equal(key, prefix(table)) {
				continue
			}
		}
		if version > after && len(engine.Value()) > 0 {
			return &Conflict{
				Key: bytes.Clone(key), Existing: bytes.Clone(engine.Value()), At: version,
				Value: bytes.Clone(table.Value()),
			}, nil
		}
	}
	return nil, t.Err()
}
