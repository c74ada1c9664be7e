package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// tableMaker turns a CREATE TABLE into the parts of a descriptor.
type tableMaker struct {
	*ddl
	st *parse.CreateTableStmt
	b  *catalog.Builder
	x  *expr.Builder
}

func (d *ddl) createTable(ctx context.Context, st *parse.CreateTableStmt) error {
	switch {
	case st.IsMatView:
		return d.unsupported("CREATE MATERIALIZED VIEW", st.Position())
	case st.As != nil:
		return d.unsupported("CREATE TABLE AS", st.Position())
	case st.Persistence == parse.Temporary:
		return d.unsupported("temporary tables", st.Position())
	case st.Using != "" && st.Using != "heap":
		return sqlerr.New(sqlerr.UndefinedObject, "access method \"%s\" does not exist", st.Using)
	}
	schema, err := d.schema(ctx, st.Name)
	if err != nil {
		return err
	}
	if st.IfNotExists {
		if found, err := d.exists(ctx, schema.ID, st.Name.Name); found || err != nil {
			return err
		}
	}
	if err := d.checkParameters(st.With); err != nil {
		return err
	}
	if err := d.checkTablespace(st.Tablespace); err != nil {
		return err
	}
	m := &tableMaker{ddl: d, st: st, b: d.env.View.NewBuilder(schema, st.Name.Name)}
	m.x = &expr.Builder{Text: d.env.Text, Types: d.env.Eval.Types}
	if err := m.parts(); err != nil {
		return err
	}
	t, err := m.b.Build(ctx)
	if err != nil {
		return err
	}
	if err := d.env.View.CreateTable(ctx, t); err != nil {
		return err
	}
	for _, x := range st.Indexes {
		if t, err = d.addIndex(ctx, t, x); err != nil {
			return err
		}
	}
	return nil
}

// parts adds everything that the statement declares.
func (m *tableMaker) parts() error {
	for _, c := range m.st.Columns {
		if err := m.column(c); err != nil {
			return err
		}
	}
	if err := m.families(); err != nil {
		return err
	}
	// Constraints may mention any column, so they come after all of them.
	for _, c := range m.st.Columns {
		for _, k := range c.Constraints {
			if err := m.constraint(k, []string{c.Name}); err != nil {
				return err
			}
		}
	}
	for _, k := range m.st.Constraints {
		if err := m.constraint(k, k.Columns); err != nil {
			return err
		}
	}
	return nil
}

// column adds a column with what its constraints say of it alone.
func (m *tableMaker) column(c *parse.ColumnDef) error {
	t, err := m.columnType(c)
	if err != nil {
		return err
	}
	col := catalog.Column{Name: c.Name, Type: t}
	var nullable, hasDefault bool
	for _, k := range c.Constraints {
		switch k.Kind {
		case parse.NullConstraint, parse.NotNullConstraint:
			notNull := k.Kind == parse.NotNullConstraint
			if notNull && nullable || !notNull && col.NotNull {
				return m.at(sqlerr.New(sqlerr.SyntaxError, "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\"",
					c.Name, m.st.Name.Name), k.Pos)
			}
			col.NotNull, nullable = notNull, !notNull
		case parse.DefaultConstraint:
			if hasDefault {
				return m.at(sqlerr.New(sqlerr.SyntaxError, "multiple default values specified for column \"%s\" of table \"%s\"",
					c.Name, m.st.Name.Name), k.Pos)
			}
			hasDefault = true
			if _, err := m.x.BuildDefault(k.Expr, c.Name, t); err != nil {
				return err
			}
			col.Default = k.Text
		}
	}
	return m.b.AddColumn(col)
}

// columnType resolves the type of a column and refuses what no column can have.
func (m *tableMaker) columnType(c *parse.ColumnDef) (types.Type, error) {
	switch c.Type.Name() {
	case "serial", "serial2", "serial4", "serial8", "bigserial", "smallserial":
		return types.Type{}, m.unsupported("type "+c.Type.Name(), c.Type.Pos)
	}
	t, err := m.x.ResolveType(c.Type)
	if err != nil {
		return t, err
	}
	if t.Category() == 'P' || t.IsUnknown() {
		return t, sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", c.Name, t.Format())
	}
	if err := checkCollation(c.Collation, t); err != nil {
		return t, m.at(err, collateClause(m.env.Text, c.Collation.Pos))
	}
	return t, nil
}

