package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/types"
)

// SequenceRow gives the one row that a sequence looks like.
type SequenceRow struct {
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

func (n *SequenceRow) explain(e *explainer) {
	if n.Alias == n.Sequence.Name {
		e.node(n, "Seq Scan on %s", n.Alias)
		return
	}
	e.node(n, "Seq Scan on %s %s", n.Sequence.Name, n.Alias)
}
