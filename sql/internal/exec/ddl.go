package exec

import (
	"context"
	"errors"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// DDL runs a statement that changes the catalog, in the transaction of env, and gives its command tag. It locks what it
// changes as PostgreSQL does. Statements that it does not know are 0A000.
func DDL(ctx context.Context, env *Env, st parse.Stmt) (tag string, err error) {
	d := &ddl{env: env}
	switch st := st.(type) {
	case *parse.CreateTableStmt:
		if st.As != nil {
			return d.createTableAs(ctx, st)
		}
		return "CREATE TABLE", d.createTable(ctx, st)
	case *parse.CreateViewStmt:
		return "CREATE VIEW", d.createView(ctx, st)
	case *parse.CreateEnumStmt:
		return "CREATE TYPE", d.createEnum(ctx, st)
	case *parse.CreateFunctionStmt:
		return "CREATE FUNCTION", d.createFunction(ctx, st)
	case *parse.AlterFunctionStmt:
		return "ALTER FUNCTION", d.alterFunction(ctx, st)
	case *parse.DropFunctionStmt:
		return "DROP FUNCTION", d.dropFunctions(ctx, st)
	case *parse.AlterEnumStmt:
		return "ALTER TYPE", d.alterEnum(ctx, st)
	case *parse.CreateSchemaStmt:
		return "CREATE SCHEMA", d.createSchema(ctx, st)
	case *parse.CommentStmt:
		return "COMMENT", d.comment(ctx, st)
	case *parse.CreateExtensionStmt:
		return "CREATE EXTENSION", d.createExtension(st)
	case *parse.CreateSequenceStmt:
		return "CREATE SEQUENCE", d.createSequence(ctx, st)
	case *parse.AlterSequenceStmt:
		return "ALTER SEQUENCE", d.alterSequence(ctx, st)
	case *parse.AlterTableStmt:
		return alterTag(st.Kind), d.alterTable(ctx, st)
	case *parse.RenameStmt:
		return alterTag(st.Kind), d.rename(ctx, st)
	case *parse.OwnerStmt:
		return alterTag(st.Kind), d.changeOwner(ctx, st)
	case *parse.SetSchemaStmt:
		return alterTag(st.Kind), d.setSchema(ctx, st)
	case *parse.CreateIndexStmt:
		return "CREATE INDEX", d.createIndex(ctx, st)
	case *parse.ReindexStmt:
		return "REINDEX", d.reindex(ctx, st)
	case *parse.TruncateStmt:
		return "TRUNCATE TABLE", d.truncate(ctx, st)
	case *parse.DropStmt:
		if k, ok := dropKinds[st.Kind]; ok {
			return "DROP " + strings.ToUpper(k.word), d.drop(ctx, st)
		}
		switch st.Kind {
		case parse.SchemaObject:
			return "DROP SCHEMA", d.dropSchemas(ctx, st)
		case parse.DatabaseObject:
			return "DROP DATABASE", d.dropDatabase(ctx, st)
		case parse.TypeObject:
			return "DROP TYPE", d.dropTypes(ctx, st)
		case parse.RoleObject:
			return "DROP ROLE", d.dropRoles(ctx, st)
		}
	default:
		return d.shared(ctx, st)
	}
	return "", sqlerr.Unsupported(parse.Feature(st, env.Text))
}

// shared runs a statement about databases, roles or privileges.
func (d *ddl) shared(ctx context.Context, st parse.Stmt) (tag string, err error) {
	switch st := st.(type) {
	case *parse.CreateDatabaseStmt:
		return "CREATE DATABASE", d.createDatabase(ctx, st)
	case *parse.AlterDatabaseStmt:
		return "ALTER DATABASE", d.alterDatabase(ctx, st)
	case *parse.CreateRoleStmt:
		return "CREATE ROLE", d.createRole(ctx, st)
	case *parse.AlterRoleStmt:
		return "ALTER ROLE", d.alterRole(ctx, st)
	case *parse.GrantStmt:
		tag := "GRANT"
		if st.Revoke {
			tag = "REVOKE"
		}
		if st.Roles {
			tag += " ROLE"
		}
		return tag, d.grant(ctx, st)
	case *parse.AlterDefaultPrivilegesStmt:
		return "ALTER DEFAULT PRIVILEGES", d.alterDefaultPrivileges(ctx, st)
	case *parse.DropOwnedStmt:
		if st.To != nil {
			return "REASSIGN OWNED", d.owned(ctx, st)
		}
		return "DROP OWNED", d.owned(ctx, st)
	}
	return "", sqlerr.Unsupported(parse.Feature(st, d.env.Text))
}

// alterTag is the tag of an ALTER of a kind of object.
func alterTag(kind parse.ObjectKind) string {
	switch kind {
	case parse.ViewObject:
		return "ALTER VIEW"
	case parse.IndexObject:
		return "ALTER INDEX"
	case parse.SequenceObject:
		return "ALTER SEQUENCE"
	case parse.SchemaObject:
		return "ALTER SCHEMA"
	case parse.TypeObject:
		return "ALTER TYPE"
	case parse.DatabaseObject:
		return "ALTER DATABASE"
	case parse.RoleObject:
		return "ALTER ROLE"
	}
	return "ALTER TABLE"
}

// ddl runs one statement.
type ddl struct {
	env *Env
	// buffered: what one step of the statement writes, a later one has to see.
	buffered bool
	// placed tells that the statement's missing privileges on a schema have the position of the new object's name, as PostgreSQL
	// gives one for CREATE TABLE alone.
	placed bool
}

// at gives an error the position of a byte offset; none if it is negative.
func (d *ddl) at(err error, pos int) error {
	if pos < 0 {
		return err
	}
	return d.env.At(err, pos)
}

func (d *ddl) unsupported(feature string, pos int) error {
	return d.at(sqlerr.Unsupported(feature), pos)
}

// lookup finds a table or index by name and locks the table.
//
// Errors: 42P01, without position, as PostgreSQL gives none here.
func (d *ddl) lookup(ctx context.Context, name parse.ObjectName, mode kv.TableLock) (catalog.Relation, error) {
	r, _, err := plan.LookupRelation(ctx, d.env.View, d.env.Database, d.env.SearchPath, name, mode)
	return r, err
}

// owner is the OID of the role that new objects belong to.
func (d *ddl) owner(ctx context.Context) (types.OID, error) {
	r, err := d.env.View.Role(ctx, d.env.User)
	if err != nil {
		return 0, err
	}
	return r.OID, nil
}

// schema finds the schema in which a new object of that name is made: the one named, else the first of the search path
// that exists. Errors: 3F000, 0A000.
func (d *ddl) schema(ctx context.Context, name parse.ObjectName) (*catalog.Schema, error) {
	if name.Catalog != "" && name.Catalog != d.env.Database.Name {
		return nil, d.at(sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"",
			name.Catalog, name.Schema, name.Name), name.Pos)
	}
	path := d.env.SearchPath
	if name.Schema != "" {
		path = []string{name.Schema}
	}
	for _, schema := range path {
		if name.Schema == "" && isTempName(schema) {
			if d.env.TempListed {
				return d.tempSchema(ctx)
			}
			continue
		}
		s, err := d.env.View.Schema(ctx, d.env.Database.ID, schema)
		if err == nil {
			if name.Schema == "" {
				if ok, err := d.env.View.MayUse(ctx, s); err != nil {
					return nil, err
				} else if !ok {
					continue
				}
			}
			if err := d.env.View.CheckSchema(ctx, s, catalog.Create); err != nil {
				if d.placed {
					err = d.at(err, name.Pos)
				}
				return nil, err
			}
			// It stays while something is put into it.
			if err := d.env.View.LockTable(ctx, s.ID, kv.TableAccessShare); err != nil {
				return nil, err
			}
			s, err = d.env.View.SchemaByID(ctx, s.ID)
		}
		if err == nil || !errors.Is(err, catalog.ErrNotFound) {
			return s, err
		}
	}
	switch name.Schema {
	case "":
		return nil, d.at(sqlerr.New(sqlerr.InvalidSchemaName, "no schema has been selected to create in"), name.Pos)
	case "pg_catalog", "information_schema":
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to create \"%s.%s\"", name.Schema, name.Name).
			WithDetail("System catalog modifications are currently disallowed.")
	}
	return nil, d.at(sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name.Schema), name.Pos)
}

