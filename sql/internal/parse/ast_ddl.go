package parse

// Persistence says how long a table lives.
type Persistence uint8

// The kinds of tables by lifetime.
const (
	Permanent Persistence = iota
	Temporary
	Unlogged
)

// OnCommit says what a temporary table does at commit.
type OnCommit uint8

// What a temporary table does at commit.
const (
	OnCommitNoop OnCommit = iota // nothing was written
	OnCommitPreserve
	OnCommitDelete
	OnCommitDrop
)

// CreateTableStmt is CREATE TABLE, and CREATE TABLE AS when As is set.
type CreateTableStmt struct {
	stmtAt
	Name        ObjectName
	IfNotExists bool
	Persistence Persistence
	Columns     []*ColumnDef
	Constraints []*Constraint // of the table; those of columns are in Columns
	Likes       []*LikeClause
	Families    []Family
	Indexes     []*CreateIndexStmt // inline INDEX (…); their Table is empty
	With        []Option
	OnCommit    OnCommit
	Tablespace  string

	As        Stmt     // the query, or an ExecuteStmt; nil when not CREATE TABLE AS
	AsColumns []string // CREATE TABLE t (a, b) AS: new names, types from the query
	NoData    bool
	IsMatView bool // CREATE MATERIALIZED VIEW
	Using     string
}

// LikeClause is LIKE table with what it takes over beside names, types and NOT NULL.
type LikeClause struct {
	Table  ObjectName
	Take   LikeOptions
	Before int // how many columns the statement declares before it
}

// LikeOptions are options of LIKE that are included.
type LikeOptions uint16

// The options of LIKE.
const (
	LikeComments LikeOptions = 1 << iota
	LikeCompression
	LikeConstraints
	LikeDefaults
	LikeGenerated
	LikeIdentity
	LikeIndexes
	LikeStatistics
	LikeStorage
	LikeAll LikeOptions = 1<<iota - 1
)

// ColumnDef is a column of CREATE TABLE or ALTER TABLE ADD COLUMN.
type ColumnDef struct {
	Name        string
	Type        *TypeName
	Collation   *ObjectName
	Constraints []*Constraint
	Family      string // FAMILY f after the column, else ""
	Pos         int
}

// Family is FAMILY [name] (columns).
type Family struct {
	Name    string
	Columns []string
	Pos     int
}

// ConstraintKind tells the constraints apart.
type ConstraintKind uint8

// The kinds of constraints. Null, NotNull, Default, Identity and Generated belong
// to columns only.
const (
	NullConstraint ConstraintKind = iota
	NotNullConstraint
	DefaultConstraint
	CheckConstraint
	PrimaryKeyConstraint
	UniqueConstraint
	ForeignKeyConstraint
	IdentityConstraint
	GeneratedConstraint
)

// FKAction is what a foreign key does when its target changes.
type FKAction uint8

// The foreign key actions.
const (
	FKNoAction FKAction = iota
	FKRestrict
	FKCascade
	FKSetNull
	FKSetDefault
)

// Constraint is a constraint of a column or a table.
type Constraint struct {
	Kind ConstraintKind
	Name string // CONSTRAINT name, else ""
	Pos  int

	// Expr is the expression of Default, Check and Generated. Text is its source.
	Expr Expr
	Text string

	// Columns of a table's PrimaryKey, Unique or ForeignKey; nil for a column's.
	Columns          []string
	Include          []string
	NullsNotDistinct bool
	With             []Option
	Tablespace       string
	UsingIndex       string // PRIMARY KEY USING INDEX i

	// Foreign key.
	References ObjectName
	RefColumns []string
	MatchFull  bool
	OnDelete   FKAction
	OnUpdate   FKAction
	SetColumns []string // ON DELETE SET NULL (columns)

	// Identity: ALWAYS or BY DEFAULT, and the sequence's options.
	Always   bool
	Sequence []SequenceOption

	NoInherit         bool
	NotValid          bool
	Deferrable        bool
	InitiallyDeferred bool
}

