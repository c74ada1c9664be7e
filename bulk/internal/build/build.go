// Package build sorts keys and values from several goroutines and builds
// sstables of them.
package build

import (
	"context"
	"errors"
	"fmt"

	"minidb/kv"
)

// Options configures a Builder. DB is required.
type Options struct {
	DB          *kv.DB
	Borders     [][]byte // keys, ascending, at which sstables end
	MemoryBytes int64    // 0: 256 MiB
	Threads     int      // 0: one a CPU
	// Progress is told how many of all keys are in sstables. May be nil.
	Progress func(keys, total int64)
}

// Builder sorts keys and values into sstables.
type Builder struct{}

// Adder is one goroutine's way into a Builder.
type Adder struct{}

// New returns a builder.
func New(ctx context.Context, o Options) *Builder { return &Builder{} }

// Adder returns a new way in, for one goroutine.
func (b *Builder) Adder() *Adder { return &Adder{} }

// Add takes a key and a value, which it copies.
func (a *Adder) Add(key, value []byte) error { return errors.ErrUnsupported }

// Close gives what was added to the builder.
func (a *Adder) Close() error { return errors.ErrUnsupported }

// Finish builds the sstables. All adders must be closed.
func (b *Builder) Finish(ctx context.Context) ([]*kv.SSTable, error) {
	return nil, errors.ErrUnsupported
}

// Abort gives up and removes all files. After Finish it does nothing.
func (b *Builder) Abort() {}

// DuplicateKeyError says that a key came twice. File and Line name the record
// that has it, OtherFile and OtherLine the one that has it too; Existing is
// set in place of those if the key is in the store. Empty file names: not known.
type DuplicateKeyError struct {
	Key       []byte
	File      string
	Line      int64
	OtherFile string
	OtherLine int64
	Existing  []byte
}

func (e *DuplicateKeyError) Error() string {
	s := fmt.Sprintf("duplicate key %x", e.Key)
	if e.File != "" {
		s += fmt.Sprintf(" at file %q, line %d", e.File, e.Line)
	}
	if e.OtherFile != "" {
		s += fmt.Sprintf(" and file %q, line %d", e.OtherFile, e.OtherLine)
	}
	return s
}
