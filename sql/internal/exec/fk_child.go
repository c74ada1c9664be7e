package exec

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// childRows finds and changes the rows of a child table that reference rows of its parent which are gone or have another key.
type childRows struct {
	env           *Env
	parent, child *catalog.Table
	fk            *catalog.ForeignKey
	parentColumns []int // ordinals, in the order of the foreign key
	childColumns  []int
	index         *catalog.Index // of child that begins with the foreign key's columns; nil: none does
}

func newChildRows(ctx context.Context, env *Env, parent *catalog.Table, k catalog.InboundKey) (*childRows, error) {
	c := &childRows{env: env, parent: parent, child: parent}
	if k.Table != parent.ID {
		if err := env.View.LockTable(ctx, k.Table, kv.TableRowExclusive); err != nil {
			return nil, err
		}
		var err error
		if c.child, err = env.View.TableByID(ctx, k.Table); err != nil {
			return nil, err
		}
	}
	if c.fk = c.child.ForeignKey(k.OID); c.fk == nil {
		return nil, catalog.ErrNotFound
	}
	for i := range c.fk.Columns {
		c.parentColumns = append(c.parentColumns, parent.Ordinal(c.fk.RefColumns[i]))
		c.childColumns = append(c.childColumns, c.child.Ordinal(c.fk.Columns[i]))
	}
	for _, x := range c.child.AllIndexes() {
		if c.covers(x) {
			c.index = x
			break
		}
	}
	return c, nil
}

// covers reports whether an index begins with the foreign key's columns, in any order.
func (c *childRows) covers(x *catalog.Index) bool {
	if !x.Plain() || len(x.Keys) < len(c.fk.Columns) || x.State != catalog.IndexPublic {
		return false
	}
	for _, k := range x.Keys[:len(c.fk.Columns)] {
		i := slices.Index(c.fk.Columns, k.Column)
		if i < 0 || !sameKeys(c.child.Columns[c.childColumns[i]].Type, c.parent.Columns[c.parentColumns[i]].Type) {
			return false
		}
	}
	return true
}

// sameKeys reports whether equal values of two types have equal bytes in the keys of indexes.
func sameKeys(a, b types.Type) bool {
	integer := func(t types.Type) bool {
		return t.OID == types.Int2OID || t.OID == types.Int4OID || t.OID == types.Int8OID
	}
	return a.OID == b.OID || integer(a) && integer(b) || types.BinaryCoercible(a.Base(), b.Base())
}

// changedKey is a row of the parent whose key went: as it was, and as it is now, nil if it is gone.
type changedKey struct{ old, new []types.Datum }

// childRow is a row of the child that has a key that went.
type childRow struct {
	name []byte // in the primary index
	key  int    // of the keys asked for
}

// find gives the rows of the child that reference the keys; at most one if any is enough.
func (c *childRows) find(ctx context.Context, keys []changedKey, any bool) ([]childRow, error) {
	if c.index != nil {
		return c.findByIndex(ctx, keys, any)
	}
	return c.findByScan(ctx, keys, any)
}

