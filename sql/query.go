package sql

import (
	"context"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Query runs one simple-protocol message. It parses all of text, then runs each statement by calling each with its portal; each pulls
// until Next gives nil and returns the error that Next gave. A portal that each left unfinished is finished here. The whole text is one
// implicit transaction, until it says BEGIN; it has committed when the last portal's Next gives nil. An empty text gives one portal
// with an empty Tag and no columns. After an error, which is returned as *sqlerr.Error, the rest is skipped, and the transaction is
// rolled back or, in a block, has failed.
func (s *Session) Query(ctx context.Context, text string, each func(*Portal) error) error {
	return s.call(ctx, func(ctx context.Context) error {
		s.activity.noteQuery(text)
		q, args, err := s.lift(ctx, text)
		if err != nil {
			return err
		}
		if q != nil {
			return s.runPortal(ctx, &Portal{session: s, columns: q.columns, planned: q, plan: q.cached.plan, args: args}, true, each)
		}
		stmts, err := s.parseShort(text)
		if err != nil {
			return err
		}
		if len(stmts) == 0 {
			return each(&Portal{session: s, state: portalDone})
		}
		for i := range stmts {
			if err := s.runStatement(ctx, &stmts[i], text, i == len(stmts)-1, len(stmts) > 1, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// runStatement runs one statement of a Query message.
func (s *Session) runStatement(ctx context.Context, st *parse.Statement, text string, last, several bool, each func(*Portal) error) error {
	q := &statement{Statement: st, text: text, simple: true, severalInMessage: several}
	portal, err := s.newPortal(ctx, q, nil)
	if err != nil {
		return err
	}
	return s.runPortal(ctx, portal, last, each)
}

// runPortal runs a statement of a Query message to its end.
func (s *Session) runPortal(ctx context.Context, portal *Portal, last bool, each func(*Portal) error) error {
	portal.last = last
	defer portal.Close()
	if err := each(portal); err != nil {
		return err
	}
	for {
		if b, err := portal.Next(ctx, 0); b == nil || err != nil {
			return err
		}
	}
}

// parse parses a text. A syntax error fails the transaction, as any other.
func (s *Session) parse(text string) ([]parse.Statement, error) {
	for _, name := range parse.LongNames(text) {
		s.notice(sqlerr.Notice(sqlerr.NameTooLong, "identifier \"%s\" will be truncated to \"%s\"", name[0], name[1]))
	}
	return parse.Parse(text)
}

// Prepare parses and plans one statement, or none (an empty text). More than one is 42601. paramTypes may be shorter than the
// parameters, and zero where the type is to be inferred.
func (s *Session) Prepare(ctx context.Context, text string, paramTypes []types.OID) (*Prepared, error) {
	var p *Prepared
	err := s.call(ctx, func(ctx context.Context) error {
		if d := s.derived.statementTimeout; d > 0 {
			defer s.work.interruptAfter(d, errStatementTimeout).Stop()
		}
		var err error
		p, err = s.prepare(ctx, text, paramTypes)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Session) prepare(ctx context.Context, text string, paramTypes []types.OID) (*Prepared, error) {
	known, entry := s.again(ctx, text, paramTypes)
	if known != nil {
		return &Prepared{statement: known}, nil
	}
	before := s.texts.notices
	stmts, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	switch len(stmts) {
	case 0:
		return &Prepared{}, nil
	case 1:
	default:
		return nil, sqlerr.New(sqlerr.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	q := &statement{Statement: &stmts[0], text: text}
	for _, oid := range paramTypes {
		if oid == 0 {
			oid = types.UnknownOID
		}
		q.given = append(q.given, types.Type{OID: oid, Mod: -1})
	}
	if err := s.describe(ctx, q); err != nil {
		return nil, err
	}
	entry.remember(q, s.texts.notices != before)
	return &Prepared{statement: q}, nil
}

// Prepared is a statement with its parameters' types and its result's columns.
type Prepared struct{ statement *statement }

// ParamTypes are the parameters' types, all known.
func (p *Prepared) ParamTypes() []types.Type {
	if p.statement == nil {
		return nil
	}
	return p.statement.params
}

// Columns are the result's columns; nil if the statement gives no rows.
func (p *Prepared) Columns() []Column {
	if p.statement == nil {
		return nil
	}
	return p.statement.columns
}

// Bind makes a portal of a prepared statement and its arguments, which have the types of ParamTypes and are kept by the portal.
func (s *Session) Bind(ctx context.Context, p *Prepared, args []types.Datum) (*Portal, error) {
	if p.statement == nil {
		return &Portal{session: s, state: portalDone}, nil
	}
	var portal *Portal
	err := s.call(ctx, func(ctx context.Context) error {
		if len(args) != len(p.statement.params) {
			return sqlerr.New(sqlerr.ProtocolViolation, "bind message supplies %d parameters, but prepared statement requires %d", len(args), len(p.statement.params))
		}
		s.activity.noteQuery(p.statement.text)
		var err error
		portal, err = s.newPortal(ctx, p.statement, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	return portal, nil
}

// Sync ends the extended protocol's implicit transaction: commits it, or rolls it back after an error. In a block it does nothing.
func (s *Session) Sync(ctx context.Context) error {
	if s.tx.block || s.tx.start.IsZero() {
		return nil
	}
	return s.call(ctx, s.commit)
}
