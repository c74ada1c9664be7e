package vfs

import (
	"io"
	"sync"
	"syscall"
)

// Op is a kind of call.
type Op uint8

// The kinds of calls. Those of a File are named as its methods; Read stands for
// Read and ReadAt, Write for Write and WriteAt.
const (
	OpCreate Op = iota
	OpOpen
	OpOpenReadWrite
	OpLink
	OpRename
	OpRemove
	OpRemoveAll
	OpMkdirAll
	OpList
	OpStat
	OpSyncDir
	OpLock
	OpRead
	OpWrite
	OpSync
	OpPreallocate
	OpTruncate
	opCount
)

var opNames = [opCount]string{
	"create", "open", "open-read-write", "link", "rename", "remove", "remove-all", "mkdir-all",
	"list", "stat", "sync-dir", "lock", "read", "write", "sync", "preallocate", "truncate",
}

func (o Op) String() string { return opNames[o] }

// Ops returns all kinds.
func Ops() []Op {
	ops := make([]Op, opCount)
	for i := range ops {
		ops[i] = Op(i)
	}
	return ops
}

// Fault passes calls on to another FS, counts them, and makes chosen ones fail.
type Fault struct {
	inner FS

	mu     sync.Mutex
	counts [opCount]int
	failAt map[Op]failure
	budget int64 // bytes that may still be allocated; negative: no bound
	hook   func(op Op, name string) error
}

type failure struct {
	countdown int
	err       error
	sticky    bool
}

// NewFault returns a Fault over inner that lets everything pass.
func NewFault(inner FS) *Fault {
	return &Fault{inner: inner, failAt: map[Op]failure{}, budget: -1}
}

// FailNth makes the n-th call of the kind from now (1 is the next one) fail with
// err, and if sticky all later ones of the kind too, until Heal.
func (f *Fault) FailNth(op Op, n int, err error, sticky bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt[op] = failure{n, err, sticky}
}

// SetBudget bounds the bytes by which files may still grow. A write beyond it
// stores what fits and returns syscall.ENOSPC. Overwriting costs nothing, and
// removing files gives nothing back.
func (f *Fault) SetBudget(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.budget = bytes
}

// SetHook has every call ask fn first, which may return an error for it to fail
// with. fn may be called concurrently.
func (f *Fault) SetHook(fn func(op Op, name string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = fn
}

// Heal lets everything pass again.
func (f *Fault) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.failAt)
	f.budget, f.hook = -1, nil
}

// Count returns how many calls of the kind there were.
func (f *Fault) Count(op Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[op]
}

// before counts a call and returns the error it is to fail with.
func (f *Fault) before(op Op, name string) error {
	f.mu.Lock()
	f.counts[op]++
	var err error
	if fail, ok := f.failAt[op]; ok {
		fail.countdown--
		if fail.countdown <= 0 {
			err = pathError(op.String(), name, fail.err)
		}
		if fail.countdown <= 0 && !fail.sticky {
			delete(f.failAt, op)
		} else {
			f.failAt[op] = fail
		}
	}
	hook := f.hook
	f.mu.Unlock()
	if err == nil && hook != nil {
		if herr := hook(op, name); herr != nil {
			err = pathError(op.String(), name, herr)
		}
	}
	return err
}

// take takes up to n bytes from the budget and returns how many it got.
func (f *Fault) take(n int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.budget < 0 || n <= 0 {
		return n
	}
	n = min(n, f.budget)
	f.budget -= n
	return n
}

// Create implements FS.
func (f *Fault) Create(name string) (File, error) {
	return f.openWith(OpCreate, name, f.inner.Create)
}

// Open implements FS.
func (f *Fault) Open(name string) (File, error) { return f.openWith(OpOpen, name, f.inner.Open) }

// OpenReadWrite implements FS.
func (f *Fault) OpenReadWrite(name string) (File, error) {
	return f.openWith(OpOpenReadWrite, name, f.inner.OpenReadWrite)
}

func (f *Fault) openWith(op Op, name string, open func(string) (File, error)) (File, error) {
	if err := f.before(op, name); err != nil {
		return nil, err
	}
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	return &faultFile{File: file, f: f, name: name}, nil
}

// Link implements FS.
func (f *Fault) Link(oldname, newname string) error {
	if err := f.before(OpLink, newname); err != nil {
		return err
	}
	return f.inner.Link(oldname, newname)
}

// Rename implements FS.
func (f *Fault) Rename(oldname, newname string) error {
	if err := f.before(OpRename, newname); err != nil {
		return err
	}
	return f.inner.Rename(oldname, newname)
}

// Remove implements FS.
func (f *Fault) Remove(name string) error {
	if err := f.before(OpRemove, name); err != nil {
		return err
	}
	return f.inner.Remove(name)
}

// RemoveAll implements FS.
func (f *Fault) RemoveAll(name string) error {
	if err := f.before(OpRemoveAll, name); err != nil {
		return err
	}
	return f.inner.RemoveAll(name)
}

// MkdirAll implements FS.
func (f *Fault) MkdirAll(dir string) error {
	if err := f.before(OpMkdirAll, dir); err != nil {
		return err
	}
	return f.inner.MkdirAll(dir)
}

// List implements FS.
func (f *Fault) List(dir string) ([]string, error) {
	if err := f.before(OpList, dir); err != nil {
		return nil, err
	}
	return f.inner.List(dir)
}

// Stat implements FS.
func (f *Fault) Stat(name string) (FileInfo, error) {
	if err := f.before(OpStat, name); err != nil {
		return FileInfo{}, err
	}
	return f.inner.Stat(name)
}

// SyncDir implements FS.
func (f *Fault) SyncDir(dir string) error {
	if err := f.before(OpSyncDir, dir); err != nil {
		return err
	}
	return f.inner.SyncDir(dir)
}

// Lock implements FS.
func (f *Fault) Lock(name string) (io.Closer, error) {
	if err := f.before(OpLock, name); err != nil {
		return nil, err
	}
	return f.inner.Lock(name)
}

type faultFile struct {
	File
	f    *Fault
	name string
	pos  int64 // of Read and Write
}

func (f *faultFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.f.before(OpRead, f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *faultFile) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.pos)
	f.pos += int64(n)
	return n, err
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.f.before(OpWrite, f.name); err != nil {
		return 0, err
	}
	fits, err := f.grow(off, int64(len(p)))
	if err != nil {
		return 0, err
	}
	n, err := f.File.WriteAt(p[:fits], off)
	if err == nil && n < len(p) {
		err = pathError("write", f.name, syscall.ENOSPC)
	}
	return n, err
}

// grow takes from the budget what [off, off+n) needs and returns how much of n fits.
func (f *faultFile) grow(off, n int64) (int64, error) {
	size, err := f.File.Size()
	if err != nil {
		return 0, err
	}
	needed := max(0, off+n-size)
	return max(0, n-(needed-f.f.take(needed))), nil
}

func (f *faultFile) Sync() error {
	if err := f.f.before(OpSync, f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultFile) Preallocate(offset, length int64) error {
	if err := f.f.before(OpPreallocate, f.name); err != nil {
		return err
	}
	fits, err := f.grow(offset, length)
	if err != nil {
		return err
	}
	if fits < length {
		return pathError("preallocate", f.name, syscall.ENOSPC)
	}
	return f.File.Preallocate(offset, length)
}

func (f *faultFile) Truncate(size int64) error {
	if err := f.f.before(OpTruncate, f.name); err != nil {
		return err
	}
	return f.File.Truncate(size)
}
