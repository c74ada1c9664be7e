package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"minidb/kv"
	"minidb/sql/sqlerr"
)

// saveInterval is the time between writes of a running job's progress.
const saveInterval = 500 * time.Millisecond

// Options configure a Registry. KV is required.
type Options struct {
	KV     *kv.DB
	Logger *slog.Logger
	// Describe turns the error that ended a job into what its row shows; nil: for errors that are *sqlerr.Error already.
	Describe func(error) *sqlerr.Error
	Now      func() time.Time // nil: time.Now
}

// Registry is all jobs of a server. Its methods may be called concurrently.
type Registry struct {
	o      Options
	ctx    context.Context // of all jobs
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	running map[int64]*Job
}

// Open finds the jobs in the store and marks those failed that were running when it was last open.
func Open(ctx context.Context, o Options) (*Registry, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Describe == nil {
		o.Describe = func(err error) *sqlerr.Error {
			if e, ok := sqlerr.As(err); ok {
				return e
			}
			return sqlerr.Internal("%v", err)
		}
	}
	r := &Registry{o: o, running: map[int64]*Job{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	rows, err := r.stored(ctx)
	if err != nil {
		return nil, fmt.Errorf("open jobs: %w", err)
	}
	for _, row := range rows {
		if row.Status != Running {
			continue
		}
		row.end(Failed, sqlerr.New(sqlerr.AdminShutdown, "the server stopped while the job was running"), r.o.Now())
		if err := r.save(ctx, &row, kv.SyncFull); err != nil {
			return nil, fmt.Errorf("open jobs: %w", err)
		}
	}
	return r, nil
}

// Close cancels the running jobs and waits for them. No job can be started afterwards.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.wg.Wait()
}

// Start writes the row of a new job and runs it in a goroutine of its own. The context given to run ends when the job is
// canceled. If run returns nil without having called Succeed, the job has succeeded all the same.
func (r *Registry) Start(ctx context.Context, kind, description, user string, run func(context.Context, *Job) error) (*Job, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, sqlerr.New(sqlerr.AdminShutdown, "the server is stopping")
	}
	r.wg.Add(2) // of the two goroutines, so that Close waits from here on
	r.mu.Unlock()
	j, err := r.newJob(ctx, kind, description, user)
	if err != nil {
		r.wg.Add(-2)
		return nil, fmt.Errorf("start job: %w", err)
	}
	var jobCtx context.Context
	jobCtx, j.cancel = context.WithCancel(r.ctx)
	r.mu.Lock()
	r.running[j.row.ID] = j
	r.mu.Unlock()
	go j.run(jobCtx, run)
	go j.saveProgress()
	return j, nil
}

// newJob writes the row of a job that is about to run.
func (r *Registry) newJob(ctx context.Context, kind, description, user string) (*Job, error) {
	id, err := r.o.KV.Allocate(ctx, counterID, 1)
	if err != nil {
		return nil, err
	}
	now := r.o.Now()
	j := &Job{r: r, done: make(chan struct{}), row: Row{
		ID: int64(id), Type: kind, Description: description, User: user, Status: Running, Created: now, Modified: now,
	}}
	return j, r.save(ctx, &j.row, kv.SyncFull)
}

// List gives all jobs, the newest first, the running ones as they are now.
func (r *Registry) List(ctx context.Context) ([]Row, error) {
	rows, err := r.stored(ctx)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	for i := range rows {
		if j := r.find(rows[i].ID); j != nil && rows[i].Status == Running {
			rows[i] = j.Row()
		}
	}
	slices.Reverse(rows)
	return rows, nil
}

// Cancel asks a running job to end and does not wait for it. Errors: 42704 if there is no such job, 55000 if it has ended.
func (r *Registry) Cancel(ctx context.Context, id int64) error {
	if j := r.find(id); j != nil {
		j.Cancel()
		return nil
	}
	rows, err := r.stored(ctx)
	if err != nil {
		return fmt.Errorf("cancel job: %w", err)
	}
	for _, row := range rows {
		if row.ID == id {
			return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "job %d is not running: it has %s", id, row.Status)
		}
	}
	return sqlerr.New(sqlerr.UndefinedObject, "job %d does not exist", id)
}

func (r *Registry) find(id int64) *Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[id]
}

// stored reads the rows of all jobs in the order of ids.
func (r *Registry) stored(ctx context.Context) (rows []Row, err error) {
	txn, err := r.o.KV.Begin(kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer txn.Rollback()
	it, err := txn.NewIter(ctx, kv.PrefixSpan(prefix), kv.IterOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for it.Next() {
		row, err := decodeRow(it.Value())
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// save writes a row in a transaction of its own.
func (r *Registry) save(ctx context.Context, row *Row, sync kv.SyncMode) error {
	txn, err := r.o.KV.Begin(kv.TxnOptions{Sync: sync})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := row.put(txn); err != nil {
		return err
	}
	return txn.Commit(ctx)
}
