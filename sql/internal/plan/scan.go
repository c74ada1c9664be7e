package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// Scan reads rows of a table through one of its indexes, in the index's order. Its rows have a column for each of Table.Columns, by
// ordinal; those that Want leaves out have no values.
type Scan struct {
	Table *catalog.Table
	Alias string // as the statement names it; the table's name if it names no other
	Index *catalog.Index
	// Lookup tells that the index lacks wanted columns: the rows are fetched from the primary index by their keys.
	Lookup     bool
	Constraint *Constraint // nil: the whole index
	Reverse    bool
	Want       []bool
	// IndexFilter, nil for none, is what has to be true of a row and needs only columns of the index: it is evaluated before the lookup.
	IndexFilter expr.Expr
	// Filter, nil for none, is what else has to be true.
	Filter expr.Expr
	// SoftLimit, if not 0, is how many rows the statement probably reads.
	SoftLimit int64

	forced  bool       // the statement named the index
	virtual []Computed // the expressions of indexes
	ordered bool       // the index's order saves a sort
	// Estimate is about how many rows the scan gives; 0: nothing is known of the table.
	Estimate   float64
	statistics *catalog.Statistics // of the table; nil: it was never analyzed
	tableRows  float64             // about how many rows the table has
	cost       float64             // of reading it, if the table has guessedRows
}

// LockRows locks the rows of a scan for SELECT … FOR UPDATE and its kin, and passes them as they are once locked. Its rows are those of
// the scan; Input is the scan or a sort of it.
type LockRows struct {
	Input    Node
	Scan     *Scan
	Strength LockStrength
	Wait     LockWait
	// Recheck is the whole condition of the scan, evaluated again on a row that changed before it was locked. Nil: none.
	Recheck expr.Expr
	// Limit, if not 0, is how many rows are wanted, probably: not many more are locked.
	Limit int64
}

// Types are the scan's.
func (n *LockRows) Types() []types.Type { return n.Input.Types() }

// LockStrength is a row lock's mode, weakest first.
type LockStrength uint8

// The row locks.
const (
	LockKeyShare LockStrength = iota
	LockShare
	LockNoKeyUpdate
	LockUpdate
)

// LockWait is what to do about a row that someone else has locked.
type LockWait uint8

// The ways to meet a locked row.
const (
	WaitBlock LockWait = iota
	WaitSkip
	WaitNone
)

// Types are those of the table's columns.
func (n *Scan) Types() []types.Type {
	ts := make([]types.Type, len(n.Table.Columns))
	for i := range n.Table.Columns {
		ts[i] = n.Table.Columns[i].Type
	}
	return ts
}

// Constraint says which entries of an index a scan reads: those whose first len(Prefix) key columns each equal one of the given values,
// and whose next key column lies in Range, if there is one. Values are evaluated when the scan opens; they have no columns.
type Constraint struct {
	Prefix []KeyValues
	Range  *KeyRange
	// Conds are the conditions that the constraint stands for, for EXPLAIN.
	Conds []expr.Expr
}

// KeyValues are the values a key column may have, each of the column's type once converted by types.Cast. A value that is NULL, or that
// the type cannot hold, selects nothing, unless IsNull is set.
type KeyValues struct {
	Values []expr.Expr
	Array  expr.Expr // the values are its elements; nil: there is none, and Values counts
	IsNull bool      // the column is NULL; Values is empty
}

// KeyRange are the ends of a range of a key column that is not NULL. Nil ends are open.
type KeyRange struct {
	Low, High         expr.Expr
	LowExcl, HighExcl bool
	// NotNull tells that there are no ends, only IS NOT NULL.
	NotNull bool
}
