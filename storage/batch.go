package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
)

// Batch is a set of facts that become durable and visible together. It is not
// safe for concurrent use, and must not be changed between Enqueue and the
// return of Commit.
type Batch struct {
	// data holds the entries one after the other: uvarint key length, uvarint
	// value length, key, value.
	data []byte
	n    int
	// oldest is the bytewise largest suffix.
	oldest [SuffixLen]byte
}

// NewBatch returns an empty batch.
func NewBatch() *Batch { return &Batch{} }

// Set adds a fact; key and value are copied. An empty value is a tombstone, which
// to the engine is a value like any other. Requires: len(key) > SuffixLen; its
// prefix is not the beginning of another key's, nor the reverse; no key is ever
// set to two values.
func (b *Batch) Set(key, value []byte) {
	if len(key) <= SuffixLen {
		panic(fmt.Sprintf("storage: key %x has no prefix before its suffix", key))
	}
	b.data = binary.AppendUvarint(b.data, uint64(len(key)))
	b.data = binary.AppendUvarint(b.data, uint64(len(value)))
	b.data = append(b.data, key...)
	b.data = append(b.data, value...)
	b.n++
	b.noteSuffix(key[Split(key):])
}

// SetSuffix gives every key in the batch the suffix.
// Requires: len(suffix) == SuffixLen, and distinct prefixes.
func (b *Batch) SetSuffix(suffix []byte) {
	if len(suffix) != SuffixLen {
		panic(fmt.Sprintf("storage: suffix %x has not %d bytes", suffix, SuffixLen))
	}
	for key := range b.All() {
		copy(key[Split(key):], suffix)
	}
	b.oldest = [SuffixLen]byte{}
	if b.n > 0 {
		b.noteSuffix(suffix)
	}
}

// All yields the facts in the order of their Sets. The slices lie in the batch.
func (b *Batch) All() iter.Seq2[[]byte, []byte] { return allEntries(b.data) }

// Len returns the number of facts, Bytes the size of the batch in the WAL.
func (b *Batch) Len() int { return b.n }

// Bytes returns the encoded size.
func (b *Batch) Bytes() int { return len(b.data) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { *b = Batch{data: b.data[:0]} }

func (b *Batch) noteSuffix(suffix []byte) {
	if bytes.Compare(suffix, b.oldest[:]) > 0 {
		copy(b.oldest[:], suffix)
	}
}

// allEntries yields the entries of a batch's bytes. Requires: they are well
// formed (see checkEntries).
func allEntries(data []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for len(data) > 0 {
			var key, value []byte
			key, value, data, _ = decodeEntry(data)
			if !yield(key, value) {
				return
			}
		}
	}
}

// checkEntries reports whether data consists of whole entries with keys long
// enough: the bytes come from a file.
func checkEntries(data []byte) bool {
	for len(data) > 0 {
		key, _, rest, ok := decodeEntry(data)
		if !ok || len(key) <= SuffixLen {
			return false
		}
		data = rest
	}
	return true
}

func decodeEntry(data []byte) (key, value, rest []byte, ok bool) {
	keyLen, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, nil, nil, false
	}
	data = data[n:]
	valueLen, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, nil, nil, false
	}
	data = data[n:]
	if keyLen > uint64(len(data)) || valueLen > uint64(len(data))-keyLen {
		return nil, nil, nil, false
	}
	end := keyLen + valueLen
	return data[:keyLen:keyLen], data[keyLen:end:end], data[end:], true
}
