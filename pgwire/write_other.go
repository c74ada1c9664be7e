//go:build !linux

package pgwire

import (
	"io"
	"net"
)

// newDirectWriter returns the connection itself: there is nothing more direct here.
func newDirectWriter(nc net.Conn) io.Writer { return nc }
