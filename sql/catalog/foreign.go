package catalog

import "minidb/sql/types"

// ForeignKey is a FOREIGN KEY constraint of the table that it is in. Its columns and those they reference stand side by
// side.
type ForeignKey struct {
	OID        types.OID  `json:"oid"`
	Name       string     `json:"name"`
	Columns    []ColumnID `json:"columns"`
	References ID         `json:"references"` // the table
	RefColumns []ColumnID `json:"refColumns"`
	RefIndex   IndexID    `json:"refIndex"` // the unique index of that table whose columns they are, in any order
	OnDelete   FKAction   `json:"onDelete,omitempty"`
	OnUpdate   FKAction   `json:"onUpdate,omitempty"`
	SetColumns []ColumnID `json:"setColumns,omitempty"` // of ON DELETE SET …; nil: all Columns
	MatchFull  bool       `json:"matchFull,omitempty"`
	NotValid   bool       `json:"notValid,omitempty"`
	Deferrable bool       `json:"deferrable,omitempty"`
	Deferred   bool       `json:"deferred,omitempty"` // INITIALLY DEFERRED
}

// FKAction is what a foreign key does when the row it references goes or changes.
type FKAction string

// The actions.
const (
	FKNoAction   FKAction = ""
	FKRestrict   FKAction = "restrict"
	FKCascade    FKAction = "cascade"
	FKSetNull    FKAction = "set null"
	FKSetDefault FKAction = "set default"
)

// InboundKey names a foreign key by the table that has it, and tells which columns of this table it references.
type InboundKey struct {
	Table   ID         `json:"table"`
	OID     types.OID  `json:"oid"`
	Columns []ColumnID `json:"columns"`
}

func (k ForeignKey) clone() ForeignKey {
	k.Columns = append([]ColumnID(nil), k.Columns...)
	k.RefColumns = append([]ColumnID(nil), k.RefColumns...)
	k.SetColumns = append([]ColumnID(nil), k.SetColumns...)
	return k
}

// ForeignKey finds a foreign key by its OID; nil if there is none.
func (t *Table) ForeignKey(oid types.OID) *ForeignKey {
	for i := range t.ForeignKeys {
		if t.ForeignKeys[i].OID == oid {
			return &t.ForeignKeys[i]
		}
	}
	return nil
}

// AddColumn adds a column behind the visible ones and gives it its id, in the table's first family.
func (t *Table) AddColumn(c Column) ColumnID {
	if t.NextColumn == 0 {
		t.NextColumn = ColumnID(len(t.Visible()) + 1)
	}
	c.ID = t.NextColumn
	t.NextColumn++
	n := len(t.Visible())
	t.Columns = append(t.Columns[:n:n], append([]Column{c}, t.Columns[n:]...)...)
	t.Families[0].Columns = append(t.Families[0].Columns, c.ID)
	return c.ID
}

// DropColumn takes a column out of the table and its families. Nothing else may mention it any more.
func (t *Table) DropColumn(id ColumnID) {
	if t.NextColumn == 0 {
		t.NextColumn = ColumnID(len(t.Visible()) + 1)
	}
	o := t.Ordinal(id)
	t.Columns = append(t.Columns[:o:o], t.Columns[o+1:]...)
	for i := range t.Families {
		f := &t.Families[i]
		kept := f.Columns[:0]
		for _, c := range f.Columns {
			if c != id {
				kept = append(kept, c)
			}
		}
		f.Columns = kept
	}
}

// Altered reports whether the table has gained or lost columns, so that rows written before may lack columns or have values
// of columns that are gone.
func (t *Table) Altered() bool { return t.NextColumn != 0 }
