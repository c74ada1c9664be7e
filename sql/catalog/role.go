package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"minidb/kv"
	"minidb/sql/types"
)

// Role is a user or a group of users.
type Role struct {
	ID          ID        `json:"id"`
	OID         types.OID `json:"oid"`
	Name        string    `json:"name"`
	Superuser   bool      `json:"superuser"`
	Login       bool      `json:"login"`
	NoInherit   bool      `json:"noInherit,omitempty"`
	CreateRole  bool      `json:"createRole,omitempty"`
	CreateDB    bool      `json:"createDB,omitempty"`
	Replication bool      `json:"replication,omitempty"`
	BypassRLS   bool      `json:"bypassRLS,omitempty"`
	// Password is a SCRAM-SHA-256 verifier in PostgreSQL's form; "" is no password.
	Password string `json:"password,omitempty"`
	// ValidUntil is when the password ends, as PostgreSQL's input of timestamptz in UTC; "" is never.
	ValidUntil string `json:"validUntil,omitempty"`
	// ConnLimit is how many sessions the role may have; nil is any number.
	ConnLimit *int32 `json:"connLimit,omitempty"`
	// MemberOf are the roles that the role is a member of.
	MemberOf []Membership `json:"memberOf,omitempty"`
	// Settings are what sessions of the role begin with.
	Settings []Setting `json:"settings,omitempty"`
}

// Membership is a role's being a member of another.
type Membership struct {
	Role    types.OID `json:"role"`
	Grantor types.OID `json:"by"`
	Admin   bool      `json:"admin,omitempty"` // may grant the membership on
}

// Setting is a setting that sessions begin with.
type Setting struct {
	Database types.OID `json:"database,omitempty"` // of a role: in that database only; 0: in all
	Name     string    `json:"name"`
	Value    string    `json:"value"`
}

// SuperuserOID is that of the role that the first start makes.
const SuperuserOID = superuserOID

// DatabaseOwnerOID is that of the built-in role whose only member is the owner of the current database.
const DatabaseOwnerOID = databaseOwnerOID

// RolesLock is what who changes roles locks.
const RolesLock = idSuperuser

// Clone makes a copy that can be changed.
func (r *Role) Clone() *Role {
	c := *r
	c.MemberOf, c.Settings = slices.Clone(r.MemberOf), slices.Clone(r.Settings)
	return &c
}

// CreateRole numbers and stores a new role. Errors: taken if its name is, and those of waiting for a lock.
func (v *View) CreateRole(ctx context.Context, r *Role, taken error) error {
	var err error
	if r.ID, r.OID, err = v.numbers(ctx); err != nil {
		return err
	}
	return v.add(ctx, descriptor{Role: r}, taken)
}

// numbers hands out an id and an OID.
func (v *View) numbers(ctx context.Context) (id ID, oid types.OID, err error) {
	if id, err = v.store.allocateTableID(ctx); err != nil {
		return 0, 0, err
	}
	oid, err = v.store.AllocateOIDs(ctx, 1)
	return id, oid, err
}

// UpdateRole stores a changed Clone of old, which was read after LockTable of its ID. Errors: taken if its new name is.
func (v *View) UpdateRole(ctx context.Context, old, r *Role, taken error) error {
	return v.replace(ctx, descriptor{Role: old}, descriptor{Role: r}, taken)
}

// DropRole removes a role that nothing refers to.
func (v *View) DropRole(ctx context.Context, r *Role) error {
	v.touch()
	return errors.Join(v.remove(descriptor{Role: r}), v.DropComments(ctx, r.OID))
}

// UpdateSchema stores a changed copy of a schema, which is locked. Errors: taken if its new name is.
func (v *View) UpdateSchema(ctx context.Context, old, s *Schema, taken error) error {
	return v.replace(ctx, descriptor{Schema: old}, descriptor{Schema: s}, taken)
}

// UpdateDatabase stores a changed copy of a database, which is locked. Errors: taken if its new name is.
func (v *View) UpdateDatabase(ctx context.Context, old, d *Database, taken error) error {
	return v.replace(ctx, descriptor{Database: old}, descriptor{Database: d}, taken)
}

// CreateDatabase numbers and stores a new database with copies of the schemas of another one. Errors: taken if its name is, and
// those of waiting for a lock.
func (v *View) CreateDatabase(ctx context.Context, d *Database, schemas []*Schema, taken error) error {
	var err error
	if d.ID, d.OID, err = v.numbers(ctx); err != nil {
		return err
	}
	if err := v.add(ctx, descriptor{Database: d}, taken); err != nil {
		return err
	}
	for _, s := range schemas {
		c := *s
		c.Database = d.ID
		if c.ID, err = v.store.allocateTableID(ctx); err != nil {
			return err
		}
		if err := v.add(ctx, descriptor{Schema: &c}, fmt.Errorf("schema %q is there twice", c.Name)); err != nil {
			return err
		}
	}
	return nil
}

// DropDatabase removes a database, whose schemas are gone.
func (v *View) DropDatabase(ctx context.Context, d *Database) error {
	v.touch()
	return errors.Join(v.remove(descriptor{Database: d}), v.DropComments(ctx, d.OID))
}

// DatabaseByID gives the newest descriptor of a database. Errors: ErrNotFound.
func (v *View) DatabaseByID(ctx context.Context, id ID) (*Database, error) {
	d, err := v.byID(ctx, id)
	if err == nil && d.Database == nil {
		err = corrupt("descriptor %d is not that of a database", id)
	}
	return d.Database, err
}

