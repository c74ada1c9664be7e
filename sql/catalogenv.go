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

// Activity describes the sessions. What others run is hidden from who does not have their rights.
func (e catalogEnv) Activity() []pgcatalog.Activity {
	all := e.s.engine.activity()
	who, err := e.acting()
	for i := range all {
		if a := &all[i]; err != nil || !who.Has(a.Role) {
			a.Query, a.Address, a.State = "<insufficient privilege>", "", ""
			a.TxnStart, a.QueryStart, a.StateChange, a.Start = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		}
	}
	return all
}

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

func (e catalogEnv) acting() (*catalog.Acting, error) {
	view, err := e.View()
	if err != nil {
		return nil, err
	}
	return view.Acting(e.Context())
}

// Signal cancels what a session runs, or ends it, for superusers and for who has its role's privileges.
func (e catalogEnv) Signal(pid int32, end bool) (bool, error) {
	e.s.engine.mu.Lock()
	to := e.s.engine.sessions[pid]
	e.s.engine.mu.Unlock()
	if to == nil {
		return false, nil
	}
	who, err := e.acting()
	if err != nil {
		return false, err
	}
	superuser, query := "must be a superuser to cancel superuser query", "query is being canceled"
	if end {
		superuser, query = "must be a superuser to terminate superuser process", "process is being terminated"
	}
	switch {
	case to.authenticated.Superuser && !who.Role.Superuser:
		return false, sqlerr.New(sqlerr.InsufficientPrivilege, "%s", superuser)
	case !who.Has(to.authenticated.OID):
		return false, sqlerr.New(sqlerr.InsufficientPrivilege, "must be a member of the role whose %s or member of pg_signal_backend", query)
	}
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
		a.PID, a.Database, a.User, a.Address, a.Role = s.pid, s.database, s.opts.User, s.opts.RemoteAddr, s.authenticated.OID
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

func (e catalogEnv) ViewText(view *catalog.Table, form pgcatalog.ViewForm) (string, error) {
	v, err := e.View()
	if err != nil {
		return "", err
	}
	return e.s.planner(e.Context(), v, "").ViewText(view, form)
}
