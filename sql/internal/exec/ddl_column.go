package exec

import (
	"context"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// columnMaker turns a column's definition into its descriptor.
type columnMaker struct {
	*ddl
	x          *expr.Builder
	table      *catalog.Table // its name and schema count
	def        *parse.ColumnDef
	col        catalog.Column
	seq        *catalog.Table
	nullable   bool
	hasDefault bool
}

// columnOf makes a column with what its definition says of it alone, and the sequence that SERIAL or an identity needs, not
// stored yet and without an owner.
func (d *ddl) columnOf(ctx context.Context, x *expr.Builder, t *catalog.Table, def *parse.ColumnDef) (catalog.Column, *catalog.Table, error) {
	m := &columnMaker{ddl: d, x: x, table: t, def: def}
	serial, isSerial := serialTypes[def.Type.Name()]
	isSerial = isSerial && len(def.Type.Names) == 1
	m.col.Name = def.Name
	if isSerial {
		if def.Type.ArrayBounds != nil {
			return m.col, nil, d.at(sqlerr.New(sqlerr.FeatureNotSupported, "array of serial is not implemented"), def.Type.Pos)
		}
		m.col.Type, m.col.NotNull, m.hasDefault = serial, true, true
		if err := m.sequence(ctx, nil); err != nil {
			return m.col, nil, err
		}
	} else {
		var err error
		if m.col.Type, err = d.columnType(ctx, x, def); err != nil {
			return m.col, nil, err
		}
	}
	for _, k := range def.Constraints {
		if err := m.constraint(ctx, k); err != nil {
			return m.col, nil, err
		}
	}
	return m.col, m.seq, nil
}

// sequence makes the column's default out of a sequence of its own.
func (m *columnMaker) sequence(ctx context.Context, options []parse.SequenceOption) (err error) {
	m.seq, m.col.Default, err = m.sequenceForColumn(ctx, m.table.Schema, m.table.Name, m.def.Name, m.col.Type, options)
	return err
}

// conflict is the error of two constraints that say different things.
func (m *columnMaker) conflict(what string, pos int) error {
	return m.at(sqlerr.New(sqlerr.SyntaxError, "%s for column \"%s\" of table \"%s\"", what, m.def.Name, m.table.Name), pos)
}

func (m *columnMaker) constraint(ctx context.Context, k *parse.Constraint) error {
	switch k.Kind {
	case parse.NullConstraint:
		if m.col.NotNull {
			return m.conflict("conflicting NULL/NOT NULL declarations", k.Pos)
		}
		m.nullable = true
	case parse.NotNullConstraint:
		if m.nullable {
			return m.conflict("conflicting NULL/NOT NULL declarations", k.Pos)
		}
		m.col.NotNull = true
	case parse.DefaultConstraint:
		if m.hasDefault {
			return m.conflict("multiple default values specified", k.Pos)
		}
		if m.col.Identity != "" {
			return m.conflict("both default and identity specified", k.Pos)
		}
		if m.col.Generated != "" {
			return m.conflict("both default and generation expression specified", k.Pos)
		}
		m.hasDefault = true
		e, err := m.x.BuildDefault(k.Expr, m.def.Name, m.col.Type)
		if err != nil {
			return err
		}
		m.col.Default = storedDefault(e, k.Text)
	case parse.IdentityConstraint:
		return m.identity(ctx, k)
	case parse.GeneratedConstraint:
		return m.generated(k)
	}
	return nil
}

// generated notes the expression of a generated column. It is resolved when all columns are there.
func (m *columnMaker) generated(k *parse.Constraint) error {
	switch {
	case m.col.Generated != "":
		return m.conflict("multiple generation clauses specified", k.Pos)
	case m.hasDefault && m.col.Identity == "":
		return m.conflict("both default and generation expression specified", k.Pos)
	case m.col.Identity != "":
		return m.conflict("both identity and generation expression specified", k.Pos)
	}
	m.col.Generated = k.Text
	return nil
}

func (m *columnMaker) identity(ctx context.Context, k *parse.Constraint) error {
	switch {
	case m.col.Identity != "":
		return m.conflict("multiple identity specifications", k.Pos)
	case m.col.Generated != "":
		return m.conflict("both identity and generation expression specified", k.Pos)
	case m.hasDefault:
		return m.conflict("both default and identity specified", k.Pos)
	case m.nullable:
		return m.conflict("conflicting NULL/NOT NULL declarations", k.Pos)
	}
	if err := checkIdentityType(m.col.Type); err != nil {
		return err
	}
	m.col.Identity, m.col.NotNull = identityKind(k), true
	if err := m.sequence(ctx, k.Sequence); err != nil {
		return err
	}
	m.seq.Sequence.Identity = true
	return nil
}

func identityKind(k *parse.Constraint) catalog.Identity {
	if k.Always {
		return catalog.IdentityAlways
	}
	return catalog.IdentityByDefault
}

func checkIdentityType(t types.Type) error {
	switch t {
	case types.Int2, types.Int4, types.Int8:
		return nil
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint")
}

// columnType resolves the type of a column and refuses what no column can have.
func (d *ddl) columnType(ctx context.Context, x *expr.Builder, c *parse.ColumnDef) (types.Type, error) {
	t, err := x.ResolveType(c.Type)
	if err != nil {
		return t, err
	}
	if err := d.useType(ctx, t); err != nil {
		return t, err
	}
	if t.Category() == 'P' || t.IsUnknown() {
		return t, sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", c.Name, t.Format())
	}
	if err := checkCollation(c.Collation, t); err != nil {
		return t, d.at(err, collateClause(d.env.Text, c.Collation.Pos))
	}
	return t, nil
}
