package pgwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"minidb/sql"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// fakeEngine makes sessions whose statements are words:
//
//	rows N       N rows of an int4 and a text
//	types        one row with a value of many types
//	echo T ...   a row of the parameters, which have the types T
//	wait         waits for its cancellation
//	deaf         waits until the test lets go, without hearing of its cancellation
//	error        fails with all fields filled
//	panic        panics
//	notice       sends a notice
//	set N=V      changes a setting
//	begin, commit
type fakeEngine struct {
	pid     atomic.Int32
	waiting chan struct{} // gets a value when a statement begins to wait
	letGo   chan struct{}
	closed  atomic.Int32 // sessions that were closed

	mu   sync.Mutex
	last sql.SessionOptions
}

func newFakeEngine() *fakeEngine {
	return &fakeEngine{waiting: make(chan struct{}, 100), letGo: make(chan struct{})}
}

func (e *fakeEngine) options() sql.SessionOptions {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

func (e *fakeEngine) verifier(string) (string, error) { return "", nil }

func (e *fakeEngine) newSession(o sql.SessionOptions) (session, error) {
	if o.Database == "nowhere" {
		return nil, sqlerr.New(sqlerr.InvalidCatalogName, "database \"nowhere\" does not exist")
	}
	if o.User == "panic" {
		panic("no such user")
	}
	e.mu.Lock()
	e.last = o
	e.mu.Unlock()
	return &fakeSession{e: e, o: o, pid: e.pid.Add(1), status: 'I'}, nil
}

type fakeSession struct {
	kept   map[string]prepared // statements with names
	e      *fakeEngine
	o      sql.SessionOptions
	pid    int32
	status byte

	mu     sync.Mutex
	cancel context.CancelCauseFunc
}

func (s *fakeSession) PID() int32 { return s.pid }

func (s *fakeSession) Notifications() []sql.Notification { return nil }

func (s *fakeSession) Context() *types.Context { return nil }

func (s *fakeSession) Argument(_ context.Context, t types.Type, raw []byte, binary bool) (types.Datum, error) {
	if binary {
		return types.DecodeBinary(nil, t, raw)
	}
	return types.Input(nil, t, raw)
}
func (s *fakeSession) TxStatus() byte { return s.status }
func (s *fakeSession) Close()         { s.e.closed.Add(1) }
func (s *fakeSession) Sync(context.Context) error {
	return nil
}

func (s *fakeSession) Parameters() []sql.Param {
	return []sql.Param{{Name: "server_version", Value: "15.0"}, {Name: "client_encoding", Value: "UTF8"}}
}

func (s *fakeSession) CursorPortal(string) portal { return nil }
func (s *fakeSession) DropCursor(string)          {}

func (s *fakeSession) Fail() {
	if s.status == 'T' {
		s.status = 'E'
	}
}

func (s *fakeSession) Cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
	}
}

func (s *fakeSession) Query(ctx context.Context, text string, each func(portal) error) error {
	words := strings.Split(strings.TrimSuffix(text, ";"), ";")
	for _, w := range words {
		p, err := s.portal(strings.TrimSpace(w), nil)
		if err == nil {
			err = each(p)
		}
		if err != nil {
			s.Fail()
			return err
		}
	}
	return nil
}

type fakePrepared struct {
	text   string
	params []types.Type
	cols   []sql.Column
}

func (p *fakePrepared) ParamTypes() []types.Type { return p.params }
func (p *fakePrepared) Columns() []sql.Column    { return p.cols }

func (s *fakeSession) Prepare(_ context.Context, text string, _ []types.OID) (prepared, error) {
	p, err := s.portal(text, nil)
	if err != nil {
		return nil, err
	}
	out := &fakePrepared{text: text, cols: p.cols}
	if rest, ok := strings.CutPrefix(text, "echo "); ok {
		for _, name := range strings.Fields(rest) {
			t, err := types.ParseTypeName(name, nil)
			if err != nil {
				return nil, err
			}
			out.params = append(out.params, t)
		}
	}
	return out, nil
}

func (s *fakeSession) KeepStatement(name string, p prepared) {
	if s.kept == nil {
		s.kept = map[string]prepared{}
	}
	s.kept[name] = p
}

func (s *fakeSession) Statement(name string) prepared { return s.kept[name] }
func (s *fakeSession) DropStatement(name string)      { delete(s.kept, name) }

func (s *fakeSession) Bind(_ context.Context, p prepared, args []types.Datum) (portal, error) {
	return s.portal(p.(*fakePrepared).text, args)
}

// fakePortal gives its rows in batches of 100.
type fakePortal struct {
	s     *fakeSession
	word  string
	cols  []sql.Column
	rows  [][]types.Datum
	total int
	tag   string
}

