// Package types is the values of SQL: their types, their scalar and columnar forms, and everything PostgreSQL says about
// how they are read, written, cast and compared. It knows nothing of expressions, tables or keys.
//
// Reading order: [Type] names a type, [Datum] is one value of it, [Vec] a column of them, [Batch] some columns of rows.
// [Input] and [AppendText] are PostgreSQL's text forms, [DecodeBinary] and [AppendBinary] its binary ones, [Cast] turns a
// value of one type into another, [Compare] orders them. What depends on the session (time zone, now) is in [Context].
package types

// OID is PostgreSQL's number for an object; here, for a type.
type OID uint32

// The OIDs of the types minidb has, and of a few it only names. Array types have none here: see Type.Array.
const (
	InvalidOID        OID = 0
	BoolOID           OID = 16
	ByteaOID          OID = 17
	CharOID           OID = 18 // "char", one byte
	NameOID           OID = 19
	Int8OID           OID = 20
	Int2OID           OID = 21
	Int2VectorOID     OID = 22
	Int4OID           OID = 23
	RegProcOID        OID = 24
	TextOID           OID = 25
	OidOID            OID = 26
	TidOID            OID = 27
	XidOID            OID = 28
	CidOID            OID = 29
	OidVectorOID      OID = 30
	JSONOID           OID = 114
	PgNodeTreeOID     OID = 194
	Float4OID         OID = 700
	Float8OID         OID = 701
	UnknownOID        OID = 705
	InetOID           OID = 869
	ACLItemOID        OID = 1033
	BPCharOID         OID = 1042
	VarcharOID        OID = 1043
	DateOID           OID = 1082
	TimeOID           OID = 1083
	TimestampOID      OID = 1114
	TimestampTZOID    OID = 1184
	IntervalOID       OID = 1186
	TimeTZOID         OID = 1266
	NumericOID        OID = 1700
	RegProcedureOID   OID = 2202
	RegOperOID        OID = 2203
	RegOperatorOID    OID = 2204
	RegClassOID       OID = 2205
	RegTypeOID        OID = 2206
	RecordOID         OID = 2249
	CStringOID        OID = 2275
	AnyOID            OID = 2276
	AnyArrayOID       OID = 2277
	VoidOID           OID = 2278
	TriggerOID        OID = 2279
	InternalOID       OID = 2281
	AnyElementOID     OID = 2283
	AnyNonArrayOID    OID = 2776
	UUIDOID           OID = 2950
	PgLSNOID          OID = 3220
	PgNDistinctOID    OID = 3361
	PgDependenciesOID OID = 3402
	AnyEnumOID        OID = 3500
	RegConfigOID      OID = 3734
	RegDictionaryOID  OID = 3769
	JSONBOID          OID = 3802
	RegNamespaceOID   OID = 4089
	RegRoleOID        OID = 4096
	RegCollationOID   OID = 4191
	PgMCVListOID      OID = 5017
	Xid8OID           OID = 5069
)

// Type is a type with its modifier, such as the 15 of varchar(15). Types compare with ==.
type Type struct {
	OID OID
	// Mod is PostgreSQL's typmod: -1 for none; n+4 for varchar(n) and char(n); (p<<16 | s&0x7ff)+4 for numeric(p,s); the
	// precision for timestamps and times.
	Mod int32
}

