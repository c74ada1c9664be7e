package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/types"
)

// Scope is the names an expression may use, and what its clause allows.
type Scope struct {
	// Parent is the enclosing query's scope, nil for none. Names not found here are looked up there.
	Parent *Scope
	// Sources are the FROM items in order.
	Sources []*Source
	// Clause is where the expression stands.
	Clause Clause
	// Subquery makes the expression of a query inside this one. Nil: subqueries are refused.
	Subquery SubqueryBuilder
	// Windows are those of the query's WINDOW clause; nil for none.
	Windows *Windows

	// SetFuncs allows set-returning functions, as a SELECT list does: they appear as *SetCall.
	SetFuncs bool

	inAggregate  bool       // among the arguments of an aggregate
	inWindowCall bool       // among the arguments of a call with OVER
	inBranch     string     // in a construct that does not evaluate all it has: CASE, COALESCE
	topLevel     bool       // the function of a FROM item itself
	columns      ColumnList // of topLevel: its column definition list
}

// branch is the scope inside of CASE or COALESCE.
func (s *Scope) branch(construct string) *Scope {
	inner := *s
	inner.inBranch, inner.topLevel = construct, false
	return &inner
}

// SubqueryBuilder plans a query used in an expression.
type SubqueryBuilder func(b *Builder, s *Scope, q SubqueryRequest) (Expr, error)

// SubqueryRequest is a query in an expression and how it is used.
type SubqueryRequest struct {
	Kind  SubqueryKind
	Query *parse.SelectStmt
	Left  []Expr // of IN, ANY and ALL: the left side, one or several columns, not yet coerced
	Op    string // of ANY and ALL: the operator; "=" for IN
	Not   bool   // NOT IN
	Pos   int    // byte offset
}

// SubqueryKind says how a query is used in an expression.
type SubqueryKind uint8

// The uses of subqueries.
const (
	ScalarSubquery SubqueryKind = iota
	ExistsSubquery
	AnySubquery
	AllSubquery
	ArraySubquery
	CompareSubquery // a row compared with the only row of a query
	RowSubquery     // the only row of a query, as a record
)

// Source is a FROM item as names see it.
type Source struct {
	// Schema and Table name the table itself; both are empty for anything else.
	Schema, Table string
	// Name is what qualifies its columns: the alias, or the table's name. "" for the merged columns of JOIN USING, which
	// have no qualifier; they come before the sources they merge.
	Name string
	// Columns in order.
	Columns []SourceColumn
	// Nullable: an outer join may leave it without a row, which the item's whole row is NULL for then.
	Nullable bool
	// Key is 1 + the place among Columns of one that is never NULL in a row; 0: there is none.
	Key int
	// RowType is the composite type of its rows, if it is a table.
	RowType types.RowType
	// Scalar: the item is a function's values, not rows; its whole row is its only column.
	Scalar bool
	// LateralOnly: exists, but may not be referred to from here; names that mean it get an error that says so.
	LateralOnly bool
}

// SourceColumn is a column of a FROM item.
type SourceColumn struct {
	Name  string
	Type  types.Type
	Index int // for Row.Datum
	// Expr, if not nil, stands for the column in place of a Column of Index: a column of JOIN USING, for example.
	Expr Expr
	// Hidden columns are found by name but are no part of *.
	Hidden bool
	// QualifiedOnly columns are not found by their bare name and are no part of a bare *: JOIN USING merged them.
	QualifiedOnly bool
	// Dropped columns keep their place and are never found.
	Dropped bool
}

// Clause is where an expression stands; it decides what may be in it.
type Clause uint8

