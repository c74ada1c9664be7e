package pgcatalog

import (
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
		acl := null
		if schema.OID == publicOID {
			owner := s.roleName(schema.Owner)
			acl = textArray(owner+"=UC/"+owner, "=U/"+owner)
		}
		rows = append(rows, row{oid(schema.OID), text(schema.Name), oid(schema.Owner), acl})
	}
	return rows
}

func databaseRows(s *Snapshot) []row {
	super := s.roleName(superuserOID)
	var rows []row
	for _, db := range s.all.Databases {
		acl := null
		if db.Template {
			acl = textArray("=c/"+super, super+"=CTc/"+super)
		}
		rows = append(rows, row{
			oid(db.OID), text(db.Name), oid(db.Owner), num(encodingUTF8), char('c'), flag(db.Template), flag(db.AllowConns), num(-1), oid(0), oid(1),
			oid(defaultTablespace), text("C.UTF-8"), text("C.UTF-8"), null, null, acl,
		})
	}
	return rows
}

// encodingUTF8 is PostgreSQL's number for it.
const encodingUTF8 = 6

// role is a row of pg_authid.
type role struct {
	oid                     types.OID
	name                    string
	super, login, replicate bool
	createRole, createDB    bool
}

// roles are those that somebody made, and then the built-in ones.
func (s *Snapshot) roles() []role {
	var out []role
	for _, r := range s.all.Roles {
		out = append(out, role{oid: r.OID, name: r.Name, super: r.Superuser, login: r.Login, replicate: r.OID == superuserOID, createRole: r.Superuser, createDB: r.Superuser})
	}
	for _, r := range builtinRows("pg_authid") {
		out = append(out, role{oid: types.OID(r[0].I), name: r[1].Text()})
	}
	return out
}

// roleName is the name of a role as pg_get_userbyid gives it.
func (s *Snapshot) roleName(o types.OID) string {
	for _, r := range s.roles() {
		if r.oid == o {
			return r.name
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

func authidRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		rows = append(rows, row{
			oid(r.oid), text(r.name), flag(r.super), flag(true), flag(r.createRole), flag(r.createDB), flag(r.login), flag(r.replicate),
			flag(r.super && r.replicate), num(-1), null, null,
		})
	}
	return rows
}

func rolesRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		rows = append(rows, row{
			text(r.name), flag(r.super), flag(true), flag(r.createRole), flag(r.createDB), flag(r.login), flag(r.replicate), num(-1),
			text("********"), null, flag(r.super && r.replicate), null, oid(r.oid),
		})
	}
	return rows
}

func userRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		if r.login {
			rows = append(rows, row{
				text(r.name), oid(r.oid), flag(r.createDB), flag(r.super), flag(r.replicate), flag(r.super && r.replicate), text("********"), null, null,
			})
		}
	}
	return rows
}

func groupRows(s *Snapshot) []row {
	var rows []row
	for _, r := range s.roles() {
		if !r.login {
			rows = append(rows, row{text(r.name), oid(r.oid), array(types.Oid, []types.OID{})})
		}
	}
	return rows
}
