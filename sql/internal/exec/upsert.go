package exec

import (
	"bytes"
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// upsert is INSERT … ON CONFLICT: it inserts its rows one by one, and leaves out those whose key in an arbiter index is taken or changes
// the row that has it.
type upsert struct {
	*insert
	on     *plan.OnConflict
	codecs map[*catalog.Index]*rowenc.KeyCodec
	newest *newest
	// mine are the names of the rows that this statement has inserted or changed.
	mine map[string]struct{}
}

func newUpsert(env *Env, n *plan.Insert, input Operator) *upsert {
	u := &upsert{
		insert: newInsert(env, n, input), on: n.OnConflict, codecs: map[*catalog.Index]*rowenc.KeyCodec{},
		newest: newNewest(env, n.Table), mine: map[string]struct{}{},
	}
	for _, x := range n.Table.AllIndexes() {
		if (x.Unique || x.Primary) && !(x.Primary && n.Table.HasRowID()) {
			u.codecs[x] = rowenc.NewKeyCodec(n.Table, x)
		}
	}
	return u
}

// Next writes all rows before it gives the first of RETURNING.
func (u *upsert) Next(ctx context.Context) (*types.Batch, error) {
	for !u.done {
		in, err := u.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		if in == nil {
			u.done = true
			if err := u.insert.keys.finish(ctx); err != nil {
				return nil, err
			}
			break
		}
		rowErr := u.makeRows(ctx, in)
		for _, row := range u.rows {
			if err := u.put(ctx, row); err != nil {
				return nil, err
			}
		}
		if rowErr != nil {
			return nil, rowErr
		}
	}
	return u.returning.next(), nil
}

// put inserts a row, or does what is to be done about its conflict.
func (u *upsert) put(ctx context.Context, row []types.Datum) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		keys, err := u.lockKeys(ctx, row)
		if err != nil {
			return err
		}
		rowKey, found, err := u.findConflict(ctx, keys)
		if err != nil {
			return err
		}
		if !found {
			return u.insertRow(ctx, row)
		}
		if !u.on.Update {
			return nil
		}
		done, err := u.updateRow(ctx, rowKey, row)
		if done || err != nil {
			return err
		}
		// The row went away before it could be locked: the key may be free now.
	}
}

// uniqueKey is the key of a row in a unique index.
type uniqueKey struct {
	index *catalog.Index
	row   []byte // without the family
}

// lockKeys locks the row's keys in all unique indexes, in key order, so that two statements with the same rows but other arbiters wait
// for each other and do not lock each other out. It gives those of the arbiters. A key with a NULL conflicts with nothing.
func (u *upsert) lockKeys(ctx context.Context, row []types.Datum) ([]uniqueKey, error) {
	if err := u.virtual.setVirtual(row); err != nil {
		return nil, err
	}
	var keys []uniqueKey
	for x := range u.codecs {
		if o := u.node.Table.Ordinal(x.Where); x.Where != 0 && (row[o].Null || !row[o].Bool()) {
			continue
		}
		values := make([]types.Datum, len(x.Keys))
		null := false
		for i, k := range x.Keys {
			values[i] = row[u.node.Table.Ordinal(k.Column)]
			null = null || values[i].Null
		}
		if !null {
			keys = append(keys, uniqueKey{x, u.codecs[x].AppendKey(nil, values)})
		}
	}
	slices.SortFunc(keys, func(a, b uniqueKey) int { return bytes.Compare(a.row, b.row) })
	for _, k := range keys {
		if err := u.env.Txn.LockKey(ctx, k.row, kv.Update, kv.Block); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(keys, func(k uniqueKey) bool { return !slices.Contains(u.on.Arbiters, k.index) }), nil
}

// findConflict finds the row, by its name in the primary index, that has one of the keys.
func (u *upsert) findConflict(ctx context.Context, keys []uniqueKey) (rowKey []byte, found bool, err error) {
	for _, k := range keys {
		key := append(bytes.Clone(k.row), 0) // family 0 is there for every row
		value, ok, err := u.env.Txn.GetLatest(ctx, key)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			continue
		}
		if k.index.Primary {
			return k.row, true, nil
		}
		rowKey, err := u.codecs[k.index].AppendRowKey(nil, key, value)
		return rowKey, true, err
	}
	return nil, false, nil
}

func (u *upsert) insertRow(ctx context.Context, row []types.Datum) error {
	u.writer.reset()
	if err := u.writer.insert(0, row); err != nil {
		return err
	}
	c, err := u.writer.flush(ctx)
	if err != nil {
		return err
	}
	if c != nil {
		return duplicateKey(u.env, u.node.Table, c.index, row)
	}
	if err := u.insert.keys.insertedAll(ctx, [][]types.Datum{row}); err != nil {
		return err
	}
	return u.wrote(row)
}

// wrote counts a row that was inserted or changed.
func (u *upsert) wrote(row []types.Datum) error {
	key := u.writer.encoder.AppendRowKey(nil, row)
	if err := u.env.Memory.grow(int64(len(key)) + mapEntryBytes); err != nil {
		return err
	}
	u.mine[string(key)] = struct{}{}
	u.affected++
	return u.returning.add(row)
}

// updateRow changes the row that is in the way. done is false if it is not there any more.
func (u *upsert) updateRow(ctx context.Context, rowKey []byte, proposed []types.Datum) (done bool, err error) {
	if _, ok := u.mine[string(rowKey)]; ok {
		return false, sqlerr.New(sqlerr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
			WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
	}
	if _, err := u.env.Txn.LockRow(ctx, rowKey, kv.Update, kv.Block); err != nil {
		return false, err
	}
	old, ok, err := u.newest.read(ctx, rowKey)
	if !ok || err != nil {
		return false, err
	}
	pair := rowDatums(append(slices.Clone(old), proposed...))
	if u.on.Where != nil {
		if ok, err := isTrue(u.env, u.on.Where, &pair); !ok || err != nil {
			return true, err
		}
	}
	row := slices.Clone(old)
	if err := assign(u.env, u.on.Sets, &pair, row); err != nil {
		return false, err
	}
	if err := u.constraints.check(row); err != nil {
		return false, err
	}
	u.writer.reset()
	if err := u.writer.update(0, old, row); err != nil {
		return false, err
	}
	c, err := u.writer.flush(ctx)
	if err != nil {
		return false, err
	}
	if c != nil {
		return false, duplicateKey(u.env, u.node.Table, c.index, row)
	}
	if err := u.insert.keys.updatedAll(ctx, [][]types.Datum{old}, [][]types.Datum{row}); err != nil {
		return false, err
	}
	return true, u.wrote(row)
}
