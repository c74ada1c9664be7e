// Package exec runs plans: it builds a tree of operators from a tree of plan nodes and pulls batches of rows from it. It also runs the
// statements that are no queries but work on tables: DDL, IMPORT INTO, SHOW JOBS.
//
// Reading order: [Env], what the operators of a statement share; [Operator] and [Build]; the operators, one a file (scan.go, sort.go, …);
// the writers (write.go, insert.go, update.go, delete.go), which lock before they check.
package exec

import (
	"context"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Env is what a statement runs in. It is for one goroutine.
type Env struct {
	KV   *kv.DB
	Txn  *kv.Txn
	View *catalog.View
	// Catalog gives the rows of system tables.
	Catalog *pgcatalog.Reader
	// Database is the session's, SearchPath the names of the schemas in which names without one are looked up; not all need exist.
	Database   *catalog.Database
	SearchPath []string
	// User is the current user, SessionUser the one that SET ROLE goes back to.
	User, SessionUser string
	UserOID           types.OID
	Text              string // the whole text that the statement is part of: error positions count in it
	Eval              *expr.EvalContext
	Memory            *Memory
	Notice            func(*sqlerr.Error) // never nil
	Server            Server              // nil where no session runs the statement
	// TempName is the name of the schema of the session's temporary objects, which need not be there; "" outside of sessions. TempMade is
	// called when it is used, and gives the search path from now on. TempListed tells that the search path names it.
	TempName   string
	TempMade   func() []string
	TempListed bool
	// InBlock tells that the statement is not alone in its transaction.
	InBlock bool
	// General tells to take the general operators also where there are shorter ones: tests compare the two.
	General bool
	// Deferred is what deferred constraints of the transaction have to look at; nil: nothing is deferred.
	Deferred *Deferred
	// schema, if not "", is the schema of all tables that errors name: where View is not at hand.
	schema string
	// CommitAfter is set by a statement whose effects later statements of the transaction would not see, and which therefore ends it;
	// not if InBlock.
	CommitAfter bool

	// counts, if not nil, are where all operators count what they do; filled is the query of the CREATE TABLE AS that ran. Both are for
	// EXPLAIN ANALYZE.
	counts plan.Counts
	filled *plan.Plan

	// calls is how many calls of functions the queries are inside of.
	calls int
	// Subqueries are kept by EnableSubqueries for the next statement of the Env.
	Subqueries *Subqueries

	// work are the work tables of recursive queries. All copies of an Env share them.
	work    map[*plan.WorkTable]*rowStore
	written map[*plan.WriteCTE]*rowStore // what the statements of the WITH clause returned
}

// At gives err, if it is an *sqlerr.Error, the position of a byte offset of Text.
func (e *Env) At(err error, offset int) error {
	if se, ok := sqlerr.As(err); ok {
		se.At(parse.Character(e.Text, offset))
	}
	return err
}

// Operator gives the rows of a plan node. The order of calls is Open, Next until it gives nil or an error, Close. Close may come at any
// time, also without Open or twice.
type Operator interface {
	Open(ctx context.Context) error
	// Next gives the next rows, at least one, or nil at the end. They are valid until the next call.
	Next(ctx context.Context) (*types.Batch, error)
	Close()
}

// Affected is implemented by the operators that write.
type Affected interface {
	// Affected is how many rows the statement inserted, changed or deleted.
	Affected() int64
}

// LockTable locks a table.
func (e *Env) LockTable(ctx context.Context, t *catalog.Table, mode kv.TableLock, wait kv.WaitPolicy) error {
	return e.Txn.LockTable(ctx, catalog.LockKey(t.ID), mode, wait)
}
