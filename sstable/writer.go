package sstable

import (
	"errors"
	"io"
)

// Writer writes one file.
type Writer struct{ w io.Writer }

// NewWriter returns a Writer that writes to w. The caller syncs and closes w
// after Close, and must call Close or Abort.
func NewWriter(w io.Writer, o WriterOptions) *Writer { return &Writer{w: w} }

// Set adds an entry.
func (w *Writer) Set(key, value []byte) error { return errors.ErrUnsupported }

// EstimatedSize is about what the file would be if closed now, in bytes.
func (w *Writer) EstimatedSize() uint64 { return 0 }

// Close finishes the file.
func (w *Writer) Close() (*Properties, error) { return nil, errors.ErrUnsupported }

// Abort ends the writer without finishing the file.
func (w *Writer) Abort() {}
