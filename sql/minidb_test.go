package sql_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"minidb/kv"
	"minidb/sql"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
	"minidb/storage/vfs"
)

var background = context.Background()

// testEngine is an engine on a store in memory, with sessions by name.
type testEngine struct {
	t        *testing.T
	fs       *vfs.Mem
	db       *kv.DB
	engine   *sql.Engine
	sessions map[string]*testSession
	// checkable: nothing was done to the store behind the engine's back.
	checkable bool
}

// testSession is a session that collects its notices and parameter changes.
type testSession struct {
	*sql.Session
	notices []*sqlerr.Error
	changed []sql.Param
}

func openMinidb(t *testing.T) *testEngine {
	t.Helper()
	fs := vfs.NewMem()
	e := openMinidbOn(t, fs, kv.Options{FS: fs})
	e.checkable = true
	return e
}

// openMinidbOn opens the store that o tells of; fs is what lies below o's file system.
func openMinidbOn(t *testing.T, fs *vfs.Mem, o kv.Options) *testEngine {
	t.Helper()
	e := &testEngine{t: t, fs: fs, sessions: map[string]*testSession{}}
	logger := slog.New(slog.DiscardHandler)
	o.Dir, o.Logger = "data", logger
	var err error
	if e.db, err = kv.Open(background, o); err != nil {
		t.Fatal(err)
	}
	if err := e.fs.MkdirAll("import"); err != nil {
		t.Fatal(err)
	}
	if e.engine, err = sql.Open(background, sql.Options{KV: e.db, ImportFS: e.fs, ImportDir: "import", Logger: logger, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *testEngine) name() string { return "minidb" }

func (e *testEngine) close() {
	for _, s := range e.sessions {
		s.Close()
	}
	// Whatever a test did, rows and indexes agree.
	if _, err := e.engine.Check(background); err != nil && e.checkable {
		e.t.Error(err)
	}
	if err := e.engine.Close(); err != nil {
		e.t.Error(err)
	}
	if err := e.db.Close(); err != nil {
		e.t.Error(err)
	}
}

// session gives the session of a name, made on first use.
func (e *testEngine) session(name string) *testSession {
	e.t.Helper()
	if s := e.sessions[name]; s != nil {
		return s
	}
	s := &testSession{}
	var err error
	s.Session, err = e.engine.NewSession(sql.SessionOptions{
		User:         "postgres",
		Notice:       func(n *sqlerr.Error) { s.notices = append(s.notices, n) },
		ParamChanged: func(name, value string) { s.changed = append(s.changed, sql.Param{Name: name, Value: value}) },
	})
	if err != nil {
		e.t.Fatal(err)
	}
	e.sessions[name] = s
	return s
}

func (e *testEngine) run(session, text string) result {
	e.t.Helper()
	return e.session(session).run(background, text)
}

// run runs one Query message.
func (s *testSession) run(ctx context.Context, text string) result {
	var out result
	err := s.Query(ctx, text, func(p *sql.Portal) error {
		out = result{}
		for _, c := range p.Columns() {
			out.columns = append(out.columns, c.Name)
		}
		for {
			b, err := p.Next(ctx, 0)
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			out.rows = append(out.rows, textRows(s.Context(), p.Columns(), b)...)
		}
		out.tag = p.Tag()
		return nil
	})
	if err != nil {
		out.err = asError(err)
	}
	return out
}

// asError is err as the *sqlerr.Error that it must be.
func asError(err error) (e *sqlerr.Error) {
	if !errors.As(err, &e) {
		e = sqlerr.Internal("not an *sqlerr.Error: %v", err)
	}
	return e
}

func textRows(ec *types.Context, cols []sql.Column, b *types.Batch) [][]string {
	var out [][]string
	for r := range b.Rows() {
		var row []string
		for c := range cols {
			d := b.Datum(c, r)
			if d.Null {
				row = append(row, formatValue(nil, true))
				continue
			}
			row = append(row, formatValue(types.AppendText(ec, nil, cols[c].Type, d), false))
		}
		out = append(out, row)
	}
	return out
}

// mustRun fails the test if the text fails.
func (s *testSession) mustRun(t *testing.T, text string) result {
	t.Helper()
	r := s.run(background, text)
	if r.err != nil {
		t.Fatalf("%s: %s", text, describeError(r.err))
	}
	return r
}
