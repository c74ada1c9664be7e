package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// join keeps the right rows, by a hash of their keys if there are keys, and looks for those that fit each left row.
type join struct {
	env         *Env
	node        *plan.Join
	left, right Operator
	split       int              // how many columns left has
	rows        *rowStore        // the right rows
	heads       map[string]int32 // by key: the first right row
	chain       []int32          // by right row: the next one of its key, or -1
	matched     []bool           // by right row, if the unmatched ones are wanted
	bytes       int64
	key         []byte

	in        *types.Batch // left rows at hand
	at        int          // of the left row at hand
	candidate int32        // the next right row to try, or -1
	started   bool         // the candidates of the left row were looked up
	found     bool         // the left row has fitted one
	leftDone  bool
	rest      int // the next right row to look at for not being matched
	pair      pairRow
	row       expr.BatchRow
	out       types.Batch
}

// pairRow is a left row and a right row as one.
type pairRow struct {
	left, right       *types.Batch
	leftRow, rightRow int
}

// Datum is the value of column i of the left row's and then the right row's.
func (p *pairRow) Datum(i int) types.Datum {
	if n := len(p.left.Cols); i >= n {
		return p.right.Cols[i-n].Datum(p.rightRow)
	}
	return p.left.Cols[i].Datum(p.leftRow)
}

func (j *join) Open(ctx context.Context) error {
	j.out.Init(j.node.Types())
	j.split = len(j.node.Left.Types())
	j.rows = newRowStore(j.node.Right.Types(), j.env.Memory)
	j.heads, j.chain, j.matched = map[string]int32{}, nil, nil
	j.in, j.leftDone, j.rest = nil, false, 0
	if err := j.right.Open(ctx); err != nil {
		return err
	}
	if err := j.build(ctx); err != nil {
		return err
	}
	return j.left.Open(ctx)
}

// build reads the right rows.
func (j *join) build(ctx context.Context) error {
	tails := map[string]int32{}
	for {
		in, err := j.right.Next(ctx)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		for r := range in.Rows() {
			i := int32(j.rows.len())
			if err := j.rows.add(in, r); err != nil {
				return err
			}
			ok, err := j.makeKey(j.node.RightKeys, in, r)
			if err != nil {
				return err
			}
			j.chain = append(j.chain, -1)
			if !ok {
				continue // a key with a NULL equals nothing
			}
			if last, ok := tails[string(j.key)]; ok {
				j.chain[last] = i
			} else {
				j.heads[string(j.key)] = i
			}
			tails[string(j.key)] = i
			n := int64(len(j.key)) + 2*mapEntryBytes
			if err := j.env.Memory.grow(n); err != nil {
				return err
			}
			j.bytes += n
		}
	}
	if j.node.Kind == plan.RightJoin || j.node.Kind == plan.FullJoin {
		j.matched = make([]bool, j.rows.len())
	}
	return nil
}

// makeKey computes the key of a row. It reports false if a part of it is NULL.
func (j *join) makeKey(keys []expr.Expr, b *types.Batch, r int) (bool, error) {
	j.key = j.key[:0]
	j.row.Batch, j.row.Pos = b, b.Row(r)
	for _, e := range keys {
		d, err := e.Eval(j.env.Eval, &j.row)
		if err != nil || d.Null {
			return false, err
		}
		j.key = rowenc.AppendKey(j.key, e.Type(), &d)
	}
	return true, nil
}

func (j *join) Next(ctx context.Context) (*types.Batch, error) {
	j.out.Reset()
	for j.out.N < types.MaxBatchRows {
		if j.leftDone {
			j.addUnmatchedRight()
			break
		}
		if j.in == nil || j.at == j.in.Rows() {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			var err error
			if j.in, err = j.left.Next(ctx); err != nil {
				return nil, err
			}
			j.at, j.started, j.leftDone = 0, false, j.in == nil
			continue
		}
		if err := j.step(ctx); err != nil {
			return nil, err
		}
	}
	if j.out.N == 0 {
		return nil, nil
	}
	return &j.out, nil
}

// step tries the right rows for the left row at hand, until the batch is full or there are no more.
func (j *join) step(ctx context.Context) error {
	if !j.started {
		j.started, j.found, j.candidate = true, false, -1
		ok, err := j.makeKey(j.node.LeftKeys, j.in, j.at)
		if err != nil {
			return err
		}
		if i, has := j.heads[string(j.key)]; ok && has {
			j.candidate = i
		}
	}
	j.pair.left, j.pair.leftRow = j.in, j.in.Row(j.at)
	for tried := 0; j.candidate >= 0; tried++ {
		if j.out.N == types.MaxBatchRows {
			return nil
		}
		if tried%types.MaxBatchRows == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		i := int(j.candidate)
		j.candidate = j.chain[i]
		j.pair.right, j.pair.rightRow = j.rows.batch(i)
		if j.node.On != nil {
			ok, err := isTrue(j.env, j.node.On, &j.pair)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		j.found = true
		if j.matched != nil {
			j.matched[i] = true
		}
		j.emit(true, true)
	}
	if !j.found && (j.node.Kind == plan.LeftJoin || j.node.Kind == plan.FullJoin) {
		j.emit(true, false)
	}
	j.at++
	j.started = false
	return nil
}

// emit adds the pair at hand, or one side of it with NULLs for the other.
func (j *join) emit(left, right bool) {
	n := j.split
	for c := range j.out.Cols {
		col := &j.out.Cols[c]
		switch {
		case c < n && left:
			appendValue(col, &j.pair.left.Cols[c], j.pair.leftRow)
		case c >= n && right:
			appendValue(col, &j.pair.right.Cols[c-n], j.pair.rightRow)
		default:
			col.AppendNull()
		}
	}
	j.out.N++
}

// appendValue copies a value, unless the column is one that nobody wants and has none.
func appendValue(to, from *types.Vec, row int) {
	if row < from.Len() {
		to.Append(from.Datum(row))
	}
}

// addUnmatchedRight adds the right rows that no left row fitted, if they are wanted.
func (j *join) addUnmatchedRight() {
	for ; j.rest < len(j.matched) && j.out.N < types.MaxBatchRows; j.rest++ {
		if !j.matched[j.rest] {
			j.pair.right, j.pair.rightRow = j.rows.batch(j.rest)
			j.emit(false, true)
		}
	}
}

func (j *join) Close() {
	j.left.Close()
	j.right.Close()
	if j.rows != nil {
		j.rows.release()
		j.env.Memory.shrink(j.bytes)
		j.rows, j.heads, j.chain, j.matched, j.bytes = nil, nil, nil, nil, 0
	}
}
