package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
)

// Temporary objects are in a schema of their session's, which the first of them makes. They go with the session.

// isTempName reports whether a schema's name is that of a session's temporary objects.
func isTempName(name string) bool { return strings.HasPrefix(name, plan.TempPrefix) }

// tempSchema is the schema of the session's temporary objects. Errors: 42501, 0A000 where there is no session.
func (d *ddl) tempSchema(ctx context.Context) (*catalog.Schema, error) {
	if d.env.TempName == "" {
		return nil, sqlerr.Unsupported("temporary objects outside of a session")
	}
	err := d.env.View.CheckDatabase(ctx, d.env.Database.ID, catalog.Temporary)
	if sqlerr.CodeOf(err) == sqlerr.InsufficientPrivilege {
		return nil, denied("permission denied to create temporary tables in database \"%s\"", d.env.Database.Name)
	}
	if err != nil {
		return nil, err
	}
	s, err := d.env.View.Schema(ctx, d.env.Database.ID, d.env.TempName)
	if catalog.IsNotFound(err) {
		// Others cannot name what is in it, so that everybody, which is whoever the session acts for, may use it.
		s = &catalog.Schema{
			Database: d.env.Database.ID, Name: d.env.TempName, Owner: catalog.SuperuserOID,
			ACL: catalog.ACL{{Grantee: catalog.Public, Grantor: catalog.SuperuserOID, May: catalog.Usage | catalog.Create}},
		}
		err = d.env.View.CreateSchema(ctx, s, sqlerr.Internal("schema %q is there twice", s.Name))
	}
	if err != nil {
		return nil, err
	}
	d.env.SearchPath = d.env.TempMade()
	return s, nil
}

