package plan

import (
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func (p *Planner) insert(st *parse.InsertStmt) (*Plan, error) {
	f, err := p.buildFrom([]parse.TableExpr{st.Table}, nil, UseWrite)
	if err != nil {
		return nil, err
	}
	table := f.sources[0].scan.Table
	n := &Insert{Table: table}
	if n.From, err = p.targetColumns(table, st.Columns); err != nil {
		return nil, err
	}
	if n.Defaults, err = p.defaults(table); err != nil {
		return nil, err
	}
	if err := p.insertInput(n, st); err != nil {
		return nil, err
	}
	if err := p.override(n, st); err != nil {
		return nil, err
	}
	if n.Checks, err = p.checks(table); err != nil {
		return nil, err
	}
	if n.OnConflict, err = p.onConflict(st.OnConflict, f); err != nil {
		return nil, err
	}
	out := &Plan{Root: n, Tag: "INSERT 0", Writes: true}
	n.Returning, out.Columns, err = p.returning(st.Returning, f)
	p.needed(table, catalog.Insert, n.Returning)
	if c := n.OnConflict; c != nil {
		need := catalog.Privileges(0)
		if c.Update {
			need |= catalog.Update
		}
		if len(st.OnConflict.Items) > 0 || st.OnConflict.Constraint != "" {
			need |= catalog.Select
		}
		p.needed(table, need, values(c.Sets), []expr.Expr{c.Where})
	}
	return out, err
}

// targetColumns are the ordinals of the columns that an INSERT names, or of all that can be named.
func (p *Planner) targetColumns(t *catalog.Table, names []parse.ColumnTarget) ([]int, error) {
	if names == nil {
		return upTo(len(t.Visible())), nil
	}
	var out []int
	for _, c := range names {
		o, err := p.targetColumn(t, c)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, o) {
			return nil, p.at(sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" specified more than once", c.Name), c.Pos)
		}
		out = append(out, o)
	}
	return out, nil
}

