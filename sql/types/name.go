package types

import (
	"strconv"

	"minidb/sql/sqlerr"
)

// typeNames is pg_type.typname and the name that format_type shows, without modifiers.
var typeNames = map[OID][2]string{
	BoolOID:        {"bool", "boolean"},
	ByteaOID:       {"bytea", "bytea"},
	CharOID:        {"char", `"char"`},
	NameOID:        {"name", "name"},
	Int8OID:        {"int8", "bigint"},
	Int2OID:        {"int2", "smallint"},
	Int4OID:        {"int4", "integer"},
	RegProcOID:     {"regproc", "regproc"},
	TextOID:        {"text", "text"},
	OidOID:         {"oid", "oid"},
	Float4OID:      {"float4", "real"},
	Float8OID:      {"float8", "double precision"},
	UnknownOID:     {"unknown", "unknown"},
	BPCharOID:      {"bpchar", "character"},
	VarcharOID:     {"varchar", "character varying"},
	DateOID:        {"date", "date"},
	TimeOID:        {"time", "time without time zone"},
	TimestampOID:   {"timestamp", "timestamp without time zone"},
	TimestampTZOID: {"timestamptz", "timestamp with time zone"},
	IntervalOID:    {"interval", "interval"},
	TimeTZOID:      {"timetz", "time with time zone"},
	NumericOID:     {"numeric", "numeric"},
	RegClassOID:    {"regclass", "regclass"},
	RegTypeOID:     {"regtype", "regtype"},
	RecordOID:      {"record", "record"},
	AnyOID:         {"any", `"any"`},
	VoidOID:        {"void", "void"},
	UUIDOID:        {"uuid", "uuid"},
	JSONOID:        {"json", "json"},
	JSONBOID:       {"jsonb", "jsonb"},
}

// Name is pg_type.typname: int4, varchar, bpchar.
func (t Type) Name() string {
	if n, ok := typeNames[t.OID]; ok {
		return n[0]
	}
	return strconv.FormatUint(uint64(t.OID), 10)
}

// Format is the type as format_type shows it: integer, character varying(15), numeric(8,2). A char without length, which
// only bpchar gives, shows as "character".
func (t Type) Format() string {
	n, ok := typeNames[t.OID]
	if !ok {
		return "???"
	}
	if t.Mod < 0 {
		return n[1]
	}
	mod := strconv.Itoa(int(t.Mod))
	switch t.OID {
	case VarcharOID, BPCharOID:
		return n[1] + "(" + strconv.Itoa(t.CharLimit()) + ")"
	case NumericOID:
		p, s, _ := t.PrecisionScale()
		return n[1] + "(" + strconv.Itoa(p) + "," + strconv.Itoa(s) + ")"
	case TimestampOID, TimeOID:
		return t.Name() + "(" + mod + ") without time zone"
	case TimestampTZOID:
		return "timestamp(" + mod + ") with time zone"
	case TimeTZOID:
		return "time(" + mod + ") with time zone"
	default:
		return n[1]
	}
}

// namedTypes maps the spellings of SQL and of pg_type to types. "float" and "character" depend on their modifiers too.
var namedTypes = map[string]Type{
	"bool": Bool, "boolean": Bool,
	"int2": Int2, "smallint": Int2,
	"int4": Int4, "int": Int4, "integer": Int4,
	"int8": Int8, "bigint": Int8,
	"float4": Float4, "real": Float4,
	"float8": Float8, "double precision": Float8, "float": Float8,
	"numeric": Numeric, "decimal": Numeric, "dec": Numeric,
	"text":    Text,
	"varchar": Varchar, "character varying": Varchar, "char varying": Varchar,
	"national character varying": Varchar, "national char varying": Varchar, "nchar varying": Varchar,
	"bpchar": BPChar, "character": BPChar, "national character": BPChar, "national char": BPChar, "nchar": BPChar,
	"name": Name, "char": Char,
	"bytea":     Bytea,
	"date":      Date,
	"timestamp": Timestamp, "timestamp without time zone": Timestamp,
	"timestamptz": TimestampTZ, "timestamp with time zone": TimestampTZ,
	"interval": Interval,
	"uuid":     UUID,
	"oid":      Oid,
	"unknown":  Unknown,
	"void":     Void,
}

// unsupportedTypes are PostgreSQL's types that minidb knows by name only.
var unsupportedTypes = map[string]bool{}

