// Package vfs is what the engine needs of a file system, and nothing more.
//
// It knows nothing of what the files hold. In reading order: FS and File are
// the operations; Disk is the operating system's; Mem lives in memory and can
// tell what a power cut would have left of it; Fault wraps another FS and makes
// chosen calls fail.
package vfs

import (
	"errors"
	"io"
)

// ErrLocked is returned by FS.Lock when another holder has the lock, in this
// process or in another one.
var ErrLocked = errors.New("vfs: the file is locked by another holder")

// FS is a file system. Names are slash paths. Errors wrap fs.ErrNotExist,
// fs.ErrExist and syscall.ENOSPC as the operating system would report them.
//
// A directory entry (from Create, Link, Rename, Remove, MkdirAll) survives a
// power cut for certain only after SyncDir of its directory; a file's bytes
// only after File.Sync. All methods may be called concurrently.
type FS interface {
	// Create makes an empty file for reading and writing; an existing file of
	// that name is truncated.
	Create(name string) (File, error)
	// Open opens an existing file for reading only.
	Open(name string) (File, error)
	// OpenReadWrite opens an existing file, whose bytes stay as they are.
	OpenReadWrite(name string) (File, error)
	// Link makes newname a second name of the file oldname. newname must not exist.
	Link(oldname, newname string) error
	// Rename replaces newname, if it exists, atomically.
	Rename(oldname, newname string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// RemoveAll removes a file or a tree; a name that is not there is no error.
	RemoveAll(name string) error
	// MkdirAll makes dir and the parents it lacks.
	MkdirAll(dir string) error
	// List returns the names in dir, sorted, without "." and "..".
	List(dir string) ([]string, error)
	Stat(name string) (FileInfo, error)
	// SyncDir makes the entries of dir durable.
	SyncDir(dir string) error
	// Lock takes an exclusive lock on the file name, made if it is not there.
	// It does not wait: ErrLocked if another holder has it. Close releases it.
	Lock(name string) (io.Closer, error)
}

// FileInfo is what the engine asks of a file.
type FileInfo struct {
	Size  int64
	IsDir bool
}

// File is an open file. Read and Write move a position of their own; ReadAt and
// WriteAt do not and may be called concurrently.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	// Sync makes the bytes and the size durable (fdatasync). After an error
	// nothing is known of what was written since the last Sync, and a later
	// success proves nothing.
	Sync() error
	Size() (int64, error)
	// Preallocate gives [offset, offset+length) real, zeroed blocks, extending
	// the file if it is shorter, so that overwriting them needs no new space and
	// no change of metadata. Requires: nothing of value in that range.
	Preallocate(offset, length int64) error
	Truncate(size int64) error
}
