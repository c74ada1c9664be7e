// Package catalog is what the database knows of itself: descriptors of databases, schemas, roles and tables, how they are
// named as PostgreSQL names them, and how they are stored and found. It knows nothing of rows, statements or expressions:
// a default and a check are texts here.
//
// Descriptors are ordinary versioned KVs, written through the caller's kv.Txn, so that DDL is transactional: it becomes
// visible when the transaction commits and is gone when it rolls back. Ids, OIDs and row ids come from durable counters
// outside transactions and are never handed out twice. docs/formats/catalog.md has the keys and values.
//
// Reading order: [Table] with [Column], [Family], [Index] and [Check] is a table; [Builder] makes one from its parts;
// [Store] is the one catalog of a server and [View] what a transaction sees of it; names.go is PostgreSQL's naming.
package catalog

import "minidb/sql/types"

// ID numbers databases, schemas, roles and tables, all from one counter. It is what keys and descriptors use; clients see
// OIDs. Ids below FirstTableID are those of the bootstrap.
type ID uint32

// FirstTableID is the lowest id of a table. The key of every row begins with its table's id, so its first byte is at least
// this: lower first bytes belong to kv (0x00) and to the keys of this package and of jobs.
const FirstTableID ID = 100

// IndexID numbers the indexes of one table. TRUNCATE gives an index a new one.
type IndexID uint32

// ColumnID numbers the columns of one table; it is PostgreSQL's attnum: 1, 2, … in the order of declaration and never used
// again once a column was dropped.
type ColumnID uint16

// RowID is the id of the hidden column that is the primary key of a table declared without one.
const RowID ColumnID = 0

// FamilyID numbers the column families of one table from 0.
type FamilyID uint8

// Limits.
const (
	MaxColumns    = 1600 // PostgreSQL's
	MaxIndexKeys  = 32   // PostgreSQL's
	MaxFamilies   = 200  // a family id is one byte in keys, below the bytes that begin longer numbers
	MaxNameLength = 63   // PostgreSQL's NAMEDATALEN - 1, in bytes
)

// Database is a database. Schemas are its children.
type Database struct {
	ID         ID        `json:"id"`
	OID        types.OID `json:"oid"`
	Name       string    `json:"name"`
	Owner      types.OID `json:"owner"`
	AllowConns bool      `json:"allowConns"`
	Template   bool      `json:"template"`
	ACL        ACL       `json:"acl,omitzero"`
	// ConnLimit is how many sessions there may be; nil is any number.
	ConnLimit *int32 `json:"connLimit,omitempty"`
	// Settings are what sessions begin with.
	Settings []Setting `json:"settings,omitempty"`
}

// Schema is a schema of a database. Tables are its children.
type Schema struct {
	ID       ID        `json:"id"`
	OID      types.OID `json:"oid"`
	Database ID        `json:"database"`
	Name     string    `json:"name"`
	Owner    types.OID `json:"owner"`
	ACL      ACL       `json:"acl,omitzero"`
}

// Kind says what a relation is.
type Kind string

// The kinds of relations.
const (
	KindTable    Kind = ""
	KindView     Kind = "view"
	KindSequence Kind = "sequence"
)

// Table is a relation as of one version: a table, or, by its Kind, a view or a sequence, which have names, numbers and
// columns as tables have them but no rows of their own. A *Table that a Store or View gave out is shared and never
// changes; to change a table, change a Clone and give it to View.UpdateTable.
type Table struct {
	ID      ID        `json:"id"`
	OID     types.OID `json:"oid"`
	TypeOID types.OID `json:"typeOID"` // of the row type
	// ArrayOID is that of the type of arrays of rows; 0 for sequences, and for what was made before there were any.
	ArrayOID types.OID `json:"arrayOID,omitempty"`
	Schema   ID        `json:"schema"`
	Name     string    `json:"name"`
	Owner    types.OID `json:"owner"`
	ACL      ACL       `json:"acl,omitzero"`
	Version  uint64    `json:"version"` // 1 when created, one more at each update
	Kind     Kind      `json:"kind,omitempty"`
	Columns  []Column  `json:"columns"` // by ordinal; behind the visible ones the virtual ones, then the hidden row id, if there is one
	Families []Family  `json:"families,omitempty"`
	Primary  Index     `json:"primary"`
	Indexes  []Index   `json:"indexes,omitempty"` // the secondary ones
	Checks   []Check   `json:"checks,omitempty"`
	// NextColumn is the id that the next column gets; 0 stands for one more than there are visible columns, as it is until a
	// column is dropped.
	NextColumn  ColumnID     `json:"nextColumn,omitempty"`
	ForeignKeys []ForeignKey `json:"foreignKeys,omitempty"`
	// Inbound are the foreign keys of tables, this one too, that reference it.
	Inbound  []InboundKey `json:"inbound,omitempty"`
	Sequence *Sequence    `json:"sequence,omitempty"` // of KindSequence
	View     *Query       `json:"view,omitempty"`     // of KindView
	OnCommit string       `json:"onCommit,omitempty"` // of a temporary table: "delete" or "drop" at the end of a transaction
}