// collateClause is the offset of the word COLLATE before a collation's name, where PostgreSQL's errors point.
func collateClause(text string, name int) int {
	const word = "collate"
	for i := name - len(word); i >= 0; i-- {
		if strings.EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return name
}

// families declares the families of FAMILY clauses, those of single columns after the table's.
func (m *tableMaker) families() error {
	families := slices.Clone(m.st.Families)
	for _, c := range m.st.Columns {
		if c.Family == "" {
			continue
		}
		i := slices.IndexFunc(families, func(f parse.Family) bool { return f.Name == c.Family })
		if i < 0 {
			families, i = append(families, parse.Family{Name: c.Family, Pos: c.Pos}), len(families)
		}
		families[i].Columns = append(slices.Clip(families[i].Columns), c.Name)
	}
	for _, f := range families {
		if err := m.b.AddFamily(f.Name, f.Columns); err != nil {
			return m.at(err, f.Pos)
		}
	}
	return nil
}

// constraint adds a constraint of the table, or of a column.
func (m *tableMaker) constraint(k *parse.Constraint, columns []string) error {
	if k.Deferrable || k.InitiallyDeferred {
		return m.unsupported("deferrable constraints", k.Pos)
	}
	switch k.Kind {
	case parse.CheckConstraint:
		return m.check(k)
	case parse.PrimaryKeyConstraint, parse.UniqueConstraint:
		if k.NullsNotDistinct {
			return m.unsupported("UNIQUE NULLS NOT DISTINCT", k.Pos)
		}
		if err := m.checkTablespace(k.Tablespace); err != nil {
			return err
		}
		if err := m.checkParameters(k.With); err != nil {
			return err
		}
		if err := m.keyConstraint(k, columns); err != nil {
			return m.at(err, k.Pos)
		}
	case parse.ForeignKeyConstraint:
		return m.unsupported("FOREIGN KEY constraints", k.Pos)
	case parse.IdentityConstraint:
		return m.unsupported("identity columns", k.Pos)
	case parse.GeneratedConstraint:
		return m.unsupported("generated columns", k.Pos)
	}
	return nil
}

func (m *tableMaker) keyConstraint(k *parse.Constraint, columns []string) error {
	for _, name := range columns {
		if c := m.b.Table().ColumnByName(name); c != nil && !rowenc.Keyable(c.Type) {
			return notKeyable(c.Type)
		}
	}
	if k.Kind == parse.UniqueConstraint {
		return m.b.AddUnique(k.Name, columns, k.Include)
	}
	return m.b.AddPrimaryKey(k.Name, columns, k.Include)
}

func notKeyable(t types.Type) error {
	return sqlerr.Unsupported("indexes on columns of type " + t.Format())
}

// check adds a CHECK constraint after resolving its expression.
func (m *tableMaker) check(k *parse.Constraint) error {
	t := m.b.Table()
	names := &expr.Source{Name: t.Name, Table: t.Name}
	for i := range t.Columns {
		names.Columns = append(names.Columns, expr.SourceColumn{Name: t.Columns[i].Name, Type: t.Columns[i].Type, Index: i})
	}
	e, err := m.x.BuildCondition(k.Expr, &expr.Scope{Sources: []*expr.Source{names}, Clause: expr.ClauseCheck})
	if err != nil {
		return err
	}
	if expr.VolatilityOf(e) != expr.Immutable {
		return m.at(sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in check constraint must be marked IMMUTABLE"), k.Expr.Position())
	}
	var mentioned []catalog.ColumnID
	expr.Columns(e, func(c *expr.Column) {
		if id := t.Columns[c.Index].ID; !slices.Contains(mentioned, id) {
			mentioned = append(mentioned, id)
		}
	})
	return m.b.AddCheck(k.Name, k.Text, mentioned)
}
