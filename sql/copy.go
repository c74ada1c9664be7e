package sql

import (
	"context"
	"io"
	"strconv"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// CopyStream is the client's end of COPY … FROM STDIN and TO STDOUT. Its methods are called while a call of the session runs, on that
// call's goroutine.
type CopyStream interface {
	// BeginCopyIn asks the client for rows of so many columns. What it returns gives their bytes, io.EOF at the regular end, and an
	// *sqlerr.Error where the client gives up, is gone, or ctx has ended. It is closed when the statement is done with it, at the end
	// or not.
	BeginCopyIn(ctx context.Context, binary bool, columns int) (io.ReadCloser, error)
	// BeginCopyOut announces rows of so many columns.
	BeginCopyOut(binary bool, columns int) error
	// CopyRow hands one row on, whose bytes it does not keep.
	CopyRow(row []byte) error
	// EndCopyOut ends what BeginCopyOut began, if no error did.
	EndCopyOut() error
}

// copyUtility runs COPY.
func (s *Session) copyUtility(q *statement, st *parse.CopyStmt) utility {
	return tagged(func(ctx context.Context) (string, error) {
		if err := s.checkCopyTarget(st); err != nil {
			return "", err
		}
		copyRows := s.copyTo
		if st.From {
			copyRows = s.copyFrom
		}
		n, err := copyRows(ctx, q, st)
		return "COPY " + strconv.FormatInt(n, 10), err
	})
}

// checkCopyTarget refuses the server's files and programs, in PostgreSQL's words for a role that may not use them.
func (s *Session) checkCopyTarget(st *parse.CopyStmt) error {
	var role, what string
	switch {
	case st.Std && s.opts.Copy == nil:
		return sqlerr.Unsupported("COPY")
	case st.Std:
		return nil
	case st.Program:
		role, what = "pg_execute_server_program", "to or from an external program"
	case st.From:
		role, what = "pg_read_server_files", "from a file"
	default:
		role, what = "pg_write_server_files", "to a file"
	}
	return sqlerr.New(sqlerr.InsufficientPrivilege, "must be superuser or have privileges of the %s role to COPY %s", role, what).
		WithHint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.")
}

func (s *Session) copyFrom(ctx context.Context, q *statement, st *parse.CopyStmt) (int64, error) {
	view, err := s.needView()
	if err != nil {
		return 0, err
	}
	env, err := s.newEnv(ctx, q, nil)
	if err != nil {
		return 0, err
	}
	c, err := exec.NewCopyFrom(ctx, env, s.planner(ctx, view, q.text), st)
	if err != nil {
		return 0, err
	}
	if s.tx.modes.readOnly {
		return 0, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute COPY FROM in a read-only transaction")
	}
	if env, err = s.beginUtility(ctx, q); err != nil {
		return 0, err
	}
	in, err := s.opts.Copy.BeginCopyIn(ctx, c.Binary(), c.Columns())
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return c.Run(ctx, env, in)
}

func (s *Session) copyTo(ctx context.Context, q *statement, st *parse.CopyStmt) (int64, error) {
	view, err := s.needView()
	if err != nil {
		return 0, err
	}
	env, err := s.newEnv(ctx, q, nil)
	if err != nil {
		return 0, err
	}
	c, err := exec.NewCopyTo(ctx, env, st)
	if err != nil {
		return 0, err
	}
	planner := s.planner(ctx, view, q.text)
	planner.NoParams, planner.Snapshot = true, s.snapshot()
	p, err := planner.Plan(c.Query, nil)
	if err != nil {
		return 0, err
	}
	if p.Err != nil {
		return 0, p.Err
	}
	if p.Columns == nil {
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "COPY query must have a RETURNING clause")
	}
	names := make([]string, len(p.Columns))
	for i := range names {
		names[i] = p.Columns[i].Name
	}
	if err := c.SetColumns(names); err != nil {
		return 0, err
	}
	if p.Writes && s.tx.modes.readOnly {
		return 0, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", firstWord(p.Tag))
	}
	if env, err = s.beginUtility(ctx, q); err != nil {
		return 0, err
	}
	rows := &planRun{plan: p, env: env}
	if err := rows.open(ctx); err != nil {
		return 0, err
	}
	defer rows.close()
	stream := s.opts.Copy
	if err := stream.BeginCopyOut(c.Binary(), len(names)); err != nil {
		return 0, err
	}
	n, err := c.Run(ctx, env, rows.root, stream.CopyRow)
	if err != nil {
		return 0, err
	}
	return n, stream.EndCopyOut()
}
