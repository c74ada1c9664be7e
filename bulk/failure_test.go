package bulk

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"minidb/kv"
	"minidb/storage/vfs"
)

func TestEveryFailureLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	input := shuffled(rows(1, 3000))
	for n := 1; ; n++ {
		m := mem(t)
		writeFile(t, m, "imp/a.csv", input)
		f := &failing{FS: m}
		db, err := kv.Open(bg, kv.Options{Dir: "data", FS: f, GCInterval: -1})
		if err != nil {
			t.Fatal(err)
		}
		txn, err := db.Begin(kv.TxnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f.at.Store(int64(n))
		r := request(db, txn, m, "a.csv")
		r.MemoryBytes = 1
		_, err = Import(bg, r)
		failed := f.at.Swap(0) <= 0
		txn.Rollback()
		switch {
		case failed && !errors.Is(err, syscall.ENOSPC):
			t.Fatalf("operation %d failed, the import gives %v", n, err)
		case !failed && err != nil:
			t.Fatal(err)
		}
		wantNoFiles(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if !failed {
			if n < 50 {
				t.Errorf("only %d operations failed", n-1)
			}
			return
		}
		n += n / 8 // not each of the many alike
	}
}

// failing fails the operation that brings at to 0; at <= 0 fails nothing more.
type failing struct {
	vfs.FS
	at atomic.Int64
}

func (f *failing) fail() error {
	if f.at.Load() > 0 && f.at.Add(-1) == 0 {
		return syscall.ENOSPC
	}
	return nil
}

func (f *failing) Create(name string) (vfs.File, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	file, err := f.FS.Create(name)
	return &failingFile{file, f}, err
}

func (f *failing) Open(name string) (vfs.File, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	file, err := f.FS.Open(name)
	return &failingFile{file, f}, err
}

type failingFile struct {
	vfs.File
	f *failing
}

func (f *failingFile) Write(b []byte) (int, error) {
	if err := f.f.fail(); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f *failingFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.f.fail(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, off)
}

func TestCancelEndsEveryStage(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	writeFile(t, m, "imp/a.csv", shuffled(rows(1, 30_000)))
	for _, stage := range []Stage{StageReading, StageBuilding, StageChecking} {
		ctx, cancel := context.WithCancel(bg)
		txn := begin(t, db)
		r := request(db, txn, m, "a.csv")
		r.Progress = func(p Progress) {
			if p.Stage == stage {
				cancel()
			}
		}
		if _, err := Import(ctx, r); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", stage, err)
		}
		txn.Rollback()
		wantNoFiles(t, db)
	}
	wantRows(t, db, 0)
}

func TestCancelWithinReading(t *testing.T) {
	m := mem(t)
	db := openDB(t, m)
	writeFile(t, m, "imp/a.csv", rows(1, 50_000))
	ctx, cancel := context.WithCancel(bg)
	var n atomic.Int64
	txn := begin(t, db)
	r := request(db, txn, m, "a.csv")
	r.Rows = twoIndexes{seen: func(*Record) {
		if n.Add(1) == 5000 {
			cancel()
		}
	}}
	if _, err := Import(ctx, r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n.Load() > 20_000 {
		t.Errorf("%d records were read after all", n.Load())
	}
	txn.Rollback()
	wantNoFiles(t, db)
}
