package exec

import (
	"bytes"
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// rowKeys are the names, in the primary index, of the rows that some index entries belong to.
type rowKeys struct {
	codec *rowenc.KeyCodec
	bytes []byte
	ends  []int
}

func (k *rowKeys) reset() { k.bytes, k.ends = k.bytes[:0], k.ends[:0] }

func (k *rowKeys) add(key, value []byte) (err error) {
	if k.bytes, err = k.codec.AppendRowKey(k.bytes, key, value); err == nil {
		k.ends = append(k.ends, len(k.bytes))
	}
	return err
}

func (k *rowKeys) at(i int) []byte {
	start := 0
	if i > 0 {
		start = k.ends[i-1]
	}
	return k.bytes[start:k.ends[i]]
}

// lookup fetches rows from the primary index by their keys, a batch at a time: in key order, so that one iterator walks forward, and
// gives them in the order asked for.
type lookup struct {
	env      *Env
	table    *catalog.Table
	decoder  *rowenc.Decoder
	ordinals []int
	inner    types.Batch
	out      types.Batch
	sorted   []int32 // entries in the order of their row keys
	place    []int32 // by entry: the row's place in inner
}

func newLookup(env *Env, t *catalog.Table, want []bool) *lookup {
	l := &lookup{env: env, table: t}
	var ids []catalog.ColumnID
	for i, w := range want {
		if w {
			l.ordinals = append(l.ordinals, i)
			ids = append(ids, t.Columns[i].ID)
		}
	}
	l.decoder = rowenc.NewDecoder(t, &t.Primary, ids)
	l.inner.Init(columnTypes(t, l.ordinals))
	ts := make([]types.Type, len(t.Columns))
	for i := range t.Columns {
		ts[i] = t.Columns[i].Type
	}
	l.out.Init(ts)
	return l
}

// fetch gives the rows of the entries that batch b selects, in its order.
func (l *lookup) fetch(ctx context.Context, b *types.Batch, keys *rowKeys) (*types.Batch, error) {
	l.out.N, l.out.Sel = 0, noneSelected(l.out.Sel)
	if b.Rows() == 0 {
		return &l.out, nil
	}
	l.sorted = l.sorted[:0]
	for r := range b.Rows() {
		l.sorted = append(l.sorted, int32(b.Row(r)))
	}
	slices.SortFunc(l.sorted, func(x, y int32) int { return bytes.Compare(keys.at(int(x)), keys.at(int(y))) })
	if err := l.read(ctx, keys); err != nil {
		return nil, err
	}
	l.place = slices.Grow(l.place[:0], len(keys.ends))[:len(keys.ends)]
	for i, e := range l.sorted {
		l.place[e] = int32(i)
	}
	l.out.N = l.inner.N
	for i, o := range l.ordinals {
		l.out.Cols[o] = l.inner.Cols[i]
	}
	for r := range b.Rows() {
		l.out.Sel = append(l.out.Sel, l.place[b.Row(r)])
	}
	return &l.out, nil
}

// read decodes the rows in the order of their keys.
func (l *lookup) read(ctx context.Context, keys *rowKeys) error {
	last := kv.PrefixSpan(keys.at(int(l.sorted[len(l.sorted)-1])))
	it, err := l.env.Txn.NewIter(ctx, kv.Span{Start: keys.at(int(l.sorted[0])), End: last.End}, kv.IterOptions{})
	if err != nil {
		return err
	}
	defer it.Close()
	l.decoder.ResetExact(&l.inner, len(l.sorted))
	for _, e := range l.sorted {
		row := keys.at(int(e))
		found := false
		for ok := it.SeekGE(row); ok && isOfRow(it.Key(), row); ok = it.Next() {
			if _, err := l.decoder.Add(it.Key(), it.Value()); err != nil {
				return err
			}
			found = true
		}
		if err := it.Err(); err != nil {
			return err
		}
		if !found {
			return sqlerr.New(sqlerr.IndexCorrupted, "index of table \"%s\" has an entry without a row", l.table.Name)
		}
	}
	l.decoder.Finish()
	return it.Close()
}

// isOfRow reports whether a key is that of a KV of a row.
func isOfRow(key, row []byte) bool { return len(key) == len(row)+1 && bytes.HasPrefix(key, row) }
