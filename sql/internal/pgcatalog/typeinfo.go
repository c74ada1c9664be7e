package pgcatalog

import (
	"sync"

	"minidb/sql/types"
)

// typeInfo is what other tables repeat of a row of pg_type.
type typeInfo struct {
	name      string
	len       int64
	byValue   bool
	kind      byte
	category  byte
	align     byte
	storage   byte
	array     types.OID
	elem      types.OID
	collation types.OID
	namespace types.OID
}

// builtinTypes are the built-in types by OID.
var builtinTypes = sync.OnceValue(func() map[types.OID]*typeInfo {
	rel := Find("pg_catalog", "pg_type")
	at := func(name string) int { return rel.Column(name) }
	o, name, length, byValue := at("oid"), at("typname"), at("typlen"), at("typbyval")
	kind, category, align, storage := at("typtype"), at("typcategory"), at("typalign"), at("typstorage")
	arr, elem, collation, namespace := at("typarray"), at("typelem"), at("typcollation"), at("typnamespace")
	infos := map[types.OID]*typeInfo{}
	for _, r := range builtinRows("pg_type") {
		infos[types.OID(r[o].I)] = &typeInfo{
			name: r[name].Text(), len: r[length].I, byValue: r[byValue].Bool(), kind: r[kind].B[0], category: r[category].B[0],
			align: r[align].B[0], storage: r[storage].B[0], array: types.OID(r[arr].I), elem: types.OID(r[elem].I),
			collation: types.OID(r[collation].I), namespace: types.OID(r[namespace].I),
		}
	}
	return infos
})

// enumInfo is how values of enumerated types are held.
var enumInfo = &typeInfo{len: 4, byValue: true, kind: 'e', category: 'E', align: 'i', storage: 'p'}

// enumArrayInfo is how arrays of them are held.
var enumArrayInfo = &typeInfo{len: -1, kind: 'b', category: 'A', align: 'i', storage: 'x'}

// typeOf is the facts of a type: those of enumerated types, which are not built in, are all alike.
func typeOf(o types.OID) *typeInfo {
	if t := builtinTypes()[o]; t != nil {
		return t
	}
	if t := (types.Type{OID: o, Mod: -1}); t.IsUser() && !t.IsEnum() {
		return enumArrayInfo
	}
	return enumInfo
}

// btreeClass is the operator class by which an index orders a type.
func btreeClass(t types.OID) types.OID {
	if types.EnumType(t).IsEnum() {
		t = types.AnyEnumOID
	}
	return btreeClasses()[t]
}

// btreeClassNamed is the operator class of a name.
func btreeClassNamed(name string) types.OID {
	rel := Find("pg_catalog", "pg_opclass")
	o, method, named := rel.Column("oid"), rel.Column("opcmethod"), rel.Column("opcname")
	for _, r := range builtinRows("pg_opclass") {
		if types.OID(r[method].I) == amBtree && r[named].Text() == name {
			return types.OID(r[o].I)
		}
	}
	return 0
}

const (
	amHeap  types.OID = 2
	amBtree types.OID = 403
)

var btreeClasses = sync.OnceValue(func() map[types.OID]types.OID {
	rel := Find("pg_catalog", "pg_opclass")
	o, method, in, isDefault := rel.Column("oid"), rel.Column("opcmethod"), rel.Column("opcintype"), rel.Column("opcdefault")
	classes := map[types.OID]types.OID{}
	for _, r := range builtinRows("pg_opclass") {
		if types.OID(r[method].I) == amBtree && r[isDefault].Bool() {
			classes[types.OID(r[in].I)] = types.OID(r[o].I)
		}
	}
	classes[types.VarcharOID] = classes[types.TextOID]
	return classes
})
