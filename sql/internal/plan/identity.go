package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// override applies the rules for identity columns to an INSERT whose input is planned: a GENERATED ALWAYS column takes no
// value but DEFAULT unless OVERRIDING SYSTEM VALUE is said, and with OVERRIDING USER VALUE the values given are not used.
func (p *Planner) override(n *Insert, st *parse.InsertStmt) error {
	var kept []int // of n.From
	for i, o := range n.From {
		c := &n.Table.Columns[o]
		switch {
		case st.Overriding == parse.OverridingUser && c.Identity != catalog.NoIdentity:
			continue
		case c.Generated != "" || c.Identity == catalog.IdentityAlways && st.Overriding != parse.OverridingSystem:
			if !onlyDefaults(st.Query, i) {
				err := sqlerr.New(sqlerr.GeneratedAlways, "cannot insert a non-DEFAULT value into column \"%s\"", c.Name)
				return alwaysDetail(err, c, "Use OVERRIDING SYSTEM VALUE to override.")
			}
		}
		kept = append(kept, i)
	}
	if len(kept) == len(n.From) {
		return nil
	}
	project := &Project{Input: n.Input}
	from := make([]int, 0, len(kept))
	for _, i := range kept {
		from = append(from, n.From[i])
		project.Exprs = append(project.Exprs, expr.NewColumn(i, n.Input.Types()[i], "", ""))
	}
	n.Input, n.From = project, from
	return nil
}

// alwaysDetail says why a column takes no value.
func alwaysDetail(err *sqlerr.Error, c *catalog.Column, hint string) error {
	if c.Generated != "" {
		return err.WithDetail("Column \"%s\" is a generated column.", c.Name)
	}
	err = err.WithDetail("Column \"%s\" is an identity column defined as GENERATED ALWAYS.", c.Name)
	if hint != "" {
		err = err.WithHint("%s", hint)
	}
	return err
}

// onlyDefaults reports whether the query is a VALUES list that has DEFAULT in a column of every row.
func onlyDefaults(q *parse.SelectStmt, column int) bool {
	values, ok := q.Body.(*parse.ValuesClause)
	if !ok {
		return false
	}
	for _, row := range values.Rows {
		if column >= len(row) {
			return false
		}
		if _, ok := row[column].(*parse.DefaultExpr); !ok {
			return false
		}
	}
	return true
}

// checkUpdatable refuses to give a column that takes only DEFAULT another value.
func checkUpdatable(c *catalog.Column, value parse.Expr) error {
	if c.Generated == "" && c.Identity != catalog.IdentityAlways {
		return nil
	}
	if _, ok := value.(*parse.DefaultExpr); ok {
		return nil
	}
	return alwaysDetail(sqlerr.New(sqlerr.GeneratedAlways, "column \"%s\" can only be updated to DEFAULT", c.Name), c, "")
}
