package rowenc

import (
	"testing"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

func TestSpanHoldsExactlyItsRows(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		tab := &catalog.Table{ID: 100, Columns: []catalog.Column{
			{ID: 1, Type: types.Int4},
			{ID: 2, Type: []types.Type{types.Int8, types.Text, types.Numeric}[r.IntN(3)]},
			{ID: 3, Type: types.Int8},
		}, Families: []catalog.Family{{}}}
		tab.Primary = catalog.Index{ID: 1, Primary: true, Unique: true, Keys: []catalog.IndexColumn{{Column: 3}}}
		x := catalog.Index{ID: 2, Unique: r.IntN(2) == 0, Keys: []catalog.IndexColumn{
			{Column: 1, Desc: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0}, {Column: 2, Desc: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0},
		}}
		codec, enc := NewKeyCodec(tab, &x), NewIndexEncoder(tab, &x)
		typ := tab.Columns[1].Type
		eq := []types.Datum{randomDatum(r, types.Int4)}
		if r.IntN(8) == 0 {
			eq[0] = types.NullDatum
		}
		var lo, hi *Bound
		if r.IntN(3) > 0 {
			lo = &Bound{randomDatum(r, typ), r.IntN(2) == 0}
		}
		if r.IntN(3) > 0 {
			hi = &Bound{randomDatum(r, typ), r.IntN(2) == 0}
		}
		span := codec.Span(eq, lo, hi)
		for i := range 20 {
			row := []types.Datum{eq[0], randomDatum(r, typ), types.NewInt(int64(i))}
			switch r.IntN(8) {
			case 0:
				row[0] = randomDatum(r, types.Int4)
			case 1:
				row[1] = types.NullDatum
			case 2:
				if lo != nil {
					row[1] = lo.Datum
				}
			case 3:
				if hi != nil {
					row[1] = hi.Datum
				}
			}
			want := sameOrNull(row[0], eq[0]) && within(typ, row[1], lo, hi)
			_ = enc.Insert(row, func(e *Entry) error {
				if got := span.Contains(e.Key); got != want {
					t.Fatalf("row %v in span of %v, %v, %v: %t; %x in [%x, %x); index %+v", row, eq, lo, hi, got, e.Key, span.Start, span.End, x)
				}
				return nil
			})
		}
	}
}

func sameOrNull(a, b types.Datum) bool {
	return a.Null && b.Null || !a.Null && !b.Null && types.Compare(types.Int4, a, b) == 0
}

func within(t types.Type, d types.Datum, lo, hi *Bound) bool {
	if lo == nil && hi == nil {
		return true
	}
	if d.Null {
		return false
	}
	if lo != nil {
		if c := types.Compare(t, d, lo.Datum); c < 0 || c == 0 && !lo.Inclusive {
			return false
		}
	}
	if hi != nil {
		if c := types.Compare(t, d, hi.Datum); c > 0 || c == 0 && !hi.Inclusive {
			return false
		}
	}
	return true
}

func TestNotNullSpanLeavesOutNulls(t *testing.T) {
	tab := tradeTable()
	for _, k := range []catalog.IndexColumn{{Column: 11}, {Column: 11, Desc: true, NullsFirst: true}, {Column: 11, NullsFirst: true}} {
		x := catalog.Index{ID: 9, Keys: []catalog.IndexColumn{{Column: 6}, k}}
		span := NewKeyCodec(tab, &x).NotNullSpan([]types.Datum{types.NewText("ACME")})
		for _, price := range []types.Datum{types.NullDatum, types.NewNumeric(-5, 2), types.NewNumeric(0, 2), types.NewNumeric(9_999_999, 2)} {
			row := tradeRow(1)
			row[10] = price
			_ = NewIndexEncoder(tab, &x).Insert(row, func(e *Entry) error {
				if span.Contains(e.Key) == price.Null {
					t.Errorf("price %v, key %x, span [%x, %x)", price, e.Key, span.Start, span.End)
				}
				return nil
			})
		}
	}
}

func TestDecodeGivesKeyColumns(t *testing.T) {
	tab := tradeTable()
	x := &tab.Indexes[0]
	_ = NewIndexEncoder(tab, x).Insert(tradeRow(7), func(e *Entry) error {
		values, err := NewKeyCodec(tab, x).Decode(e.Key)
		if err != nil || len(values) != 2 || values[0].I != 43_000_000_013 || values[1].I != 540_000_000_007_000 {
			t.Errorf("key %x has %v, %v", e.Key, values, err)
		}
		table, index, _, err := DecodeIndexPrefix(e.Key)
		if table != 100 || index != 2 || err != nil {
			t.Errorf("key %x is of table %d, index %d, %v", e.Key, table, index, err)
		}
		return nil
	})
}
