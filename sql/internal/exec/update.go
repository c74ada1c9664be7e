package exec

import (
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// target locks the rows that UPDATE and DELETE are about to write, and finds their newest version if they changed since they were read.
type target struct {
	env    *Env
	table  *catalog.Table
	where  expr.Expr
	mode   kv.RowLock
	newest *newest
	row    rowDatums
	key    []byte
	// seen are the names of the rows that were wanted already, if rows are joined with others and may come several times; else nil.
	seen map[string]struct{}
}

// lock locks the row and gives it as it is now: old itself, or a newer version of its own columns with old's of the joined rows. ok is
// false if it is gone, if the statement's condition is not true of it any more, or if the statement writes it already.
func (t *target) lock(ctx context.Context, w *writer, old []types.Datum) (row []types.Datum, changed, ok bool, err error) {
	t.key = w.encoder.AppendRowKey(t.key[:0], old)
	if _, again := t.seen[string(t.key)]; again {
		return nil, false, false, nil
	}
	changed, err = t.env.Txn.LockRow(ctx, t.key, t.mode, kv.Block)
	if err != nil {
		return nil, false, false, err
	}
	if !changed {
		return old, false, true, t.note()
	}
	if row, ok, err = t.newest.read(ctx, t.key); !ok || err != nil {
		return nil, true, false, err
	}
	row = append(row, old[len(row):]...)
	if t.where != nil {
		t.row = row
		if ok, err = isTrue(t.env, t.where, &t.row); !ok || err != nil {
			return nil, true, false, err
		}
	}
	return row, true, true, t.note()
}

// note remembers that the statement writes the row.
func (t *target) note() error {
	if t.seen == nil {
		return nil
	}
	t.seen[string(t.key)] = struct{}{}
	return t.env.Memory.grow(int64(len(t.key)) + mapEntryBytes)
}

// update changes the rows of its input.
type update struct {
	env   *Env
	node  *plan.Update
	input Operator
	*writer
	target      target
	constraints constraints
	old, rows   [][]types.Datum // of the batch at hand
	movesRows   bool            // the statement sets columns of the primary key
	moved       map[string]struct{}
	row         rowDatums
	keys        *fkQueue
	returning
	affected int64
	done     bool
}

func newUpdate(env *Env, n *plan.Update, input Operator) *update {
	u := &update{
		env: env, node: n, input: input, writer: newWriter(env, n.Table),
		target:      target{env: env, table: n.Table, where: n.Where, mode: kv.NoKeyUpdate, newest: newNewest(env, n.Table)},
		constraints: constraints{env: env, table: n.Table, checks: n.Checks}, returning: newReturning(env, n.Returning),
		keys: newFKQueue(env, n.Table),
	}
	if n.Joined {
		u.target.seen = map[string]struct{}{}
	}
	for _, x := range n.Table.AllIndexes() {
		if (x.Unique || x.Primary) && x.Plain() && changesKey(n, x) {
			u.target.mode = kv.Update
			if x.Primary {
				u.movesRows, u.moved = true, map[string]struct{}{}
			}
		}
	}
	return u
}

// changesKey reports whether the statement may change the key columns of an index, those that are generated from others included.
func changesKey(n *plan.Update, x *catalog.Index) bool {
	return slices.ContainsFunc(n.Sets, func(s plan.Set) bool { return isKey(n.Table, x, s.Ordinal) }) ||
		slices.ContainsFunc(x.Keys, func(k catalog.IndexColumn) bool { return n.Table.Column(k.Column).Computed() })
}

func (u *update) Open(ctx context.Context) error {
	u.done, u.affected = false, 0
	clear(u.moved)
	u.returning.open()
	return u.input.Open(ctx)
}

// Next changes all rows before it gives the first of RETURNING.
func (u *update) Next(ctx context.Context) (*types.Batch, error) {
	for !u.done {
		in, err := u.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		if in == nil {
			u.done = true
			if err := u.keys.finish(ctx); err != nil {
				return nil, err
			}
			break
		}
		if err := u.updateBatch(ctx, in); err != nil {
			return nil, err
		}
	}
	return u.returning.next(), nil
}

func (u *update) updateBatch(ctx context.Context, in *types.Batch) error {
	rowErr := u.makeRows(ctx, in)
	u.writer.reset()
	for r, row := range u.rows {
		if err := u.writer.update(r, u.old[r], row); err != nil {
			return err
		}
	}
	c, err := u.writer.flush(ctx)
	switch {
	case err != nil:
		return err
	case c != nil:
		return duplicateKey(u.env, u.node.Table, c.index, u.rows[c.row])
	case rowErr != nil:
		return rowErr
	}
	u.affected += int64(len(u.rows))
	if err := u.keys.updatedAll(ctx, u.old, u.rows); err != nil {
		return err
	}
	return u.returning.addAll(u.rows)
}

// makeRows locks the rows of a batch and computes their new versions, up to the first that fails, whose error it returns.
func (u *update) makeRows(ctx context.Context, in *types.Batch) error {
	u.old, u.rows = u.old[:0], u.rows[:0]
	width := len(in.Cols)
	slab := make([]types.Datum, 2*in.Rows()*width)
	for r := range in.Rows() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		old, row := slab[:width:width], slab[width:width:2*width]
		slab = slab[2*width:]
		viewRow(in, r, old)
		old, changed, ok, err := u.target.lock(ctx, u.writer, old)
		if err != nil {
			return err
		}
		if changed && u.movesRows {
			// A row that this statement moved to a key it had read before is not changed twice.
			if _, mine := u.moved[string(u.target.key)]; mine {
				continue
			}
		}
		if !ok {
			continue
		}
		row = append(row[:0], old...)
		u.row = old
		if err := assign(u.env, u.node.Sets, &u.row, row); err != nil {
			return err
		}
		if err := u.constraints.check(row); err != nil {
			return err
		}
		if err := u.noteMove(row); err != nil {
			return err
		}
		u.old, u.rows = append(u.old, old), append(u.rows, row)
	}
	return nil
}

// assign gives the columns of row their new values, computed over old.
func assign(env *Env, sets []plan.Set, old expr.Row, row []types.Datum) error {
	var from expr.Expr // what fields are of
	var fields rowDatums
	for _, s := range sets {
		over := old
		if s.Row != nil {
			if s.Row != from {
				d, err := s.Row.Eval(env.Eval, old)
				if err != nil {
					return err
				}
				from = s.Row
				fields = recordFields(d, len(s.Row.Type().Fields()))
			}
			over = &fields
		}
		var err error
		if row[s.Ordinal], err = s.Expr.Eval(env.Eval, over); err != nil {
			return err
		}
	}
	return nil
}

// recordFields are the n fields of a record; of no record they are all NULL.
func recordFields(d types.Datum, n int) rowDatums {
	if !d.Null {
		_, values := d.Record()
		return values
	}
	values := make(rowDatums, n)
	for i := range values {
		values[i] = types.NullDatum
	}
	return values
}

// noteMove remembers the key that a row has now.
func (u *update) noteMove(row []types.Datum) error {
	if !u.movesRows {
		return nil
	}
	key := u.writer.encoder.AppendRowKey(nil, row)
	u.moved[string(key)] = struct{}{}
	return u.env.Memory.grow(int64(len(key)) + mapEntryBytes)
}

// Affected is the number of rows changed.
func (u *update) Affected() int64 { return u.affected }

func (u *update) Close() {
	u.input.Close()
	u.returning.close()
	u.writer.trim()
	clear(u.old)
	clear(u.rows)
}
