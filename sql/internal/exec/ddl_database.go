package exec

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// Server is what statements about databases need of the server.
type Server interface {
	// Quiesce keeps new sessions out of a database until the statement's transaction has ended, and counts the other sessions that
	// use it. With force it ends those first.
	Quiesce(ctx context.Context, db catalog.ID, force bool) (sessions int, err error)
	// Sessions counts the other sessions that use a database.
	Sessions(db catalog.ID) int
}

// lockedDatabase finds and locks a database. Errors: 3D000.
func (d *ddl) lockedDatabase(ctx context.Context, name string, mode kv.TableLock) (*catalog.Database, error) {
	db, err := d.env.View.Database(ctx, name)
	if err == nil {
		if err = d.env.View.LockTable(ctx, db.ID, mode); err == nil {
			db, err = d.env.View.DatabaseByID(ctx, db.ID)
		}
	}
	if catalog.IsNotFound(err) {
		err = sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	return db, err
}

// databaseOptions are what CREATE and ALTER DATABASE say.
type databaseOptions struct {
	owner, template        string
	allowConns, isTemplate *bool
	connLimit              *int32
}

// readDatabaseOptions reads the options. There is one encoding, one collation and one tablespace.
func (d *ddl) readDatabaseOptions(options []parse.Option) (databaseOptions, error) {
	var out databaseOptions
	seen := map[string]bool{}
	for _, o := range options {
		if seen[o.Name] {
			return out, d.at(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options"), o.Pos)
		}
		seen[o.Name] = true
		text := ""
		if o.Value != nil {
			text = o.Value.Text
		}
		isDefault := o.Value == nil || o.Value.Kind == parse.OptionWord && text == "default"
		var err error
		switch o.Name {
		case "owner":
			out.owner = text
		case "template":
			out.template = text
		case "allow_connections":
			out.allowConns, err = optionFlag(o, isDefault, true)
		case "is_template":
			out.isTemplate, err = optionFlag(o, isDefault, false)
		case "connection limit":
			n, bad := strconv.ParseInt(text, 10, 32)
			if isDefault {
				n, bad = -1, nil
			}
			if bad != nil || n < -1 {
				return out, d.at(sqlerr.New(sqlerr.InvalidParameterValue, "invalid connection limit: %s", text), o.Pos)
			}
			limit := int32(n)
			out.connLimit = &limit
		default:
			if !isDefault {
				err = checkDatabaseForm(o.Name, text)
			} else if !slices.Contains(databaseForms, o.Name) {
				err = sqlerr.New(sqlerr.SyntaxError, "option \"%s\" not recognized", o.Name)
			}
		}
		if err != nil {
			return out, d.at(err, o.Pos)
		}
		if isDefault && o.Name == "template" {
			out.template = ""
		}
		if isDefault && o.Name == "owner" {
			out.owner = ""
		}
	}
	return out, nil
}

func optionFlag(o parse.Option, isDefault, def bool) (*bool, error) {
	if isDefault {
		return &def, nil
	}
	on := true
	switch strings.ToLower(o.Value.Text) {
	case "true", "on", "1":
	case "false", "off", "0":
		on = false
	default:
		return nil, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
	}
	return &on, nil
}

// databaseForms are the options that say how a database is kept.
var databaseForms = []string{
	"encoding", "lc_collate", "lc_ctype", "locale", "icu_locale", "locale_provider", "collation_version", "tablespace", "strategy", "oid", "location",
}

// checkDatabaseForm accepts the one form that databases have, and what makes no difference.
func checkDatabaseForm(name, text string) error {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(text))
	switch name {
	case "encoding":
		if plain == "utf8" || plain == "unicode" || plain == "6" {
			return nil
		}
		return sqlerr.Unsupported("encoding " + text + " of a database")
	case "lc_collate":
		if plain == "c.utf8" || plain == "c" || plain == "posix" {
			return nil
		}
		return sqlerr.Unsupported("collation " + text + " of a database")
	case "lc_ctype", "locale":
		if plain == "c.utf8" {
			return nil
		}
		return sqlerr.Unsupported("locale " + text + " of a database")
	case "locale_provider":
		if text == "libc" {
			return nil
		}
		return sqlerr.Unsupported("locale provider " + text)
	case "tablespace":
		if text == "pg_default" {
			return nil
		}
		return sqlerr.New(sqlerr.UndefinedObject, "tablespace \"%s\" does not exist", text)
	case "strategy":
		if plain == "wallog" || plain == "filecopy" {
			return nil // how the copy is made
		}
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid create database strategy \"%s\"", text)
	}
	if slices.Contains(databaseForms, name) {
		return sqlerr.Unsupported("option " + name + " of a database")
	}
	return sqlerr.New(sqlerr.SyntaxError, "option \"%s\" not recognized", name)
}