// replace stores a changed descriptor, under a new name perhaps.
func (v *View) replace(ctx context.Context, old, d descriptor, taken error) error {
	_, was := old.naming()
	id, name := d.naming()
	if string(was) != string(name) {
		if err := v.txn.Del(was); err != nil {
			return err
		}
		return v.add(ctx, d, taken)
	}
	v.touch()
	return v.txn.Put(descriptorKey(id), d.encode())
}

// DefaultPrivileges are what ALTER DEFAULT PRIVILEGES says of the objects that a role will make.
type DefaultPrivileges struct {
	ID     ID        `json:"id"`
	OID    types.OID `json:"oid"`
	Role   types.OID `json:"role"`
	In     ID        `json:"in"`               // the database
	Schema ID        `json:"schema,omitempty"` // 0: all schemas
	Class  Class     `json:"class"`
	ACL    ACL       `json:"acl"`
}

func (p *DefaultPrivileges) name() string { return fmt.Sprintf("%d %d %c", p.Role, p.Schema, p.Class) }

// DefaultPrivileges finds what is said of a class of objects of a role in a schema, or in all (schema 0). Errors: ErrNotFound.
func (v *View) DefaultPrivileges(ctx context.Context, key DefaultPrivileges) (*DefaultPrivileges, error) {
	d, err := v.descriptor(ctx, nameDefault, key.In, key.name())
	if err == nil && d.Defaults == nil {
		err = corrupt("%q is not default privileges", key.name())
	}
	return d.Defaults, err
}

// SetDefaultPrivileges stores p in place of old, which may be nil; p.ACL nil removes it.
func (v *View) SetDefaultPrivileges(ctx context.Context, old, p *DefaultPrivileges) error {
	switch {
	case p.ACL == nil && old == nil:
		return nil
	case p.ACL == nil:
		v.touch()
		return v.remove(descriptor{Defaults: old})
	case old != nil:
		return v.replace(ctx, descriptor{Defaults: old}, descriptor{Defaults: p}, nil)
	}
	var err error
	if p.ID, p.OID, err = v.numbers(ctx); err != nil {
		return err
	}
	return v.add(ctx, descriptor{Defaults: p}, fmt.Errorf("default privileges are there twice"))
}

// Roles are all roles, in no order.
func (v *View) Roles(ctx context.Context) ([]*Role, error) {
	generation := v.store.Generation()
	if r := v.store.roles.Load(); r != nil && r.generation == generation && !v.changed {
		return r.all, nil
	}
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan(nameKeyPrefix(nameRole, 0)), kv.IterOptions{Latest: true})
	if err != nil {
		return nil, fmt.Errorf("read roles: %w", err)
	}
	var ids []ID
	for it.Next() {
		e, err := decodeNameEntry(it.Value())
		if err != nil {
			return nil, errors.Join(err, it.Close())
		}
		ids = append(ids, e.id)
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return nil, err
	}
	var all []*Role
	for _, id := range ids {
		d, err := v.byID(ctx, id)
		if errors.Is(err, ErrNotFound) {
			continue // dropped in between
		}
		if err != nil {
			return nil, err
		}
		if d.Role != nil {
			all = append(all, d.Role)
		}
	}
	if !v.changed {
		v.store.roles.Store(&cachedRoles{generation, all})
	}
	return all, nil
}

// cachedRoles are the roles as of a generation.
type cachedRoles struct {
	generation uint64
	all        []*Role
}

// RoleByOID finds a role that somebody made. Errors: ErrNotFound.
func (v *View) RoleByOID(ctx context.Context, oid types.OID) (*Role, error) {
	all, err := v.Roles(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.OID == oid {
			return r, nil
		}
	}
	return nil, ErrNotFound
}

// DropCopiedSchema removes a schema of a database that goes. Its OID may be that of a schema of another database, whose comments stay.
func (v *View) DropCopiedSchema(s *Schema) error {
	v.touch()
	return v.remove(descriptor{Schema: s})
}

// initialACL gives a new relation the privileges that ALTER DEFAULT PRIVILEGES says.
func (v *View) initialACL(ctx context.Context, t *Table) error {
	if t.ACL != nil {
		return nil
	}
	var err error
	t.ACL, err = v.initial(ctx, t.Class(), t.Owner, t.Schema)
	return err
}

// initial is the privileges of a new object; nil if they are the usual ones.
func (v *View) initial(ctx context.Context, c Class, owner types.OID, schema ID) (ACL, error) {
	usual := DefaultACL(c, owner)
	acl, found := usual, false
	places := []ID{0}
	if schema != 0 {
		places = append(places, schema)
	}
	for _, in := range places {
		p, err := v.DefaultPrivileges(ctx, DefaultPrivileges{Role: owner, In: v.inDatabase, Schema: in, Class: c})
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if found = true; in == 0 {
			acl = p.ACL
			continue
		}
		for _, item := range p.ACL {
			acl = acl.Grant(item.Grantee, item.Grantor, item.May&^item.Options, false)
			acl = acl.Grant(item.Grantee, item.Grantor, item.Options, true)
		}
	}
	if acl = acl.Sorted(); !found || slices.Equal(acl, usual.Sorted()) {
		return nil, nil
	}
	return acl, nil
}
