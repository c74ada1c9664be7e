package plan

import (
	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// Values gives rows of expressions without columns. One row without columns is SELECT without FROM.
type Values struct {
	columnNames
	Rows    [][]expr.Expr
	Columns []types.Type
	Alias   string
}

// Types are those of the columns.
func (n *Values) Types() []types.Type { return n.Columns }

// Filter passes the rows for which Cond is true.
type Filter struct {
	Input Node
	Cond  expr.Expr
	shown expr.Expr // for EXPLAIN, if not nil: HAVING as it was written
}

// Types are the input's.
func (n *Filter) Types() []types.Type { return n.Input.Types() }

// Project computes a row of expressions for each row.
type Project struct {
	Input Node
	Exprs []expr.Expr
	// shown: EXPLAIN shows the node.
	shown bool
}

// Types are the expressions'.
func (n *Project) Types() []types.Type { return typesOf(n.Exprs) }

// Sort orders the rows; equal ones keep their order.
type Sort struct {
	Input Node
	Keys  []SortKey
	// Limit and Offset, if Limit is not nil, are those of the Limit above: rows beyond their sum are not kept.
	Limit, Offset expr.Expr
}

// Types are the input's.
func (n *Sort) Types() []types.Type { return n.Input.Types() }

// Limit passes Count rows after the first Offset; nil is none.
type Limit struct {
	Input         Node
	Count, Offset expr.Expr
}

// Types are the input's.
func (n *Limit) Types() []types.Type { return n.Input.Types() }

// Distinct passes the first row of each set of rows that are equal in Columns.
type Distinct struct {
	Input   Node
	Columns []int
	// Sorted tells that equal rows come one after the other.
	Sorted bool
	On     bool
}

// Types are the input's.
func (n *Distinct) Types() []types.Type { return n.Input.Types() }

// Aggregate groups the rows by Groups and gives one row a group: the groups' values, those of Groupings and then the aggregates'.
// Without Groups it gives one row even if there is no input.
type Aggregate struct {
	Input  Node
	Groups []expr.Expr
	// Sets, if not nil, are the grouping sets: places in Groups. The rows are grouped by each of them; the values of the other groups
	// are NULL then. An empty set has one row even if there is no input.
	Sets [][]int
	// Groupings are the places of GROUPING's arguments in Groups.
	Groupings [][]int
	Aggs      []*expr.Aggregate
}

// Types are the groups', those of GROUPING and then the aggregates'.
func (n *Aggregate) Types() []types.Type {
	ts := typesOf(n.Groups)
	for range n.Groupings {
		ts = append(ts, types.Int4)
	}
	for _, a := range n.Aggs {
		ts = append(ts, a.Type())
	}
	return ts
}

// Subquery is a query in FROM: its input, for EXPLAIN under the name that the statement gave it.
type Subquery struct {
	columnNames
	Input Node
	Alias string
}

// Types are the input's.
func (n *Subquery) Types() []types.Type { return n.Input.Types() }

func typesOf(exprs []expr.Expr) []types.Type {
	ts := make([]types.Type, len(exprs))
	for i, e := range exprs {
		ts[i] = e.Type()
	}
	return ts
}
