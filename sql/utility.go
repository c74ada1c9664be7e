package sql

import (
	"context"
	"strings"
	"time"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// utility is a statement that is not planned.
type utility struct {
	columns []Column // nil: no rows
	run     func(ctx context.Context) (run, error)
}

// utility finds what runs a statement.
func (s *Session) utility(q *statement) (utility, error) {
	switch st := q.AST.(type) {
	case *parse.TransactionStmt:
		return tagged(func(ctx context.Context) (string, error) { return s.runTransactionStmt(ctx, st) }), nil
	case *parse.SetStmt:
		return tagged(func(context.Context) (string, error) { return "SET", s.runSet(st) }), nil
	case *parse.SetTransactionStmt:
		return tagged(func(context.Context) (string, error) { return "SET", s.runSetTransaction(st) }), nil
	case *parse.SetConstraintsStmt:
		return s.inEnv(q, func(ctx context.Context, env *exec.Env) (string, error) {
			return "SET CONSTRAINTS", s.runSetConstraints(ctx, env, st)
		}), nil
	case *parse.ResetStmt:
		return tagged(func(context.Context) (string, error) { return "RESET", s.runReset(st) }), nil
	case *parse.DiscardStmt:
		return tagged(func(ctx context.Context) (string, error) { return s.runDiscard(ctx, q, st) }), nil
	case *parse.ShowStmt:
		return s.showUtility(st)
	case *parse.ExplainStmt:
		return s.explainUtility(q, st)
	case *parse.PrepareStmt:
		return tagged(func(ctx context.Context) (string, error) { return "PREPARE", s.runPrepare(ctx, q, st) }), nil
	case *parse.ExecuteStmt:
		return s.executeUtility(q, st)
	case *parse.DeallocateStmt:
		return tagged(func(context.Context) (string, error) { return s.runDeallocate(st) }), nil
	case *parse.DeclareCursorStmt:
		return tagged(func(ctx context.Context) (string, error) { return "DECLARE CURSOR", s.runDeclare(ctx, q, st) }), nil
	case *parse.FetchStmt:
		return s.fetchUtility(st), nil
	case *parse.CloseStmt:
		return tagged(func(context.Context) (string, error) { return s.runClose(st) }), nil
	case *parse.LockStmt:
		return s.inEnv(q, func(ctx context.Context, env *exec.Env) (string, error) {
			return "LOCK TABLE", exec.LockTables(ctx, env, st)
		}), nil
	case *parse.CopyStmt:
		return s.copyUtility(q, st), nil
	case *parse.VacuumStmt:
		return s.inEnv(q, func(ctx context.Context, env *exec.Env) (string, error) {
			if st.Vacuum {
				return "VACUUM", exec.Vacuum(ctx, env, st)
			}
			return "ANALYZE", exec.Vacuum(ctx, env, st)
		}), nil
	case *parse.DoStmt:
		return tagged(func(ctx context.Context) (string, error) { return "DO", s.runDo(ctx, st) }), nil
	case *parse.CheckpointStmt:
		// What has committed is in the log, which needs no checkpoints.
		return tagged(func(ctx context.Context) (string, error) {
			return "CHECKPOINT", s.mustBeSuperuser(ctx, "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT")
		}), nil
	case *parse.ListenStmt, *parse.UnlistenStmt, *parse.NotifyStmt:
		return tagged(func(context.Context) (string, error) { return s.runNotify(st) }), nil
	case *parse.AlterSettingStmt:
		return s.inEnv(q, func(ctx context.Context, env *exec.Env) (string, error) { return s.runAlterSetting(ctx, env.View, st) }), nil
	case *parse.ImportStmt:
		return s.importUtility(q, st), nil
	case *parse.ShowJobsStmt:
		return s.showJobsUtility(q, st), nil
	case *parse.JobControlStmt:
		return tagged(func(ctx context.Context) (string, error) { return s.runJobControl(ctx, q, st) }), nil
	}
	return s.ddlUtility(q), nil
}

// tagged is a utility that gives only a tag.
func tagged(f func(ctx context.Context) (string, error)) utility {
	return utility{run: func(ctx context.Context) (run, error) {
		tag, err := f(ctx)
		return done(tag), err
	}}
}

// inEnv is a utility that runs in the transaction, as a statement of it.
func (s *Session) inEnv(q *statement, f func(ctx context.Context, env *exec.Env) (string, error)) utility {
	return tagged(func(ctx context.Context) (string, error) {
		env, err := s.beginUtility(ctx, q)
		if err != nil {
			return "", err
		}
		return f(ctx, env)
	})
}

func (s *Session) beginUtility(ctx context.Context, q *statement) (*exec.Env, error) {
	if _, err := s.needView(); err != nil {
		return nil, err
	}
	if err := s.beginStatement(ctx); err != nil {
		return nil, err
	}
	env, err := s.newEnv(ctx, q, nil)
	s.tx.used = true
	return env, err
}

// ddlUtility runs a statement that changes the catalog.
func (s *Session) ddlUtility(q *statement) utility {
	return s.inEnv(q, func(ctx context.Context, env *exec.Env) (string, error) {
		if s.tx.modes.readOnly {
			return "", sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", statementName(q.Text))
		}
		tag, err := exec.DDL(ctx, env, q.AST)
		if err == nil && env.CommitAfter {
			err = s.commit(ctx)
		}
		return tag, err
	})
}

// statementName is what a statement is called in errors: its first word, or two for CREATE, ALTER and the like.
func statementName(text string) string {
	words := strings.Fields(strings.ToUpper(text))
	if len(words) == 0 {
		return "this statement"
	}
	switch words[0] {
	case "CREATE", "ALTER", "DROP", "SHOW", "CANCEL", "PAUSE", "RESUME", "IMPORT", "REFRESH", "COMMENT", "SET":
		if len(words) > 1 {
			return words[0] + " " + strings.TrimRight(words[1], ";(")
		}
	}
	return strings.TrimRight(words[0], ";(")
}

func (s *Session) runSet(st *parse.SetStmt) error {
	if st.FromCurrent {
		return sqlerr.Unsupported("SET FROM CURRENT")
	}
	local := st.Scope == parse.SetLocal
	if local && !s.tx.block {
		s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "SET LOCAL can only be used in transaction blocks"))
	}
	s.needStart()
	if st.Default {
		return s.resetVar(st.Name)
	}
	value, err := setText(st)
	if err != nil {
		return err
	}
	return s.setVar(st.Name, value, local)
}

