package jobs

import (
	"time"

	"minidb/sql/types"
)

// Column is a column of what shows jobs.
type Column struct {
	Name string
	Type types.Type
}

// Columns are those of SHOW JOBS.
var Columns = []Column{
	{"job_id", types.Int8},
	{"job_type", types.Text},
	{"description", types.Text},
	{"user_name", types.Text},
	{"status", types.Text},
	{"running_status", types.Text},
	{"fraction_completed", types.Float8},
	{"rows", types.Int8},
	{"bytes", types.Int8},
	{"created", types.TimestampTZ},
	{"modified", types.TimestampTZ},
	{"finished", types.TimestampTZ},
	{"error", types.Text},
}

// Datums are the values of a row for Columns.
func (r *Row) Datums() []types.Datum {
	return []types.Datum{
		types.NewInt(r.ID), types.NewText(r.Type), types.NewText(r.Description), types.NewText(r.User),
		types.NewText(string(r.Status)), textOrNull(r.Stage), types.NewFloat(r.Fraction), types.NewInt(r.Rows), types.NewInt(r.Bytes),
		timeOrNull(r.Created), timeOrNull(r.Modified), timeOrNull(r.Finished), textOrNull(r.Error),
	}
}

// ResultColumns are those of the row that a statement gives when it waited for its job.
var ResultColumns = []Column{
	{"job_id", types.Int8},
	{"status", types.Text},
	{"fraction_completed", types.Float8},
	{"rows", types.Int8},
	{"bytes", types.Int8},
}

// Result are the values of a row for ResultColumns.
func (r *Row) Result() []types.Datum {
	return []types.Datum{
		types.NewInt(r.ID), types.NewText(string(r.Status)), types.NewFloat(r.Fraction), types.NewInt(r.Rows), types.NewInt(r.Bytes),
	}
}

func textOrNull(s string) types.Datum {
	if s == "" {
		return types.NullDatum
	}
	return types.NewText(s)
}

func timeOrNull(t time.Time) types.Datum {
	if t.IsZero() {
		return types.NullDatum
	}
	return types.NewInt(types.TimestampFromTime(t))
}
