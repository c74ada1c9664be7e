package parse

// TransactionKind is what a TransactionStmt does.
type TransactionKind uint8

// The transaction statements. START TRANSACTION is Begin, END is Commit, ABORT is
// Rollback.
const (
	Begin TransactionKind = iota
	Commit
	Rollback
	Savepoint
	ReleaseSavepoint
	RollbackToSavepoint
	PrepareTransaction
	CommitPrepared
	RollbackPrepared
)

// TransactionStmt is BEGIN, COMMIT, ROLLBACK, SAVEPOINT and their kin.
type TransactionStmt struct {
	stmtAt
	Kind  TransactionKind
	Start bool   // Begin was written START TRANSACTION: the tag differs
	Name  string // the savepoint, or the id of a prepared transaction
	Modes TransactionModes
	Chain bool
}

// TransactionModes are what BEGIN and SET TRANSACTION may name. A later mode
// overrides an earlier one.
type TransactionModes struct {
	Isolation  string // "read committed", "repeatable read", "serializable", "read uncommitted" or ""
	ReadOnly   *bool
	Deferrable *bool
	Snapshot   string // SET TRANSACTION SNAPSHOT
}

// SetScope is SESSION or LOCAL.
type SetScope uint8

// The scopes of SET.
const (
	SetSession SetScope = iota
	SetLocal
)

// SetStmt is SET name = values. SET TIME ZONE sets timezone, SET NAMES
// client_encoding, SET SCHEMA search_path, SET ROLE role, SET SESSION AUTHORIZATION
// session_authorization.
type SetStmt struct {
	stmtAt
	Scope   SetScope
	Name    string // lower case, dotted names whole
	Default bool   // TO DEFAULT, and LOCAL for the time zone
	Values  []SetValue
	// FromCurrent is SET x FROM CURRENT.
	FromCurrent bool
}

// SetValue is one value of SET.
type SetValue struct {
	Kind LiteralKind // StringLiteral (also for a word), IntLiteral or NumericLiteral
	Text string
	Word bool // a bare identifier, not a string
	// Interval is the type of SET TIME ZONE INTERVAL 'x' HOUR TO MINUTE.
	Interval *TypeName
	Pos      int
}

// SetTransactionStmt is SET TRANSACTION, or SET SESSION CHARACTERISTICS when Session.
type SetTransactionStmt struct {
	stmtAt
	Modes   TransactionModes
	Session bool
	Local   bool
}

// SetConstraintsStmt is SET CONSTRAINTS; Names is nil for ALL.
type SetConstraintsStmt struct {
	stmtAt
	Names    []ObjectName
	Deferred bool
}

// ShowStmt is SHOW name. Name is lower case; "all" for SHOW ALL.
type ShowStmt struct {
	stmtAt
	Name string
}

// ShowObjectsStmt is SHOW TABLES, DATABASES, SCHEMAS, USERS, COLUMNS FROM t,
// INDEXES FROM t or CREATE TABLE t. What is tables, databases, schemas, users,
// columns, indexes or create table.
type ShowObjectsStmt struct {
	stmtAt
	What string
	From ObjectName // the table, or for tables the schema; its Name is "" when absent
}

// ResetStmt is RESET name; Name is "all" for RESET ALL.
type ResetStmt struct {
	stmtAt
	Name string
}

// DiscardStmt is DISCARD; What is all, plans, sequences or temp.
type DiscardStmt struct {
	stmtAt
	What string
}

// ExplainStmt is EXPLAIN. EXPLAIN ANALYZE VERBOSE becomes the options analyze and
// verbose.
type ExplainStmt struct {
	stmtAt
	Options []Option
	Query   Stmt
}

// PrepareStmt is PREPARE name [(types)] AS statement.
type PrepareStmt struct {
	stmtAt
	Name  string
	Types []*TypeName
	Query Stmt
	// Text is the source of Query, Params the highest parameter in it.
	Text   string
	Params int
}

// ExecuteStmt is EXECUTE name [(arguments)].
type ExecuteStmt struct {
	stmtAt
	Name string
	Args []Expr
}

// DeallocateStmt is DEALLOCATE; Name is "" for ALL.
type DeallocateStmt struct {
	stmtAt
	Name string
}

// DeclareCursorStmt is DECLARE … CURSOR.
type DeclareCursorStmt struct {
	stmtAt
	Name        string
	Binary      bool
	Scroll      *bool // nil: neither SCROLL nor NO SCROLL
	Insensitive *bool // nil: neither; false is ASENSITIVE
	Hold        bool
	Query       *SelectStmt
}

// FetchDirection is the way a cursor moves.
type FetchDirection uint8

