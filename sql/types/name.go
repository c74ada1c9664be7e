package types

import "minidb/sql/sqlerr"

// ParseTypeName finds the type of a name as the parser gives it: folded ("int8", "integer", "double precision",
// "character varying", "timestamp with time zone"; a pg_catalog schema already taken off) with its modifiers in
// parentheses. Errors: 42704 for an unknown name, 0A000 for a PostgreSQL type minidb does not have, 22023 for a modifier
// out of range, 42601 for one that the type does not take.
func ParseTypeName(name string, mods []int64) (Type, error) {
	return Type{}, sqlerr.New(sqlerr.UndefinedObject, "type %q does not exist", name)
}

// ByOID finds a type by its OID.
func ByOID(oid OID) (Type, bool) { return Type{}, false }

// Name is pg_type.typname: int4, varchar, bpchar.
func (t Type) Name() string { return "" }

// Format is the type as format_type shows it: integer, character varying(15), numeric(8,2).
func (t Type) Format() string { return "" }
