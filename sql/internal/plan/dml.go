package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// Insert adds a row to a table for each row of its input.
type Insert struct {
	Table *catalog.Table
	// Input's columns are values of the types of the table's columns From: value i is of the column with ordinal From[i].
	Input Node
	From  []int
	// Defaults are, by ordinal, what the columns without a value get; nil is NULL. The hidden row id is the operator's business.
	Defaults []expr.Expr
	Checks   []Check
	// OnConflict, if not nil, is what is done about rows whose keys are taken.
	OnConflict *OnConflict
	// Returning, if not nil, are expressions over the new row, by ordinal, that the statement gives for each row.
	Returning []expr.Expr
}

// Check is a CHECK constraint, over the table's columns by ordinal.
type Check struct {
	Name string
	Expr expr.Expr
}

// Update changes the rows of its input.
type Update struct {
	Table *catalog.Table
	// Input's rows are whole rows of the table and, with Joined, go on with the columns of the FROM list; all expressions are over them.
	Input  Node
	Joined bool // a row of the table may come several times: the first that fits counts
	Sets   []Set
	// Where is the whole condition, evaluated again on a row that changed before it was locked. Nil: none.
	Where     expr.Expr
	Checks    []Check
	Returning []expr.Expr
}

// Set is a column's new value: an expression over the old row or, if there is a Row, over the fields of that record, which is one over
// the old row. Sets with the same Row follow each other.
type Set struct {
	Ordinal int
	Expr    expr.Expr
	Row     expr.Expr
}

// Delete removes the rows of its input.
type Delete struct {
	Table     *catalog.Table
	Input     Node // as Update's, with the columns of the USING list
	Joined    bool
	Where     expr.Expr
	Returning []expr.Expr
}

// Types are those of RETURNING.
func (n *Insert) Types() []types.Type { return typesOf(n.Returning) }

// Types are those of RETURNING.
func (n *Update) Types() []types.Type { return typesOf(n.Returning) }

// Types are those of RETURNING.
func (n *Delete) Types() []types.Type { return typesOf(n.Returning) }