// IndexItem is one key of an index.
type IndexItem struct {
	OrderItem  // Expr is a ColumnRef for a plain column
	Collation  *ObjectName
	Opclass    ObjectName
	OpclassSet bool // an operator class was written
	Pos        int
}

// CreateIndexStmt is CREATE INDEX, and INDEX (…) inside CREATE TABLE.
type CreateIndexStmt struct {
	stmtAt
	Name             string // "": PostgreSQL makes one up
	Table            *TableRef
	Unique           bool
	IfNotExists      bool
	Concurrently     bool
	Method           string // lower case; "" is btree
	Items            []IndexItem
	Include          []string // INCLUDE, STORING or COVERING
	Storing          bool     // Include was written with STORING or COVERING
	NullsNotDistinct bool
	With             []Option
	Tablespace       string
	Where            Expr
	WhereText        string // the source of Where
}

// ObjectKind is what DROP, COMMENT, ALTER, GRANT and the like name.
type ObjectKind uint8

// The kinds of objects.
const (
	TableObject ObjectKind = iota
	ViewObject
	MatViewObject
	IndexObject
	SequenceObject
	SchemaObject
	TypeObject
	DatabaseObject
	RoleObject
	ExtensionObject
	FunctionObject
	ColumnObject
	ConstraintObject
	DomainObject
	ProcedureObject
	RoutineObject
	TablespaceObject
	LanguageObject
	CollationObject
	TriggerObject
	ForeignTableObject
	AggregateObject
)

// DropStmt is DROP of anything that has a plain name.
type DropStmt struct {
	stmtAt
	Kind         ObjectKind
	Names        []ObjectName
	Tables       []ObjectName // DROP INDEX t@i: the table of each, else nil
	IfExists     bool
	Cascade      bool
	Concurrently bool
	Force        bool // DROP DATABASE … WITH (FORCE)
}

// CreateViewStmt is CREATE VIEW. Text is the source of the query.
type CreateViewStmt struct {
	stmtAt
	Name        ObjectName
	Columns     []string
	Query       *SelectStmt
	Text        string
	Replace     bool
	Temporary   bool
	Recursive   bool
	With        []Option
	CheckOption string // "", "local" or "cascaded"
}

// RefreshStmt is REFRESH MATERIALIZED VIEW.
type RefreshStmt struct {
	stmtAt
	Name         ObjectName
	Concurrently bool
	NoData       bool
}

// CreateSchemaStmt is CREATE SCHEMA.
type CreateSchemaStmt struct {
	stmtAt
	Name          string // "" with AUTHORIZATION alone
	IfNotExists   bool
	Authorization string
}

// CreateDatabaseStmt is CREATE DATABASE.
type CreateDatabaseStmt struct {
	stmtAt
	Name        string
	IfNotExists bool
	Options     []Option
}

// SequenceOption is one option of CREATE or ALTER SEQUENCE. Name is as, increment,
// minvalue, maxvalue, start, restart, cache, cycle, owned by, sequence name, or one
// of these with "no " in front.
type SequenceOption struct {
	Name  string
	Value string    // the number as written, with its sign
	Type  *TypeName // as
	// Owner is the dotted name of owned by (["none"] for none) and sequence name.
	Owner []string
	Pos   int
}

// CreateSequenceStmt is CREATE SEQUENCE.
type CreateSequenceStmt struct {
	stmtAt
	Name        ObjectName
	IfNotExists bool
	Persistence Persistence
	Options     []SequenceOption
}

// AlterSequenceStmt is ALTER SEQUENCE with options.
type AlterSequenceStmt struct {
	stmtAt
	Name     ObjectName
	IfExists bool
	Options  []SequenceOption
}

// CreateEnumStmt is CREATE TYPE … AS ENUM.
type CreateEnumStmt struct {
	stmtAt
	Name   ObjectName
	Labels []string
}

