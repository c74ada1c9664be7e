package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// createEnum runs CREATE TYPE … AS ENUM.
func (d *ddl) createEnum(ctx context.Context, st *parse.CreateEnumStmt) error {
	name := st.Name
	name.Pos = -1
	if name.Schema == "pg_temp" || isTempName(name.Schema) {
		return sqlerr.Unsupported("temporary types")
	}
	schema, err := d.schema(ctx, name)
	if err != nil {
		return err
	}
	e := &catalog.Enum{Schema: schema.ID, Name: st.Name.Name}
	if e.Owner, err = d.owner(ctx); err != nil {
		return err
	}
	taken := typeTaken(e.Name)
	if used, err := d.env.View.HasRowType(ctx, schema.ID, e.Name); err != nil || used {
		return firstError(err, taken)
	}
	if len(st.Labels) > 0 {
		first, err := d.env.View.Store().AllocateOIDs(ctx, len(st.Labels))
		if err != nil {
			return err
		}
		for i, name := range st.Labels {
			if err := checkLabel(name); err != nil {
				return err
			}
			if e.Label(name) >= 0 {
				return sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"").
					WithDetail("Key (enumtypid, enumlabel)=(%d, %s) already exists.", first, name)
			}
			if err := e.AddLabel(i, first+types.OID(i), name); err != nil {
				return err
			}
		}
	}
	return d.env.View.CreateEnum(ctx, e, taken)
}

func typeTaken(name string) error {
	return sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists", name)
}

// firstError is err, or other if that is nil.
func firstError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func checkLabel(name string) error {
	if len(name) > catalog.MaxNameLength {
		return sqlerr.New(sqlerr.InvalidName, "invalid enum label \"%s\"", name).WithDetail("Labels must be %d bytes or less.", catalog.MaxNameLength)
	}
	return nil
}

// useType keeps the enumerated type that a column is to have, or its elements, from being dropped meanwhile.
func (d *ddl) useType(ctx context.Context, t types.Type) error {
	oid, ok := t.EnumOf()
	if !ok {
		return nil
	}
	_, err := d.env.View.LockEnum(ctx, oid, kv.TableAccessShare)
	if catalog.IsNotFound(err) {
		return sqlerr.New(sqlerr.UndefinedObject, "type \"%s\" does not exist", t.Format())
	}
	return err
}

// enum finds an enumerated type by name and locks it; in mode TableExclusive, who changes it must own it. Errors: 42501, 42704, 42809.
func (d *ddl) enum(ctx context.Context, name parse.ObjectName, mode kv.TableLock) (*catalog.Enum, error) {
	t, err := d.builder().ResolveType(typeNameOf(name))
	if err != nil {
		if e, ok := sqlerr.As(err); ok {
			e.Position = 0
		}
		return nil, err
	}
	if !t.IsEnum() {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%s is not an enum", t.Format())
	}
	e, err := d.env.View.LockEnum(ctx, t.OID, mode)
	if err == nil && mode == kv.TableExclusive {
		err = d.mustOwnOther(ctx, e.Owner, "type", e.Name)
	}
	return e, err
}

func typeNameOf(name parse.ObjectName) *parse.TypeName {
	t := &parse.TypeName{Pos: -1}
	for _, part := range []string{name.Catalog, name.Schema, name.Name} {
		if part != "" {
			t.Names = append(t.Names, part)
		}
	}
	return t
}

// alterEnum runs ALTER TYPE … ADD VALUE and RENAME VALUE.
func (d *ddl) alterEnum(ctx context.Context, st *parse.AlterEnumStmt) error {
	old, err := d.enum(ctx, st.Name, kv.TableExclusive)
	if err != nil {
		return err
	}
	if err := checkLabel(st.Label); err != nil {
		return err
	}
	e := old.Clone()
	exists := e.Label(st.Label) >= 0
	taken := sqlerr.New(sqlerr.DuplicateObject, "enum label \"%s\" already exists", st.Label)
	if st.Rename != "" {
		at := e.Label(st.Rename)
		switch {
		case at < 0:
			return noLabel(st.Rename)
		case exists:
			return taken
		}
		if err := d.refuseViewsOf(ctx, e, "'"+st.Rename+"'", "renaming a value that a view may mention"); err != nil {
			return err
		}
		e.Labels[at].Name = st.Label
		return d.env.View.UpdateEnum(ctx, old, e, taken)
	}
	switch {
	case exists && st.IfNotExists:
		d.env.Notice(sqlerr.Notice(sqlerr.DuplicateObject, "enum label \"%s\" already exists, skipping", st.Label))
		return nil
	case exists:
		return taken
	}
	at := len(e.Labels)
	if st.Neighbour != "" {
		if at = e.Label(st.Neighbour); at < 0 {
			return noLabel(st.Neighbour)
		}
		if !st.Before {
			at++
		}
	}
	oid, err := d.env.View.Store().AllocateOIDs(ctx, 1)
	if err != nil {
		return err
	}
	if err := e.AddLabel(at, oid, st.Label); err != nil {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "cannot add a value there: %s", err)
	}
	return d.env.View.UpdateEnum(ctx, old, e, taken)
}

func noLabel(name string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "\"%s\" is not an existing enum label", name)
}

