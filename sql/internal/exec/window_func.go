package exec

import (
	"context"
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// windowFunc computes the values of one call with OVER.
type windowFunc interface {
	// begin prepares for a partition that has rows.
	begin(p *partition) error
	// value is the call's value for row i; rows come in order. It is valid until the next call.
	value(ctx context.Context, p *partition, i int) (types.Datum, error)
	// bytes is about how much memory the call keeps.
	bytes() int
}

func newWindowFunc(env *Env, c *expr.WindowCall, f *frame) windowFunc {
	if c.IsAggregate() {
		return &windowAggregate{env: env, call: c, frame: f}
	}
	switch c.Name() {
	case "ntile":
		return &ntile{arg: c.Args[0]}
	case "lag":
		return &neighbor{args: c.Args, sign: -1}
	case "lead":
		return &neighbor{args: c.Args, sign: 1}
	case "first_value", "last_value", "nth_value":
		return &frameValue{name: c.Name(), args: c.Args, frame: f}
	}
	return rank{name: c.Name()}
}

// rank is one of the functions that only look at a row's place.
type rank struct{ name string }

func (rank) begin(*partition) error { return nil }
func (rank) bytes() int             { return 0 }

func (r rank) value(_ context.Context, p *partition, i int) (types.Datum, error) {
	n := p.len()
	switch first := p.groups[p.group]; r.name {
	case "row_number":
		return types.NewInt(int64(i + 1)), nil
	case "rank":
		return types.NewInt(int64(first + 1)), nil
	case "dense_rank":
		return types.NewInt(int64(p.group + 1)), nil
	case "percent_rank":
		return types.NewFloat(float64(first) / float64(max(n-1, 1))), nil
	case "cume_dist":
		return types.NewFloat(float64(p.groupEnd(p.group)) / float64(n)), nil
	}
	return types.Datum{}, sqlerr.Internal("no window function %s", r.name)
}

// ntile numbers the partition's parts, of which the first ones have one row more than the others if it must be.
type ntile struct {
	arg   expr.Expr
	parts int64 // 0: the number is NULL
}

func (t *ntile) begin(p *partition) error {
	d, err := p.eval(t.arg, 0)
	if t.parts = 0; err != nil || d.Null {
		return err
	}
	if t.parts = d.Int(); t.parts <= 0 {
		return sqlerr.New(sqlerr.InvalidArgumentForNtile, "argument of ntile must be greater than zero")
	}
	return nil
}

func (t *ntile) value(_ context.Context, p *partition, row int) (types.Datum, error) {
	if t.parts == 0 {
		return types.NullDatum, nil
	}
	i, size, larger := int64(row), int64(p.len())/t.parts, int64(p.len())%t.parts
	if i < larger*(size+1) {
		return types.NewInt(i/(size+1) + 1), nil
	}
	return types.NewInt(larger + (i-larger*(size+1))/size + 1), nil
}

func (*ntile) bytes() int { return 0 }

// neighbor is lag or lead.
type neighbor struct {
	args []expr.Expr // value, offset, default
	sign int
}

func (*neighbor) begin(*partition) error { return nil }
func (*neighbor) bytes() int             { return 0 }

func (f *neighbor) value(_ context.Context, p *partition, i int) (types.Datum, error) {
	offset := 1
	if len(f.args) > 1 {
		d, err := p.eval(f.args[1], i)
		if err != nil || d.Null {
			return types.NullDatum, err
		}
		offset = int(d.Int())
	}
	switch at := i + f.sign*offset; {
	case at >= 0 && at < p.len():
		return p.eval(f.args[0], at)
	case len(f.args) > 2:
		return p.eval(f.args[2], i)
	}
	return types.NullDatum, nil
}

// frameValue is a value of one row of the frame.
type frameValue struct {
	name  string
	args  []expr.Expr
	frame *frame
}

func (f *frameValue) begin(p *partition) error { return f.frame.begin(p) }
func (*frameValue) bytes() int                 { return 0 }

func (f *frameValue) value(_ context.Context, p *partition, i int) (types.Datum, error) {
	n := 1
	if f.name == "nth_value" {
		d, err := p.eval(f.args[1], i)
		if err != nil || d.Null {
			return types.NullDatum, err
		}
		if n = int(d.Int()); n <= 0 {
			return types.Datum{}, sqlerr.New(sqlerr.InvalidArgumentForNthValue, "argument of nth_value must be greater than zero")
		}
	}
	segments, err := f.frame.segments(p, i)
	if err != nil {
		return types.Datum{}, err
	}
	if f.name == "last_value" {
		for _, s := range slices.Backward(segments) {
			if s.start < s.end {
				return p.eval(f.args[0], s.end-1)
			}
		}
		return types.NullDatum, nil
	}
	for _, s := range segments {
		if n <= s.end-s.start {
			return p.eval(f.args[0], s.start+n-1)
		}
		n -= s.end - s.start
	}
	return types.NullDatum, nil
}

// windowAggregate is an aggregate over the frame. As long as frames only get rows added at their end, each row is added once; else the
// aggregate starts anew for each frame.
type windowAggregate struct {
	env    *Env
	call   *expr.WindowCall
	frame  *frame
	state  expr.State
	added  []segment
	result types.Datum
}

func (a *windowAggregate) begin(p *partition) error {
	a.state = nil
	return a.frame.begin(p)
}

func (a *windowAggregate) bytes() int {
	if a.state == nil {
		return 0
	}
	return stateBytes + a.state.Bytes()
}

func (a *windowAggregate) value(ctx context.Context, p *partition, i int) (types.Datum, error) {
	segments, err := a.frame.segments(p, i)
	if err != nil {
		return types.Datum{}, err
	}
	switch {
	case a.state != nil && slices.Equal(segments, a.added):
		return a.result, nil
	case a.state != nil && len(segments) == 1 && len(a.added) == 1 && segments[0].start == a.added[0].start && segments[0].end > a.added[0].end:
		err = a.add(ctx, p, segment{a.added[0].end, segments[0].end})
	default:
		a.state = a.call.NewState()
		for _, s := range segments {
			if err == nil {
				err = a.add(ctx, p, s)
			}
		}
	}
	if err != nil {
		return types.Datum{}, err
	}
	a.added = append(a.added[:0], segments...)
	a.result, err = a.state.Result(a.env.Eval)
	return a.result, err
}

func (a *windowAggregate) add(ctx context.Context, p *partition, s segment) error {
	for i := s.start; i < s.end; i++ {
		if i%types.MaxBatchRows == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.row.Batch, p.row.Pos = p.rows.batch(i)
		if err := a.state.Add(a.env.Eval, &p.row); err != nil {
			return err
		}
	}
	return nil
}
