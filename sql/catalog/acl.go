package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minidb/sql/types"
)

// Privileges is a set of PostgreSQL's privileges.
type Privileges uint16

// The privileges, in the order in which PostgreSQL shows them.
const (
	Insert Privileges = 1 << iota
	Select
	Update
	Delete
	Truncate
	References
	Trigger
	Execute
	Usage
	Create
	Temporary
	Connect
)

// privilegeLetters are those of the privileges, from the lowest bit.
const privilegeLetters = "arwdDxtXUCTc"

// String is the privileges' letters.
func (p Privileges) String() string {
	var b strings.Builder
	for i, c := range privilegeLetters {
		if p&(1<<i) != 0 {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// MarshalText gives the letters.
func (p Privileges) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads letters.
func (p *Privileges) UnmarshalText(text []byte) error {
	*p = 0
	for _, c := range text {
		i := strings.IndexByte(privilegeLetters, c)
		if i < 0 {
			return fmt.Errorf("unknown privilege %q", c)
		}
		*p |= 1 << i
	}
	return nil
}

// Class is a kind of object as far as privileges go, by PostgreSQL's letter for it.
type Class byte

// The classes of objects that have privileges.
const (
	ClassTable    Class = 'r' // views too
	ClassSequence Class = 's'
	ClassDatabase Class = 'd'
	ClassSchema   Class = 'n'
	ClassType     Class = 'T'
	ClassFunction Class = 'f'
)

// AllPrivileges are those that objects of a class can have.
func AllPrivileges(c Class) Privileges {
	switch c {
	case ClassTable:
		return Insert | Select | Update | Delete | Truncate | References | Trigger
	case ClassSequence:
		return Select | Update | Usage
	case ClassDatabase:
		return Create | Temporary | Connect
	case ClassSchema:
		return Usage | Create
	case ClassType:
		return Usage
	case ClassFunction:
		return Execute
	}
	return 0
}

// publicPrivileges are those that everybody has on objects of a class until they are revoked.
func publicPrivileges(c Class) Privileges {
	switch c {
	case ClassDatabase:
		return Temporary | Connect
	case ClassType:
		return Usage
	case ClassFunction:
		return Execute
	}
	return 0
}

// Public stands for everybody in ACLItem.Grantee.
const Public types.OID = 0

// ACLItem is what one role granted another.
type ACLItem struct {
	Grantee types.OID  `json:"to,omitempty"` // Public: everybody
	Grantor types.OID  `json:"by"`
	May     Privileges `json:"may"`
	// Options are the privileges of May that the grantee may grant on.
	Options Privileges `json:"option,omitzero"`
}

// ACL is who may do what with an object. Nil: nothing was ever granted or revoked, and DefaultACL holds.
type ACL []ACLItem

// DefaultACL is the privileges of a new object.
func DefaultACL(c Class, owner types.OID) ACL {
	var a ACL
	if p := publicPrivileges(c); p != 0 {
		a = append(a, ACLItem{Grantee: Public, Grantor: owner, May: p})
	}
	return append(a, ACLItem{Grantee: owner, Grantor: owner, May: AllPrivileges(c)})
}

// Clone makes a copy that can be changed; nil stays nil.
func (a ACL) Clone() ACL {
	if a == nil {
		return nil
	}
	return append(ACL{}, a...)
}

// Grant adds privileges, or the option to grant them on as well.
func (a ACL) Grant(grantee, grantor types.OID, p Privileges, option bool) ACL {
	if p == 0 {
		return a
	}
	out := a.Clone()
	i := out.find(grantee, grantor)
	if i < 0 {
		i = len(out)
		out = append(out, ACLItem{Grantee: grantee, Grantor: grantor})
	}
	out[i].May |= p
	if option {
		out[i].Options |= p
	}
	return out
}

// Revoke takes privileges away, or only the option to grant them on. What the grantee granted on by that option goes too;
// ok is false if there is such and cascade is not set.
func (a ACL) Revoke(grantee, grantor types.OID, p Privileges, onlyOption bool, owner types.OID, cascade bool) (out ACL, ok bool) {
	i := a.find(grantee, grantor)
	if i < 0 {
		return a, true
	}
	out = a.Clone()
	lost := out[i].Options & p
	out[i].Options &^= p
	if !onlyOption {
		out[i].May &^= p
	}
	if out[i].May == 0 {
		out = append(out[:i], out[i+1:]...)
	}
	if lost == 0 || grantee == owner {
		return out, true
	}
	// It may still have the option from somebody else.
	for _, item := range out {
		if item.Grantee == grantee {
			lost &^= item.Options
		}
	}
	for again := true; again; {
		again = false
		for _, item := range out {
			if item.Grantor != grantee || item.May&lost == 0 {
				continue
			}
			if !cascade {
				return a, false
			}
			if out, ok = out.Revoke(item.Grantee, grantee, lost, false, owner, cascade); !ok {
				return a, false
			}
			again = true
			break
		}
	}
	return out, true
}

func (a ACL) find(grantee, grantor types.OID) int {
	for i := range a {
		if a[i].Grantee == grantee && a[i].Grantor == grantor {
			return i
		}
	}
	return -1
}

// Mentions reports whether a role has privileges or granted them.
func (a ACL) Mentions(role types.OID) bool {
	for _, item := range a {
		if item.Grantee == role || item.Grantor == role {
			return true
		}
	}
	return false
}

// Without is the privileges without those of a role. Its grants to others go too.
func (a ACL) Without(role types.OID) ACL {
	if !a.Mentions(role) {
		return a
	}
	out := ACL{}
	for _, item := range a {
		if item.Grantee != role && item.Grantor != role {
			out = append(out, item)
		}
	}
	return out
}

// Sorted is the list by grantee and grantor, as PostgreSQL keeps default privileges.
func (a ACL) Sorted() ACL {
	out := a.Clone()
	slices.SortStableFunc(out, func(x, y ACLItem) int {
		return cmp.Or(cmp.Compare(x.Grantee, y.Grantee), cmp.Compare(x.Grantor, y.Grantor))
	})
	return out
}

// ChangeOwner is the privileges after the object went from one owner to another.
func (a ACL) ChangeOwner(from, to types.OID) ACL {
	if a == nil {
		return nil
	}
	out := ACL{}
	for _, item := range a {
		if item.Grantee == from {
			item.Grantee = to
		}
		if item.Grantor == from {
			item.Grantor = to
		}
		if i := out.find(item.Grantee, item.Grantor); i >= 0 {
			out[i].May |= item.May
			out[i].Options |= item.Options
			continue
		}
		out = append(out, item)
	}
	return out
}

// Granted is the privileges of an object: what was granted, or the default.
func Granted(a ACL, c Class, owner types.OID) ACL {
	if a == nil {
		return DefaultACL(c, owner)
	}
	return a
}

// Class is the relation's.
func (t *Table) Class() Class {
	if t.Kind == KindSequence {
		return ClassSequence
	}
	return ClassTable
}

// Granted is who may do what with the relation.
func (t *Table) Granted() ACL { return Granted(t.ACL, t.Class(), t.Owner) }

// Granted is who may do what with the schema.
func (s *Schema) Granted() ACL {
	if s.ACL == nil && s.OID == publicOID {
		return ACL{
			{Grantee: s.Owner, Grantor: s.Owner, May: AllPrivileges(ClassSchema)},
			{Grantee: Public, Grantor: s.Owner, May: Usage},
		}
	}
	return Granted(s.ACL, ClassSchema, s.Owner)
}

// Granted is who may do what with the database.
func (d *Database) Granted() ACL {
	if d.ACL == nil && (d.OID == template0OID || d.OID == template1OID) {
		return ACL{
			{Grantee: Public, Grantor: d.Owner, May: Connect},
			{Grantee: d.Owner, Grantor: d.Owner, May: AllPrivileges(ClassDatabase)},
		}
	}
	return Granted(d.ACL, ClassDatabase, d.Owner)
}

// Shown is the privileges as pg_class and its kin show them; nil is NULL.
func (t *Table) Shown() ACL { return t.ACL }

// Shown is the privileges as pg_namespace shows them; nil is NULL.
func (s *Schema) Shown() ACL {
	if s.OID == publicOID {
		return s.Granted()
	}
	return s.ACL
}

// Shown is the privileges as pg_database shows them; nil is NULL.
func (d *Database) Shown() ACL {
	if d.OID == template0OID || d.OID == template1OID {
		return d.Granted()
	}
	return d.ACL
}
