package exec

import (
	"context"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// newest reads the newest version of rows that are locked: what PostgreSQL calls EvalPlanQual begins with it.
type newest struct {
	env     *Env
	decoder *rowenc.Decoder
	batch   types.Batch
	single  bool // rows have one KV each
	key     []byte
	value   []byte
}

func newNewest(env *Env, t *catalog.Table) *newest {
	ids, ts := make([]catalog.ColumnID, len(t.Columns)), make([]types.Type, len(t.Columns))
	for i := range t.Columns {
		ids[i], ts[i] = t.Columns[i].ID, t.Columns[i].Type
	}
	n := &newest{env: env, decoder: rowenc.NewDecoder(t, &t.Primary, ids), single: len(t.Families) == 1}
	n.batch.Init(ts)
	return n
}

// read gives a copy of the row of a key, or ok = false if it is gone.
func (n *newest) read(ctx context.Context, rowKey []byte) (row []types.Datum, ok bool, err error) {
	n.decoder.ResetExact(&n.batch, 1)
	if n.single && !n.env.General {
		err = n.look(ctx, rowKey)
	} else {
		err = n.walk(ctx, rowKey)
	}
	n.decoder.Finish()
	if err != nil || n.batch.N == 0 {
		return nil, false, err
	}
	return copyRow(&n.batch, 0), true, nil
}

// look decodes a row of one KV.
func (n *newest) look(ctx context.Context, rowKey []byte) (err error) {
	var ok bool
	n.key = append(append(n.key[:0], rowKey...), 0)
	if n.value, ok, err = n.env.Txn.AppendLatest(ctx, n.value[:0], n.key); ok {
		_, err = n.decoder.Add(n.key, n.value)
	}
	return err
}

// walk decodes a row of any number of KVs.
func (n *newest) walk(ctx context.Context, rowKey []byte) error {
	it, err := n.env.Txn.NewIter(ctx, kv.PrefixSpan(rowKey), kv.IterOptions{Latest: true})
	if err != nil {
		return err
	}
	defer it.Close()
	for it.Next() {
		if _, err := n.decoder.Add(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	return it.Close()
}

// copyRow copies row r of a batch out of it.
func copyRow(b *types.Batch, r int) []types.Datum {
	row := make([]types.Datum, len(b.Cols))
	for c := range b.Cols {
		row[c] = b.Cols[c].Datum(b.Row(r)).Clone()
	}
	return row
}

// viewRow puts row r of a batch into row, which shares its memory.
func viewRow(b *types.Batch, r int, row []types.Datum) {
	i := b.Row(r)
	for c := range b.Cols {
		row[c] = b.Cols[c].Datum(i)
	}
}
