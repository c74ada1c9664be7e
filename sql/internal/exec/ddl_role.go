package exec

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/scram"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// lockRoles lets one transaction at a time change roles and memberships.
func (d *ddl) lockRoles(ctx context.Context) error {
	return d.env.View.LockTable(ctx, catalog.RolesLock, kv.TableShareRowExclusive)
}

// roleChange is what the options of CREATE and ALTER ROLE say.
type roleChange struct {
	flags           map[string]bool // by the attribute's word without NO
	password        *string         // nil: not mentioned; "": none
	validUntil      *string
	connLimit       *int32
	inRoles         []string
	members, admins []string
}

// readRoleOptions reads the options. Errors: 42601, 22023, 22007.
func (d *ddl) readRoleOptions(options []parse.Option) (roleChange, error) {
	c := roleChange{flags: map[string]bool{}}
	seen := map[string]bool{}
	for _, o := range options {
		word, on := o.Name, true
		if rest, ok := strings.CutPrefix(o.Name, "no"); ok {
			word, on = rest, false
		}
		if seen[word] {
			return c, d.at(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options"), o.Pos)
		}
		seen[word] = true
		var err error
		switch o.Name {
		case "password":
			c.password, err = d.rolePassword(o.Value)
		case "valid until":
			c.validUntil, err = d.roleValidUntil(o.Value.Text)
		case "connection limit":
			n, bad := strconv.ParseInt(o.Value.Text, 10, 32)
			if bad != nil || n < -1 {
				return c, sqlerr.New(sqlerr.InvalidParameterValue, "invalid connection limit: %s", o.Value.Text)
			}
			limit := int32(n)
			c.connLimit = &limit
		case "in role":
			c.inRoles = o.Value.List
		case "role", "user":
			c.members = append(c.members, o.Value.List...)
		case "admin":
			c.admins = o.Value.List
		case "sysid":
			d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "SYSID can no longer be specified"))
		default:
			c.flags[word] = on
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// rolePassword turns what PASSWORD says into a verifier.
func (d *ddl) rolePassword(v *parse.OptionValue) (*string, error) {
	verifier := ""
	switch {
	case v == nil:
	case v.Text == "":
		d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "empty string is not a valid password, clearing password"))
	case scram.IsVerifier(v.Text):
		verifier = v.Text
	case strings.HasPrefix(v.Text, "md5") && len(v.Text) == 35:
		return nil, sqlerr.Unsupported("passwords encrypted by MD5")
	default:
		var err error
		if verifier, err = scram.NewVerifier(v.Text); err != nil {
			return nil, err
		}
	}
	return &verifier, nil
}

// roleValidUntil reads a time and gives it in a form that does not depend on the session.
func (d *ddl) roleValidUntil(text string) (*string, error) {
	until, err := types.Input(d.env.Eval.Types, types.TimestampTZ, []byte(text))
	if err != nil {
		return nil, err
	}
	out := string(types.AppendText(types.NewContext(), nil, types.TimestampTZ, until))
	return &out, nil
}

// apply changes a role.
func (c roleChange) apply(r *catalog.Role) {
	for word, on := range c.flags {
		switch word {
		case "superuser":
			r.Superuser = on
		case "createrole":
			r.CreateRole = on
		case "createdb":
			r.CreateDB = on
		case "login":
			r.Login = on
		case "inherit":
			r.NoInherit = !on
		case "replication":
			r.Replication = on
		case "bypassrls":
			r.BypassRLS = on
		}
	}
	if c.password != nil {
		r.Password = *c.password
	}
	if c.validUntil != nil {
		r.ValidUntil = *c.validUntil
	}
	if c.connLimit != nil {
		if r.ConnLimit = c.connLimit; *c.connLimit < 0 {
			r.ConnLimit = nil
		}
	}
}

// checkRoleName refuses names that no role can have.
func checkRoleName(name string) error {
	switch {
	case name == "public" || name == "none":
		return sqlerr.New(sqlerr.ReservedName, "role name \"%s\" is reserved", name)
	case strings.HasPrefix(name, "pg_"):
		return sqlerr.New(sqlerr.ReservedName, "role name \"%s\" is reserved", name).WithDetail("Role names starting with \"pg_\" are reserved.")
	}
	return nil
}