func (o databaseOptions) apply(db *catalog.Database) {
	if o.allowConns != nil {
		db.AllowConns = *o.allowConns
	}
	if o.isTemplate != nil {
		db.Template = *o.isTemplate
	}
	if o.connLimit != nil {
		if db.ConnLimit = o.connLimit; *o.connLimit < 0 {
			db.ConnLimit = nil
		}
	}
}

func (d *ddl) createDatabase(ctx context.Context, st *parse.CreateDatabaseStmt) error {
	if err := d.refuseInBlock("CREATE DATABASE"); err != nil {
		return err
	}
	d.env.CommitAfter = true
	o, err := d.readDatabaseOptions(st.Options)
	if err != nil {
		return err
	}
	owner := d.env.UserOID
	if o.owner != "" {
		if owner, err = d.roleOID(ctx, o.owner); err != nil {
			return err
		}
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	if !who.Role.Superuser && !who.Role.CreateDB {
		return denied("permission denied to create database")
	}
	if !who.Is(owner) {
		return denied("must be member of role \"%s\"", o.owner)
	}
	if o.template == "" {
		o.template = "template1"
	}
	if _, err := d.env.View.Database(ctx, st.Name); err == nil && st.IfNotExists {
		d.skip("database \"%s\" already exists", st.Name)
		return nil
	}
	schemas, err := d.templateSchemas(ctx, o.template, who)
	if err != nil {
		return err
	}
	db := &catalog.Database{Name: st.Name, Owner: owner, AllowConns: true}
	o.apply(db)
	return d.env.View.CreateDatabase(ctx, db, schemas, sqlerr.New(sqlerr.DuplicateDatabase, "database \"%s\" already exists", st.Name))
}

// templateSchemas are the schemas to copy from a template, which has nothing in them.
func (d *ddl) templateSchemas(ctx context.Context, name string, who *catalog.Acting) ([]*catalog.Schema, error) {
	template, err := d.lockedDatabase(ctx, name, kv.TableShare)
	if sqlerr.CodeOf(err) == sqlerr.InvalidCatalogName {
		return nil, sqlerr.New(sqlerr.InvalidCatalogName, "template database \"%s\" does not exist", name)
	}
	if err != nil {
		return nil, err
	}
	if !template.Template && !who.Has(template.Owner) {
		return nil, denied("permission denied to copy database \"%s\"", name)
	}
	if n := d.env.Server.Sessions(template.ID); n > 0 {
		return nil, usedByOthers("source database \"%s\" is being accessed by other users", name, n)
	}
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return nil, err
	}
	var schemas []*catalog.Schema
	inTemplate := map[catalog.ID]bool{}
	for _, s := range contents.Schemas {
		if s.Database == template.ID && !strings.HasPrefix(s.Name, "pg_temp_") {
			schemas = append(schemas, s)
			inTemplate[s.ID] = true
		}
	}
	used := slices.ContainsFunc(contents.Tables, func(t *catalog.Table) bool { return inTemplate[t.Schema] }) ||
		slices.ContainsFunc(contents.Enums, func(e *catalog.Enum) bool { return inTemplate[e.Schema] }) ||
		slices.ContainsFunc(contents.Functions, func(f *catalog.Function) bool { return inTemplate[f.Schema] })
	if used {
		return nil, sqlerr.Unsupported("copying a database that has tables, types or functions").WithDetail("Database \"%s\" is not empty.", name)
	}
	return schemas, nil
}

