package sql

import (
	"slices"

	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// CurrentRow is the primary key of the row of a table that a cursor is on, for WHERE CURRENT OF.
func (e sessionEnv) CurrentRow(name string, table types.OID, tableName string) ([]types.Datum, error) {
	c, err := e.s.findCursor(name)
	if err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidCursorState, "cursor \"%s\" "+format, append([]any{name}, args...)...)
	}
	if c.held {
		return nil, refuse("is held from a previous transaction")
	}
	if e.s.cursors[name] == nil {
		return nil, sqlerr.Unsupported("WHERE CURRENT OF a portal of the protocol")
	}
	var tables []plan.CursorTable
	if c.rows != nil {
		tables = slices.Clone(c.rows.Tables)
	}
	tables = slices.DeleteFunc(tables, func(t plan.CursorTable) bool { return t.Table != table })
	locking := c.rows != nil && c.rows.Locking
	switch {
	case len(tables) == 0 && locking:
		return nil, refuse("does not have a FOR UPDATE/SHARE reference to table \"%s\"", tableName)
	case len(tables) > 1:
		return nil, refuse("has multiple FOR UPDATE/SHARE references to table \"%s\"", tableName)
	case len(tables) == 0:
		return nil, refuse("is not a simply updatable scan of table \"%s\"", tableName)
	case !c.isOnRow():
		return nil, refuse("is not positioned on a row")
	}
	row := c.currentRow()
	return row[tables[0].First : tables[0].First+tables[0].Keys], nil
}

// currentRow is the row that the cursor is on, with all that the plan's rows have.
func (c *cursor) currentRow() []types.Datum {
	if c.back == nil || c.position <= c.base {
		return c.last
	}
	b := types.NewBatch(c.types)
	c.back.AppendTo(b, c.position-1-c.base)
	row := make([]types.Datum, len(c.types))
	for i := range row {
		row[i] = b.Datum(i, 0).Clone()
	}
	return row
}
