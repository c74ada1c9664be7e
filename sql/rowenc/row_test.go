package rowenc

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// store is a model of the KVs of a table.
type store map[string]string

func (s store) apply(e *Entry) error {
	if e.Value == nil {
		if _, ok := s[string(e.Key)]; !ok {
			return errors.New("deletes a key that is not there")
		}
		delete(s, string(e.Key))
		return nil
	}
	if _, ok := s[string(e.Key)]; ok && e.Unique {
		return errors.New("inserts a key that is there")
	}
	s[string(e.Key)] = string(e.Value)
	return nil
}

func (s store) keys() []string { return slices.Sorted(maps.Keys(s)) }

func TestRowsComeBackFromEveryIndex(t *testing.T) {
	r := newRand(t)
	for range 300 {
		tab := randomTable(r)
		kvs, rows := store{}, [][]types.Datum{}
		enc := NewEncoder(tab)
		for range 1 + r.IntN(20) {
			row := randomRow(r, tab)
			next := maps.Clone(kvs)
			if err := enc.Insert(row, next.apply); err != nil {
				continue // a duplicate
			}
			kvs, rows = next, append(rows, row)
		}
		for _, x := range tab.AllIndexes() {
			checkIndex(t, r, tab, x, kvs, rows)
		}
	}
}

// checkIndex decodes some columns of all entries of an index and compares with the rows.
func checkIndex(t *testing.T, r *rand.Rand, tab *catalog.Table, x *catalog.Index, kvs store, rows [][]types.Datum) {
	t.Helper()
	covered := ColumnsOf(tab, x)
	r.Shuffle(len(covered), func(i, j int) { covered[i], covered[j] = covered[j], covered[i] })
	want := covered[:r.IntN(len(covered)+1)]
	got := decodeIndex(t, tab, x, want, kvs, 1+r.IntN(5))
	var expected [][]types.Datum
	for _, row := range rows {
		var part []types.Datum
		for _, id := range want {
			part = append(part, row[tab.Ordinal(id)])
		}
		expected = append(expected, part)
	}
	if len(got) != len(expected) {
		t.Fatalf("index %d has %d rows of %d; table %+v", x.ID, len(got), len(expected), tab)
	}
	for _, e := range expected {
		i := slices.IndexFunc(got, func(g []types.Datum) bool { return slices.EqualFunc(g, e, same) })
		if i < 0 {
			t.Fatalf("index %d lacks %v of %v, has %v; table %+v", x.ID, e, want, got, tab)
		}
		got = slices.Delete(got, i, i+1)
	}
}

// decodeIndex decodes an index in batches of at most batchRows.
func decodeIndex(t *testing.T, tab *catalog.Table, x *catalog.Index, want []catalog.ColumnID, kvs store, batchRows int) [][]types.Datum {
	t.Helper()
	var ts []types.Type
	for _, id := range want {
		ts = append(ts, tab.Column(id).Type)
	}
	d, batch := NewDecoder(tab, x, want), types.NewBatch(ts)
	var rows [][]types.Datum
	take := func() {
		d.Finish()
		if batch.N > batchRows {
			t.Fatalf("batch of %d rows", batch.N)
		}
		for i := range batch.N {
			var row []types.Datum
			for c := range ts {
				if n := batch.Cols[c].Len(); n != batch.N {
					t.Fatalf("column %d has %d rows of %d", c, n, batch.N)
				}
				row = append(row, batch.Datum(c, i).Clone())
			}
			rows = append(rows, row)
		}
	}
	span := IndexSpan(tab.ID, x.ID)
	d.ResetMax(batch, batchRows)
	for _, k := range kvs.keys() {
		if !span.Contains([]byte(k)) {
			continue
		}
		full, err := d.Add([]byte(k), []byte(kvs[k]))
		if full {
			take()
			d.ResetMax(batch, batchRows)
			full, err = d.Add([]byte(k), []byte(kvs[k]))
		}
		if err != nil || full {
			t.Fatalf("KV %x = %x: full %t, %v", k, kvs[k], full, err)
		}
	}
	take()
	return rows
}

