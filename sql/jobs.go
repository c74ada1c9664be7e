package sql

import (
	"context"
	"fmt"
	"slices"
	"time"

	"minidb/kv"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/jobs"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// progressInterval is the time between notices of an import's progress.
const progressInterval = time.Second

func jobColumns(cols []jobs.Column) []Column {
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column{Name: c.Name, Type: c.Type}
	}
	return out
}

// jobRows makes a run of rows about jobs.
func jobRows(tag string, cols []Column, rows [][]types.Datum) run {
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = c.Type
	}
	b := types.NewBatch(ts)
	for _, row := range rows {
		b.AppendRow(row)
	}
	return &rowsRun{batch: b, name: tag}
}

// importUtility is IMPORT INTO: a job, which the statement waits for unless it is DETACHED.
func (s *Session) importUtility(q *statement, st *parse.ImportStmt) utility {
	cols := jobColumns(jobs.ResultColumns)
	if st.Detached {
		cols = cols[:1]
	}
	return utility{columns: cols, run: func(ctx context.Context) (run, error) {
		if s.tx.block || s.tx.used || q.severalInMessage {
			return nil, sqlerr.New(sqlerr.ActiveSQLTransaction, "IMPORT INTO cannot run inside a transaction block")
		}
		imp, err := s.newImport(ctx, q, st)
		if err != nil {
			return nil, err
		}
		job, err := s.engine.jobs.Start(ctx, "IMPORT", q.Text, s.derived.user, func(ctx context.Context, job *jobs.Job) error {
			return imp.Run(ctx, s.engine.catalog, job)
		})
		if err != nil {
			return nil, err
		}
		if st.Detached {
			return jobRows("IMPORT", cols, [][]types.Datum{{types.NewInt(job.ID())}}), nil
		}
		row, err := s.waitForJob(ctx, job)
		if err != nil {
			return nil, err
		}
		return jobRows("IMPORT", cols, [][]types.Datum{row.Result()}), nil
	}}
}

// newImport looks at the statement in a transaction that ends with the look: the session holds no lock while the job runs.
func (s *Session) newImport(ctx context.Context, q *statement, st *parse.ImportStmt) (*exec.Import, error) {
	txn, err := s.engine.options.KV.Begin(kv.TxnOptions{LockTimeout: s.derived.lockTimeout, Owner: int64(s.pid)})
	if err != nil {
		return nil, err
	}
	defer txn.Rollback()
	ec := *s.Context()
	ec.Names, ec.Enums = nil, nil // the session's, and the import runs on goroutines of its own
	view := s.engine.catalog.View(txn)
	view.ActAs(s.derived.userOID, s.database.ID)
	env := &exec.Env{
		KV: s.engine.options.KV, Txn: txn, View: view, Database: s.database, SearchPath: s.searchPath(), User: s.derived.user, UserOID: s.derived.userOID,
		Text: q.text, Memory: exec.NewMemory(0), Notice: func(*sqlerr.Error) {}, Eval: &expr.EvalContext{Types: &ec},
	}
	return exec.NewImport(ctx, env, st, s.engine.options.ImportFS, s.engine.options.ImportDir)
}

// waitForJob waits for a job and tells the client how far it is. If the statement is cancelled, so is the job.
func (s *Session) waitForJob(ctx context.Context, job *jobs.Job) (jobs.Row, error) {
	type end struct {
		row jobs.Row
		err error
	}
	ended := make(chan end, 1)
	go func() {
		row, err := job.Wait(ctx)
		ended <- end{row, err}
	}()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case e := <-ended:
			if e.err != nil && ctx.Err() != nil {
				return e.row, context.Cause(ctx)
			}
			return e.row, e.err
		case <-tick.C:
			row := job.Row()
			s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", progressText(row)))
		}
	}
}

// progressText is what a client is told of a job that runs.
func progressText(row jobs.Row) string {
	text := fmt.Sprintf("job %d: %.0f%% done", row.ID, 100*row.Fraction)
	if row.Stage != "" {
		text += ", " + row.Stage
	}
	return text + fmt.Sprintf(", %d rows, %d bytes", row.Rows, row.Bytes)
}

// showJobsUtility is SHOW JOBS and SHOW JOB id.
func (s *Session) showJobsUtility(q *statement, st *parse.ShowJobsStmt) utility {
	cols := jobColumns(jobs.Columns)
	return utility{columns: cols, run: func(ctx context.Context) (run, error) {
		rows, err := s.engine.jobs.List(ctx)
		if err != nil {
			return nil, err
		}
		super, err := s.superuserNow(ctx)
		if err != nil {
			return nil, err
		}
		if !super {
			rows = slices.DeleteFunc(rows, func(r jobs.Row) bool { return r.User != s.derived.user })
		}
		var id int64
		if st.ID != nil {
			if id, err = s.jobID(ctx, q, st.ID); err != nil {
				return nil, err
			}
		}
		var out [][]types.Datum
		for i := range rows {
			if st.ID == nil || rows[i].ID == id {
				out = append(out, rows[i].Datums())
			}
		}
		if st.ID != nil && out == nil {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "job %d does not exist", id)
		}
		return jobRows("SHOW JOBS", cols, out), nil
	}}
}

// jobID evaluates the id that a statement names.
func (s *Session) jobID(ctx context.Context, q *statement, e parse.Expr) (int64, error) {
	view, err := s.needView()
	if err != nil {
		return 0, err
	}
	exprs, err := s.planner(ctx, view, q.text).Arguments([]parse.Expr{e}, []types.Type{types.Int8})
	if err != nil {
		return 0, err
	}
	env, err := s.newEnv(ctx, q, nil)
	if err != nil {
		return 0, err
	}
	values, err := exec.EvalAll(env, exprs)
	if err != nil {
		return 0, err
	}
	if values[0].Null {
		return 0, sqlerr.New(sqlerr.NullValueNotAllowed, "a job's id must not be null")
	}
	return values[0].Int(), nil
}

// runJobControl is CANCEL JOB.
func (s *Session) runJobControl(ctx context.Context, q *statement, st *parse.JobControlStmt) (string, error) {
	if st.Action != parse.CancelJob {
		return "", sqlerr.Unsupported(statementName(q.Text))
	}
	id, err := s.jobID(ctx, q, st.ID)
	if err != nil {
		return "", err
	}
	if err := s.mustBeSuperuser(ctx, "must be superuser to cancel jobs"); err != nil {
		return "", err
	}
	return "CANCEL JOB", s.engine.jobs.Cancel(ctx, id)
}
