package exec

import (
	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// returning keeps the rows of RETURNING until all of the statement's writes are done.
type returning struct {
	env   *Env
	exprs []expr.Expr // nil: no RETURNING
	rows  *rowStore
	row   rowDatums
	out   []types.Datum
	given int
}

func newReturning(env *Env, exprs []expr.Expr) returning {
	r := returning{env: env, exprs: exprs, out: make([]types.Datum, len(exprs))}
	ts := make([]types.Type, len(exprs))
	for i, e := range exprs {
		ts[i] = e.Type()
	}
	r.rows = newRowStore(ts, env.Memory)
	return r
}

// add computes the list for a row of the table.
func (r *returning) add(row []types.Datum) error {
	if r.exprs == nil {
		return nil
	}
	r.row = row
	for i, e := range r.exprs {
		d, err := e.Eval(r.env.Eval, &r.row)
		if err != nil {
			return err
		}
		r.out[i] = d
	}
	return r.rows.addRow(r.out)
}

func (r *returning) addAll(rows [][]types.Datum) error {
	for _, row := range rows {
		if err := r.add(row); err != nil {
			return err
		}
	}
	return nil
}

// next gives the next rows, or nil.
func (r *returning) next() *types.Batch {
	if r.given >= r.rows.len() {
		return nil
	}
	b, _ := r.rows.batch(r.given)
	r.given += b.N
	return b
}

// open forgets what an earlier execution gave.
func (r *returning) open() { r.given = 0 }

func (r *returning) close() { r.rows.release() }
