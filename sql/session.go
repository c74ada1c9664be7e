package sql

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// SessionOptions describe a client.
type SessionOptions struct {
	User            string // empty: postgres
	Database        string // empty: the user's name; a database that does not exist is 3D000
	ApplicationName string
	RemoteAddr      string
	// Params are the settings of the startup message, checked as by SET.
	Params map[string]string
	// Notice is called with notices and warnings while a call of the session runs, on that call's goroutine. Those below
	// client_min_messages are left out. Nil: they are dropped.
	Notice func(*sqlerr.Error)
	// ParamChanged is called when a setting changes whose changes PostgreSQL reports. Nil: not called.
	ParamChanged func(name, value string)
	// Terminate is called, on a goroutine of its own, when the session has to end for the given reason, such as
	// idle_in_transaction_session_timeout: the error is for the client, and Close should follow soon. Nil: such limits do not act.
	Terminate func(*sqlerr.Error)
	// Portals are the protocol's portals, for FETCH, MOVE and CLOSE. Nil: there are none.
	Portals PortalNames
	// Notified is called, from any goroutine, when the session has got its first notification since Notifications took the last. It must
	// not wait. Nil: not called.
	Notified func()
	// Copy is where COPY … STDIN and STDOUT read and write. Nil: they are refused.
	Copy CopyStream
}

// PortalNames are portals with names that somebody else keeps. They share their names with the cursors.
type PortalNames interface {
	Portal(name string) *Portal // nil: there is none
	ClosePortal(name string)
}

// Session is one client's settings and transaction. Its methods are for one goroutine at a time, Cancel excepted.
type Session struct {
	engine   *Engine
	opts     SessionOptions
	pid      int32
	settings settingsState
	derived  derived        // from settings
	context  *types.Context // replaced, never changed, while a statement runs; read by Context
	reader   *pgcatalog.Reader
	tx       transaction
	deferred exec.Deferred // of tx
	database *catalog.Database
	// authenticated is the role that logged in, as it was then. roles and superusers are what was known of each role, by name, when
	// the session began to act for it.
	authenticated *catalog.Role
	roles         map[string]types.OID
	superusers    map[string]bool
	hasTemp       bool                 // has made temporary objects
	hasMail       atomic.Bool          // Notifications has something to give
	prepared      map[string]*Prepared // by PREPARE or the protocol
	portals       map[*Portal]struct{} // open ones, which hold iterators of the transaction
	cursors       map[string]*cursor   // by DECLARE
	texts         texts
	idle          idleTimer
	work          work
	// sequences is for currval and lastval.
	sequences sequenceValues
	activity  activity
}

// Param is a setting's name and value as ParameterStatus reports them.
type Param struct{ Name, Value string }

// NewSession makes a session. Errors are *sqlerr.Error.
func (e *Engine) NewSession(o SessionOptions) (*Session, error) {
	if o.User == "" {
		o.User = "postgres"
	}
	if o.Database == "" {
		o.Database = o.User
	}
	s := &Session{engine: e, opts: o, pid: e.lastPID.Add(1), portals: map[*Portal]struct{}{}}
	s.reader = pgcatalog.NewReader(catalogEnv{s})
	if err := s.checkNames(); err != nil {
		return nil, err
	}
	s.activity.started = e.options.Now()
	s.activity.note("idle", time.Time{}, s.activity.started)
	if err := s.startVars(); err != nil {
		return nil, err
	}
	if err := e.register(s); err != nil {
		return nil, err
	}
	return s, nil
}

// startVars sets what the startup message asked for, without telling the client: Parameters does.
func (s *Session) startVars() error {
	report := s.opts.ParamChanged
	s.opts.ParamChanged = nil
	defer func() { s.opts.ParamChanged = report }()
	s.settings.current = vars{sessionSetting: s.opts.User, "is_superuser": onOff(s.authenticated.Superuser)}
	if s.opts.ApplicationName != "" {
		s.settings.current["application_name"] = s.opts.ApplicationName
	}
	s.settings.session = s.settings.current
	s.deriveContext()
	for _, x := range s.storedSettings() {
		if err := s.setVar(x.Name, x.Value, false); err != nil {
			// What was stored may have become wrong since, which must not keep the role out.
			if e, ok := sqlerr.As(err); ok {
				s.notice(e.WithSeverity(sqlerr.SeverityWarning))
			}
		}
	}
	for name, value := range s.opts.Params {
		if err := s.setVar(name, value, false); err != nil {
			return err
		}
	}
	s.settings.start = s.settings.current
	return nil
}

// Close rolls back what runs. The session must not be used any more.
func (s *Session) Close() {
	s.idle.stop()
	s.endTransaction()
	s.engine.hub.remove(s)
	s.dropTemp()
	s.work.close()
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	delete(s.engine.sessions, s.pid)
}

// PID is the number by which other sessions and cancel requests name this one.
func (s *Session) PID() int32 { return s.pid }

// Cancel ends the running statement, if there is one, with 57014. It may be called from any goroutine.
func (s *Session) Cancel() {
	s.work.interrupt(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
}

// call runs f as a call of the session: cancellable, with errors mapped to *sqlerr.Error, with panics turned into errors, and with an
// error noted in the transaction. Inside another call it only runs f: the outer one does all that.
func (s *Session) call(ctx context.Context, f func(ctx context.Context) error) (err error) {
	if s.work.running != nil {
		return f(s.work.running)
	}
	s.idle.stop()
	s.activity.note("active", time.Time{}, s.engine.options.Now())
	ctx = s.work.begin(ctx)
	defer func() {
		if p := recover(); p != nil {
			s.engine.options.Logger.Error("panic in a session", "panic", p, "stack", string(debug.Stack()))
			err = sqlerr.Internal("internal error: %v", p)
		}
		if e, ok := sqlerr.As(err); ok {
			s.nameTypes(e)
		}
		s.work.end()
		if err != nil {
			err = mapError(ctx, err)
			s.Fail()
		}
		s.activity.note(s.idleState(), s.tx.start, s.engine.options.Now())
		s.idle.start(s)
	}()
	return f(ctx)
}

// Parameters are the settings to report to a new client, in a fixed order.
func (s *Session) Parameters() []Param {
	var out []Param
	for i := range settingTable {
		if st := &settingTable[i]; st.report {
			out = append(out, Param{st.name, s.settings.current.get(st)})
		}
	}
	return out
}

// Context is what the text and binary forms of values depend on, as of now. The caller must not change it; the next call of the
// session may replace it.
func (s *Session) Context() *types.Context {
	if start := s.tx.start; !start.IsZero() && s.context.TxnTime != start {
		ec := *s.context
		ec.TxnTime = start
		s.context = &ec
	}
	return s.context
}

// notice sends a notice or warning to the client.
func (s *Session) notice(n *sqlerr.Error) {
	s.nameTypes(n)
	s.texts.notices++
	if s.opts.Notice != nil && severityRank(n.Severity) >= s.derived.minSeverity {
		s.opts.Notice(n)
	}
}

// severityRank orders severities and the values of client_min_messages.
func severityRank(severity string) int {
	switch severity {
	case "log", sqlerr.SeverityLog:
		return 1
	case "notice", sqlerr.SeverityNotice:
		return 2
	case "warning", sqlerr.SeverityWarning:
		return 3
	case sqlerr.SeverityInfo: // always sent
		return 5
	case "error", sqlerr.SeverityError:
		return 4
	}
	return 0
}

// Column describes a column of a result.
type Column struct {
	Name     string
	Type     types.Type
	TableOID types.OID // of the table the column comes from; 0 if it is computed
	Attr     int16     // the column's number in that table
}
