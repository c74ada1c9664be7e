package exec

import (
	"context"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// acting is whom the statement acts for.
func (d *ddl) acting(ctx context.Context) (*catalog.Acting, error) { return d.env.View.Acting(ctx) }

// denied is an error of missing privileges.
func denied(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, format, args...)
}

// mustOwn refuses whom the statement acts for unless he owns a relation. Errors: 42501.
func (d *ddl) mustOwn(ctx context.Context, r catalog.Relation) error {
	err := d.env.View.CheckTableOwner(ctx, r.Table)
	if r.Index != nil && sqlerr.CodeOf(err) == sqlerr.InsufficientPrivilege {
		err = denied("must be owner of index %s", r.Index.Name)
	}
	return err
}

// mustOwnToDrop is mustOwn, but the owner of the schema may drop what is in it too.
func (d *ddl) mustOwnToDrop(ctx context.Context, r catalog.Relation) error {
	err := d.mustOwn(ctx, r)
	if sqlerr.CodeOf(err) != sqlerr.InsufficientPrivilege {
		return err
	}
	s, schemaErr := d.env.View.SchemaByID(ctx, r.Table.Schema)
	if schemaErr != nil {
		return schemaErr
	}
	if who, actingErr := d.acting(ctx); actingErr != nil || who.Has(s.Owner) {
		return actingErr
	}
	return err
}

// mustOwnOther refuses whom the statement acts for unless he owns what messages call word name. Errors: 42501.
func (d *ddl) mustOwnOther(ctx context.Context, owner types.OID, word, name string) error {
	who, err := d.acting(ctx)
	if err == nil && !who.Has(owner) {
		err = denied("must be owner of %s %s", word, name)
	}
	return err
}

// lockPrivileges are those of which one is enough to lock a table in a mode.
func lockPrivileges(mode kv.TableLock) catalog.Privileges {
	some := catalog.Update | catalog.Delete | catalog.Truncate
	switch mode {
	case kv.TableAccessShare:
		return some | catalog.Select | catalog.Insert
	case kv.TableRowExclusive:
		return some | catalog.Insert
	}
	return some
}

// newOwner finds the role that an object is to belong to. Who gives it away must be a member of it. Errors: 42704, 42501.
func (d *ddl) newOwner(ctx context.Context, name string) (types.OID, error) {
	oid, err := d.roleOID(ctx, name)
	if err != nil {
		return 0, err
	}
	who, err := d.acting(ctx)
	if err == nil && !who.Is(oid) {
		err = denied("must be member of role \"%s\"", name)
	}
	return oid, err
}

// mayCreateIn refuses a new owner who may not create in a schema. Superusers may give anything to anybody. Errors: 42501.
func (d *ddl) mayCreateIn(ctx context.Context, owner types.OID, schema catalog.ID) error {
	who, err := d.acting(ctx)
	if err != nil || who.Role.Superuser {
		return err
	}
	s, err := d.env.View.SchemaByID(ctx, schema)
	if err != nil {
		return err
	}
	other, err := d.env.View.ActingAs(ctx, owner)
	if err == nil && other.May(s.Granted(), catalog.Create) == 0 {
		err = denied("permission denied for schema %s", s.Name)
	}
	return err
}

// changeOwner gives a relation, and what goes with it, to a role.
func (a *alteration) changeOwner(ctx context.Context, name string) error {
	owner, err := a.newOwner(ctx, name)
	if err != nil || owner == a.t.Owner {
		return err
	}
	if err := a.mayCreateIn(ctx, owner, a.t.Schema); err != nil {
		return err
	}
	if a.t.Kind == catalog.KindSequence && a.t.Sequence.Owner.Table != 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot change owner of sequence \"%s\"", a.t.Name).
			WithDetail("Sequence \"%s\" is linked to table \"%s\".", a.t.Name, a.tableName(ctx, a.t.Sequence.Owner.Table))
	}
	if err := a.giveSequences(ctx, a.t.ID, owner); err != nil {
		return err
	}
	a.t.ACL = a.t.ACL.ChangeOwner(a.t.Owner, owner)
	a.t.Owner = owner
	return nil
}

// giveSequences gives the sequences that a table's columns own to the table's new owner.
func (d *ddl) giveSequences(ctx context.Context, table catalog.ID, owner types.OID) error {
	owned, err := d.env.View.OwnedSequences(ctx, table)
	if err != nil {
		return err
	}
	for _, seq := range owned {
		if err := d.giveRelation(ctx, seq.ID, owner); err != nil {
			return err
		}
	}
	return nil
}

// giveRelation gives a relation to a role, without questions.
func (d *ddl) giveRelation(ctx context.Context, id catalog.ID, owner types.OID) error {
	if err := d.env.View.LockTable(ctx, id, kv.TableAccessExclusive); err != nil {
		return err
	}
	t, err := d.env.View.TableForChange(ctx, id)
	if err != nil {
		return err
	}
	changed := t.Clone()
	changed.ACL = t.ACL.ChangeOwner(t.Owner, owner)
	changed.Owner = owner
	return d.env.View.UpdateTable(ctx, t, changed)
}

// roleOID finds a role. Errors: 42704.
func (d *ddl) roleOID(ctx context.Context, name string) (types.OID, error) {
	r, err := d.role(ctx, name)
	if err != nil {
		return 0, err
	}
	return r.OID, nil
}

// predefined are PostgreSQL's built-in roles, which nobody can be a member of here.
var predefined = []string{
	"pg_database_owner", "pg_read_all_data", "pg_write_all_data", "pg_monitor", "pg_read_all_settings", "pg_read_all_stats",
	"pg_stat_scan_tables", "pg_read_server_files", "pg_write_server_files", "pg_execute_server_program", "pg_signal_backend", "pg_checkpoint",
}

// role finds a role by its name or by the word that stands for it. Errors: 42704.
func (d *ddl) role(ctx context.Context, name string) (*catalog.Role, error) {
	switch name {
	case "current_user", "current_role":
		return d.env.View.RoleByOID(ctx, d.env.UserOID)
	case "session_user":
		name = d.env.SessionUser
	}
	r, err := d.env.View.Role(ctx, name)
	if catalog.IsNotFound(err) {
		if strings.HasPrefix(name, "pg_") && slices.Contains(predefined, name) {
			return nil, sqlerr.Unsupported("predefined role " + name)
		}
		return nil, sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", name)
	}
	return r, err
}