// usedByOthers is the error of a database that n other sessions use.
func usedByOthers(format, name string, n int) error {
	detail := "There is 1 other session using the database."
	if n > 1 {
		detail = fmt.Sprintf("There are %d other sessions using the database.", n)
	}
	return sqlerr.New(sqlerr.ObjectInUse, format, name).WithDetail("%s", detail)
}

func (d *ddl) dropDatabase(ctx context.Context, st *parse.DropStmt) error {
	if err := d.refuseInBlock("DROP DATABASE"); err != nil {
		return err
	}
	d.env.CommitAfter = true
	name := st.Names[0].Name
	db, err := d.lockedDatabase(ctx, name, kv.TableAccessExclusive)
	switch {
	case sqlerr.CodeOf(err) == sqlerr.InvalidCatalogName && st.IfExists:
		d.skip("database \"%s\" does not exist", name)
		return nil
	case err != nil:
		return err
	}
	if err := d.mustOwnOther(ctx, db.Owner, "database", name); err != nil {
		return err
	}
	switch {
	case db.Template:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot drop a template database")
	case db.ID == d.env.Database.ID:
		return sqlerr.New(sqlerr.ObjectInUse, "cannot drop the currently open database")
	}
	n, err := d.env.Server.Quiesce(ctx, db.ID, st.Force)
	if err != nil {
		return err
	}
	if n > 0 {
		return usedByOthers("database \"%s\" is being accessed by other users", name, n)
	}
	return d.dropContents(ctx, db)
}

// dropContents drops a database with everything in it. Nobody uses it.
func (d *ddl) dropContents(ctx context.Context, db *catalog.Database) error {
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	schemas := map[catalog.ID]bool{}
	for _, s := range contents.Schemas {
		schemas[s.ID] = s.Database == db.ID
	}
	if err := dropIn(ctx, d.env.View, contents, schemas); err != nil {
		return err
	}
	for _, p := range contents.Defaults {
		if p.In == db.ID {
			gone := *p
			gone.ACL = nil
			if err := d.env.View.SetDefaultPrivileges(ctx, p, &gone); err != nil {
				return err
			}
		}
	}
	for _, s := range contents.Schemas {
		if s.Database == db.ID {
			if err := d.env.View.DropCopiedSchema(s); err != nil {
				return err
			}
		}
	}
	return d.env.View.DropDatabase(ctx, db)
}

func (d *ddl) alterDatabase(ctx context.Context, st *parse.AlterDatabaseStmt) error {
	o, err := d.readDatabaseOptions(st.Options)
	if err != nil {
		return err
	}
	db, err := d.lockedDatabase(ctx, st.Name, kv.TableShareUpdateExclusive)
	if err != nil {
		return err
	}
	if err := d.mustOwnOther(ctx, db.Owner, "database", st.Name); err != nil {
		return err
	}
	for _, opt := range st.Options {
		switch opt.Name {
		case "allow_connections", "is_template", "connection limit":
		default:
			return d.at(sqlerr.New(sqlerr.SyntaxError, "option \"%s\" not recognized", opt.Name), opt.Pos)
		}
	}
	if o.allowConns != nil && !*o.allowConns && db.ID == d.env.Database.ID {
		return sqlerr.New(sqlerr.InvalidParameterValue, "cannot disallow connections for current database")
	}
	changed := *db
	o.apply(&changed)
	return d.env.View.UpdateDatabase(ctx, db, &changed, nil)
}

