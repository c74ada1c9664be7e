package sql

import (
	"strings"
	"sync"
	"time"

	"minidb/sql/internal/pgcatalog"
)

// activity is what a session does, for others to see in pg_stat_activity.
type activity struct {
	started time.Time // of the session

	mu                                    sync.Mutex
	query, state, application             string
	queryStart, stateChange, transactions time.Time
}

// note tells that the session is in a state from now on; transaction is when the one that is open began, if any is.
func (a *activity) note(state string, transaction, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state, a.stateChange = state, now
	if state != "active" || a.transactions.IsZero() {
		a.transactions = transaction
	}
}

// noteQuery tells what the session runs.
func (a *activity) noteQuery(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.query, a.queryStart = text, a.stateChange
	if a.transactions.IsZero() {
		a.transactions = a.stateChange
	}
}

// noteApplication tells the client's name.
func (a *activity) noteApplication(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.application = name
}

// describe is the row of the session, without what never changes.
func (a *activity) describe() pgcatalog.Activity {
	a.mu.Lock()
	defer a.mu.Unlock()
	return pgcatalog.Activity{
		Application: a.application, State: a.state, Query: strings.TrimSpace(a.query), Start: a.started, TxnStart: a.transactions,
		QueryStart: a.queryStart, StateChange: a.stateChange,
	}
}

// idleState is the state between statements.
func (s *Session) idleState() string {
	switch {
	case s.tx.block && s.tx.failed:
		return "idle in transaction (aborted)"
	case s.tx.block:
		return "idle in transaction"
	}
	return "idle"
}
