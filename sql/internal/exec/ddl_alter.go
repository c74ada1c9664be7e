package exec

import (
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// alterPass is when a command of ALTER TABLE runs: first what goes, then types, then columns that come, and so on, whatever
// the order in which they were written, as in PostgreSQL.
func alterPass(c *parse.AlterCmd) int {
	switch c.Kind {
	case parse.DropColumn, parse.DropConstraint, parse.DropNotNull, parse.DropDefault, parse.DropIdentity, parse.DropExpression:
		return 0
	case parse.SetType:
		return 1
	case parse.AddColumn:
		return 2
	case parse.SetNotNull:
		return 3
	case parse.AddConstraint:
		if k := c.Constraint.Kind; k == parse.PrimaryKeyConstraint || k == parse.UniqueConstraint {
			return 4
		}
		return 5
	case parse.SetDefault, parse.AddIdentity:
		return 5
	}
	return 6
}

// alterLock is the table lock that a command needs.
func alterLock(c *parse.AlterCmd) kv.TableLock {
	switch c.Kind {
	case parse.AddConstraint:
		if c.Constraint.Kind == parse.ForeignKeyConstraint {
			return kv.TableShareRowExclusive
		}
	case parse.ValidateConstraint, parse.SetStatistics, parse.SetOptions, parse.ResetOptions, parse.ClusterOn, parse.SetWithoutCluster:
		return kv.TableShareUpdateExclusive
	}
	return kv.TableAccessExclusive
}

func (d *ddl) alterTable(ctx context.Context, st *parse.AlterTableStmt) error {
	mode := kv.TableShareUpdateExclusive
	for _, c := range st.Cmds {
		mode = max(mode, alterLock(c))
	}
	r, err := d.lookup(ctx, st.Table.Name, mode)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedTable && st.IfExists {
		d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", st.Table.Name.Name))
		return nil
	}
	if err != nil {
		return err
	}
	if err := d.mustOwn(ctx, r); err != nil {
		return err
	}
	if err := checkAlterKind(st, r); err != nil {
		return err
	}
	cmds := slices.Clone(st.Cmds)
	slices.SortStableFunc(cmds, func(a, b *parse.AlterCmd) int { return alterPass(a) - alterPass(b) })
	d.buffered = len(cmds) > 1
	// What goes goes one by one, with what depends on it.
	for len(cmds) > 0 && alterPass(cmds[0]) == 0 {
		if err := d.alterDrop(ctx, r.Table.ID, cmds[0]); err != nil {
			return err
		}
		cmds = cmds[1:]
	}
	if len(cmds) == 0 {
		return nil
	}
	t, err := d.env.View.TableForChange(ctx, r.Table.ID)
	if err != nil {
		return err
	}
	a := d.alteration(t)
	for _, c := range cmds {
		if err := a.command(ctx, c); err != nil {
			return err
		}
	}
	return a.finish(ctx)
}

// checkAlterKind refuses commands that the relation cannot take.
func checkAlterKind(st *parse.AlterTableStmt, r catalog.Relation) error {
	name := st.Table.Name.Name
	if r.Index == nil && r.Table.Kind == catalog.KindTable {
		switch st.Kind {
		case parse.ViewObject, parse.SequenceObject, parse.IndexObject:
			return sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not %s", name, articles[st.Kind])
		}
		return nil
	}
	for _, c := range st.Cmds {
		switch c.Kind {
		case parse.ChangeOwner, parse.SetOptions, parse.ResetOptions, parse.SetTablespace:
		default:
			return sqlerr.New(sqlerr.WrongObjectType, "ALTER action cannot be performed on relation \"%s\"", name).
				WithDetail("This operation is supported for tables only.")
		}
	}
	return nil
}

var articles = map[parse.ObjectKind]string{
	parse.ViewObject: "a view", parse.SequenceObject: "a sequence", parse.IndexObject: "an index",
}

// column finds a column of a table. Errors: 42703.
func (d *ddl) column(t *catalog.Table, name string) (*catalog.Column, error) {
	if c := t.ColumnByName(name); c != nil {
		return c, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, t.Name)
}

// skip tells that something is not there.
func (d *ddl) skip(format string, args ...any) {
	d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, format+", skipping", args...))
}

