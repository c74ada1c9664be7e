package pgcatalog

import (
	"strings"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// privilegeFuncs tell who may do what. There is no GRANT: superusers may do everything, others what they own.
var privilegeFuncs = func() map[string]body {
	fs := map[string]body{}
	for _, k := range privilegeKinds {
		base := "has_" + k.name + "_privilege"
		fs[base+"_name"] = asking(k.check(false))
		fs[base+"_id"] = asking(k.check(false))
		for _, form := range []string{"_name_name", "_name_id", "_id_name", "_id_id"} {
			fs[base+form] = asking(k.check(true))
		}
	}
	for _, form := range []string{"_name_name", "_name_attnum", "_id_name", "_id_attnum"} {
		fs["has_column_privilege"+form] = asking(hasColumnPrivilege(false))
		fs["has_column_privilege_name"+form] = asking(hasColumnPrivilege(true))
		fs["has_column_privilege_id"+form] = asking(hasColumnPrivilege(true))
	}
	for _, form := range []string{"_name", "_id"} {
		fs["pg_has_role"+form] = asking(hasRole(false))
		fs["pg_has_role_name"+form] = asking(hasRole(true))
		fs["pg_has_role_id"+form] = asking(hasRole(true))
	}
	fs["row_security_active"] = always(flag(false))
	fs["row_security_active_name"] = always(flag(false))
	fs["acldefault_sql"] = asking(aclDefault)
	return fs
}()

// privilegeKind is a kind of object that one has privileges on.
type privilegeKind struct {
	name       string
	privileges string
	// find gives the owner of an object by its name, or by its number if the name is empty; ok is false if there is none.
	find func(r *Reader, s *Snapshot, name string, o types.OID) (owner types.OID, ok bool, err error)
	// public are the privileges that everybody has.
	public string
}

var privilegeKinds = []privilegeKind{
	{name: "table", privileges: "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER RULE", find: relationOwner},
	{name: "any_column", privileges: "SELECT INSERT UPDATE REFERENCES", find: relationOwner},
	{name: "sequence", privileges: "USAGE SELECT UPDATE", find: relationOwner},
	{name: "schema", privileges: "CREATE USAGE", find: schemaOwner, public: "USAGE"},
	{name: "database", privileges: "CREATE TEMPORARY TEMP CONNECT", find: databaseOwner, public: "CONNECT TEMP TEMPORARY"},
	{name: "function", privileges: "EXECUTE", find: builtinOwner(types.RegProcedureOID), public: "EXECUTE"},
	{name: "type", privileges: "USAGE", find: builtinOwner(types.RegTypeOID), public: "USAGE"},
	{name: "language", privileges: "USAGE", find: namedOwner("pg_language", "lanname"), public: "USAGE"},
	{name: "tablespace", privileges: "CREATE", find: namedOwner("pg_tablespace", "spcname")},
}

// check tells whether a role, the session's unless one is given first, has a privilege on an object.
func (k privilegeKind) check(withRole bool) func(r *Reader, s *Snapshot, args []datum) (datum, error) {
	return func(r *Reader, s *Snapshot, args []datum) (datum, error) {
		who, args, err := roleArg(r, s, args, withRole)
		if err != nil {
			return datum{}, err
		}
		words, err := k.words(args[1].Text())
		if err != nil {
			return datum{}, err
		}
		name, number := objectArg(args[0])
		owner, ok, err := k.find(r, s, name, number)
		if !ok || err != nil {
			return null, err
		}
		return flag(allowed(who, owner, words, k.public)), nil
	}
}

// words checks a list of privileges.
func (k privilegeKind) words(list string) ([]string, error) {
	var out []string
	for _, w := range strings.Split(list, ",") {
		w = strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(w)), " WITH GRANT OPTION")
		if !containsWord(k.privileges, w) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", strings.TrimSpace(list))
		}
		out = append(out, w)
	}
	return out, nil
}

func containsWord(list, w string) bool {
	for _, x := range strings.Fields(list) {
		if x == w {
			return true
		}
	}
	return false
}

// allowed: one of the privileges is enough.
func allowed(who role, owner types.OID, words []string, public string) bool {
	if who.super || who.oid == owner {
		return true
	}
	for _, w := range words {
		if containsWord(public, w) {
			return true
		}
	}
	return false
}

// objectArg is an argument that names an object, or numbers it.
func objectArg(d datum) (string, types.OID) {
	if d.B != nil {
		return string(d.B), 0
	}
	return "", oidOf(d)
}

// roleArg takes the role off the arguments.
func roleArg(r *Reader, s *Snapshot, args []datum, given bool) (role, []datum, error) {
	name, number := r.env.User(), types.OID(0)
	if given {
		name, number = objectArg(args[0])
		args = args[1:]
	}
	for _, x := range s.roles() {
		if number != 0 && x.oid == number || number == 0 && x.name == name {
			return x, args, nil
		}
	}
	if number != 0 {
		return role{oid: number}, args, nil
	}
	return role{}, nil, sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", name)
}

