package exec

import (
	"context"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// rename runs ALTER … RENAME.
func (d *ddl) rename(ctx context.Context, st *parse.RenameStmt) error {
	switch st.Kind {
	case parse.TypeObject:
		return d.renameEnum(ctx, st)
	case parse.TableObject, parse.ViewObject, parse.SequenceObject, parse.IndexObject:
	case parse.SchemaObject:
		return d.renameSchema(ctx, st)
	case parse.DatabaseObject:
		return d.renameDatabase(ctx, st)
	case parse.RoleObject:
		return d.renameRole(ctx, st)
	default:
		return sqlerr.Unsupported(parse.Feature(st, d.env.Text) + " … RENAME")
	}
	r, ok, err := d.ownRelation(ctx, st.Name, st.IfExists)
	if !ok || err != nil {
		return err
	}
	a := d.alteration(r.Table)
	switch {
	case st.Sub != "" && st.SubKind == parse.ConstraintObject:
		err = a.renameConstraint(st.Sub, st.NewName)
	case st.Sub != "":
		err = a.renameColumn(ctx, st.Sub, st.NewName)
	case r.Index != nil:
		a.t.Index(r.Index.ID).Name = st.NewName
	default:
		if err = d.refuseViews(ctx, r.Table, 0, "renaming a relation that views use"); err == nil {
			a.t.Name = st.NewName
		}
	}
	if err != nil {
		return err
	}
	return a.finish(ctx)
}

// refuseViews refuses what the texts of views that use a relation, or a column of it, would not follow.
func (d *ddl) refuseViews(ctx context.Context, t *catalog.Table, column catalog.ColumnID, what string) error {
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	s := dropSet{ddl: d, contents: contents}
	s.addViews(t.OID, column, func(_ bool, v object) {
		err = sqlerr.Unsupported(what).WithDetail("%s depends on it.", s.describe(ctx, v))
	})
	return err
}

func (a *alteration) renameColumn(ctx context.Context, from, to string) error {
	c := a.t.ColumnByName(from)
	switch {
	case c == nil:
		return sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", from)
	case a.t.ColumnByName(to) != nil:
		return sqlerr.New(sqlerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", to, a.t.Name)
	case catalog.IsSystemColumn(to):
		return sqlerr.New(sqlerr.DuplicateColumn, "column name \"%s\" conflicts with a system column name", to)
	}
	if err := a.refuseViews(ctx, a.t, c.ID, "renaming a column that views use"); err != nil {
		return err
	}
	if err := a.renameInChecks(c.ID, to); err != nil {
		return err
	}
	if err := a.renameInComputed(c.ID, to); err != nil {
		return err
	}
	c.Name = to
	return nil
}

// renameInChecks writes the checks that mention a column with its new name.
func (a *alteration) renameInChecks(id catalog.ColumnID, to string) error {
	checks, err := plan.CompileChecks(a.t, a.env.Eval.Types)
	if err != nil {
		return err
	}
	at := a.t.Ordinal(id)
	for i := range a.t.Checks {
		k := &a.t.Checks[i]
		for _, c := range checks {
			if c.Name != k.Name {
				continue
			}
			if text, mentions := renamed(c.Expr, at, to); mentions {
				k.Expr = text
			}
		}
	}
	return nil
}

// renameInComputed writes the expressions of computed columns that mention a column with its new name.
func (a *alteration) renameInComputed(id catalog.ColumnID, to string) error {
	for i := range a.t.Columns {
		c := &a.t.Columns[i]
		if !c.Computed() {
			continue
		}
		text, err := plan.RenameInComputed(a.t, c, a.t.Ordinal(id), to, a.env.Eval.Types)
		if err != nil {
			return err
		}
		if text != "" {
			c.Generated = text
		}
	}
	return nil
}

// renamed is the text of an expression with another name for a column, if it mentions it.
func renamed(e expr.Expr, at int, to string) (text string, mentions bool) {
	e = expr.Rewrite(e, func(x expr.Expr) (expr.Expr, bool) {
		col, ok := x.(*expr.Column)
		if !ok || col.Index != at {
			return nil, false
		}
		mentions = true
		return expr.NewColumn(at, col.Type(), "", to), true
	})
	if !mentions {
		return "", false
	}
	return expr.Deparse(e, false), true
}

func (a *alteration) renameConstraint(from, to string) error {
	oid := constraintByName(a.t, from)
	if oid == 0 {
		return sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", from, a.t.Name)
	}
	if constraintByName(a.t, to) != 0 {
		return sqlerr.New(sqlerr.DuplicateObject, "constraint \"%s\" for relation \"%s\" already exists", to, a.t.Name)
	}
	setConstraintName(a.t, oid, to)
	return nil
}

func setConstraintName(t *catalog.Table, oid types.OID, name string) {
	if x := indexOfConstraint(t, oid); x != nil {
		x.Name = name
	}
	if fk := t.ForeignKey(oid); fk != nil {
		fk.Name = name
	}
	for i := range t.Checks {
		if t.Checks[i].OID == oid {
			t.Checks[i].Name = name
		}
	}
}

// ownRelation finds and locks a relation that the statement is to change. ok is false if it is not there and need not be.
func (d *ddl) ownRelation(ctx context.Context, name parse.ObjectName, ifExists bool) (r catalog.Relation, ok bool, err error) {
	r, err = d.lookup(ctx, name, kv.TableAccessExclusive)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedTable && ifExists {
		d.skip("relation \"%s\" does not exist", name.Name)
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	return r, true, d.mustOwn(ctx, r)
}

// setSchema runs ALTER … SET SCHEMA.
func (d *ddl) setSchema(ctx context.Context, st *parse.SetSchemaStmt) error {
	switch st.Kind {
	case parse.TypeObject:
		return d.moveEnum(ctx, st)
	case parse.TableObject, parse.ViewObject, parse.SequenceObject:
	default:
		return sqlerr.Unsupported("SET SCHEMA of this object")
	}
	r, ok, err := d.ownRelation(ctx, st.Name, st.IfExists)
	if !ok || err != nil {
		return err
	}
	schema, err := d.schema(ctx, parse.ObjectName{Schema: st.Schema, Name: st.Name.Name, Pos: -1})
	if err != nil {
		return err
	}
	if r.Table.Schema == schema.ID {
		return nil
	}
	if temp, err := d.isTemporary(ctx, r.Table); err != nil {
		return err
	} else if temp || isTempName(schema.Name) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot move objects into or out of temporary schemas")
	}
	if err := d.refuseViews(ctx, r.Table, 0, "moving a relation that views use"); err != nil {
		return err
	}
	if r.Table.Kind == catalog.KindSequence && r.Table.Sequence.Owner.Table != 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot move an owned sequence into another schema").
			WithDetail("Sequence \"%s\" is linked to table \"%s\".", r.Table.Name, d.tableName(ctx, r.Table.Sequence.Owner.Table))
	}
	owned, err := d.env.View.OwnedSequences(ctx, r.Table.ID)
	if err != nil {
		return err
	}
	for _, t := range append(owned, r.Table) {
		if found, err := d.env.View.HasRelation(ctx, schema.ID, t.Name); err != nil {
			return err
		} else if found {
			return sqlerr.New(sqlerr.DuplicateTable, "relation \"%s\" already exists in schema \"%s\"", t.Name, schema.Name)
		}
		if err := d.env.View.LockTable(ctx, t.ID, kv.TableAccessExclusive); err != nil {
			return err
		}
		a := d.alteration(t)
		a.t.Schema = schema.ID
		if err := a.finish(ctx); err != nil {
			return err
		}
	}
	return nil
}
