package storage

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"minidb/storage/vfs"
)

// Facts count where they are in memory and where they are in files, and only those of the span.
func TestSpanBytesCountsTheSpan(t *testing.T) {
	mem := vfs.NewMem()
	db := collected(t, mem, new(atomic.Uint64))
	size := func(start, end string) int64 {
		t.Helper()
		n, err := db.SpanBytes([]byte(start), []byte(end))
		must(t, err)
		return n
	}
	value := strings.Repeat("v", 100)
	put(t, db, SyncOS, "b000@1="+value)
	put(t, db, SyncOS, "c000@1="+value)
	if n := size("b", "c"); n < 100 || n > 150 {
		t.Errorf("in memory a value of 100 bytes takes %d", n)
	}
	for _, letter := range []string{"a", "b", "c"} {
		for i := range 2000 {
			put(t, db, SyncOS, fmt.Sprintf("%s%04d@2=%s%d", letter, i, value, i))
		}
	}
	must(t, db.Flush())
	must(t, db.Compact(nil, nil))
	all, some := size("a", "d"), size("b", "c")
	if some < all/6 || some > all/2 {
		t.Errorf("in a file b is %d bytes of %d, want a third", some, all)
	}
	if n := size("x", "z"); n != 0 {
		t.Errorf("nothing takes %d bytes", n)
	}
}
