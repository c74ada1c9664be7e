package parse

// FunctionParam is an argument of a function, or a column of its result.
type FunctionParam struct {
	Name        string // "" for none
	Mode        byte   // pg_proc.proargmodes: i, o, b, v
	Type        *TypeName
	Default     Expr
	DefaultText string // the source of Default
	Pos         int
}

// CreateFunctionStmt is CREATE FUNCTION. What an option did not say is zero.
type CreateFunctionStmt struct {
	stmtAt
	Name    ObjectName
	Replace bool
	Params  []FunctionParam
	Returns *TypeName // nil: not said
	// IsTable: RETURNS TABLE (Table).
	IsTable bool
	Table   []FunctionParam

	Language   string
	Volatility byte // i, s or v
	Strict     bool
	Parallel   string
	Leakproof  bool
	Cost, Rows string
	// Body is the text after AS; BodyPos is where it begins in the source if it stands there as it is, else -1.
	Body    *string
	BodyPos int
	// Return is the expression of RETURN, ReturnText its source and ReturnPos where that begins.
	Return     Expr
	ReturnText string
	ReturnPos  int
}

// FunctionRef is a function as DROP FUNCTION and the like name it.
type FunctionRef struct {
	Name ObjectName
	// Params are the types of its arguments; nil: it is the only one of its name.
	Params []FunctionParam
	Listed bool // the parentheses are there
}

// DropFunctionStmt is DROP FUNCTION.
type DropFunctionStmt struct {
	stmtAt
	Functions []FunctionRef
	IfExists  bool
	Cascade   bool
}

// AlterFunctionStmt is ALTER FUNCTION … RENAME TO, OWNER TO or SET SCHEMA: one of them is not "".
type AlterFunctionStmt struct {
	stmtAt
	Function               FunctionRef
	NewName, Owner, Schema string
}