// needStart makes sure that there is a transaction, at least for a setting to belong to.
func (s *Session) needStart() {
	if s.tx.start.IsZero() {
		s.startTransaction(s.derived.modes)
	}
}

// setText is the value of a SET as one text.
func setText(st *parse.SetStmt) (string, error) {
	isList := st.Name == "search_path" || st.Name == "datestyle"
	if len(st.Values) > 1 && !isList {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "SET %s takes only one argument", st.Name)
	}
	var parts []string
	for _, v := range st.Values {
		text := v.Text
		if v.Interval != nil {
			return intervalOffset(text)
		}
		if st.Name == "search_path" {
			text = quoteIdentifier(text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", "), nil
}

// intervalOffset turns the interval of SET TIME ZONE INTERVAL '+02:00' HOUR TO MINUTE into an offset.
func intervalOffset(text string) (string, error) {
	d, err := types.Input(nil, types.Interval, []byte(text))
	if err != nil {
		return "", err
	}
	v := d.Interval()
	bad := &badValue{}
	switch {
	case v.Months != 0:
		bad.detail = "Cannot specify months in time zone interval."
	case v.Days != 0:
		bad.detail = "Cannot specify days in time zone interval."
	default:
		_, canonical, err := offsetZone(time.Duration(v.Usec) * time.Microsecond)
		if err == nil {
			return canonical, nil
		}
	}
	return "", invalidValue("TimeZone", "INTERVAL '"+text+"'", bad)
}

// quoteIdentifier quotes a name unless it reads the same without.
func quoteIdentifier(name string) string {
	plain := name != ""
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			plain = false
		}
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func (s *Session) runSetTransaction(st *parse.SetTransactionStmt) error {
	if !st.Session {
		if !s.tx.block {
			s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"))
			return nil
		}
		return s.setModes(st.Modes)
	}
	s.needStart()
	if level := st.Modes.Isolation; level != "" {
		if err := s.setVar("default_transaction_isolation", level, false); err != nil {
			return err
		}
	}
	if ro := st.Modes.ReadOnly; ro != nil {
		if err := s.setVar("default_transaction_read_only", onOff(*ro), false); err != nil {
			return err
		}
	}
	if d := st.Modes.Deferrable; d != nil {
		return s.setVar("default_transaction_deferrable", onOff(*d), false)
	}
	return nil
}

func (s *Session) runReset(st *parse.ResetStmt) error {
	s.needStart()
	if st.Name == "all" {
		s.resetAllVars()
		return nil
	}
	return s.resetVar(st.Name)
}

func (s *Session) runDiscard(ctx context.Context, q *statement, st *parse.DiscardStmt) (string, error) {
	if st.What == "all" {
		if s.tx.block {
			return "", sqlerr.New(sqlerr.ActiveSQLTransaction, "DISCARD ALL cannot run inside a transaction block")
		}
		s.needStart()
		s.closePortals()
		for name := range s.cursors {
			s.dropCursor(name)
		}
		s.storeUser(nil, sessionSetting, s.settings.start[sessionSetting], false)
		s.resetAllVars()
		s.unlisten("")
		s.prepared = nil
	}
	if st.What == "all" || st.What == "sequences" {
		s.sequences.forget()
	}
	if (st.What == "all" || strings.HasPrefix(st.What, "temp")) && s.hasTemp {
		env, err := s.beginUtility(ctx, q)
		if err == nil {
			err = s.discardTemp(ctx, env.View)
		}
		if err != nil {
			return "", err
		}
	}
	return "DISCARD " + strings.ToUpper(st.What), nil
}

func (s *Session) showUtility(st *parse.ShowStmt) (utility, error) {
	if st.Name == "all" {
		return utility{columns: textColumns("name", "setting", "description"), run: func(context.Context) (run, error) {
			var rows [][]string
			for i := range settingTable {
				row := &settingTable[i]
				rows = append(rows, []string{row.name, s.shownValue(row), row.describe})
			}
			return textRows("SHOW", rows), nil
		}}, nil
	}
	label, _, err := s.showVar(st.Name)
	if err != nil {
		return utility{}, err
	}
	return utility{columns: textColumns(label), run: func(context.Context) (run, error) {
		_, value, err := s.showVar(st.Name)
		if err != nil {
			return nil, err
		}
		return textRows("SHOW", [][]string{{value}}), nil
	}}, nil
}

// sessionEnv is what functions may ask of a session.
type sessionEnv struct{ s *Session }

func (e sessionEnv) Database() string    { return e.s.database.Name }
func (e sessionEnv) User() string        { return e.s.derived.user }
func (e sessionEnv) SessionUser() string { return e.s.sessionUser() }
func (e sessionEnv) BackendPID() int32   { return e.s.pid }

func (e sessionEnv) Version() string {
	return "PostgreSQL " + ServerVersion + " (minidb " + e.s.engine.options.Version + ")"
}

// Schema is the first schema of the path that exists.
func (e sessionEnv) Schema() string {
	view, err := e.s.needView()
	if err != nil {
		return ""
	}
	ctx := catalogEnv(e).Context()
	for i, name := range e.s.searchPath() {
		if i == 0 && e.s.hasTemp && !e.s.derived.tempListed {
			continue // temporary objects are found without being on the path
		}
		if name == "pg_catalog" {
			return name
		}
		if _, err := view.Schema(ctx, e.s.database.ID, name); err == nil {
			return name
		}
	}
	return ""
}

func (e sessionEnv) Notify(channel, payload string) error { return e.s.notify(channel, payload) }

func (e sessionEnv) Channels() []string { return e.s.engine.hub.channels(e.s) }

func (e sessionEnv) Setting(name string) (string, bool) {
	_, value, err := e.s.showVar(name)
	return value, err == nil
}

func (e sessionEnv) SetSetting(name, value string, local bool) (string, error) {
	if err := e.s.setVar(name, value, local); err != nil {
		return "", err
	}
	_, shown, err := e.s.showVar(name)
	return shown, err
}
