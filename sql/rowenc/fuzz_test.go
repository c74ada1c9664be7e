package rowenc

import (
	"math/rand/v2"
	"testing"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// FuzzDecode feeds a table's decoders with bytes that are no row of it, or nearly one.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		tab := randomTable(r)
		_ = NewEncoder(tab).Insert(randomRow(r, tab), func(e *Entry) error {
			_, _, rest, _ := DecodeIndexPrefix(e.Key)
			f.Add(seed, uint8(e.Index.ID), rest, e.Value)
			return nil
		})
	}
	f.Fuzz(func(t *testing.T, seed uint64, index uint8, rest, value []byte) {
		tab := randomTable(rand.New(rand.NewPCG(seed, 0)))
		all := tab.AllIndexes()
		x := all[int(index)%len(all)]
		key := append(IndexPrefix(tab.ID, x.ID), rest...)
		want := ColumnsOf(tab, x)
		var ts []types.Type
		for _, id := range want {
			ts = append(ts, tab.Column(id).Type)
		}
		d, b := NewDecoder(tab, x, want), types.NewBatch(ts)
		d.Reset(b)
		_, err := d.Add(key, value)
		mustBeCorrupt(t, err)
		if err == nil {
			d.Finish()
			for c := range b.Cols {
				if b.Cols[c].Len() != b.N {
					t.Fatalf("column %d has %d rows of %d", c, b.Cols[c].Len(), b.N)
				}
			}
		}
		codec := NewKeyCodec(tab, x)
		_, err = codec.Decode(key)
		mustBeCorrupt(t, err)
		_, err = codec.AppendRowKey(nil, key, value)
		mustBeCorrupt(t, err)
	})
}

func mustBeCorrupt(t *testing.T, err error) {
	t.Helper()
	if err != nil && sqlerr.CodeOf(err) != sqlerr.DataCorrupted {
		t.Fatalf("%v is not XX001", err)
	}
}
