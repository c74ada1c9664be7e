package types

// typeInfo is a row of pg_type.
type typeInfo struct {
	oid, array OID // array is the type of one-dimensional arrays of it, 0 = none
	name       string
	format     string // as format_type shows it, without modifier
	len        int16
	category   byte
	preferred  bool
	elem       OID // of an array type
	// use is what minidb does with the type.
	use typeUse
}

// typeUse says what values of a type there can be.
type typeUse uint8

const (
	useFull    typeUse = iota // columns, literals, everything
	useCatalog                // only system catalogs have values of it, which are held as their text
	usePseudo                 // no values; it declares arguments and results
)

// baseTypes are the types minidb has, and the ones its catalogs show; their array types follow from them.
var baseTypes = []typeInfo{
	{oid: BoolOID, array: 1000, name: "bool", format: "boolean", len: 1, category: 'B', preferred: true},
	{oid: ByteaOID, array: 1001, name: "bytea", format: "bytea", len: -1, category: 'U'},
	{oid: CharOID, array: 1002, name: "char", format: `"char"`, len: 1, category: 'Z'},
	{oid: NameOID, array: 1003, name: "name", format: "name", len: 64, category: 'S'},
	{oid: Int8OID, array: 1016, name: "int8", format: "bigint", len: 8, category: 'N'},
	{oid: Int2OID, array: 1005, name: "int2", format: "smallint", len: 2, category: 'N'},
	{oid: Int2VectorOID, array: 1006, name: "int2vector", format: "int2vector", len: -1, category: 'A', elem: Int2OID},
	{oid: Int4OID, array: 1007, name: "int4", format: "integer", len: 4, category: 'N'},
	{oid: RegProcOID, array: 1008, name: "regproc", format: "regproc", len: 4, category: 'N'},
	{oid: TextOID, array: 1009, name: "text", format: "text", len: -1, category: 'S', preferred: true},
	{oid: OidOID, array: 1028, name: "oid", format: "oid", len: 4, category: 'N', preferred: true},
	{oid: TidOID, array: 1010, name: "tid", format: "tid", len: 6, category: 'U', use: useCatalog},
	{oid: XidOID, array: 1011, name: "xid", format: "xid", len: 4, category: 'U'},
	{oid: CidOID, array: 1012, name: "cid", format: "cid", len: 4, category: 'U'},
	{oid: OidVectorOID, array: 1013, name: "oidvector", format: "oidvector", len: -1, category: 'A', elem: OidOID},
	{oid: JSONOID, array: 199, name: "json", format: "json", len: -1, category: 'U'},
	{oid: PgNodeTreeOID, name: "pg_node_tree", format: "pg_node_tree", len: -1, category: 'Z', use: useCatalog},
	{oid: Float4OID, array: 1021, name: "float4", format: "real", len: 4, category: 'N'},
	{oid: Float8OID, array: 1022, name: "float8", format: "double precision", len: 8, category: 'N', preferred: true},
	{oid: UnknownOID, name: "unknown", format: "unknown", len: -2, category: 'X'},
	{oid: InetOID, array: 1041, name: "inet", format: "inet", len: -1, category: 'I', preferred: true, use: useCatalog},
	{oid: ACLItemOID, array: 1034, name: "aclitem", format: "aclitem", len: 12, category: 'U', use: useCatalog},
	{oid: BPCharOID, array: 1014, name: "bpchar", format: "character", len: -1, category: 'S'},
	{oid: VarcharOID, array: 1015, name: "varchar", format: "character varying", len: -1, category: 'S'},
	{oid: DateOID, array: 1182, name: "date", format: "date", len: 4, category: 'D'},
	{oid: TimeOID, array: 1183, name: "time", format: "time without time zone", len: 8, category: 'D'},
	{oid: TimestampOID, array: 1115, name: "timestamp", format: "timestamp without time zone", len: 8, category: 'D'},
	{oid: TimestampTZOID, array: 1185, name: "timestamptz", format: "timestamp with time zone", len: 8, category: 'D', preferred: true},
	{oid: IntervalOID, array: 1187, name: "interval", format: "interval", len: 16, category: 'T', preferred: true},
	{oid: TimeTZOID, array: 1270, name: "timetz", format: "time with time zone", len: 12, category: 'D'},
	{oid: NumericOID, array: 1231, name: "numeric", format: "numeric", len: -1, category: 'N'},
	{oid: RegProcedureOID, array: 2207, name: "regprocedure", format: "regprocedure", len: 4, category: 'N'},
	{oid: RegOperOID, array: 2208, name: "regoper", format: "regoper", len: 4, category: 'N'},
	{oid: RegOperatorOID, array: 2209, name: "regoperator", format: "regoperator", len: 4, category: 'N'},
	{oid: RegClassOID, array: 2210, name: "regclass", format: "regclass", len: 4, category: 'N'},
	{oid: RegTypeOID, array: 2211, name: "regtype", format: "regtype", len: 4, category: 'N'},
	{oid: RegRoleOID, array: 4097, name: "regrole", format: "regrole", len: 4, category: 'N'},
	{oid: RegNamespaceOID, array: 4090, name: "regnamespace", format: "regnamespace", len: 4, category: 'N'},
	{oid: RegConfigOID, array: 3735, name: "regconfig", format: "regconfig", len: 4, category: 'N'},
	{oid: RegDictionaryOID, array: 3770, name: "regdictionary", format: "regdictionary", len: 4, category: 'N'},
	{oid: RegCollationOID, array: 4192, name: "regcollation", format: "regcollation", len: 4, category: 'N'},
	{oid: UUIDOID, array: 2951, name: "uuid", format: "uuid", len: 16, category: 'U'},
	{oid: PgLSNOID, array: 3221, name: "pg_lsn", format: "pg_lsn", len: 8, category: 'U', use: useCatalog},
	{oid: JSONBOID, array: 3807, name: "jsonb", format: "jsonb", len: -1, category: 'U'},
	{oid: Xid8OID, array: 271, name: "xid8", format: "xid8", len: 8, category: 'U'},
	{oid: PgNDistinctOID, name: "pg_ndistinct", format: "pg_ndistinct", len: -1, category: 'Z', use: useCatalog},
	{oid: PgDependenciesOID, name: "pg_dependencies", format: "pg_dependencies", len: -1, category: 'Z', use: useCatalog},
	{oid: PgMCVListOID, name: "pg_mcv_list", format: "pg_mcv_list", len: -1, category: 'Z', use: useCatalog},

	{oid: RecordOID, array: 2287, name: "record", format: "record", len: -1, category: 'P', use: usePseudo},
	{oid: CStringOID, array: 1263, name: "cstring", format: "cstring", len: -2, category: 'P', use: usePseudo},
	{oid: AnyOID, name: "any", format: `"any"`, len: 4, category: 'P', use: usePseudo},
	{oid: AnyArrayOID, name: "anyarray", format: "anyarray", len: -1, category: 'P', use: useCatalog},
	{oid: VoidOID, name: "void", format: "void", len: 4, category: 'P', use: usePseudo},
	{oid: TriggerOID, name: "trigger", format: "trigger", len: 4, category: 'P', use: usePseudo},
	{oid: InternalOID, name: "internal", format: "internal", len: 8, category: 'P', use: usePseudo},
	{oid: AnyElementOID, name: "anyelement", format: "anyelement", len: 4, category: 'P', use: usePseudo},
	{oid: AnyNonArrayOID, name: "anynonarray", format: "anynonarray", len: 4, category: 'P', use: usePseudo},
	{oid: AnyEnumOID, name: "anyenum", format: "anyenum", len: 4, category: 'P', use: usePseudo},
}

