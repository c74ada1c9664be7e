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
	// sequences are those of SERIAL and identity columns.
	sequences []columnSequence
	likes     []likeSource
	// foreignKeys are added once the table is there: they may reference it.
	foreignKeys []foreignKeyDef
}

// foreignKeyDef is a foreign key with its columns.
type foreignKeyDef struct {
	*parse.Constraint
	columns []string
}

func (d *ddl) createTable(ctx context.Context, st *parse.CreateTableStmt) error {
	switch {
	case st.IsMatView:
		return d.unsupported("CREATE MATERIALIZED VIEW", st.Position())
	case st.Using != "" && st.Using != "heap":
		return sqlerr.New(sqlerr.UndefinedObject, "access method \"%s\" does not exist", st.Using)
	}
	d.placed = true
	schema, err := d.schemaFor(ctx, st.Name, st.Persistence)
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
	m := &tableMaker{ddl: d, st: st, b: d.env.View.NewBuilder(schema, st.Name.Name), x: d.builder()}
	if m.b.Table().OnCommit, err = d.onCommit(schema, st.OnCommit); err != nil {
		return err
	}
	if m.b.Table().Owner, err = d.owner(ctx); err != nil {
		return err
	}
	if err := m.parts(ctx); err != nil {
		return err
	}
	t, err := m.b.Build(ctx)
	if err != nil {
		return err
	}
	if err := d.env.View.CreateTable(ctx, t); err != nil {
		return err
	}
	if err := m.createSequences(ctx, t); err != nil {
		return err
	}
	if t, err = m.addForeignKeys(ctx, t); err != nil {
		return err
	}
	for _, x := range st.Indexes {
		if t, err = d.addIndex(ctx, t, x); err != nil {
			return err
		}
	}
	return m.finishLikes(ctx, t)
}

// parts adds everything that the statement declares.
func (m *tableMaker) parts(ctx context.Context) error {
	if err := m.columns(ctx); err != nil {
		return err
	}
	if err := m.families(); err != nil {
		return err
	}
	for _, c := range m.st.Columns {
		if err := m.checkGenerated(m.b.Table(), c, true); err != nil {
			return err
		}
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
	return m.likeConstraints()
}

// columns adds the columns that are declared and those that LIKE takes over, in the order of the statement.
func (m *tableMaker) columns(ctx context.Context) error {
	likes := m.st.Likes
	for i := 0; i <= len(m.st.Columns); i++ {
		for ; len(likes) > 0 && likes[0].Before == i; likes = likes[1:] {
			if err := m.likeColumns(ctx, likes[0]); err != nil {
				return err
			}
		}
		if i == len(m.st.Columns) {
			break
		}
		if err := m.column(ctx, m.st.Columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// column adds a column with what its constraints say of it alone.
func (m *tableMaker) column(ctx context.Context, c *parse.ColumnDef) error {
	col, seq, err := m.columnOf(ctx, m.x, m.b.Table(), c)
	if err != nil {
		return err
	}
	if seq != nil {
		m.sequences = append(m.sequences, columnSequence{seq, c.Name})
	}
	return m.b.AddColumn(col)
}

// createSequences stores the sequences of the new table's columns.
func (m *tableMaker) createSequences(ctx context.Context, t *catalog.Table) error {
	for _, s := range m.sequences {
		s.table.Sequence.Owner = catalog.Owner{Table: t.ID, Column: t.ColumnByName(s.column).ID}
		if err := m.env.View.CreateTable(ctx, s.table); err != nil {
			return err
		}
	}
	return nil
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
	if (k.Deferrable || k.InitiallyDeferred) && k.Kind != parse.ForeignKeyConstraint {
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
		m.foreignKeys = append(m.foreignKeys, foreignKeyDef{k, columns})
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
	text, mentioned, err := m.checkExpression(m.x, m.b.Table(), k)
	if err != nil {
		return err
	}
	return m.b.AddCheck(k.Name, text, mentioned)
}

// addForeignKeys adds the foreign keys to the new table.
func (m *tableMaker) addForeignKeys(ctx context.Context, t *catalog.Table) (*catalog.Table, error) {
	if len(m.foreignKeys) == 0 {
		return t, nil
	}
	a := m.alteration(t)
	for _, k := range m.foreignKeys {
		if err := a.addConstraint(ctx, k.Constraint, k.columns); err != nil {
			return nil, err
		}
	}
	return a.t, a.finish(ctx)
}
