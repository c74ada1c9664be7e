package pgcatalog

import (
	"slices"
	"strconv"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

func namespaceRows(s *Snapshot) []row {
	super := s.roleName(superuserOID)
	system := textArray(super+"=UC/"+super, "=U/"+super)
	rows := []row{
		{oid(namespaceCatalog), text("pg_catalog"), oid(superuserOID), system},
		{oid(namespaceToast), text("pg_toast"), oid(superuserOID), null},
		{oid(namespaceInformation), text("information_schema"), oid(superuserOID), system},
	}
	for _, schema := range s.schemas {
		rows = append(rows, row{oid(schema.OID), text(schema.Name), oid(schema.Owner), s.aclArray(schema.Shown())})
	}
	return rows
}

func databaseRows(s *Snapshot) []row {
	var rows []row
	for _, db := range s.all.Databases {
		rows = append(rows, row{
			oid(db.OID), text(db.Name), oid(db.Owner), num(encodingUTF8), char('c'), flag(db.Template), flag(db.AllowConns), limit(db.ConnLimit), oid(0), oid(1),
			oid(defaultTablespace), text("C.UTF-8"), text("C.UTF-8"), null, null, s.aclArray(db.Shown()),
		})
	}
	return rows
}

// limit is a number of connections; -1 is any.
func limit(n *int32) datum {
	if n == nil {
		return num(-1)
	}
	return num(int(*n))
}

// encodingUTF8 is PostgreSQL's number for it.
const encodingUTF8 = 6

// roles are those that somebody made, and then the built-in ones.
func (s *Snapshot) roles() []*catalog.Role {
	out := slices.Clone(s.all.Roles)
	for i, r := range out {
		if r.OID == superuserOID {
			first := r.Clone()
			first.CreateRole, first.CreateDB, first.Replication, first.BypassRLS = true, true, true, true
			out[i] = first
		}
	}
	for _, r := range builtinRows("pg_authid") {
		out = append(out, &catalog.Role{OID: types.OID(r[0].I), Name: r[1].Text()})
	}
	return out
}

// roleName is the name of a role; "" if there is none.
func (s *Snapshot) roleName(o types.OID) string {
	for _, r := range s.all.Roles {
		if r.OID == o {
			return r.Name
		}
	}
	for _, r := range builtinRows("pg_authid") {
		if types.OID(r[0].I) == o {
			return r[1].Text()
		}
	}
	return ""
}

func (s *Snapshot) role(name string) *catalog.Role {
	for _, r := range s.all.Roles {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// until is when a role's password ends.
func until(r *catalog.Role) datum {
	if r.ValidUntil == "" {
		return null
	}
	d, err := types.Input(types.NewContext(), types.TimestampTZ, []byte(r.ValidUntil))
	if err != nil {
		return null
	}
	return d
}

func authidRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		rows = append(rows, row{
			oid(r.OID), text(r.Name), flag(r.Superuser), flag(!r.NoInherit), flag(r.CreateRole), flag(r.CreateDB), flag(r.Login),
			flag(r.Replication), flag(r.BypassRLS), limit(r.ConnLimit), orNull(r.Password), until(r),
		})
	}
	return rows
}

func rolesRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		rows = append(rows, row{
			text(r.Name), flag(r.Superuser), flag(!r.NoInherit), flag(r.CreateRole), flag(r.CreateDB), flag(r.Login), flag(r.Replication),
			limit(r.ConnLimit), text("********"), until(r), flag(r.BypassRLS), settingsArray(r.Settings, 0), oid(r.OID),
		})
	}
	return rows
}

func usersOf(s *Snapshot, password func(*catalog.Role) datum) []row {
	var rows []row
	for _, r := range s.roles() {
		if r.Login {
			rows = append(rows, row{
				text(r.Name), oid(r.OID), flag(r.CreateDB), flag(r.Superuser), flag(r.Replication), flag(r.BypassRLS), password(r), until(r),
				settingsArray(r.Settings, 0),
			})
		}
	}
	return rows
}

func userRows(s *Snapshot) []row {
	return usersOf(s, func(*catalog.Role) datum { return text("********") })
}

func shadowRows(s *Snapshot) []row {
	return usersOf(s, func(r *catalog.Role) datum { return orNull(r.Password) })
}

func groupRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		if r.Login {
			continue
		}
		members := []types.OID{}
		for _, m := range s.all.Roles {
			if slices.ContainsFunc(m.MemberOf, func(x catalog.Membership) bool { return x.Role == r.OID }) {
				members = append(members, m.OID)
			}
		}
		rows = append(rows, row{text(r.Name), oid(r.OID), array(types.Oid, members)})
	}
	return rows
}

func memberRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.all.Roles {
		for _, m := range r.MemberOf {
			rows = append(rows, row{oid(m.Role), oid(r.OID), oid(m.Grantor), flag(m.Admin)})
		}
	}
	return rows
}

// settingsArray is stored settings as name=value, those for a database only; NULL if there are none.
func settingsArray(list []catalog.Setting, database types.OID) datum {
	var out []string
	for _, x := range list {
		if x.Database == database {
			out = append(out, x.Name+"="+x.Value)
		}
	}
	if out == nil {
		return null
	}
	return textArray(out...)
}

func roleSettingRows(s *Snapshot) []row {
	var rows []row
	for _, db := range s.all.Databases {
		if len(db.Settings) > 0 {
			rows = append(rows, row{oid(db.OID), oid(0), settingsArray(db.Settings, 0)})
		}
	}
	for _, r := range s.all.Roles {
		var seen []types.OID
		for _, x := range r.Settings {
			if !slices.Contains(seen, x.Database) {
				seen = append(seen, x.Database)
				rows = append(rows, row{oid(x.Database), oid(r.OID), settingsArray(r.Settings, x.Database)})
			}
		}
	}
	return rows
}

func defaultACLRows(s *Snapshot) []row {
	var rows []row
	for _, p := range s.all.Defaults {
		if p.In != s.database.ID {
			continue
		}
		schema := types.OID(0)
		if in := s.schemaByID[p.Schema]; in != nil {
			schema = in.OID
		}
		letter := byte(p.Class)
		if p.Class == catalog.ClassSequence {
			letter = 'S'
		}
		rows = append(rows, row{oid(p.OID), oid(p.Role), oid(schema), char(letter), s.aclArray(p.ACL)})
	}
	return rows
}

// aclArray is privileges as PostgreSQL shows them; nil is NULL.
func (s *Snapshot) aclArray(acl catalog.ACL) datum {
	if acl == nil {
		return null
	}
	items := make([]string, len(acl))
	for i, item := range acl {
		items[i] = s.aclItem(item)
	}
	return textArray(items...)
}

func (s *Snapshot) aclItem(item catalog.ACLItem) string {
	var b strings.Builder
	if item.Grantee != catalog.Public {
		b.WriteString(s.aclName(item.Grantee))
	}
	b.WriteByte('=')
	for p := catalog.Privileges(1); p != 0; p <<= 1 {
		if item.May&p != 0 {
			b.WriteString(p.String())
			if item.Options&p != 0 {
				b.WriteByte('*')
			}
		}
	}
	return b.String() + "/" + s.aclName(item.Grantor)
}

// aclName is a role in an aclitem: quoted unless it has only letters, digits and underscores; a number if it is gone.
func (s *Snapshot) aclName(o types.OID) string {
	name := s.roleName(o)
	if name == "" {
		return strconv.Itoa(int(o))
	}
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return name
}
