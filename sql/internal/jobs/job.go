package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"minidb/kv"
	"minidb/sql/sqlerr"
)

// Job is a job that was started in this process. Its methods may be called concurrently.
type Job struct {
	r      *Registry
	cancel context.CancelFunc
	done   chan struct{} // closed when the row has its end
	err    error         // of run; set before done is closed

	// saving is held while the row is written, so that no write of progress comes after that of the end.
	saving sync.Mutex

	mu      sync.Mutex
	row     Row
	changed bool // since the row was last written
	handed  bool // the row of success is in the job's transaction
}

// ID is the job's number.
func (j *Job) ID() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.row.ID
}

// Row is the job as it is now.
func (j *Job) Row() Row {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.row
}

// Progress tells how far the job is. It costs no I/O: others see it at once, and it is written now and then.
func (j *Job) Progress(p Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.row.Progress, j.row.Modified, j.changed = p, j.r.o.Now(), true
}

// Succeed puts the row of success into the transaction whose commit is the job's work; the caller commits next. If that
// fails the job is to return the error: its row then shows the failure.
func (j *Job) Succeed(txn *kv.Txn, p Progress) error {
	j.saving.Lock()
	defer j.saving.Unlock()
	j.mu.Lock()
	j.handed, j.row.Progress = true, p
	row := j.row
	j.mu.Unlock()
	row.end(Succeeded, nil, j.r.o.Now())
	return row.put(txn)
}

// Cancel asks the job to end.
func (j *Job) Cancel() { j.cancel() }

// Wait waits for the job's end and gives its row and the error that ended it. If ctx ends first it cancels the job and then
// waits for its end.
func (j *Job) Wait(ctx context.Context) (Row, error) {
	select {
	case <-j.done:
	case <-ctx.Done():
		j.cancel()
		<-j.done
	}
	return j.Row(), j.err
}

// run does the work and writes the row of its end.
func (j *Job) run(ctx context.Context, work func(context.Context, *Job) error) {
	defer j.r.wg.Done()
	err := j.guard(ctx, work)
	j.cancel()

	j.saving.Lock()
	j.mu.Lock()
	row, handed := j.row, j.handed
	j.mu.Unlock()
	switch {
	case err == nil:
		row.end(Succeeded, nil, j.r.o.Now())
	case errors.Is(err, context.Canceled) || sqlerr.CodeOf(err) == sqlerr.QueryCanceled:
		row.end(Canceled, sqlerr.New(sqlerr.QueryCanceled, "the job was canceled"), j.r.o.Now())
	default:
		row.end(Failed, j.r.o.Describe(err), j.r.o.Now())
	}
	// Where the row of success was committed with the work, it is there already. The registry's context may have ended.
	if err != nil || !handed {
		if saveErr := j.r.save(context.WithoutCancel(ctx), &row, kv.SyncFull); saveErr != nil {
			j.r.o.Logger.Error("job: cannot write the row of its end", "job", row.ID, "status", row.Status, "error", saveErr)
		}
	}
	j.saving.Unlock()

	j.mu.Lock()
	j.row, j.changed = row, false
	j.mu.Unlock()
	j.err = err
	j.r.mu.Lock()
	delete(j.r.running, row.ID)
	j.r.mu.Unlock()
	close(j.done)
}

// guard turns a panic of the work into an error: the other sessions go on.
func (j *Job) guard(ctx context.Context, work func(context.Context, *Job) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			j.r.o.Logger.Error("job: panic", "job", j.ID(), "panic", p)
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return work(ctx, j)
}

// saveProgress writes the row now and then until the job ends.
func (j *Job) saveProgress() {
	defer j.r.wg.Done()
	tick := time.NewTicker(saveInterval)
	defer tick.Stop()
	for {
		select {
		case <-j.done:
			return
		case <-tick.C:
			j.saveIfChanged()
		}
	}
}

func (j *Job) saveIfChanged() {
	j.saving.Lock()
	defer j.saving.Unlock()
	j.mu.Lock()
	row, save := j.row, j.changed && !j.handed && j.row.Status == Running
	j.changed = j.changed && !save
	j.mu.Unlock()
	if !save {
		return
	}
	// A progress that is lost in a power cut does no harm.
	if err := j.r.save(context.Background(), &row, kv.SyncOS); err != nil {
		j.r.o.Logger.Warn("job: cannot write progress", "job", row.ID, "error", err)
	}
}

// end gives the row its end.
func (r *Row) end(s Status, err *sqlerr.Error, now time.Time) {
	r.Status, r.Finished, r.Modified, r.Stage = s, now, now, ""
	if err != nil {
		r.Error, r.Code = err.Message, err.Code
	}
	if s == Succeeded {
		r.Fraction = 1
	}
}
