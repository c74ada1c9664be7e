package parse

// A Node is any node of the syntax tree.
type Node interface{ node() }

// At is the place of a node: the byte offset of its first significant token in
// the whole text that was parsed. For an operator it is the operator itself, as
// PostgreSQL reports it. Character turns it into an error position.
type At struct{ Pos int }

// Position is the byte offset of the node in the whole text.
func (a At) Position() int { return a.Pos }

func (At) node() {}

// Statement is one statement of a text.
type Statement struct {
	AST    Stmt
	Text   string // the statement as it was written, without the semicolon
	Start  int    // byte offset of Text in the whole text
	Params int    // the highest n of $n; 0 when there are none
}

// Stmt is a statement: SelectStmt, InsertStmt, CreateTableStmt and so on.
type Stmt interface {
	Node
	stmt()
	// Position is the byte offset of the statement's first token.
	Position() int
}

// stmtAt is embedded by every statement.
type stmtAt struct{ At }

func (stmtAt) stmt() {}

// ObjectName is the name of a table, index, sequence, function or type. Its
// parts are folded and truncated; an absent part is "".
type ObjectName struct {
	Catalog, Schema, Name string
	Pos                   int
}

// TypeName is a type as it was written, before it is resolved. SQL's own
// spellings are already PostgreSQL's names: int is pg_catalog.int4, char(3) is
// pg_catalog.bpchar with Mods [3], bare char has Mods [1]. Other names stay as
// they are: text, int8, s.mood.
type TypeName struct {
	Names []string // one to three parts, the type's own name last
	// Mods are the type modifiers as PostgreSQL's parser has them: length,
	// precision and scale; for interval the field mask and then the precision.
	Mods        []int32
	ArrayBounds []int32 // one entry a dimension; -1 where none was written; nil: no array
	SetOf       bool
	Pos         int
}

// Name is the last part of the type's name.
func (t *TypeName) Name() string { return t.Names[len(t.Names)-1] }

// Bits of the field mask of interval's first type modifier. FullRange stands
// for all of them, as in interval(3).
const (
	IntervalMonth     = 1 << 1
	IntervalYear      = 1 << 2
	IntervalDay       = 1 << 3
	IntervalHour      = 1 << 10
	IntervalMinute    = 1 << 11
	IntervalSecond    = 1 << 12
	IntervalFullRange = 0x7FFF
)

// OrderItem is one item of an ORDER BY, or one key of an index.
type OrderItem struct {
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
	Using string // ORDER BY x USING op: the operator; else ""
	// UsingPos is the byte offset of the operator.
	UsingPos int
}

// NullsOrder says where NULLs sort.
type NullsOrder uint8

// The places of NULLs. NullsDefault is last for ascending, first for descending order.
const (
	NullsDefault NullsOrder = iota
	NullsFirst
	NullsLast
)

// Option is one name = value pair of a WITH (…) list, of COPY, EXPLAIN, VACUUM,
// IMPORT and their like.
type Option struct {
	Name  string // lower case; a namespace stays in front: toast.fillfactor
	Value *OptionValue
	Pos   int
}

// OptionValue is the value of an option. Nil stands for an option without a value.
type OptionValue struct {
	Kind OptionKind
	Text string   // the string, the word in lower case, or the number as written, with its sign
	List []string // OptionList: the words or strings in the parentheses
	Pos  int
}

// OptionKind says how an option's value was written.
type OptionKind uint8

// The kinds of option values.
const (
	OptionWord   OptionKind = iota // on, csv, a type name
	OptionString                   // 'x'
	OptionInt
	OptionFloat
	OptionList // (a, b)
	OptionStar // *
)
