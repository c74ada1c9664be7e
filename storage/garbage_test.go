package storage

import (
	"fmt"
	"sync/atomic"
	"testing"

	"minidb/storage/vfs"
)

// TestCompactGarbageWeighsItAgainstTheWork: one dead version among a hundred
// stays, of ten none does, and what nothing overlaps is left alone.
func TestCompactGarbageWeighsItAgainstTheWork(t *testing.T) {
	var threshold atomic.Uint64
	mem := vfs.NewMem()
	db := collected(t, mem, &threshold)
	var a, b, z []string
	for i := range 100 {
		a = append(a, fmt.Sprintf("a%03d@1=old", i))
		b = append(b, fmt.Sprintf("b%03d@1=old", i))
		z = append(z, fmt.Sprintf("z%03d@1=old", i))
	}
	ingest(t, db, mem, a...)
	ingest(t, db, mem, b...)
	ingest(t, db, mem, z...)
	threshold.Store(9)
	must(t, db.CompactGarbage(nil, nil))
	put(t, db, SyncFull, "a050@2=new")
	must(t, db.CompactGarbage(nil, nil))
	if n := db.Metrics().Compactions; n != 0 {
		t.Fatalf("%d compactions for one dead version", n)
	}
	for i := range 10 {
		put(t, db, SyncFull, fmt.Sprintf("a%03d@3=new", 40+i))
	}
	must(t, db.CompactGarbage([]byte("b"), nil))
	if n := db.Metrics().Compactions; n != 0 {
		t.Fatalf("%d compactions for garbage outside the span", n)
	}
	must(t, db.CompactGarbage(nil, []byte("b")))
	if got := db.Metrics().DroppedEntries; got != 11 {
		t.Errorf("%d versions of 11 were collected", got)
	}
}