// refuseViewsOf refuses what the text of a view that may use a type would not follow: one that has the text in it.
func (d *ddl) refuseViewsOf(ctx context.Context, e *catalog.Enum, text, what string) error {
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	uses := map[types.OID]bool{e.OID: true, e.OID + 1: true}
	for _, t := range contents.Tables {
		if slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return uses[c.Type.OID] }) {
			uses[t.OID] = true
		}
	}
	for _, v := range contents.Tables {
		if v.Kind == catalog.KindView && strings.Contains(v.View.Text, text) &&
			slices.ContainsFunc(v.View.Uses, func(u catalog.Use) bool { return uses[u.OID] }) {
			return sqlerr.Unsupported(what).WithDetail("view %s depends on it.", d.relationName(ctx, v))
		}
	}
	return nil
}

// renameEnum runs ALTER TYPE … RENAME TO.
func (d *ddl) renameEnum(ctx context.Context, st *parse.RenameStmt) error {
	old, err := d.enum(ctx, st.Name, kv.TableExclusive)
	if err != nil {
		return err
	}
	taken := typeTaken(st.NewName)
	if used, err := d.env.View.HasRowType(ctx, old.Schema, st.NewName); err != nil || used || st.NewName == old.Name {
		return firstError(err, taken)
	}
	if err := d.refuseViewsOf(ctx, old, old.Name, "renaming a type that views use"); err != nil {
		return err
	}
	e := old.Clone()
	e.Name = st.NewName
	return d.env.View.UpdateEnum(ctx, old, e, taken)
}

// moveEnum runs ALTER TYPE … SET SCHEMA.
func (d *ddl) moveEnum(ctx context.Context, st *parse.SetSchemaStmt) error {
	old, err := d.enum(ctx, st.Name, kv.TableExclusive)
	if err != nil {
		return err
	}
	schema, err := d.schema(ctx, parse.ObjectName{Schema: st.Schema, Name: st.Name.Name, Pos: -1})
	if err != nil || schema.ID == old.Schema {
		return err
	}
	taken := sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists in schema \"%s\"", old.Name, schema.Name)
	if used, err := d.env.View.HasRowType(ctx, schema.ID, old.Name); err != nil || used {
		return firstError(err, taken)
	}
	if err := d.refuseViewsOf(ctx, old, old.Name, "moving a type that views use"); err != nil {
		return err
	}
	e := old.Clone()
	e.Schema = schema.ID
	return d.env.View.UpdateEnum(ctx, old, e, taken)
}

// ownEnum runs ALTER TYPE … OWNER TO.
func (d *ddl) ownEnum(ctx context.Context, st *parse.OwnerStmt) error {
	old, err := d.enum(ctx, st.Name, kv.TableExclusive)
	if err != nil {
		return err
	}
	e := old.Clone()
	if e.Owner, err = d.newOwner(ctx, st.Owner); err != nil {
		return err
	}
	if err := d.mayCreateIn(ctx, e.Owner, e.Schema); err != nil {
		return err
	}
	return d.env.View.UpdateEnum(ctx, old, e, nil)
}

// dropTypes runs DROP TYPE.
func (d *ddl) dropTypes(ctx context.Context, st *parse.DropStmt) error {
	var objects []object
	for _, name := range st.Names {
		t, err := d.builder().ResolveType(typeNameOf(name))
		if e, ok := sqlerr.As(err); ok {
			e.Position = 0
			if e.Code == sqlerr.UndefinedObject && st.IfExists {
				d.skipType(ctx, name)
				continue
			}
		}
		switch {
		case err != nil:
			return err
		case !t.IsUser():
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because it is required by the database system", t.Base().Format())
		case !t.IsEnum():
			elem, _ := t.Elem()
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop type %s because type %s requires it", t.Format(), elem.Format()).
				WithHint("You can drop type %s instead.", elem.Format())
		}
		e, err := d.env.View.LockEnum(ctx, t.OID, kv.TableAccessExclusive)
		if err != nil {
			return err
		}
		if err := d.mustOwnOther(ctx, e.Owner, "type", e.Name); err != nil {
			return err
		}
		objects = append(objects, object{kind: objectEnum, enum: e})
	}
	return d.dropObjects(ctx, objects, st.Cascade)
}

// skipType is the notice of DROP TYPE IF EXISTS.
func (d *ddl) skipType(ctx context.Context, name parse.ObjectName) {
	if name.Schema != "" {
		if _, err := d.env.View.Schema(ctx, d.env.Database.ID, name.Schema); catalog.IsNotFound(err) {
			d.skip("schema \"%s\" does not exist", name.Schema)
			return
		}
		d.skip("%s", fmt.Sprintf("type \"%s.%s\" does not exist", name.Schema, name.Name))
		return
	}
	d.skip("type \"%s\" does not exist", name.Name)
}

// addTyped adds the columns of a type.
func (s *dropSet) addTyped(oid types.OID, add func(bool, object)) {
	for _, t := range s.contents.Tables {
		if t.Kind != catalog.KindTable {
			continue
		}
		for i := range t.Columns {
			if t.Columns[i].Type.OID == oid {
				add(false, object{kind: objectColumn, table: t, column: t.Columns[i].ID})
			}
		}
	}
}

// addMentions adds the defaults and checks whose texts have a type by its number. Computed columns have it where they are made from a
// column of the type, with which they go.
func (s *dropSet) addMentions(oid types.OID, add func(bool, object)) {
	mention := types.EnumType(oid).Format()
	for _, t := range s.contents.Tables {
		for i := range t.Columns {
			c := &t.Columns[i]
			of, _ := c.Type.EnumOf()
			if of != oid && strings.Contains(c.Default, mention) {
				add(false, object{kind: objectDefault, table: t, column: c.ID})
			}
		}
		for i := range t.Checks {
			if strings.Contains(t.Checks[i].Expr, mention) {
				add(false, object{kind: objectConstraint, table: t, constraint: t.Checks[i].OID})
			}
		}
	}
}
