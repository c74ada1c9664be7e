package sql

import (
	"context"
	"time"

	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
)

// serverEnv is what statements about databases need of the server.
type serverEnv struct{ s *Session }

// forceWait is how long DROP DATABASE … (FORCE) waits for the sessions that it ended, as in PostgreSQL.
const forceWait = 5 * time.Second

// Sessions counts the other sessions that use a database.
func (e serverEnv) Sessions(db catalog.ID) int {
	e.s.engine.mu.Lock()
	defer e.s.engine.mu.Unlock()
	return len(e.othersLocked(db))
}

func (e serverEnv) othersLocked(db catalog.ID) []*Session {
	var out []*Session
	for _, s := range e.s.engine.sessions {
		if s != e.s && s.database.ID == db {
			out = append(out, s)
		}
	}
	return out
}

// Quiesce keeps new sessions out of a database until the transaction has ended, and counts the other sessions that use it.
func (e serverEnv) Quiesce(ctx context.Context, db catalog.ID, force bool) (int, error) {
	engine := e.s.engine
	engine.mu.Lock()
	if engine.closing[db] {
		engine.mu.Unlock()
		return 0, sqlerr.New(sqlerr.ObjectInUse, "the database is being dropped or renamed by another session")
	}
	engine.closing[db] = true
	others := e.othersLocked(db)
	engine.mu.Unlock()
	e.s.tx.closing = append(e.s.tx.closing, db)
	if !force || len(others) == 0 {
		return len(others), nil
	}
	for _, s := range others {
		engine.signal(s.pid, true)
	}
	deadline := time.NewTimer(forceWait)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-deadline.C:
			return e.Sessions(db), nil
		case <-tick.C:
			if n := e.Sessions(db); n == 0 {
				return 0, nil
			}
		}
	}
}

// reopen lets sessions into the databases again that the transaction kept them out of.
func (s *Session) reopen() {
	if len(s.tx.closing) == 0 {
		return
	}
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	for _, db := range s.tx.closing {
		delete(s.engine.closing, db)
	}
}
