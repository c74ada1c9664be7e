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

// lockJoined locks the rows of tables that its input's rows are joined of.
type lockJoined struct {
	env    *Env
	node   *plan.LockJoined
	input  Operator
	tables []lockedTable
	row    rowDatums
	in     *types.Batch
	at     int // of the next row of in
	given  int64
	out    types.Batch
}

// lockedTable finds and reads the rows of a table that is locked.
type lockedTable struct {
	plan.TableRowLock
	encoder *rowenc.Encoder
	newest  *newest
	key     []byte
}

func newLockJoined(env *Env, n *plan.LockJoined, input Operator) *lockJoined {
	l := &lockJoined{env: env, node: n, input: input}
	for _, t := range n.Locks {
		l.tables = append(l.tables, lockedTable{TableRowLock: t, encoder: rowenc.NewEncoder(t.Table), newest: newNewest(env, t.Table)})
	}
	return l
}

func (l *lockJoined) Open(ctx context.Context) error {
	l.out.Init(l.node.Types())
	l.row = make(rowDatums, len(l.out.Cols))
	l.in, l.given = nil, 0
	return l.input.Open(ctx)
}

func (l *lockJoined) Next(ctx context.Context) (*types.Batch, error) {
	most := types.MaxBatchRows
	if l.node.Limit > 0 {
		most = int(min(max(l.node.Limit-l.given, 1), types.MaxBatchRows))
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
		viewRow(l.in, l.at, l.row)
		l.at++
		ok, err := l.lock(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			l.out.AppendRow(l.row)
		}
	}
	if l.out.N == 0 {
		return nil, nil
	}
	l.given += int64(l.out.N)
	return &l.out, nil
}

// lock locks the parts of the row at hand and brings them up to date; ok is false if one is gone or skipped, or if they do not fit any
// more.
func (l *lockJoined) lock(ctx context.Context) (ok bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	anyChanged := false
	for i := range l.tables {
		t := &l.tables[i]
		part := l.row[t.First : t.First+len(t.Table.Columns)]
		t.key = t.encoder.AppendRowKey(t.key[:0], part)
		changed, err := l.env.Txn.LockRow(ctx, t.key, rowLocks[t.Strength], waits[t.Wait])
		switch {
		case errors.Is(err, kv.ErrRowSkipped):
			return false, nil
		case errors.Is(err, kv.ErrLockNotAvailable):
			return false, sqlerr.New(sqlerr.LockNotAvailable, "could not obtain lock on row in relation \"%s\"", t.Table.Name)
		case err != nil:
			return false, err
		case !changed:
			continue
		}
		now, ok, err := t.newest.read(ctx, t.key)
		if !ok || err != nil {
			return false, err
		}
		copy(part, now)
		anyChanged = true
	}
	if !anyChanged || l.node.Recheck == nil {
		return true, nil
	}
	return isTrue(l.env, l.node.Recheck, &l.row)
}

func (l *lockJoined) Close() { l.input.Close() }
