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
	node    *plan.LockRows
	input   Operator
	encoder *rowenc.Encoder
	newest  *newest
	row     rowDatums
	key     []byte
	old     []types.Datum
	in      *types.Batch
	at      int // of the next row of in
	given   int64
	out     types.Batch
}

func newLockRows(env *Env, n *plan.LockRows, input Operator) *lockRows {
	t := n.Scan.Table
	return &lockRows{
		env: env, node: n, input: input, encoder: rowenc.NewEncoder(t), newest: newNewest(env, t), old: make([]types.Datum, len(t.Columns)),
	}
}

func (l *lockRows) Open(ctx context.Context) error {
	l.out.Init(l.node.Types())
	l.in, l.given = nil, 0
	return l.input.Open(ctx)
}

// Next locks no more rows than are wanted: who asks again wants more.
func (l *lockRows) Next(ctx context.Context) (*types.Batch, error) {
	most := types.MaxBatchRows
	if left := l.node.Limit - l.given; left > 0 && left < types.MaxBatchRows {
		most = int(left)
	} else if l.node.Limit > 0 && left <= 0 {
		most = 1
	}
	l.out.Reset()
	for l.out.N < most {
		if l.in == nil || l.at == l.in.Rows() {
			var err error
			if l.in, err = l.input.Next(ctx); err != nil {
				return nil, err
			}
			if l.at = 0; l.in == nil {
				break
			}
		}
		row, ok, err := l.lock(ctx, l.in, l.at)
		if err != nil {
			return nil, err
		}
		l.at++
		if ok {
			l.out.AppendRow(row)
		}
	}
	if l.out.N == 0 {
		return nil, nil
	}
	l.given += int64(l.out.N)
	return &l.out, nil
}

// lock locks a row and gives it as it is now; ok is false if it is gone, skipped, or no longer wanted.
func (l *lockRows) lock(ctx context.Context, in *types.Batch, r int) (row []types.Datum, ok bool, err error) {
	i := in.Row(r)
	for c := range in.Cols {
		l.old[c] = types.NullDatum
		if l.node.Scan.Want[c] {
			l.old[c] = in.Cols[c].Datum(i)
		}
	}
	l.key = l.encoder.AppendRowKey(l.key[:0], l.old)
	changed, err := l.env.Txn.LockRow(ctx, l.key, rowLocks[l.node.Strength], waits[l.node.Wait])
	switch {
	case errors.Is(err, kv.ErrRowSkipped):
		return nil, false, nil
	case errors.Is(err, kv.ErrLockNotAvailable):
		return nil, false, sqlerr.New(sqlerr.LockNotAvailable, "could not obtain lock on row in relation \"%s\"", l.node.Scan.Table.Name)
	case err != nil:
		return nil, false, err
	case !changed:
		return l.old, true, nil
	}
	if row, ok, err = l.newest.read(ctx, l.key); !ok || err != nil || l.node.Recheck == nil {
		return row, ok, err
	}
	l.row = row
	ok, err = isTrue(l.env, l.node.Recheck, &l.row)
	return row, ok, err
}

var rowLocks = [...]kv.RowLock{plan.LockKeyShare: kv.KeyShare, plan.LockShare: kv.Share, plan.LockNoKeyUpdate: kv.NoKeyUpdate, plan.LockUpdate: kv.Update}

var waits = [...]kv.WaitPolicy{plan.WaitBlock: kv.Block, plan.WaitSkip: kv.SkipLocked, plan.WaitNone: kv.NoWait}

func (l *lockRows) Close() { l.input.Close() }
