package types_test

import (
	"bytes"
	"testing"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

var fuzzTypes = []types.Type{
	types.Bool, types.Int2, types.Int4, types.Int8, types.Oid, types.Float4, types.Float8, types.Numeric, types.NumericPS(8, 2),
	types.Text, types.VarcharN(3), types.CharN(3), types.Name, types.Char, types.Bytea, types.UUID, types.Date,
	types.Timestamp, types.TimestampP(2), types.TimestampTZ, types.Interval,
}

// checkValue checks the laws that every value keeps: its text and its binary form read back as an equal value with the same
// forms.
func checkValue(t *testing.T, typ types.Type, d types.Datum) {
	t.Helper()
	text := types.AppendText(nil, nil, typ, d)
	back, err := types.Input(nil, typ, text)
	switch {
	case err != nil:
		t.Fatalf("%s: own text %q: %v", typ.Format(), text, err)
	case types.Compare(typ, back, d) != 0 || !bytes.Equal(types.AppendText(nil, nil, typ, back), text):
		t.Fatalf("%s: own text %q reads back as %q", typ.Format(), text, types.FormatText(nil, typ, back))
	}
	bin := types.AppendBinary(nil, nil, typ, d)
	back, err = types.DecodeBinary(nil, typ, bin)
	if err != nil || types.Compare(typ, back, d) != 0 || !bytes.Equal(types.AppendText(nil, nil, typ, back), text) {
		t.Fatalf("%s: %q: own binary form %v reads back as %q, %v", typ.Format(), text, bin, types.FormatText(nil, typ, back), err)
	}
}

func FuzzInput(f *testing.F) {
	for i, s := range []string{
		"t", "1", "-2", "3", "4", "1.5", "1e300", "1e10", "12.345", "x", "y", "z", "n", "c", `\x00`,
		"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "2020-01-01", "Jan 5, 2020 10:00 pm", "20200105T101112.5",
		"2020-01-01 10:00:00 Europe/Paris", "1 year -2 days 03:04:05.6",
	} {
		f.Add(uint8(i), []byte(s))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		typ := fuzzTypes[int(which)%len(fuzzTypes)]
		if len(text) > 1000 {
			return
		}
		d, err := types.Input(nil, typ, text)
		if err != nil {
			if _, ok := sqlerr.As(err); !ok {
				t.Fatalf("%s %q: %v", typ.Format(), text, err)
			}
			return
		}
		checkValue(t, typ, d)
	})
}

func FuzzDecodeBinary(f *testing.F) {
	for i := range fuzzTypes {
		f.Add(uint8(i), []byte{0, 2, 0, 1, 0x40, 0, 0, 2, 0, 1, 0x27, 0x0f})
	}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		typ := fuzzTypes[int(which)%len(fuzzTypes)].Base()
		d, err := types.DecodeBinary(nil, typ, src)
		if err != nil {
			if _, ok := sqlerr.As(err); !ok {
				t.Fatalf("%s %v: %v", typ.Format(), src, err)
			}
			return
		}
		checkValue(t, typ, d)
	})
}
