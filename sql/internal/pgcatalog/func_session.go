package pgcatalog

import (
	"slices"
	"strings"

	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// sessionFuncs tell about the server and its sessions.
var sessionFuncs = map[string]body{
	"PG_encoding_to_char":        encodingToChar,
	"PG_char_to_encoding":        charToEncoding,
	"pg_encoding_max_length_sql": func(_ *expr.EvalContext, args []datum) (datum, error) { return encodingWidth(args[0].I), nil },
	"pg_client_encoding":         always(text("UTF8")),
	"pg_postmaster_start_time": asking(func(r *Reader, _ *Snapshot, _ []datum) (datum, error) {
		return types.NewInt(types.TimestampFromTime(r.env.Started())), nil
	}),
	"pg_conf_load_time": asking(func(r *Reader, _ *Snapshot, _ []datum) (datum, error) {
		return types.NewInt(types.TimestampFromTime(r.env.Started())), nil
	}),
	"pg_cancel_backend": asking(func(r *Reader, _ *Snapshot, args []datum) (datum, error) {
		return r.signal(int32(args[0].I), false)
	}),
	"pg_terminate_backend": asking(func(r *Reader, _ *Snapshot, args []datum) (datum, error) {
		if args[1].I != 0 {
			return datum{}, sqlerr.Unsupported("a timeout of pg_terminate_backend")
		}
		return r.signal(int32(args[0].I), true)
	}),
	"pg_relation_filenode": asking(func(_ *Reader, s *Snapshot, args []datum) (datum, error) {
		if _, ok := s.relationObject(oidOf(args[0])); !ok {
			return null, nil
		}
		return args[0], nil
	}),
	"pg_relation_is_publishable": asking(func(_ *Reader, s *Snapshot, args []datum) (datum, error) {
		r, ok := s.relations[oidOf(args[0])]
		if !ok {
			if _, ok := s.relationObject(oidOf(args[0])); ok {
				return flag(false), nil
			}
			return null, nil
		}
		return flag(r.Index == nil), nil
	}),
	"pg_get_serial_sequence": asking(serialSequence),
}

// constantFuncs are those whose answer is the same in every minidb.
var constantFuncs = map[string]body{
	"pg_is_wal_replay_paused":       always(flag(false)),
	"pg_last_wal_receive_lsn":       always(null),
	"pg_last_wal_replay_lsn":        always(null),
	"pg_my_temp_schema":             asking(myTempSchema),
	"pg_is_other_temp_schema":       asking(isOtherTempSchema),
	"pg_trigger_depth":              always(num(0)),
	"pg_jit_available":              always(flag(false)),
	"inet_client_addr":              always(null),
	"inet_client_port":              always(null),
	"inet_server_addr":              always(null),
	"inet_server_port":              always(null),
	"pg_get_replica_identity_index": always(null),
	"mxid_age":                      always(num(0)),
	"xid_age":                       always(num(0)),
	"pg_stat_get_numscans":          always(num(0)),
	"pg_stat_get_tuples_returned":   always(num(0)),
	"pg_stat_get_tuples_fetched":    always(num(0)),
	"pg_stat_get_live_tuples":       always(num(0)),
	"pg_stat_get_dead_tuples":       always(num(0)),
}

// myTempSchema is the schema of the session's temporary objects, 0 if it has none.
func myTempSchema(r *Reader, s *Snapshot, _ []datum) (datum, error) {
	for _, name := range r.env.SearchPath() {
		if !strings.HasPrefix(name, "pg_temp_") {
			continue
		}
		if o, ok := s.findSchema(name); ok {
			return oid(o), nil
		}
	}
	return oid(0), nil
}

func isOtherTempSchema(r *Reader, s *Snapshot, args []datum) (datum, error) {
	name, ok := s.schemaName(oidOf(args[0]))
	return flag(ok && strings.HasPrefix(name, "pg_temp_") && !slices.Contains(r.env.SearchPath(), name)), nil
}

// signal cancels what a session runs, or ends it.
func (r *Reader) signal(pid int32, end bool) (datum, error) {
	ok, err := r.env.Signal(pid, end)
	if err == nil && !ok {
		r.env.Notice(sqlerr.Warn(sqlerr.Warning, "PID %d is not a PostgreSQL backend process", pid))
	}
	return flag(ok), err
}

// encodings are PostgreSQL's, by their numbers.
var encodings = strings.Fields("SQL_ASCII EUC_JP EUC_CN EUC_KR EUC_TW EUC_JIS_2004 UTF8 MULE_INTERNAL LATIN1 LATIN2 LATIN3 LATIN4 LATIN5 " +
	"LATIN6 LATIN7 LATIN8 LATIN9 LATIN10 WIN1256 WIN1258 WIN866 WIN874 KOI8R WIN1251 WIN1252 ISO_8859_5 ISO_8859_6 ISO_8859_7 ISO_8859_8 " +
	"WIN1250 WIN1253 WIN1254 WIN1255 WIN1257 KOI8U SJIS BIG5 GBK UHC GB18030 JOHAB SHIFT_JIS_2004")

func encodingToChar(_ *expr.EvalContext, args []datum) (datum, error) {
	if n := args[0].I; n >= 0 && n < int64(len(encodings)) {
		return text(encodings[n]), nil
	}
	return text(""), nil
}

func charToEncoding(_ *expr.EvalContext, args []datum) (datum, error) {
	plain := func(s string) string { return strings.NewReplacer("-", "", "_", "").Replace(strings.ToUpper(s)) }
	want := plain(args[0].Text())
	for i, name := range encodings {
		if plain(name) == want {
			return num(i), nil
		}
	}
	return num(-1), nil
}

func encodingWidth(n int64) datum {
	if n == encodingUTF8 {
		return num(4)
	}
	return null
}

// serialSequence names the sequence that a column owns.
func serialSequence(r *Reader, s *Snapshot, args []datum) (datum, error) {
	o, err := r.findClass(s, args[0].Text())
	if err != nil {
		return datum{}, err
	}
	t := s.relations[o].Table
	if t == nil {
		return null, nil
	}
	id, ok := attributeNumber(t, args[1].Text())
	if !ok {
		return datum{}, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", args[1].Text(), t.Name)
	}
	if q := s.ownedSequence(t, id); q != nil {
		return text(s.alwaysQualified(q.OID)), nil
	}
	return null, nil
}
