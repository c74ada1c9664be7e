package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Builder makes the descriptor of a new table from the parts of a CREATE TABLE, in the order of the statement: columns
// first. Errors are *sqlerr.Error with PostgreSQL's messages, without position.
type Builder struct {
	view        *View
	t           *Table
	families    []Family // as declared
	constraints []indexSpec
	checks      []checkSpec
}

// indexSpec is a PRIMARY KEY or UNIQUE constraint.
type indexSpec struct {
	name    string // "" = to be made
	primary bool
	columns []ColumnID
	stored  []ColumnID
}

// checkSpec is a CHECK constraint.
type checkSpec struct {
	name    string // "" = to be made
	expr    string
	columns []ColumnID
}

// systemColumns are the names PostgreSQL keeps for itself.
var systemColumns = []string{"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"}

// IsSystemColumn reports whether PostgreSQL keeps a column's name for itself.
func IsSystemColumn(name string) bool { return slices.Contains(systemColumns, name) }

// NewBuilder starts a table in a schema. The superuser owns it, unless Table is given another owner.
func (v *View) NewBuilder(schema *Schema, name string) *Builder {
	return &Builder{view: v, t: &Table{Schema: schema.ID, Name: name, Owner: superuserOID, Version: 1}}
}

// AddColumn adds a column and sets its id. Errors: 42701, 54011.
func (b *Builder) AddColumn(c Column) error {
	if IsSystemColumn(c.Name) {
		return sqlerr.New(sqlerr.DuplicateColumn, "column name \"%s\" conflicts with a system column name", c.Name)
	}
	if b.t.ColumnByName(c.Name) != nil {
		return sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" specified more than once", c.Name)
	}
	if len(b.t.Columns) == MaxColumns {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", MaxColumns)
	}
	c.ID = ColumnID(len(b.t.Columns) + 1)
	b.t.Columns = append(b.t.Columns, c)
	return nil
}

// Columns is the columns so far.
func (b *Builder) Columns() []Column { return b.t.Columns }

// Table is the table as far as it is known: name and columns, for resolving the expressions of checks.
func (b *Builder) Table() *Table { return b.t }

// AddFamily declares a family; name may be empty. Errors: 42703, 42P16.
func (b *Builder) AddFamily(name string, columns []string) error {
	if len(b.families) == MaxFamilies {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "tables can have at most %d column families", MaxFamilies)
	}
	f := Family{ID: FamilyID(len(b.families)), Name: name}
	for _, column := range columns {
		c := b.t.ColumnByName(column)
		if c == nil {
			return sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" named in family does not exist", column)
		}
		for _, other := range append(b.families, f) {
			if slices.Contains(other.Columns, c.ID) {
				return sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" is in more than one family", column)
			}
		}
		f.Columns = append(f.Columns, c.ID)
	}
	for _, other := range b.families {
		if name != "" && other.Name == name {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "family \"%s\" specified more than once", name)
		}
	}
	slices.Sort(f.Columns)
	b.families = append(b.families, f)
	return nil
}

// AddPrimaryKey declares the primary key and makes its columns NOT NULL; name may be empty. Stored, of INCLUDE, is only kept:
// the primary index has all columns. Errors: 42P16, 42703, 42701.
func (b *Builder) AddPrimaryKey(name string, columns, stored []string) error {
	for _, s := range b.constraints {
		if s.primary {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table \"%s\" are not allowed", b.t.Name)
		}
	}
	s := indexSpec{name: name, primary: true}
	var err error
	if s.columns, err = b.keyColumns(columns, "primary key"); err != nil {
		return err
	}
	if s.stored, err = b.t.ColumnIDs(stored); err != nil {
		return err
	}
	for _, id := range s.columns {
		b.t.Columns[id-1].NotNull = true
	}
	b.constraints = append(b.constraints, s)
	return nil
}

// AddUnique declares a UNIQUE constraint; name may be empty. Errors: as AddPrimaryKey.
func (b *Builder) AddUnique(name string, columns, stored []string) error {
	ids, err := b.keyColumns(columns, "unique")
	if err != nil {
		return err
	}
	include, err := b.t.ColumnIDs(stored)
	if err != nil {
		return err
	}
	b.constraints = append(b.constraints, indexSpec{name: name, columns: ids, stored: include})
	return nil
}

