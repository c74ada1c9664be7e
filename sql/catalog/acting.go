package catalog

import (
	"context"
	"errors"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Acting is a role as it acts: with the memberships that count. It never changes.
type Acting struct {
	Role *Role
	// has are the role and those whose privileges it has; is are those that it is a member of in any way.
	has, is map[types.OID]bool
}

// ActAs says for whom the transaction's next statements act, and in which database.
func (v *View) ActAs(role types.OID, database ID) {
	if v.role != role || v.inDatabase != database {
		v.role, v.inDatabase, v.acting = role, database, nil
	}
}

// ActFor lets another role act for a while, until the function that it gives is called.
func (v *View) ActFor(role types.OID) (restore func()) {
	old, acting := v.role, v.acting
	v.role, v.acting = role, nil
	return func() { v.role, v.acting = old, acting }
}

// Acting is who the running statement acts for. Errors: ErrNotFound if the role was dropped.
func (v *View) Acting(ctx context.Context) (*Acting, error) {
	if v.acting != nil && v.actingAs == v.store.Generation() {
		return v.acting, nil
	}
	generation := v.store.Generation()
	a, err := v.ActingAs(ctx, v.role)
	if err != nil {
		return nil, err
	}
	v.acting, v.actingAs = a, generation
	return a, nil
}

// ActingAs is a role as it would act. Errors: ErrNotFound.
func (v *View) ActingAs(ctx context.Context, oid types.OID) (*Acting, error) {
	if oid == 0 {
		return &Acting{Role: &Role{Superuser: true}}, nil // no session: the server itself
	}
	roles, err := v.Roles(ctx)
	if err != nil {
		return nil, err
	}
	db, err := v.DatabaseByID(ctx, v.inDatabase)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if a := NewActing(roles, oid, db); a != nil {
		return a, nil
	}
	return nil, ErrNotFound
}

// NewActing is one of the roles as it acts in a database; nil if there is no such role.
func NewActing(roles []*Role, oid types.OID, db *Database) *Acting {
	byOID := make(map[types.OID]*Role, len(roles))
	for _, r := range roles {
		byOID[r.OID] = r
	}
	r := byOID[oid]
	if r == nil {
		return nil
	}
	a := &Acting{Role: r, has: map[types.OID]bool{}, is: map[types.OID]bool{}}
	reach(byOID, r, a.has, true)
	reach(byOID, r, a.is, false)
	if db != nil && a.has[db.Owner] {
		a.has[DatabaseOwnerOID] = true
	}
	return a
}

// reach collects a role and those that it is a member of, only over roles that inherit if inherit is set.
func reach(byOID map[types.OID]*Role, r *Role, into map[types.OID]bool, inherit bool) {
	if r == nil || into[r.OID] {
		return
	}
	into[r.OID] = true
	if inherit && r.NoInherit {
		return
	}
	for _, m := range r.MemberOf {
		reach(byOID, byOID[m.Role], into, inherit)
	}
}

// Has reports whether the role has the privileges of another: it is that role, or an inheriting member, or a superuser.
func (a *Acting) Has(role types.OID) bool { return a.Role.Superuser || a.has[role] }

// Is reports whether the role is another or a member of it in any way, or a superuser.
func (a *Acting) Is(role types.OID) bool { return a.Role.Superuser || a.is[role] }

// Member is Is without regard to being a superuser.
func (a *Acting) Member(role types.OID) bool { return a.is[role] }

// Options gives those of the privileges that the role may grant on by an ACL, or as the owner.
func (a *Acting) Options(acl ACL, owner types.OID, want Privileges) Privileges {
	_, got := a.Grantor(acl, owner, want)
	return got
}

// May gives those of the privileges that the role has by an ACL.
func (a *Acting) May(acl ACL, want Privileges) Privileges {
	if a.Role.Superuser {
		return want
	}
	var got Privileges
	for _, item := range acl {
		if item.Grantee == Public || a.has[item.Grantee] {
			got |= item.May
		}
	}
	return got & want
}

// Grantor is who a GRANT or REVOKE of the role counts as coming from, and which of the privileges it may grant: the owner, if the
// role has the owner's privileges, else the role with the most options.
func (a *Acting) Grantor(acl ACL, owner types.OID, want Privileges) (types.OID, Privileges) {
	if a.Has(owner) {
		return owner, want
	}
	grantor, best := a.Role.OID, Privileges(0)
	for _, item := range acl {
		if !a.has[item.Grantee] {
			continue
		}
		var options Privileges
		for _, other := range acl {
			if other.Grantee == item.Grantee {
				options |= other.Options & want
			}
		}
		if count(options) > count(best) {
			grantor, best = item.Grantee, options
		}
	}
	return grantor, best
}

func count(p Privileges) (n int) {
	for ; p != 0; p &= p - 1 {
		n++
	}
	return n
}

// denied is the error of who lacks a privilege on an object, or does not own it.
func denied(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, format, args...)
}

// Word is what messages call the relation.
func (t *Table) Word() string {
	if t.Kind == KindTable {
		return "table"
	}
	return string(t.Kind)
}

// Denied is the error of who lacks a privilege on the relation.
func (t *Table) Denied() *sqlerr.Error {
	return denied("permission denied for %s %s", t.Word(), t.Name)
}

// CheckTable refuses whom the running statement acts for unless he has all of the privileges on a relation. Errors: 42501.
func (v *View) CheckTable(ctx context.Context, t *Table, want Privileges) error {
	a, err := v.Acting(ctx)
	if err != nil {
		return err
	}
	if a.May(t.Granted(), want) != want {
		return t.Denied()
	}
	return nil
}

// CheckTableOwner refuses whom the running statement acts for unless he owns a relation. Errors: 42501.
func (v *View) CheckTableOwner(ctx context.Context, t *Table) error {
	a, err := v.Acting(ctx)
	if err != nil {
		return err
	}
	if !a.Has(t.Owner) {
		return denied("must be owner of %s %s", t.Word(), t.Name)
	}
	return nil
}

// CheckSchema refuses whom the running statement acts for unless he has a privilege on a schema. Errors: 42501.
func (v *View) CheckSchema(ctx context.Context, s *Schema, want Privileges) error {
	ok, err := v.maySchema(ctx, s, want)
	if err == nil && !ok {
		err = denied("permission denied for schema %s", s.Name)
	}
	return err
}

func (v *View) maySchema(ctx context.Context, s *Schema, want Privileges) (bool, error) {
	a, err := v.Acting(ctx)
	if err != nil {
		return false, err
	}
	return a.May(s.Granted(), want) == want, nil
}

// MayUse reports whether whom the running statement acts for may look names up in a schema.
func (v *View) MayUse(ctx context.Context, s *Schema) (bool, error) {
	return v.maySchema(ctx, s, Usage)
}

// CheckDatabase refuses whom the running statement acts for unless he has a privilege on the database. Errors: 42501.
func (v *View) CheckDatabase(ctx context.Context, id ID, want Privileges) error {
	a, err := v.Acting(ctx)
	if err != nil {
		return err
	}
	db, err := v.DatabaseByID(ctx, id)
	if err != nil {
		return err
	}
	if a.May(db.Granted(), want) != want {
		return denied("permission denied for database %s", db.Name)
	}
	return nil
}
