package kv

// IterOptions say what an iterator sees.
type IterOptions struct {
	// Reverse walks from the last key to the first.
	Reverse bool
	// Latest sees the newest commits instead of those at the read timestamp, and
	// this transaction's writes of all statements, also those made after the
	// iterator was: for uniqueness checks, and to re-read a row after locking it.
	Latest bool
}

// Iter walks the live keys of a span in key order, forward or in reverse. It is
// placed before the first. Not safe for concurrent use.
type Iter struct{}

// Next moves to the next key and reports whether there is one.
func (i *Iter) Next() bool { panic("not yet") }

// SeekGE places a forward iterator on the first key >= key. On a Latest iterator
// it sees what was committed until the call.
func (i *Iter) SeekGE(key []byte) bool { panic("not yet") }

// Key returns the present key, valid until the next call.
func (i *Iter) Key() []byte { panic("not yet") }

// Value returns the present value, valid until the next call.
func (i *Iter) Value() []byte { panic("not yet") }

// Err returns the error that ended the walk, if one did.
func (i *Iter) Err() error { panic("not yet") }

// Close releases the iterator and returns Err.
func (i *Iter) Close() error { panic("not yet") }
