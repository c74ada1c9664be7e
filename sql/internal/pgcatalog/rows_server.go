package pgcatalog

import (
	"strconv"
	"time"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// sessionTables are the tables of pg_catalog that depend on the session that asks.
var sessionTables = map[string]func(*Reader) ([]row, error){
	"pg_views":         viewsRows,
	"pg_locks":         lockRows,
	"pg_sequences":     sequencesRows,
	"pg_settings":      settingsRows,
	"pg_stat_activity": activityRows,
}

func settingsRows(r *Reader) ([]row, error) {
	var rows []row
	for _, s := range r.env.Settings() {
		kind, context := "string", "user"
		if s.Kind != "" {
			kind = s.Kind
		}
		if s.Fixed {
			context = "internal"
		}
		values := null
		if s.Values != nil {
			values = textArray(s.Values...)
		}
		rows = append(rows, row{
			text(s.Name), text(s.Value), orNull(s.Unit), text("Settings"), text(s.Description), null, text(context), text(kind), text("default"),
			null, null, values, text(s.Initial), text(s.Reset), null, null, flag(false),
		})
	}
	return rows, nil
}

func activityRows(r *Reader) ([]row, error) {
	s, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	moment := func(t time.Time) datum {
		if t.IsZero() {
			return null
		}
		return types.NewInt(types.TimestampFromTime(t))
	}
	var rows []row
	for _, a := range r.env.Activity() {
		user := null
		if role := s.role(a.User); role != nil {
			user = oid(role.OID)
		}
		rows = append(rows, row{
			oid(a.Database.OID), text(a.Database.Name), num(int(a.PID)), null, user, text(a.User), text(a.Application), orNull(a.Address), null, null,
			moment(a.Start), moment(a.TxnStart), moment(a.QueryStart), moment(a.StateChange), null, null, text(a.State), null, null, null,
			text(a.Query), text("client backend"),
		})
	}
	return rows, nil
}

// lockRows are the locks on tables of this database.
func lockRows(r *Reader) ([]row, error) {
	s, err := r.snapshot()
	if err != nil {
		return nil, err
	}
	tables := map[string]types.OID{}
	for _, t := range s.tables {
		tables[string(catalog.LockKey(t.ID))] = t.OID
	}
	var rows []row
	for _, l := range r.env.TableLocks() {
		relation, ok := tables[l.Key]
		if !ok {
			continue
		}
		rows = append(rows, rowOf("pg_catalog", "pg_locks", values{
			"locktype": text("relation"), "database": oid(r.env.Database().OID), "relation": oid(relation),
			"virtualtransaction": text(strconv.Itoa(int(l.PID)) + "/0"), "pid": num(int(l.PID)), "mode": text(l.Mode), "granted": flag(l.Granted),
			"fastpath": flag(false),
		}))
	}
	return rows, nil
}
