// Package plan turns the syntax tree of a query or of INSERT, UPDATE and DELETE into a tree of nodes that say how to run it: names and
// types are resolved, constants folded, conditions pushed to the spans of an index, the index chosen. It also prints such trees, for
// EXPLAIN. It runs nothing and reads no rows.
//
// Reading order: [Plan] and [Node]; the nodes, one file a family (scan.go, query.go, dml.go); [Planner], which makes them (planner.go,
// select.go, from.go, insert.go, …); constraint.go and access.go, the choice of an index; explain.go and explain_nodes.go,
// what EXPLAIN shows, and explain_tree.go and explain_json.go, how it is printed.
package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// Plan is a statement ready to run. It is never changed once made, so that several executions may share it.
type Plan struct {
	Root Node
	// Columns are the result's columns: the first len(Columns) columns of Root's rows. Nil: the statement gives no rows.
	Columns []Column
	// Params are the types of $1, $2, ….
	Params []types.Type
	// Tables are what the statement uses, in the order in which it locks them.
	Tables []TableUse
	// Writes tells that the statement is refused in a read-only transaction.
	Writes bool
	// Err is of a constant expression of the statement whose evaluation fails. The statement can be described but not run.
	Err error
	// Parts are expressions of the statement that are constants once the parameters are known. If the evaluation of one fails the statement
	// does, whether there are rows to need it or not.
	Parts []expr.Expr
	// Cursor is what WHERE CURRENT OF may name, if the plan is that of a cursor. Nil: nothing.
	Cursor *CursorRows
	// Tag is the command tag without the count of rows: "SELECT", "INSERT 0", "UPDATE", "DELETE".
	Tag string
}

// Column describes a column of a result.
type Column struct {
	Name     string
	Type     types.Type
	TableOID types.OID // 0: computed
	Attr     int16
}

// TableUse is a table that a statement uses, as of the version it was planned with.
type TableUse struct {
	Table *catalog.Table
	Use   Use
	// Need is the privileges that the use takes, from the current user or, if it is not 0, from the role As: the owner of the view that
	// the use is part of.
	Need catalog.Privileges
	As   types.OID
}

// Use is what a statement does with a table, weakest first.
type Use uint8

// The uses. Each stands for one of PostgreSQL's table lock modes.
const (
	UseRead    Use = iota // ACCESS SHARE
	UseRowLock            // ROW SHARE
	UseWrite              // ROW EXCLUSIVE
)

// Node is an operator of a plan: a pointer to one of the structs of this package.
type Node interface {
	// Types are those of the columns of the node's rows. A column that nobody above wants may have no values.
	Types() []types.Type
	// explain makes what EXPLAIN shows of the node and its inputs.
	explain(e *explainer) *shown
}

// SortKey is a column of the input to sort by.
type SortKey struct {
	Column     int
	Type       types.Type
	Desc       bool
	NullsFirst bool
	Expr       expr.Expr // for EXPLAIN
}
