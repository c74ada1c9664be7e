package sql

import (
	"context"
	"strconv"
	"time"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/plan"
)

// tempName is the name of the schema of the session's temporary objects.
func (s *Session) tempName() string { return plan.TempPrefix + strconv.Itoa(int(s.pid)) }

// tempMade notes that the session has temporary objects, and gives the search path that finds them.
func (s *Session) tempMade() []string {
	if !s.hasTemp {
		s.hasTemp = true
		s.deriveContext()
	}
	return s.derived.path
}

// endTemporary does what temporary tables want done at the end of a transaction.
func (s *Session) endTemporary(ctx context.Context) error {
	if !s.hasTemp || !s.tx.used || s.tx.modes.readOnly {
		return nil
	}
	env, err := s.newEnv(ctx, &statement{}, nil)
	if err != nil {
		return err
	}
	return exec.EndTransaction(ctx, env)
}

// dropTempTimeout bounds how long a session that ends tries to drop its temporary objects; what it leaves goes at the next start.
const dropTempTimeout = 10 * time.Second

// dropTemp drops the session's temporary objects in a transaction of their own.
func (s *Session) dropTemp() {
	if !s.hasTemp {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropTempTimeout)
	defer cancel()
	if err := s.engine.dropTemporary(ctx, s.tempName()); err != nil {
		s.engine.options.Logger.Warn("cannot drop the temporary objects of a session", "error", err)
	}
}

// dropTemporary drops the temporary objects of the session with a schema of that name; "" of all sessions that ever were.
func (e *Engine) dropTemporary(ctx context.Context, schema string) error {
	txn, err := e.options.KV.Begin(kv.TxnOptions{Sync: kv.SyncOS})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	view := e.catalog.View(txn)
	if err := exec.DropTemporary(ctx, view, schema); err != nil || !view.Changed() {
		return err
	}
	if err := txn.Commit(ctx); err != nil {
		return err
	}
	view.Committed()
	return nil
}

// discardTemp is DISCARD TEMP, in the session's transaction.
func (s *Session) discardTemp(ctx context.Context, view *catalog.View) error {
	if !s.hasTemp {
		return nil
	}
	return exec.DropTemporary(ctx, view, s.tempName())
}
