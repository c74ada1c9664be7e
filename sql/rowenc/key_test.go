package rowenc

import (
	"bytes"
	"fmt"
	"testing"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// eachColumn runs a test for every type, direction and place of NULLs.
func eachColumn(t *testing.T, test func(t *testing.T, c keyColumn)) {
	for _, typ := range rowTypes {
		for _, desc := range []bool{false, true} {
			for _, nullsFirst := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d.%d/desc=%t/nullsFirst=%t", typ.OID, typ.Mod, desc, nullsFirst), func(t *testing.T) {
					test(t, column(typ, desc, nullsFirst))
				})
			}
		}
	}
}

func TestKeyOrderIsSQLOrder(t *testing.T) {
	eachColumn(t, func(t *testing.T, c keyColumn) {
		r := newRand(t)
		for range 2000 {
			a, b := randomDatum(r, c.typ), randomDatum(r, c.typ)
			want := types.Compare(c.typ, a, b)
			if c.desc {
				want = -want
			}
			ka, kb := c.append(nil, &a), c.append(nil, &b)
			if got := bytes.Compare(ka, kb); sign(got) != sign(want) {
				t.Fatalf("%v and %v compare %d, their keys %x and %x compare %d", a, b, want, ka, kb, got)
			}
			if want != 0 && (bytes.HasPrefix(ka, kb) || bytes.HasPrefix(kb, ka)) {
				t.Fatalf("one of the keys %x and %x of %v and %v begins with the other", ka, kb, a, b)
			}
		}
	})
}

func TestKeyPlacesNulls(t *testing.T) {
	eachColumn(t, func(t *testing.T, c keyColumn) {
		r := newRand(t)
		null := c.append(nil, &types.NullDatum)
		for range 200 {
			d := randomDatum(r, c.typ)
			k := c.append(nil, &d)
			if got := bytes.Compare(null, k) < 0; got != c.nullsFirst {
				t.Fatalf("NULL %x before %x of %v: %t", null, k, d, got)
			}
		}
		if n, err := c.length(null); n != 1 || err != nil {
			t.Fatalf("length of NULL is %d, %v", n, err)
		}
	})
}

func TestKeyRoundTripUnlessLossy(t *testing.T) {
	eachColumn(t, func(t *testing.T, c keyColumn) {
		r := newRand(t)
		var scratch []byte
		for range 1000 {
			d := randomDatum(r, c.typ)
			k := append(c.append(nil, &d), 0xaa) // something that follows
			var got types.Datum
			var rest []byte
			var err error
			got, rest, scratch, err = c.decode(k, scratch[:0])
			if err != nil || len(rest) != 1 {
				t.Fatalf("%v as %x: rest %x, %v", d, k, rest, err)
			}
			if after, err := c.skip(k); err != nil || len(after) != 1 {
				t.Fatalf("%v as %x: skip leaves %x, %v", d, k, after, err)
			}
			if lossy := c.lossy(&d); lossy == same(got, d) {
				t.Fatalf("%v as %x comes back as %v; lossy says %t", d, k, got, lossy)
			}
			if types.Compare(c.typ, got, d) != 0 {
				t.Fatalf("%v as %x comes back as the unequal %v", d, k, got)
			}
			if c.lossy(&d) && !c.mayLose() {
				t.Fatalf("%v is lossy in a type that may not lose", d)
			}
		}
	})
}

func TestKeyLosesNothingOfDeclaredScale(t *testing.T) {
	c := column(types.NumericPS(8, 2), false, false)
	for _, d := range []types.Datum{types.NewNumeric(0, 2), types.NewNumeric(1250, 2), types.NewNumeric(-1200, 2)} {
		if c.lossy(&d) {
			t.Errorf("%v is lossy", d)
		}
	}
}

func TestIDsAreOrderedAndShort(t *testing.T) {
	var last []byte
	for _, id := range []uint32{0, 1, 100, 239, 240, 255, 256, 65535, 65536, 1 << 24, 1<<32 - 1} {
		k := appendID(nil, id)
		if bytes.Compare(last, k) >= 0 || bytes.HasPrefix(k, last) && last != nil {
			t.Errorf("id %d is %x after %x", id, k, last)
		}
		if got, rest, err := decodeID(append(k, 7)); got != id || len(rest) != 1 || err != nil {
			t.Errorf("id %d as %x comes back as %d, rest %x, %v", id, k, got, rest, err)
		}
		last = k
	}
	if n := len(appendID(nil, 239)); n != 1 {
		t.Errorf("id 239 takes %d bytes", n)
	}
}

func sign(i int) int {
	switch {
	case i < 0:
		return -1
	case i > 0:
		return 1
	}
	return 0
}

func TestBordersLieBetweenIndexes(t *testing.T) {
	key := func(table catalog.ID, index catalog.IndexID, rest string) []byte {
		return append(IndexPrefix(table, index), rest...)
	}
	for _, c := range []struct {
		before, after []byte
		want          bool
	}{
		{key(100, 1, "a"), key(100, 1, "b"), false},
		{key(100, 1, "a"), key(100, 2, "a"), true},
		{key(100, 1, "a"), key(101, 1, "a"), true},
		{key(300, 1, "a"), key(300, 1, "b"), false},
		{key(300, 1, "a"), key(301, 1, "a"), true},
		{nil, key(100, 1, "a"), false},
	} {
		if got := IsBorder(c.before, c.after); got != c.want {
			t.Errorf("between %x and %x: %t", c.before, c.after, got)
		}
	}
}
