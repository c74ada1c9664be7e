package sorter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"

	"minidb/sstable"
	"minidb/storage/vfs"
)

// Run is a sorted sequence of keys and values. It is immutable.
type Run interface {
	Len() int
	// sample appends keys that divide the run into about n parts of even size,
	// fewer for short ones.
	sample(dst [][]byte, n int) [][]byte
	// iter returns an iterator over the keys from lower on that are below upper;
	// nil means no bound.
	iter(lower, upper []byte) (iterator, error)
}

// iterator walks a run. It stands before the first key.
type iterator interface {
	next() (bool, error)
	// pair is valid until the next call of next.
	pair() (key, value []byte)
	close() error
}

// sample and iter make a sorted Buffer a Run.
func (b *Buffer) sample(dst [][]byte, n int) [][]byte {
	for i := 1; i < n; i++ {
		if at := i * len(b.entries) / n; at < len(b.entries) {
			dst = append(dst, b.key(b.entries[at]))
		}
	}
	return dst
}

func (b *Buffer) iter(lower, upper []byte) (iterator, error) {
	it := &bufferIter{b: b, at: -1, end: len(b.entries)}
	if lower != nil {
		it.at = b.search(lower) - 1
	}
	if upper != nil {
		it.end = b.search(upper)
	}
	return it, nil
}

// search returns the first entry whose key is at least key.
func (b *Buffer) search(key []byte) int {
	return sort.Search(len(b.entries), func(i int) bool { return bytes.Compare(b.key(b.entries[i]), key) >= 0 })
}

type bufferIter struct {
	b       *Buffer
	at, end int
}

func (i *bufferIter) next() (bool, error)       { i.at++; return i.at < i.end, nil }
func (i *bufferIter) pair() (key, value []byte) { return i.b.pair(i.b.entries[i.at]) }
func (i *bufferIter) close() error              { return nil }

// File is a run in a file: blocks, each with a head
//
//	u32 length of the payload, u32 CRC-32C of it
//
// and a payload of varint key length, varint value length, key, value again and
// again. Where blocks begin, and with which key, stays in memory.
type File struct {
	fs     vfs.FS
	name   string
	n      int
	size   int64
	blocks []fileBlock
}

type fileBlock struct {
	first  []byte
	offset int64
}

const fileHeadLen = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Len is the number of keys.
func (f *File) Len() int { return f.n }

// Bytes is the size of the file.
func (f *File) Bytes() int64 { return f.size }

// Remove deletes the file. Requires that no iterator is in use.
func (f *File) Remove() error { return f.fs.Remove(f.name) }

// fileWriter writes a File.
type fileWriter struct {
	f     *File
	out   vfs.File
	block []byte
	limit int
}

func newFileWriter(fs vfs.FS, name string, blockBytes int) (*fileWriter, error) {
	out, err := fs.Create(name)
	if err != nil {
		return nil, err
	}
	return &fileWriter{f: &File{fs: fs, name: name}, out: out, limit: blockBytes, block: make([]byte, fileHeadLen, blockBytes+1024)}, nil
}

func (w *fileWriter) add(key, value []byte) error {
	if len(w.block) == fileHeadLen {
		w.f.blocks = append(w.f.blocks, fileBlock{first: bytes.Clone(key), offset: w.f.size})
	}
	w.block = binary.AppendUvarint(w.block, uint64(len(key)))
	w.block = binary.AppendUvarint(w.block, uint64(len(value)))
	w.block = append(append(w.block, key...), value...)
	w.f.n++
	if len(w.block) >= w.limit {
		return w.flush()
	}
	return nil
}

func (w *fileWriter) flush() error {
	if len(w.block) == fileHeadLen {
		return nil
	}
	payload := w.block[fileHeadLen:]
	binary.LittleEndian.PutUint32(w.block, uint32(len(payload)))
	binary.LittleEndian.PutUint32(w.block[4:], crc32.Checksum(payload, castagnoli))
	_, err := w.out.Write(w.block)
	w.f.size += int64(len(w.block))
	w.block = w.block[:fileHeadLen]
	return err
}

// finish completes the file, or removes it if err is not nil.
func (w *fileWriter) finish(err error) (*File, error) {
	if err == nil {
		err = w.flush()
	}
	if e := w.out.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = w.f.Remove() // the first error counts
		return nil, fmt.Errorf("spill to %s: %w", w.f.name, err)
	}
	return w.f, nil
}

