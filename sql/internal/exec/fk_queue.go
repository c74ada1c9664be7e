package exec

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// fkQueue collects, while a statement writes rows of a table, what its foreign keys and those that reference it have to look
// at, and does so when the statement's rows are written: as PostgreSQL's triggers do, those that act on referencing rows come
// first.
type fkQueue struct {
	env      *Env
	table    *catalog.Table
	outbound []*parentKeys // by the table's foreign keys; nil until one is needed
	changes  []changedKey
	deletes  []changedKey
}

func newFKQueue(env *Env, t *catalog.Table) *fkQueue {
	q := &fkQueue{env: env, table: t}
	if len(t.ForeignKeys) > 0 {
		q.outbound = make([]*parentKeys, len(t.ForeignKeys))
	}
	return q
}

// insertedAll notes new rows.
func (q *fkQueue) insertedAll(ctx context.Context, rows [][]types.Datum) error {
	for i := range q.outbound {
		for _, row := range rows {
			if err := q.note(ctx, i, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// note notes a new row for a foreign key of the table.
func (q *fkQueue) note(ctx context.Context, i int, row []types.Datum) error {
	fk := &q.table.ForeignKeys[i]
	if q.env.Deferred.defers(fk) {
		q.env.Deferred.addRow(q.table, fk, row)
		return nil
	}
	p := q.outbound[i]
	if p == nil {
		var err error
		if p, err = newParentKeys(ctx, q.env, q.table, fk); err != nil {
			return err
		}
		p.lock = true
		q.outbound[i] = p
	}
	if err := p.note(row); err != nil {
		return err
	}
	if p.full() {
		return p.flush(ctx)
	}
	return nil
}

// updatedAll notes the new versions of rows.
func (q *fkQueue) updatedAll(ctx context.Context, old, rows [][]types.Datum) error {
	for i := range q.outbound {
		for r := range rows {
			if !q.differ(q.table.ForeignKeys[i].Columns, old[r], rows[r]) {
				continue
			}
			if err := q.note(ctx, i, rows[r]); err != nil {
				return err
			}
		}
	}
	for r := range rows {
		for _, k := range q.table.Inbound {
			if q.differ(k.Columns, old[r], rows[r]) {
				q.changes = append(q.changes, changedKey{cloneRow(old[r]), cloneRow(rows[r])})
				break
			}
		}
	}
	return nil
}

func cloneRow(row []types.Datum) []types.Datum {
	out := make([]types.Datum, len(row))
	for i := range row {
		out[i] = row[i].Clone()
	}
	return out
}

// deleted notes a row that went. Old is copied.
func (q *fkQueue) deleted(old []types.Datum) {
	if len(q.table.Inbound) == 0 {
		return
	}
	q.deletes = append(q.deletes, changedKey{old: cloneRow(old)})
}

// differ reports whether some columns of two versions of a row differ.
func (q *fkQueue) differ(columns []catalog.ColumnID, old, row []types.Datum) bool {
	for _, id := range columns {
		o := q.table.Ordinal(id)
		if old[o].Null != row[o].Null || !old[o].Null && types.Compare(q.table.Columns[o].Type, old[o], row[o]) != 0 {
			return true
		}
	}
	return false
}

// finish does what is to be done once all rows are written. Errors: 23503, and those of the changes that follow.
func (q *fkQueue) finish(ctx context.Context) error {
	if len(q.changes)+len(q.deletes) > 0 {
		if err := q.finishInbound(ctx); err != nil {
			return err
		}
	}
	q.changes, q.deletes = q.changes[:0], q.deletes[:0]
	for _, p := range q.outbound {
		if p == nil {
			continue
		}
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finishInbound lets the foreign keys that reference the table act, in the order of PostgreSQL's triggers: by OID, as text.
func (q *fkQueue) finishInbound(ctx context.Context) error {
	inbound := slices.Clone(q.table.Inbound)
	slices.SortFunc(inbound, func(a, b catalog.InboundKey) int {
		return cmp.Compare(strconv.Itoa(int(a.OID)), strconv.Itoa(int(b.OID)))
	})
	for _, k := range inbound {
		c, err := newChildRows(ctx, q.env, q.table, k)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if keys := q.relevant(c, q.deletes); len(keys) > 0 {
			if err := c.react(ctx, keys, c.fk.OnDelete, true); err != nil {
				return err
			}
		}
		if keys := q.relevant(c, q.changes); len(keys) > 0 {
			if err := c.react(ctx, keys, c.fk.OnUpdate, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// relevant are the keys that the foreign key is about and that changed.
func (q *fkQueue) relevant(c *childRows, keys []changedKey) []changedKey {
	var out []changedKey
	for _, k := range keys {
		if some, _ := nulls(k.old, c.parentColumns); some {
			continue
		}
		if k.new == nil || q.differ(c.fk.RefColumns, k.old, k.new) {
			out = append(out, k)
		}
	}
	return out
}

// react does what the foreign key says about keys that went.
func (c *childRows) react(ctx context.Context, keys []changedKey, action catalog.FKAction, deleted bool) error {
	switch action {
	case catalog.FKNoAction:
		if c.env.Deferred.defers(c.fk) {
			c.env.Deferred.addGone(c.parent, c.child, c.fk, keys)
			return nil
		}
		return c.refuseGone(ctx, keys)
	case catalog.FKRestrict:
		return c.refuse(ctx, keys)
	default:
		return c.act(ctx, keys, action, deleted)
	}
}

// refuseGone is refuse for the keys that no row of the parent has by now.
func (c *childRows) refuseGone(ctx context.Context, keys []changedKey) error {
	keys, err := c.stillGone(ctx, keys)
	if err != nil || len(keys) == 0 {
		return err
	}
	return c.refuse(ctx, keys)
}

// stillGone leaves out the keys that another row of the parent has by now.
func (c *childRows) stillGone(ctx context.Context, keys []changedKey) ([]changedKey, error) {
	p, err := newParentKeys(ctx, c.env, c.child, c.fk)
	if err != nil {
		return nil, err
	}
	var out []changedKey
	for _, k := range keys {
		for i, x := range p.index.Keys {
			p.values[i] = k.old[c.parent.Ordinal(x.Column)]
		}
		p.key = p.codec.AppendKey(p.key[:0], p.values)
		_, ok, err := p.lookup(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			out = append(out, k)
		}
	}
	return out, nil
}
