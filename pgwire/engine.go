package pgwire

import (
	"context"

	"minidb/sql"
	"minidb/sql/types"
)

// engine and the interfaces below are what the protocol needs of package sql, whose types have the same methods. They stand
// between the two so that tests of the protocol can have a session that waits, panics or fails at will.
type engine interface {
	newSession(sql.SessionOptions) (session, error)
	verifier(user string) (string, error)
}

type session interface {
	PID() int32
	Parameters() []sql.Param
	Context() *types.Context
	TxStatus() byte
	Notifications() []sql.Notification
	Query(ctx context.Context, text string, each func(portal) error) error
	Prepare(ctx context.Context, text string, paramTypes []types.OID) (prepared, error)
	Argument(ctx context.Context, t types.Type, raw []byte, binary bool) (types.Datum, error)
	// KeepStatement gives a statement a name, which PREPARE's names are among; Statement finds it (nil: there is none).
	KeepStatement(name string, p prepared)
	Statement(name string) prepared
	DropStatement(name string)
	Bind(ctx context.Context, p prepared, args []types.Datum) (portal, error)
	CursorPortal(name string) portal // nil: there is none
	DropCursor(name string)
	Sync(ctx context.Context) error
	Fail()
	Cancel()
	Close()
}

type prepared interface {
	ParamTypes() []types.Type
	Columns() []sql.Column
}

type portal interface {
	Columns() []sql.Column
	Next(ctx context.Context, maxRows int) (*types.Batch, error)
	Tag() string
	Close() error
}

// sqlEngine is a sql.Engine.
type sqlEngine struct{ *sql.Engine }

func (e sqlEngine) verifier(user string) (string, error) { return e.Verifier(user) }

func (e sqlEngine) newSession(o sql.SessionOptions) (session, error) {
	s, err := e.NewSession(o)
	if err != nil {
		return nil, err
	}
	return sqlSession{s}, nil
}

// sqlSession is a sql.Session.
type sqlSession struct{ *sql.Session }

func (s sqlSession) Query(ctx context.Context, text string, each func(portal) error) error {
	return s.Session.Query(ctx, text, func(p *sql.Portal) error { return each(p) })
}

func (s sqlSession) Prepare(ctx context.Context, text string, paramTypes []types.OID) (prepared, error) {
	p, err := s.Session.Prepare(ctx, text, paramTypes)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (s sqlSession) KeepStatement(name string, p prepared) {
	s.Session.KeepStatement(name, p.(*sql.Prepared))
}

func (s sqlSession) Statement(name string) prepared {
	if p := s.Session.Statement(name); p != nil {
		return p
	}
	return nil
}

func (s sqlSession) Bind(ctx context.Context, p prepared, args []types.Datum) (portal, error) {
	out, err := s.Session.Bind(ctx, p.(*sql.Prepared), args)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s sqlSession) CursorPortal(name string) portal {
	if p := s.Session.CursorPortal(name); p != nil {
		return p
	}
	return nil
}
