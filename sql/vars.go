package sql

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// vars are the values of a session's settings, in canonical form: only those that differ from the table's initial ones. Keys are lower
// case. A vars is replaced, never changed, so that a transaction can keep the one it began with.
type vars map[string]string

func (v vars) get(st *setting) string {
	if value, ok := v[strings.ToLower(st.name)]; ok {
		return value
	}
	return st.initial
}

// same reports whether v and w are the very same map.
func (v vars) same(w vars) bool {
	return reflect.ValueOf(v).UnsafePointer() == reflect.ValueOf(w).UnsafePointer()
}

// with is v with one more value.
func (v vars) with(name, value string) vars {
	out := maps.Clone(v)
	if out == nil {
		out = vars{}
	}
	out[name] = value
	return out
}

// settingsState is what SET, RESET and the end of transactions work on.
type settingsState struct {
	current vars
	// session is what current becomes when the transaction commits: without what SET LOCAL did.
	session vars
	// start is what the startup message asked for: what RESET goes back to.
	start vars
}

// setVar changes a setting. A name with a dot that is not in the table is the client's own.
func (s *Session) setVar(name, value string, local bool) error {
	key := strings.ToLower(name)
	st := settingByName[key]
	if st == nil {
		if !strings.Contains(key, ".") {
			return unknownSetting(name)
		}
		s.storeVar(nil, key, value, local)
		return nil
	}
	if st.fixed {
		return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter \"%s\" cannot be changed", st.name)
	}
	if key == roleSetting || key == sessionSetting {
		if err := s.setUser(key, value); err != nil {
			return err
		}
		s.storeUser(st, key, value, local)
		return nil
	}
	canonical, err := st.check(value)
	if err != nil {
		return invalidValue(st.name, value, err)
	}
	if handled, err := s.setTransactionVar(key, canonical); handled || err != nil {
		return err
	}
	s.storeVar(st, key, canonical, local)
	return nil
}

// storeVar puts a checked value in place and tells the client.
func (s *Session) storeVar(st *setting, key, canonical string, local bool) {
	old := s.settings.current
	s.settings.current = old.with(key, canonical)
	if !local {
		s.settings.session = s.settings.session.with(key, canonical)
	}
	s.varsChanged(old)
}

// resetVar puts a setting back to what the session started with.
func (s *Session) resetVar(name string) error {
	key := strings.ToLower(name)
	st := settingByName[key]
	switch {
	case st == nil && !strings.Contains(key, "."):
		return unknownSetting(name)
	case st == nil:
		s.storeVar(nil, key, s.settings.start[key], false)
		return nil
	case st.fixed:
		return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter \"%s\" cannot be changed", st.name)
	}
	if key == roleSetting || key == sessionSetting {
		s.storeUser(st, key, s.settings.start.get(st), false)
		return nil
	}
	s.storeVar(st, key, s.settings.start.get(st), false)
	return nil
}

// resetAllVars is RESET ALL. It leaves alone who the session acts for.
func (s *Session) resetAllVars() {
	old := s.settings.current
	start := s.settings.start
	for _, name := range []string{roleSetting, sessionSetting, "is_superuser"} {
		if start[name] != old[name] {
			start = start.with(name, old[name])
		}
	}
	s.settings.current, s.settings.session = start, start
	s.varsChanged(old)
}

// varsChanged derives what is kept in a form of its own and reports what the client wants to know.
func (s *Session) varsChanged(old vars) {
	if old.same(s.settings.current) {
		return
	}
	s.deriveContext()
	if s.opts.ParamChanged == nil {
		return
	}
	for i := range settingTable {
		st := &settingTable[i]
		if st.report && old.get(st) != s.settings.current.get(st) {
			s.opts.ParamChanged(st.name, s.settings.current.get(st))
		}
	}
}

