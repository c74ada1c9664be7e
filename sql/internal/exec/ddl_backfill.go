package exec

import (
	"context"
	"errors"

	"minidb/bulk"
	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// smallIndexBytes is up to what size the entries of a new index go through the transaction's buffer: a file of their own is
// not worth it.
const smallIndexBytes = 1 << 20

// backfill makes the entries of a new index from the rows of its table, those that the transaction itself wrote
// included. The table's lock keeps others from writing.
//
// A large index is built as sorted files beside the transaction, which its own reads do not see; so it is done only where
// the transaction ends with the statement. In a block the entries are buffered, in memory, until the commit.
func (d *ddl) backfill(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	w := &indexWriter{ddl: d, table: t, index: x}
	defer w.close()
	if err := d.eachEntry(ctx, t, x, func(e *rowenc.Entry) error { return w.add(ctx, e) }); err != nil {
		return err
	}
	return w.finish(ctx)
}

// eachEntry calls add for the entry that each row of a table has in an index.
func (d *ddl) eachEntry(ctx context.Context, t *catalog.Table, x *catalog.Index, add func(*rowenc.Entry) error) (err error) {
	it, err := d.env.Txn.NewIter(ctx, rowenc.IndexSpan(t.ID, t.Primary.ID), kv.IterOptions{Latest: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	f := newIndexFeed(d.env, t, x)
	for it.Next() {
		full, err := f.decoder.Add(it.Key(), it.Value())
		if err != nil {
			return err
		}
		if !full {
			continue
		}
		if err := f.flush(ctx, add); err != nil {
			return err
		}
		if _, err := f.decoder.Add(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return f.flush(ctx, add)
}

// indexFeed turns the KVs of a table into the entries of one of its indexes.
type indexFeed struct {
	decoder  *rowenc.Decoder
	encoder  *rowenc.Encoder
	batch    *types.Batch
	ordinals []int         // of the batch's columns
	row      []types.Datum // by ordinal; what the index does not have stays as it is
	virtual  computer
}

func newIndexFeed(env *Env, t *catalog.Table, x *catalog.Index) *indexFeed {
	want := rowenc.ColumnsOf(t, x)
	if !x.Plain() {
		want = rowenc.ColumnsOf(t, &t.Primary)
	}
	f := &indexFeed{
		decoder: rowenc.NewDecoder(t, &t.Primary, want), encoder: rowenc.NewIndexEncoder(t, x), row: make([]types.Datum, len(t.Columns)),
		virtual: computer{env: env, table: t, index: x},
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
		if err := f.virtual.setVirtual(f.row); err != nil {
			return err
		}
		if err := f.encoder.Insert(f.row, add); err != nil {
			return err
		}
	}
	f.decoder.Reset(f.batch)
	return nil
}

// indexWriter takes the entries of a new index: into memory while they are few, then into the transaction's buffer or, where
// that is allowed, into a builder of sorted files.
type indexWriter struct {
	*ddl
	table *catalog.Table
	index *catalog.Index
	// buffered: the entries must be seen by the rest of the statement.
	buffered bool

	small   []byte // keys and values one after another
	entries []smallEntry
	many    bool // small was not enough

	it      *kv.Iter // for entries of a unique index in the transaction's buffer
	builder *bulk.Builder
	adder   *bulk.Adder
}

// smallEntry is where an entry is in indexWriter.small: its key, then its value.
type smallEntry struct {
	start, value, end int
	unique            bool
}

func (w *indexWriter) add(ctx context.Context, e *rowenc.Entry) error {
	if w.many {
		return w.write(ctx, e.Key, e.Value, e.Unique)
	}
	s := smallEntry{start: len(w.small), unique: e.Unique}
	w.small = append(w.small, e.Key...)
	s.value = len(w.small)
	w.small = append(w.small, e.Value...)
	s.end = len(w.small)
	w.entries = append(w.entries, s)
	if len(w.small) < smallIndexBytes {
		return nil
	}
	w.many = true
	if !w.env.InBlock && !w.buffered && !w.ddl.buffered {
		w.builder = bulk.NewBuilder(ctx, bulk.BuilderOptions{DB: w.env.KV})
		w.adder = w.builder.Adder()
	}
	return w.writeSmall(ctx)
}

// writeSmall writes the entries kept so far.
func (w *indexWriter) writeSmall(ctx context.Context) error {
	for _, s := range w.entries {
		if err := w.write(ctx, w.small[s.start:s.value], w.small[s.value:s.end], s.unique); err != nil {
			return err
		}
	}
	w.small, w.entries = nil, nil
	return nil
}

// write hands an entry on.
func (w *indexWriter) write(ctx context.Context, key, value []byte, unique bool) error {
	if w.builder != nil {
		return w.explain(w.adder.Add(key, value))
	}
	if !unique {
		return w.env.Txn.Put(key, value)
	}
	if w.it == nil {
		var err error
		if w.it, err = w.env.Txn.NewIter(ctx, rowenc.IndexSpan(w.table.ID, w.index.ID), kv.IterOptions{Latest: true}); err != nil {
			return err
		}
	}
	return w.explain(w.env.Txn.CPut(w.it, key, value, nil))
}

// finish makes the entries part of the transaction.
func (w *indexWriter) finish(ctx context.Context) error {
	if w.builder == nil {
		return w.writeSmall(ctx)
	}
	if err := w.adder.Close(); err != nil {
		return w.explain(err)
	}
	tables, err := w.builder.Finish(ctx)
	if err != nil {
		return w.explain(err)
	}
	w.env.CommitAfter = true
	return w.explain(w.env.Txn.AddSSTables(ctx, tables, kv.AddOptions{}))
}

func (w *indexWriter) close() {
	if w.it != nil {
		_ = w.it.Close() // its error was seen where it was used
	}
	if w.builder != nil {
		w.builder.Abort()
	}
}

// explain turns the errors that mean a duplicate into PostgreSQL's.
func (w *indexWriter) explain(err error) error {
	var (
		failed    *kv.ConditionFailedError
		conflict  *kv.ConflictError
		duplicate *bulk.DuplicateKeyError
	)
	switch {
	case errors.As(err, &failed):
		return w.duplicate(failed.Key)
	case errors.As(err, &conflict):
		return w.duplicate(conflict.Key)
	case errors.As(err, &duplicate):
		return w.duplicate(duplicate.Key)
	}
	return err
}

// duplicate says that two rows have one key in a unique index.
func (w *indexWriter) duplicate(key []byte) error {
	values, err := rowenc.NewKeyCodec(w.table, w.index).Decode(key)
	if err != nil {
		return err
	}
	names, shown := keyText(w.env.Eval.Types, w.table, w.index, values)
	return sqlerr.New(sqlerr.UniqueViolation, "could not create unique index \"%s\"", w.index.Name).
		WithDetail("Key (%s)=(%s) is duplicated.", names, shown).WithTable(schemaName(w.env, w.table), w.table.Name).
		WithConstraint(w.index.Name)
}

// keyText is the columns of a key and their values as messages about duplicates show them.
func keyText(ec *types.Context, t *catalog.Table, x *catalog.Index, values []types.Datum) (names, shown string) {
	var n, s []byte
	for i, k := range x.Keys {
		if i > 0 {
			n, s = append(n, ", "...), append(s, ", "...)
		}
		c := t.Column(k.Column)
		n = append(n, keyName(ec, t, c)...)
		if values[i].Null {
			s = append(s, "null"...)
		} else {
			s = types.AppendText(ec, s, c.Type, values[i])
		}
	}
	return string(n), string(s)
}
