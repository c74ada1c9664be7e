package exec

import (
	"context"

	"minidb/sql/internal/plan"
	"minidb/sql/types"
)

// insert adds the rows of its input to a table.
type insert struct {
	env   *Env
	node  *plan.Insert
	input Operator
	*writer
	constraints constraints
	given       []bool          // by ordinal: the input has the column
	rows        [][]types.Datum // of the batch at hand
	keys        *fkQueue
	returning
	affected int64
	done     bool
}

func newInsert(env *Env, n *plan.Insert, input Operator) *insert {
	given := make([]bool, len(n.Table.Columns))
	for _, o := range n.From {
		given[o] = true
	}
	return &insert{
		given: given,
		env:   env, node: n, input: input, writer: newWriter(env, n.Table),
		constraints: constraints{env: env, table: n.Table, checks: n.Checks}, keys: newFKQueue(env, n.Table), returning: newReturning(env, n.Returning),
	}
}

func (i *insert) Open(ctx context.Context) error {
	i.done, i.affected = false, 0
	i.returning.open()
	return i.input.Open(ctx)
}

// Next inserts all rows before it gives the first of RETURNING.
func (i *insert) Next(ctx context.Context) (*types.Batch, error) {
	for !i.done {
		in, err := i.input.Next(ctx)
		if err != nil {
			return nil, err
		}
		if in == nil {
			i.done = true
			if err := i.keys.finish(ctx); err != nil {
				return nil, err
			}
			break
		}
		if err := i.insertBatch(ctx, in); err != nil {
			return nil, err
		}
	}
	return i.returning.next(), nil
}

// insertBatch inserts a batch. If a row fails a check, those before it are written first: one of them may fail for its key, and that
// error comes first then.
func (i *insert) insertBatch(ctx context.Context, in *types.Batch) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	rowErr := i.makeRows(ctx, in)
	i.writer.reset()
	for r, row := range i.rows {
		if err := i.writer.insert(r, row); err != nil {
			return err
		}
	}
	c, err := i.writer.flush(ctx)
	switch {
	case err != nil:
		return err
	case c != nil:
		return duplicateKey(i.env, i.node.Table, c.index, i.rows[c.row])
	case rowErr != nil:
		return rowErr
	}
	i.affected += int64(len(i.rows))
	if err := i.keys.insertedAll(ctx, i.rows); err != nil {
		return err
	}
	return i.returning.addAll(i.rows)
}

// makeRows makes whole rows of the batch's, up to the first that violates a constraint, whose error it returns.
func (i *insert) makeRows(ctx context.Context, in *types.Batch) error {
	t := i.node.Table
	i.rows = i.rows[:0]
	var rowID int64
	if t.HasRowID() {
		var err error
		if rowID, err = i.env.View.Store().AllocateRowIDs(ctx, t.ID, in.Rows()); err != nil {
			return err
		}
	}
	slab := make([]types.Datum, in.Rows()*len(t.Columns))
	for r := range in.Rows() {
		row := slab[:len(t.Columns):len(t.Columns)]
		slab = slab[len(t.Columns):]
		for c, o := range i.node.From {
			row[o] = in.Datum(c, r)
		}
		for o := range row {
			switch {
			case i.given[o]:
			case t.Columns[o].Computed():
				row[o] = types.NullDatum
			case t.Columns[o].Hidden:
				row[o] = types.NewInt(rowID + int64(r))
			case i.node.Defaults[o] == nil:
				row[o] = types.NullDatum
			default:
				d, err := i.node.Defaults[o].Eval(i.env.Eval, noRow)
				if err != nil {
					return err
				}
				row[o] = d
			}
		}
		if err := i.constraints.check(row); err != nil {
			return err
		}
		i.rows = append(i.rows, row)
	}
	return nil
}

// Affected is the number of rows inserted.
func (i *insert) Affected() int64 { return i.affected }

func (i *insert) Close() {
	i.input.Close()
	i.returning.close()
	i.writer.trim()
	clear(i.rows)
}
