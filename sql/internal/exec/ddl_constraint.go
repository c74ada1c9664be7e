package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// addConstraint adds a constraint of the table; columns are those it is about, but for a CHECK.
func (a *alteration) addConstraint(ctx context.Context, k *parse.Constraint, columns []string) error {
	if (k.Deferrable || k.InitiallyDeferred) && k.Kind != parse.ForeignKeyConstraint {
		return a.unsupported("deferrable constraints", k.Pos)
	}
	if k.Name != "" && constraintByName(a.t, k.Name) != 0 {
		return sqlerr.New(sqlerr.DuplicateObject, "constraint \"%s\" for relation \"%s\" already exists", k.Name, a.t.Name)
	}
	switch k.Kind {
	case parse.CheckConstraint:
		return a.addCheck(ctx, k)
	case parse.PrimaryKeyConstraint, parse.UniqueConstraint:
		if k.NullsNotDistinct {
			return a.unsupported("UNIQUE NULLS NOT DISTINCT", k.Pos)
		}
		if err := a.checkTablespace(k.Tablespace); err != nil {
			return err
		}
		if err := a.checkParameters(k.With); err != nil {
			return err
		}
		if k.UsingIndex != "" {
			return a.useIndex(ctx, k)
		}
		return a.addKey(ctx, k, columns)
	case parse.ForeignKeyConstraint:
		return a.addForeignKey(ctx, k, columns)
	}
	return a.unsupported("this constraint", k.Pos)
}

// constraintNameFor is the name that a constraint was given, or one made up of the table's and columns' names and a label.
func (a *alteration) constraintNameFor(ctx context.Context, k *parse.Constraint, columns []string, label string) (string, error) {
	if k.Name != "" {
		return k.Name, nil
	}
	return a.env.View.ConstraintName(ctx, a.t, strings.Join(columns, "_"), label)
}

func (a *alteration) addCheck(ctx context.Context, k *parse.Constraint) error {
	text, mentioned, err := a.checkExpression(a.builder(), a.t, k)
	if err != nil {
		return err
	}
	var names []string
	if len(mentioned) == 1 {
		names = []string{a.t.Column(mentioned[0]).Name}
	}
	check := catalog.Check{Expr: text, Columns: mentioned, NotValid: k.NotValid}
	if check.Name, err = a.constraintNameFor(ctx, k, names, "check"); err != nil {
		return err
	}
	if check.OID, err = a.env.View.Store().AllocateOIDs(ctx, 1); err != nil {
		return err
	}
	a.t.Checks = append(a.t.Checks, check)
	if !k.NotValid {
		a.newChecks = append(a.newChecks, check.Name)
	}
	return nil
}

// checkExpression resolves a CHECK and gives the text to keep of it and the columns that it mentions.
func (d *ddl) checkExpression(x *expr.Builder, t *catalog.Table, k *parse.Constraint) (string, []catalog.ColumnID, error) {
	e, err := x.BuildCondition(k.Expr, tableScope(t, expr.ClauseCheck))
	if err != nil {
		return "", nil, err
	}
	if expr.VolatilityOf(e) == expr.Volatile {
		return "", nil, d.at(sqlerr.New(sqlerr.InvalidObjectDefinition, "functions in check constraint must be marked IMMUTABLE"), k.Expr.Position())
	}
	var mentioned []catalog.ColumnID
	expr.Columns(e, func(c *expr.Column) {
		if id := t.Columns[c.Index].ID; !slices.Contains(mentioned, id) {
			mentioned = append(mentioned, id)
		}
	})
	return storedExpression(e, k.Text), mentioned, nil
}

