package sql_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"minidb/sql/sqlerr"
)

// oracle runs logic tests against a real PostgreSQL, each file in a database of its own.
type oracle struct {
	t        *testing.T
	url, db  string
	admin    *pgconn.PgConn
	sessions map[string]*pgconn.PgConn
}

func openOracle(t *testing.T, url string) *oracle {
	admin, err := pgconn.Connect(background, url)
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{t: t, url: url, admin: admin, sessions: map[string]*pgconn.PgConn{}, db: fmt.Sprintf("logic_%d", os.Getpid())}
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + o.db, "CREATE DATABASE " + o.db} {
		if _, err := admin.Exec(background, sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func (o *oracle) name() string { return "postgresql" }

func (o *oracle) close() {
	for _, s := range o.sessions {
		s.Close(background)
	}
	if _, err := o.admin.Exec(background, "DROP DATABASE "+o.db).ReadAll(); err != nil {
		o.t.Error(err)
	}
	o.admin.Close(background)
}

func (o *oracle) run(session, text string) result {
	s := o.sessions[session]
	if s == nil {
		cfg, err := pgconn.ParseConfig(o.url)
		if err != nil {
			o.t.Fatal(err)
		}
		cfg.Database = o.db
		if s, err = pgconn.ConnectConfig(background, cfg); err != nil {
			o.t.Fatal(err)
		}
		o.sessions[session] = s
	}
	results := s.Exec(background, text)
	var out result
	for results.NextResult() {
		r := results.ResultReader()
		out = result{}
		for _, f := range r.FieldDescriptions() {
			out.columns = append(out.columns, f.Name)
		}
		for r.NextRow() {
			var values []string
			for _, v := range r.Values() {
				values = append(values, formatValue(v, v == nil))
			}
			out.rows = append(out.rows, values)
		}
		tag, _ := r.Close() // the error comes with the results'
		out.tag = tag.String()
	}
	err := results.Close()
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		out.err = &sqlerr.Error{
			Severity: pgErr.Severity, Code: sqlerr.Code(pgErr.Code), Message: pgErr.Message, Detail: pgErr.Detail, Hint: pgErr.Hint,
			Position: int(pgErr.Position), Where: pgErr.Where, Table: pgErr.TableName, Column: pgErr.ColumnName, Constraint: pgErr.ConstraintName,
		}
	} else if err != nil {
		o.t.Fatal(err)
	}
	return out
}

// formatValue is how the logic tests write a value.
func formatValue(text []byte, null bool) string {
	switch {
	case null:
		return "NULL"
	case len(text) == 0:
		return "(empty)"
	}
	return strings.ReplaceAll(string(text), "\n", "\\n")
}
