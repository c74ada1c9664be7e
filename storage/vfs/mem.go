package vfs

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"sort"
	"strings"
	"sync"
)

// Mem is a file system in memory that knows what of it is durable: of a file the
// bytes written before its last Sync, of a directory the entries made before its
// last SyncDir. CrashClone gives what a power cut would leave.
type Mem struct {
	mu   sync.Mutex
	root *memNode
	// entries are the changes of directories that no SyncDir has made durable, in
	// the order in which they were made.
	entries []entryOp
	locked  map[string]bool
	// volatile: nothing is durable and nothing is remembered for a crash.
	volatile bool
}

// memNode is a file or a directory; several entries may lead to one file.
type memNode struct {
	// A directory's entries as they are, and as they are durable. nil: a file.
	children, durable map[string]*memNode
	// A file's bytes as they are, and as they are durable; writes are the
	// changes between the two.
	data, synced []byte
	writes       []writeOp
}

// entryOp sets, or with a nil child removes, entries of one or two directories.
type entryOp []entrySet

type entrySet struct {
	dir   *memNode
	name  string
	child *memNode
}

// writeOp is a write of data at off, or, if data is nil, a change of the size to off.
type writeOp struct {
	off  int64
	data []byte
}

func newMemDir() *memNode {
	return &memNode{children: map[string]*memNode{}, durable: map[string]*memNode{}}
}

// NewMem returns an empty file system, with a durable root directory.
func NewMem() *Mem { return &Mem{root: newMemDir(), locked: map[string]bool{}} }

// NewVolatile returns an empty file system that keeps no second copy of what is
// durable: for data that may be lost. Its CrashClone is empty.
func NewVolatile() *Mem {
	m := NewMem()
	m.volatile = true
	return m
}

// CrashOptions say how much of what is not durable a crash leaves.
type CrashOptions struct {
	// Seed makes the crash repeatable.
	Seed uint64
	// KeepUnsynced is the probability with which each change that is not durable
	// survives all the same: 0 drops them all.
	KeepUnsynced float64
	// TearBytes, if not 0, is the unit in which writes are torn: of an unsynced
	// write each unit survives by itself (with KeepUnsynced), the last one cut at
	// any byte.
	TearBytes int
}

// CrashClone returns the file system as a power cut now would leave it. The
// original is not changed and can go on.
func (m *Mem) CrashClone(o CrashOptions) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	rng := rand.New(rand.NewPCG(o.Seed, 0x6d656d))
	clone := NewMem()
	// Which entries survive: the durable ones and some of the later changes.
	survivors := map[*memNode]map[string]*memNode{}
	entriesOf := func(dir *memNode) map[string]*memNode {
		kept, ok := survivors[dir]
		if !ok {
			kept = make(map[string]*memNode, len(dir.durable))
			for name, child := range dir.durable {
				kept[name] = child
			}
			survivors[dir] = kept
		}
		return kept
	}
	for _, op := range m.entries {
		if rng.Float64() >= o.KeepUnsynced {
			continue
		}
		for _, set := range op {
			applyEntry(entriesOf(set.dir), set)
		}
	}
	copies := map[*memNode]*memNode{m.root: clone.root}
	var copyDir func(from, to *memNode)
	copyDir = func(from, to *memNode) {
		for _, name := range sortedNames(entriesOf(from)) {
			child := entriesOf(from)[name]
			kept, ok := copies[child]
			if !ok {
				kept = child.afterCrash(rng, o)
				copies[child] = kept
				if child.children != nil {
					copyDir(child, kept)
				}
			}
			to.children[name], to.durable[name] = kept, kept
		}
	}
	copyDir(m.root, clone.root)
	return clone
}

func (n *memNode) afterCrash(rng *rand.Rand, o CrashOptions) *memNode {
	if n.children != nil {
		return newMemDir()
	}
	data := resize(nil, int64(len(n.synced)))
	copy(data, n.synced)
	for _, w := range n.writes {
		if w.data == nil || o.TearBytes == 0 {
			if rng.Float64() < o.KeepUnsynced {
				data = w.apply(data)
			}
			continue
		}
		for at := 0; at < len(w.data); at += o.TearBytes {
			unit := w.data[at:min(at+o.TearBytes, len(w.data))]
			if rng.Float64() >= o.KeepUnsynced {
				continue
			}
			if at+len(unit) == len(w.data) {
				unit = unit[:rng.IntN(len(unit)+1)]
			}
			if len(unit) > 0 {
				data = writeOp{w.off + int64(at), unit}.apply(data)
			}
		}
	}
	return &memNode{data: data, synced: bytes.Clone(data)}
}

func (w writeOp) apply(data []byte) []byte {
	if w.data == nil {
		return resize(data, w.off)
	}
	if end := w.off + int64(len(w.data)); end > int64(len(data)) {
		data = resize(data, end)
	}
	copy(data[w.off:], w.data)
	return data
}

func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		clear(data[size:])
		return data[:size]
	}
	if size <= int64(cap(data)) {
		return data[:size] // beyond len all bytes are zero
	}
	grown := make([]byte, size, max(size, 2*int64(cap(data))))
	copy(grown, data)
	return grown
}

