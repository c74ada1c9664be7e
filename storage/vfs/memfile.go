package vfs

import (
	"bytes"
	"io"
	"io/fs"
)

// memFile is an open file of a Mem. Mem.mu guards the node.
type memFile struct {
	m        *Mem
	node     *memNode
	name     string
	writable bool
	pos      int64
	closed   bool
}

// write changes the file and remembers that the change is not durable.
func (m *Mem) write(n *memNode, w writeOp) {
	n.data = w.apply(n.data)
	if m.volatile {
		return
	}
	w.data = bytes.Clone(w.data)
	n.writes = append(n.writes, w)
}

// begin locks the file system for an operation on an open file.
func (f *memFile) begin(op string, writes bool) error {
	f.m.mu.Lock()
	var err error
	switch {
	case f.closed:
		err = fs.ErrClosed
	case writes && !f.writable:
		err = fs.ErrPermission
	}
	if err != nil {
		f.m.mu.Unlock()
		return pathError(op, f.name, err)
	}
	return nil
}

func (f *memFile) Read(p []byte) (int, error) {
	if err := f.begin("read", false); err != nil {
		return 0, err
	}
	defer f.m.mu.Unlock()
	n, err := f.readAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.begin("read", false); err != nil {
		return 0, err
	}
	defer f.m.mu.Unlock()
	return f.readAt(p, off)
}

func (f *memFile) readAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, pathError("read", f.name, fs.ErrInvalid)
	}
	if off >= int64(len(f.node.data)) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Write(p []byte) (int, error) {
	if err := f.begin("write", true); err != nil {
		return 0, err
	}
	defer f.m.mu.Unlock()
	f.writeAt(p, f.pos)
	f.pos += int64(len(p))
	return len(p), nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.begin("write", true); err != nil {
		return 0, err
	}
	defer f.m.mu.Unlock()
	if off < 0 {
		return 0, pathError("write", f.name, fs.ErrInvalid)
	}
	f.writeAt(p, off)
	return len(p), nil
}

func (f *memFile) writeAt(p []byte, off int64) {
	if len(p) > 0 {
		f.m.write(f.node, writeOp{off, append([]byte(nil), p...)})
	}
}

func (f *memFile) Close() error {
	if err := f.begin("close", false); err != nil {
		return err
	}
	defer f.m.mu.Unlock()
	f.closed = true
	return nil
}

func (f *memFile) Sync() error {
	if err := f.begin("sync", false); err != nil {
		return err
	}
	defer f.m.mu.Unlock()
	for _, w := range f.node.writes {
		f.node.synced = w.apply(f.node.synced)
	}
	f.node.writes = nil
	return nil
}

func (f *memFile) Size() (int64, error) {
	if err := f.begin("stat", false); err != nil {
		return 0, err
	}
	defer f.m.mu.Unlock()
	return int64(len(f.node.data)), nil
}

func (f *memFile) Preallocate(offset, length int64) error {
	if err := f.begin("preallocate", true); err != nil {
		return err
	}
	defer f.m.mu.Unlock()
	if offset < 0 || length < 0 {
		return pathError("preallocate", f.name, fs.ErrInvalid)
	}
	if offset < int64(len(f.node.data)) {
		f.writeAt(make([]byte, min(length, int64(len(f.node.data))-offset)), offset)
	}
	if end := offset + length; end > int64(len(f.node.data)) {
		f.m.write(f.node, writeOp{off: end})
	}
	return nil
}

func (f *memFile) Truncate(size int64) error {
	if err := f.begin("truncate", true); err != nil {
		return err
	}
	defer f.m.mu.Unlock()
	if size < 0 {
		return pathError("truncate", f.name, fs.ErrInvalid)
	}
	f.m.write(f.node, writeOp{off: size})
	return nil
}
