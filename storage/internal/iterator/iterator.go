// Package iterator combines sorted sources into one: Merge over any sources,
// Level over the files of a level one after the other.
//
// It knows nothing of what the sources are. All of them keep one law: a seek to a
// target ahead of the position gallops from there and never touches a source
// that already stands at or past the target.
package iterator

import (
	"bytes"

	"minidb/sstable"
)

// Iterator is what a source and a combination of sources can do; sstable.Iter is
// one. Each move reports whether the iterator then stands on an entry. Key and
// Value are valid until the next move. After a move that returned false, Err
// tells an error from the end.
type Iterator interface {
	First() bool
	Last() bool
	Next() bool
	Prev() bool
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	NextPrefix() bool
	Valid() bool
	Key() []byte
	Value() []byte
	Err() error
	Close() error
}

var _ Iterator = (*sstable.Iter)(nil)

func prefix(key []byte) []byte { return key[:sstable.Split(key)] }

func hasPrefix(key, p []byte) bool { return bytes.Equal(prefix(key), p) }