// alterDrop runs a command that takes something away.
func (d *ddl) alterDrop(ctx context.Context, id catalog.ID, c *parse.AlterCmd) error {
	t, err := d.env.View.TableForChange(ctx, id)
	if err != nil {
		return err
	}
	if c.Kind == parse.DropConstraint {
		oid := constraintByName(t, c.Name)
		if oid != 0 {
			return d.dropObjects(ctx, []object{{kind: objectConstraint, table: t, constraint: oid}}, c.Cascade)
		}
		if !c.IfExists {
			return sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", c.Name, t.Name)
		}
		d.skip("constraint \"%s\" of relation \"%s\" does not exist", c.Name, t.Name)
		return nil
	}
	col, err := d.column(t, c.Name)
	if err != nil {
		if c.Kind == parse.DropColumn && c.IfExists {
			d.skip("column \"%s\" of relation \"%s\" does not exist", c.Name, t.Name)
			return nil
		}
		return err
	}
	switch c.Kind {
	case parse.DropColumn:
		return d.dropObjects(ctx, []object{{kind: objectColumn, table: t, column: col.ID}}, c.Cascade)
	case parse.DropIdentity:
		return d.dropIdentity(ctx, t, col, c.IfExists)
	case parse.DropExpression:
		return d.dropExpression(ctx, t, col, c.IfExists)
	}
	a := d.alteration(t)
	col = a.t.Column(col.ID)
	if c.Kind == parse.DropDefault {
		if col.Identity != "" {
			return sqlerr.New(sqlerr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", c.Name, t.Name).
				WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		if col.Generated != "" {
			return sqlerr.New(sqlerr.SyntaxError, "column \"%s\" of relation \"%s\" is a generated column", c.Name, t.Name).
				WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
		}
		col.Default, col.DefaultOID = "", 0
		return a.finish(ctx)
	}
	switch {
	case col.Identity != "":
		return sqlerr.New(sqlerr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", c.Name, t.Name)
	case t.IsPrimaryKey(col.ID):
		return sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" is in a primary key", c.Name)
	}
	col.NotNull = false
	return a.finish(ctx)
}

// constraintByName is the OID of a constraint; 0 if there is none.
func constraintByName(t *catalog.Table, name string) (oid types.OID) {
	for _, x := range t.AllIndexes() {
		if x.Name == name && x.ConstraintOID != 0 {
			return x.ConstraintOID
		}
	}
	for i := range t.Checks {
		if t.Checks[i].Name == name {
			return t.Checks[i].OID
		}
	}
	for i := range t.ForeignKeys {
		if t.ForeignKeys[i].Name == name {
			return t.ForeignKeys[i].OID
		}
	}
	return 0
}

// dropIdentity makes an identity column an ordinary one.
func (d *ddl) dropIdentity(ctx context.Context, t *catalog.Table, col *catalog.Column, ifExists bool) error {
	if col.Identity == "" {
		if ifExists {
			d.skip("column \"%s\" of relation \"%s\" is not an identity column", col.Name, t.Name)
			return nil
		}
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "column \"%s\" of relation \"%s\" is not an identity column", col.Name, t.Name)
	}
	seq, err := d.identitySequence(ctx, t, col.ID)
	if err != nil {
		return err
	}
	a := d.alteration(t)
	c := a.t.Column(col.ID)
	c.Identity, c.Default, c.DefaultOID = catalog.NoIdentity, "", 0
	if err := a.finish(ctx); err != nil {
		return err
	}
	if err := d.env.View.LockTable(ctx, seq.ID, kv.TableAccessExclusive); err != nil {
		return err
	}
	return d.dropRelation(ctx, seq)
}

// dropExpression makes a generated column an ordinary one, which keeps its values.
func (d *ddl) dropExpression(ctx context.Context, t *catalog.Table, col *catalog.Column, ifExists bool) error {
	if col.Generated == "" {
		if ifExists {
			d.skip("column \"%s\" of relation \"%s\" is not a stored generated column", col.Name, t.Name)
			return nil
		}
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "column \"%s\" of relation \"%s\" is not a stored generated column", col.Name, t.Name)
	}
	a := d.alteration(t)
	c := a.t.Column(col.ID)
	c.Generated, c.DefaultOID = "", 0
	return a.finish(ctx)
}

