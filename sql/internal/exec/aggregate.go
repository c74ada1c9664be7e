package exec

import (
	"context"
	"encoding/binary"
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// aggregate groups rows by a hash of their keys and gives one row a group, in the order in which the groups were first seen. When it has
// no room for more groups, it puts rows of others aside, by the hashes of the keys, and takes them once it has given its groups.
type aggregate struct {
	env    *Env
	input  Operator
	node   *plan.Aggregate
	sets   [][]int // grouping sets: places in the node's groups
	groups keyTable
	aside  aside
	keys   *rowStore // the groups' values
	setOf  []int32   // of each group; nil if there is one set
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
	a.keys = newRowStore(groupTypes, a.env.Memory)
	a.values = make([]types.Datum, len(groupTypes))
	a.out.Init(a.node.Types())
	if a.sets = a.node.Sets; a.sets == nil {
		a.sets = make([][]int, 1)
		for i := range a.node.Groups {
			a.sets[0] = append(a.sets[0], i)
		}
	}
	if err := a.fill(ctx, a.input); err != nil {
		return err
	}
	return a.addEmptySets()
}

// fill takes all rows of a source.
func (a *aggregate) fill(ctx context.Context, from rowSource) error {
	for {
		in, err := from.Next(ctx)
		if in == nil || err != nil {
			return err
		}
		if err := a.addBatch(in); err != nil {
			return err
		}
	}
}

// addEmptySets makes the groups of the sets without columns, which are there even if there are no rows.
func (a *aggregate) addEmptySets() error {
	for i, set := range a.sets {
		if len(set) > 0 {
			continue
		}
		clear(a.values)
		if _, err := a.groupOf(i, nil, 0); err != nil {
			return err
		}
	}
	return nil
}

func (a *aggregate) addBatch(in *types.Batch) error {
	a.row.Batch = in
	before := a.stateBytes()
	for r := range in.Rows() {
		a.row.Pos = in.Row(r)
		if err := a.evaluate(); err != nil {
			return err
		}
		for set := range a.sets {
			g, err := a.groupOf(set, in, r)
			if err != nil {
				return err
			}
			if g < 0 {
				continue // put aside
			}
			for _, st := range a.states[g] {
				if err := st.Add(a.env.Eval, &a.row); err != nil {
					return err
				}
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

// evaluate computes the groups' values of the row at hand.
func (a *aggregate) evaluate() error {
	for i, e := range a.node.Groups {
		d, err := e.Eval(a.env.Eval, &a.row)
		if err != nil {
			return err
		}
		a.values[i] = d
	}
	return nil
}

// groupOf finds the group of the values at hand, of a row, in a grouping set, or makes it. It gives -1 if there is no room for it.
func (a *aggregate) groupOf(set int, in *types.Batch, r int) (int, error) {
	if len(a.node.Groups) == 0 && len(a.sets) == 1 && len(a.states) == 1 {
		return 0, nil
	}
	a.key = a.key[:0]
	if len(a.sets) > 1 {
		a.key = binary.BigEndian.AppendUint16(a.key, uint16(set))
	}
	for _, i := range a.sets[set] {
		a.key = rowenc.AppendKey(a.key, a.node.Groups[i].Type(), &a.values[i])
	}
	sum := hashKey(a.key)
	if g := a.groups.find(a.key, sum); g >= 0 {
		return g, nil
	}
	// With several sets a row may be of groups that are there and of others.
	if len(a.sets) == 1 && len(a.states) > 0 && a.aside.isFull(a.env, a.inputTypes(), a.bytes) {
		return -1, a.aside.parts.add(in, r, sum)
	}
	g, err := a.newGroup(set)
	if err == nil {
		a.groups.add(a.key, sum)
	}
	return g, err
}

func (a *aggregate) inputTypes() []types.Type {
	if a.aside.parts != nil {
		return nil // they are known
	}
	return a.node.Input.Types()
}

// newGroup makes the group of the values at hand in a set.
func (a *aggregate) newGroup(set int) (int, error) {
	if err := a.grow(int64(len(a.key)) + mapEntryBytes + int64(len(a.node.Aggs))*stateBytes); err != nil {
		return 0, err
	}
	if len(a.node.Groups) > 0 {
		values := a.values
		if a.node.Sets != nil {
			values = make([]types.Datum, len(a.values))
			for i := range values {
				values[i] = types.NullDatum
			}
			for _, i := range a.sets[set] {
				values[i] = a.values[i]
			}
			a.setOf = append(a.setOf, int32(set))
		}
		if err := a.keys.addRow(values); err != nil {
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

func (a *aggregate) Next(ctx context.Context) (*types.Batch, error) {
	if a.next == len(a.states) {
		from, err := a.aside.next()
		if from == nil || err != nil {
			return nil, err
		}
		a.forget()
		if err := a.fill(ctx, from); err != nil {
			return nil, err
		}
	}
	a.out.Reset()
	groups := len(a.node.Groups)
	for a.next < len(a.states) && a.out.N < types.MaxBatchRows {
		for c := range groups {
			a.out.Cols[c].Append(a.keys.datum(a.next, c))
		}
		for i, args := range a.node.Groupings {
			a.out.Cols[groups+i].AppendInt(a.grouping(args))
		}
		for i, st := range a.states[a.next] {
			d, err := st.Result(a.env.Eval)
			if err != nil {
				return nil, err
			}
			a.out.Cols[groups+len(a.node.Groupings)+i].Append(d)
		}
		a.out.N++
		a.next++
	}
	return &a.out, nil
}

// grouping is the value of GROUPING for the group that is given next.
func (a *aggregate) grouping(args []int) int64 {
	bits := int64(0)
	for _, g := range args {
		bits <<= 1
		if a.setOf != nil && !slices.Contains(a.sets[a.setOf[a.next]], g) {
			bits |= 1
		}
	}
	return bits
}

func (a *aggregate) Close() {
	a.input.Close()
	a.forget()
	a.aside.remove()
}

// forget drops the groups.
func (a *aggregate) forget() {
	if a.keys != nil {
		a.keys.release()
	}
	a.env.Memory.shrink(a.bytes)
	a.groups.reset()
	a.states, a.setOf, a.bytes, a.next = nil, nil, 0, 0
}
