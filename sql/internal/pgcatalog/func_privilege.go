package pgcatalog

import (
	"slices"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// privilegeFuncs tell who may do what.
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

// target is an object that one may have privileges on.
type target struct {
	acl   catalog.ACL // in force
	owner types.OID
}

// privilegeKind is a kind of object that one has privileges on.
type privilegeKind struct {
	name       string
	privileges string
	// find gives an object by its name, or by its number if the name is empty; nil if there is none.
	find func(r *Reader, s *Snapshot, name string, o types.OID) (*target, error)
}

var privilegeKinds = []privilegeKind{
	{name: "table", privileges: "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES TRIGGER RULE", find: relationTarget},
	{name: "any_column", privileges: "SELECT INSERT UPDATE REFERENCES", find: relationTarget},
	{name: "sequence", privileges: "USAGE SELECT UPDATE", find: sequenceTarget},
	{name: "schema", privileges: "CREATE USAGE", find: schemaTarget},
	{name: "database", privileges: "CREATE TEMPORARY TEMP CONNECT", find: databaseTarget},
	{name: "function", privileges: "EXECUTE", find: builtinTarget(types.RegProcedureOID, catalog.ClassFunction)},
	{name: "type", privileges: "USAGE", find: builtinTarget(types.RegTypeOID, catalog.ClassType)},
	{name: "language", privileges: "USAGE", find: namedTarget("pg_language", "lanname", catalog.Usage)},
	{name: "tablespace", privileges: "CREATE", find: namedTarget("pg_tablespace", "spcname", 0)},
}

// privilegeBits are the privileges by name.
var privilegeBits = map[string]catalog.Privileges{
	"SELECT": catalog.Select, "INSERT": catalog.Insert, "UPDATE": catalog.Update, "DELETE": catalog.Delete, "TRUNCATE": catalog.Truncate,
	"REFERENCES": catalog.References, "TRIGGER": catalog.Trigger, "EXECUTE": catalog.Execute, "USAGE": catalog.Usage, "CREATE": catalog.Create,
	"TEMPORARY": catalog.Temporary, "TEMP": catalog.Temporary, "CONNECT": catalog.Connect, "RULE": 0,
}

// wanted is a privilege that is asked for.
type wanted struct {
	bit    catalog.Privileges
	option bool // with the option to grant it on
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
		t, err := k.find(r, s, name, number)
		if t == nil || err != nil {
			return null, err
		}
		return flag(s.allowed(who, t, words)), nil
	}
}

