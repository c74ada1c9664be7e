package parse

// Expr is an expression. Every one carries its place: x.Position().
type Expr interface {
	Node
	Position() int
	expr()
}

// exprAt is embedded by every expression.
type exprAt struct{ At }

func (exprAt) expr() {}

// at is the place of an expression at a byte offset.
func at(pos int) exprAt { return exprAt{At{pos}} }

// LiteralKind tells the literals apart.
type LiteralKind uint8

// The kinds of literals.
const (
	NullLiteral    LiteralKind = iota
	BoolLiteral                // Text is "true" or "false"
	IntLiteral                 // fits int64; Int holds it. PostgreSQL's type is int4 where it fits, else int8
	NumericLiteral             // any other number; Text as written, with a sign when negated
	StringLiteral              // of type unknown; Text is the value
	BitLiteral                 // B'101': Text is "101"
	HexLiteral                 // X'1F': Text is "1F"
)

// Literal is a constant. A minus sign before a number is already part of it, as
// in PostgreSQL's parser.
type Literal struct {
	exprAt
	Kind LiteralKind
	Int  int64
	Text string
}

// ColumnRef names a column, or all columns. Parts are [column],
// [table column], [schema table column] or [catalog schema table column]; with
// Star the column part is missing: * has none, t.* has [t].
type ColumnRef struct {
	exprAt
	Parts []string
	Star  bool
}

// ParamRef is $n. Number counts from 1.
type ParamRef struct {
	exprAt
	Number int
}

// DefaultExpr is the word DEFAULT as a value of INSERT, UPDATE or a VALUES row.
type DefaultExpr struct{ exprAt }

// BinaryExpr is an infix operator: + - * / % ^ = <> < <= > >= || -> ~ and any
// other. != is already <>. AND, OR, LIKE, IS and the like have nodes of their own.
type BinaryExpr struct {
	exprAt
	Op     string
	Schema string // OPERATOR(schema.op), else ""
	L, R   Expr
}

// UnaryExpr is a prefix operator: -x, ~x, @x and any other.
type UnaryExpr struct {
	exprAt
	Op     string
	Schema string
	X      Expr
}

// BoolOp is AND, OR or NOT.
type BoolOp uint8

// The boolean operators.
const (
	And BoolOp = iota
	Or
	Not
)

// BoolExpr is AND or OR over two or more arguments, or NOT over one. A chain of
// ANDs or ORs is one node.
type BoolExpr struct {
	exprAt
	Op   BoolOp
	Args []Expr
}

// NullTest is x IS [NOT] NULL.
type NullTest struct {
	exprAt
	X   Expr
	Not bool
}

// BoolTestKind is what a BoolTest asks for.
type BoolTestKind uint8

// The values a BoolTest asks for.
const (
	IsTrue BoolTestKind = iota
	IsFalse
	IsUnknown
)

// BoolTest is x IS [NOT] TRUE, FALSE or UNKNOWN.
type BoolTest struct {
	exprAt
	X    Expr
	Kind BoolTestKind
	Not  bool
}

// DistinctExpr is l IS [NOT] DISTINCT FROM r.
type DistinctExpr struct {
	exprAt
	L, R Expr
	Not  bool
}

// BetweenExpr is x [NOT] BETWEEN [SYMMETRIC] lo AND hi.
type BetweenExpr struct {
	exprAt
	X, Lo, Hi Expr
	Not       bool
	Symmetric bool
}

// InExpr is x [NOT] IN (list) or x [NOT] IN (query); exactly one of List and
// Query is set.
type InExpr struct {
	exprAt
	X     Expr
	List  []Expr
	Query *SelectStmt
	Not   bool
}

// LikeKind tells the pattern matches apart.
type LikeKind uint8

// The kinds of pattern matches.
const (
	Like LikeKind = iota
	ILike
	Similar
)

// LikeExpr is x [NOT] LIKE, ILIKE or SIMILAR TO pattern [ESCAPE e]. Escape is
// nil when none was written. Regular expressions are BinaryExpr with ~ and its kin.
type LikeExpr struct {
	exprAt
	Kind               LikeKind
	X, Pattern, Escape Expr
	Not                bool
}

// AnyAllExpr is x op ANY (…), SOME (…) or ALL (…); exactly one of Array and
// Query is set. LIKE and ILIKE appear as the operators ~~, ~~*, !~~ and !~~*.
type AnyAllExpr struct {
	exprAt
	X          Expr
	Op, Schema string
	All        bool
	Array      Expr
	Query      *SelectStmt
}

// CaseExpr is CASE [arg] WHEN … THEN … [ELSE …] END; Arg and Else may be nil.
type CaseExpr struct {
	exprAt
	Arg   Expr
	Whens []CaseWhen
	Else  Expr
}

// CaseWhen is one WHEN … THEN … arm.
type CaseWhen struct {
	Cond, Result Expr
	Pos          int
}

// CoalesceExpr is COALESCE(…) with at least one argument.
type CoalesceExpr struct {
	exprAt
	Args []Expr
}

// NullIfExpr is NULLIF(l, r).
type NullIfExpr struct {
	exprAt
	L, R Expr
}

// MinMaxExpr is GREATEST(…), or LEAST(…) when Least.
type MinMaxExpr struct {
	exprAt
	Least bool
	Args  []Expr
}

// FuncForm says in which of SQL's special shapes a function call was written.
// The arguments are always in the function's own order, and the schema is
// pg_catalog, as PostgreSQL's parser leaves them.
type FuncForm uint8