func (d *ddl) renameDatabase(ctx context.Context, st *parse.RenameStmt) error {
	db, err := d.lockedDatabase(ctx, st.Name.Name, kv.TableAccessExclusive)
	if err != nil {
		return err
	}
	if err := d.mustOwnOther(ctx, db.Owner, "database", db.Name); err != nil {
		return err
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	if !who.Role.Superuser && !who.Role.CreateDB {
		return denied("permission denied to rename database")
	}
	taken := sqlerr.New(sqlerr.DuplicateDatabase, "database \"%s\" already exists", st.NewName)
	if _, err := d.env.View.Database(ctx, st.NewName); err == nil {
		return taken
	}
	if db.ID == d.env.Database.ID {
		return sqlerr.New(sqlerr.FeatureNotSupported, "current database cannot be renamed")
	}
	n, err := d.env.Server.Quiesce(ctx, db.ID, false)
	if err != nil {
		return err
	}
	if n > 0 {
		return usedByOthers("database \"%s\" is being accessed by other users", db.Name, n)
	}
	changed := *db
	changed.Name = st.NewName
	return d.env.View.UpdateDatabase(ctx, db, &changed, taken)
}

// changeOwner is ALTER … OWNER TO of what is no relation.
func (d *ddl) changeOwner(ctx context.Context, st *parse.OwnerStmt) error {
	name := st.Name.Name
	switch st.Kind {
	case parse.DatabaseObject:
		db, err := d.lockedDatabase(ctx, name, kv.TableShareUpdateExclusive)
		if err != nil {
			return err
		}
		if err := d.mustOwnOther(ctx, db.Owner, "database", name); err != nil {
			return err
		}
		to, err := d.newOwner(ctx, st.Owner)
		if err != nil {
			return err
		}
		who, err := d.acting(ctx)
		if err == nil && !who.Role.Superuser && !who.Role.CreateDB {
			err = denied("permission denied to change owner of database")
		}
		if err != nil {
			return err
		}
		return d.giveDatabase(ctx, db, to)
	case parse.SchemaObject:
		s, err := d.lockedSchema(ctx, name)
		if err != nil {
			return err
		}
		if err := d.mustOwnOther(ctx, s.Owner, "schema", name); err != nil {
			return err
		}
		to, err := d.newOwner(ctx, st.Owner)
		if err != nil {
			return err
		}
		if err := d.env.View.CheckDatabase(ctx, d.env.Database.ID, catalog.Create); err != nil {
			return err
		}
		return d.giveSchema(ctx, s, to)
	case parse.TypeObject:
		return d.ownEnum(ctx, st)
	}
	return sqlerr.Unsupported(parse.Feature(st, d.env.Text) + " OWNER TO")
}

// renameSchema is ALTER SCHEMA … RENAME.
func (d *ddl) renameSchema(ctx context.Context, st *parse.RenameStmt) error {
	s, err := d.env.View.Schema(ctx, d.env.Database.ID, st.Name.Name)
	if catalog.IsNotFound(err) {
		return sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", st.Name.Name)
	}
	if err != nil {
		return err
	}
	if err := d.mustOwnOther(ctx, s.Owner, "schema", s.Name); err != nil {
		return err
	}
	if err := d.env.View.CheckDatabase(ctx, d.env.Database.ID, catalog.Create); err != nil {
		return err
	}
	if strings.HasPrefix(st.NewName, "pg_") {
		return sqlerr.New(sqlerr.ReservedName, "unacceptable schema name \"%s\"", st.NewName).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	if err := d.env.View.LockTable(ctx, s.ID, kv.TableAccessExclusive); err != nil {
		return err
	}
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	// The texts of views name the schemas of what they use.
	for _, t := range contents.Tables {
		if t.Kind == catalog.KindView && (slices.Contains(t.View.SearchPath, s.Name) && d.usesSchema(contents, t, s.ID) || strings.Contains(t.View.Text, `"`+s.Name+`"`)) {
			return sqlerr.Unsupported("renaming a schema that views use").WithDetail("view %s depends on it.", d.relationName(ctx, t))
		}
	}
	changed := *s
	changed.Name = st.NewName
	return d.env.View.UpdateSchema(ctx, s, &changed, sqlerr.New(sqlerr.DuplicateSchema, "schema \"%s\" already exists", st.NewName))
}

// usesSchema reports whether a view uses a relation of a schema.
func (d *ddl) usesSchema(contents catalog.Contents, view *catalog.Table, schema catalog.ID) bool {
	return slices.ContainsFunc(contents.Tables, func(t *catalog.Table) bool {
		return t.Schema == schema && slices.ContainsFunc(view.View.Uses, func(u catalog.Use) bool { return u.OID == t.OID })
	})
}
