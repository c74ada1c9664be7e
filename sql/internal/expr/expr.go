package expr

import "minidb/sql/types"

// Expr is a node of a typed expression: one of the pointer types of this file and agg.go. A finished tree is never changed,
// so any number of goroutines may evaluate it, each with its own EvalContext.
type Expr interface {
	// Type is the type of the value. It is never types.Unknown except for a literal or parameter that nothing has given a
	// type yet.
	Type() types.Type
	// Eval computes the value for a row (nil if the tree has no columns). Errors are *sqlerr.Error, without a position
	// where PostgreSQL gives none. The value may share memory with the row.
	Eval(ec *EvalContext, row Row) (types.Datum, error)

	// each calls f with every operand's place.
	each(f func(*Expr))
	// clone is a copy of the node whose operand places can be changed.
	clone() Expr
	// volatility is the node's own, without its operands'.
	volatility() Volatility
}

// Volatility says how a value may change while its operands do not.
type Volatility uint8

// The volatilities, in rising order.
const (
	Immutable Volatility = iota // never
	Stable                      // between statements
	Volatile                    // at any time
)

// Const is a value.
type Const struct {
	Value types.Datum
	typ   types.Type
	pos   int // of the literal in the text, in bytes from 0; -1 = none. Where an unknown literal's errors point.
}

// NewConst makes a constant of a type.
func NewConst(t types.Type, d types.Datum) *Const { return &Const{Value: d, typ: t, pos: -1} }

// NewNull makes a NULL of a type.
func NewNull(t types.Type) *Const { return NewConst(t, types.NullDatum) }

// Column is a column of the row at hand, or of an enclosing query's.
type Column struct {
	Index int // for Row.Datum
	Level int // 0: the row at hand; n: the n-th enclosing query's row
	// Name and Table (alias, "" = none) are for texts only.
	Name, Table string
	// Pos is the byte offset of the reference in the text; -1 = none. Equal does not look at it.
	Pos int
	// Agg, if not nil, is what the column stands for: an aggregate of the enclosing query that Level names, over that query's rows.
	Agg *Aggregate
	typ types.Type
}

// NewColumn makes a reference to column index of the row at hand.
func NewColumn(index int, t types.Type, table, name string) *Column {
	return &Column{Index: index, Name: name, Table: table, Pos: -1, typ: t}
}

// Param is $Number.
type Param struct {
	Number int // from 1
	typ    types.Type
	pos    int
}

// Call is an operator or function applied to its arguments, which have the types that it takes.
type Call struct {
	Args []Expr
	proc *proc
	im   *impl     // of proc, for the types of Args
	oper *operator // nil: function syntax
	typ  types.Type
	// keyword: the SQL construct the call was written as, such as SUBSTRING; for texts. "" = as it is.
	keyword string
	// variadic: the last argument is the array of the variadic ones.
	variadic bool
}

// Cast gives a value in another type or with another modifier.
type Cast struct {
	Arg        Expr
	Context    types.CastContext
	typ        types.Type
	from       types.Type
	vol        Volatility
	relabel    bool // same bytes, same meaning
	ofOperator bool // an operator of anything and text makes it: stored expressions do not show it
}

// And is true if all operands are, false if any is false, else NULL. It has two operands or more.
type And struct{ Args []Expr }

// Or is false if all operands are, true if any is true, else NULL. It has two operands or more.
type Or struct{ Args []Expr }

// Not is logical negation.
type Not struct{ Arg Expr }

// NullTest is IS NULL, or IS NOT NULL. With Fields it asks that of all fields of a record: a row with both is neither.
type NullTest struct {
	Arg    Expr
	Not    bool
	Fields bool
}

// BoolTest is IS [NOT] TRUE, FALSE or UNKNOWN. It is never NULL.
type BoolTest struct {
	Arg  Expr
	Test BoolTestKind
}

// BoolTestKind is what a BoolTest tests for.
type BoolTestKind uint8

