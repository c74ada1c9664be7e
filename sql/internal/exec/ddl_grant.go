package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// privilegeWords are the privileges by their names in GRANT.
var privilegeWords = map[string]catalog.Privileges{
	"select": catalog.Select, "insert": catalog.Insert, "update": catalog.Update, "delete": catalog.Delete, "truncate": catalog.Truncate,
	"references": catalog.References, "trigger": catalog.Trigger, "execute": catalog.Execute, "usage": catalog.Usage,
	"create": catalog.Create, "temporary": catalog.Temporary, "temp": catalog.Temporary, "connect": catalog.Connect,
}

// grantable is an object that privileges can be on.
type grantable struct {
	word, name string // as messages call it
	class      catalog.Class
	owner      types.OID
	acl        catalog.ACL // in force
	// store puts a new list in place.
	store func(catalog.ACL) error
}

// grant is GRANT and REVOKE.
func (d *ddl) grant(ctx context.Context, st *parse.GrantStmt) error {
	if st.Roles {
		return d.grantRoles(ctx, st)
	}
	if st.GrantedBy != nil {
		if r, err := d.role(ctx, st.GrantedBy.String()); err != nil {
			return err
		} else if r.OID != d.env.UserOID {
			return sqlerr.New(sqlerr.FeatureNotSupported, "grantor must be current user")
		}
	}
	grantees, err := d.grantees(ctx, st)
	if err != nil {
		return err
	}
	want, err := grantWords(st)
	if err != nil {
		return err
	}
	objects, err := d.grantables(ctx, st)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := d.grantOn(ctx, st, o, want, grantees); err != nil {
			return err
		}
	}
	return nil
}

// grantees are the roles that a GRANT or REVOKE names.
func (d *ddl) grantees(ctx context.Context, st *parse.GrantStmt) ([]types.OID, error) {
	var out []types.OID
	for _, to := range st.Grantees {
		if to.Keyword == "public" {
			if st.GrantOption && !st.Revoke {
				return nil, sqlerr.New(sqlerr.InvalidGrantOperation, "grant options can only be granted to roles")
			}
			out = append(out, catalog.Public)
			continue
		}
		oid, err := d.roleOID(ctx, to.String())
		if err != nil {
			return nil, err
		}
		out = append(out, oid)
	}
	return out, nil
}

// grantWords are the privileges that the statement names; 0 for ALL.
func grantWords(st *parse.GrantStmt) (catalog.Privileges, error) {
	var want catalog.Privileges
	for _, p := range st.Privileges {
		if p.Columns != nil {
			return 0, sqlerr.Unsupported("privileges on columns")
		}
		if p.Name == "all" {
			return 0, nil
		}
		bit, ok := privilegeWords[p.Name]
		if !ok {
			return 0, sqlerr.New(sqlerr.SyntaxError, "unrecognized privilege type \"%s\"", p.Name)
		}
		want |= bit
	}
	return want, nil
}