// schemaFor finds the schema in which a new object is made: the one named, that of temporary objects, or the first of the search path.
func (d *ddl) schemaFor(ctx context.Context, name parse.ObjectName, p parse.Persistence) (*catalog.Schema, error) {
	named := name.Schema == "pg_temp" || name.Schema != "" && name.Schema == d.env.TempName
	switch {
	case named, p == parse.Temporary && name.Schema == "":
		return d.tempSchema(ctx)
	case p == parse.Temporary:
		return nil, d.at(sqlerr.New(sqlerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema"), name.Pos)
	case isTempName(name.Schema):
		return nil, d.at(sqlerr.New(sqlerr.InvalidTableDefinition, "cannot create relations in temporary schemas of other sessions"), name.Pos)
	}
	return d.schema(ctx, name)
}

// isTemporary reports whether a relation is one of a session's temporary ones.
func (d *ddl) isTemporary(ctx context.Context, t *catalog.Table) (bool, error) {
	if plan.TempSchema(d.env.SearchPath) == "" {
		return false, nil
	}
	s, err := d.env.View.SchemaByID(ctx, t.Schema)
	if err != nil {
		return false, err
	}
	return isTempName(s.Name), nil
}

// onCommit is what becomes of a new table at the end of each transaction. Errors: 42P16.
func (d *ddl) onCommit(schema *catalog.Schema, o parse.OnCommit) (string, error) {
	if o != parse.OnCommitNoop && !isTempName(schema.Name) {
		return "", sqlerr.New(sqlerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables")
	}
	switch o {
	case parse.OnCommitDelete:
		return onCommitDelete, nil
	case parse.OnCommitDrop:
		return onCommitDrop, nil
	}
	return "", nil
}

// The values of catalog.Table.OnCommit.
const (
	onCommitDelete = "delete"
	onCommitDrop   = "drop"
)

// checkKeyPersistence refuses foreign keys between temporary and other tables.
func (a *alteration) checkKeyPersistence(ctx context.Context, parent *catalog.Table) error {
	child, err := a.isTemporary(ctx, a.t)
	if err != nil {
		return err
	}
	above, err := a.isTemporary(ctx, parent)
	switch {
	case err != nil || child == above:
		return err
	case child:
		return sqlerr.New(sqlerr.InvalidTableDefinition, "constraints on temporary tables may reference only temporary tables")
	}
	return sqlerr.New(sqlerr.InvalidTableDefinition, "constraints on permanent tables may reference only permanent tables")
}

// usesTemporary reports whether a view's query uses temporary relations.
func (d *ddl) usesTemporary(ctx context.Context, uses []catalog.Use) (bool, error) {
	if plan.TempSchema(d.env.SearchPath) == "" {
		return false, nil
	}
	schema, err := d.env.View.Schema(ctx, d.env.Database.ID, d.env.TempName)
	if err != nil {
		if catalog.IsNotFound(err) {
			err = nil
		}
		return false, err
	}
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(contents.Tables, func(t *catalog.Table) bool {
		return t.Schema == schema.ID && slices.ContainsFunc(uses, func(u catalog.Use) bool { return u.OID == t.OID })
	}), nil
}

// EndTransaction empties or drops the temporary tables that say so, before the transaction commits.
func EndTransaction(ctx context.Context, env *Env) error {
	schema, err := env.View.Schema(ctx, env.Database.ID, env.TempName)
	if catalog.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	contents, err := env.View.Contents(ctx)
	if err != nil {
		return err
	}
	quiet := *env
	quiet.Notice = func(*sqlerr.Error) {}
	d := &ddl{env: &quiet, buffered: true}
	for _, t := range contents.Tables {
		if t.Schema != schema.ID {
			continue
		}
		switch t.OnCommit {
		case onCommitDrop:
			err = d.dropObjects(ctx, []object{{kind: objectRelation, table: t}}, true)
		case onCommitDelete:
			err = d.empty(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// empty truncates a table unless there is nothing in it.
func (d *ddl) empty(ctx context.Context, t *catalog.Table) error {
	it, err := d.env.Txn.NewIter(ctx, rowenc.TableSpan(t.ID), kv.IterOptions{Latest: true})
	if err != nil {
		return err
	}
	some := it.Next()
	if err := it.Err(); err != nil {
		it.Close()
		return err
	}
	if err := it.Close(); err != nil || !some {
		return err
	}
	if err := d.env.View.LockTable(ctx, t.ID, kv.TableAccessExclusive); err != nil {
		return err
	}
	return d.truncateTable(ctx, t.ID)
}

// DropTemporary drops everything in schemas of temporary objects, and the schemas: all of those there are, or the one of a name.
func DropTemporary(ctx context.Context, view *catalog.View, only string) error {
	contents, err := view.Contents(ctx)
	if err != nil {
		return err
	}
	in := map[catalog.ID]bool{}
	var schemas []*catalog.Schema
	for _, s := range contents.Schemas {
		if isTempName(s.Name) && (only == "" || s.Name == only) {
			in[s.ID] = true
			schemas = append(schemas, s)
		}
	}
	if len(schemas) == 0 {
		return nil
	}
	if err := dropIn(ctx, view, contents, in); err != nil {
		return err
	}
	for _, s := range schemas {
		if err := view.DropSchema(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// dropIn drops everything in some schemas. Nothing elsewhere depends on it.
func dropIn(ctx context.Context, view *catalog.View, contents catalog.Contents, schemas map[catalog.ID]bool) error {
	for _, t := range contents.Tables {
		if !schemas[t.Schema] {
			continue
		}
		// Whoever still uses it ends first.
		if err := view.LockTable(ctx, t.ID, kv.TableAccessExclusive); err != nil {
			return err
		}
		now, err := view.TableByID(ctx, t.ID)
		if catalog.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if now.Kind == catalog.KindTable {
			view.Txn().DropSpan(rowenc.TableSpan(now.ID))
		}
		if err := view.DropComments(ctx, now.OID); err != nil {
			return err
		}
		if err := view.DropTable(now); err != nil {
			return err
		}
	}
	for _, e := range contents.Enums {
		if schemas[e.Schema] {
			if err := view.DropEnum(ctx, e); err != nil {
				return err
			}
		}
	}
	for _, f := range contents.Functions {
		if schemas[f.Schema] {
			if err := view.DropFunction(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}
