package vfs

import (
	"errors"
	"os"
	"syscall"
)

// dataSync flushes the file's bytes, and of its metadata only what reading them
// back needs.
func dataSync(_ *os.File, raw syscall.RawConn) error {
	return control(raw, func(fd int) error { return syscall.Fdatasync(fd) })
}

// reserve allocates blocks; a file system that cannot is no error, because the
// writes that follow allocate them.
func reserve(raw syscall.RawConn, offset, length int64) error {
	if length == 0 {
		return nil
	}
	err := control(raw, func(fd int) error { return syscall.Fallocate(fd, 0, offset, length) })
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

func control(raw syscall.RawConn, call func(fd int) error) error {
	var err error
	if cerr := raw.Control(func(fd uintptr) {
		for {
			if err = call(int(fd)); err != syscall.EINTR {
				return
			}
		}
	}); cerr != nil {
		return cerr
	}
	return err
}
