package sql

import (
	"context"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// runDeferred looks at the deferred constraints of the transaction, which is about to commit.
func (s *Session) runDeferred(ctx context.Context, only func(types.OID) bool) error {
	if s.tx.deferred == nil || s.tx.deferred.Mark() == 0 {
		return nil
	}
	env, err := s.newEnv(ctx, &statement{}, nil)
	if err != nil {
		return err
	}
	return s.tx.deferred.Run(ctx, env, only)
}

// runSetConstraints is SET CONSTRAINTS.
func (s *Session) runSetConstraints(ctx context.Context, env *exec.Env, st *parse.SetConstraintsStmt) error {
	if !s.tx.block {
		s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "SET CONSTRAINTS can only be used in transaction blocks"))
		return nil
	}
	var keys []types.OID
	for _, name := range st.Names {
		oids, err := exec.DeferrableKeys(ctx, env, name)
		if err != nil {
			return err
		}
		keys = append(keys, oids...)
	}
	return s.tx.deferred.SetConstraints(ctx, env, keys, st.Deferred)
}
