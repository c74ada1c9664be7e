package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
)

// CopyWhere builds the condition of COPY … FROM … WHERE, over a table's columns by ordinal.
func (p *Planner) CopyWhere(t *catalog.Table, x parse.Expr) (expr.Expr, error) {
	names := &expr.Source{Table: t.Name, Name: t.Name}
	for i := range t.Columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: t.Columns[i].Name, Type: t.Columns[i].Type, Index: i, Dropped: t.Columns[i].Hidden})
	}
	b := &expr.Builder{Text: p.Text, Params: expr.NoParams(), Types: p.Types}
	e, err := b.BuildCondition(x, &expr.Scope{Sources: []*expr.Source{names}, Clause: expr.ClauseCopyWhere})
	if err != nil {
		return nil, err
	}
	return expr.Fold(e), nil
}
