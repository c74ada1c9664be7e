package exec

import (
	"context"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func (d *ddl) createSchema(ctx context.Context, st *parse.CreateSchemaStmt) error {
	name, owner := st.Name, d.env.User
	if st.Authorization != "" {
		owner = st.Authorization
	}
	oid, err := d.newOwner(ctx, owner)
	if err != nil {
		return err
	}
	if err := d.env.View.CheckDatabase(ctx, d.env.Database.ID, catalog.Create); err != nil {
		return err
	}
	if name == "" {
		name = owner
	}
	if strings.HasPrefix(name, "pg_") {
		return sqlerr.New(sqlerr.ReservedName, "unacceptable schema name \"%s\"", name).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	taken := sqlerr.New(sqlerr.DuplicateSchema, "schema \"%s\" already exists", name)
	if name == "information_schema" {
		return taken
	}
	if _, err := d.env.View.Schema(ctx, d.env.Database.ID, name); err == nil && st.IfNotExists {
		d.env.Notice(sqlerr.Notice(sqlerr.DuplicateSchema, "schema \"%s\" already exists, skipping", name))
		return nil
	}
	return d.env.View.CreateSchema(ctx, &catalog.Schema{Database: d.env.Database.ID, Name: name, Owner: oid}, taken)
}

func (d *ddl) dropSchemas(ctx context.Context, st *parse.DropStmt) error {
	var objects []object
	for _, name := range st.Names {
		if name.Name == "pg_catalog" || name.Name == "information_schema" {
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop schema %s because it is required by the database system", name.Name)
		}
		s, err := d.env.View.Schema(ctx, d.env.Database.ID, name.Name)
		switch {
		case catalog.IsNotFound(err) && st.IfExists:
			d.skip("schema \"%s\" does not exist", name.Name)
			continue
		case catalog.IsNotFound(err):
			return sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name.Name)
		case err != nil:
			return err
		}
		if err := d.mustOwnOther(ctx, s.Owner, "schema", s.Name); err != nil {
			return err
		}
		if err := d.env.View.LockTable(ctx, s.ID, kv.TableAccessExclusive); err != nil {
			return err
		}
		objects = append(objects, object{kind: objectSchema, schema: s})
	}
	return d.dropObjects(ctx, objects, st.Cascade)
}

// comment runs COMMENT ON.
func (d *ddl) comment(ctx context.Context, st *parse.CommentStmt) error {
	text := ""
	if st.Text != nil {
		text = *st.Text
	}
	oid, column, err := d.commented(ctx, st)
	if err != nil {
		return err
	}
	return d.env.View.SetComment(oid, column, text)
}

// commented finds what a comment is on.
func (d *ddl) commented(ctx context.Context, st *parse.CommentStmt) (types.OID, catalog.ColumnID, error) {
	missing := func(err error, code sqlerr.Code, what string) error {
		if catalog.IsNotFound(err) {
			return sqlerr.New(code, "%s \"%s\" does not exist", what, st.Name.Name)
		}
		return err
	}
	switch st.Kind {
	case parse.TableObject, parse.ViewObject, parse.SequenceObject, parse.IndexObject, parse.ColumnObject, parse.ConstraintObject:
		return d.commentedRelation(ctx, st)
	case parse.SchemaObject:
		s, err := d.env.View.Schema(ctx, d.env.Database.ID, st.Name.Name)
		if err != nil {
			return 0, 0, missing(err, sqlerr.InvalidSchemaName, "schema")
		}
		return s.OID, 0, d.mustOwnOther(ctx, s.Owner, "schema", s.Name)
	case parse.DatabaseObject:
		db, err := d.env.View.Database(ctx, st.Name.Name)
		if err != nil {
			return 0, 0, missing(err, sqlerr.InvalidCatalogName, "database")
		}
		return db.OID, 0, d.mustOwnOther(ctx, db.Owner, "database", db.Name)
	case parse.TypeObject:
		e, err := d.enum(ctx, st.Name, kv.TableAccessShare)
		if err != nil {
			return 0, 0, err
		}
		return e.OID, 0, d.mustOwnOther(ctx, e.Owner, "type", e.Name)
	case parse.FunctionObject:
		f, err := d.function(ctx, st.Function)
		if err != nil {
			return 0, 0, err
		}
		return f.OID, 0, d.mustOwnOther(ctx, f.Owner, "function", f.Name)
	case parse.RoleObject:
		r, err := d.role(ctx, st.Name.Name)
		if err != nil {
			return 0, 0, err
		}
		return r.OID, 0, d.mustManage(ctx, r, denied("must be superuser to comment on superuser role"), denied("must have CREATEROLE privilege"))
	}
	return 0, 0, sqlerr.Unsupported("COMMENT ON this kind of object")
}

func (d *ddl) commentedRelation(ctx context.Context, st *parse.CommentStmt) (types.OID, catalog.ColumnID, error) {
	r, err := d.lookup(ctx, st.Name, kv.TableShareUpdateExclusive)
	if err != nil {
		return 0, 0, err
	}
	if err := d.mustOwn(ctx, r); err != nil {
		return 0, 0, err
	}
	switch st.Kind {
	case parse.ColumnObject:
		c, err := d.column(r.Table, st.Sub)
		if err != nil {
			return 0, 0, err
		}
		return r.Table.OID, c.ID, nil
	case parse.ConstraintObject:
		oid := constraintByName(r.Table, st.Sub)
		if oid == 0 {
			return 0, 0, sqlerr.New(sqlerr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", st.Sub, r.Table.Name)
		}
		return oid, 0, nil
	}
	if err := checkDropKind(st.Kind, r); err != nil {
		if e, ok := sqlerr.As(err); ok {
			e.Hint = ""
		}
		return 0, 0, err
	}
	if r.Index != nil {
		return r.Index.OID, 0, nil
	}
	return r.Table.OID, 0, nil
}

// createExtension knows the one extension that every PostgreSQL has.
func (d *ddl) createExtension(st *parse.CreateExtensionStmt) error {
	if st.Name != "plpgsql" {
		return sqlerr.Unsupported("extension " + st.Name)
	}
	if !st.IfNotExists {
		return sqlerr.New(sqlerr.DuplicateObject, "extension \"%s\" already exists", st.Name)
	}
	d.env.Notice(sqlerr.Notice(sqlerr.DuplicateObject, "extension \"%s\" already exists, skipping", st.Name))
	return nil
}
