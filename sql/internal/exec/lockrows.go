package exec

import (
	"context"
	"errors"

	"minidb/kv"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// lockRows locks the rows of a scan for SELECT … FOR UPDATE and its kin, and passes them as they are once locked.
type lockRows struct {
	env     *Env
	node    *plan.Scan
	input   Operator
	encoder *rowenc.Encoder
	newest  *newest
	row     rowDatums
	key     []byte
	old     []types.Datum
	out     types.Batch
}

func newLockRows(env *Env, n *plan.Scan, input Operator) *lockRows {
	return &lockRows{
		env: env, node: n, input: input, encoder: rowenc.NewEncoder(n.Table), newest: newNewest(env, n.Table),
		old: make([]types.Datum, len(n.Table.Columns)),
	}
}

func (l *lockRows) Open(ctx context.Context) error {
	l.out.Init(l.node.Types())
	return l.input.Open(ctx)
}

func (l *lockRows) Next(ctx context.Context) (*types.Batch, error) {
	for {
		in, err := l.input.Next(ctx)
		if in == nil || err != nil {
			return nil, err
		}
		l.out.Reset()
		for r := range in.Rows() {
			row, ok, err := l.lock(ctx, in, r)
			if err != nil {
				return nil, err
			}
			if ok {
				l.out.AppendRow(row)
			}
		}
		if l.out.N > 0 {
			return &l.out, nil
		}
	}
}

// lock locks a row and gives it as it is now; ok is false if it is gone, skipped, or no longer wanted.
func (l *lockRows) lock(ctx context.Context, in *types.Batch, r int) (row []types.Datum, ok bool, err error) {
	i := in.Row(r)
	for c := range in.Cols {
		l.old[c] = types.NullDatum
		if l.node.Want[c] {
			l.old[c] = in.Cols[c].Datum(i)
		}
	}
	l.key = l.encoder.AppendRowKey(l.key[:0], l.old)
	changed, err := l.env.Txn.LockRow(ctx, l.key, rowLocks[l.node.Lock.Strength], waits[l.node.Lock.Wait])
	switch {
	case errors.Is(err, kv.ErrRowSkipped):
		return nil, false, nil
	case errors.Is(err, kv.ErrLockNotAvailable):
		return nil, false, sqlerr.New(sqlerr.LockNotAvailable, "could not obtain lock on row in relation \"%s\"", l.node.Table.Name)
	case err != nil:
		return nil, false, err
	case !changed:
		return l.old, true, nil
	}
	if row, ok, err = l.newest.read(ctx, l.key); !ok || err != nil || l.node.Lock.Recheck == nil {
		return row, ok, err
	}
	l.row = row
	ok, err = isTrue(l.env, l.node.Lock.Recheck, &l.row)
	return row, ok, err
}

var rowLocks = [...]kv.RowLock{plan.LockKeyShare: kv.KeyShare, plan.LockShare: kv.Share, plan.LockNoKeyUpdate: kv.NoKeyUpdate, plan.LockUpdate: kv.Update}

var waits = [...]kv.WaitPolicy{plan.WaitBlock: kv.Block, plan.WaitSkip: kv.SkipLocked, plan.WaitNone: kv.NoWait}

func (l *lockRows) Close() { l.input.Close() }
