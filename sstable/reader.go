package sstable

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"minidb/sstable/internal/block"
	"minidb/sstable/internal/filter"
)

// Reader reads one file. It is safe for concurrent use. It keeps the root of the
// index and, once asked, the filter in memory (about 9 bits a prefix) until it
// is closed, outside of any cache.
type Reader struct {
	r         io.ReaderAt
	size      int64
	o         ReaderOptions
	footer    footer
	props     Properties
	collected []tableProperty
	root      block.IndexView
	filter    atomic.Pointer[filter.Filter]
}

// tailBytes is how much of a file's end OpenReader reads at once, in the hope
// that it holds the index root and the properties.
const tailBytes = 4 << 10

// OpenReader opens the file of size bytes in r. It reads footer, properties and
// index root. Bytes that no Writer wrote give a *CorruptionError.
func OpenReader(r io.ReaderAt, size int64, o ReaderOptions) (*Reader, error) {
	sr := &Reader{r: r, size: size, o: o}
	if size < footerLen {
		return nil, sr.corruption(0, fmt.Errorf("not an sstable: %d bytes", size))
	}
	tail := make([]byte, min(size, tailBytes))
	if err := sr.readAt(tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	if err := sr.footer.decode(tail[len(tail)-footerLen:]); err != nil {
		return nil, sr.corruption(size-footerLen, err)
	}
	root, err := sr.readTail(tail, sr.footer.index, block.Index)
	if err != nil {
		return nil, err
	}
	if err := sr.root.Init(root); err != nil {
		return nil, sr.corruption(int64(sr.footer.index.Offset), err)
	}
	props, err := sr.readTail(tail, sr.footer.props, block.Properties)
	if err != nil {
		return nil, err
	}
	if sr.collected, err = sr.props.decode(block.Payload(props)); err != nil {
		return nil, sr.corruption(int64(sr.footer.props.Offset), err)
	}
	if n := uint64(sr.root.Len()); n != sr.props.NumBlocks && sr.footer.levels == 1 || n == 0 && sr.footer.levels == 2 {
		return nil, sr.corruption(int64(sr.footer.index.Offset), fmt.Errorf("index root of %d entries in a file of %d blocks", n, sr.props.NumBlocks))
	}
	sr.props.FileBytes = uint64(size)
	if sr.footer.filter.Size > 0 {
		if err := sr.checkHandle(sr.footer.filter); err != nil {
			return nil, err
		}
	}
	return sr, nil
}

// readTail reads a block at opening, from tail if it lies in it.
func (r *Reader) readTail(tail []byte, h block.Handle, t block.Type) ([]byte, error) {
	if err := r.checkHandle(h); err != nil {
		return nil, err
	}
	var disk []byte
	if at := int64(h.Offset) - (r.size - int64(len(tail))); at >= 0 {
		disk = tail[at : at+int64(h.Size)]
	} else {
		disk = make([]byte, h.Size)
		if err := r.readAt(disk, int64(h.Offset)); err != nil {
			return nil, err
		}
	}
	opened, err := block.Open(nil, disk, t)
	if err != nil {
		return nil, r.corruption(int64(h.Offset), err)
	}
	return opened, nil
}

// Properties returns what the file's writer recorded. They are not to be
// changed.
func (r *Reader) Properties() *Properties { return &r.props }

// Close closes the underlying io.ReaderAt if it is an io.Closer. Requires that
// no iterator is in use.
func (r *Reader) Close() error {
	if c, ok := r.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// MayContain reports whether the file may hold a key with this prefix. A false
// is certain; without a filter the answer is true.
func (r *Reader) MayContain(prefix []byte) (bool, error) {
	if r.footer.filter.Size == 0 {
		return r.props.Filter == NoFilter, nil
	}
	f := r.filter.Load()
	if f == nil {
		var err error
		if f, err = r.openFilter(); err != nil {
			return false, err
		}
		r.filter.Store(f)
	}
	return f.MayContain(filter.Hash(prefix)), nil
}

func (r *Reader) openFilter() (*filter.Filter, error) {
	h := r.footer.filter
	opened, err := r.readNew(h, block.Filter)
	if err != nil {
		return nil, err
	}
	f, err := filter.Open(block.Payload(opened))
	if err != nil {
		return nil, r.corruption(int64(h.Offset), err)
	}
	return &f, nil
}

// corruption returns the CorruptionError for damage found at offset.
func (r *Reader) corruption(offset int64, reason error) error {
	return &CorruptionError{File: r.o.FileName, Offset: offset, Reason: reason.Error()}
}

// readAt fills b. A file that ends before is damaged.
func (r *Reader) readAt(b []byte, offset int64) error {
	n, err := r.r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case errors.Is(err, io.EOF):
		return r.corruption(offset, fmt.Errorf("file ends after %d of %d bytes", n, len(b)))
	case err == nil:
		err = io.ErrNoProgress
	}
	return fmt.Errorf("sstable: reading %s: %w", r.o.FileName, err)
}

// checkHandle checks that a block lies before the footer.
func (r *Reader) checkHandle(h block.Handle) error {
	end := uint64(r.size - footerLen)
	if h.Size < block.TrailerLen || h.Offset > end || h.Size > end-h.Offset {
		return r.corruption(int64(min(h.Offset, end)), fmt.Errorf("block of %d bytes does not fit the file", h.Size))
	}
	return nil
}

// buffers are memory that one reader of blocks reuses.
type buffers struct{ disk, opened []byte }

var diskBuffers = sync.Pool{New: func() any { return new([]byte) }}

// read returns an opened block, from the cache if it is there. Without cache, or
// if fill is false, a block that had to be read is good until buf's next use.
func (r *Reader) read(h block.Handle, t block.Type, buf *buffers, fill bool) ([]byte, error) {
	cache := r.o.Cache
	if cache != nil {
		if b, ok := cache.Get(r.o.FileNum, h.Offset); ok && isType(b, t) {
			return b, nil
		}
		if fill {
			b, err := r.readNew(h, t)
			if err == nil {
				cache.Set(r.o.FileNum, h.Offset, b)
			}
			return b, err
		}
	}
	if err := r.checkHandle(h); err != nil {
		return nil, err
	}
	buf.disk = resize(buf.disk, int(h.Size))
	if err := r.readAt(buf.disk, int64(h.Offset)); err != nil {
		return nil, err
	}
	b, err := block.Open(buf.opened, buf.disk, t)
	if err != nil {
		return nil, r.corruption(int64(h.Offset), err)
	}
	if !block.Shares(b, buf.disk) {
		buf.opened = b
	}
	return b, nil
}

// readNew reads a block into memory of its own.
func (r *Reader) readNew(h block.Handle, t block.Type) ([]byte, error) {
	if err := r.checkHandle(h); err != nil {
		return nil, err
	}
	pooled := diskBuffers.Get().(*[]byte)
	defer diskBuffers.Put(pooled)
	*pooled = resize(*pooled, int(h.Size))
	disk := *pooled
	if err := r.readAt(disk, int64(h.Offset)); err != nil {
		return nil, err
	}
	b, err := block.Open(nil, disk, t)
	if err != nil {
		return nil, r.corruption(int64(h.Offset), err)
	}
	if block.Shares(b, disk) {
		*pooled = nil // the block keeps it
	}
	return b, nil
}

func isType(opened []byte, t block.Type) bool {
	return len(opened) > 0 && block.Kind(opened[len(opened)-1]).Type() == t
}

// resize returns a slice of n bytes, b's memory if that suffices.
func resize(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, n+n/8)
	}
	return b[:n]
}
