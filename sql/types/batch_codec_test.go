package types

import "testing"

// TestBatchCodecKeepsEveryValue: NULLs, numbers beyond an int64, columns without values.
func TestBatchCodecKeepsEveryValue(t *testing.T) {
	ts := []Type{Int8, Numeric, Text, Float8}
	b := NewBatch(ts)
	for _, row := range [][]string{
		{"-5", "1.50", "abc", "1.5"},
		{"", "123456789012345678901234567890.00100", "", ""},
		{"9223372036854775807", "NaN", "äö", "NaN"},
		{"0", "-Infinity", "", "-0"},
		{"1", "-0.00", "x", "Infinity"},
	} {
		var datums []Datum
		for c, s := range row {
			d := NullDatum
			if s != "" {
				var err error
				if d, err = Input(&Context{}, ts[c], []byte(s)); err != nil {
					t.Fatal(err)
				}
			}
			datums = append(datums, d)
		}
		b.AppendRow(datums)
	}
	b.Cols[3].Reset() // nobody wants it
	enc := AppendBatch(nil, b)
	got := NewBatch(ts)
	if err := DecodeBatch(enc, got); err != nil {
		t.Fatal(err)
	}
	if got.N != b.N || got.Cols[3].Len() != 0 {
		t.Fatalf("%d rows, %d values of a column without", got.N, got.Cols[3].Len())
	}
	for c := range 3 {
		for r := range b.N {
			x, y := b.Datum(c, r), got.Datum(c, r)
			if x.Null != y.Null || string(AppendText(&Context{}, nil, ts[c], x)) != string(AppendText(&Context{}, nil, ts[c], y)) {
				t.Errorf("column %d row %d: %v became %v", c, r, x, y)
			}
		}
	}
	for n := range enc {
		if DecodeBatch(enc[:n], got) == nil {
			t.Fatalf("the first %d bytes of %d passed", n, len(enc))
		}
	}
}
