package types_test

import (
	"testing"

	"minidb/sql/types"
)

func BenchmarkInput(b *testing.B) {
	ec := types.NewContext()
	for _, c := range []struct {
		name string
		typ  types.Type
		text string
	}{
		{"int8", types.Int8, "200000000012345"},
		{"numeric", types.NumericPS(8, 2), "12345.67"},
		{"timestamp", types.Timestamp, "2005-03-21 09:15:30.123"},
		{"bool", types.Bool, "true"},
		{"varchar", types.VarcharN(49), "Joe User"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(c.text)
			for b.Loop() {
				if _, err := types.InputShared(ec, c.typ, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendText(b *testing.B) {
	ec := types.NewContext()
	for _, c := range []struct {
		name string
		typ  types.Type
		d    types.Datum
	}{
		{"int8", types.Int8, types.NewInt(200000000012345)},
		{"numeric", types.Numeric, types.NewNumeric(1234567, 2)},
		{"timestamp", types.Timestamp, types.NewInt(164711730123000)},
		{"float8", types.Float8, types.NewFloat(0.1)},
	} {
		b.Run(c.name, func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = types.AppendText(ec, buf[:0], c.typ, c.d)
			}
		})
	}
}
