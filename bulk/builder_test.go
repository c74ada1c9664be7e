package bulk

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"minidb/kv"
)

func TestBuilderTakesKeysFromManyGoroutines(t *testing.T) {
	for _, memory := range []int64{0, 1} {
		m := mem(t)
		db := openDB(t, m)
		b := NewBuilder(bg, BuilderOptions{DB: db, MemoryBytes: memory, Threads: 4, TableBytes: 64 << 10})
		var wg sync.WaitGroup
		for g := range 4 {
			a := b.Adder()
			wg.Go(func() {
				for i := range 25_000 {
					if err := a.Add(fmt.Appendf(nil, "k%08d", i*4+g), []byte("value")); err != nil {
						t.Error(err)
						return
					}
				}
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		tables, err := b.Finish(bg)
		if err != nil {
			t.Fatal(err)
		}
		if len(tables) < 4 {
			t.Errorf("%d tables", len(tables))
		}
		txn := begin(t, db)
		if err := txn.AddSSTables(bg, tables, kv.AddOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := txn.Commit(bg); err != nil {
			t.Fatal(err)
		}
		if got := scanKeys(t, db); len(got) != 100_000 {
			t.Errorf("%d keys", len(got))
		}
		wantNoFiles(t, db)
	}
}

func TestBuilderRefusesDuplicates(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	for _, memory := range []int64{0, 1} {
		b := NewBuilder(bg, BuilderOptions{DB: db, MemoryBytes: memory, Threads: 4})
		for g := range 2 {
			a := b.Adder()
			for i := range 50_000 {
				if i%2 == g || i == 31_000 || i == 41_000 {
					_ = a.Add(fmt.Appendf(nil, "k%08d", i), []byte("value"))
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.Finish(bg)
		var dup *DuplicateKeyError
		if !errors.As(err, &dup) || string(dup.Key) != "k00031000" {
			t.Errorf("%v", err)
		}
		wantNoFiles(t, db)
	}
}

func TestBuilderAbortRemovesFiles(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	b := NewBuilder(bg, BuilderOptions{DB: db, MemoryBytes: 1})
	a := b.Adder()
	for i := range 10_000 {
		if err := a.Add(fmt.Appendf(nil, "k%08d", i), []byte("value")); err != nil {
			t.Fatal(err)
		}
	}
	b.Abort()
	b.Abort()
	wantNoFiles(t, db)
}
