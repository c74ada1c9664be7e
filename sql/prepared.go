package sql

import (
	"context"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// The SQL statements PREPARE, EXECUTE and DEALLOCATE. Their names are also those of the protocol's prepared statements: a client may
// DEALLOCATE what it has parsed.

// KeepStatement keeps a prepared statement under a name, which has none yet, until DropStatement or DEALLOCATE.
func (s *Session) KeepStatement(name string, p *Prepared) {
	if s.prepared == nil {
		s.prepared = map[string]*Prepared{}
	}
	s.prepared[name] = p
}

// Statement finds a prepared statement; nil: there is none of that name.
func (s *Session) Statement(name string) *Prepared { return s.prepared[name] }

// DropStatement forgets a prepared statement, if there is one of that name.
func (s *Session) DropStatement(name string) { delete(s.prepared, name) }

func (s *Session) runPrepare(ctx context.Context, q *statement, st *parse.PrepareStmt) error {
	if _, ok := s.prepared[st.Name]; ok {
		return sqlerr.New(sqlerr.DuplicatePreparedStatement, "prepared statement \"%s\" already exists", st.Name)
	}
	p := &statement{
		Statement: &parse.Statement{AST: st.Query, Text: st.Text, Start: st.Query.Position(), Params: st.Params},
		text:      q.text,
	}
	for _, name := range st.Types {
		t, err := plan.ResolveType(name, q.text, s.Context())
		if err != nil {
			return err
		}
		p.given = append(p.given, t)
	}
	if err := s.describe(ctx, p); err != nil {
		return err
	}
	s.KeepStatement(st.Name, &Prepared{statement: p})
	return nil
}

func (s *Session) findPrepared(name string) (*statement, error) {
	p := s.prepared[name]
	if p == nil || p.statement == nil {
		return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "prepared statement \"%s\" does not exist", name)
	}
	return p.statement, nil
}

func (s *Session) executeUtility(q *statement, st *parse.ExecuteStmt) (utility, error) {
	p, err := s.findPrepared(st.Name)
	if err != nil {
		return utility{}, err
	}
	return utility{columns: p.columns, run: func(ctx context.Context) (run, error) {
		args, err := s.executeArgs(ctx, q, p, st)
		if err != nil {
			return nil, err
		}
		if isPlanned(p.AST) {
			return s.startPlan(ctx, p, nil, args)
		}
		u, err := s.utility(p)
		if err != nil {
			return nil, err
		}
		return u.run(ctx)
	}}, nil
}

// executeArgs evaluates the arguments of EXECUTE.
func (s *Session) executeArgs(ctx context.Context, q, p *statement, st *parse.ExecuteStmt) ([]types.Datum, error) {
	if len(st.Args) != len(p.params) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "wrong number of parameters for prepared statement \"%s\"", st.Name).
			WithDetail("Expected %d parameters but got %d.", len(p.params), len(st.Args))
	}
	if len(st.Args) == 0 {
		return nil, nil
	}
	view, err := s.needView()
	if err != nil {
		return nil, err
	}
	exprs, err := s.planner(ctx, view, q.text).Arguments(st.Args, p.params)
	if err != nil {
		return nil, err
	}
	env, err := s.newEnv(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	return exec.EvalAll(env, exprs)
}

func (s *Session) runDeallocate(st *parse.DeallocateStmt) (string, error) {
	if st.Name == "" {
		s.prepared = nil
		return "DEALLOCATE ALL", nil
	}
	if s.prepared[st.Name] == nil {
		_, err := s.findPrepared(st.Name)
		return "", err
	}
	s.DropStatement(st.Name)
	return "DEALLOCATE", nil
}