// identitySequence is the sequence of an identity column.
func (d *ddl) identitySequence(ctx context.Context, t *catalog.Table, column catalog.ColumnID) (*catalog.Table, error) {
	owned, err := d.env.View.OwnedSequences(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	for _, seq := range owned {
		if seq.Sequence.Identity && seq.Sequence.Owner.Column == column {
			return seq, nil
		}
	}
	return nil, sqlerr.Internal("no owned sequence found")
}

// command runs a command that adds or changes something.
func (a *alteration) command(ctx context.Context, c *parse.AlterCmd) error {
	switch c.Kind {
	case parse.AddColumn:
		return a.addColumn(ctx, c)
	case parse.AddConstraint:
		return a.addConstraint(ctx, c.Constraint, c.Constraint.Columns)
	case parse.ValidateConstraint:
		return a.validateConstraint(c.Name)
	case parse.AlterConstraint:
		return a.alterConstraint(c.Constraint)
	case parse.ChangeOwner:
		return a.changeOwner(ctx, c.Name)
	case parse.SetOptions:
		return a.checkParameters(c.Options)
	case parse.SetTablespace:
		return a.checkTablespace(c.Name)
	case parse.ResetOptions, parse.SetLogged, parse.SetUnlogged, parse.SetWithoutCluster, parse.ClusterOn:
		return nil
	}
	col, err := a.column(a.t, c.Name)
	if err != nil {
		return err
	}
	switch c.Kind {
	case parse.SetType:
		return a.setType(ctx, c, col)
	case parse.SetDefault:
		return a.setDefault(ctx, c, col)
	case parse.SetNotNull:
		if !col.NotNull {
			col.NotNull = true
			a.notNull = append(a.notNull, col.ID)
		}
		return nil
	case parse.AddIdentity:
		return a.addIdentity(ctx, c, col)
	case parse.SetIdentity:
		return a.setIdentity(ctx, c, col)
	case parse.SetStatistics, parse.SetStorage:
		return nil
	}
	return sqlerr.Unsupported("this action of ALTER TABLE")
}

func (a *alteration) addColumn(ctx context.Context, c *parse.AlterCmd) error {
	def := c.Column
	if a.t.ColumnByName(def.Name) != nil {
		if c.IfNotExists {
			a.skip("column \"%s\" of relation \"%s\" already exists", def.Name, a.t.Name)
			return nil
		}
		return sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", def.Name, a.t.Name)
	}
	if catalog.IsSystemColumn(def.Name) {
		return sqlerr.New(sqlerr.DuplicateColumn, "column name \"%s\" conflicts with a system column name", def.Name)
	}
	if len(a.t.Visible()) >= catalog.MaxColumns {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", catalog.MaxColumns)
	}
	x := a.builder()
	col, seq, err := a.columnOf(ctx, x, a.t, def)
	if err != nil {
		return err
	}
	if seq != nil {
		a.sequences = append(a.sequences, columnSequence{seq, def.Name})
	}
	if col.Default != "" || col.Generated != "" {
		if col.DefaultOID, err = a.env.View.Store().AllocateOIDs(ctx, 1); err != nil {
			return err
		}
	}
	id := a.t.AddColumn(col)
	if err := a.checkGenerated(a.t, def, false); err != nil {
		return err
	}
	a.rewrite = a.rewrite || col.Generated != ""
	if col.Default != "" {
		if err := a.fillColumn(id); err != nil {
			return err
		}
	}
	if col.NotNull {
		a.notNull = append(a.notNull, id)
	}
	for _, k := range def.Constraints {
		if isTableConstraint(k) {
			if err := a.addConstraint(ctx, k, []string{def.Name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTableConstraint reports whether a column's constraint is one that tables have too.
func isTableConstraint(k *parse.Constraint) bool {
	switch k.Kind {
	case parse.CheckConstraint, parse.PrimaryKeyConstraint, parse.UniqueConstraint, parse.ForeignKeyConstraint:
		return true
	}
	return false
}

// fillColumn gives a new column's default to the rows that there are. A default that is NULL changes no row.
func (a *alteration) fillColumn(id catalog.ColumnID) error {
	e, err := defaultOf(a.t, id, a.env)
	if err != nil {
		return err
	}
	if c, ok := e.(*expr.Const); ok && c.Value.Null {
		return nil
	}
	a.values[id], a.rewrite = e, true
	return nil
}
