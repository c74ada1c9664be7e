package kv

// SSTableOptions configure a sorted file.
type SSTableOptions struct {
	// Concurrency is the number of goroutines that compress blocks; 0: the
	// caller's own.
	Concurrency int
}

// SSTableBuilder writes one sorted file into the staging directory. Not safe for
// concurrent use; several builders may run at once.
type SSTableBuilder struct{}

// Add appends an entry; keys strictly ascending, values not empty.
func (b *SSTableBuilder) Add(key, value []byte) error { panic("not yet") }

// EstimatedSize returns about how many bytes the file has by now.
func (b *SSTableBuilder) EstimatedSize() uint64 { panic("not yet") }

// Finish completes the file. Requires at least one entry. After an error the
// file is gone.
func (b *SSTableBuilder) Finish() (*SSTable, error) { panic("not yet") }

// Abort removes the file. It is a no-op after Finish.
func (b *SSTableBuilder) Abort() { panic("not yet") }

// SSTable is a finished sorted file that belongs to nobody yet: attach it with
// Txn.AddSSTables or Remove it.
type SSTable struct {
	Entries uint64
	Bytes   uint64 // size of the file
}

// Span returns the keys of the table: from its first to just after its last.
func (s *SSTable) Span() Span { panic("not yet") }

// Remove deletes the file. It is a no-op after AddSSTables.
func (s *SSTable) Remove() { panic("not yet") }
