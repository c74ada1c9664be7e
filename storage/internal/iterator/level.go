package iterator

import (
	"bytes"
	"sort"
)

// Span is the keys of one file of a level, both ends inclusive.
type Span struct{ Smallest, Largest []byte }

// Level walks files whose spans ascend without overlap, opening each when it is
// reached. It never stands between two files.
type Level struct {
	spans []Span
	open  func(i int) (Iterator, error)
	// cur iterates over spans[at]; nil: no file is open.
	cur Iterator
	at  int
	err error
}

// NewLevel returns an iterator over the files; open makes the iterator of one.
func NewLevel(spans []Span, open func(i int) (Iterator, error)) *Level {
	return &Level{spans: spans, open: open}
}

// use opens file i; false if there is none or it fails.
func (l *Level) use(i int) bool {
	if i < 0 || i >= len(l.spans) {
		return false
	}
	if l.cur != nil && l.at == i {
		return true
	}
	if !l.drop() {
		return false
	}
	l.cur, l.err = l.open(i)
	if l.err != nil {
		l.cur = nil
		return false
	}
	l.at = i
	return true
}

func (l *Level) drop() bool {
	if l.cur == nil {
		return true
	}
	err := l.cur.Close()
	l.cur = nil
	if err != nil {
		l.err = err
	}
	return err == nil
}

// onward moves into the following files until one has an entry.
func (l *Level) onward(ok bool) bool {
	for !ok {
		if l.cur == nil || l.cur.Err() != nil || !l.use(l.at+1) {
			return false
		}
		ok = l.cur.First()
	}
	return true
}

// back moves into the files before until one has an entry.
func (l *Level) back(ok bool) bool {
	for !ok {
		if l.cur == nil || l.cur.Err() != nil || !l.use(l.at-1) {
			return false
		}
		ok = l.cur.Last()
	}
	return true
}

// First moves to the first entry.
func (l *Level) First() bool {
	l.err = nil
	return l.use(0) && l.onward(l.cur.First())
}

// Last moves to the last entry.
func (l *Level) Last() bool {
	l.err = nil
	return l.use(len(l.spans)-1) && l.back(l.cur.Last())
}

// Next moves to the following entry.
func (l *Level) Next() bool { return l.Valid() && l.onward(l.cur.Next()) }

// Prev moves to the entry before.
func (l *Level) Prev() bool { return l.Valid() && l.back(l.cur.Prev()) }

// NextPrefix moves to the first entry with a larger prefix. A prefix lies in one
// file of a level.
func (l *Level) NextPrefix() bool { return l.Valid() && l.onward(l.cur.NextPrefix()) }

// SeekGE moves to the first entry at or after key.
func (l *Level) SeekGE(key []byte) bool {
	l.err = nil
	if i := l.fileGE(key); l.use(i) {
		return l.onward(l.cur.SeekGE(key))
	}
	l.drop()
	return false
}

// fileGE returns the first file that ends at or after key. Mostly that is the one
// at hand or the next.
func (l *Level) fileGE(key []byte) int {
	from := 0
	if l.cur != nil && bytes.Compare(l.spans[l.at].Largest, key) < 0 {
		from = l.at + 1
		if from < len(l.spans) && bytes.Compare(key, l.spans[from].Largest) <= 0 {
			return from
		}
	} else if l.cur != nil && bytes.Compare(l.spans[l.at].Smallest, key) <= 0 {
		return l.at
	}
	return from + sort.Search(len(l.spans)-from, func(i int) bool {
		return bytes.Compare(l.spans[from+i].Largest, key) >= 0
	})
}

// SeekLT moves to the last entry before key.
func (l *Level) SeekLT(key []byte) bool {
	l.err = nil
	after := sort.Search(len(l.spans), func(i int) bool {
		return bytes.Compare(l.spans[i].Smallest, key) >= 0
	})
	if l.use(after - 1) {
		return l.back(l.cur.SeekLT(key))
	}
	l.drop()
	return false
}

// Valid reports whether the level stands on an entry.
func (l *Level) Valid() bool { return l.err == nil && l.cur != nil && l.cur.Valid() }

// Key returns the present key.
func (l *Level) Key() []byte { return l.cur.Key() }

// Value returns the present value.
func (l *Level) Value() []byte { return l.cur.Value() }

// Err returns the error that ended the iteration.
func (l *Level) Err() error {
	if l.err == nil && l.cur != nil {
		return l.cur.Err()
	}
	return l.err
}

// Close closes the open file's iterator and returns Err.
func (l *Level) Close() error {
	err := l.Err()
	if l.drop(); err == nil {
		err = l.err
	}
	return err
}
