package types

import (
	"encoding/binary"
	"math"

	"minidb/sql/sqlerr"
)

// Input makes a value of type t from PostgreSQL's text form of it, the modifier of t included (varchar(3) refuses 'abcd',
// char(n) pads, numeric(p,s) rounds). The Datum shares no memory with text. Errors are *sqlerr.Error with PostgreSQL's
// messages and SQLSTATEs, without position.
func Input(ec *Context, t Type, text []byte) (Datum, error) {
	d, err := InputShared(ec, t, text)
	if err != nil {
		return Datum{}, err
	}
	switch t.OID {
	case TextOID, VarcharOID, BPCharOID, NameOID, CharOID, UnknownOID:
		d = d.Clone()
	}
	return d, nil
}

// InputShared is Input for callers that reuse no memory of text while they hold the Datum, which may point into it. It
// allocates nothing for bools, integers, floats, numerics that fit an int64, dates, timestamps and text.
func InputShared(ec *Context, t Type, text []byte) (Datum, error) {
	switch t.OID {
	case BoolOID:
		return inputBool(text)
	case Int2OID:
		return inputInt(text, math.MinInt16, math.MaxInt16, "smallint")
	case Int4OID:
		return inputInt(text, math.MinInt32, math.MaxInt32, "integer")
	case Int8OID:
		return inputInt(text, math.MinInt64, math.MaxInt64, "bigint")
	case OidOID:
		return inputOid(text)
	case Float4OID:
		return inputFloat(text, 32)
	case Float8OID:
		return inputFloat(text, 64)
	case NumericOID:
		return inputNumeric(t, text)
	case TextOID, UnknownOID, VarcharOID, BPCharOID, NameOID, CharOID:
		return inputString(t, text)
	case ByteaOID:
		return inputBytea(text)
	case UUIDOID:
		return inputUUID(text)
	case DateOID:
		return inputDate(ec.orDefault(), text)
	case TimestampOID, TimestampTZOID:
		return inputTimestamp(ec.orDefault(), t, text)
	case IntervalOID:
		return inputInterval(ec.orDefault(), text)
	default:
		return inputOther(ec.orDefault(), t, text)
	}
}

// inputOther is InputShared of the types that are rarely read.
func inputOther(ec *Context, t Type, text []byte) (Datum, error) {
	switch t.OID {
	case TimeOID, TimeTZOID:
		return inputTime(ec, t, text)
	case JSONOID:
		return inputJSON(text)
	case JSONBOID:
		return inputJSONB(text)
	case XidOID, CidOID, Xid8OID:
		return inputXid(t, text)
	case VoidOID:
		return Datum{}, nil
	case ACLItemOID, CStringOID:
		return NewBytes(append([]byte{}, text...)), nil // catalogs hold the text
	case RecordOID:
		return inputRecord(ec, t, text)
	}
	if t.IsReg() {
		return inputReg(ec, t, text)
	}
	if t.IsEnum() {
		return inputEnum(ec, t, text)
	}
	elem, isArray := t.Elem()
	ti := t.info()
	switch {
	case t.isVector():
		return inputVector(ec, elem, text)
	case isArray && (ti.use == useFull || elem.OID == ACLItemOID || elem.OID == CStringOID):
		return inputArray(ec, t, elem, text)
	}
	return Datum{}, sqlerr.Unsupported("type " + t.Format())
}

// AppendText appends the text form of d, which is not NULL, to dst.
func AppendText(ec *Context, dst []byte, t Type, d Datum) []byte {
	switch t.OID {
	case BoolOID:
		if d.I != 0 {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case Float4OID, Float8OID:
		return appendFloat(ec.orDefault(), dst, t, d.Float())
	case NumericOID:
		return appendNumeric(dst, d)
	case ByteaOID:
		return appendBytea(ec.orDefault(), dst, d.B)
	case UUIDOID:
		return appendUUID(dst, d.B)
	case DateOID:
		return appendDate(dst, d.I)
	case TimestampOID:
		return appendTimestamp(dst, d.I)
	case TimestampTZOID:
		return appendTimestampTZ(ec.orDefault(), dst, d.I)
	case IntervalOID:
		return appendInterval(ec.orDefault(), dst, d)
	case CharOID:
		return appendChar(dst, d.B)
	case Int2OID, Int4OID, Int8OID, OidOID:
		return appendInt(dst, d.I)
	case TextOID, VarcharOID, BPCharOID, NameOID, JSONOID, JSONBOID:
		return append(dst, d.B...)
	default:
		return appendOther(ec.orDefault(), dst, t, d)
	}
}

// appendOther is AppendText of the types that are rarely written.
func appendOther(ec *Context, dst []byte, t Type, d Datum) []byte {
	switch t.OID {
	case TimeOID:
		return appendTime(dst, d.I)
	case TimeTZOID:
		return appendTimeTZ(dst, d)
	case VoidOID:
		return dst
	case RecordOID:
		return appendRecord(ec, dst, d)
	}
	if t.IsReg() {
		return appendReg(ec, dst, t, OID(d.I))
	}
	if t.IsEnum() {
		return appendEnum(ec, dst, t, d)
	}
	switch elem, isArray := t.Elem(); {
	case t.isVector():
		return appendVector(dst, elem, d)
	case isArray:
		return appendArray(ec, dst, elem, d)
	case t.Kind() == KindInt:
		return appendInt(dst, d.I)
	}
	return append(dst, d.B...)
}

// FormatText is AppendText as a string.
func FormatText(ec *Context, t Type, d Datum) string {
	return string(AppendText(ec, nil, t, d))
}

// AppendBinary appends PostgreSQL's binary form of d, which is not NULL, to dst.
func AppendBinary(ec *Context, dst []byte, t Type, d Datum) []byte {
	switch t.OID {
	case BoolOID:
		return append(dst, byte(d.I))
	case Int2OID:
		return binary.BigEndian.AppendUint16(dst, uint16(d.I))
	case Int4OID, OidOID, DateOID:
		return binary.BigEndian.AppendUint32(dst, uint32(d.I))
	case Int8OID, TimeOID, TimestampOID, TimestampTZOID, Float8OID, Xid8OID:
		return binary.BigEndian.AppendUint64(dst, uint64(d.I))
	case Float4OID:
		return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(d.Float())))
	case NumericOID:
		return appendNumericBinary(dst, d)
	case IntervalOID:
		return appendIntervalBinary(dst, d)
	case CharOID:
		if len(d.B) == 0 {
			return append(dst, 0)
		}
		return append(dst, d.B[0])
	case JSONBOID:
		dst = append(dst, jsonbVersion)
	case RecordOID:
		return appendRecordBinary(ec, dst, d)
	}
	if elem, ok := t.Elem(); ok {
		return appendArrayBinary(ec, dst, elem, d)
	}
	if t.IsEnum() {
		return appendEnum(ec, dst, t, d)
	}
	if t.Kind() == KindInt { // reg types and the like
		return binary.BigEndian.AppendUint32(dst, uint32(d.I))
	}
	return append(dst, d.B...)
}