func (d *ddl) createRole(ctx context.Context, st *parse.CreateRoleStmt) error {
	c, err := d.readRoleOptions(st.Options)
	if err != nil {
		return err
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	super := who.Role.Superuser
	switch {
	case c.flags["superuser"] && !super:
		return denied("must be superuser to create superusers")
	case c.flags["replication"] && !super:
		return denied("must be superuser to create replication users")
	case c.flags["bypassrls"] && !super:
		return denied("must be superuser to create bypassrls users")
	case !super && !who.Role.CreateRole:
		return denied("permission denied to create role")
	}
	if err := checkRoleName(st.Name); err != nil {
		return err
	}
	if err := d.lockRoles(ctx); err != nil {
		return err
	}
	if _, err := d.env.View.Role(ctx, st.Name); err == nil && st.IfNotExists {
		d.skip("role \"%s\" already exists", st.Name)
		return nil
	}
	r := &catalog.Role{Name: st.Name, Login: st.Login}
	c.apply(r)
	if err := d.env.View.CreateRole(ctx, r, sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", st.Name)); err != nil {
		return err
	}
	for _, name := range c.inRoles {
		if err := d.addMember(ctx, name, r.Name, false); err != nil {
			return err
		}
	}
	for _, name := range c.members {
		if err := d.addMember(ctx, r.Name, name, false); err != nil {
			return err
		}
	}
	for _, name := range c.admins {
		if err := d.addMember(ctx, r.Name, name, true); err != nil {
			return err
		}
	}
	return nil
}

// mustManage refuses who may not change a role: superusers are for superusers, others for who has CREATEROLE.
func (d *ddl) mustManage(ctx context.Context, r *catalog.Role, super, other *sqlerr.Error) error {
	who, err := d.acting(ctx)
	switch {
	case err != nil || who.Role.Superuser:
		return err
	case r.Superuser:
		return super
	case !who.Role.CreateRole:
		return other
	}
	return nil
}

func (d *ddl) alterRole(ctx context.Context, st *parse.AlterRoleStmt) error {
	c, err := d.readRoleOptions(st.Options)
	if err != nil {
		return err
	}
	if err := d.lockRoles(ctx); err != nil {
		return err
	}
	r, err := d.role(ctx, st.Name.String())
	if err != nil {
		return err
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	_, super := c.flags["superuser"]
	_, replication := c.flags["replication"]
	_, bypass := c.flags["bypassrls"]
	// Who has no CREATEROLE may change his own password and nothing else.
	onlyPassword := c.password != nil && len(st.Options) == 1 && r.OID == who.Role.OID
	switch {
	case who.Role.Superuser:
	case super || r.Superuser:
		return denied("must be superuser to alter superuser roles or change superuser attribute")
	case replication || r.Replication:
		return denied("must be superuser to alter replication roles or change replication attribute")
	case bypass:
		return denied("must be superuser to change bypassrls attribute")
	case !who.Role.CreateRole && !onlyPassword:
		return denied("permission denied")
	}
	changed := r.Clone()
	c.apply(changed)
	if err := d.env.View.UpdateRole(ctx, r, changed, nil); err != nil {
		return err
	}
	for _, name := range c.members {
		if err := d.addMember(ctx, r.Name, name, false); err != nil {
			return err
		}
	}
	return nil
}

func (d *ddl) renameRole(ctx context.Context, st *parse.RenameStmt) error {
	if err := d.lockRoles(ctx); err != nil {
		return err
	}
	r, err := d.role(ctx, st.Name.Name)
	if err != nil {
		return err
	}
	switch r.Name {
	case d.env.SessionUser:
		return sqlerr.New(sqlerr.FeatureNotSupported, "session user cannot be renamed")
	case d.env.User:
		return sqlerr.New(sqlerr.FeatureNotSupported, "current user cannot be renamed")
	}
	if err := checkRoleName(st.NewName); err != nil {
		return err
	}
	if err := d.mustManage(ctx, r, denied("must be superuser to rename superusers"), denied("permission denied to rename role")); err != nil {
		return err
	}
	changed := r.Clone()
	changed.Name = st.NewName
	return d.env.View.UpdateRole(ctx, r, changed, sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", st.NewName))
}

func (d *ddl) dropRoles(ctx context.Context, st *parse.DropStmt) error {
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	if !who.Role.Superuser && !who.Role.CreateRole {
		return denied("permission denied to drop role")
	}
	if err := d.lockRoles(ctx); err != nil {
		return err
	}
	for _, name := range st.Names {
		switch name.Name {
		case "current_user", "current_role", "session_user", "public":
			return sqlerr.New(sqlerr.InvalidParameterValue, "cannot use special role specifier in DROP ROLE")
		}
		r, err := d.role(ctx, name.Name)
		if sqlerr.CodeOf(err) == sqlerr.UndefinedObject && st.IfExists {
			d.skip("role \"%s\" does not exist", name.Name)
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case r.Name == d.env.User:
			return sqlerr.New(sqlerr.ObjectInUse, "current user cannot be dropped")
		case r.Name == d.env.SessionUser:
			return sqlerr.New(sqlerr.ObjectInUse, "session user cannot be dropped")
		case r.Superuser && !who.Role.Superuser:
			return denied("must be superuser to drop superusers")
		}
		if err := d.dropRole(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (d *ddl) dropRole(ctx context.Context, r *catalog.Role) error {
	if r.OID == catalog.SuperuserOID {
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop role %s because it is required by the database system", r.Name)
	}
	detail, err := d.roleDependents(ctx, r)
	if err != nil {
		return err
	}
	if detail != "" {
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "role \"%s\" cannot be dropped because some objects depend on it", r.Name).WithDetail("%s", detail)
	}
	roles, err := d.env.View.Roles(ctx)
	if err != nil {
		return err
	}
	for _, member := range roles {
		if err := d.removeMember(ctx, member, r.OID); err != nil {
			return err
		}
	}
	return d.env.View.DropRole(ctx, r)
}

// removeMember ends a membership, if there is one.
func (d *ddl) removeMember(ctx context.Context, member *catalog.Role, of types.OID) error {
	if !slices.ContainsFunc(member.MemberOf, func(m catalog.Membership) bool { return m.Role == of }) {
		return nil
	}
	changed := member.Clone()
	changed.MemberOf = slices.DeleteFunc(changed.MemberOf, func(m catalog.Membership) bool { return m.Role == of })
	return d.env.View.UpdateRole(ctx, member, changed, nil)
}

// addMember makes a role a member of another.
func (d *ddl) addMember(ctx context.Context, of, member string, admin bool) error {
	group, err := d.role(ctx, of)
	if err != nil {
		return err
	}
	if member == "public" {
		return sqlerr.New(sqlerr.UndefinedObject, "role \"public\" does not exist")
	}
	m, err := d.role(ctx, member)
	if err != nil {
		return err
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	switch {
	case group.Superuser && !who.Role.Superuser:
		return denied("must be superuser to alter superusers")
	case !who.Role.Superuser && !who.Role.CreateRole && !isAdmin(who, group.OID):
		return denied("must have admin option on role \"%s\"", group.Name)
	}
	reached, err := d.env.View.ActingAs(ctx, group.OID)
	if err != nil {
		return err
	}
	if reached.Member(m.OID) {
		return sqlerr.New(sqlerr.InvalidGrantOperation, "role \"%s\" is a member of role \"%s\"", group.Name, m.Name)
	}
	changed := m.Clone()
	i := slices.IndexFunc(changed.MemberOf, func(x catalog.Membership) bool { return x.Role == group.OID })
	switch {
	case i < 0:
		changed.MemberOf = append(changed.MemberOf, catalog.Membership{Role: group.OID, Grantor: d.env.UserOID, Admin: admin})
	case admin && !changed.MemberOf[i].Admin:
		changed.MemberOf[i].Admin, changed.MemberOf[i].Grantor = true, d.env.UserOID
	default:
		d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "role \"%s\" is already a member of role \"%s\"", m.Name, group.Name))
		return nil
	}
	return d.env.View.UpdateRole(ctx, m, changed, nil)
}

// isAdmin reports whether a role may grant membership in another by being a member that may.
func isAdmin(who *catalog.Acting, of types.OID) bool {
	return slices.ContainsFunc(who.Role.MemberOf, func(m catalog.Membership) bool { return m.Role == of && m.Admin })
}

// grantRoles is GRANT role TO role and its REVOKE.
func (d *ddl) grantRoles(ctx context.Context, st *parse.GrantStmt) error {
	if st.GrantedBy != nil {
		if r, err := d.role(ctx, st.GrantedBy.String()); err != nil {
			return err
		} else if r.OID != d.env.UserOID {
			return sqlerr.Unsupported("GRANTED BY another role")
		}
	}
	if err := d.lockRoles(ctx); err != nil {
		return err
	}
	for _, p := range st.Privileges {
		if p.Columns != nil {
			return sqlerr.New(sqlerr.InvalidGrantOperation, "column names cannot be included in GRANT/REVOKE ROLE")
		}
		for _, to := range st.Grantees {
			var err error
			if st.Revoke {
				err = d.revokeRole(ctx, p.Name, to.String(), st.GrantOption)
			} else {
				err = d.addMember(ctx, p.Name, to.String(), st.GrantOption)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *ddl) revokeRole(ctx context.Context, of, member string, onlyAdmin bool) error {
	group, err := d.role(ctx, of)
	if err != nil {
		return err
	}
	m, err := d.role(ctx, member)
	if err != nil {
		return err
	}
	who, err := d.acting(ctx)
	switch {
	case err != nil:
		return err
	case group.Superuser && !who.Role.Superuser:
		return denied("must be superuser to alter superusers")
	case !who.Role.Superuser && !who.Role.CreateRole && !isAdmin(who, group.OID):
		return denied("must have admin option on role \"%s\"", group.Name)
	}
	i := slices.IndexFunc(m.MemberOf, func(x catalog.Membership) bool { return x.Role == group.OID })
	if i < 0 {
		d.env.Notice(sqlerr.Warn(sqlerr.Warning, "role \"%s\" is not a member of role \"%s\"", m.Name, group.Name))
		return nil
	}
	if !onlyAdmin {
		return d.removeMember(ctx, m, group.OID)
	}
	changed := m.Clone()
	changed.MemberOf[i].Admin = false
	return d.env.View.UpdateRole(ctx, m, changed, nil)
}