// addKey adds a PRIMARY KEY or UNIQUE constraint with its index.
func (a *alteration) addKey(ctx context.Context, k *parse.Constraint, columns []string) error {
	primary, what := k.Kind == parse.PrimaryKeyConstraint, "unique"
	if primary {
		if what = "primary key"; !a.t.HasRowID() {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table \"%s\" are not allowed", a.t.Name)
		}
	}
	x := catalog.Index{Name: k.Name, Unique: true, Primary: primary, State: catalog.IndexPublic}
	var ids []catalog.ColumnID
	for _, name := range columns {
		c := a.t.ColumnByName(name)
		switch {
		case c == nil:
			return a.at(sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" named in key does not exist", name), k.Pos)
		case slices.Contains(ids, c.ID):
			return a.at(sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" appears twice in %s constraint", name, what), k.Pos)
		case !rowenc.Keyable(c.Type):
			return a.at(notKeyable(c.Type), k.Pos)
		}
		ids = append(ids, c.ID)
		x.Keys = append(x.Keys, catalog.IndexColumn{Column: c.ID})
	}
	var err error
	if x.Stored, err = a.t.ColumnIDs(k.Include); err != nil {
		return err
	}
	if x, err = a.env.View.NewConstraintIndex(ctx, a.t, x); err != nil {
		return err
	}
	if !primary {
		a.t.Indexes = append(a.t.Indexes, x)
		a.fill = append(a.fill, x.ID)
		return nil
	}
	a.setPrimary(x)
	return nil
}

var fkActions = map[parse.FKAction]catalog.FKAction{
	parse.FKNoAction: catalog.FKNoAction, parse.FKRestrict: catalog.FKRestrict, parse.FKCascade: catalog.FKCascade,
	parse.FKSetNull: catalog.FKSetNull, parse.FKSetDefault: catalog.FKSetDefault,
}

func (a *alteration) addForeignKey(ctx context.Context, k *parse.Constraint, columns []string) error {
	parent, err := a.referenced(ctx, k)
	if err != nil {
		return err
	}
	fk := catalog.ForeignKey{
		References: parent.ID, OnDelete: fkActions[k.OnDelete], OnUpdate: fkActions[k.OnUpdate], MatchFull: k.MatchFull,
		NotValid: k.NotValid, Deferrable: k.Deferrable || k.InitiallyDeferred, Deferred: k.InitiallyDeferred,
	}
	if fk.Columns, err = foreignColumns(a.t, columns); err != nil {
		return err
	}
	if fk.SetColumns, err = foreignColumns(a.t, k.SetColumns); err != nil {
		return err
	}
	if err := a.referencedColumns(parent, &fk, k); err != nil {
		return err
	}
	if fk.Name, err = a.constraintNameFor(ctx, k, columns, "fkey"); err != nil {
		return err
	}
	if err := a.compareKeyTypes(parent, &fk); err != nil {
		return err
	}
	if fk.OID, err = a.env.View.Store().AllocateOIDs(ctx, 1); err != nil {
		return err
	}
	a.t.ForeignKeys = append(a.t.ForeignKeys, fk)
	if !fk.NotValid {
		a.foreignKeys = append(a.foreignKeys, fk.OID)
	}
	inbound := catalog.InboundKey{Table: a.t.ID, OID: fk.OID, Columns: fk.RefColumns}
	if parent.ID == a.t.ID {
		a.t.Inbound = append(a.t.Inbound, inbound)
		return nil
	}
	changed := parent.Clone()
	changed.Inbound = append(changed.Inbound, inbound)
	return a.env.View.UpdateTable(ctx, parent, changed)
}

// referenced finds and locks the table that a foreign key references.
func (a *alteration) referenced(ctx context.Context, k *parse.Constraint) (*catalog.Table, error) {
	r, err := a.lookup(ctx, k.References, kv.TableShareRowExclusive)
	switch {
	case err != nil:
		return nil, err
	case r.Index != nil || r.Table.Kind != catalog.KindTable:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "referenced relation \"%s\" is not a table", k.References.Name)
	}
	if err := a.checkKeyPersistence(ctx, r.Table); err != nil {
		return nil, err
	}
	for _, t := range []*catalog.Table{r.Table, a.t} {
		if err := a.env.View.CheckTable(ctx, t, catalog.References); err != nil {
			return nil, err
		}
	}
	if r.Table.ID == a.t.ID {
		return a.t, nil
	}
	return a.env.View.TableForChange(ctx, r.Table.ID)
}