// words reads a list of privileges.
func (k privilegeKind) words(list string) ([]wanted, error) {
	var out []wanted
	for _, w := range strings.Split(list, ",") {
		w = strings.ToUpper(strings.TrimSpace(w))
		plain := strings.TrimSuffix(w, " WITH GRANT OPTION")
		if !containsWord(k.privileges, plain) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", strings.TrimSpace(list))
		}
		out = append(out, wanted{privilegeBits[plain], plain != w})
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

// acting is a role as it acts in the snapshot's database; nil if it is not there.
func (s *Snapshot) acting(role types.OID) *catalog.Acting {
	return catalog.NewActing(s.all.Roles, role, s.current())
}

// current is the snapshot's database as it is by now.
func (s *Snapshot) current() *catalog.Database {
	for _, db := range s.all.Databases {
		if db.ID == s.database.ID {
			return db
		}
	}
	return s.database
}

// allowed: one of the privileges is enough.
func (s *Snapshot) allowed(role *catalog.Role, t *target, words []wanted) bool {
	who := s.acting(role.OID)
	if who == nil { // a built-in role, or none: what everybody may
		return mayAny(t.acl, words)
	}
	if who.Role.Superuser {
		return true
	}
	for _, w := range words {
		if w.option && who.Options(t.acl, t.owner, w.bit)&w.bit != 0 || !w.option && who.May(t.acl, w.bit) != 0 {
			return true
		}
	}
	return false
}

func mayAny(acl catalog.ACL, words []wanted) bool {
	for _, item := range acl {
		for _, w := range words {
			if item.Grantee == catalog.Public && !w.option && item.May&w.bit != 0 {
				return true
			}
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

// roleArg takes the role off the arguments. Of a number that nobody has it makes a role without privileges.
func roleArg(r *Reader, s *Snapshot, args []datum, given bool) (*catalog.Role, []datum, error) {
	name, number := r.env.User(), types.OID(0)
	if given {
		name, number = objectArg(args[0])
		args = args[1:]
	}
	if given && name == "public" {
		return &catalog.Role{}, args, nil
	}
	for _, x := range s.roles() {
		if number != 0 && x.OID == number || number == 0 && x.Name == name {
			return x, args, nil
		}
	}
	if number != 0 {
		return &catalog.Role{OID: number}, args, nil
	}
	return nil, nil, sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", name)
}

// systemTarget is an object that the superuser owns and everybody has some privileges on.
func systemTarget(public catalog.Privileges) *target {
	return &target{acl: catalog.ACL{{Grantee: catalog.Public, Grantor: superuserOID, May: public}}, owner: superuserOID}
}

func relationTarget(r *Reader, s *Snapshot, name string, o types.OID) (*target, error) {
	if name != "" {
		var err error
		if o, err = r.findClass(s, name); err != nil {
			return nil, err
		}
	}
	if rel, ok := s.relations[o]; ok {
		return &target{rel.Table.Granted(), rel.Table.Owner}, nil
	}
	system, ok := s.relationObject(o)
	switch {
	case !ok:
		return nil, nil
	case system.name == "pg_authid" || system.name == "pg_shadow" || system.name == "pg_user_mapping":
		return systemTarget(0), nil
	}
	return systemTarget(catalog.Select), nil
}

func sequenceTarget(r *Reader, s *Snapshot, name string, o types.OID) (*target, error) {
	t, err := relationTarget(r, s, name, o)
	if t == nil || err != nil {
		return nil, err
	}
	if name != "" {
		if o, err = r.findClass(s, name); err != nil {
			return nil, err
		}
	}
	if rel, ok := s.relations[o]; !ok || rel.Index != nil || rel.Table.Kind != catalog.KindSequence {
		if name == "" {
			return nil, nil
		}
		return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a sequence", name)
	}
	return t, nil
}

func schemaTarget(_ *Reader, s *Snapshot, name string, o types.OID) (*target, error) {
	if name != "" {
		var ok bool
		if o, ok = s.findSchema(name); !ok {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", name)
		}
	}
	for _, schema := range s.schemas {
		if schema.OID == o {
			return &target{schema.Granted(), schema.Owner}, nil
		}
	}
	if _, ok := s.schemaName(o); !ok {
		return nil, nil
	}
	return systemTarget(catalog.Usage), nil
}

func databaseTarget(_ *Reader, s *Snapshot, name string, o types.OID) (*target, error) {
	for _, db := range s.all.Databases {
		if name != "" && db.Name == name || name == "" && db.OID == o {
			return &target{db.Granted(), db.Owner}, nil
		}
	}
	if name != "" {
		return nil, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	return nil, nil
}

// builtinTarget is for objects that a reg type names.
func builtinTarget(t types.OID, class catalog.Class) func(*Reader, *Snapshot, string, types.OID) (*target, error) {
	here := systemTarget(catalog.AllPrivileges(class))
	return func(r *Reader, s *Snapshot, name string, o types.OID) (*target, error) {
		reg := types.Type{OID: t, Mod: -1}
		if name != "" {
			d, err := types.Input(&types.Context{Names: r}, reg, []byte(name))
			if err != nil || d.I == 0 {
				return nil, err
			}
			return here, nil
		}
		if t == types.RegTypeOID && formatType(o, -1) != "" {
			return here, nil
		}
		if _, ok := r.NameOf(reg, o); !ok {
			return nil, nil
		}
		return here, nil
	}
}

func namedTarget(table, column string, public catalog.Privileges) func(*Reader, *Snapshot, string, types.OID) (*target, error) {
	return func(_ *Reader, _ *Snapshot, name string, o types.OID) (*target, error) {
		if name != "" {
			if len(builtinsNamed(table, column, name)) == 0 {
				return nil, sqlerr.New(sqlerr.UndefinedObject, "%s \"%s\" does not exist", strings.TrimPrefix(table, "pg_"), name)
			}
			return systemTarget(public), nil
		}
		if _, ok := builtinName(table, column, o); !ok {
			return nil, nil
		}
		return systemTarget(public), nil
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
		t, err := relationTarget(r, s, name, number)
		if t == nil || err != nil {
			return null, err
		}
		return flag(s.allowed(who, t, words)), nil
	}
}

// hasRole tells whether a role is another: MEMBER, in any way; USAGE, with its privileges; either with the option to grant it on.
func hasRole(withRole bool) func(r *Reader, s *Snapshot, args []datum) (datum, error) {
	return func(r *Reader, s *Snapshot, args []datum) (datum, error) {
		role, args, err := roleArg(r, s, args, withRole)
		if err != nil {
			return datum{}, err
		}
		of, args, err := roleArg(r, s, args, true)
		if err != nil {
			return datum{}, err
		}
		who := s.acting(role.OID)
		for _, w := range strings.Split(args[0].Text(), ",") {
			w = strings.ToUpper(strings.TrimSpace(w))
			switch {
			case w != "MEMBER" && w != "USAGE" && !strings.HasSuffix(w, " OPTION"):
				return datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", args[0].Text())
			case who == nil:
				if role.OID == of.OID && !strings.HasSuffix(w, " OPTION") {
					return flag(true), nil
				}
			case strings.HasSuffix(w, " OPTION") && (who.Role.Superuser || isAdmin(who.Role, of.OID)),
				w == "MEMBER" && who.Is(of.OID), w == "USAGE" && who.Has(of.OID):
				return flag(true), nil
			}
		}
		return flag(false), nil
	}
}

func isAdmin(r *catalog.Role, of types.OID) bool {
	return slices.ContainsFunc(r.MemberOf, func(m catalog.Membership) bool { return m.Role == of && m.Admin })
}

// aclDefault is the privileges of an object on which nothing was granted.
func aclDefault(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	class, owner := catalog.Class(0), oidOf(args[1])
	switch letter := string(args[0].B); letter {
	case "r", "s", "d", "f", "n", "T":
		class = catalog.Class(letter[0])
	case "l":
		class = catalog.ClassType // USAGE for everybody
	case "c":
		return textArray(), nil
	case "t", "F", "S":
		may := catalog.Usage
		if letter == "t" {
			may = catalog.Create
		}
		return s.aclArray(catalog.ACL{{Grantee: owner, Grantor: owner, May: may}}), nil
	default:
		return datum{}, sqlerr.Internal("unrecognized object type abbreviation: %s", args[0].B)
	}
	return s.aclArray(catalog.DefaultACL(class, owner)), nil
}
