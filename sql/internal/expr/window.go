package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// WindowCall is a call with OVER: of a window function, or of an aggregate over a window. It has no value of its own: the planner takes
// it out of the expression it stands in, the executor computes it over the rows of a partition, and a Column with the result takes its
// place.
type WindowCall struct {
	Args   []Expr
	Filter Expr // of an aggregate; nil: none
	Star   bool // count(*)
	Window *Window
	pos    int
	proc   *proc
	typ    types.Type
}

// Window says how rows are put into partitions and ordered, and which of them a call looks at.
type Window struct {
	Name      string // of the WINDOW clause; "" = none
	Partition []Expr
	Order     []SortKey
	Frame     Frame
	written   bool // a frame was written
	// For texts.
	Base        string // the window that it begins with; "" = none
	copiedOrder bool   // Order is that of Base
	between     bool   // the frame has both ends written
}

// Frame is the part of the partition, around the row at hand, that a call looks at.
type Frame struct {
	Mode       FrameMode
	Start, End FrameBound
	Exclude    FrameExclude
	// Key, in a RANGE frame with offsets, is the value of ORDER BY's only key, as it is compared with the Limit of the ends.
	Key Expr
}

// FrameMode is the unit that a frame's offsets count.
type FrameMode uint8

// The frame modes.
const (
	FrameRange  FrameMode = iota // the value of the only key of ORDER BY
	FrameRows                    // rows
	FrameGroups                  // groups of rows that are equal in ORDER BY
)

// FrameBoundKind is the kind of one end of a frame.
type FrameBoundKind uint8

// The kinds of frame ends.
const (
	UnboundedPreceding FrameBoundKind = iota
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// FrameBound is one end of a frame.
type FrameBound struct {
	Kind FrameBoundKind
	// Offset does not depend on the row; nil where the kind has none. It is an int8, but in a RANGE frame what is added to the key.
	Offset Expr
	// Limit, in a RANGE frame with an Offset, is the key of the row at hand moved by it.
	Limit Expr
}

// FrameExclude says which rows near the one at hand a frame leaves out.
type FrameExclude uint8

// The frame exclusions.
const (
	ExcludeNoOthers FrameExclude = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Name is the function's name.
func (e *WindowCall) Name() string { return e.proc.name }

// IsAggregate tells an aggregate from a window function.
func (e *WindowCall) IsAggregate() bool { return e.proc.kind == 'a' }

// NewState makes an aggregate's state over a frame.
func (e *WindowCall) NewState() State {
	return (&Aggregate{Args: e.Args, Filter: e.Filter, Star: e.Star, proc: e.proc, typ: e.typ}).NewState()
}

// Type is the type of the result.
func (e *WindowCall) Type() types.Type { return e.typ }

// Eval fails: see WindowCall.
func (e *WindowCall) Eval(*EvalContext, Row) (types.Datum, error) {
	return types.Datum{}, sqlerr.Internal("window function %s evaluated as a function", e.proc.name)
}

func (e *WindowCall) each(f func(*Expr)) {
	eachOf(e.Args, f)
	if e.Filter != nil {
		f(&e.Filter)
	}
	w := e.Window
	eachOf(w.Partition, f)
	for i := range w.Order {
		f(&w.Order[i].Expr)
	}
	for _, b := range []*FrameBound{&w.Frame.Start, &w.Frame.End} {
		if b.Offset != nil {
			f(&b.Offset)
		}
		if b.Limit != nil {
			f(&b.Limit)
		}
	}
	if w.Frame.Key != nil {
		f(&w.Frame.Key)
	}
}

func (e *WindowCall) clone() Expr {
	c, w := *e, *e.Window
	c.Args = append([]Expr(nil), e.Args...)
	w.Partition = append([]Expr(nil), w.Partition...)
	w.Order = append([]SortKey(nil), w.Order...)
	c.Window = &w
	return &c
}

func (e *WindowCall) volatility() Volatility { return e.proc.volatility }

// HasWindowCalls reports whether e contains a call with OVER.
func HasWindowCalls(e Expr) bool { return findWindowCall(e) != nil }

func findWindowCall(e Expr) *WindowCall {
	var found *WindowCall
	contains(e, func(n Expr) bool {
		c, ok := n.(*WindowCall)
		if ok {
			found = c
		}
		return ok
	})
	return found
}

// sameWindowCall compares two calls without their operands.
func sameWindowCall(a, b *WindowCall) bool {
	return a.proc == b.proc && a.Star == b.Star && (a.Filter == nil) == (b.Filter == nil) && len(a.Args) == len(b.Args) &&
		sameWindow(a.Window, b.Window)
}

// sameWindow compares two windows without their expressions.
func sameWindow(a, b *Window) bool {
	return len(a.Partition) == len(b.Partition) && sameOrder(a.Order, b.Order) && a.Frame.Mode == b.Frame.Mode &&
		a.Frame.Exclude == b.Frame.Exclude && a.Frame.Start.Kind == b.Frame.Start.Kind && a.Frame.End.Kind == b.Frame.End.Kind
}

func sameOrder(a, b []SortKey) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Desc != b[i].Desc || a[i].NullsFirst != b[i].NullsFirst {
			return false
		}
	}
	return true
}

// EqualWindows reports whether two windows have the same partitions, order and frame.
func EqualWindows(a, b *Window) bool {
	return Equal(&WindowCall{Window: a}, &WindowCall{Window: b})
}