// DecodeBinary makes a value of type t from PostgreSQL's binary form of it, the modifier of t not applied. The Datum shares
// no memory with src. A form of the wrong length is 08P01 or 22P03, as in PostgreSQL.
func DecodeBinary(ec *Context, t Type, src []byte) (Datum, error) {
	if n := t.Len(); n > 0 && t.OID != NameOID && !t.IsEnum() && len(src) != int(n) {
		return Datum{}, badBinaryLength(t, len(src) < int(n))
	}
	switch t.OID {
	case BoolOID:
		return NewBool(src[0] != 0), nil
	case Int2OID:
		return NewInt(int64(int16(binary.BigEndian.Uint16(src)))), nil
	case Int4OID:
		return NewInt(int64(int32(binary.BigEndian.Uint32(src)))), nil
	case OidOID:
		return NewInt(int64(binary.BigEndian.Uint32(src))), nil
	case Int8OID, Float8OID, Xid8OID:
		return NewInt(int64(binary.BigEndian.Uint64(src))), nil
	case Float4OID:
		return NewFloat(float64(math.Float32frombits(binary.BigEndian.Uint32(src)))), nil
	case DateOID:
		return decodeDate(int64(int32(binary.BigEndian.Uint32(src))))
	case TimestampOID, TimestampTZOID:
		return decodeTimestamp(int64(binary.BigEndian.Uint64(src)))
	case NumericOID:
		return decodeNumericBinary(src)
	case IntervalOID:
		return decodeIntervalBinary(src)
	case CharOID:
		if src[0] == 0 {
			return Datum{B: []byte{}}, nil
		}
		return NewBytes([]byte{src[0]}), nil
	case TextOID, UnknownOID, VarcharOID, BPCharOID, NameOID:
		d, err := inputString(t.Base(), src)
		return d.Clone(), err
	case ByteaOID, UUIDOID:
		return NewBytes(append([]byte{}, src...)), nil
	default:
		return decodeOther(ec.orDefault(), t, src)
	}
}

// decodeOther is DecodeBinary of the types that are rarely sent.
func decodeOther(ec *Context, t Type, src []byte) (Datum, error) {
	switch t.OID {
	case TimeOID:
		return decodeTime(int64(binary.BigEndian.Uint64(src)))
	case TimeTZOID:
		return decodeTimeTZ(src)
	case JSONOID:
		d, err := inputJSON(src)
		return d.Clone(), err
	case JSONBOID:
		return decodeJSONB(src)
	}
	elem, isArray := t.Elem()
	switch ti := t.info(); {
	case isArray && ti.use == useFull:
		return decodeArrayBinary(ec, t, elem, src)
	case t.IsReg() || t.OID == XidOID || t.OID == CidOID:
		return NewInt(int64(binary.BigEndian.Uint32(src))), nil
	case t.IsEnum():
		return inputEnum(ec, t, src)
	}
	return Datum{}, sqlerr.Unsupported("binary input of type " + t.Format())
}

// badBinaryLength is what PostgreSQL says to a form that ends too early, or that goes on after the value.
func badBinaryLength(t Type, short bool) error {
	if short {
		return sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
	}
	return sqlerr.New(sqlerr.InvalidBinaryRepresentation, "incorrect binary data format")
}

// invalidSyntax is the error of every input function that cannot read its text.
func invalidSyntax(typeName string, text []byte) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typeName, text)
}

// isSpace is C's isspace, which PostgreSQL's input functions skip.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// trimSpace takes the blanks off both ends.
func trimSpace(s []byte) []byte {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isDigit(c byte) bool { return c-'0' <= 9 }
