package expr

import (
	"context"
	"regexp"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Row gives the values of the columns an expression refers to.
type Row interface {
	// Datum is the value of column i. It is valid as long as the row.
	Datum(i int) types.Datum
}

// Datums is a row of its own; use a pointer to it as the Row, which costs no allocation.
type Datums []types.Datum

// Datum is value i.
func (d *Datums) Datum(i int) types.Datum { return (*d)[i] }

// BatchRow is one row of a batch. Use a pointer to it as the Row and move Pos along.
type BatchRow struct {
	Batch *types.Batch
	Pos   int // row of the columns: an element of Batch.Sel if there is one
}

// Datum is the value of column i.
func (r *BatchRow) Datum(i int) types.Datum { return r.Batch.Cols[i].Datum(r.Pos) }

// Session is what functions may ask of the session that runs the statement, such as current_user and current_setting.
type Session interface {
	Database() string
	Schema() string      // first schema of the search path that exists, "" for none
	User() string        // the current user
	SessionUser() string // the one that SET ROLE goes back to
	Version() string     // what version() gives
	BackendPID() int32
	// Notify sends a notification when the transaction commits.
	Notify(channel, payload string) error
	Channels() []string // that the session listens to
	// Setting gives a setting's value; ok is false for a name that is not known.
	Setting(name string) (value string, ok bool)
	// SetSetting changes a setting, to the end of the transaction only if local, and gives its new value.
	SetSetting(name, value string, local bool) (string, error)
}

// EvalContext is what evaluation takes from outside of the row. It belongs to one statement of one session and one
// goroutine; one that has not been used yet may be copied for another goroutine.
type EvalContext struct {
	// Ctx ends long evaluations (pg_sleep); nil never ends.
	Ctx context.Context
	// Types carries the statement's times and the session's formats; nil stands for the defaults.
	Types *types.Context
	// Params are the values of $1, $2, … in the types the Builder inferred.
	Params []types.Datum
	// Session may be nil; the functions that need it then give what a session without a name would.
	Session Session
	// Sequences is what nextval and its kin work on; nil refuses them.
	Sequences Sequences
	// Cursors is what WHERE CURRENT OF asks; nil: there are none.
	Cursors Cursors
	// Catalog is what the functions given to Provide ask. May be nil.
	Catalog any
	// Outer are the rows of the enclosing queries, the nearest last; a Column of level n reads Outer[len(Outer)-n].
	Outer []Row
	// Subquery evaluates a subquery for the row at hand. Nil where there are none.
	Subquery func(ec *EvalContext, s *Subquery, row Row) (types.Datum, error)

	stack     []types.Datum // arguments of calls with more than three of them
	caseValue types.Datum   // of the innermost Case whose conditions are being evaluated
	regexps   map[string]*regexp.Regexp
}

// context is Ctx, never nil.
func (ec *EvalContext) context() context.Context {
	if ec.Ctx == nil {
		return context.Background()
	}
	return ec.Ctx
}

// canceled is the error of an evaluation that Ctx ended.
func (ec *EvalContext) canceled() error {
	err := context.Cause(ec.context())
	if e, ok := sqlerr.As(err); ok {
		return e
	}
	return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request").WithCause(err)
}

// location is the session's time zone.
func (ec *EvalContext) location() *time.Location {
	if ec.Types == nil || ec.Types.Location == nil {
		return time.UTC
	}
	return ec.Types.Location
}