// The shapes of function calls.
const (
	PlainCall        FuncForm = iota
	ExtractCall               // EXTRACT(f FROM x): extract('f', x)
	PositionCall              // POSITION(a IN b): position(b, a)
	OverlayCall               // OVERLAY(a PLACING b FROM c [FOR d])
	SubstringCall             // SUBSTRING(a FROM b [FOR c]), SUBSTRING(a FOR c) and SIMILAR … ESCAPE
	TrimCall                  // TRIM([BOTH|LEADING|TRAILING] [a FROM] b): btrim, ltrim, rtrim (b [, a])
	AtTimeZoneCall            // x AT TIME ZONE z: timezone(z, x)
	OverlapsCall              // (a, b) OVERLAPS (c, d): overlaps(a, b, c, d)
	CollationForCall          // COLLATION FOR (x): pg_collation_for(x)
	NormalizeCall             // NORMALIZE(x [, form]): normalize(x [, 'form'])
	IsNormalizedCall          // x IS [form] NORMALIZED: is_normalized(x [, 'form'])
)

// FuncCall is the call of a function or aggregate.
type FuncCall struct {
	exprAt
	Name        ObjectName
	Args        []Expr
	ArgNames    []string // f(a => 1): one entry an argument, "" for a positional one; nil when all are positional
	Star        bool     // count(*)
	Distinct    bool     // f(DISTINCT …)
	Variadic    bool     // the last argument is VARIADIC
	OrderBy     []OrderItem
	WithinGroup bool // OrderBy came from WITHIN GROUP (…)
	Filter      Expr
	Over        *WindowSpec
	Form        FuncForm
}

// WindowSpec is what follows OVER, or one definition of the WINDOW clause.
type WindowSpec struct {
	// Name is the window's own name in a WINDOW clause, else "".
	Name string
	// Base is the window that is named: OVER w when Reference, OVER (w …) when not.
	Base        string
	Reference   bool
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame // nil: the default, RANGE UNBOUNDED PRECEDING
	Pos         int
}

// FrameMode is ROWS, RANGE or GROUPS.
type FrameMode uint8

// The frame modes.
const (
	FrameRange FrameMode = iota
	FrameRows
	FrameGroups
)

// FrameBoundKind is the kind of one end of a frame.
type FrameBoundKind uint8

// The kinds of frame ends.
const (
	UnboundedPreceding FrameBoundKind = iota
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// FrameBound is one end of a frame; Offset is set for the two offset kinds.
type FrameBound struct {
	Kind   FrameBoundKind
	Offset Expr
}

// FrameExclude says which rows a frame leaves out.
type FrameExclude uint8

// The frame exclusions.
const (
	ExcludeNoOthers FrameExclude = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is a window's frame clause. An end that was not written is CurrentRow.
type Frame struct {
	Mode       FrameMode
	Start, End FrameBound
	Exclude    FrameExclude
	Between    bool // both ends were written
}

// CastSyntax says how a cast was written.
type CastSyntax uint8

// The ways to write a cast.
const (
	CastOperator CastSyntax = iota // x::type
	CastFunction                   // CAST(x AS type)
	CastTyped                      // type 'text'
)

// CastExpr is a cast, or a literal with its type in front.
type CastExpr struct {
	exprAt
	X      Expr
	Type   *TypeName
	Syntax CastSyntax
}

// CollateExpr is x COLLATE name.
type CollateExpr struct {
	exprAt
	X         Expr
	Collation ObjectName
}

// ArrayExpr is ARRAY[…]; nested brackets are nested ArrayExprs.
type ArrayExpr struct {
	exprAt
	Elems []Expr
}

// ArraySubquery is ARRAY(query).
type ArraySubquery struct {
	exprAt
	Query *SelectStmt
}

// SubscriptExpr is x[i][j]…: all subscripts that stand in a row. (x[i])[j] is another
// thing, the subscript of an element.
type SubscriptExpr struct {
	exprAt
	X    Expr
	Subs []Subscript
}

// Subscript is [i], where the index is Lower, or with Slice [lower:upper], where either
// end may be nil.
type Subscript struct {
	Lower, Upper Expr
	Slice        bool
}

// FieldExpr is (x).field, or (x).* when Star.
type FieldExpr struct {
	exprAt
	X     Expr
	Field string
	Star  bool
}

// RowExpr is ROW(…) when Explicit, or (a, b).
type RowExpr struct {
	exprAt
	Args     []Expr
	Explicit bool
}

// SubqueryExpr is a query used as a value.
type SubqueryExpr struct {
	exprAt
	Query *SelectStmt
}

// ExistsExpr is EXISTS (query).
type ExistsExpr struct {
	exprAt
	Query *SelectStmt
}

// SQLValueFunc is one of the functions that SQL writes without parentheses.
// Name is current_date, current_time, current_timestamp, localtime,
// localtimestamp, current_role, current_user, user, session_user,
// current_catalog or current_schema. Precision is -1 when none was written.
type SQLValueFunc struct {
	exprAt
	Name      string
	Precision int32
}

// GroupingKind tells the items of GROUP BY apart.
type GroupingKind uint8

// The kinds of grouping items.
const (
	GroupingEmpty GroupingKind = iota // ()
	GroupingRollup
	GroupingCube
	GroupingSets
)

// GroupingExpr is ROLLUP (…), CUBE (…), GROUPING SETS (…) or (); it stands only
// in GROUP BY and in another GroupingExpr.
type GroupingExpr struct {
	exprAt
	Kind GroupingKind
	Args []Expr
}

// GroupingFunc is GROUPING(…).
type GroupingFunc struct {
	exprAt
	Args []Expr
}

// CurrentOfExpr is the condition CURRENT OF cursor of UPDATE and DELETE.
type CurrentOfExpr struct {
	exprAt
	Cursor string
}
