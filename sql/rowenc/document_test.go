package rowenc

import (
	"bytes"
	"testing"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// TestArraysAndDocumentsAreValuesButNotKeys: their bytes have not the order of the values, so no index can have them.
func TestArraysAndDocumentsAreValuesButNotKeys(t *testing.T) {
	var b valueBuilder
	var want []types.Datum
	for i, c := range []struct {
		typ  types.Type
		text string
	}{
		{types.Int4Array, "{1,NULL,-3}"},
		{types.TextArray, `{a,"b c",""}`},
		{types.JSON, `{"a" : 1}`},
		{types.JSONB, `{"b":[1.50,null],"a":2}`},
		{types.TimeTZ, "10:11:12.5+02"},
	} {
		if Keyable(c.typ) {
			t.Errorf("%s can be a key", c.typ.Format())
		}
		if valueKindOf(c.typ) != valueBytes {
			t.Errorf("%s is not held as bytes", c.typ.Format())
		}
		d, err := types.Input(nil, c.typ, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		b.add(catalog.ColumnID(i+1), valueBytes, &d)
		want = append(want, d)
	}
	var r valueReader
	if err := r.init(b.append(nil)); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		raw, err := r.bytes(i)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := decodeValue(raw, valueBytes); err != nil || !bytes.Equal(d.B, want[i].B) {
			t.Errorf("value %d: %x, %v", i, d.B, err)
		}
	}
	for _, typ := range []types.Type{types.Time, types.RegClass, types.Xid} {
		if !Keyable(typ) {
			t.Errorf("%s cannot be a key", typ.Format())
		}
	}
}
