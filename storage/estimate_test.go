package storage

import (
	"fmt"
	"testing"

	"minidb/storage/vfs"
)

// TestEstimateEntries: by room in files, by counting in the memtable.
func TestEstimateEntries(t *testing.T) {
	mem := vfs.NewMem()
	db, err := Open("db", Options{FS: mem, BlockBytes: 256, DisableAutoCompactions: true})
	must(t, err)
	defer db.Close()
	check := func(lower, upper string, want, slack int) {
		t.Helper()
		n, err := db.EstimateEntries([]byte(lower), []byte(upper))
		must(t, err)
		if int(n) < want-slack || int(n) > want+slack {
			t.Errorf("[%s, %s): %d entries, want %d within %d", lower, upper, n, want, slack)
		}
	}
	for i := range 1000 {
		put(t, db, SyncOS, fmt.Sprintf("k%04d@1=value", i))
	}
	check("a", "z", 1000, 0)
	check("k0100", "k0200", 100, 0)
	must(t, db.Flush())
	check("a", "z", 1000, 0)
	check("k0100", "k0200", 100, 60)
	check("k0500", "z", 500, 200)
	check("k0500", "k0501", 1, 30)
	check("l", "z", 0, 0)
}