func relationOwner(r *Reader, s *Snapshot, name string, o types.OID) (types.OID, bool, error) {
	if name != "" {
		var err error
		if o, err = r.findClass(s, name); err != nil {
			return 0, false, err
		}
	}
	if rel, ok := s.relations[o]; ok {
		return rel.Table.Owner, true, nil
	}
	_, ok := s.relationObject(o)
	return superuserOID, ok, nil
}

func schemaOwner(_ *Reader, s *Snapshot, name string, o types.OID) (types.OID, bool, error) {
	if name != "" {
		var ok bool
		if o, ok = s.findSchema(name); !ok {
			return 0, false, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name)
		}
	}
	for _, schema := range s.schemas {
		if schema.OID == o {
			return schema.Owner, true, nil
		}
	}
	_, ok := s.schemaName(o)
	return superuserOID, ok, nil
}

func databaseOwner(_ *Reader, s *Snapshot, name string, o types.OID) (types.OID, bool, error) {
	for _, db := range s.all.Databases {
		if name != "" && db.Name == name || name == "" && db.OID == o {
			return db.Owner, true, nil
		}
	}
	if name != "" {
		return 0, false, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	return 0, false, nil
}

// builtinOwner is for objects that a reg type names and the superuser owns.
func builtinOwner(t types.OID) func(*Reader, *Snapshot, string, types.OID) (types.OID, bool, error) {
	return func(r *Reader, s *Snapshot, name string, o types.OID) (types.OID, bool, error) {
		reg := types.Type{OID: t, Mod: -1}
		if name != "" {
			d, err := types.Input(&types.Context{Names: r}, reg, []byte(name))
			return superuserOID, err == nil && d.I != 0, err
		}
		if t == types.RegTypeOID && formatType(o, -1) != "" {
			return superuserOID, true, nil
		}
		_, ok := r.NameOf(reg, o)
		return superuserOID, ok, nil
	}
}

func namedOwner(table, column string) func(*Reader, *Snapshot, string, types.OID) (types.OID, bool, error) {
	return func(_ *Reader, _ *Snapshot, name string, o types.OID) (types.OID, bool, error) {
		if name != "" {
			if len(builtinsNamed(table, column, name)) == 0 {
				return 0, false, sqlerr.New(sqlerr.UndefinedObject, "%s \"%s\" does not exist", strings.TrimPrefix(table, "pg_"), name)
			}
			return superuserOID, true, nil
		}
		_, ok := builtinName(table, column, o)
		return superuserOID, ok, nil
	}
}

func hasColumnPrivilege(withRole bool) func(r *Reader, s *Snapshot, args []datum) (datum, error) {
	kind := privilegeKind{privileges: "SELECT INSERT UPDATE REFERENCES"}
	return func(r *Reader, s *Snapshot, args []datum) (datum, error) {
		who, args, err := roleArg(r, s, args, withRole)
		if err != nil {
			return datum{}, err
		}
		words, err := kind.words(args[2].Text())
		if err != nil {
			return datum{}, err
		}
		name, number := objectArg(args[0])
		owner, ok, err := relationOwner(r, s, name, number)
		if !ok || err != nil {
			return null, err
		}
		return flag(allowed(who, owner, words, "")), nil
	}
}

// hasRole: superusers are members of all roles, everybody of his own; there are no other memberships.
func hasRole(withRole bool) func(r *Reader, s *Snapshot, args []datum) (datum, error) {
	return func(r *Reader, s *Snapshot, args []datum) (datum, error) {
		who, args, err := roleArg(r, s, args, withRole)
		if err != nil {
			return datum{}, err
		}
		of, _, err := roleArg(r, s, args, true)
		if err != nil {
			return datum{}, err
		}
		return flag(who.super || who.oid == of.oid), nil
	}
}

// aclDefault is the privileges of an object on which nothing was granted.
func aclDefault(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	owner := s.roleName(oidOf(args[1]))
	var all, public string
	switch string(args[0].B) {
	case "r":
		all = "arwdDxt"
	case "s":
		all = "rwU"
	case "d":
		all, public = "CTc", "Tc"
	case "f":
		all, public = "X", "X"
	case "l", "T":
		all, public = "U", "U"
	case "n":
		all = "UC"
	case "t":
		all = "C"
	case "F", "S":
		all = "U"
	case "c":
		return textArray(), nil
	default:
		return datum{}, sqlerr.Internal("unrecognized object type abbreviation: %s", args[0].B)
	}
	items := []string{owner + "=" + all + "/" + owner}
	if public != "" {
		items = append([]string{"=" + public + "/" + owner}, items...)
	}
	return textArray(items...), nil
}
