package catalog

import "minidb/sql/types"

// FirstVirtual is the lowest id of a virtual column: those of the columns that users make lie below.
const FirstVirtual ColumnID = 0x4000

// A virtual column stands for the expression of an index key or for the condition of a partial index: it has a value in every
// row that is written, and is in the keys of indexes, but in no family. So an index on an expression is, for all who make or
// read entries, an index on a column; who writes a row, or reads one from the primary index to remove it, computes the column.
// Indexes on the same expression share one.

// Virtual reports whether a column is a virtual one.
func (c *Column) Virtual() bool { return c.Hidden && c.ID >= FirstVirtual }

// Computed reports whether a column's value follows from others: it is virtual or GENERATED ALWAYS AS (…) STORED.
func (c *Column) Computed() bool { return c.Generated != "" }

// AddVirtual gives the virtual column of an expression, which it adds if there is none. Name is what an index calls a key
// column that is one.
func (t *Table) AddVirtual(name, text string, typ types.Type) ColumnID {
	id, n := FirstVirtual, len(t.Visible())
	for ; n < len(t.Columns) && t.Columns[n].Virtual(); n++ {
		c := &t.Columns[n]
		if c.Generated == text && c.Type == typ && c.Name == name {
			return c.ID
		}
		id = max(id, c.ID+1)
	}
	c := Column{ID: id, Name: name, Type: typ, Generated: text, Hidden: true}
	t.Columns = append(t.Columns[:n:n], append([]Column{c}, t.Columns[n:]...)...)
	return id
}

// DropUnusedVirtual takes out the virtual columns that no index has.
func (t *Table) DropUnusedVirtual() {
	used := map[ColumnID]bool{}
	for _, x := range t.AllIndexes() {
		used[x.Where] = true
		for _, k := range x.Keys {
			used[k.Column] = true
		}
	}
	kept := make([]Column, 0, len(t.Columns))
	for _, c := range t.Columns {
		if !c.Virtual() || used[c.ID] {
			kept = append(kept, c)
		}
	}
	t.Columns = kept
}

// Plain reports whether an index is on columns alone and has all rows, as the key of a constraint has to be.
func (x *Index) Plain() bool {
	for _, k := range x.Keys {
		if k.Column >= FirstVirtual {
			return false
		}
	}
	return x.Where == 0
}

// KeyNames are the names of an index's key columns, of which none is twice, as PostgreSQL gives them to the index's own columns.
func (t *Table) KeyNames(x *Index) []string {
	var ids []ColumnID
	for _, k := range x.Keys {
		ids = append(ids, k.Column)
	}
	return uniqueNames(t.columnNames(ids))
}