// The types without a modifier.
var (
	Bool        = Type{BoolOID, -1}
	Bytea       = Type{ByteaOID, -1}
	Char        = Type{CharOID, -1} // "char"
	Name        = Type{NameOID, -1}
	Int2        = Type{Int2OID, -1}
	Int4        = Type{Int4OID, -1}
	Int8        = Type{Int8OID, -1}
	Text        = Type{TextOID, -1}
	Oid         = Type{OidOID, -1}
	Float4      = Type{Float4OID, -1}
	Float8      = Type{Float8OID, -1}
	Unknown     = Type{UnknownOID, -1} // a literal or parameter whose type is not decided yet
	BPChar      = Type{BPCharOID, -1}  // char(n)
	Varchar     = Type{VarcharOID, -1}
	Date        = Type{DateOID, -1}
	Time        = Type{TimeOID, -1}
	Timestamp   = Type{TimestampOID, -1}
	TimestampTZ = Type{TimestampTZOID, -1}
	Interval    = Type{IntervalOID, -1}
	Numeric     = Type{NumericOID, -1}
	Void        = Type{VoidOID, -1}
	UUID        = Type{UUIDOID, -1}
	RegClass    = Type{RegClassOID, -1}
	RegType     = Type{RegTypeOID, -1}
	Record      = Type{RecordOID, -1}

	TimeTZ        = Type{TimeTZOID, -1}
	JSON          = Type{JSONOID, -1}
	JSONB         = Type{JSONBOID, -1}
	RegProc       = Type{RegProcOID, -1}
	RegProcedure  = Type{RegProcedureOID, -1}
	RegOper       = Type{RegOperOID, -1}
	RegOperator   = Type{RegOperatorOID, -1}
	RegNamespace  = Type{RegNamespaceOID, -1}
	RegRole       = Type{RegRoleOID, -1}
	RegConfig     = Type{RegConfigOID, -1}
	RegDictionary = Type{RegDictionaryOID, -1}
	RegCollation  = Type{RegCollationOID, -1}
	Xid           = Type{XidOID, -1}
	Xid8          = Type{Xid8OID, -1}
	Cid           = Type{CidOID, -1}
	Int2Vector    = Type{Int2VectorOID, -1}
	OidVector     = Type{OidVectorOID, -1}
	TextArray     = Type{1009, -1}
	NameArray     = Type{1003, -1}
	Int2Array     = Type{1005, -1}
	Int4Array     = Type{1007, -1}
	Int8Array     = Type{1016, -1}
	OidArray      = Type{1028, -1}
)

// varHeader is what PostgreSQL adds to lengths in typmods.
const varHeader = 4

// VarcharN is varchar(n).
func VarcharN(n int) Type { return Type{VarcharOID, int32(n) + varHeader} }

// CharN is char(n).
func CharN(n int) Type { return Type{BPCharOID, int32(n) + varHeader} }

// NumericPS is numeric(precision, scale).
func NumericPS(precision, scale int) Type {
	return Type{NumericOID, int32(precision)<<16 | int32(scale)&0x7ff + varHeader}
}

// TimestampP is timestamp(precision).
func TimestampP(precision int) Type { return Type{TimestampOID, int32(precision)} }

// TimestampTZP is timestamptz(precision).
func TimestampTZP(precision int) Type { return Type{TimestampTZOID, int32(precision)} }

// Base is the type without its modifier.
func (t Type) Base() Type { return Type{t.OID, -1} }

// CharLimit is the n of varchar(n) or char(n), or -1.
func (t Type) CharLimit() int {
	if t.Mod < varHeader {
		return -1
	}
	return int(t.Mod - varHeader)
}

// PrecisionScale is the p and s of numeric(p,s); ok is false for numeric without them.
func (t Type) PrecisionScale() (precision, scale int, ok bool) {
	if t.Mod < varHeader {
		return 0, 0, false
	}
	m := t.Mod - varHeader
	// The scale is an 11-bit number with sign.
	return int(m>>16) & 0xffff, int((m&0x7ff)^1024) - 1024, true
}

// Kind says which field of a Datum and which slices of a Vec hold the values of a type.
type Kind uint8

const (
	// KindInt: Datum.I. Bools (0, 1), integers, oids, enums, dates (days since 2000-01-01), times and timestamps (microseconds
	// since 2000-01-01 UTC, or since midnight), floats (math.Float64bits; float4 as the float64 of the same value).
	KindInt Kind = iota
	// KindNumeric: Datum.I and Datum.Scale, or Datum.Big.
	KindNumeric
	// KindBytes: Datum.B. Text and bytea as they are, jsonb as its text, intervals and timetz in their binary form, arrays
	// as in array.go.
	KindBytes
)

// Kind tells how values of the type are held.
func (t Type) Kind() Kind {
	switch t.OID {
	case BoolOID, Int2OID, Int4OID, Int8OID, OidOID, Float4OID, Float8OID, DateOID, TimeOID, TimestampOID, TimestampTZOID,
		RegClassOID, RegTypeOID, RegProcOID, RegProcedureOID, RegOperOID, RegOperatorOID, RegNamespaceOID, RegRoleOID,
		RegConfigOID, RegDictionaryOID, RegCollationOID, XidOID, CidOID, Xid8OID:
		return KindInt
	case NumericOID:
		return KindNumeric
	}
	if t.IsEnum() {
		return KindInt
	}
	return KindBytes
}

// IsUnknown reports whether the type is that of an untyped literal.
func (t Type) IsUnknown() bool { return t.OID == UnknownOID }
