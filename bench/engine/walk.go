package engine

import (
	"bytes"

	"minidb/kv/mvcc"
)

// leapfrog reports whether a and b have a key in common, whatever its versions:
// the one behind seeks to the other's key.
func leapfrog(a, b Iter) (bool, error) {
	var seek []byte
	ok := b.First() && a.SeekGE(b.Key())
	for ok {
		pa, _ := mvcc.Split(a.Key())
		pb, _ := mvcc.Split(b.Key())
		switch c := bytes.Compare(pa, pb); {
		case c < 0:
			seek = append(seek[:0], pb...)
			ok = a.SeekGE(seek)
		case c > 0:
			seek = append(seek[:0], pa...)
			ok = b.SeekGE(seek)
		default:
			return true, nil
		}
	}
	if err := a.Err(); err != nil {
		return false, err
	}
	return false, b.Err()
}

// NextOnly is what CheckConflicts does, entry by entry.
func NextOnly(a, b Iter) (bool, error) {
	ok := b.First() && a.First()
	for ok {
		pa, _ := mvcc.Split(a.Key())
		pb, _ := mvcc.Split(b.Key())
		switch c := bytes.Compare(pa, pb); {
		case c < 0:
			ok = a.Next()
		case c > 0:
			ok = b.Next()
		default:
			return true, nil
		}
	}
	if err := a.Err(); err != nil {
		return false, err
	}
	return false, b.Err()
}
