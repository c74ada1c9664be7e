package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// aggregate groups rows by a hash of their keys and gives one row a group, in the order in which the groups were first seen.
type aggregate struct {
	env    *Env
	input  Operator
	node   *plan.Aggregate
	groups map[string]int
	keys   *rowStore // the groups' values
	states [][]expr.State
	bytes  int64
	next   int
	key    []byte
	row    expr.BatchRow
	values []types.Datum
	out    types.Batch
}

func (a *aggregate) Open(ctx context.Context) error {
	if err := a.input.Open(ctx); err != nil {
		return err
	}
	groupTypes := a.node.Types()[:len(a.node.Groups)]
	a.groups, a.keys = map[string]int{}, newRowStore(groupTypes, a.env.Memory)
	a.values = make([]types.Datum, len(groupTypes))
	a.out.Init(a.node.Types())
	for {
		in, err := a.input.Next(ctx)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		if err := a.addBatch(in); err != nil {
			return err
		}
	}
	if len(a.node.Groups) == 0 && len(a.states) == 0 {
		_, err := a.newGroup()
		return err
	}
	return nil
}

func (a *aggregate) addBatch(in *types.Batch) error {
	a.row.Batch = in
	before := a.stateBytes()
	for r := range in.Rows() {
		a.row.Pos = in.Row(r)
		g, err := a.group()
		if err != nil {
			return err
		}
		for _, st := range a.states[g] {
			if err := st.Add(a.env.Eval, &a.row); err != nil {
				return err
			}
		}
	}
	return a.grow(a.stateBytes() - before)
}

// stateBytes is what the states hold that can grow without bounds. It is asked of single-group aggregates only: with many groups the
// fixed part, which newGroup counts, is the larger one.
func (a *aggregate) stateBytes() int64 {
	if len(a.states) != 1 {
		return 0
	}
	var n int64
	for _, st := range a.states[0] {
		n += int64(st.Bytes())
	}
	return n
}

// group finds the group of the row at hand, or makes it.
func (a *aggregate) group() (int, error) {
	if len(a.node.Groups) == 0 {
		if len(a.states) == 0 {
			return a.newGroup()
		}
		return 0, nil
	}
	a.key = a.key[:0]
	for i, e := range a.node.Groups {
		d, err := e.Eval(a.env.Eval, &a.row)
		if err != nil {
			return 0, err
		}
		a.values[i] = d
		a.key = rowenc.AppendKey(a.key, e.Type(), &d)
	}
	if g, ok := a.groups[string(a.key)]; ok {
		return g, nil
	}
	g, err := a.newGroup()
	if err != nil {
		return 0, err
	}
	a.groups[string(a.key)] = g
	return g, nil
}

// newGroup makes the group of the values at hand.
func (a *aggregate) newGroup() (int, error) {
	if err := a.grow(int64(len(a.key)) + mapEntryBytes + int64(len(a.node.Aggs))*stateBytes); err != nil {
		return 0, err
	}
	if len(a.node.Groups) > 0 {
		if err := a.keys.addRow(a.values); err != nil {
			return 0, err
		}
	}
	states := make([]expr.State, len(a.node.Aggs))
	for i, agg := range a.node.Aggs {
		states[i] = agg.NewState()
	}
	a.states = append(a.states, states)
	return len(a.states) - 1, nil
}

// stateBytes is what the state of one aggregate takes at least.
const stateBytes = 200

func (a *aggregate) grow(n int64) error {
	if err := a.env.Memory.grow(n); err != nil {
		return err
	}
	a.bytes += n
	return nil
}

func (a *aggregate) Next(context.Context) (*types.Batch, error) {
	if a.next == len(a.states) {
		return nil, nil
	}
	a.out.Reset()
	groups := len(a.node.Groups)
	for a.next < len(a.states) && a.out.N < types.MaxBatchRows {
		for c := range groups {
			a.out.Cols[c].Append(a.keys.datum(a.next, c))
		}
		for i, st := range a.states[a.next] {
			d, err := st.Result(a.env.Eval)
			if err != nil {
				return nil, err
			}
			a.out.Cols[groups+i].Append(d)
		}
		a.out.N++
		a.next++
	}
	return &a.out, nil
}

func (a *aggregate) Close() {
	a.input.Close()
	if a.keys != nil {
		a.keys.release()
		a.env.Memory.shrink(a.bytes)
		a.keys, a.groups, a.states, a.bytes, a.next = nil, nil, nil, 0, 0
	}
}
