package types

import "minidb/sql/sqlerr"

// Input makes a value of type t from PostgreSQL's text form of it, the modifier of t included (varchar(3) refuses 'abcd',
// char(n) pads, numeric(p,s) rounds). The Datum shares no memory with text. Errors are *sqlerr.Error with PostgreSQL's
// messages and SQLSTATEs, without position.
func Input(ec *Context, t Type, text []byte) (Datum, error) {
	return Datum{}, sqlerr.Unsupported("type " + t.Format())
}

// AppendText appends the text form of d, which is not NULL, to dst.
func AppendText(ec *Context, dst []byte, t Type, d Datum) []byte { return dst }

// AppendBinary appends PostgreSQL's binary form of d, which is not NULL, to dst.
func AppendBinary(dst []byte, t Type, d Datum) []byte { return dst }

// DecodeBinary makes a value of type t from PostgreSQL's binary form of it. The Datum shares no memory with src.
func DecodeBinary(t Type, src []byte) (Datum, error) {
	return Datum{}, sqlerr.Unsupported("type " + t.Format())
}