// keyColumns resolves the columns of a constraint with an index.
func (b *Builder) keyColumns(columns []string, what string) ([]ColumnID, error) {
	if len(columns) > MaxIndexKeys {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "cannot use more than %d columns in an index", MaxIndexKeys)
	}
	var ids []ColumnID
	for _, name := range columns {
		c := b.t.ColumnByName(name)
		if c == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" named in key does not exist", name)
		}
		if slices.Contains(ids, c.ID) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" appears twice in %s constraint", name, what)
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// ColumnIDs finds columns by name. Errors: 42703.
func (t *Table) ColumnIDs(names []string) ([]ColumnID, error) {
	var ids []ColumnID
	for _, name := range names {
		c := t.ColumnByName(name)
		if c == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", name)
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// AddCheck declares a CHECK constraint; name may be empty. Expr is its SQL text and columns are those it mentions. Errors:
// 42710.
func (b *Builder) AddCheck(name, expr string, columns []ColumnID) error {
	for _, c := range b.checks {
		if name != "" && c.name == name {
			return sqlerr.New(sqlerr.DuplicateObject, "check constraint \"%s\" already exists", name)
		}
	}
	b.checks = append(b.checks, checkSpec{name, expr, columns})
	return nil
}

// Build completes the table: hidden row id, families, names, ids and OIDs. It does not store it. Errors: 42P07, and those of
// waiting for a lock on a name.
func (b *Builder) Build(ctx context.Context) (*Table, error) {
	if err := b.view.reserveFree(ctx, b.t.Schema, b.t.Name); err != nil {
		return nil, err
	}
	b.buildFamilies()
	if err := b.buildChecks(ctx); err != nil {
		return nil, err
	}
	if err := b.buildIndexes(ctx); err != nil {
		return nil, err
	}
	if err := b.number(ctx); err != nil {
		return nil, err
	}
	return b.t, nil
}

// buildFamilies puts the columns that no family names into the first.
func (b *Builder) buildFamilies() {
	if len(b.families) == 0 {
		b.families = []Family{{}}
	}
	named := map[ColumnID]bool{}
	for _, f := range b.families {
		for _, id := range f.Columns {
			named[id] = true
		}
	}
	first := &b.families[0]
	for _, c := range b.t.Columns {
		if !named[c.ID] {
			first.Columns = append(first.Columns, c.ID)
		}
	}
	slices.Sort(first.Columns)
	for i := range b.families {
		f := &b.families[i]
		if f.Name != "" {
			continue
		}
		parts := []string{"fam", strconv.Itoa(i)}
		for _, id := range f.Columns {
			parts = append(parts, b.t.Column(id).Name)
		}
		f.Name = TruncateName(strings.Join(parts, "_"))
	}
	b.t.Families = b.families
}

// buildChecks names the checks in the order they were declared, as PostgreSQL does: with the column's name in the middle if
// there is exactly one.
func (b *Builder) buildChecks(ctx context.Context) error {
	for _, c := range b.checks {
		name := c.name
		if name == "" {
			column := ""
			if len(c.columns) == 1 {
				column = b.t.Column(c.columns[0]).Name
			}
			var err error
			name, err = chooseName(b.t.Name, column, labelCheck, func(s string) (bool, error) {
				if slices.Contains(b.t.constraintNames(), s) {
					return true, nil
				}
				return b.view.hasConstraint(ctx, b.t.Schema, s)
			})
			if err != nil {
				return err
			}
		}
		for _, other := range b.t.Checks {
			if other.Name == name {
				return sqlerr.New(sqlerr.DuplicateObject, "check constraint \"%s\" already exists", name)
			}
		}
		b.t.Checks = append(b.t.Checks, Check{Name: name, Expr: c.expr, Columns: c.columns})
	}
	return nil
}

// buildIndexes makes the primary index, then those of the UNIQUE constraints. A UNIQUE of the same columns as an earlier
// constraint makes no index of its own.
func (b *Builder) buildIndexes(ctx context.Context) error {
	// The primary key comes first wherever it was declared; the rest stay in order.
	slices.SortStableFunc(b.constraints, func(x, y indexSpec) int {
		switch {
		case x.primary == y.primary:
			return 0
		case x.primary:
			return -1
		default:
			return 1
		}
	})
	var kept []indexSpec
	for _, s := range b.constraints {
		i := slices.IndexFunc(kept, func(k indexSpec) bool {
			return slices.Equal(k.columns, s.columns) && slices.Equal(k.stored, s.stored)
		})
		if i < 0 {
			kept = append(kept, s)
		} else if kept[i].name == "" {
			kept[i].name = s.name
		}
	}
	taken := []string{b.t.Name}
	for _, s := range kept {
		x := Index{Unique: true, Primary: s.primary, Stored: s.stored, State: IndexPublic, ConstraintOID: 1}
		for _, id := range s.columns {
			x.Keys = append(x.Keys, IndexColumn{Column: id})
		}
		var err error
		if x.Name, err = b.constraintIndexName(ctx, s, taken); err != nil {
			return err
		}
		taken = append(taken, x.Name)
		if s.primary {
			b.t.Primary = x
		} else {
			b.t.Indexes = append(b.t.Indexes, x)
		}
	}
	if b.t.Primary.Keys == nil {
		b.t.Columns = append(b.t.Columns, HiddenRowID())
		b.t.Primary = Index{Unique: true, Primary: true, Keys: []IndexColumn{{Column: RowID}}, State: IndexPublic}
	}
	return nil
}

func (b *Builder) constraintIndexName(ctx context.Context, s indexSpec, taken []string) (string, error) {
	if s.name != "" {
		if slices.Contains(taken, s.name) {
			return "", sqlerr.New(sqlerr.DuplicateTable, "relation \"%s\" already exists", s.name)
		}
		return s.name, nil
	}
	isTaken := func(name string) (bool, error) {
		if slices.Contains(taken, name) || slices.Contains(b.t.constraintNames(), name) {
			return true, nil
		}
		used, err := b.view.nameTaken(ctx, b.t.Schema, name)
		if used || err != nil {
			return used, err
		}
		return b.view.hasConstraint(ctx, b.t.Schema, name)
	}
	if s.primary {
		return chooseName(b.t.Name, "", labelPrimary, isTaken)
	}
	return chooseName(b.t.Name, indexNamePart(b.t.columnNames(append(slices.Clone(s.columns), s.stored...))), labelUnique, isTaken)
}

func (t *Table) columnNames(ids []ColumnID) []string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, t.Column(id).Name)
	}
	return names
}