func TestEntriesNameTheirRow(t *testing.T) {
	r := newRand(t)
	for range 300 {
		tab := randomTable(r)
		enc := NewEncoder(tab)
		row := randomRow(r, tab)
		name := enc.AppendRowKey(nil, row)
		check := func(e *Entry) error {
			if e.Index.Primary {
				if !bytes.Equal(e.Row(), name) {
					t.Fatalf("primary entry of row %x has name %x", name, e.Row())
				}
				return nil
			}
			got, err := NewKeyCodec(tab, e.Index).AppendRowKey(nil, e.Key, e.Value)
			if err != nil || !bytes.Equal(got, name) {
				t.Fatalf("entry %x = %x leads to row %x, %v; want %x; table %+v", e.Key, e.Value, got, err, name, tab)
			}
			return nil
		}
		if err := enc.Clone().Insert(row, check); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUpdateWritesWhatDiffers(t *testing.T) {
	r := newRand(t)
	for range 500 {
		tab := randomTable(r)
		enc := NewEncoder(tab)
		old := randomRow(r, tab)
		row := slices.Clone(old)
		for i, c := range tab.Columns {
			if r.IntN(4) == 0 {
				row[i] = randomDatum(r, c.Type)
			} else if !c.NotNull && r.IntN(6) == 0 {
				row[i] = types.NullDatum
			}
		}
		before, after := store{}, store{}
		if err := errors.Join(enc.Insert(old, before.apply), enc.Insert(row, after.apply)); err != nil {
			t.Fatal(err)
		}
		got, written := maps.Clone(before), 0
		err := enc.Update(old, row, func(e *Entry) error { written++; return got.apply(e) })
		if err != nil || !maps.Equal(got, after) {
			t.Fatalf("update of %v to %v: %v; table %+v", old, row, err, tab)
		}
		different := 0
		for k, v := range before {
			if after[k] != v {
				different++ // changed or gone
			}
		}
		for k := range after {
			if _, ok := before[k]; !ok {
				different++
			}
		}
		if len(tab.Families) == 1 && written != different {
			t.Fatalf("update of %v to %v wrote %d KVs for %d differences; table %+v", old, row, written, different, tab)
		}
		if err := enc.Delete(row, got.apply); err != nil || len(got) != 0 {
			t.Fatalf("delete of %v leaves %d KVs, %v", row, len(got), err)
		}
	}
}

// tradeTable is the published schema's table with its two indexes.
func tradeTable() *catalog.Table {
	t := &catalog.Table{ID: 100, Name: "trade"}
	price, fee := types.NumericPS(8, 2), types.NumericPS(10, 2)
	for i, c := range []catalog.Column{
		{Name: "t_id", Type: types.Int8},
		{Name: "t_dts", Type: types.Timestamp},
		{Name: "t_st_id", Type: types.VarcharN(4)},
		{Name: "t_tt_id", Type: types.VarcharN(3)},
		{Name: "t_is_cash", Type: types.Bool},
		{Name: "t_s_symb", Type: types.VarcharN(15)},
		{Name: "t_qty", Type: types.Int4},
		{Name: "t_bid_price", Type: price},
		{Name: "t_ca_id", Type: types.Int8},
		{Name: "t_exec_name", Type: types.VarcharN(49)},
		{Name: "t_trade_price", Type: price},
		{Name: "t_chrg", Type: fee},
		{Name: "t_comm", Type: fee},
		{Name: "t_tax", Type: fee},
		{Name: "t_lifo", Type: types.Bool},
	} {
		c.ID, c.NotNull = catalog.ColumnID(i+1), c.Name != "t_trade_price"
		t.Columns = append(t.Columns, c)
	}
	t.Families = []catalog.Family{
		{ID: 0, Columns: []catalog.ColumnID{1}},
		{ID: 1, Columns: []catalog.ColumnID{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15}},
		{ID: 2, Columns: []catalog.ColumnID{14}},
	}
	t.Primary = catalog.Index{ID: 1, Name: "trade_pkey", Primary: true, Unique: true, Keys: []catalog.IndexColumn{{Column: 1}}}
	t.Indexes = []catalog.Index{
		{
			ID: 2, Name: "trade_t_ca_id_t_dts_idx", Keys: []catalog.IndexColumn{{Column: 9}, {Column: 2, Desc: true, NullsFirst: true}},
			Stored: []catalog.ColumnID{3, 4, 5, 6, 7, 8, 10, 11, 12},
		},
		{
			ID: 3, Name: "trade_t_s_symb_t_dts_idx", Keys: []catalog.IndexColumn{{Column: 6}, {Column: 2}},
			Stored: []catalog.ColumnID{9, 10, 5, 11, 7, 4},
		},
	}
	return t
}

func tradeRow(id int64) []types.Datum {
	return []types.Datum{
		types.NewInt(id), types.NewInt(540_000_000_000_000 + id*1000), types.NewText("CMPT"), types.NewText("TMB"),
		types.NewBool(true), types.NewText("ACME"), types.NewInt(300), types.NewNumeric(2575, 2), types.NewInt(43_000_000_013),
		types.NewText("Ada Lovelace"), types.NullDatum, types.NewNumeric(700, 2), types.NewNumeric(1250, 2),
		types.NewNumeric(0, 2), types.NewBool(false),
	}
}

func TestInsertAllocatesNothing(t *testing.T) {
	enc, row := NewEncoder(tradeTable()), tradeRow(1)
	size := 0
	emit := func(e *Entry) error { size += len(e.Key) + len(e.Value); return nil }
	if err := enc.Insert(row, emit); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _ = enc.Insert(row, emit) }); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func TestFamilyWithoutRowIsCorrupt(t *testing.T) {
	tab := tradeTable()
	kvs := store{}
	if err := NewEncoder(tab).Insert(tradeRow(1), kvs.apply); err != nil {
		t.Fatal(err)
	}
	d, batch := NewDecoder(tab, &tab.Primary, []catalog.ColumnID{2}), types.NewBatch([]types.Type{types.Timestamp})
	d.Reset(batch)
	keys := kvs.keys()
	_, err := d.Add([]byte(keys[1]), []byte(kvs[keys[1]]))
	if sqlerr.CodeOf(err) != sqlerr.DataCorrupted {
		t.Errorf("family 1 before family 0: %v", err)
	}
	_, err = d.Add([]byte(keys[len(keys)-1]), []byte(kvs[keys[len(keys)-1]]))
	if sqlerr.CodeOf(err) != sqlerr.DataCorrupted {
		t.Errorf("an entry of another index: %v", err)
	}
}

func BenchmarkEncodeTrade(b *testing.B) {
	enc, row := NewEncoder(tradeTable()), tradeRow(1)
	size := 0
	for b.Loop() {
		_ = enc.Insert(row, func(e *Entry) error { size += len(e.Key) + len(e.Value); return nil })
	}
	b.SetBytes(int64(size / b.N))
}

func BenchmarkDecodeTrade(b *testing.B) {
	tab := tradeTable()
	kvs := store{}
	enc := NewEncoder(tab)
	for i := range 1000 {
		_ = enc.Insert(tradeRow(int64(i)), kvs.apply)
	}
	span := IndexSpan(tab.ID, 1)
	var keys, values [][]byte
	for _, k := range kvs.keys() {
		if span.Contains([]byte(k)) {
			keys, values = append(keys, []byte(k)), append(values, []byte(kvs[k]))
		}
	}
	want := ColumnsOf(tab, &tab.Primary)
	var ts []types.Type
	for _, c := range tab.Columns {
		ts = append(ts, c.Type)
	}
	d, batch := NewDecoder(tab, &tab.Primary, want), types.NewBatch(ts)
	for b.Loop() {
		d.Reset(batch)
		for i := range keys {
			_, _ = d.Add(keys[i], values[i])
		}
		d.Finish()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
}
