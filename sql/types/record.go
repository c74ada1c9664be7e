package types

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"

	"minidb/sql/sqlerr"
)

// A record is a row as a value. Its bytes in a Datum are
//
//	shape(uvarint) ‖ for each field: 0 if NULL, else 1 and the field as an array holds its elements
//
// where the shape is the number, in this process, of the names and types of its fields; it is the modifier of the record's type
// too, if that is known. Records are not stored. Shapes are never forgotten, which costs a client that invents new names for the
// columns of its records some hundred bytes each.

// Field is a field of a record.
type Field struct {
	Name string
	Type Type
}

// shape is what records of a type have.
type shape struct {
	rowType RowType
	fields  []Field
}

// RowType is the composite type of a table's rows; the zero RowType is that of records of no table.
type RowType struct {
	Name string
	OID  OID
}

// shapes are the shapes by number, and the numbers by what shapeKey makes of them.
var shapes struct {
	sync.RWMutex
	byNumber []*shape
	numbers  map[string]int32
}

// RecordOf is the type of records with some fields.
func RecordOf(rowType RowType, fields []Field) Type {
	key := shapeKey(rowType, fields)
	shapes.Lock()
	defer shapes.Unlock()
	n, ok := shapes.numbers[key]
	if !ok {
		if shapes.numbers == nil {
			shapes.numbers = map[string]int32{}
		}
		n = int32(len(shapes.byNumber))
		shapes.numbers[key] = n
		shapes.byNumber = append(shapes.byNumber, &shape{rowType, append([]Field(nil), fields...)})
	}
	return Type{RecordOID, n}
}

func shapeKey(rowType RowType, fields []Field) string {
	var b strings.Builder
	b.WriteString(rowType.Name)
	b.Write(binary.BigEndian.AppendUint32([]byte{0}, uint32(rowType.OID)))
	for _, f := range fields {
		b.WriteByte(0)
		b.WriteString(f.Name)
		b.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{0}, uint32(f.Type.OID)), uint32(f.Type.Mod)))
	}
	return b.String()
}

func shapeOf(n int64) *shape {
	shapes.RLock()
	defer shapes.RUnlock()
	if n < 0 || n >= int64(len(shapes.byNumber)) {
		return nil
	}
	return shapes.byNumber[n]
}

// Fields are the fields of a record's type; nil for other types and where they are not known. The caller must not change them.
func (t Type) Fields() []Field {
	if t.OID != RecordOID {
		return nil
	}
	if s := shapeOf(int64(t.Mod)); s != nil {
		return s.fields
	}
	return nil
}

// IsRecord reports whether values of the type are records.
func (t Type) IsRecord() bool { return t.OID == RecordOID }

// RowType is the composite type whose records these are, zero for none.
func (t Type) RowType() RowType {
	if t.OID != RecordOID {
		return RowType{}
	}
	if s := shapeOf(int64(t.Mod)); s != nil {
		return s.rowType
	}
	return RowType{}
}

// NewRecord makes a record of a type that RecordOf made. It copies the values.
func NewRecord(t Type, values []Datum) Datum {
	fields := t.Fields()
	b := binary.AppendUvarint(make([]byte, 0, 4+8*len(values)), uint64(t.Mod))
	for i := range values {
		if values[i].Null {
			b = append(b, 0)
			continue
		}
		b = appendElem(append(b, 1), fields[i].Type, &values[i])
	}
	return Datum{B: b}
}

// Record takes a record apart. The values point into it.
func (d Datum) Record() (fields []Field, values []Datum) {
	n, k := binary.Uvarint(d.B)
	s := shapeOf(int64(n))
	if k <= 0 || s == nil {
		return nil, nil
	}
	b := d.B[k:]
	values = make([]Datum, len(s.fields))
	for i, f := range s.fields {
		ok := len(b) > 0
		switch {
		case !ok:
		case b[0] == 0:
			values[i] = NullDatum
			b = b[1:]
		default:
			b, ok = readElem(b[1:], f.Type, &values[i])
		}
		if !ok {
			return s.fields[:i], values[:i]
		}
	}
	return s.fields, values
}

// CompareRecords orders two records field by field, NULLs last, as Compare does, and refuses those that have no order.
func CompareRecords(a, b Datum) (int, error) {
	x, p := a.Record()
	y, q := b.Record()
	for i := range min(len(x), len(y)) {
		if x[i].Type.OID != y[i].Type.OID {
			return 0, sqlerr.New(sqlerr.DatatypeMismatch, "cannot compare dissimilar column types %s and %s at record column %d",
				x[i].Type.Base().Format(), y[i].Type.Base().Format(), i+1)
		}
		switch {
		case p[i].Null && q[i].Null:
			continue
		case p[i].Null:
			return 1, nil
		case q[i].Null:
			return -1, nil
		}
		c, err := 0, error(nil)
		if x[i].Type.IsRecord() {
			c, err = CompareRecords(p[i], q[i])
		} else {
			c = Compare(x[i].Type, p[i], q[i])
		}
		if c != 0 || err != nil {
			return c, err
		}
	}
	if len(x) != len(y) {
		return 0, sqlerr.New(sqlerr.DatatypeMismatch, "cannot compare record types with different numbers of columns")
	}
	return 0, nil
}

// compareRecords is CompareRecords where nothing can be refused: records of different kinds differ by their bytes.
func compareRecords(a, b Datum) int {
	c, err := CompareRecords(a, b)
	if err != nil {
		return bytes.Compare(a.B, b.B)
	}
	return c
}

// appendRecordKey is AppendKey of a record.
func appendRecordKey(dst []byte, d Datum) []byte {
	fields, values := d.Record()
	dst = binary.AppendUvarint(append(dst, 1), uint64(len(values)))
	for i, v := range values {
		dst = AppendKey(dst, fields[i].Type, v)
	}
	return dst
}

// appendRecord writes the text form of a record: (1,"a b",).
func appendRecord(ec *Context, dst []byte, d Datum) []byte {
	fields, values := d.Record()
	dst = append(dst, '(')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Null {
			continue
		}
		start := len(dst)
		dst = AppendText(ec, dst, fields[i].Type, v)
		dst = quoteField(dst, start)
	}
	return append(dst, ')')
}

// quoteField puts the field that was appended from start on into quotes if it needs them.
func quoteField(dst []byte, start int) []byte {
	text := dst[start:]
	if len(text) > 0 && !bytes.ContainsAny(text, "\"\\(), \t\n\r\v\f") {
		return dst
	}
	text = bytes.Clone(text)
	dst = append(dst[:start], '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// appendRecordBinary writes the binary form of a record: the number of fields, and for each its type, length and bytes.
func appendRecordBinary(ec *Context, dst []byte, d Datum) []byte {
	fields, values := d.Record()
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(values)))
	for i, v := range values {
		dst = binary.BigEndian.AppendUint32(dst, uint32(fields[i].Type.OID))
		if v.Null {
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		at := len(dst)
		dst = AppendBinary(ec, append(dst, 0, 0, 0, 0), fields[i].Type, v)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}
