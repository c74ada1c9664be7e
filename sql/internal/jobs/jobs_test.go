package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

var ctx = context.Background()

func openKV(t *testing.T, fs vfs.FS) *kv.DB {
	t.Helper()
	db, err := kv.Open(ctx, kv.Options{Dir: "db", FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func openRegistry(t *testing.T, db *kv.DB) *Registry {
	t.Helper()
	r, err := Open(ctx, Options{KV: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func newRegistry(t *testing.T) (*Registry, *kv.DB) {
	db := openKV(t, vfs.NewMem())
	return openRegistry(t, db), db
}

func start(t *testing.T, r *Registry, run func(context.Context, *Job) error) *Job {
	t.Helper()
	j, err := r.Start(ctx, "IMPORT", "IMPORT INTO t", "admin", run)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// untilCanceled is work that ends when it is told to.
func untilCanceled(ctx context.Context, _ *Job) error {
	<-ctx.Done()
	return ctx.Err()
}

// storedRow is what a restarted server would find.
func storedRow(t *testing.T, r *Registry, id int64) Row {
	t.Helper()
	rows, err := r.stored(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.ID == id {
			return row
		}
	}
	t.Fatalf("job %d is not among %+v", id, rows)
	return Row{}
}

func TestSuccessCommitsWithTheWork(t *testing.T) {
	r, db := newRegistry(t)
	key := []byte("\x70work")
	j := start(t, r, func(ctx context.Context, j *Job) error {
		txn, err := db.Begin(kv.TxnOptions{})
		if err != nil {
			return err
		}
		if err := errors.Join(txn.Put(key, []byte("done")), j.Succeed(txn, Progress{Rows: 7, Bytes: 70})); err != nil {
			return err
		}
		if row := storedRow(t, r, j.ID()); row.Status != Running {
			t.Errorf("before the commit the row is %+v", row)
		}
		return txn.Commit(ctx)
	})
	row, err := j.Wait(ctx)
	if err != nil || row.Status != Succeeded || row.Rows != 7 || row.Fraction != 1 || row.Finished.IsZero() {
		t.Errorf("job ended as %+v, %v", row, err)
	}
	if stored := storedRow(t, r, j.ID()); stored.Status != Succeeded || stored.Bytes != 70 {
		t.Errorf("stored as %+v", stored)
	}
}

// TestSuccessCommitsWithSortedFiles: the row is live already when the transaction that replaces it ingests its files.
func TestSuccessCommitsWithSortedFiles(t *testing.T) {
	r, db := newRegistry(t)
	key := []byte("\x70imported")
	j := start(t, r, func(ctx context.Context, j *Job) error {
		txn, err := db.Begin(kv.TxnOptions{})
		if err != nil {
			return err
		}
		defer txn.Rollback()
		b, err := db.NewSSTable(kv.SSTableOptions{})
		if err != nil {
			return err
		}
		if err := b.Add(key, []byte("row")); err != nil {
			return err
		}
		file, err := b.Finish()
		if err != nil {
			return err
		}
		if err := txn.AddSSTables(ctx, []*kv.SSTable{file}, kv.AddOptions{CheckConflicts: true}); err != nil {
			return err
		}
		if err := j.Succeed(txn, Progress{Rows: 1}); err != nil {
			return err
		}
		return txn.Commit(ctx)
	})
	if row, err := j.Wait(ctx); err != nil || row.Status != Succeeded {
		t.Fatalf("job ended as %+v, %v", row, err)
	}
	if row := storedRow(t, r, j.ID()); row.Status != Succeeded || row.Rows != 1 {
		t.Errorf("stored as %+v", row)
	}
	txn, err := db.Begin(kv.TxnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	if v, ok, err := txn.Get(ctx, key); string(v) != "row" || !ok || err != nil {
		t.Errorf("the imported row is %q, %t, %v", v, ok, err)
	}
}

func TestFailedCommitMakesTheJobFail(t *testing.T) {
	r, db := newRegistry(t)
	j := start(t, r, func(ctx context.Context, j *Job) error {
		txn, err := db.Begin(kv.TxnOptions{})
		if err != nil {
			return err
		}
		defer txn.Rollback()
		if err := j.Succeed(txn, Progress{}); err != nil {
			return err
		}
		return sqlerr.New(sqlerr.UniqueViolation, "duplicate key")
	})
	if _, err := j.Wait(ctx); sqlerr.CodeOf(err) != sqlerr.UniqueViolation {
		t.Errorf("job ended with %v", err)
	}
	if row := storedRow(t, r, j.ID()); row.Status != Failed || row.Error != "duplicate key" || row.Code != sqlerr.UniqueViolation {
		t.Errorf("stored as %+v", row)
	}
}

func TestProgressShowsAtOnceAndIsStoredWithinASecond(t *testing.T) {
	r, _ := newRegistry(t)
	at := make(chan struct{})
	j := start(t, r, func(ctx context.Context, j *Job) error {
		j.Progress(Progress{Fraction: 0.25, Rows: 3, Stage: "sort"})
		close(at)
		return untilCanceled(ctx, j)
	})
	<-at
	rows, err := r.List(ctx)
	if err != nil || len(rows) != 1 || rows[0].Fraction != 0.25 || rows[0].Stage != "sort" {
		t.Errorf("listed as %+v, %v", rows, err)
	}
	for deadline := time.Now().Add(time.Second); storedRow(t, r, j.ID()).Rows != 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the progress was not stored within a second")
		}
	}
	j.Cancel()
	if row, _ := j.Wait(ctx); row.Status != Canceled || row.Stage != "" {
		t.Errorf("job ended as %+v", row)
	}
}

func TestCancelEndsARunningJobOnly(t *testing.T) {
	r, _ := newRegistry(t)
	j := start(t, r, untilCanceled)
	if err := r.Cancel(ctx, j.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("job ended with %v", err)
	}
	if row := storedRow(t, r, j.ID()); row.Status != Canceled || row.Code != sqlerr.QueryCanceled {
		t.Errorf("stored as %+v", row)
	}
	if err := r.Cancel(ctx, j.ID()); sqlerr.CodeOf(err) != sqlerr.ObjectNotInPrerequisite {
		t.Errorf("canceling an ended job: %v", err)
	}
	if err := r.Cancel(ctx, 999); sqlerr.CodeOf(err) != sqlerr.UndefinedObject {
		t.Errorf("canceling no job: %v", err)
	}
}

func TestWaiterThatLeavesCancelsTheJob(t *testing.T) {
	r, _ := newRegistry(t)
	j := start(t, r, untilCanceled)
	waitCtx, leave := context.WithCancel(ctx)
	time.AfterFunc(5*time.Millisecond, leave)
	if row, err := j.Wait(waitCtx); row.Status != Canceled || err == nil {
		t.Errorf("job ended as %+v, %v", row, err)
	}
}

func TestPanicFailsOnlyTheJob(t *testing.T) {
	r, _ := newRegistry(t)
	j := start(t, r, func(context.Context, *Job) error { panic("boom") })
	if row, err := j.Wait(ctx); row.Status != Failed || err == nil || row.Error != "panic: boom" {
		t.Errorf("job ended as %+v, %v", row, err)
	}
}

func TestCloseCancelsAndRefusesMore(t *testing.T) {
	r, _ := newRegistry(t)
	j := start(t, r, untilCanceled)
	r.Close()
	if row := storedRow(t, r, j.ID()); row.Status != Canceled {
		t.Errorf("stored as %+v", row)
	}
	if _, err := r.Start(ctx, "IMPORT", "", "", untilCanceled); sqlerr.CodeOf(err) != sqlerr.AdminShutdown {
		t.Errorf("started after Close: %v", err)
	}
}

func TestRunningJobsFailAfterACrash(t *testing.T) {
	fs := vfs.NewMem()
	r := openRegistry(t, openKV(t, fs))
	ended := start(t, r, func(context.Context, *Job) error { return nil })
	if _, err := ended.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	j := start(t, r, untilCanceled)

	after := openRegistry(t, openKV(t, fs.CrashClone(vfs.CrashOptions{})))
	if row := storedRow(t, after, j.ID()); row.Status != Failed || row.Error == "" || row.Finished.IsZero() {
		t.Errorf("after the crash the running job is %+v", row)
	}
	if row := storedRow(t, after, ended.ID()); row.Status != Succeeded {
		t.Errorf("after the crash the ended job is %+v", row)
	}
	if next := start(t, after, untilCanceled); next.ID() <= j.ID() {
		t.Errorf("job %d after job %d", next.ID(), j.ID())
	}
}
