package exec

import (
	"context"
	"errors"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// backfill makes the entries of a new index from the rows of its table, those that the transaction itself wrote
// included. The table's lock keeps others from writing.
func (d *ddl) backfill(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	w := &bufferedIndex{txn: d.env.Txn, table: t, index: x, ec: d.env.Eval.Types}
	return eachEntry(ctx, d.env.Txn, t, x, func(e *rowenc.Entry) error { return w.add(ctx, e) }, w.close)
}

// eachEntry calls add for the entry that each row of a table has in an index, and done at the end, whatever came before.
func eachEntry(ctx context.Context, txn *kv.Txn, t *catalog.Table, x *catalog.Index, add func(*rowenc.Entry) error, done func() error) (err error) {
	defer func() { err = errors.Join(err, done()) }()
	it, err := txn.NewIter(ctx, rowenc.IndexSpan(t.ID, t.Primary.ID), kv.IterOptions{Latest: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	r := newIndexFeed(t, x)
	for more := it.Next(); more; more = it.Next() {
		full, err := r.decoder.Add(it.Key(), it.Value())
		if err != nil {
			return err
		}
		if full {
			if err := r.flush(ctx, add); err != nil {
				return err
			}
			if _, err := r.decoder.Add(it.Key(), it.Value()); err != nil {
				return err
			}
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return r.flush(ctx, add)
}

// indexFeed turns the KVs of a table into the entries of one of its indexes.
type indexFeed struct {
	decoder  *rowenc.Decoder
	encoder  *rowenc.Encoder
	batch    *types.Batch
	ordinals []int         // of the batch's columns
	row      []types.Datum // by ordinal; what the index does not have stays as it is
}

func newIndexFeed(t *catalog.Table, x *catalog.Index) *indexFeed {
	want := rowenc.ColumnsOf(t, x)
	f := &indexFeed{
		decoder: rowenc.NewDecoder(t, &t.Primary, want), encoder: rowenc.NewIndexEncoder(t, x), row: make([]types.Datum, len(t.Columns)),
	}
	var ts []types.Type
	for _, id := range want {
		o := t.Ordinal(id)
		f.ordinals, ts = append(f.ordinals, o), append(ts, t.Columns[o].Type)
	}
	f.batch = types.NewBatch(ts)
	f.decoder.Reset(f.batch)
	return f
}

// flush gives out the entries of the rows of the batch and begins a new one.
func (f *indexFeed) flush(ctx context.Context, add func(*rowenc.Entry) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.decoder.Finish()
	for i := range f.batch.N {
		for c, o := range f.ordinals {
			f.row[o] = f.batch.Cols[c].Datum(i)
		}
		if err := f.encoder.Insert(f.row, add); err != nil {
			return err
		}
	}
	f.decoder.Reset(f.batch)
	return nil
}

// bufferedIndex puts entries into the transaction's buffer, whose memory is the transaction's to bound.
type bufferedIndex struct {
	txn   *kv.Txn
	table *catalog.Table
	index *catalog.Index
	ec    *types.Context
	it    *kv.Iter // for the entries of a unique index
}

func (w *bufferedIndex) add(ctx context.Context, e *rowenc.Entry) error {
	if !e.Unique {
		return w.txn.Put(e.Key, e.Value)
	}
	if w.it == nil {
		var err error
		if w.it, err = w.txn.NewIter(ctx, rowenc.IndexSpan(w.table.ID, w.index.ID), kv.IterOptions{Latest: true}); err != nil {
			return err
		}
	}
	err := w.txn.CPut(w.it, e.Key, e.Value, nil)
	if failed := (*kv.ConditionFailedError)(nil); errors.As(err, &failed) {
		return duplicateInNewIndex(w.ec, w.table, w.index, failed.Key)
	}
	return err
}

func (w *bufferedIndex) close() error {
	if w.it == nil {
		return nil
	}
	return w.it.Close()
}

// duplicateInNewIndex says that two rows have the key of an entry of a unique index that is being made.
func duplicateInNewIndex(ec *types.Context, t *catalog.Table, x *catalog.Index, key []byte) error {
	values, err := rowenc.NewKeyCodec(t, x).Decode(key)
	if err != nil {
		return err
	}
	names, shown := keyText(ec, t, x, values)
	return sqlerr.New(sqlerr.UniqueViolation, "could not create unique index \"%s\"", x.Name).
		WithDetail("Key (%s)=(%s) is duplicated.", names, shown).WithTable("", t.Name).WithConstraint(x.Name)
}

// keyText is the columns of a key and their values as messages about duplicates show them.
func keyText(ec *types.Context, t *catalog.Table, x *catalog.Index, values []types.Datum) (names, shown string) {
	var n, s []byte
	for i, k := range x.Keys {
		if i > 0 {
			n, s = append(n, ", "...), append(s, ", "...)
		}
		c := t.Column(k.Column)
		n = append(n, c.Name...)
		if values[i].Null {
			s = append(s, "null"...)
		} else {
			s = types.AppendText(ec, s, c.Type, values[i])
		}
	}
	return string(n), string(s)
}
