package exec

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// dependent is an object that refers to a role.
type dependent struct {
	oid  types.OID
	text string
}

// roleDependents lists what refers to a role, as PostgreSQL does; "" if nothing does.
func (d *ddl) roleDependents(ctx context.Context, r *catalog.Role) (string, error) {
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return "", err
	}
	databaseOf := map[catalog.ID]*catalog.Database{}
	schemaIn := map[catalog.ID]catalog.ID{}
	elsewhere := map[catalog.ID]int{}
	for _, db := range contents.Databases {
		databaseOf[db.ID] = db
	}
	var found []dependent
	note := func(in catalog.ID, oid, owner types.OID, acl catalog.ACL, what string) {
		owns, has := owner == r.OID, owner != r.OID && acl.Mentions(r.OID)
		switch {
		case !owns && !has:
		case in != 0 && in != d.env.Database.ID:
			elsewhere[in]++
		case owns:
			found = append(found, dependent{oid, "owner of " + what})
		default:
			found = append(found, dependent{oid, "privileges for " + what})
		}
	}
	for _, db := range contents.Databases {
		note(0, db.OID, db.Owner, db.ACL, "database "+db.Name)
	}
	for _, s := range contents.Schemas {
		schemaIn[s.ID] = s.Database
		note(s.Database, s.OID, s.Owner, s.ACL, "schema "+s.Name)
	}
	for _, t := range contents.Tables {
		note(schemaIn[t.Schema], t.OID, t.Owner, t.ACL, t.Word()+" "+d.relationName(ctx, t))
	}
	for _, e := range contents.Enums {
		note(schemaIn[e.Schema], e.OID, e.Owner, nil, "type "+d.qualified(ctx, e.Schema, e.Name))
	}
	for _, f := range contents.Functions {
		note(schemaIn[f.Schema], f.OID, f.Owner, nil, "function "+d.functionName(ctx, f))
	}
	for _, p := range contents.Defaults {
		note(p.In, p.OID, p.Role, p.ACL, d.describeDefaults(ctx, p))
	}
	slices.SortFunc(found, func(a, b dependent) int { return cmp.Compare(a.oid, b.oid) })
	var lines []string
	for _, f := range found {
		lines = append(lines, f.text)
	}
	for _, db := range contents.Databases {
		switch n := elsewhere[db.ID]; n {
		case 0:
		case 1:
			lines = append(lines, "1 object in database "+db.Name)
		default:
			lines = append(lines, fmt.Sprintf("%d objects in database %s", n, db.Name))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func (d *ddl) describeDefaults(ctx context.Context, p *catalog.DefaultPrivileges) string {
	word := map[catalog.Class]string{
		catalog.ClassTable: "relations", catalog.ClassSequence: "sequences", catalog.ClassFunction: "functions", catalog.ClassSchema: "schemas",
	}[p.Class]
	role := ""
	if r, err := d.env.View.RoleByOID(ctx, p.Role); err == nil {
		role = r.Name
	}
	text := "default privileges on new " + word + " belonging to role " + role
	if p.Schema != 0 {
		if s, err := d.env.View.SchemaByID(ctx, p.Schema); err == nil {
			text += " in schema " + s.Name
		}
	}
	return text
}

// owned is REASSIGN OWNED and DROP OWNED.
func (d *ddl) owned(ctx context.Context, st *parse.DropOwnedStmt) error {
	what := "drop objects"
	if st.To != nil {
		what = "reassign objects"
	}
	who, err := d.acting(ctx)
	if err != nil {
		return err
	}
	var roles []types.OID
	for _, name := range st.Roles {
		oid, err := d.roleOID(ctx, name.String())
		if err != nil {
			return err
		}
		if !who.Has(oid) {
			return denied("permission denied to %s", what)
		}
		if oid == catalog.SuperuserOID {
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot %s owned by role %s because they are required by the database system", what, name.String())
		}
		roles = append(roles, oid)
	}
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	// What is in other databases stays.
	here := map[catalog.ID]bool{}
	contents.Schemas = slices.DeleteFunc(contents.Schemas, func(s *catalog.Schema) bool {
		here[s.ID] = s.Database == d.env.Database.ID
		return !here[s.ID]
	})
	contents.Tables = slices.DeleteFunc(contents.Tables, func(t *catalog.Table) bool { return !here[t.Schema] })
	contents.Enums = slices.DeleteFunc(contents.Enums, func(e *catalog.Enum) bool { return !here[e.Schema] })
	contents.Functions = slices.DeleteFunc(contents.Functions, func(f *catalog.Function) bool { return !here[f.Schema] })
	contents.Defaults = slices.DeleteFunc(contents.Defaults, func(p *catalog.DefaultPrivileges) bool { return p.In != d.env.Database.ID })
	if st.To == nil {
		return d.dropOwned(ctx, contents, roles, st.Cascade)
	}
	to, err := d.roleOID(ctx, st.To.String())
	if err != nil {
		return err
	}
	if !who.Has(to) {
		return denied("permission denied to reassign objects")
	}
	return d.reassignOwned(ctx, contents, roles, to)
}

func (d *ddl) reassignOwned(ctx context.Context, contents catalog.Contents, roles []types.OID, to types.OID) error {
	for _, t := range contents.Tables {
		if slices.Contains(roles, t.Owner) {
			if err := d.giveRelation(ctx, t.ID, to); err != nil {
				return err
			}
		}
	}
	for _, s := range contents.Schemas {
		if slices.Contains(roles, s.Owner) {
			if err := d.giveSchema(ctx, s, to); err != nil {
				return err
			}
		}
	}
	for _, e := range contents.Enums {
		if slices.Contains(roles, e.Owner) {
			if err := d.giveEnum(ctx, e, to); err != nil {
				return err
			}
		}
	}
	for _, f := range contents.Functions {
		if slices.Contains(roles, f.Owner) {
			changed := f.Clone()
			changed.Owner = to
			if err := d.env.View.UpdateFunction(ctx, f, changed, nil); err != nil {
				return err
			}
		}
	}
	for _, db := range contents.Databases {
		if slices.Contains(roles, db.Owner) {
			if err := d.giveDatabase(ctx, db, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *ddl) giveSchema(ctx context.Context, s *catalog.Schema, to types.OID) error {
	changed := *s
	changed.ACL = s.ACL.ChangeOwner(s.Owner, to)
	changed.Owner = to
	return d.env.View.UpdateSchema(ctx, s, &changed, nil)
}

func (d *ddl) giveEnum(ctx context.Context, e *catalog.Enum, to types.OID) error {
	changed := e.Clone()
	changed.Owner = to
	return d.env.View.UpdateEnum(ctx, e, changed, nil)
}

func (d *ddl) giveDatabase(ctx context.Context, db *catalog.Database, to types.OID) error {
	changed := *db
	changed.ACL = db.ACL.ChangeOwner(db.Owner, to)
	changed.Owner = to
	return d.env.View.UpdateDatabase(ctx, db, &changed, nil)
}

// dropOwned drops what roles own in the database, and takes their privileges away.
func (d *ddl) dropOwned(ctx context.Context, contents catalog.Contents, roles []types.OID, cascade bool) error {
	if err := d.revokeAll(ctx, contents, roles); err != nil {
		return err
	}
	var objects []object
	for _, t := range contents.Tables {
		if slices.Contains(roles, t.Owner) && (t.Kind != catalog.KindSequence || t.Sequence.Owner.Table == 0) {
			objects = append(objects, object{kind: objectRelation, table: t})
		}
	}
	for _, e := range contents.Enums {
		if slices.Contains(roles, e.Owner) {
			objects = append(objects, object{kind: objectEnum, enum: e})
		}
	}
	for _, f := range contents.Functions {
		if slices.Contains(roles, f.Owner) {
			objects = append(objects, object{kind: objectFunction, function: f})
		}
	}
	for _, s := range contents.Schemas {
		if slices.Contains(roles, s.Owner) {
			objects = append(objects, object{kind: objectSchema, schema: s})
		}
	}
	if len(objects) == 0 {
		return nil
	}
	for i := range objects {
		if t := objects[i].table; t != nil {
			if err := d.env.View.LockTable(ctx, t.ID, kv.TableAccessExclusive); err != nil {
				return err
			}
		}
	}
	return d.dropObjects(ctx, objects, cascade)
}

// revokeAll takes the privileges of roles away, and what they granted.
func (d *ddl) revokeAll(ctx context.Context, contents catalog.Contents, roles []types.OID) error {
	without := func(acl catalog.ACL, owner types.OID) (catalog.ACL, bool) {
		out := acl
		for _, r := range roles {
			if r != owner {
				out = out.Without(r)
			}
		}
		return out, !slices.Equal(acl, out)
	}
	for _, t := range contents.Tables {
		acl, changed := without(t.ACL, t.Owner)
		if !changed {
			continue
		}
		if err := d.env.View.LockTable(ctx, t.ID, kv.TableShareUpdateExclusive); err != nil {
			return err
		}
		c := t.Clone()
		c.ACL = acl
		if err := d.env.View.UpdateTable(ctx, t, c); err != nil {
			return err
		}
	}
	for _, s := range contents.Schemas {
		if acl, changed := without(s.ACL, s.Owner); changed {
			c := *s
			c.ACL = acl
			if err := d.env.View.UpdateSchema(ctx, s, &c, nil); err != nil {
				return err
			}
		}
	}
	for _, db := range contents.Databases {
		if acl, changed := without(db.ACL, db.Owner); changed {
			c := *db
			c.ACL = acl
			if err := d.env.View.UpdateDatabase(ctx, db, &c, nil); err != nil {
				return err
			}
		}
	}
	for _, p := range contents.Defaults {
		c := *p
		changed := true
		if slices.Contains(roles, p.Role) {
			c.ACL = nil
		} else if c.ACL, changed = without(p.ACL, p.Role); len(c.ACL) == 0 && p.Schema != 0 {
			c.ACL = nil
		}
		if changed {
			if err := d.env.View.SetDefaultPrivileges(ctx, p, &c); err != nil {
				return err
			}
		}
	}
	return nil
}