// The directions of FETCH and MOVE. NEXT is FetchForward 1, PRIOR FetchBackward 1,
// FIRST FetchAbsolute 1, LAST FetchAbsolute -1, ALL FetchForward with All.
const (
	FetchForward FetchDirection = iota
	FetchBackward
	FetchAbsolute
	FetchRelative
)

// FetchStmt is FETCH, or MOVE.
type FetchStmt struct {
	stmtAt
	Name      string
	Direction FetchDirection
	Count     int64
	All       bool
	Move      bool
}

// CloseStmt is CLOSE; Name is "" for ALL.
type CloseStmt struct {
	stmtAt
	Name string
}

// VacuumStmt is VACUUM and ANALYZE (then Analyze alone is set and Vacuum is not).
type VacuumStmt struct {
	stmtAt
	Vacuum  bool
	Analyze bool // ANALYZE, or VACUUM with analyze
	Options []Option
	Tables  []VacuumTable
}

// VacuumTable is one table of VACUUM or ANALYZE.
type VacuumTable struct {
	Table   *TableRef
	Columns []string
}

// ReindexStmt is REINDEX; Kind is IndexObject, TableObject, SchemaObject or
// DatabaseObject.
type ReindexStmt struct {
	stmtAt
	Kind         ObjectKind
	Name         ObjectName
	Concurrently bool
	Options      []Option
}

// ClusterStmt is CLUSTER; Table is nil for all tables.
type ClusterStmt struct {
	stmtAt
	Table *TableRef
	Index string
}

// CheckpointStmt is CHECKPOINT.
type CheckpointStmt struct{ stmtAt }

// CommentStmt is COMMENT ON. Text is nil for IS NULL. For a column or a constraint
// Sub is its name and Name the table.
type CommentStmt struct {
	stmtAt
	Kind ObjectKind
	Name ObjectName
	Sub  string
	Text *string
	// Function is, of FunctionObject, which of its name.
	Function FunctionRef
}

// Privilege is one privilege of GRANT with its columns.
type Privilege struct {
	Name    string // lower case; "all" for ALL PRIVILEGES; for GRANT role: the role
	Columns []string
}

// GrantStmt is GRANT and REVOKE of privileges or roles.
type GrantStmt struct {
	stmtAt
	Revoke      bool
	Roles       bool // GRANT role TO role
	Privileges  []Privilege
	Kind        ObjectKind
	AllInSchema bool // ON ALL TABLES IN SCHEMA: Names are schemas
	Names       []ObjectName
	Grantees    []RoleName
	GrantOption bool // WITH GRANT OPTION, ADMIN OPTION, or REVOKE … OPTION FOR
	Cascade     bool
	GrantedBy   *RoleName
}

// RoleName is a role; Keyword is public, current_user, current_role or
// session_user when written as a word, else "".
type RoleName struct {
	Name    string
	Keyword string
	Pos     int
}

// AlterDefaultPrivilegesStmt is ALTER DEFAULT PRIVILEGES.
type AlterDefaultPrivilegesStmt struct {
	stmtAt
	Roles   []RoleName
	Schemas []string
	Objects string // tables, sequences, functions, types or schemas
	Grant   *GrantStmt
}

// CreateRoleStmt is CREATE ROLE, USER or GROUP.
type CreateRoleStmt struct {
	stmtAt
	Name        string
	Login       bool // CREATE USER: login unless an option says otherwise
	IfNotExists bool
	Options     []Option
}

// AlterRoleStmt is ALTER ROLE with options.
type AlterRoleStmt struct {
	stmtAt
	Name    RoleName
	Options []Option
}

// DropOwnedStmt is DROP OWNED BY, or REASSIGN OWNED BY … TO when To is set.
type DropOwnedStmt struct {
	stmtAt
	Roles   []RoleName
	To      *RoleName
	Cascade bool
}

// LockStmt is LOCK TABLE; Mode is lower case, "access exclusive" when none was written.
type LockStmt struct {
	stmtAt
	Tables []*TableRef
	Mode   string
	NoWait bool
}

// ListenStmt is LISTEN.
type ListenStmt struct {
	stmtAt
	Channel string
}

// UnlistenStmt is UNLISTEN; Channel is "" for *.
type UnlistenStmt struct {
	stmtAt
	Channel string
}

// NotifyStmt is NOTIFY.
type NotifyStmt struct {
	stmtAt
	Channel, Payload string
}

// CallStmt is CALL.
type CallStmt struct {
	stmtAt
	Call *FuncCall
}

// DoStmt is DO.
type DoStmt struct {
	stmtAt
	Body, Language string
}

// AlterSystemStmt is ALTER SYSTEM SET or RESET.
type AlterSystemStmt struct {
	stmtAt
	Set Stmt // a SetStmt or a ResetStmt
}
