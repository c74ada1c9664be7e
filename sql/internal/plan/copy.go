package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// CopyWhere builds the condition of COPY … FROM … WHERE, over a table's columns by ordinal.
func (p *Planner) CopyWhere(t *catalog.Table, x parse.Expr) (expr.Expr, error) {
	b := &expr.Builder{Text: p.Text, Params: expr.NoParams(), Types: p.Types}
	e, err := b.BuildCondition(x, tableColumns(t, expr.ClauseCopyWhere))
	if err != nil {
		return nil, err
	}
	expr.Columns(e, func(ref *expr.Column) {
		if c := &t.Columns[ref.Index]; c.Computed() && err == nil {
			err = p.at(sqlerr.New(sqlerr.InvalidColumnReference, "generated columns are not supported in COPY FROM WHERE conditions").
				WithDetail("Column \"%s\" is a generated column.", c.Name), ref.Pos)
		}
	})
	return expr.Fold(e), err
}
