package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/types"
)

// SequenceRow gives the one row that a sequence looks like.
type SequenceRow struct {
	columnNames
	Sequence *catalog.Table
	Alias    string
}

// Types are those of a sequence's columns.
func (n *SequenceRow) Types() []types.Type {
	ts := make([]types.Type, len(n.Sequence.Columns))
	for i := range n.Sequence.Columns {
		ts[i] = n.Sequence.Columns[i].Type
	}
	return ts
}