// Column is a column of a table. Its ordinal is its place in Table.Columns, which is also its place in a row of Datums.
type Column struct {
	ID         ColumnID   `json:"id"`
	Name       string     `json:"name"`
	Type       types.Type `json:"type"`
	NotNull    bool       `json:"notNull,omitempty"`
	Default    string     `json:"default,omitempty"` // SQL text of an expression; "" = NULL
	DefaultOID types.OID  `json:"defaultOID,omitempty"`
	Identity   Identity   `json:"identity,omitempty"`
	// Generated is the expression of a column GENERATED ALWAYS AS (…) STORED, or of a virtual one; "" for any other.
	Generated string `json:"generated,omitempty"`
	Hidden    bool   `json:"hidden,omitempty"` // the row id or a virtual column: not in *, not in pg_attribute, not nameable
}

// Identity says whether a column is an identity column, and which.
type Identity string

// The kinds of identity columns.
const (
	NoIdentity        Identity = ""
	IdentityAlways    Identity = "always"
	IdentityByDefault Identity = "default"
)

// Family is a group of columns whose values lie in one KV. Family 0 exists for every row, the others where one of their
// columns is not NULL. Key columns may be in any family: their values lie in the key all the same.
type Family struct {
	ID      FamilyID   `json:"id"`
	Name    string     `json:"name"`
	Columns []ColumnID `json:"columns"` // ascending
}

// IndexState says who uses an index.
type IndexState string

// The states of an index. Writers keep an index of either state up to date; readers use public ones only.
const (
	IndexPublic    IndexState = "public"
	IndexWriteOnly IndexState = "write-only"
)

// Index is the primary index or a secondary one.
type Index struct {
	ID     IndexID       `json:"id"`
	OID    types.OID     `json:"oid,omitempty"` // 0 for the primary index of a table without a primary key: it has no name
	Name   string        `json:"name,omitempty"`
	Unique bool          `json:"unique,omitempty"`
	Keys   []IndexColumn `json:"keys"`
	Stored []ColumnID    `json:"stored,omitempty"` // STORING, INCLUDE: in the value
	// Where is the virtual column that tells which rows are in a partial index; 0: all are.
	Where ColumnID   `json:"where,omitempty"`
	State IndexState `json:"state"`
	// ConstraintOID is that of the PRIMARY KEY or UNIQUE constraint the index was made for, which has the index's name; 0
	// for an index made by CREATE INDEX.
	ConstraintOID types.OID `json:"constraintOID,omitempty"`
	Primary       bool      `json:"primary,omitempty"`
}

// IndexColumn is a column of an index key.
type IndexColumn struct {
	Column     ColumnID `json:"column"`
	Desc       bool     `json:"desc,omitempty"`
	NullsFirst bool     `json:"nullsFirst,omitempty"`
	// Class is the operator class if it was named and is not the type's: one of the same order.
	Class string `json:"class,omitempty"`
}

// Check is a CHECK constraint.
type Check struct {
	OID     types.OID  `json:"oid"`
	Name    string     `json:"name"`
	Expr    string     `json:"expr"`              // SQL text without the enclosing CHECK ( )
	Columns []ColumnID `json:"columns,omitempty"` // that it mentions
	// NotValid: rows from before the constraint were not looked at.
	NotValid bool `json:"notValid,omitempty"`
}