// grantables are the objects that the statement names, locked.
func (d *ddl) grantables(ctx context.Context, st *parse.GrantStmt) ([]grantable, error) {
	if st.AllInSchema {
		return d.grantablesIn(ctx, st)
	}
	var out []grantable
	for _, name := range st.Names {
		o, err := d.grantable(ctx, st.Kind, name)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func (d *ddl) grantable(ctx context.Context, kind parse.ObjectKind, name parse.ObjectName) (grantable, error) {
	switch kind {
	case parse.TableObject, parse.SequenceObject:
		r, err := d.lookup(ctx, name, kv.TableShareUpdateExclusive)
		switch {
		case err != nil:
			return grantable{}, err
		case r.Index != nil:
			return grantable{}, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is an index", name.Name)
		case kind == parse.SequenceObject && r.Table.Kind != catalog.KindSequence:
			return grantable{}, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a sequence", name.Name)
		}
		return d.grantableRelation(ctx, r.Table.ID)
	case parse.SchemaObject:
		return d.grantableSchema(ctx, name.Name)
	case parse.DatabaseObject:
		return d.grantableDatabase(ctx, name.Name)
	}
	return grantable{}, sqlerr.Unsupported("privileges on this kind of object")
}

func (d *ddl) grantableRelation(ctx context.Context, id catalog.ID) (grantable, error) {
	t, err := d.env.View.TableForChange(ctx, id)
	if err != nil {
		return grantable{}, err
	}
	return grantable{
		word: t.Word(), name: t.Name, class: t.Class(), owner: t.Owner, acl: t.Granted(),
		store: func(acl catalog.ACL) error {
			changed := t.Clone()
			changed.ACL = acl
			return d.env.View.UpdateTable(ctx, t, changed)
		},
	}, nil
}

func (d *ddl) grantableSchema(ctx context.Context, name string) (grantable, error) {
	if name == "pg_catalog" || name == "information_schema" {
		return grantable{}, sqlerr.Unsupported("privileges on system schemas")
	}
	s, err := d.lockedSchema(ctx, name)
	if err != nil {
		return grantable{}, err
	}
	return grantable{
		word: "schema", name: name, class: catalog.ClassSchema, owner: s.Owner, acl: s.Granted(),
		store: func(acl catalog.ACL) error {
			changed := *s
			changed.ACL = acl
			return d.env.View.UpdateSchema(ctx, s, &changed, nil)
		},
	}, nil
}

// lockedSchema finds a schema to change. Errors: 3F000.
func (d *ddl) lockedSchema(ctx context.Context, name string) (*catalog.Schema, error) {
	s, err := d.env.View.Schema(ctx, d.env.Database.ID, name)
	if err == nil {
		if err = d.env.View.LockTable(ctx, s.ID, kv.TableShareUpdateExclusive); err == nil {
			s, err = d.env.View.SchemaByID(ctx, s.ID)
		}
	}
	if catalog.IsNotFound(err) {
		err = sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name)
	}
	return s, err
}

func (d *ddl) grantableDatabase(ctx context.Context, name string) (grantable, error) {
	db, err := d.lockedDatabase(ctx, name, kv.TableShareUpdateExclusive)
	if err != nil {
		return grantable{}, err
	}
	return grantable{
		word: "database", name: name, class: catalog.ClassDatabase, owner: db.Owner, acl: db.Granted(),
		store: func(acl catalog.ACL) error {
			changed := *db
			changed.ACL = acl
			return d.env.View.UpdateDatabase(ctx, db, &changed, nil)
		},
	}, nil
}

// grantablesIn are the objects of ALL … IN SCHEMA.
func (d *ddl) grantablesIn(ctx context.Context, st *parse.GrantStmt) ([]grantable, error) {
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return nil, err
	}
	var out []grantable
	for _, name := range st.Names {
		s, err := d.env.View.Schema(ctx, d.env.Database.ID, name.Name)
		if catalog.IsNotFound(err) {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name.Name)
		}
		if err != nil {
			return nil, err
		}
		if err := d.env.View.CheckSchema(ctx, s, catalog.Usage); err != nil {
			return nil, err
		}
		for _, t := range contents.Tables {
			if t.Schema != s.ID || st.Kind == parse.FunctionObject || (st.Kind == parse.SequenceObject) != (t.Kind == catalog.KindSequence) {
				continue
			}
			if err := d.env.View.LockTable(ctx, t.ID, kv.TableShareUpdateExclusive); err != nil {
				return nil, err
			}
			o, err := d.grantableRelation(ctx, t.ID)
			if catalog.IsNotFound(err) {
				continue // dropped in between
			}
			if err != nil {
				return nil, err
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// grantOn grants or revokes on one object. Want 0 is all.
func (d *ddl) grantOn(ctx context.Context, st *parse.GrantStmt, o grantable, want catalog.Privileges, grantees []types.OID) error {
	all := want == 0
	if all {
		want = catalog.AllPrivileges(o.class)
	}
	want, err := d.fitting(o, st, want)
	if err != nil {
		return err
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	grantor, may := who.Grantor(o.acl, o.owner, want)
	if may == 0 && who.May(o.acl, catalog.AllPrivileges(o.class)) == 0 {
		return denied("permission denied for %s %s", o.word, o.name)
	}
	d.warnOfMissing(st, o, want, may, all)
	acl := o.acl
	for _, to := range grantees {
		if !st.Revoke {
			acl = acl.Grant(to, grantor, may, st.GrantOption)
			continue
		}
		var ok bool
		if acl, ok = acl.Revoke(to, grantor, may, st.GrantOption, o.owner, st.Cascade); !ok {
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "dependent privileges exist").WithHint("Use CASCADE to revoke them too.")
		}
	}
	return o.store(acl)
}

// fitting refuses privileges that objects of the class cannot have.
func (d *ddl) fitting(o grantable, st *parse.GrantStmt, want catalog.Privileges) (catalog.Privileges, error) {
	possible := catalog.AllPrivileges(o.class)
	if want&^possible == 0 {
		return want, nil
	}
	if o.class == catalog.ClassSequence && st.Kind == parse.TableObject && want&^catalog.AllPrivileges(catalog.ClassTable)&^possible == 0 {
		d.env.Notice(sqlerr.Warn(sqlerr.InvalidGrantOperation, "sequence \"%s\" only supports USAGE, SELECT, and UPDATE privileges", o.name))
		return want & possible, nil
	}
	word := o.word
	if word == "view" {
		word = "table"
	}
	return 0, invalidPrivilege(st, possible, word)
}

// invalidPrivilege is the error of the first privilege that is not possible.
func invalidPrivilege(st *parse.GrantStmt, possible catalog.Privileges, word string) error {
	for _, p := range st.Privileges {
		if privilegeWords[p.Name]&^possible != 0 {
			return sqlerr.New(sqlerr.InvalidGrantOperation, "invalid privilege type %s for %s", strings.ToUpper(p.Name), word)
		}
	}
	return nil
}

// warnOfMissing tells of privileges that the grantor cannot grant or revoke.
func (d *ddl) warnOfMissing(st *parse.GrantStmt, o grantable, want, may catalog.Privileges, all bool) {
	switch {
	case may == 0 && st.Revoke:
		d.env.Notice(sqlerr.Warn(sqlerr.PrivilegeNotRevoked, "no privileges could be revoked for \"%s\"", o.name))
	case may == 0:
		d.env.Notice(sqlerr.Warn(sqlerr.PrivilegeNotGranted, "no privileges were granted for \"%s\"", o.name))
	case may != want && !all && st.Revoke:
		d.env.Notice(sqlerr.Warn(sqlerr.PrivilegeNotRevoked, "not all privileges could be revoked for \"%s\"", o.name))
	case may != want && !all:
		d.env.Notice(sqlerr.Warn(sqlerr.PrivilegeNotGranted, "not all privileges were granted for \"%s\"", o.name))
	}
}

// defaultClasses are the objects of ALTER DEFAULT PRIVILEGES. There are no functions that users make, so that theirs have no effect.
var defaultClasses = map[string]struct {
	class catalog.Class
	word  string
}{
	"tables": {catalog.ClassTable, "relation"}, "sequences": {catalog.ClassSequence, "sequence"},
	"functions": {catalog.ClassFunction, "function"}, "schemas": {catalog.ClassSchema, "schema"},
}

// alterDefaultPrivileges is ALTER DEFAULT PRIVILEGES.
func (d *ddl) alterDefaultPrivileges(ctx context.Context, st *parse.AlterDefaultPrivilegesStmt) error {
	kind, ok := defaultClasses[st.Objects]
	if !ok {
		return sqlerr.Unsupported("default privileges on " + st.Objects)
	}
	grantees, err := d.grantees(ctx, st.Grant)
	if err != nil {
		return err
	}
	want, err := grantWords(st.Grant)
	if err != nil {
		return err
	}
	possible := catalog.AllPrivileges(kind.class)
	if err := invalidPrivilege(st.Grant, possible, kind.word); err != nil {
		return err
	}
	if want == 0 {
		want = possible
	}
	if st.Objects == "schemas" && len(st.Schemas) > 0 {
		return sqlerr.New(sqlerr.InvalidGrantOperation, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
	}
	roles := []types.OID{d.env.UserOID}
	if len(st.Roles) > 0 {
		roles = nil
	}
	for _, name := range st.Roles {
		oid, err := d.newOwner(ctx, name.String())
		if err != nil {
			return err
		}
		roles = append(roles, oid)
	}
	schemas := []catalog.ID{0}
	if len(st.Schemas) > 0 {
		schemas = nil
	}
	for _, name := range st.Schemas {
		s, err := d.lockedSchema(ctx, name)
		if err != nil {
			return err
		}
		schemas = append(schemas, s.ID)
	}
	if err := d.lockRoles(ctx); err != nil {
		return err
	}
	for _, role := range roles {
		for _, schema := range schemas {
			key := catalog.DefaultPrivileges{Role: role, In: d.env.Database.ID, Schema: schema, Class: kind.class}
			if err := d.changeDefaults(ctx, st.Grant, key, want, grantees); err != nil {
				return err
			}
		}
	}
	return nil
}

// changeDefaults changes one entry of default privileges. Those of all schemas take the place of the built-in ones, those of one
// schema are added.
func (d *ddl) changeDefaults(ctx context.Context, st *parse.GrantStmt, key catalog.DefaultPrivileges, want catalog.Privileges, grantees []types.OID) error {
	var base catalog.ACL
	if key.Schema == 0 {
		base = catalog.DefaultACL(key.Class, key.Role)
	}
	old, err := d.env.View.DefaultPrivileges(ctx, key)
	if err != nil && !catalog.IsNotFound(err) {
		return err
	}
	acl := base
	if err == nil {
		key.ID, key.OID, acl = old.ID, old.OID, old.ACL
	} else {
		old = nil
	}
	for _, to := range grantees {
		if st.Revoke {
			acl, _ = acl.Revoke(to, key.Role, want, st.GrantOption, key.Role, true)
		} else {
			acl = acl.Grant(to, key.Role, want, st.GrantOption)
		}
	}
	if key.ACL = acl.Sorted(); slices.Equal(key.ACL, base.Sorted()) || len(acl) == 0 && key.Schema != 0 {
		key.ACL = nil
	}
	return d.env.View.SetDefaultPrivileges(ctx, old, &key)
}
