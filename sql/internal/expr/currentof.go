package expr

import (
	"strconv"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Cursors is what WHERE CURRENT OF asks.
type Cursors interface {
	// CurrentRow is the primary key of the table's row that the cursor is on.
	CurrentRow(cursor string, table types.OID, name string) ([]types.Datum, error)
}

// NewCurrentOf makes the value of a column of the primary key of the row that a cursor is on, as of when the statement runs.
func NewCurrentOf(cursor string, table types.OID, name string, column int, t types.Type) Expr {
	value := func(ec *EvalContext) (types.Datum, error) {
		if ec.Cursors == nil {
			return types.Datum{}, sqlerr.New(sqlerr.InvalidCursorName, "cursor \"%s\" does not exist", cursor)
		}
		key, err := ec.Cursors.CurrentRow(cursor, table, name)
		if err != nil {
			return types.Datum{}, err
		}
		return key[column], nil
	}
	p := &proc{name: "current of " + cursor + " " + strconv.Itoa(column), result: t.OID, kind: 'f', volatility: Stable, impl: impl{f0: value}}
	call := newCall(p, nil, nil, t)
	call.keyword = "CURRENT OF " + cursor
	return call
}
