// Package sstable reads and writes one immutable sorted file of key-value
// entries, and rewrites the version of every key in such a file.
//
// A key is prefix ‖ suffix. The suffix is the last SuffixLen bytes; the layers
// above use it as a version, to this package it is bytes. Keys are ordered by
// bytes.Compare. An entry with an empty value is a tombstone. The package knows
// nothing of time, of levels, of other files or of the file system: it writes
// to an io.Writer and reads from an io.ReaderAt.
//
// In reading order: WriterOptions and Writer make a file; Properties tell what
// is in it; Reader and Iter read it; BlockPropertyCollector summarises blocks
// so that scans can skip them; RewriteSuffixes gives every key of a file
// another suffix without rebuilding it; CorruptionError is what damaged bytes
// turn into. The format is in docs/formats/sstable.md.
package sstable

import "fmt"

// SuffixLen is the length of a key's suffix in bytes.
const SuffixLen = 8

// Split returns where the suffix of key begins: len(key) - SuffixLen.
// Requires len(key) >= SuffixLen.
func Split(key []byte) int { return len(key) - SuffixLen }

// CorruptionError says that bytes on disk are not what was written. The
// engine's other files (log, manifest) report damage by this type too.
type CorruptionError struct {
	File   string
	Offset int64
	Reason string
}

func (e *CorruptionError) Error() string {
	file := e.File
	if file == "" {
		file = "(unnamed file)"
	}
	return fmt.Sprintf("corruption in %s at offset %d: %s", file, e.Offset, e.Reason)
}