func (c *childRows) findByIndex(ctx context.Context, keys []changedKey, any bool) (found []childRow, err error) {
	codec := rowenc.NewKeyCodec(c.child, c.index)
	for i := range keys {
		eq := make([]types.Datum, len(c.fk.Columns))
		fits := true
		for k := range eq {
			at := slices.Index(c.fk.Columns, c.index.Keys[k].Column)
			d, from, to := keys[i].old[c.parentColumns[at]], c.parent.Columns[c.parentColumns[at]].Type, c.child.Columns[c.childColumns[at]].Type
			var inRange bool
			if d, inRange, _ = expr.KeyValue(d, from, to); !inRange {
				fits = false
			}
			eq[k] = d
		}
		if !fits {
			continue
		}
		it, err := c.env.Txn.NewIter(ctx, codec.Span(eq, nil, nil), kv.IterOptions{Latest: true})
		if err != nil {
			return nil, err
		}
		for it.Next() {
			name, err := codec.AppendRowKey(nil, it.Key(), it.Value())
			if err != nil {
				return nil, errors.Join(err, it.Close())
			}
			if n := len(found); n > 0 && found[n-1].key == i && bytes.Equal(found[n-1].name, name) {
				continue // another family of the row
			}
			found = append(found, childRow{name, i})
			if err := c.env.Memory.grow(int64(len(name)) + mapEntryBytes); err != nil {
				return nil, errors.Join(err, it.Close())
			}
			if any {
				return found, it.Close()
			}
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// errEnough ends a scan early.
var errEnough = errors.New("enough")

// findByScan reads the whole child once for all keys.
func (c *childRows) findByScan(ctx context.Context, keys []changedKey, any bool) (found []childRow, err error) {
	wanted := make(map[string]int, len(keys))
	for i := range keys {
		wanted[string(c.parentKey(keys[i].old))] = i
	}
	encoder := rowenc.NewEncoder(c.child)
	var key []byte
	err = eachRow(ctx, c.env, c.child, func(row []types.Datum) error {
		if some, _ := nulls(row, c.childColumns); some {
			return nil
		}
		var ok bool
		if key, ok = c.childKey(key[:0], row); !ok {
			return nil
		}
		i, ok := wanted[string(key)]
		if !ok {
			return nil
		}
		name := encoder.AppendRowKey(nil, row)
		found = append(found, childRow{name, i})
		if any {
			return errEnough
		}
		return c.env.Memory.grow(int64(len(name)) + mapEntryBytes)
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

// parentKey is the key of a row of the parent, in a form that childKey gives too.
func (c *childRows) parentKey(row []types.Datum) []byte {
	var key []byte
	for _, o := range c.parentColumns {
		key = types.AppendKey(key, c.parent.Columns[o].Type, row[o])
	}
	return key
}

// childKey is the key that a row of the child references; false if no parent can have it.
func (c *childRows) childKey(dst []byte, row []types.Datum) ([]byte, bool) {
	for i, o := range c.childColumns {
		d, from, to := row[o], c.child.Columns[o].Type, c.parent.Columns[c.parentColumns[i]].Type
		if !sameKeys(from, to) {
			var err error
			if d, err = types.Cast(c.env.Eval.Types, d, from.Base(), to.Base(), types.CastImplicit); err != nil {
				return dst, false
			}
		}
		dst = types.AppendKey(dst, to, d)
	}
	return dst, true
}

// refuse fails if a row of the child still references one of the keys.
func (c *childRows) refuse(ctx context.Context, keys []changedKey) error {
	found, err := c.find(ctx, keys, true)
	if err != nil || len(found) == 0 {
		return err
	}
	return c.referenced(keys[found[0].key].old)
}

// referenced is the error of a key that went while the child has it.
func (c *childRows) referenced(old []types.Datum) error {
	names, shown := shownKey(c.env, c.parent, c.parentColumns, old)
	p := &parentKeys{env: c.env, child: c.child, fk: c.fk}
	err := p.violated("update or delete").WithDetail("Key (%s)=(%s) is still referenced from table \"%s\".", names, shown, c.child.Name)
	err.Message = "update or delete on table \"" + c.parent.Name + "\" violates foreign key constraint \"" + c.fk.Name + "\" on table \"" + c.child.Name + "\""
	return err
}

// act deletes the rows of the child that reference the keys, or gives them the values that the action says, and lets that
// have its own consequences.
func (c *childRows) act(ctx context.Context, keys []changedKey, action catalog.FKAction, deleted bool) error {
	found, err := c.find(ctx, keys, false)
	if err != nil || len(found) == 0 {
		return err
	}
	defer c.env.Memory.shrink(int64(len(found)) * mapEntryBytes)
	w, err := c.newWriter()
	if err != nil {
		return err
	}
	for len(found) > 0 {
		n := min(len(found), types.MaxBatchRows)
		if err := w.batch(ctx, found[:n], keys, action, deleted); err != nil {
			return err
		}
		found = found[n:]
	}
	if err := w.queue.finish(ctx); err != nil || action != catalog.FKSetDefault {
		return err
	}
	// The default may be a key that went.
	return c.refuseGone(ctx, keys)
}

// childWriter writes rows of the child.
type childWriter struct {
	*childRows
	writer      *writer
	newest      *newest
	queue       *fkQueue
	constraints constraints
	defaults    []expr.Expr
	old, rows   [][]types.Datum
}

func (c *childRows) newWriter() (*childWriter, error) {
	checks, err := plan.CompileChecks(c.child, c.env.Eval.Types)
	if err != nil {
		return nil, err
	}
	defaults, err := plan.CompileDefaults(c.child, c.env.Eval.Types)
	if err != nil {
		return nil, err
	}
	return &childWriter{
		childRows: c, writer: newWriter(c.env, c.child), newest: newNewest(c.env, c.child), queue: newFKQueue(c.env, c.child),
		constraints: constraints{env: c.env, table: c.child, checks: checks}, defaults: defaults,
	}, nil
}

// batch changes some rows.
func (w *childWriter) batch(ctx context.Context, found []childRow, keys []changedKey, action catalog.FKAction, deleted bool) error {
	w.writer.reset()
	w.old, w.rows = w.old[:0], w.rows[:0]
	gone := action == catalog.FKCascade && deleted
	mode := kv.NoKeyUpdate
	if gone {
		mode = kv.Update
	}
	for _, f := range found {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if _, err := w.env.Txn.LockRow(ctx, f.name, mode, kv.Block); err != nil {
			return err
		}
		old, ok, err := w.newest.read(ctx, f.name)
		if err != nil {
			return err
		}
		if !ok || !w.references(old, keys[f.key].old) {
			continue
		}
		if gone {
			if err := w.writer.delete(old); err != nil {
				return err
			}
			w.queue.deleted(old)
			continue
		}
		row, err := w.changed(old, keys[f.key], action, deleted)
		if err != nil {
			return err
		}
		if err := w.writer.update(len(w.rows), old, row); err != nil {
			return err
		}
		w.old, w.rows = append(w.old, old), append(w.rows, row)
	}
	conflict, err := w.writer.flush(ctx)
	if err != nil {
		return err
	}
	if conflict != nil {
		return duplicateKey(w.env, w.child, conflict.index, w.rows[conflict.row])
	}
	return w.queue.updatedAll(ctx, w.old, w.rows)
}

// references reports whether a row of the child has a key of the parent.
func (c *childRows) references(row, parent []types.Datum) bool {
	if some, _ := nulls(row, c.childColumns); some {
		return false
	}
	key, ok := c.childKey(nil, row)
	return ok && bytes.Equal(key, c.parentKey(parent))
}

// changed is a row of the child as the action makes it.
func (w *childWriter) changed(old []types.Datum, key changedKey, action catalog.FKAction, deleted bool) ([]types.Datum, error) {
	row := slices.Clone(old)
	for i, o := range w.childColumns {
		column := &w.child.Columns[o]
		if deleted && len(w.fk.SetColumns) > 0 && !slices.Contains(w.fk.SetColumns, column.ID) {
			continue
		}
		switch action {
		case catalog.FKSetNull:
			row[o] = types.NullDatum
		case catalog.FKSetDefault:
			row[o] = types.NullDatum
			if w.defaults[o] != nil {
				d, err := w.defaults[o].Eval(w.env.Eval, noRow)
				if err != nil {
					return nil, err
				}
				row[o] = d
			}
		default:
			d, err := types.Cast(w.env.Eval.Types, key.new[w.parentColumns[i]], w.parent.Columns[w.parentColumns[i]].Type.Base(), column.Type, types.CastAssignment)
			if err != nil {
				return nil, err
			}
			row[o] = d
		}
	}
	return row, w.constraints.check(row)
}
