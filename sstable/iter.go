package sstable

// Iter visits the entries of a file in key order.
type Iter struct{}

// First moves to the first entry within the bounds.
func (i *Iter) First() bool { return false }

// Last moves to the last entry within the bounds.
func (i *Iter) Last() bool { return false }

// Next moves to the next entry.
func (i *Iter) Next() bool { return false }

// Prev moves to the previous entry.
func (i *Iter) Prev() bool { return false }

// SeekGE moves to the first entry whose key is at least key.
func (i *Iter) SeekGE(key []byte) bool { return false }

// SeekLT moves to the last entry whose key is below key.
func (i *Iter) SeekLT(key []byte) bool { return false }

// NextPrefix moves to the first entry with a greater prefix.
func (i *Iter) NextPrefix() bool { return false }

// Valid reports whether the iterator stands on an entry.
func (i *Iter) Valid() bool { return false }

// Key is the current key, valid until the next call.
func (i *Iter) Key() []byte { return nil }

// Value is the current value, valid until the next call.
func (i *Iter) Value() []byte { return nil }

// Err is the error that ended the iteration, nil at a plain end.
func (i *Iter) Err() error { return nil }

// Close releases the iterator and returns Err.
func (i *Iter) Close() error { return nil }
