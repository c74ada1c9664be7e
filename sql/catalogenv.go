package sql

import (
	"context"
	"errors"
	"time"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
)

// catalogEnv is what the system catalogs may ask of a session.
type catalogEnv struct{ s *Session }

// errNoTransaction: nothing is begun to look into the catalog when no statement runs.
var errNoTransaction = errors.New("no transaction to read the catalog in")

func (e catalogEnv) View() (*catalog.View, error) {
	if e.s.tx.txn == nil && e.s.work.running == nil {
		return nil, errNoTransaction
	}
	return e.s.needView()
}

func (e catalogEnv) Database() *catalog.Database { return e.s.database }
func (e catalogEnv) User() string                { return e.s.derived.user }
func (e catalogEnv) SearchPath() []string        { return e.s.searchPath() }
func (e catalogEnv) Cache() *pgcatalog.Cache     { return &e.s.engine.snapshots }
func (e catalogEnv) Started() time.Time          { return e.s.engine.started }
func (e catalogEnv) Notice(n *sqlerr.Error)      { e.s.notice(n) }

func (e catalogEnv) Context() context.Context {
	if e.s.work.running == nil {
		return context.Background()
	}
	return e.s.work.running
}

func (e catalogEnv) Settings() []pgcatalog.Setting {
	out := make([]pgcatalog.Setting, 0, len(settingTable))
	for i := range settingTable {
		st := &settingTable[i]
		out = append(out, pgcatalog.Setting{
			Name: st.name, Value: e.s.settings.current.get(st), Unit: st.unit.name, Description: st.describe, Initial: st.initial,
			Reset: e.s.settings.start.get(st), Fixed: st.fixed,
		})
	}
	return out
}

func (e catalogEnv) Activity() []pgcatalog.Activity { return e.s.engine.activity() }

// lockNames are the modes of table locks as pg_locks shows them.
var lockNames = map[kv.TableLock]string{
	kv.TableAccessShare: "AccessShareLock", kv.TableRowShare: "RowShareLock", kv.TableRowExclusive: "RowExclusiveLock",
	kv.TableShareUpdateExclusive: "ShareUpdateExclusiveLock", kv.TableShare: "ShareLock", kv.TableShareRowExclusive: "ShareRowExclusiveLock",
	kv.TableExclusive: "ExclusiveLock", kv.TableAccessExclusive: "AccessExclusiveLock",
}

func (e catalogEnv) TableLocks() []pgcatalog.TableLock {
	var out []pgcatalog.TableLock
	for _, l := range e.s.engine.options.KV.TableLocks() {
		out = append(out, pgcatalog.TableLock{Key: l.Name, PID: int32(l.Tag), Mode: lockNames[l.Mode], Granted: l.Granted})
	}
	return out
}

func (e catalogEnv) Signal(pid int32, end bool) (bool, error) {
	return e.s.engine.signal(pid, end), nil
}

func (e catalogEnv) IndexBytes(t *catalog.Table, x *catalog.Index) (int64, error) {
	return e.s.engine.options.KV.SpanBytes(kv.PrefixSpan(rowenc.IndexPrefix(t.ID, x.ID)))
}

// activity describes the sessions.
func (e *Engine) activity() []pgcatalog.Activity {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]pgcatalog.Activity, 0, len(e.sessions))
	for _, s := range e.sessions {
		a := s.activity.describe()
		a.PID, a.Database, a.User, a.Address = s.pid, s.database, s.opts.User, s.opts.RemoteAddr
		out = append(out, a)
	}
	return out
}

// signal cancels what a session runs, or ends the session; false if there is none of that number.
func (e *Engine) signal(pid int32, end bool) bool {
	e.mu.Lock()
	s := e.sessions[pid]
	e.mu.Unlock()
	switch {
	case s == nil:
		return false
	case end && s.opts.Terminate != nil:
		why := sqlerr.Fatal(sqlerr.AdminShutdown, "terminating connection due to administrator command")
		s.work.interrupt(why)
		go s.opts.Terminate(why)
	default:
		s.Cancel()
	}
	return true
}