// typesByOID finds a type in one step; it is as long as the largest OID wants. typesByName is by pg_type.typname.
var (
	typesByOID  []*typeInfo
	typesByName = map[string]*typeInfo{}
)

func init() {
	add := func(ti *typeInfo) {
		for int(ti.oid) >= len(typesByOID) {
			typesByOID = append(typesByOID, make([]*typeInfo, 512)...)
		}
		typesByOID[ti.oid] = ti
		typesByName[ti.name] = ti
	}
	for i := range baseTypes {
		ti := &baseTypes[i]
		add(ti)
		if ti.array == 0 {
			continue
		}
		category := byte('A')
		if ti.oid == RecordOID {
			category = 'P'
		}
		add(&typeInfo{
			oid: ti.array, name: "_" + ti.name, format: ti.format + "[]", len: -1, category: category, elem: ti.oid, use: ti.use,
		})
	}
}

// info is the type's row, or nil.
func (t Type) info() *typeInfo {
	switch {
	case int(t.OID) < len(typesByOID):
		return typesByOID[t.OID]
	case t.IsEnum():
		return enumInfo
	case t.IsUser():
		return enumArrayInfo
	}
	return nil
}

// Len is pg_type.typlen: bytes of a fixed-width type, -1 for varlena types, -2 for C strings.
func (t Type) Len() int16 {
	if ti := t.info(); ti != nil {
		return ti.len
	}
	return -1
}

// Category is pg_type.typcategory, which steers the choice among candidate operators and functions.
func (t Type) Category() byte {
	if ti := t.info(); ti != nil {
		return ti.category
	}
	return 'U'
}

// Preferred is pg_type.typispreferred: the type of its category that wins a tie.
func (t Type) Preferred() bool {
	ti := t.info()
	return ti != nil && ti.preferred
}

// HasValues reports whether columns and literals can be of the type: it is neither a pseudo-type nor one that only catalogs
// have.
func (t Type) HasValues() bool {
	ti := t.info()
	return ti != nil && ti.use == useFull
}

// Elem is the element type of an array type, the modifier included: int4 for int4[], varchar(3) for varchar(3)[]. ok is
// false for other types.
func (t Type) Elem() (elem Type, ok bool) {
	ti := t.info()
	switch {
	case ti == enumArrayInfo:
		return Type{t.OID - 1, -1}, true
	case ti == nil || ti.elem == 0:
		return Type{}, false
	}
	return Type{ti.elem, t.Mod}, true
}

// IsArray reports whether the type has elements: T[], int2vector and oidvector.
func (t Type) IsArray() bool {
	ti := t.info()
	return ti != nil && (ti.elem != 0 || ti == enumArrayInfo)
}

// Array is the type of arrays of t. ok is false for types that have none, arrays among them.
func (t Type) Array() (array Type, ok bool) {
	ti := t.info()
	switch {
	case ti == enumInfo:
		return Type{t.OID + 1, -1}, true
	case ti == nil || ti.array == 0:
		return Type{}, false
	}
	return Type{ti.array, t.Mod}, true
}

// isVector: int2vector and oidvector, which count from 0 and have a text form of their own.
func (t Type) isVector() bool { return t.OID == Int2VectorOID || t.OID == OidVectorOID }

// ByOID finds a built-in type by its OID, without modifier; ok is false for types minidb does not know, and for those that
// somebody made.
func ByOID(oid OID) (t Type, ok bool) {
	t = Type{oid, -1}
	return t, !t.IsUser() && t.info() != nil
}

// ByName finds a type by its pg_type.typname, such as int4 or _text, without modifier.
func ByName(name string) (t Type, ok bool) {
	ti := typesByName[name]
	if ti == nil {
		return Type{}, false
	}
	return Type{ti.oid, -1}, true
}
