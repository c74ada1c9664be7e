package parse

// SelectStmt is a query: a body (SELECT, VALUES or a set operation) with what may
// stand around it. A query in parentheses is the query itself.
type SelectStmt struct {
	stmtAt
	With     *With
	Body     SelectBody
	OrderBy  []OrderItem
	Limit    Expr // nil: none; LIMIT ALL is none too
	Offset   Expr
	WithTies bool // FETCH FIRST … WITH TIES
	Locking  []Locking
}

// SelectBody is a SelectClause, a ValuesClause or a SetOp.
type SelectBody interface {
	Node
	selectBody()
}

// SelectClause is SELECT … FROM … WHERE …. TABLE t is SELECT * FROM t.
type SelectClause struct {
	At
	Distinct      bool
	DistinctOn    []Expr // DISTINCT ON (…); Distinct is set too
	Targets       []Target
	From          []TableExpr
	Where         Expr
	GroupBy       []Expr
	GroupDistinct bool // GROUP BY DISTINCT
	Having        Expr
	Windows       []*WindowSpec
}

// ValuesClause is VALUES (…), (…). All rows have the same length.
type ValuesClause struct {
	At
	Rows [][]Expr
}

// SetOpKind is UNION, INTERSECT or EXCEPT.
type SetOpKind uint8

// The set operations.
const (
	Union SetOpKind = iota
	Intersect
	Except
)

// SetOp is left UNION/INTERSECT/EXCEPT [ALL] right.
type SetOp struct {
	At
	Op          SetOpKind
	All         bool
	Left, Right *SelectStmt
}

func (*SelectClause) selectBody() {}
func (*ValuesClause) selectBody() {}
func (*SetOp) selectBody()        {}

// Target is one item of a SELECT list or of RETURNING. Name is the AS name or "".
type Target struct {
	Expr Expr
	Name string
	Pos  int
}

// With is WITH [RECURSIVE] ….
type With struct {
	Recursive bool
	CTEs      []*CTE
	Pos       int
}

// Materialize says what a CTE asked for.
type Materialize uint8

// The ways to compute a CTE.
const (
	MaterializeDefault Materialize = iota
	MaterializeAlways
	MaterializeNever
)

// CTE is one named query of a WITH clause. Query is a SelectStmt, InsertStmt,
// UpdateStmt or DeleteStmt.
type CTE struct {
	Name        string
	Columns     []string
	Materialize Materialize
	Query       Stmt
	Pos         int
}

// LockStrength is the strength of FOR UPDATE and its kin.
type LockStrength uint8

// The row lock strengths, weakest first.
const (
	ForKeyShare LockStrength = iota
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

// LockWait says what to do about a row that is locked.
type LockWait uint8

// The ways to meet a locked row.
const (
	LockBlock LockWait = iota
	LockSkip
	LockNoWait
)

// Locking is one FOR … clause; no table means all of them.
type Locking struct {
	Strength LockStrength
	Tables   []ObjectName
	Wait     LockWait
	Pos      int
}

// TableExpr is an item of FROM.
type TableExpr interface {
	Node
	Position() int
	tableExpr()
}

// Alias is AS name [(columns)]. An empty Name means no alias.
type Alias struct {
	Name    string
	Columns []string
	Pos     int
}

// TableRef is a table or view in FROM, or the target of a DML statement.
type TableRef struct {
	At
	Name  ObjectName
	Alias Alias
	Only  bool
	Index string // t@index: the index to use, else ""
}

// SubqueryTable is [LATERAL] (query) [AS alias].
type SubqueryTable struct {
	At
	Query   *SelectStmt
	Lateral bool
	Alias   Alias
}

// FuncTable is [LATERAL] f(…) [WITH ORDINALITY] [AS alias]. Func is a FuncCall, or
// one of the expressions that SQL writes as a function (CastExpr, SQLValueFunc …).
type FuncTable struct {
	At
	Func       Expr
	Lateral    bool
	Ordinality bool
	Alias      Alias
	Columns    []*ColumnDef // AS t(a int, b text): names and types only; else nil
	// Rows are the functions of ROWS FROM (f(…) [AS (a int)], …); else nil. Func and Columns are nil then.
	Rows []RowsItem
}

// RowsItem is a function of ROWS FROM, with its column definitions or nil.
type RowsItem struct {
	Func    Expr
	Columns []*ColumnDef
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins. CrossJoin has no condition.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
)

// JoinExpr is left JOIN right. At most one of Natural, Using and On is set.
type JoinExpr struct {
	At
	Kind        JoinKind
	Left, Right TableExpr
	Natural     bool
	Using       []string
	UsingAlias  string // USING (…) AS name
	On          Expr
	Alias       Alias // of a join in parentheses: (a JOIN b …) AS x
}

func (*TableRef) tableExpr()      {}
func (*SubqueryTable) tableExpr() {}
func (*FuncTable) tableExpr()     {}
func (*JoinExpr) tableExpr()      {}