// The clauses.
const (
	ClauseSelect    Clause = iota
	ClauseFrom             // LATERAL function arguments
	ClauseFromQuery        // LATERAL queries
	ClauseJoin             // JOIN … ON
	ClauseWhere
	ClauseGroupBy
	ClauseHaving
	ClauseOrderBy
	ClauseDistinctOn
	ClauseLimit
	ClauseOffset
	ClauseValues
	ClauseUpdate
	ClauseReturning
	ClauseFilter
	ClauseCheck
	ClauseDefault
	ClauseIndexExpr
	ClauseIndexPredicate
	ClauseGenerated
	ClauseAlterUsing
	ClauseExecute
	ClauseCall
	ClauseCopyWhere
	ClausePartition
	ClauseWindow // PARTITION BY and ORDER BY of a window
	ClauseWindowRows
	ClauseWindowRange
	ClauseWindowGroups
)

// clauseFact is what messages call a clause and what it does not allow.
type clauseFact struct {
	name       string // as in "argument of WHERE must be type boolean"
	aggregates string // as in "aggregate functions are not allowed in WHERE"; "" = they are allowed
	windows    string // the same of window functions; "" = as aggregates
	noSubquery string // as in "cannot use subquery in check constraint"; "" = they are allowed
	noColumns  string // as in "cannot use column reference in DEFAULT expression"; "" = they are allowed
}

var clauseFacts = [...]clauseFact{
	ClauseSelect:         {name: "SELECT"},
	ClauseFrom:           {name: "FROM", aggregates: "functions in FROM"},
	ClauseFromQuery:      {name: "FROM", aggregates: "FROM clause of their own query level"},
	ClauseJoin:           {name: "JOIN/ON", aggregates: "JOIN conditions"},
	ClauseWhere:          {name: "WHERE", aggregates: "WHERE"},
	ClauseGroupBy:        {name: "GROUP BY", aggregates: "GROUP BY"},
	ClauseHaving:         {name: "HAVING", windows: "HAVING"},
	ClauseOrderBy:        {name: "ORDER BY"},
	ClauseDistinctOn:     {name: "DISTINCT ON"},
	ClauseLimit:          {name: "LIMIT", aggregates: "LIMIT"},
	ClauseOffset:         {name: "OFFSET", aggregates: "OFFSET"},
	ClauseValues:         {name: "VALUES", aggregates: "VALUES"},
	ClauseUpdate:         {name: "UPDATE", aggregates: "UPDATE"},
	ClauseReturning:      {name: "RETURNING", aggregates: "RETURNING"},
	ClauseFilter:         {name: "FILTER", aggregates: "FILTER"},
	ClauseCheck:          {name: "CHECK", aggregates: "check constraints", noSubquery: "check constraint"},
	ClauseDefault:        {name: "DEFAULT", aggregates: "DEFAULT expressions", noSubquery: "DEFAULT expression", noColumns: "DEFAULT expression"},
	ClauseIndexExpr:      {name: "index expression", aggregates: "index expressions", noSubquery: "index expression"},
	ClauseIndexPredicate: {name: "WHERE", aggregates: "index predicates", noSubquery: "index predicate"},
	ClauseGenerated:      {name: "GENERATED AS", aggregates: "column generation expressions", noSubquery: "column generation expression"},
	ClauseAlterUsing:     {name: "USING", aggregates: "transform expressions", noSubquery: "transform expression"},
	ClauseExecute:        {name: "EXECUTE", aggregates: "EXECUTE parameters", noSubquery: "EXECUTE parameter"},
	ClauseCall:           {name: "CALL", aggregates: "CALL arguments", noSubquery: "CALL argument"},
	ClauseCopyWhere:      {name: "WHERE", aggregates: "COPY FROM WHERE conditions", noSubquery: "COPY FROM WHERE condition"},
	ClausePartition:      {name: "PARTITION BY", aggregates: "partition key expressions", noSubquery: "partition key expression"},
	ClauseWindow:         {name: "window definition", windows: "window definitions"},
	ClauseWindowRows:     {name: "ROWS", aggregates: "window ROWS", windows: "window definitions"},
	ClauseWindowRange:    {name: "RANGE", aggregates: "window RANGE", windows: "window definitions"},
	ClauseWindowGroups:   {name: "GROUPS", aggregates: "window GROUPS", windows: "window definitions"},
}

func (c Clause) fact() *clauseFact { return &clauseFacts[c] }
