//go:build !linux

package vfs

import (
	"os"
	"syscall"
)

func dataSync(f *os.File, _ syscall.RawConn) error { return f.Sync() }

func reserve(syscall.RawConn, int64, int64) error { return nil }