// Ordinal is the place of a column in t.Columns, or -1.
func (t *Table) Ordinal(id ColumnID) int {
	// Without dropped columns the ordinal is the id less one.
	if i := int(id) - 1; i >= 0 && i < len(t.Columns) && t.Columns[i].ID == id {
		return i
	}
	for i := range t.Columns {
		if t.Columns[i].ID == id {
			return i
		}
	}
	return -1
}

// Column finds a column by id; nil if there is none.
func (t *Table) Column(id ColumnID) *Column {
	if i := t.Ordinal(id); i >= 0 {
		return &t.Columns[i]
	}
	return nil
}

// ColumnByName finds a column that users may name; nil if there is none.
func (t *Table) ColumnByName(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name && !t.Columns[i].Hidden {
			return &t.Columns[i]
		}
	}
	return nil
}

// Visible is the columns without the hidden ones, which are the last.
func (t *Table) Visible() []Column {
	n := len(t.Columns)
	for n > 0 && t.Columns[n-1].Hidden {
		n--
	}
	return t.Columns[:n]
}

// HiddenRowID is the hidden row id as a column.
func HiddenRowID() Column {
	return Column{ID: RowID, Name: "rowid", Type: types.Int8, NotNull: true, Hidden: true}
}

// HasRowID reports whether the primary key is the hidden row id.
func (t *Table) HasRowID() bool {
	n := len(t.Columns)
	return n > 0 && t.Columns[n-1].Hidden && t.Columns[n-1].ID == RowID
}

// AllIndexes is the primary index and then the secondary ones; none of a view or sequence.
func (t *Table) AllIndexes() []*Index {
	if t.Kind != KindTable {
		return nil
	}
	all := make([]*Index, 0, 1+len(t.Indexes))
	all = append(all, &t.Primary)
	for i := range t.Indexes {
		all = append(all, &t.Indexes[i])
	}
	return all
}

// Index finds an index, the primary one included; nil if there is none.
func (t *Table) Index(id IndexID) *Index {
	for _, x := range t.AllIndexes() {
		if x.ID == id {
			return x
		}
	}
	return nil
}

// IndexByName finds an index, the primary one included; nil if there is none.
func (t *Table) IndexByName(name string) *Index {
	for _, x := range t.AllIndexes() {
		if x.Name == name && name != "" {
			return x
		}
	}
	return nil
}

// FamilyOf is the family of a column. The hidden row id is in the first.
func (t *Table) FamilyOf(id ColumnID) FamilyID {
	for i := range t.Families {
		for _, c := range t.Families[i].Columns {
			if c == id {
				return t.Families[i].ID
			}
		}
	}
	return 0
}

// IsPrimaryKey reports whether a column is part of the primary key.
func (t *Table) IsPrimaryKey(id ColumnID) bool {
	for _, k := range t.Primary.Keys {
		if k.Column == id {
			return true
		}
	}
	return false
}

// Clone makes a copy that can be changed.
func (t *Table) Clone() *Table {
	c := *t
	c.ACL = t.ACL.Clone()
	c.Columns = append([]Column(nil), t.Columns...)
	c.Families = make([]Family, len(t.Families))
	for i, f := range t.Families {
		c.Families[i] = Family{ID: f.ID, Name: f.Name, Columns: append([]ColumnID(nil), f.Columns...)}
	}
	c.Primary = t.Primary.clone()
	c.Indexes = make([]Index, len(t.Indexes))
	for i := range t.Indexes {
		c.Indexes[i] = t.Indexes[i].clone()
	}
	c.Checks = make([]Check, len(t.Checks))
	for i, k := range t.Checks {
		k.Columns = append([]ColumnID(nil), k.Columns...)
		c.Checks[i] = k
	}
	c.ForeignKeys = make([]ForeignKey, len(t.ForeignKeys))
	for i, k := range t.ForeignKeys {
		c.ForeignKeys[i] = k.clone()
	}
	c.Inbound = append([]InboundKey(nil), t.Inbound...)
	if t.Sequence != nil {
		s := *t.Sequence
		c.Sequence = &s
	}
	if t.View != nil {
		q := *t.View
		c.View = &q
	}
	return &c
}

func (x *Index) clone() Index {
	c := *x
	c.Keys = append([]IndexColumn(nil), x.Keys...)
	c.Stored = append([]ColumnID(nil), x.Stored...)
	return c
}
