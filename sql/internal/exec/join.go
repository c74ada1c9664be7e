package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// join keeps the rows of one side, the built one, by a hash of their keys if there are keys, and looks for those that fit each row of
// the other. The built side is the right one unless the plan says otherwise. If it is too large, both sides are divided by the keys'
// hashes into parts, which are joined one after the other (see spilljoin.go).
type join struct {
	env         *Env
	node        *plan.Join
	left, right Operator
	split       int // how many columns left has
	builtTypes  []types.Type
	otherTypes  []types.Type
	rows        *rowStore // the built rows
	heads       keyTable
	first, last []int32 // by key: its first and last built row
	chain       []int32 // by built row: the next one of its key, or -1
	matched     []bool  // by built row, if the unmatched ones are wanted
	bytes       int64
	key         []byte

	parts []joinPart // still to be joined
	part  joinPart   // that is being joined, if the sides were divided

	from      rowSource    // of the rows of the other side
	in        *types.Batch // those at hand
	at        int          // of the row at hand
	candidate int32        // the next built row to try, or -1
	started   bool         // the candidates of the row were looked up
	found     bool         // the row has fitted one
	inDone    bool
	rest      int // the next built row to look at for not being matched
	pair      pairRow
	row       expr.BatchRow
	out       types.Batch
	removed   int64 // pairs that did not fulfil On
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

// sides are the built side and the other one, with their keys.
func (j *join) sides() (built, other Operator, builtKeys, otherKeys []expr.Expr) {
	if j.node.BuildLeft {
		return j.left, j.right, j.node.LeftKeys, j.node.RightKeys
	}
	return j.right, j.left, j.node.RightKeys, j.node.LeftKeys
}

func (j *join) Open(ctx context.Context) error {
	j.out.Init(j.node.Types())
	j.split = len(j.node.Left.Types())
	j.builtTypes, j.otherTypes = j.node.Right.Types(), j.node.Left.Types()
	if j.node.BuildLeft {
		j.builtTypes, j.otherTypes = j.otherTypes, j.builtTypes
	}
	built, other, _, _ := j.sides()
	if err := built.Open(ctx); err != nil {
		return err
	}
	divided, err := j.build(ctx, built, 0)
	if err != nil {
		return err
	}
	if err := other.Open(ctx); err != nil {
		divided.remove()
		return err
	}
	return j.start(ctx, other, divided)
}

// build reads the rows to keep. If there are too many it divides them instead.
func (j *join) build(ctx context.Context, from rowSource, depth int) (*partitions, error) {
	j.forget()
	j.rows = newRowStore(j.builtTypes, j.env.Memory)
	_, _, keys, _ := j.sides()
	for {
		in, err := from.Next(ctx)
		if err != nil {
			return nil, err
		}
		if in == nil {
			break
		}
		if err := j.keep(in, keys); err != nil {
			return nil, err
		}
		if len(keys) > 0 && depth < spillDepth && j.env.Memory.isShort(j.rows.bytes+j.bytes) {
			return j.divideBuilt(ctx, from, keys, depth)
		}
	}
	if j.wantsAllBuilt() {
		j.matched = make([]bool, j.rows.len())
	}
	return nil, nil
}

// keep takes in rows of the built side.
func (j *join) keep(in *types.Batch, keys []expr.Expr) error {
	for r := range in.Rows() {
		ok, err := j.makeKey(keys, in, r)
		if err != nil {
			return err
		}
		if !ok && !j.wantsAllBuilt() {
			continue // a key with a NULL equals nothing
		}
		if err := j.rows.add(in, r); err != nil {
			return err
		}
		j.chain = append(j.chain, -1)
		if ok {
			j.enter(int32(j.rows.len() - 1))
		}
	}
	n := j.heads.size() + int64(4*(cap(j.first)+cap(j.last)+cap(j.chain)))
	err := j.env.Memory.grow(n - j.bytes)
	if err == nil {
		j.bytes = n
	}
	return err
}

// wantsAllBuilt reports whether built rows that fit none are in the result.
func (j *join) wantsAllBuilt() bool {
	return j.node.Kind == plan.RightJoin || j.node.Kind == plan.FullJoin
}

// wantsAllOther reports whether other rows that fit none are in the result.
func (j *join) wantsAllOther() bool {
	return j.node.Kind == plan.LeftJoin || j.node.Kind == plan.FullJoin || j.node.Kind == plan.AntiJoin
}

// enter puts a built row at the end of the rows of the key at hand.
func (j *join) enter(row int32) {
	sum := hashKey(j.key)
	k := j.heads.find(j.key, sum)
	if k < 0 {
		j.heads.add(j.key, sum)
		j.first, j.last = append(j.first, row), append(j.last, row)
		return
	}
	j.chain[j.last[k]] = row
	j.last[k] = row
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
	_, _, _, keys := j.sides()
	j.out.Reset()
	for j.out.N < types.MaxBatchRows {
		if j.inDone {
			if j.addUnmatched(); j.rest < len(j.matched) || len(j.parts) == 0 {
				break
			}
			if err := j.nextPart(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if j.in == nil || j.at == j.in.Rows() {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			var err error
			if j.in, err = j.from.Next(ctx); err != nil {
				return nil, err
			}
			j.at, j.started, j.inDone = 0, false, j.in == nil
			continue
		}
		if err := j.step(ctx, keys); err != nil {
			return nil, err
		}
	}
	if j.out.N == 0 {
		return nil, nil
	}
	return &j.out, nil
}

// step tries the built rows for the row at hand, until the batch is full or there are no more.
func (j *join) step(ctx context.Context, keys []expr.Expr) error {
	if !j.started {
		j.started, j.found, j.candidate = true, false, -1
		ok, err := j.makeKey(keys, j.in, j.at)
		if err != nil {
			return err
		}
		if ok {
			if k := j.heads.find(j.key, hashKey(j.key)); k >= 0 {
				j.candidate = j.first[k]
			}
		}
	}
	kind := j.node.Kind
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
		j.setPair(i)
		if j.node.On != nil {
			ok, err := isTrue(j.env, j.node.On, &j.pair)
			if err != nil {
				return err
			}
			if !ok {
				j.removed++
				continue
			}
		}
		j.found = true
		if kind == plan.SemiJoin || kind == plan.AntiJoin {
			break
		}
		if j.matched != nil {
			j.matched[i] = true
		}
		j.emit(true, true)
	}
	if j.found == (kind == plan.SemiJoin) && kind >= plan.SemiJoin || !j.found && (kind == plan.LeftJoin || kind == plan.FullJoin) {
		j.pair.left, j.pair.leftRow = j.in, j.in.Row(j.at)
		j.emit(true, false)
	}
	j.at++
	j.started = false
	return nil
}

// setPair makes the row at hand and built row i the pair at hand.
func (j *join) setPair(i int) {
	b, r := j.rows.batch(i)
	if j.node.BuildLeft {
		j.pair = pairRow{left: b, leftRow: r, right: j.in, rightRow: j.in.Row(j.at)}
	} else {
		j.pair = pairRow{left: j.in, leftRow: j.in.Row(j.at), right: b, rightRow: r}
	}
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

// addUnmatched adds the built rows that no other row fitted, if they are wanted.
func (j *join) addUnmatched() {
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
	j.forget()
	j.part.remove()
	for _, p := range j.parts {
		p.remove()
	}
	j.part, j.parts = joinPart{}, nil
}

// forget drops the built rows.
func (j *join) forget() {
	if j.rows != nil {
		j.rows.release()
		j.env.Memory.shrink(j.bytes)
	}
	j.rows, j.heads, j.first, j.last, j.chain, j.matched, j.bytes = nil, keyTable{}, nil, nil, nil, nil, 0
}