// showVar is a setting as SHOW prints it.
func (s *Session) showVar(name string) (label, value string, err error) {
	key := strings.ToLower(name)
	st := settingByName[key]
	if st == nil {
		if v, ok := s.settings.current[key]; ok {
			return name, v, nil
		}
		return "", "", unknownSetting(name)
	}
	return st.name, s.shownValue(st), nil
}

func (s *Session) shownValue(st *setting) string {
	value := s.settings.current.get(st)
	switch st.name {
	case "transaction_isolation":
		return s.isolationLevel()
	case "transaction_read_only":
		return onOff(s.readOnly())
	}
	return st.unit.show(value)
}

// value is the canonical value of a setting of the table.
func (s *Session) value(name string) string { return s.settings.current.get(settingByName[name]) }

// derived is what statements ask of the settings, in a form that costs nothing to ask.
type derived struct {
	pathText string // search_path, after the schema of temporary objects if it is searched without being named
	// tempListed tells that search_path names pg_temp.
	tempListed bool
	path       []string // its schemas; shared, not to be changed
	modes      modes    // of a new transaction

	lockTimeout, statementTimeout, idleTimeout time.Duration

	workMemKiB  int64
	minSeverity int  // of the notices that the client wants
	commitAsync bool // synchronous_commit is off

	user    string // the current user
	userOID types.OID
}

func (s *Session) derive() {
	s.activity.noteApplication(s.value("application_name"))
	s.derived = derived{
		pathText: s.value("search_path"),
		modes: modes{
			isolation:  s.value("default_transaction_isolation"),
			readOnly:   s.value("default_transaction_read_only") == "on",
			deferrable: s.value("default_transaction_deferrable") == "on",
		},
		lockTimeout:      s.duration("lock_timeout"),
		statementTimeout: s.duration("statement_timeout"),
		idleTimeout:      s.duration("idle_in_transaction_session_timeout"),
		workMemKiB:       int64(s.number("work_mem")),
		minSeverity:      severityRank(s.value("client_min_messages")),
		commitAsync:      s.value("synchronous_commit") == "off",
	}
	s.deriveUser()
	for _, name := range splitIdentifiers(s.derived.pathText) {
		if name == "pg_temp" {
			name, s.derived.tempListed = s.tempName(), true
		}
		if name == "$user" {
			name = s.derived.user
		}
		s.derived.path = append(s.derived.path, name)
	}
	if s.hasTemp && !s.derived.tempListed {
		s.derived.path = slices.Insert(s.derived.path, 0, s.tempName())
		s.derived.pathText = s.tempName() + ", " + s.derived.pathText
	}
}

// duration is the value of a setting in milliseconds.
func (s *Session) duration(name string) time.Duration {
	return time.Duration(s.number(name)) * time.Millisecond
}

// number is the value of an integer setting in its base unit.
func (s *Session) number(name string) int {
	n, _ := strconv.Atoi(s.value(name)) // canonical values are numbers
	return n
}

// deriveContext makes what values' forms depend on anew, so that a statement that runs keeps the one it began with.
func (s *Session) deriveContext() {
	s.texts.forget()
	s.derive()
	ec := types.NewContext()
	if s.context != nil {
		ec.TxnTime, ec.StmtTime = s.context.TxnTime, s.context.StmtTime
	}
	ec.Names, ec.Enums, ec.Rows = s.reader, s.reader.Enum, s.reader.RowType
	ec.Location, _, _ = loadZone(s.value("timezone"))
	switch s.value("datestyle") {
	case "ISO, DMY":
		ec.DateOrder = types.DateOrderDMY
	case "ISO, YMD":
		ec.DateOrder = types.DateOrderYMD
	}
	switch s.value("intervalstyle") {
	case "postgres_verbose":
		ec.IntervalStyle = types.IntervalVerbose
	case "sql_standard":
		ec.IntervalStyle = types.IntervalSQLStandard
	case "iso_8601":
		ec.IntervalStyle = types.IntervalISO8601
	}
	ec.ExtraFloatDigits = s.number("extra_float_digits")
	ec.ByteaEscape = s.value("bytea_output") == "escape"
	s.context = ec
}
