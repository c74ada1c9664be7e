package sstable

import (
	"errors"
	"io"
)

// RewriteSuffixes copies the file of size bytes in in to out, with the suffix
// to in place of from in every key.
func RewriteSuffixes(in io.ReaderAt, size int64, out io.Writer, from, to []byte, o WriterOptions, concurrency int) (*Properties, error) {
	return nil, errors.ErrUnsupported
}