// foreignColumns finds the columns of a foreign key.
func foreignColumns(t *catalog.Table, names []string) ([]catalog.ColumnID, error) {
	var ids []catalog.ColumnID
	for _, name := range names {
		c := t.ColumnByName(name)
		if c == nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" referenced in foreign key constraint does not exist", name)
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// referencedColumns finds the columns that are referenced, the primary key if none are named, and their unique index.
func (a *alteration) referencedColumns(parent *catalog.Table, fk *catalog.ForeignKey, k *parse.Constraint) error {
	var err error
	if fk.RefColumns, err = foreignColumns(parent, k.RefColumns); err != nil {
		return err
	}
	if fk.RefColumns == nil {
		if parent.HasRowID() {
			return sqlerr.New(sqlerr.UndefinedObject, "there is no primary key for referenced table \"%s\"", parent.Name)
		}
		for _, key := range parent.Primary.Keys {
			fk.RefColumns = append(fk.RefColumns, key.Column)
		}
	}
	if len(fk.RefColumns) != len(fk.Columns) {
		return sqlerr.New(sqlerr.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
	}
	for _, x := range parent.AllIndexes() {
		if x.Unique && x.OID != 0 && x.Plain() && sameColumns(x.Keys, fk.RefColumns) {
			fk.RefIndex = x.ID
			return nil
		}
	}
	return sqlerr.New(sqlerr.InvalidForeignKey, "there is no unique constraint matching given keys for referenced table \"%s\"", parent.Name)
}

// sameColumns reports whether an index is on just these columns, in any order.
func sameColumns(keys []catalog.IndexColumn, ids []catalog.ColumnID) bool {
	if len(keys) != len(ids) {
		return false
	}
	for _, k := range keys {
		if !slices.Contains(ids, k.Column) {
			return false
		}
	}
	return true
}

// compareKeyTypes makes sure that values of the foreign key's columns can be looked up.
func (a *alteration) compareKeyTypes(parent *catalog.Table, fk *catalog.ForeignKey) error {
	for i := range fk.Columns {
		c, p := a.t.Column(fk.Columns[i]), parent.Column(fk.RefColumns[i])
		if !types.CastAllowed(c.Type, p.Type, types.CastImplicit) && !sameKeys(c.Type, p.Type) {
			return sqlerr.New(sqlerr.DatatypeMismatch, "foreign key constraint \"%s\" cannot be implemented", fk.Name).
				WithDetail("Key columns \"%s\" and \"%s\" are of incompatible types: %s and %s.", c.Name, p.Name, c.Type.Base().Format(), p.Type.Base().Format())
		}
	}
	return nil
}

// validateConstraint looks at the rows from before a constraint.
func (a *alteration) validateConstraint(name string) error {
	for i := range a.t.ForeignKeys {
		if fk := &a.t.ForeignKeys[i]; fk.Name == name {
			if fk.NotValid {
				fk.NotValid = false
				a.foreignKeys = append(a.foreignKeys, fk.OID)
			}
			return nil
		}
	}
	for i := range a.t.Checks {
		if k := &a.t.Checks[i]; k.Name == name {
			if k.NotValid {
				k.NotValid = false
				a.newChecks = append(a.newChecks, name)
			}
			return nil
		}
	}
	if constraintByName(a.t, name) != 0 {
		return sqlerr.New(sqlerr.WrongObjectType, "constraint \"%s\" of relation \"%s\" is not a foreign key or check constraint", name, a.t.Name)
	}
	return sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", name, a.t.Name)
}

func (a *alteration) alterConstraint(k *parse.Constraint) error {
	for i := range a.t.ForeignKeys {
		if fk := &a.t.ForeignKeys[i]; fk.Name == k.Name {
			fk.Deferrable, fk.Deferred = k.Deferrable || k.InitiallyDeferred, k.InitiallyDeferred
			return nil
		}
	}
	if constraintByName(a.t, k.Name) != 0 {
		return sqlerr.New(sqlerr.WrongObjectType, "constraint \"%s\" of relation \"%s\" is not a foreign key constraint", k.Name, a.t.Name)
	}
	return sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", k.Name, a.t.Name)
}