func (s *fakeSession) portal(text string, args []types.Datum) (*fakePortal, error) {
	word, arg, _ := strings.Cut(text, " ")
	p := &fakePortal{s: s, word: word, tag: strings.ToUpper(word)}
	if s.status == 'E' && word != "commit" {
		return nil, sqlerr.New(sqlerr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	}
	switch word {
	case "", "copyin", "copyout", "wait", "deaf", "error", "panic", "notice", "begin", "commit":
	case "set":
		p.word = text
	case "rows":
		n, err := strconv.Atoi(arg)
		if err != nil {
			return nil, sqlerr.New(sqlerr.SyntaxError, "no number: %s", arg).At(6)
		}
		p.cols = []sql.Column{{Name: "n", Type: types.Int4, TableOID: 16384, Attr: 1}, {Name: "t", Type: types.VarcharN(9)}}
		for i := range n {
			p.rows = append(p.rows, []types.Datum{types.NewInt(int64(i)), types.NewText(fmt.Sprintf("row %d", i))})
		}
		p.total = n
	case "echo":
		for i, name := range strings.Fields(arg) {
			t, err := types.ParseTypeName(name, nil)
			if err != nil {
				return nil, err
			}
			p.cols = append(p.cols, sql.Column{Name: "p" + strconv.Itoa(i+1), Type: t})
		}
		p.rows, p.total = [][]types.Datum{args}, 1
	default:
		return nil, sqlerr.New(sqlerr.SyntaxError, "syntax error at or near \"%s\"", word).At(1)
	}
	return p, nil
}

func (p *fakePortal) Columns() []sql.Column { return p.cols }
func (p *fakePortal) Close() error          { return nil }

func (p *fakePortal) Tag() string {
	if p.cols != nil {
		return fmt.Sprintf("SELECT %d", p.total)
	}
	return p.tag
}

func (p *fakePortal) Next(ctx context.Context, maxRows int) (*types.Batch, error) {
	if len(p.rows) > 0 {
		n := min(len(p.rows), 100)
		if maxRows > 0 {
			n = min(n, maxRows)
		}
		var ts []types.Type
		for _, c := range p.cols {
			ts = append(ts, c.Type)
		}
		b := types.NewBatch(ts)
		for _, row := range p.rows[:n] {
			b.AppendRow(row)
		}
		p.rows = p.rows[n:]
		return b, nil
	}
	switch s := p.s; p.word {
	case "wait", "deaf":
		return nil, s.wait(ctx, p.word == "deaf")
	case "copyin":
		return nil, p.copyIn(ctx)
	case "copyout":
		return nil, p.copyOut()
	case "error":
		return nil, sqlerr.New(sqlerr.CheckViolation, "bad\x00 row").WithDetail("d").WithHint("h").WithWhere("w").At(7).
			WithTable("s", "t").WithColumn("c").WithConstraint("n").WithDataType("dt")
	case "panic":
		panic("as asked for")
	case "notice":
		s.o.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "take note"))
	case "begin":
		s.status = 'T'
	case "commit":
		s.status = 'I'
	default:
		if name, value, ok := strings.Cut(strings.TrimPrefix(p.word, "set "), "="); ok {
			s.o.ParamChanged(name, value)
		}
	}
	return nil, nil
}

func (s *fakeSession) wait(ctx context.Context, deaf bool) error {
	ctx = s.cancellable(ctx)
	s.e.waiting <- struct{}{}
	if deaf {
		<-s.e.letGo
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// cancellable is ctx with Cancel acting on it.
func (s *fakeSession) cancellable(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	return ctx
}

// copyIn takes what the client sends, up to a byte that it does not like, and tells it in the tag.
func (p *fakePortal) copyIn(ctx context.Context) error {
	in, err := p.s.o.Copy.BeginCopyIn(p.s.cancellable(ctx), false, 2)
	if err != nil {
		return err
	}
	defer in.Close()
	select {
	case p.s.e.waiting <- struct{}{}:
	default:
	}
	var all []byte
	for b := make([]byte, 3); ; {
		n, err := in.Read(b)
		all = append(all, b[:n]...)
		switch {
		case errors.Is(err, io.EOF):
			p.tag = fmt.Sprintf("COPY %q", all)
			return nil
		case err != nil:
			return err
		case bytes.IndexByte(all, '!') >= 0:
			return sqlerr.New(sqlerr.BadCopyFileFormat, "bad byte")
		}
	}
}

func (p *fakePortal) copyOut() error {
	out := p.s.o.Copy
	if err := out.BeginCopyOut(true, 1); err != nil {
		return err
	}
	for _, row := range []string{"one", "", "three"} {
		if err := out.CopyRow([]byte(row)); err != nil {
			return err
		}
	}
	p.tag = "COPY 3"
	return out.EndCopyOut()
}
