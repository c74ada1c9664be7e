package exec

import (
	"minidb/sql/internal/expr"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// segment is the rows [start, end) of a partition.
type segment struct{ start, end int }

// frame finds the rows that a call looks at.
type frame struct {
	env        *Env
	spec       *expr.Frame
	order      []plan.SortKey
	start, end frameEnd
	ready      bool      // the offsets are computed
	first      int       // first row of the partition whose key is not NULL, in a RANGE frame with offsets
	last       int       // row after the last one of these
	out        []segment // reused
}

// frameEnd is one end of a frame.
type frameEnd struct {
	bound  *expr.FrameBound
	offset int // of ROWS and GROUPS
	at     int // of RANGE: where the last search ended, in this partition
}

func newFrame(env *Env, spec *expr.Frame, order []plan.SortKey) *frame {
	return &frame{env: env, spec: spec, order: order, start: frameEnd{bound: &spec.Start}, end: frameEnd{bound: &spec.End}}
}

// begin prepares for a partition.
func (f *frame) begin(p *partition) error {
	if !f.ready {
		for _, e := range []struct {
			end  *frameEnd
			name string
		}{{&f.start, "starting"}, {&f.end, "ending"}} {
			if err := f.computeOffset(e.end, e.name); err != nil {
				return err
			}
		}
		f.ready = true
	}
	if f.spec.Key == nil {
		return nil
	}
	column := f.order[0].Column
	f.first, f.last = 0, p.len()
	for f.first < f.last && p.rows.datum(f.first, column).Null {
		f.first++
	}
	for f.last > f.first && p.rows.datum(f.last-1, column).Null {
		f.last--
	}
	f.start.at, f.end.at = f.first, f.first
	return nil
}

func (f *frame) computeOffset(e *frameEnd, name string) error {
	x := e.bound.Offset
	if x == nil {
		return nil
	}
	d, err := x.Eval(f.env.Eval, noRow)
	if err != nil {
		return err
	}
	switch {
	case d.Null:
		return sqlerr.New(sqlerr.NullValueNotAllowed, "frame %s offset must not be null", name)
	case f.spec.Mode != expr.FrameRange && d.Int() < 0:
		return sqlerr.New(sqlerr.InvalidPrecedingOrFollowingSize, "frame %s offset must not be negative", name)
	case f.spec.Mode != expr.FrameRange:
		e.offset = int(min(d.Int(), maxFrameOffset))
		return nil
	}
	zero, err := types.Input(f.env.Eval.Types, x.Type(), []byte("0"))
	if err == nil && types.Compare(x.Type(), d, zero) < 0 {
		err = sqlerr.New(sqlerr.InvalidPrecedingOrFollowingSize, "invalid preceding or following size in window function")
	}
	return err
}

// maxFrameOffset is more rows than any partition has, and leaves room for sums.
const maxFrameOffset = 1 << 40

// segments are the rows that the call for row i looks at, in order; they are valid until the next call.
func (f *frame) segments(p *partition, i int) ([]segment, error) {
	start, err := f.startRow(p, i)
	if err != nil {
		return nil, err
	}
	end, err := f.endRow(p, i)
	if err != nil {
		return nil, err
	}
	f.out = append(f.out[:0], segment{start, max(start, end)})
	group := segment{p.groups[p.group], p.groupEnd(p.group)}
	switch f.spec.Exclude {
	case expr.ExcludeCurrentRow:
		f.out = cut(f.out, segment{i, i + 1})
	case expr.ExcludeGroup:
		f.out = cut(f.out, group)
	case expr.ExcludeTies:
		f.out = cut(cut(f.out, segment{group.start, i}), segment{i + 1, group.end})
	}
	return f.out, nil
}

// cut takes rows out of the last of the segments.
func cut(list []segment, out segment) []segment {
	last := len(list) - 1
	s := list[last]
	if out.start >= out.end || out.end <= s.start || out.start >= s.end {
		return list
	}
	list[last].end = max(s.start, out.start)
	return append(list, segment{min(s.end, out.end), s.end})
}

func (f *frame) startRow(p *partition, i int) (int, error) {
	b := f.start.bound
	switch {
	case b.Kind == expr.UnboundedPreceding:
		return 0, nil
	case b.Kind == expr.CurrentRow && f.spec.Mode == expr.FrameRows:
		return i, nil
	case b.Kind == expr.CurrentRow:
		return p.groups[p.group], nil
	case f.spec.Mode == expr.FrameRows:
		return clamp(i+f.start.signed(), p.len()), nil
	case f.spec.Mode == expr.FrameGroups:
		g := clamp(p.group+f.start.signed(), len(p.groups))
		if g == len(p.groups) {
			return p.len(), nil
		}
		return p.groups[g], nil
	}
	return f.rangeRow(p, i, &f.start, false)
}

// endRow is the row after the last one of the frame.
func (f *frame) endRow(p *partition, i int) (int, error) {
	b := f.end.bound
	switch {
	case b.Kind == expr.UnboundedFollowing:
		return p.len(), nil
	case b.Kind == expr.CurrentRow && f.spec.Mode == expr.FrameRows:
		return i + 1, nil
	case b.Kind == expr.CurrentRow:
		return p.groupEnd(p.group), nil
	case f.spec.Mode == expr.FrameRows:
		return clamp(i+f.end.signed()+1, p.len()), nil
	case f.spec.Mode == expr.FrameGroups:
		g := clamp(p.group+f.end.signed()+1, len(p.groups))
		if g == len(p.groups) {
			return p.len(), nil
		}
		return p.groups[g], nil
	}
	return f.rangeRow(p, i, &f.end, true)
}

// signed is the offset as a difference of row or group numbers.
func (e *frameEnd) signed() int {
	if e.bound.Kind == expr.OffsetPreceding {
		return -e.offset
	}
	return e.offset
}

func clamp(i, n int) int { return max(0, min(i, n)) }

// rangeRow is the first row whose key is not before row i's key moved by the offset or, if beyond, the first whose key is after it.
// Rows without a key only see each other. A limit that is out of its type's range is before or after all keys.
func (f *frame) rangeRow(p *partition, i int, e *frameEnd, beyond bool) (int, error) {
	if i < f.first || i >= f.last {
		if beyond {
			return p.groupEnd(p.group), nil
		}
		return p.groups[p.group], nil
	}
	limit, err := p.eval(e.bound.Limit, i)
	if err != nil {
		switch sqlerr.CodeOf(err) {
		case sqlerr.NumericValueOutOfRange, sqlerr.DatetimeFieldOverflow:
			if e.bound.Kind == expr.OffsetPreceding {
				return f.first, nil
			}
			return f.last, nil
		}
		return 0, err
	}
	limit = limit.Clone()
	for e.at < f.last {
		key, err := p.eval(f.spec.Key, e.at)
		if err != nil {
			return 0, err
		}
		c := types.Compare(f.spec.Key.Type(), key, limit)
		if f.order[0].Desc {
			c = -c
		}
		if c > 0 || c == 0 && !beyond {
			break
		}
		e.at++
	}
	return e.at, nil
}