// exists reports whether a table or index has the name, and says so in a notice: for IF NOT EXISTS.
func (d *ddl) exists(ctx context.Context, schema catalog.ID, name string) (bool, error) {
	found, err := d.env.View.HasRelation(ctx, schema, name)
	if found {
		d.env.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation \"%s\" already exists, skipping", name))
	}
	return found, err
}

// inBlock is the error of a statement that must be alone in its transaction.
func (d *ddl) refuseInBlock(statement string) error {
	if !d.env.InBlock {
		return nil
	}
	return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", statement)
}

// storageParameters are those of PostgreSQL's WITH (…) that change how it stores a table or index, not what is in it. They
// are accepted and have no effect.
var storageParameters = []string{
	"fillfactor", "parallel_workers", "toast_tuple_target", "user_catalog_table", "vacuum_truncate", "vacuum_index_cleanup",
	"log_autovacuum_min_duration", "deduplicate_items", "buffering", "oids",
}

// checkParameters refuses unknown storage parameters.
func (d *ddl) checkParameters(options []parse.Option) error {
	for _, o := range options {
		name := strings.TrimPrefix(o.Name, "toast.")
		if !slices.Contains(storageParameters, name) && !strings.HasPrefix(name, "autovacuum_") {
			return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter \"%s\"", o.Name)
		}
	}
	return nil
}

// checkTablespace accepts the one there is.
func (d *ddl) checkTablespace(name string) error {
	if name == "" || name == "pg_default" {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "tablespace \"%s\" does not exist", name)
}

// checkCollation accepts the names of collation C, which is the only one, for types that have one. Errors are without position.
func checkCollation(c *parse.ObjectName, t types.Type) error {
	switch {
	case c == nil:
		return nil
	case t.Category() != 'S':
		return sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", t.Base().Format())
	case c.Name == "C" || c.Name == "POSIX" || c.Name == "default" || c.Name == "ucs_basic":
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", c.Name)
}
