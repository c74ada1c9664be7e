package types_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func TestOrderAgreesWithPostgreSQL(t *testing.T) {
	type ranked struct {
		d    types.Datum
		text string
		rank int
	}
	byType := map[string][]ranked{}
	for _, f := range facts(t, "order.txt", 3) {
		d, err := types.Input(nil, typeOf(t, f[0]), []byte(f[1]))
		if err != nil {
			t.Fatal(err)
		}
		rank, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		byType[f[0]] = append(byType[f[0]], ranked{d, f[1], rank})
	}
	for name, list := range byType {
		typ := typeOf(t, name)
		for _, a := range list {
			for _, b := range list {
				c := types.Compare(typ, a.d, b.d)
				if (c < 0) != (a.rank < b.rank) || (c > 0) != (a.rank > b.rank) {
					t.Errorf("%s: %s against %s: %d, ranks %d and %d", name, a.text, b.text, c, a.rank, b.rank)
				}
				sameKey := bytes.Equal(types.AppendKey(nil, typ, a.d), types.AppendKey(nil, typ, b.d))
				if sameKey != (a.rank == b.rank) {
					t.Errorf("%s: %s and %s: same key: %t, ranks %d and %d", name, a.text, b.text, sameKey, a.rank, b.rank)
				}
			}
		}
	}
}

func TestArraysOfArraysAreRefused(t *testing.T) {
	for _, text := range []string{"{{1,2},{3,4}}", "[1:1][1:2]={{1,2}}", "{{{1}}}"} {
		_, err := types.Input(nil, types.Int4Array, []byte(text))
		if e, ok := sqlerr.As(err); !ok || e.Code != sqlerr.FeatureNotSupported {
			t.Errorf("%s: %v", text, err)
		}
	}
	twoDims := []byte{0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5}
	if _, err := types.DecodeBinary(nil, types.Int4Array, twoDims); sqlerr.CodeOf(err) != sqlerr.FeatureNotSupported {
		t.Errorf("binary: %v", err)
	}
}

func TestArrayComesBackFromBinaryForm(t *testing.T) {
	for _, c := range []struct {
		typ  types.Type
		text string
	}{
		{types.Int4Array, "{}"},
		{types.Int4Array, "{1,NULL,-3}"},
		{types.Int4Array, "[-2:0]={1,2,3}"},
		{types.TextArray, `{a,"b c",NULL,""}`},
		{types.OidVector, "1 2 3"},
	} {
		d, err := types.Input(nil, c.typ, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		form := types.AppendBinary(nil, nil, c.typ, d)
		back, err := types.DecodeBinary(nil, c.typ, form)
		if err != nil || types.FormatText(nil, c.typ, back) != c.text {
			t.Errorf("%s: %v, %v", c.text, types.FormatText(nil, c.typ, back), err)
		}
		for n := range form {
			if _, err := types.DecodeBinary(nil, c.typ, form[:n]); err == nil {
				t.Errorf("%s: the first %d bytes are read", c.text, n)
			}
		}
		if _, err := types.DecodeBinary(nil, c.typ, append(form, 0)); err == nil {
			t.Errorf("%s: a byte too many is read", c.text)
		}
	}
	form := types.AppendBinary(nil, nil, types.Int4Array, types.ArrayOf(types.Int4, []types.Datum{types.NewInt(1)}))
	if _, err := types.DecodeBinary(nil, types.Int8Array, form); sqlerr.CodeOf(err) != sqlerr.DatatypeMismatch {
		t.Errorf("int4[] read as int8[]: %v", err)
	}
}

// TestDamagedArraysDoNotPanic: arrays come from disk.
func TestDamagedArraysDoNotPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, elem := range []types.Type{types.Int4, types.Float8, types.Numeric, types.Text, types.Bool} {
		array, _ := elem.Array()
		for range 2000 {
			b := make([]byte, r.IntN(20))
			for i := range b {
				b[i] = byte(r.IntN(256) >> r.IntN(8))
			}
			d := types.NewBytes(b)
			types.FormatText(nil, array, d)
			types.AppendKey(nil, array, d)
			types.Compare(array, d, d)
		}
	}
}

func TestTypesAndTheirArraysNameEachOther(t *testing.T) {
	n := 0
	for oid := types.OID(1); oid < 6000; oid++ {
		typ, ok := types.ByOID(oid)
		if !ok {
			continue
		}
		n++
		if byName, ok := types.ByName(typ.Name()); !ok || byName != typ {
			t.Errorf("%d: %s is %v", oid, typ.Name(), byName)
		}
		array, ok := typ.Array()
		if !ok {
			continue
		}
		if elem, ok := array.Elem(); !ok || elem != typ || !array.IsArray() {
			t.Errorf("%s: the elements of %s are %s", typ.Format(), array.Format(), elem.Format())
		}
	}
	if n < 100 {
		t.Errorf("%d types", n)
	}
	varchars, _ := types.VarcharN(3).Array()
	if got := varchars.Format(); got != "character varying(3)[]" {
		t.Errorf("format %s", got)
	}
}