func sortedNames(entries map[string]*memNode) []string {
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func applyEntry(entries map[string]*memNode, set entrySet) {
	if set.child == nil {
		delete(entries, set.name)
		return
	}
	entries[set.name] = set.child
}

// change makes an entry operation visible and remembers that it is not durable.
func (m *Mem) change(op entryOp) {
	for _, set := range op {
		applyEntry(set.dir.children, set)
	}
	if m.volatile {
		return
	}
	m.entries = append(m.entries, op)
}

// lookup returns the node at name, and the directory and last element it is
// found under (nil for the root).
func (m *Mem) lookup(op, name string) (node, dir *memNode, base string, err error) {
	node = m.root
	for _, part := range strings.Split(path.Clean("/" + name)[1:], "/") {
		if part == "" {
			continue
		}
		if node == nil || node.children == nil {
			return nil, nil, "", pathError(op, name, fs.ErrNotExist)
		}
		dir, base = node, part
		node = node.children[part]
	}
	return node, dir, base, nil
}

// find is lookup for a node that must be there.
func (m *Mem) find(op, name string) (node, dir *memNode, base string, err error) {
	node, dir, base, err = m.lookup(op, name)
	if err == nil && node == nil {
		err = pathError(op, name, fs.ErrNotExist)
	}
	return node, dir, base, err
}

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Create implements FS.
func (m *Mem) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, dir, base, err := m.lookup("create", name)
	if err != nil {
		return nil, err
	}
	switch {
	case node == nil:
		node = &memNode{}
		m.change(entryOp{{dir, base, node}})
	case node.children != nil:
		return nil, pathError("create", name, fs.ErrExist)
	default:
		m.write(node, writeOp{off: 0})
	}
	return &memFile{m: m, node: node, name: name, writable: true}, nil
}

// Open implements FS.
func (m *Mem) Open(name string) (File, error) { return m.open(name, false) }

// OpenReadWrite implements FS.
func (m *Mem) OpenReadWrite(name string) (File, error) { return m.open(name, true) }

func (m *Mem) open(name string, writable bool) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, _, _, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	if node.children != nil {
		return nil, pathError("open", name, fs.ErrInvalid)
	}
	return &memFile{m: m, node: node, name: name, writable: writable}, nil
}

// Link implements FS.
func (m *Mem) Link(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, _, _, err := m.find("link", oldname)
	if err != nil {
		return err
	}
	there, dir, base, err := m.lookup("link", newname)
	if err != nil {
		return err
	}
	if there != nil || dir == nil {
		return pathError("link", newname, fs.ErrExist)
	}
	m.change(entryOp{{dir, base, node}})
	return nil
}

// Rename implements FS.
func (m *Mem) Rename(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, oldDir, oldBase, err := m.find("rename", oldname)
	if err != nil {
		return err
	}
	there, newDir, newBase, err := m.lookup("rename", newname)
	if err != nil {
		return err
	}
	if oldDir == nil || newDir == nil || there != nil && there.children != nil {
		return pathError("rename", newname, fs.ErrExist)
	}
	if there == node {
		return nil
	}
	m.change(entryOp{{oldDir, oldBase, nil}, {newDir, newBase, node}})
	return nil
}

// Remove implements FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, dir, base, err := m.find("remove", name)
	if err != nil {
		return err
	}
	if dir == nil || len(node.children) > 0 {
		return pathError("remove", name, fs.ErrInvalid)
	}
	m.change(entryOp{{dir, base, nil}})
	return nil
}

// RemoveAll implements FS.
func (m *Mem) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, dir, base, err := m.lookup("remove", name)
	if err != nil || node == nil || dir == nil {
		return nil
	}
	m.change(entryOp{{dir, base, nil}})
	return nil
}

// MkdirAll implements FS.
func (m *Mem) MkdirAll(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node := m.root
	for _, part := range strings.Split(path.Clean("/" + dir)[1:], "/") {
		if part == "" {
			continue
		}
		next := node.children[part]
		if next == nil {
			next = newMemDir()
			m.change(entryOp{{node, part, next}})
		}
		if next.children == nil {
			return pathError("mkdir", dir, fs.ErrExist)
		}
		node = next
	}
	return nil
}

// List implements FS.
func (m *Mem) List(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, _, _, err := m.find("list", dir)
	if err != nil {
		return nil, err
	}
	if node.children == nil {
		return nil, pathError("list", dir, fs.ErrInvalid)
	}
	return sortedNames(node.children), nil
}

// Stat implements FS.
func (m *Mem) Stat(name string) (FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, _, _, err := m.find("stat", name)
	if err != nil {
		return FileInfo{}, err
	}
	return FileInfo{Size: int64(len(node.data)), IsDir: node.children != nil}, nil
}

// SyncDir implements FS.
func (m *Mem) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, _, _, err := m.find("sync", dir)
	if err != nil {
		return err
	}
	// An operation on two directories becomes durable as a whole, with the first
	// of them that is synced.
	rest := m.entries[:0]
	for _, op := range m.entries {
		touches := false
		for _, set := range op {
			touches = touches || set.dir == node
		}
		if !touches {
			rest = append(rest, op)
			continue
		}
		for _, set := range op {
			applyEntry(set.dir.durable, set)
		}
	}
	clear(m.entries[len(rest):])
	m.entries = rest
	return nil
}

// Lock implements FS.
func (m *Mem) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, dir, base, err := m.lookup("lock", name)
	if err != nil {
		return nil, err
	}
	name = path.Clean("/" + name)
	if m.locked[name] {
		return nil, pathError("lock", name, ErrLocked)
	}
	if node == nil {
		m.change(entryOp{{dir, base, &memNode{}}})
	}
	m.locked[name] = true
	return &memLock{m: m, name: name}, nil
}

type memLock struct {
	m    *Mem
	name string
	once sync.Once
}

func (l *memLock) Close() error {
	l.once.Do(func() {
		l.m.mu.Lock()
		defer l.m.mu.Unlock()
		delete(l.m.locked, l.name)
	})
	return nil
}