// The bool tests.
const (
	IsTrue BoolTestKind = iota
	IsNotTrue
	IsFalse
	IsNotFalse
	IsUnknown
	IsNotUnknown
)

// equality is an = operator and its body.
type equality struct {
	oper *operator
	im   *impl
}

// Distinct is IS DISTINCT FROM (the operands differ, NULL being a value like others), or its negation.
type Distinct struct {
	Left, Right Expr
	Not         bool
	eq          equality
}

// Case is CASE. In its simple form CASE arg WHEN value the conditions compare a CaseValue with value.
type Case struct {
	Arg   Expr // nil in the searched form
	Whens []When
	Else  Expr // never nil
	typ   types.Type
}

// CaseValue is the value of the Arg of the Case whose condition it is in, which is computed once.
type CaseValue struct {
	typ types.Type
}

// When is a branch of a Case.
type When struct{ Cond, Result Expr }

// Coalesce is the first operand that is not NULL.
type Coalesce struct {
	Args []Expr
	typ  types.Type
}

// NullIf is NULL if the operands are equal, else Left. The operands are as the = operator takes them.
type NullIf struct {
	Left, Right Expr
	eq          equality
}

// MinMax is GREATEST or LEAST: NULLs are left out.
type MinMax struct {
	Args  []Expr
	Least bool
	typ   types.Type
}

// InList is Left oper ANY (List) or, with All, Left oper ALL (List): IN is = ANY, NOT IN is <> ALL. All elements of List have
// one type.
type InList struct {
	Left Expr
	List []Expr
	All  bool
	oper *operator
	im   *impl // of oper
	// array is the constant that the list was taken from; nil: the list was written.
	array *Const
	set   *constSet // the elements of a long constant list; nil: compare one by one
}

// RowCompare is (a, b, …) < (x, y, …) and the like, column by column.
type RowCompare struct {
	Op          string // one of < <= > >=
	Left, Right []Expr
	eq, strict  []*impl // = and the strict form of Op for each pair
}

// Subquery is a query inside an expression. The planner makes it through Scope.Subquery; the executor evaluates it through
// EvalContext.Subquery.
type Subquery struct {
	Plan any    // the planner's
	Args []Expr // what is evaluated in this query's row for it, such as the left side of IN
	Name string // for texts: "SubPlan 1"
	// Function is the name of the function whose call this is; "" for a query that was written there.
	Function string
	// Volatility is the function's.
	Volatility Volatility
	typ        types.Type
}

// NewSubquery makes a subquery whose value is of type t.
func NewSubquery(t types.Type, plan any, name string, args ...Expr) *Subquery {
	return &Subquery{Plan: plan, Args: args, Name: name, typ: t}
}

// Type of each node; see Expr.

func (e *Const) Type() types.Type      { return e.typ }
func (e *Column) Type() types.Type     { return e.typ }
func (e *Param) Type() types.Type      { return e.typ }
func (e *Call) Type() types.Type       { return e.typ }
func (e *Cast) Type() types.Type       { return e.typ }
func (e *And) Type() types.Type        { return types.Bool }
func (e *Or) Type() types.Type         { return types.Bool }
func (e *Not) Type() types.Type        { return types.Bool }
func (e *NullTest) Type() types.Type   { return types.Bool }
func (e *BoolTest) Type() types.Type   { return types.Bool }
func (e *Distinct) Type() types.Type   { return types.Bool }
func (e *Case) Type() types.Type       { return e.typ }
func (e *Coalesce) Type() types.Type   { return e.typ }
func (e *NullIf) Type() types.Type     { return e.Left.Type() }
func (e *CaseValue) Type() types.Type  { return e.typ }
func (e *MinMax) Type() types.Type     { return e.typ }
func (e *InList) Type() types.Type     { return types.Bool }
func (e *RowCompare) Type() types.Type { return types.Bool }
func (e *Subquery) Type() types.Type   { return e.typ }
