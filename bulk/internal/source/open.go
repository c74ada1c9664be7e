package source

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"io"
	"io/fs"
	"path"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// of returns the compression of a file.
func (c Compression) of(name string) Compression {
	if c != Auto {
		return c
	}
	switch path.Ext(name) {
	case ".gz":
		return Gzip
	case ".zst", ".zstd":
		return Zstd
	case ".bz2":
		return Bzip2
	}
	return None
}

// file is one open file, decompressed as it is read.
type file struct {
	io.Reader
	f    vfs.File
	zstd *zstd.Decoder
	read *atomic.Int64 // bytes of the file as it lies on disk
}

// openFile opens name in dir. read grows by what is read from disk.
func openFile(fsys vfs.FS, dir, name string, c Compression, read *atomic.Int64) (*file, error) {
	f, err := fsys.Open(path.Join(dir, name))
	if err != nil {
		return nil, fileError(name, "open file %q for reading", err)
	}
	r := &file{f: f, read: read}
	raw := &countingReader{r: f, n: read}
	switch c.of(name) {
	case Gzip:
		r.Reader, err = gzip.NewReader(bufio.NewReaderSize(raw, 1<<16))
	case Zstd:
		r.zstd, err = zstd.NewReader(raw, zstd.WithDecoderConcurrency(1))
		r.Reader = r.zstd
	case Bzip2:
		r.Reader = bzip2.NewReader(bufio.NewReaderSize(raw, 1<<16))
	default:
		r.Reader = raw
	}
	if err != nil {
		_ = f.Close() // the first error counts
		return nil, fileError(name, "read file %q", err)
	}
	return r, nil
}

func (f *file) Close() error {
	if f.zstd != nil {
		f.zstd.Close()
	}
	return f.f.Close()
}

type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// fileError says which file could not be used, as PostgreSQL words it.
func fileError(name, doing string, err error) error {
	code, reason := sqlerr.IOError, err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, reason = sqlerr.UndefinedFile, "No such file or directory"
	case errors.Is(err, fs.ErrPermission):
		code, reason = sqlerr.InsufficientPrivilege, "Permission denied"
	}
	return sqlerr.New(code, "could not "+doing+": %s", name, reason).WithCause(err)
}
