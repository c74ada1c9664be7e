package sstable

import (
	"errors"
	"io"
)

// Reader reads one file. It is safe for concurrent use.
type Reader struct{ r io.ReaderAt }

// OpenReader opens the file of size bytes in r.
func OpenReader(r io.ReaderAt, size int64, o ReaderOptions) (*Reader, error) {
	return nil, errors.ErrUnsupported
}

// Properties returns what the file's writer recorded. Read only.
func (r *Reader) Properties() *Properties { return nil }

// MayContain reports whether the file may hold a key with this prefix.
func (r *Reader) MayContain(prefix []byte) (bool, error) { return true, nil }

// NewIter returns an unpositioned iterator.
func (r *Reader) NewIter(o IterOptions) (*Iter, error) { return nil, errors.ErrUnsupported }

// VerifyChecksums reads every block.
func (r *Reader) VerifyChecksums() error { return nil }

// Close closes the underlying io.ReaderAt if it is an io.Closer.
func (r *Reader) Close() error { return nil }