// targetColumn is the ordinal of a column that INSERT or UPDATE writes.
func (p *Planner) targetColumn(t *catalog.Table, c parse.ColumnTarget) (int, error) {
	if len(c.Path) > 0 {
		return 0, p.unsupported("assigning to a part of a column", c.Pos)
	}
	column := t.ColumnByName(c.Name)
	if column == nil {
		return 0, p.at(sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", c.Name, t.Name), c.Pos)
	}
	return t.Ordinal(column.ID), nil
}

// insertInput plans the rows to insert.
func (p *Planner) insertInput(n *Insert, st *parse.InsertStmt) error {
	if st.Query == nil {
		n.From = nil
		n.Input = &Values{Rows: [][]expr.Expr{{}}}
		return nil
	}
	if values, ok := st.Query.Body.(*parse.ValuesClause); ok && st.Query.With == nil && st.Query.OrderBy == nil && st.Query.Limit == nil && st.Query.Offset == nil {
		return p.insertValues(n, st, values)
	}
	q, err := p.query(st.Query, nil)
	if err != nil {
		return err
	}
	if err := p.checkWidth(n, st, len(q.columns), q.place(min(len(n.From), len(q.columns)-1), st.Query)); err != nil {
		return err
	}
	n.From = n.From[:len(q.columns)]
	project := &Project{Input: q.node}
	for i, o := range n.From {
		c := &n.Table.Columns[o]
		e, err := p.builder.Assign(branch(q, i), c.Name, c.Type, q.place(i, st.Query))
		if err != nil {
			return err
		}
		project.Exprs = append(project.Exprs, e)
	}
	n.Input = project
	return nil
}

// checkWidth compares the number of values with that of the columns.
func (p *Planner) checkWidth(n *Insert, st *parse.InsertStmt, width, pos int) error {
	if width > len(n.From) {
		return p.at(sqlerr.New(sqlerr.SyntaxError, "INSERT has more expressions than target columns"), pos)
	}
	if st.Columns != nil && width < len(n.From) {
		return p.at(sqlerr.New(sqlerr.SyntaxError, "INSERT has more target columns than expressions"), st.Columns[width].Pos)
	}
	return nil
}

// insertValues casts the values of VALUES to the columns' types, one by one.
func (p *Planner) insertValues(n *Insert, st *parse.InsertStmt, body *parse.ValuesClause) error {
	width := len(body.Rows[0])
	if width > len(n.From) {
		return p.checkWidth(n, st, width, body.Rows[0][len(n.From)].Position())
	}
	if err := p.checkWidth(n, st, width, 0); err != nil {
		return err
	}
	n.From = n.From[:width]
	v := &Values{Alias: "*VALUES*"}
	for _, o := range n.From {
		v.Columns = append(v.Columns, n.Table.Columns[o].Type)
	}
	// One row is as if it were selected.
	scope := &expr.Scope{Clause: expr.ClauseValues, Subquery: p.subquery, SetFuncs: len(body.Rows) == 1}
	for _, row := range body.Rows {
		exprs := make([]expr.Expr, width)
		for i, x := range row {
			e, err := p.assigned(n.Table, n.From[i], n.Defaults, x, scope)
			if err != nil {
				return err
			}
			exprs[i] = e
		}
		v.Rows = append(v.Rows, exprs)
	}
	n.Input = v
	if slices.ContainsFunc(v.Rows[0], hasSets) {
		n.Input = p.project(&Values{Rows: [][]expr.Expr{{}}}, v.Rows[0])
	}
	return nil
}

// assigned is the expression of a value that a column gets; DEFAULT is the column's.
func (p *Planner) assigned(t *catalog.Table, ordinal int, defaults []expr.Expr, x parse.Expr, scope *expr.Scope) (expr.Expr, error) {
	c := &t.Columns[ordinal]
	if _, ok := x.(*parse.DefaultExpr); ok {
		if defaults[ordinal] == nil {
			return expr.NewNull(c.Type), nil
		}
		return defaults[ordinal], nil
	}
	e, err := p.builder.BuildAssignment(x, scope, c.Name, c.Type)
	if err != nil {
		return nil, err
	}
	return p.fold(e), nil
}

// defaults are the default expressions of a table's columns, by ordinal.
func (p *Planner) defaults(t *catalog.Table) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Default == "" {
			continue
		}
		x, err := parseExpression(c.Default)
		if err != nil {
			return nil, err
		}
		b := &expr.Builder{Text: c.Default, Types: p.Types}
		e, err := b.BuildDefault(x, c.Name, c.Type)
		if err != nil {
			return nil, err
		}
		out[i] = expr.Fold(e)
	}
	return out, nil
}

// checks are the CHECK constraints of a table.
func (p *Planner) checks(t *catalog.Table) ([]Check, error) {
	return CompileChecks(t, p.Types)
}

// CompileChecks makes the expressions of a table's CHECK constraints, in the order of their names, as PostgreSQL evaluates them.
func CompileChecks(t *catalog.Table, ec *types.Context) ([]Check, error) {
	scope := tableColumns(t, expr.ClauseCheck)
	out := make([]Check, 0, len(t.Checks))
	for _, c := range t.Checks {
		x, err := parseExpression(c.Expr)
		if err != nil {
			return nil, err
		}
		b := &expr.Builder{Text: c.Expr, Types: ec}
		e, err := b.BuildCondition(x, scope)
		if err != nil {
			return nil, err
		}
		out = append(out, Check{Name: c.Name, Expr: expr.Fold(e)})
	}
	slices.SortFunc(out, func(a, b Check) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out, nil
}

// CompileDefaults makes the default expressions of a table's columns, by ordinal; nil where there is none.
func CompileDefaults(t *catalog.Table, ec *types.Context) ([]expr.Expr, error) {
	return (&Planner{Types: ec}).defaults(t)
}

// returning builds a RETURNING list over the table's row. Without one both results are nil.
func (p *Planner) returning(list []parse.Target, f *from) ([]expr.Expr, []Column, error) {
	if list == nil {
		return nil, nil, nil
	}
	outputs, err := p.targets(list, f, expr.ClauseReturning)
	if err != nil {
		return nil, nil, err
	}
	exprs, cols := make([]expr.Expr, 0, len(outputs)), make([]Column, 0, len(outputs))
	for _, o := range outputs {
		exprs = append(exprs, p.fold(o.expr))
		cols = append(cols, o.column)
	}
	return exprs, cols, nil
}
