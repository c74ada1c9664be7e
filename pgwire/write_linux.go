package pgwire

import (
	"io"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// directWriter writes to a connection without telling the scheduler that a system call runs. The socket does not block, so that the call
// is short; but delivery to a client on this machine happens within it, which takes long enough for the scheduler to give the processor
// away, and that costs more than the call.
type directWriter struct {
	raw  syscall.RawConn
	rest []byte // of the running Write
	err  error
	try  func(fd uintptr) bool
}

// newDirectWriter returns a writer to nc: nc itself if it is no socket.
func newDirectWriter(nc net.Conn) io.Writer {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return nc
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nc
	}
	w := &directWriter{raw: raw}
	w.try = w.write
	return w
}

// Write writes all of p, unless the connection's deadline passes or it fails.
func (w *directWriter) Write(p []byte) (int, error) {
	w.rest, w.err = p, nil
	err := w.raw.Write(w.try)
	if err == nil {
		err = w.err
	}
	n := len(p) - len(w.rest)
	w.rest = nil
	return n, err
}

// write writes what the socket takes. It returns false if it has to take more later.
func (w *directWriter) write(fd uintptr) bool {
	for len(w.rest) > 0 {
		n, _, errno := unix.RawSyscall(unix.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(w.rest))), uintptr(len(w.rest)))
		switch {
		case errno == 0:
			w.rest = w.rest[n:]
		case errno == unix.EAGAIN:
			return false
		case errno != unix.EINTR:
			w.err = errno
			return true
		}
	}
	return true
}
