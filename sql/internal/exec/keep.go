package exec

import (
	"context"

	"minidb/sql/types"
)

// KeptRows are rows that were read ahead of the client.
type KeptRows struct {
	rows *rowStore
	next int
}

// Keep reads the rest of an operator's rows: first those of batch rest after the first given ones (rest may be nil), then all that
// follow.
func Keep(ctx context.Context, env *Env, op Operator, ts []types.Type, rest *types.Batch, given int) (*KeptRows, error) {
	k := &KeptRows{rows: newRowStore(ts, env.Memory)}
	for b := rest; ; given = 0 {
		if b != nil {
			for r := given; r < b.Rows(); r++ {
				if err := k.rows.add(b, r); err != nil {
					return nil, err
				}
			}
		}
		var err error
		if b, err = op.Next(ctx); err != nil {
			return nil, err
		}
		if b == nil {
			return k, nil
		}
	}
}

// Next gives the next rows, or nil.
func (k *KeptRows) Next() *types.Batch {
	if k.next >= k.rows.len() {
		return nil
	}
	b, _ := k.rows.batch(k.next)
	k.next += b.N
	return b
}
