package catalog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"minidb/sql/sqlerr"
)

// The first byte of the keys of the catalog and of its neighbours. Keys that begin with 0x00 are kv's, those of rows begin
// with at least FirstTableID. No key is a prefix of another: ids have a fixed length and names end with a zero byte, which
// no identifier contains.
const (
	keyDescriptor byte = 0x01 // id(4) → JSON of what the id is
	keyName       byte = 0x02 // kind(1) parent(4) name 0x00 → id(4) and, for an index, index id(4)
	keyConstraint byte = 0x03 // schema(4) name 0x00 table(4) → 0x01
	keyOID        byte = 0x04 // oid(4) → id(4)
	keyMeta       byte = 0x05 // name 0x00 → JSON
	// KeyJobs begins the keys of package jobs.
	KeyJobs byte = 0x06

	keySequence byte = 0x07 // sequence(4) generation(4) → where it stands
	keyComment  byte = 0x08 // oid(4) column(2) → text

	keyStatistics byte = 0x09 // id(4) → JSON
)

// nameKind says in which namespace a name is. Tables and their indexes share one, as in PostgreSQL.
type nameKind byte

const (
	nameDatabase nameKind = 'd'
	nameSchema   nameKind = 's'
	nameRelation nameKind = 'r'
	nameRole     nameKind = 'u'
	nameType     nameKind = 't'
	nameFunction nameKind = 'f' // with the types of the arguments
	nameDefault  nameKind = 'a' // of default privileges; parent: database
)

// Names of the counters given to kv.DB.Allocate.
var (
	counterID  = []byte("catalog/id")
	counterOID = []byte("catalog/oid")
)

func counterIndex(table ID) []byte { return fmt.Appendf(nil, "catalog/index/%d", table) }
func counterRow(table ID) []byte   { return fmt.Appendf(nil, "catalog/row/%d", table) }

func descriptorKey(id ID) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyDescriptor}, uint32(id))
}

// LockKey is the name of a table for kv.Txn.LockTable.
func LockKey(id ID) []byte { return descriptorKey(id) }

func nameKey(kind nameKind, parent ID, name string) []byte {
	k := append(nameKeyPrefix(kind, parent), name...)
	return append(k, 0)
}

func nameKeyPrefix(kind nameKind, parent ID) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyName, byte(kind)}, uint32(parent))
}

// constraintPrefix begins the keys of all constraints of one name in a schema.
func constraintPrefix(schema ID, name string) []byte {
	k := binary.BigEndian.AppendUint32([]byte{keyConstraint}, uint32(schema))
	k = append(k, name...)
	return append(k, 0)
}

func constraintKey(schema ID, name string, table ID) []byte {
	return binary.BigEndian.AppendUint32(constraintPrefix(schema, name), uint32(table))
}

func oidKey(oid uint32) []byte { return binary.BigEndian.AppendUint32([]byte{keyOID}, oid) }

func metaKey(name string) []byte { return append(append([]byte{keyMeta}, name...), 0) }

// nameEntry is the value of a name.
type nameEntry struct {
	id    ID
	index IndexID // 0 unless the name is that of an index of table id
}

func (e nameEntry) encode() []byte {
	v := binary.BigEndian.AppendUint32(nil, uint32(e.id))
	if e.index != 0 {
		v = binary.BigEndian.AppendUint32(v, uint32(e.index))
	}
	return v
}

func decodeNameEntry(v []byte) (nameEntry, error) {
	switch len(v) {
	case 4:
		return nameEntry{id: ID(binary.BigEndian.Uint32(v))}, nil
	case 8:
		return nameEntry{ID(binary.BigEndian.Uint32(v)), IndexID(binary.BigEndian.Uint32(v[4:]))}, nil
	default:
		return nameEntry{}, corrupt("a name's value has %d bytes", len(v))
	}
}

// descriptor is the JSON value under a descriptor key: exactly one field is set.
type descriptor struct {
	Database *Database          `json:"database,omitempty"`
	Schema   *Schema            `json:"schema,omitempty"`
	Role     *Role              `json:"role,omitempty"`
	Table    *Table             `json:"table,omitempty"`
	Enum     *Enum              `json:"enum,omitempty"`
	Function *Function          `json:"function,omitempty"`
	Defaults *DefaultPrivileges `json:"defaultPrivileges,omitempty"`
}

func (d descriptor) encode() []byte {
	v, err := json.Marshal(d)
	if err != nil {
		panic(fmt.Sprintf("catalog: descriptor does not marshal: %v", err)) // only plain fields: cannot be
	}
	return v
}

func decodeDescriptor(v []byte) (descriptor, error) {
	var d descriptor
	if err := json.Unmarshal(v, &d); err != nil {
		return d, corrupt("a descriptor is not JSON: %v", err)
	}
	if d.Table != nil {
		if err := d.Table.validate(); err != nil {
			return d, corrupt("descriptor of table %q: %v", d.Table.Name, err)
		}
	}
	return d, nil
}

// corrupt reports damaged catalog bytes.
func corrupt(format string, args ...any) error {
	return sqlerr.New(sqlerr.DataCorrupted, "catalog is damaged: %s", fmt.Sprintf(format, args...))
}

// validate checks what the code that uses a table relies on.
func (t *Table) validate() error {
	switch {
	case t.Kind == KindSequence && t.Sequence == nil, t.Kind == KindView && t.View == nil:
		return fmt.Errorf("a %s without what makes it one", t.Kind)
	case t.Kind != KindTable:
		return nil
	}
	if len(t.Families) == 0 || t.Families[0].ID != 0 {
		return fmt.Errorf("no family 0")
	}
	if len(t.Primary.Keys) == 0 {
		return fmt.Errorf("no primary index")
	}
	for _, x := range t.AllIndexes() {
		for _, k := range x.Keys {
			if t.Ordinal(k.Column) < 0 {
				return fmt.Errorf("index %q has a column %d that the table lacks", x.Name, k.Column)
			}
		}
		if x.Where != 0 && t.Ordinal(x.Where) < 0 {
			return fmt.Errorf("index %q has a condition that the table lacks", x.Name)
		}
		for _, id := range x.Stored {
			if t.Ordinal(id) < 0 {
				return fmt.Errorf("index %q stores a column %d that the table lacks", x.Name, id)
			}
		}
	}
	for _, f := range t.Families {
		for _, id := range f.Columns {
			if t.Ordinal(id) < 0 {
				return fmt.Errorf("family %q has a column %d that the table lacks", f.Name, id)
			}
		}
	}
	return nil
}
