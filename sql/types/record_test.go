package types

import (
	"bytes"
	"testing"

	"minidb/sql/sqlerr"
)

func pointType() Type {
	return RecordOf(RowType{}, []Field{{"x", Int4}, {"note", Text}, {"n", NumericPS(5, 2)}})
}

func TestRecordsKeepTheirFields(t *testing.T) {
	typ := pointType()
	if typ != pointType() {
		t.Fatal("the same fields give another type")
	}
	if typ == RecordOf(RowType{Name: "t", OID: 20000}, typ.Fields()) {
		t.Fatal("rows of a table have the type of other records")
	}
	values := []Datum{NewInt(-7), NewText("a b"), NewNumeric(150, 2)}
	fields, got := NewRecord(typ, values).Record()
	if len(fields) != 3 || fields[1].Name != "note" {
		t.Fatalf("fields are %v", fields)
	}
	for i := range values {
		if Compare(fields[i].Type, got[i], values[i]) != 0 {
			t.Errorf("field %d is %v, want %v", i, got[i], values[i])
		}
	}
}

func TestRecordTextIsReadBack(t *testing.T) {
	typ := pointType()
	for _, c := range []struct {
		values []Datum
		text   string
	}{
		{[]Datum{NewInt(1), NewText("x"), NewNumeric(150, 2)}, `(1,x,1.50)`},
		{[]Datum{NullDatum, NewText(""), NullDatum}, `(,"",)`},
		{[]Datum{NewInt(2), NewText(`a "b" \ (c), d`), NullDatum}, `(2,"a ""b"" \\ (c), d",)`},
	} {
		d := NewRecord(typ, c.values)
		if got := FormatText(nil, typ, d); got != c.text {
			t.Errorf("got %s, want %s", got, c.text)
		}
		back, err := Input(nil, typ, []byte(" "+c.text+" "))
		if err != nil || !bytes.Equal(back.B, d.B) {
			t.Errorf("%s is read as %q, %v", c.text, back.B, err)
		}
	}
	for text, detail := range map[string]string{
		"1,x,1":      "Missing left parenthesis.",
		"(1,x)":      "Too few columns.",
		"(1,x,1,2)":  "Too many columns.",
		"(1,x,1) y":  "Junk after right parenthesis.",
		`(1,"x,1)`:   "Unexpected end of input.",
		`(1,x\`:      "Unexpected end of input.",
		"(1,x,1.25,": "Too many columns.",
	} {
		_, err := Input(nil, typ, []byte(text))
		if e, ok := sqlerr.As(err); !ok || e.Detail != detail {
			t.Errorf("%s: %v, want detail %q", text, err, detail)
		}
	}
}

func TestRecordsCompareFieldByField(t *testing.T) {
	typ := pointType()
	row := func(x Datum, note string) Datum { return NewRecord(typ, []Datum{x, NewText(note), NullDatum}) }
	for _, c := range []struct {
		a, b Datum
		want int
	}{
		{row(NewInt(1), "a"), row(NewInt(1), "a"), 0},
		{row(NewInt(1), "a"), row(NewInt(1), "b"), -1},
		{row(NullDatum, "a"), row(NewInt(9), "a"), 1},
		{row(NullDatum, "a"), row(NullDatum, "a"), 0},
	} {
		got, err := CompareRecords(c.a, c.b)
		if got != c.want || err != nil {
			t.Errorf("%s with %s is %d, %v, want %d", FormatText(nil, typ, c.a), FormatText(nil, typ, c.b), got, err, c.want)
		}
		if same := bytes.Equal(AppendKey(nil, typ, c.a), AppendKey(nil, typ, c.b)); same != (c.want == 0) {
			t.Errorf("keys of %s and %s: equal is %v", FormatText(nil, typ, c.a), FormatText(nil, typ, c.b), same)
		}
	}
	other := NewRecord(RecordOf(RowType{}, []Field{{"x", Text}}), []Datum{NewText("1")})
	if _, err := CompareRecords(other, row(NewInt(1), "a")); err == nil {
		t.Error("a text is compared with an integer")
	}
}

func TestRecordBinaryNamesTypesAndLengths(t *testing.T) {
	d := NewRecord(pointType(), []Datum{NewInt(258), NewText("ab"), NullDatum})
	want := []byte{0, 0, 0, 3, 0, 0, 0, 23, 0, 0, 0, 4, 0, 0, 1, 2, 0, 0, 0, 25, 0, 0, 0, 2, 'a', 'b', 0, 0, 6, 0xa4, 0xff, 0xff, 0xff, 0xff}
	if got := AppendBinary(nil, nil, Record, d); !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