// AlterEnumStmt is ALTER TYPE … ADD VALUE or RENAME VALUE.
type AlterEnumStmt struct {
	stmtAt
	Name        ObjectName
	Rename      string // the old label of RENAME VALUE, else ""
	Label       string
	IfNotExists bool
	Neighbour   string // BEFORE or AFTER this label
	Before      bool
}

// CreateExtensionStmt is CREATE EXTENSION.
type CreateExtensionStmt struct {
	stmtAt
	Name        string
	IfNotExists bool
	Schema      string
	Version     string
	Cascade     bool
}

// AlterTableStmt is ALTER TABLE, INDEX, VIEW … with a list of commands.
type AlterTableStmt struct {
	stmtAt
	Kind     ObjectKind
	Table    *TableRef
	IfExists bool
	Cmds     []*AlterCmd
}

// AlterKind is what one command of ALTER TABLE does.
type AlterKind uint8

// The commands of ALTER TABLE.
const (
	AddColumn          AlterKind = iota // Column, IfNotExists
	DropColumn                          // Name, IfExists, Cascade
	SetType                             // Name, Column.Type, Column.Collation, Using
	SetDefault                          // Name, Expr
	DropDefault                         // Name
	SetNotNull                          // Name
	DropNotNull                         // Name
	AddIdentity                         // Name, Constraint
	DropIdentity                        // Name, IfExists
	SetIdentity                         // Name, Constraint.Sequence; Constraint.Pos 0 unless GENERATED was named
	DropExpression                      // Name, IfExists
	SetStatistics                       // Name, Value
	SetStorage                          // Name, Value
	AddConstraint                       // Constraint
	DropConstraint                      // Name, IfExists, Cascade
	ValidateConstraint                  // Name
	AlterConstraint                     // Constraint
	ChangeOwner                         // Name
	SetOptions                          // Options
	ResetOptions                        // Options
	SetTablespace                       // Name
	SetLogged
	SetUnlogged
	ClusterOn // Name
	SetWithoutCluster
)

// AlterCmd is one command of ALTER TABLE; Kind says which fields it uses.
type AlterCmd struct {
	Kind        AlterKind
	Name        string
	Column      *ColumnDef
	Constraint  *Constraint
	Expr        Expr   // SET DEFAULT
	ExprText    string // the source of Expr
	Using       Expr   // ALTER TYPE … USING
	Options     []Option
	Value       string
	IfExists    bool
	IfNotExists bool
	Cascade     bool
	Pos         int
}

// RenameStmt is ALTER … RENAME TO, RENAME COLUMN and RENAME CONSTRAINT.
type RenameStmt struct {
	stmtAt
	Kind     ObjectKind // of the object that Name names
	Name     ObjectName
	Only     bool
	IfExists bool
	SubKind  ObjectKind // ColumnObject or ConstraintObject when Sub is set
	Sub      string     // the column or constraint, else ""
	NewName  string
}

// SetSchemaStmt is ALTER … SET SCHEMA.
type SetSchemaStmt struct {
	stmtAt
	Kind     ObjectKind
	Name     ObjectName
	IfExists bool
	Schema   string
}

// OwnerStmt is ALTER … OWNER TO for what is not a table, index, view or sequence.
type OwnerStmt struct {
	stmtAt
	Kind  ObjectKind
	Name  ObjectName
	Owner string
}

// AlterSettingStmt is ALTER DATABASE d or ROLE r SET, and RESET.
type AlterSettingStmt struct {
	stmtAt
	Kind     ObjectKind // DatabaseObject or RoleObject
	Name     string     // "" for ROLE ALL
	Database string     // ALTER ROLE r IN DATABASE d
	Set      Stmt       // a SetStmt or a ResetStmt
}

// AlterDatabaseStmt is ALTER DATABASE with options.
type AlterDatabaseStmt struct {
	stmtAt
	Name    string
	Options []Option
}
