package parse

// Overriding is INSERT's OVERRIDING … VALUE.
type Overriding uint8

// What an INSERT overrides.
const (
	OverridingNone Overriding = iota
	OverridingSystem
	OverridingUser
)

// ColumnTarget is a column that INSERT or UPDATE writes. Path is what follows the
// name: SubscriptExpr and FieldExpr nodes whose X is nil; nil for a whole column.
type ColumnTarget struct {
	Name string
	Path []Expr
	Pos  int
}

// InsertStmt is INSERT. Query is nil for DEFAULT VALUES; its body is a
// ValuesClause for INSERT … VALUES, which alone may hold DefaultExpr.
type InsertStmt struct {
	stmtAt
	With       *With
	Table      *TableRef
	Columns    []ColumnTarget // nil: all, in order
	Overriding Overriding
	Query      *SelectStmt
	OnConflict *OnConflict
	Returning  []Target
}

// OnConflict is ON CONFLICT …. It names a constraint, or index items with an
// optional predicate, or neither. Set is nil for DO NOTHING.
type OnConflict struct {
	Constraint string
	Items      []IndexItem
	IndexWhere Expr
	DoUpdate   bool
	Set        []Assignment
	Where      Expr
	Pos        int
}

// Assignment is column = value, or with Multi (columns) = value, where Value is a
// RowExpr with as many items, or a SubqueryExpr, or another single expression.
type Assignment struct {
	Targets []ColumnTarget
	Multi   bool
	Value   Expr
	Pos     int
}

// UpdateStmt is UPDATE.
type UpdateStmt struct {
	stmtAt
	With      *With
	Table     *TableRef
	Set       []Assignment
	From      []TableExpr
	Where     Expr
	Returning []Target
}

// DeleteStmt is DELETE.
type DeleteStmt struct {
	stmtAt
	With      *With
	Table     *TableRef
	Using     []TableExpr
	Where     Expr
	Returning []Target
}

// TruncateStmt is TRUNCATE.
type TruncateStmt struct {
	stmtAt
	Tables          []*TableRef
	RestartIdentity bool
	Cascade         bool
}

// CopyStmt is COPY. Exactly one of Table and Query is set. The old option words
// (CSV HEADER DELIMITER AS ',') are already Options under their new names.
type CopyStmt struct {
	stmtAt
	Table   *TableRef
	Columns []string
	Query   Stmt // COPY (query) TO
	From    bool
	Program bool
	File    string // "" with Std
	Std     bool   // STDIN or STDOUT
	Options []Option
	Where   Expr
}

// ImportStmt is IMPORT INTO in either spelling. Format is lower case, "csv" when
// none was named. Detached asks for the job's id at once.
type ImportStmt struct {
	stmtAt
	Table    *TableRef
	Columns  []string
	Files    []string
	FilesPos []int
	Format   string
	Options  []Option
	Detached bool
}

// ShowJobsStmt is SHOW JOBS, SHOW JOB id and SHOW IMPORT JOB[S].
type ShowJobsStmt struct {
	stmtAt
	ID Expr // nil: all jobs
}

// JobAction is what a JobControlStmt does.
type JobAction uint8

// The actions on a job.
const (
	CancelJob JobAction = iota
	PauseJob
	ResumeJob
)

// JobControlStmt is CANCEL, PAUSE or RESUME JOB id, and CANCEL IMPORT JOB id.
type JobControlStmt struct {
	stmtAt
	Action JobAction
	ID     Expr
}
