package expr

import (
	"crypto/rand"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// sessionFuncs tell about the session and the server, and what else depends on neither arguments nor rows.
var sessionFuncs = map[string]impl{
	"pgsql_version":                  sessionText("", Session.Version),
	"current_database":               sessionText("", Session.Database),
	"current_user":                   sessionText("", Session.User),
	"session_user":                   sessionText("", Session.SessionUser),
	"current_schema":                 {f0: currentSchema},
	"pg_notify":                      {f2: notify},
	"pg_backend_pid":                 {f0: backendPID},
	"show_config_by_name":            {f1: func(ec *EvalContext, name types.Datum) (types.Datum, error) { return setting(ec, name, false) }},
	"show_config_by_name_missing_ok": {f2: func(ec *EvalContext, name, ok types.Datum) (types.Datum, error) { return setting(ec, name, ok.Bool()) }},
	"set_config_by_name":             {f3: setConfig},
	"pg_sleep":                       {f1: sleep},
	"gen_random_uuid":                {f0: randomUUID},
	"pg_is_in_recovery":              {f0: func(*EvalContext) (types.Datum, error) { return types.NewBool(false), nil }},
	"getdatabaseencoding":            {f0: func(*EvalContext) (types.Datum, error) { return types.NewText("UTF8"), nil }},
	"now":                            {f0: txnTime},
	"statement_timestamp":            {f0: func(ec *EvalContext) (types.Datum, error) { return moment(ec.times().StmtTime), nil }},
	"clock_timestamp":                {f0: func(*EvalContext) (types.Datum, error) { return moment(time.Now()), nil }},
}

// sqlValue is a function that SQL writes without parentheses.
type sqlValue struct {
	typ   types.Type
	value nullary
}

var sqlValues = map[string]sqlValue{
	"current_timestamp": {types.TimestampTZ, txnTime},
	"localtimestamp": {types.Timestamp, func(ec *EvalContext) (types.Datum, error) {
		d, err := txnTime(ec)
		return types.NewInt(types.TimestampTZToTimestamp(ec.location(), d.I)), err
	}},
	"current_date": {types.Date, func(ec *EvalContext) (types.Datum, error) {
		d, err := txnTime(ec)
		return types.NewInt(types.TimestampToDate(types.TimestampTZToTimestamp(ec.location(), d.I))), err
	}},
	"current_time": {types.TimeTZ, func(ec *EvalContext) (types.Datum, error) {
		d, err := txnTime(ec)
		if err != nil {
			return d, err
		}
		return types.Cast(ec.Types, d, types.TimestampTZ, types.TimeTZ, types.CastExplicit)
	}},
	"localtime": {types.Time, func(ec *EvalContext) (types.Datum, error) {
		d, err := txnTime(ec)
		if err != nil {
			return d, err
		}
		return types.Cast(ec.Types, d, types.TimestampTZ, types.Time, types.CastExplicit)
	}},
	"current_role":    {types.Name, sessionText("", Session.User).f0},
	"current_user":    {types.Name, sessionText("", Session.User).f0},
	"session_user":    {types.Name, sessionText("", Session.SessionUser).f0},
	"user":            {types.Name, sessionText("", Session.User).f0},
	"current_catalog": {types.Name, sessionText("", Session.Database).f0},
	"current_schema":  {types.Name, currentSchema},
}

// sessionText is a text of the session, or a default where there is no session.
func sessionText(missing string, get func(Session) string) impl {
	return impl{f0: func(ec *EvalContext) (types.Datum, error) {
		if ec.Session == nil {
			return types.NewText(missing), nil
		}
		return types.NewText(get(ec.Session)), nil
	}}
}

func currentSchema(ec *EvalContext) (types.Datum, error) {
	if ec.Session == nil || ec.Session.Schema() == "" {
		return types.NullDatum, nil
	}
	return types.NewText(ec.Session.Schema()), nil
}

// notify gives nothing, which as text is empty.
func notify(ec *EvalContext, channel, payload types.Datum) (types.Datum, error) {
	if ec.Session == nil {
		return types.Datum{}, sqlerr.Unsupported("a notification here")
	}
	return types.NewText(""), ec.Session.Notify(text(channel), text(payload))
}

// text is a text, empty if it is NULL.
func text(d types.Datum) string {
	if d.Null {
		return ""
	}
	return d.Text()
}

func backendPID(ec *EvalContext) (types.Datum, error) {
	if ec.Session == nil {
		return types.NewInt(0), nil
	}
	return types.NewInt(int64(ec.Session.BackendPID())), nil
}

func setting(ec *EvalContext, name types.Datum, missingOK bool) (types.Datum, error) {
	if ec.Session != nil {
		if v, ok := ec.Session.Setting(name.Text()); ok {
			return types.NewText(v), nil
		}
	}
	if missingOK {
		return types.NullDatum, nil
	}
	return types.Datum{}, sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter \"%s\"", name.B)
}

func setConfig(ec *EvalContext, name, value, local types.Datum) (types.Datum, error) {
	if name.Null {
		return types.Datum{}, sqlerr.New(sqlerr.NullValueNotAllowed, "SET requires parameter name")
	}
	if ec.Session == nil {
		return setting(ec, name, false)
	}
	v, err := ec.Session.SetSetting(name.Text(), value.Text(), !local.Null && local.Bool())
	return types.NewText(v), err
}

// sleep waits for a number of seconds, or until the context ends.
func sleep(ec *EvalContext, seconds types.Datum) (types.Datum, error) {
	s := seconds.Float()
	if !(s > 0) {
		return types.Datum{}, nil
	}
	t := time.NewTimer(time.Duration(min(s, 1e9) * float64(time.Second)))
	defer t.Stop()
	select {
	case <-t.C:
		return types.Datum{}, nil
	case <-ec.context().Done():
		return types.Datum{}, ec.canceled()
	}
}

// randomUUID makes a version 4 UUID.
func randomUUID(*EvalContext) (types.Datum, error) {
	b := make([]byte, 16)
	// Never fails: see crypto/rand.
	_, _ = rand.Read(b)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return types.NewBytes(b), nil
}

// times is the context of the statement's times, never nil. Without one the times are the zero time.
func (ec *EvalContext) times() *types.Context {
	if ec.Types == nil {
		return noTimes
	}
	return ec.Types
}

var noTimes = types.NewContext()

func txnTime(ec *EvalContext) (types.Datum, error) { return moment(ec.times().TxnTime), nil }

func moment(t time.Time) types.Datum { return types.NewInt(types.TimestampFromTime(t)) }