func init() {
	for _, n := range []string{
		"time", "time without time zone", "timetz", "time with time zone", "json", "jsonb", "jsonpath", "xml", "money",
		"bit", "bit varying", "varbit", "inet", "cidr", "macaddr", "macaddr8", "point", "line", "lseg", "box", "path",
		"polygon", "circle", "tsvector", "tsquery", "regclass", "regtype", "regproc", "regprocedure", "regoper",
		"regoperator", "regnamespace", "regrole", "regconfig", "regdictionary", "regcollation", "xid", "xid8", "cid", "tid",
		"pg_lsn", "txid_snapshot", "pg_snapshot", "int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange",
		"int4multirange", "int8multirange", "nummultirange", "tsmultirange", "tstzmultirange", "datemultirange",
		"record", "refcursor", "oidvector", "int2vector", "aclitem", "trigger", "hstore", "citext",
	} {
		unsupportedTypes[n] = true
	}
}

// ParseTypeName finds the type of a name as the parser gives it: folded ("int8", "integer", "double precision",
// "character varying", "timestamp with time zone"; a pg_catalog schema already taken off) with its modifiers in
// parentheses. The unquoted char is "bpchar" or "character" here; "char" is the one-byte type. Errors: 42704 for an unknown name, 0A000 for a PostgreSQL
// type minidb does not have, 22023 for a modifier out of range, 42601 for one that the type does not take.
func ParseTypeName(name string, mods []int64) (Type, error) {
	t, ok := namedTypes[name]
	if !ok {
		if unsupportedTypes[name] {
			return Type{}, sqlerr.Unsupported("type " + name)
		}
		return Type{}, sqlerr.New(sqlerr.UndefinedObject, "type %q does not exist", name)
	}
	if len(mods) == 0 {
		if t == BPChar && name != "bpchar" {
			return CharN(1), nil
		}
		return t, nil
	}
	switch t.OID {
	case VarcharOID, BPCharOID:
		return charMod(t, mods)
	case NumericOID:
		return numericMod(mods)
	case TimestampOID, TimestampTZOID:
		return timestampMod(t, mods)
	case Float8OID:
		if name == "float" && len(mods) == 1 {
			return floatMod(mods[0])
		}
	case IntervalOID:
		return Type{}, sqlerr.Unsupported("precision of type interval")
	}
	return Type{}, sqlerr.New(sqlerr.SyntaxError, "type modifier is not allowed for type %q", t.Name())
}

// maxCharLimit is PostgreSQL's largest n of varchar(n) and char(n).
const maxCharLimit = 10 << 20

func charMod(t Type, mods []int64) (Type, error) {
	short := "varchar"
	if t.OID == BPCharOID {
		short = "char"
	}
	switch {
	case len(mods) != 1:
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid type modifier")
	case mods[0] < 1:
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "length for type %s must be at least 1", short)
	case mods[0] > maxCharLimit:
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "length for type %s cannot exceed %d", short, maxCharLimit)
	}
	return Type{t.OID, int32(mods[0]) + varHeader}, nil
}

const maxNumericPrecision = 1000

func numericMod(mods []int64) (Type, error) {
	if len(mods) > 2 {
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid NUMERIC type modifier")
	}
	if mods[0] < 1 || mods[0] > maxNumericPrecision {
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "NUMERIC precision %d must be between 1 and %d",
			mods[0], maxNumericPrecision)
	}
	var scale int64
	if len(mods) == 2 {
		scale = mods[1]
	}
	if scale < -maxNumericPrecision || scale > maxNumericPrecision {
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "NUMERIC scale %d must be between %d and %d",
			scale, -maxNumericPrecision, maxNumericPrecision)
	}
	return NumericPS(int(mods[0]), int(scale)), nil
}

// maxTimePrecision is the number of fractional digits of a second that a microsecond has. PostgreSQL warns and takes it
// when more are asked for; minidb takes it silently.
const maxTimePrecision = 6

func timestampMod(t Type, mods []int64) (Type, error) {
	if len(mods) != 1 {
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid type modifier")
	}
	if mods[0] < 0 {
		zone := ""
		if t.OID == TimestampTZOID {
			zone = " WITH TIME ZONE"
		}
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "TIMESTAMP(%d)%s precision must not be negative", mods[0], zone)
	}
	return Type{t.OID, int32(min(mods[0], maxTimePrecision))}, nil
}

// floatMod is float(p): p counts bits.
func floatMod(bits int64) (Type, error) {
	switch {
	case bits < 1:
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "precision for type float must be at least 1 bit")
	case bits <= 24:
		return Float4, nil
	case bits <= 53:
		return Float8, nil
	default:
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "precision for type float must be less than 54 bits")
	}
}

// ByOID finds a type by its OID, without modifier; ok is false for types minidb has no values of.
func ByOID(oid OID) (t Type, ok bool) {
	n, ok := typeNames[oid]
	if !ok {
		return Type{}, false
	}
	t, ok = namedTypes[n[0]]
	return t, ok
}
