package types

import (
	"strconv"

	"minidb/sql/sqlerr"
)

// Name is pg_type.typname: int4, varchar, bpchar, _text.
func (t Type) Name() string {
	if ti := t.info(); ti != nil {
		return ti.name
	}
	return strconv.FormatUint(uint64(t.OID), 10)
}

// Format is the type as format_type shows it: integer, character varying(15), numeric(8,2), text[]. A char without length,
// which only bpchar gives, shows as "character". A type that somebody made shows as a number: see NameTypes.
func (t Type) Format() string {
	ti := t.info()
	if ti == nil {
		return "???"
	}
	if t.IsUser() {
		return t.numberedName()
	}
	if t.Mod < 0 {
		return ti.format
	}
	if elem, ok := t.Elem(); ok && !t.isVector() {
		return elem.Format() + "[]"
	}
	if r := t.RowType(); r.OID != 0 {
		return r.Name
	}
	mod := strconv.Itoa(int(t.Mod))
	switch t.OID {
	case VarcharOID, BPCharOID:
		return ti.format + "(" + strconv.Itoa(t.CharLimit()) + ")"
	case NumericOID:
		p, s, _ := t.PrecisionScale()
		return ti.format + "(" + strconv.Itoa(p) + "," + strconv.Itoa(s) + ")"
	case TimestampOID, TimeOID:
		return t.Name() + "(" + mod + ") without time zone"
	case TimestampTZOID:
		return "timestamp(" + mod + ") with time zone"
	case TimeTZOID:
		return "time(" + mod + ") with time zone"
	default:
		return ti.format
	}
}

// sqlNames are the spellings that SQL has beside pg_type's. "float" and "character" depend on their modifiers too.
var sqlNames = map[string]Type{
	"boolean": Bool, "smallint": Int2, "int": Int4, "integer": Int4, "bigint": Int8,
	"real": Float4, "double precision": Float8, "float": Float8,
	"decimal": Numeric, "dec": Numeric,
	"character varying": Varchar, "char varying": Varchar,
	"national character varying": Varchar, "national char varying": Varchar, "nchar varying": Varchar,
	"character": BPChar, "national character": BPChar, "national char": BPChar, "nchar": BPChar,
	"time without time zone": Time, "time with time zone": TimeTZ,
	"timestamp without time zone": Timestamp, "timestamp with time zone": TimestampTZ,
}

// unsupportedTypes are PostgreSQL's types that minidb knows by name only.
var unsupportedTypes = map[string]bool{}

func init() {
	for _, n := range []string{
		"jsonpath", "xml", "money", "bit", "bit varying", "varbit", "cidr", "macaddr", "macaddr8", "point", "line", "lseg",
		"box", "path", "polygon", "circle", "tsvector", "tsquery", "gtsvector", "txid_snapshot", "pg_snapshot", "int4range",
		"int8range", "numrange", "tsrange", "tstzrange", "daterange", "int4multirange", "int8multirange", "nummultirange",
		"tsmultirange", "tstzmultirange", "datemultirange", "refcursor", "hstore", "citext",
	} {
		unsupportedTypes[n] = true
	}
}

// typeByName finds a type by a spelling of SQL or pg_type.
func typeByName(name string) (Type, error) {
	t, ok := sqlNames[name]
	if !ok {
		t, ok = ByName(name)
	}
	switch {
	case ok && t.info().use == useFull:
		return t, nil
	case ok || unsupportedTypes[name]:
		return Type{}, sqlerr.Unsupported("type " + name)
	}
	return Type{}, sqlerr.New(sqlerr.UndefinedObject, "type %q does not exist", name)
}

// CatalogTypeByName finds a type that no column can have, but that expressions may be cast to as clients do: aclitem and cstring.
func CatalogTypeByName(name string) (t Type, ok bool) {
	switch name {
	case "aclitem":
		return Type{ACLItemOID, -1}, true
	case "cstring":
		return Type{CStringOID, -1}, true
	}
	return Type{}, false
}

// ParseTypeName finds the type of a name as the parser gives it: folded ("int8", "integer", "double precision",
// "character varying", "timestamp with time zone"; a pg_catalog schema already taken off) with its modifiers in
// parentheses. The unquoted char is "bpchar" or "character" here; "char" is the one-byte type. Errors: 42704 for an unknown name, 0A000 for a PostgreSQL
// type minidb does not have, 22023 for a modifier out of range, 42601 for one that the type does not take.
func ParseTypeName(name string, mods []int64) (Type, error) {
	t, err := typeByName(name)
	if err != nil {
		return Type{}, err
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
	case TimestampOID, TimestampTZOID, TimeOID, TimeTZOID:
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
		word, zone := "TIMESTAMP", ""
		if t.OID == TimeOID || t.OID == TimeTZOID {
			word = "TIME"
		}
		if t.OID == TimestampTZOID || t.OID == TimeTZOID {
			zone = " WITH TIME ZONE"
		}
		return Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "%s(%d)%s precision must not be negative", word, mods[0], zone)
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
