package iterator

import (
	"bytes"
	"sort"
)

// Files are the sstables of a level: their keys ascend without overlap.
type Files interface {
	Len() int
	// Smallest and Largest are the first and last key of file i.
	Smallest(i int) []byte
	Largest(i int) []byte
	// Open returns an iterator over file i. The one before was closed.
	Open(i int) (Iterator, error)
}

// Level walks the files one after the other, opening each when it is reached. It
// never stands between two files.
type Level struct {
	files Files
	// cur iterates over file at; nil: none is open.
	cur Iterator
	at  int
	err error
}

// NewLevel returns an iterator over the files.
func NewLevel(files Files) *Level { return &Level{files: files} }

// Reset makes the level, which was closed, one over other files.
func (l *Level) Reset(files Files) { *l = Level{files: files} }

// use opens file i; false if there is none or it fails.
func (l *Level) use(i int) bool {
	if i < 0 || i >= l.files.Len() {
		return false
	}
	if l.cur != nil && l.at == i {
		return true
	}
	if !l.drop() {
		return false
	}
	l.cur, l.err = l.files.Open(i)
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
	return l.use(l.files.Len()-1) && l.back(l.cur.Last())
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
	if l.cur != nil && bytes.Compare(l.files.Largest(l.at), key) < 0 {
		from = l.at + 1
		if from < l.files.Len() && bytes.Compare(key, l.files.Largest(from)) <= 0 {
			return from
		}
	} else if l.cur != nil && bytes.Compare(l.files.Smallest(l.at), key) <= 0 {
		return l.at
	}
	return from + sort.Search(l.files.Len()-from, func(i int) bool {
		return bytes.Compare(l.files.Largest(from+i), key) >= 0
	})
}

// SeekLT moves to the last entry before key.
func (l *Level) SeekLT(key []byte) bool {
	l.err = nil
	after := sort.Search(l.files.Len(), func(i int) bool {
		return bytes.Compare(l.files.Smallest(i), key) >= 0
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