// number gives the table its ids and OIDs.
func (b *Builder) number(ctx context.Context) error {
	t, s := b.t, b.view.store
	var err error
	if t.ID, err = s.allocateTableID(ctx); err != nil {
		return err
	}
	all := t.AllIndexes()
	index, err := s.AllocateIndexIDs(ctx, t.ID, len(all))
	if err != nil {
		return err
	}
	oids := 3 + len(t.Columns) + len(t.Checks) + 2*len(all)
	next, err := s.AllocateOIDs(ctx, oids)
	if err != nil {
		return err
	}
	take := func() types.OID { next++; return next - 1 }
	t.OID, t.TypeOID, t.ArrayOID = take(), take(), take()
	for i := range t.Columns {
		if t.Columns[i].Default != "" || t.Columns[i].Generated != "" {
			t.Columns[i].DefaultOID = take()
		}
	}
	for i := range t.Checks {
		t.Checks[i].OID = take()
	}
	for i, x := range all {
		x.ID = index + IndexID(i)
		if x.Name != "" {
			x.OID, x.ConstraintOID = take(), take()
		}
	}
	return nil
}

// NewIndex makes an index for a table, for CREATE INDEX; the caller adds it to a Clone of the table. An empty name is made
// up, from the key columns and those of named. Errors: 42P07, and those of waiting for a lock on a name.
func (v *View) NewIndex(ctx context.Context, t *Table, x Index, named []ColumnID) (Index, error) {
	if x.Name == "" {
		var ids []ColumnID
		for _, k := range x.Keys {
			ids = append(ids, k.Column)
		}
		part := indexNamePart(t.columnNames(append(ids, named...)))
		name, err := chooseName(t.Name, part, labelIndex, func(s string) (bool, error) { return v.nameTaken(ctx, t.Schema, s) })
		if err != nil {
			return x, err
		}
		x.Name = name
	} else if err := v.reserveFree(ctx, t.Schema, x.Name); err != nil {
		return x, err
	}
	var err error
	if x.ID, err = v.store.AllocateIndexIDs(ctx, t.ID, 1); err != nil {
		return x, err
	}
	x.OID, err = v.store.AllocateOIDs(ctx, 1)
	return x, err
}

// NewConstraintIndex makes the index of a PRIMARY KEY or UNIQUE constraint that a table gets later; the caller puts it into a
// Clone of the table. An empty name is made up. Errors: 42P07, and those of waiting for a lock on a name.
func (v *View) NewConstraintIndex(ctx context.Context, t *Table, x Index) (Index, error) {
	b := &Builder{view: v, t: t}
	spec := indexSpec{name: x.Name, primary: x.Primary, stored: x.Stored}
	for _, k := range x.Keys {
		spec.columns = append(spec.columns, k.Column)
	}
	var err error
	if x.Name, err = b.constraintIndexName(ctx, spec, nil); err != nil {
		return x, err
	}
	if err := v.reserveFree(ctx, t.Schema, x.Name); err != nil {
		return x, err
	}
	if x.ID, err = v.store.AllocateIndexIDs(ctx, t.ID, 1); err != nil {
		return x, err
	}
	first, err := v.store.AllocateOIDs(ctx, 2)
	x.OID, x.ConstraintOID = first, first+1
	return x, err
}

// ConstraintName makes the name of a constraint without an index: table_middle_label, with a number if that is taken.
func (v *View) ConstraintName(ctx context.Context, t *Table, middle, label string) (string, error) {
	return chooseName(t.Name, middle, label, func(s string) (bool, error) {
		if slices.Contains(t.constraintNames(), s) {
			return true, nil
		}
		return v.hasConstraint(ctx, t.Schema, s)
	})
}

// nameTaken waits for others who are about to take a name and reports whether it is taken.
func (v *View) nameTaken(ctx context.Context, schema ID, name string) (bool, error) {
	if err := v.txn.LockKey(ctx, nameKey(nameRelation, schema, name), kv.Update, kv.Block); err != nil {
		return false, err
	}
	return v.HasRelation(ctx, schema, name)
}

// reserveFree makes sure that a name is free and stays so for others.
func (v *View) reserveFree(ctx context.Context, schema ID, name string) error {
	used, err := v.nameTaken(ctx, schema, name)
	if err == nil && used {
		return sqlerr.New(sqlerr.DuplicateTable, "relation \"%s\" already exists", name)
	}
	return err
}