// Spill writes a sorted buffer to a file, with blocks of about blockBytes.
func (b *Buffer) Spill(fs vfs.FS, name string, blockBytes int) (*File, error) {
	w, err := newFileWriter(fs, name, blockBytes)
	if err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	for _, e := range b.entries {
		key, value := b.pair(e)
		if err = w.add(key, value); err != nil {
			break
		}
	}
	return w.finish(err)
}

// MergeToFile writes several runs to a file as one.
func MergeToFile(fs vfs.FS, name string, blockBytes int, runs []Run, check func() error) (*File, error) {
	m, err := NewMerge(runs, nil, nil)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	w, err := newFileWriter(fs, name, blockBytes)
	if err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	for n := 0; err == nil && m.Next(); n++ {
		if err = w.add(m.Key(), m.Value()); err == nil && n%1024 == 0 {
			err = check()
		}
	}
	if err == nil {
		err = m.Err()
	}
	return w.finish(err)
}

func (f *File) sample(dst [][]byte, n int) [][]byte {
	for i := 1; i < n; i++ {
		if at := i * len(f.blocks) / n; at < len(f.blocks) {
			dst = append(dst, f.blocks[at].first)
		}
	}
	return dst
}

func (f *File) iter(lower, upper []byte) (iterator, error) {
	in, err := f.fs.Open(f.name)
	if err != nil {
		return nil, fmt.Errorf("read a spilled run: %w", err)
	}
	// Keys equal to lower may begin in the block before the first that begins with it.
	block := sort.Search(len(f.blocks), func(i int) bool { return bytes.Compare(f.blocks[i].first, lower) >= 0 })
	return &fileIter{f: f, in: in, lower: lower, upper: upper, block: max(block-1, 0)}, nil
}

type fileIter struct {
	f            *File
	in           vfs.File
	lower, upper []byte
	block        int // to be read next
	buf, rest    []byte
	key, value   []byte
}

func (i *fileIter) pair() (key, value []byte) { return i.key, i.value }
func (i *fileIter) close() error              { return i.in.Close() }

func (i *fileIter) next() (bool, error) {
	for {
		if len(i.rest) == 0 {
			if i.block == len(i.f.blocks) {
				return false, nil
			}
			if err := i.read(); err != nil {
				return false, err
			}
		}
		klen, n := binary.Uvarint(i.rest)
		vlen, m := binary.Uvarint(i.rest[max(n, 0):])
		if n <= 0 || m <= 0 || klen > uint64(len(i.rest)) || vlen > uint64(len(i.rest)) || klen+vlen > uint64(len(i.rest)-n-m) {
			return false, i.corruption(i.f.blocks[i.block-1].offset, "damaged entry")
		}
		p := i.rest[n+m:]
		i.key, i.value, i.rest = p[:klen], p[klen:klen+vlen], p[klen+vlen:]
		if i.lower != nil {
			if bytes.Compare(i.key, i.lower) < 0 {
				continue
			}
			i.lower = nil
		}
		return i.upper == nil || bytes.Compare(i.key, i.upper) < 0, nil
	}
}

func (i *fileIter) corruption(offset int64, reason string) error {
	return &sstable.CorruptionError{File: i.f.name, Offset: offset, Reason: reason}
}

// read reads the next block.
func (i *fileIter) read() error {
	start, end := i.f.blocks[i.block].offset, i.f.size
	if i.block+1 < len(i.f.blocks) {
		end = i.f.blocks[i.block+1].offset
	}
	i.block++
	if n := int(end - start); cap(i.buf) < n {
		i.buf = make([]byte, n)
	} else {
		i.buf = i.buf[:n]
	}
	if n, err := i.in.ReadAt(i.buf, start); n < len(i.buf) {
		if err == nil || errors.Is(err, io.EOF) {
			return i.corruption(start, "the file ends early")
		}
		return fmt.Errorf("read a spilled run: %w", err)
	}
	i.rest = i.buf[fileHeadLen:]
	if int(binary.LittleEndian.Uint32(i.buf)) != len(i.rest) || binary.LittleEndian.Uint32(i.buf[4:]) != crc32.Checksum(i.rest, castagnoli) {
		return i.corruption(start, "wrong checksum")
	}
	return nil
}
