package storage

import (
	"errors"
	"testing"

	"minidb/storage/vfs"
)

func TestFactsAreThereAfterCommitFlushAndReopen(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	put(t, db, SyncFull, "a@5=five", "b@3=three")
	put(t, db, SyncOS, "a@7", "c@1=one")
	const want = "a@7= a@5=five b@3=three c@1=one"
	if got := scan(t, db); got != want {
		t.Fatalf("in the memtable: %s", got)
	}
	must(t, db.Flush())
	if got := scan(t, db); got != want || levels(db) != "L0:1" {
		t.Fatalf("flushed: %s in %s", got, levels(db))
	}
	put(t, db, SyncFull, "b@9=nine")
	must(t, db.Compact(nil, nil))
	const all = "a@7= a@5=five b@9=nine b@3=three c@1=one"
	if got := scan(t, db); got != all || levels(db) != "L6:1" {
		t.Fatalf("compacted: %s in %s", got, levels(db))
	}
	put(t, db, SyncFull, "d@1=x")
	must(t, db.Close())

	db = openTest(t, manualOptions(mem))
	if got := scan(t, db); got != all+" d@1=x" {
		t.Fatalf("reopened: %s", got)
	}
	must(t, db.VerifyChecksums())
}

func TestGetFindsTheNewestVersionAtOrBelow(t *testing.T) {
	db := openTest(t, manualOptions(vfs.NewMem()))
	put(t, db, SyncFull, "a@5=five", "a@9=nine")
	check := func() {
		t.Helper()
		for ts, want := range map[uint64]string{4: "-", 5: "five@5", 8: "five@5", 9: "nine@9", 100: "nine@9"} {
			if got := get(t, db, "a", ts); got != want {
				t.Errorf("a at %d: %s, want %s", ts, got, want)
			}
		}
		if got := get(t, db, "b", 100); got != "-" {
			t.Errorf("b: %s", got)
		}
	}
	check()
	must(t, db.Flush())
	check()
}

func TestSecondOpenIsRefused(t *testing.T) {
	mem := vfs.NewMem()
	db := openTest(t, manualOptions(mem))
	if _, err := Open(testDir, manualOptions(mem)); !errors.Is(err, vfs.ErrLocked) {
		t.Fatalf("second Open: %v", err)
	}
	must(t, db.Close())
	openTest(t, manualOptions(mem))
}
