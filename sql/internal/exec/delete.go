package exec

import (
	"context"

	"minidb/kv"
	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// remove deletes the rows of its input.
type remove struct {
	env   *Env
	input Operator
	*writer
	target target
	keys   *fkQueue
	returning
	affected int64
	done     bool
	old      []types.Datum
}

func newDelete(env *Env, n *plan.Delete, input Operator) *remove {
	d := &remove{
		env: env, input: input, writer: newWriter(env, n.Table),
		target:    target{env: env, table: n.Table, where: n.Where, mode: kv.Update, newest: newNewest(env, n.Table)},
		keys:      newFKQueue(env, n.Table),
		returning: newReturning(env, n.Returning),
	}
	if n.Joined {
		d.target.seen = map[string]struct{}{}
	}
	return d
}

func (d *remove) Open(ctx context.Context) error {
	d.done, d.affected = false, 0
	d.returning.open()
	return d.input.Open(ctx)
}

// Next deletes all rows before it gives the first of RETURNING.
func (d *remove) Next(ctx context.Context) (*types.Batch, error) {
	for !d.done {
		in, err := d.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		if in == nil {
			d.done = true
			if err := d.keys.finish(ctx); err != nil {
				return nil, err
			}
			break
		}
		if err := d.deleteBatch(ctx, in); err != nil {
			return nil, err
		}
	}
	return d.returning.next(), nil
}

func (d *remove) deleteBatch(ctx context.Context, in *types.Batch) error {
	d.writer.reset()
	if d.old == nil {
		d.old = make([]types.Datum, len(in.Cols))
	}
	for r := range in.Rows() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		viewRow(in, r, d.old)
		old, _, ok, err := d.target.lock(ctx, d.writer, d.old)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := d.writer.delete(old); err != nil {
			return err
		}
		d.keys.deleted(old)
		if err := d.returning.add(old); err != nil {
			return err
		}
		d.affected++
	}
	_, err := d.writer.flush(ctx)
	return err
}

// Affected is the number of rows deleted.
func (d *remove) Affected() int64 { return d.affected }

func (d *remove) Close() {
	d.input.Close()
	d.returning.close()
	d.writer.trim()
}
