package plan

import (
	"cmp"
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// Window adds to each row the values of calls over the row's partition: the rows that are equal in Partition. The input has the rows of
// a partition one after the other, in the order of Order.
type Window struct {
	Input     Node
	Partition []SortKey
	Order     []SortKey
	Frame     expr.Frame
	Calls     []*expr.WindowCall // all of this window
}

// Types are the input's and then the calls'.
func (n *Window) Types() []types.Type {
	ts := slices.Clone(n.Input.Types())
	for _, c := range n.Calls {
		ts = append(ts, c.Type())
	}
	return ts
}

func (n *Window) mapExprs(one func(*expr.Expr), f func(expr.Expr) expr.Expr) {
	for _, keys := range [][]SortKey{n.Partition, n.Order} {
		for i := range keys {
			one(&keys[i].Expr)
		}
	}
	one(&n.Frame.Start.Offset)
	one(&n.Frame.End.Offset)
	one(&n.Frame.Start.Limit)
	one(&n.Frame.End.Limit)
	one(&n.Frame.Key)
	for i, c := range n.Calls {
		n.Calls[i] = f(c).(*expr.WindowCall)
	}
}

// windowing puts the windows of a query over its rows.
type windowing struct {
	inputs  []expr.Expr // over the query's rows: what the windows and the outputs use
	windows []*windowCalls
}

// windowCalls are the calls over one window, as expressions over the query's rows.
type windowCalls struct {
	window *expr.Window
	calls  []*expr.WindowCall
	refs   []int // of partition and order, see windowOrder
	first  int   // column of the first call's value
}

// addWindows computes the calls with OVER of the outputs, over the rows of node, and makes the outputs expressions over what they give.
func (s *selection) addWindows(node Node) Node {
	var w windowing
	for i := range s.outputs {
		w.collect(s.outputs[i].expr)
	}
	s.sortWindows(w.windows)
	for i := range s.outputs {
		w.addInputs(s.outputs[i].expr)
	}
	next := len(w.inputs)
	for _, wc := range w.windows {
		wc.first = next
		next += len(wc.calls)
	}
	node = s.p.project(node, w.inputs)
	var sorted []SortKey
	for _, wc := range w.windows {
		n := &Window{Frame: wc.window.Frame}
		for _, e := range wc.window.Partition {
			n.Partition = appendWindowKey(n.Partition, w.key(expr.SortKey{Expr: e}))
		}
		for _, k := range wc.window.Order {
			n.Order = append(n.Order, w.key(k))
		}
		n.Frame = w.frame(n.Frame)
		for _, c := range wc.calls {
			n.Calls = append(n.Calls, w.overInputs(c, false).(*expr.WindowCall))
		}
		keys := slices.Clone(n.Partition)
		for _, k := range n.Order {
			keys = appendWindowKey(keys, k)
		}
		if !hasPrefix(sorted, keys) {
			sorted = keys
			node = &Sort{Input: node, Keys: keys}
		}
		n.Input = node
		node = n
	}
	for i := range s.outputs {
		s.outputs[i].expr = w.overInputs(s.outputs[i].expr, true)
	}
	return node
}

// appendWindowKey adds a key unless its column is one already.
func appendWindowKey(keys []SortKey, k SortKey) []SortKey {
	if slices.ContainsFunc(keys, func(o SortKey) bool { return o.Column == k.Column }) {
		return keys
	}
	return append(keys, k)
}

// hasPrefix reports whether rows sorted by keys are sorted by prefix too.
func hasPrefix(keys, prefix []SortKey) bool {
	if len(prefix) > len(keys) {
		return false
	}
	for i, k := range prefix {
		if o := keys[i]; o.Column != k.Column || o.Desc != k.Desc || o.NullsFirst != k.NullsFirst {
			return false
		}
	}
	return true
}

// collect finds the calls of an expression.
func (w *windowing) collect(e expr.Expr) {
	expr.Walk(e, func(n expr.Expr) bool {
		c, ok := n.(*expr.WindowCall)
		if !ok {
			return true
		}
		at := slices.IndexFunc(w.windows, func(o *windowCalls) bool { return expr.EqualWindows(o.window, c.Window) })
		if at < 0 {
			at = len(w.windows)
			w.windows = append(w.windows, &windowCalls{window: c.Window})
		}
		wc := w.windows[at]
		if !slices.ContainsFunc(wc.calls, func(o *expr.WindowCall) bool { return expr.Equal(o, c) }) {
			wc.calls = append(wc.calls, c)
		}
		return false
	})
}

// addInputs notes what an expression needs of the query's rows.
func (w *windowing) addInputs(e expr.Expr) {
	expr.Walk(e, func(n expr.Expr) bool {
		switch n := n.(type) {
		case *expr.Column:
			if n.Level == 0 {
				w.input(n)
			}
		case *expr.WindowCall:
			for _, p := range n.Window.Partition {
				w.input(p)
			}
			for _, k := range n.Window.Order {
				w.input(k.Expr)
			}
		}
		return true
	})
}

func (w *windowing) input(e expr.Expr) {
	if w.find(e) < 0 {
		w.inputs = append(w.inputs, e)
	}
}

func (w *windowing) find(e expr.Expr) int {
	return slices.IndexFunc(w.inputs, func(o expr.Expr) bool { return expr.Equal(o, e) })
}

// key makes a key of a window one over the inputs.
func (w *windowing) key(k expr.SortKey) SortKey {
	return SortKey{Column: w.find(k.Expr), Type: k.Expr.Type(), Desc: k.Desc, NullsFirst: k.NullsFirst, Expr: k.Expr}
}

func (w *windowing) frame(f expr.Frame) expr.Frame {
	f.Key = w.overInputs(f.Key, false)
	for _, b := range []*expr.FrameBound{&f.Start, &f.End} {
		b.Offset, b.Limit = w.overInputs(b.Offset, false), w.overInputs(b.Limit, false)
	}
	return f
}

// overInputs makes an expression over the query's rows one over the inputs and, if above the windows, over the values of the calls.
func (w *windowing) overInputs(e expr.Expr, above bool) expr.Expr {
	return expr.Rewrite(e, func(n expr.Expr) (expr.Expr, bool) {
		if i := w.find(n); i >= 0 {
			if c, ok := n.(*expr.Column); ok {
				return expr.NewColumn(i, n.Type(), c.Table, c.Name), true
			}
			return expr.NewColumn(i, n.Type(), "", "("+expr.Deparse(n, false)+")"), true
		}
		c, ok := n.(*expr.WindowCall)
		if !ok || !above {
			return nil, false
		}
		for _, wc := range w.windows {
			for i, o := range wc.calls {
				if expr.Equal(o, c) {
					return expr.NewColumn(wc.first+i, n.Type(), "", "("+expr.Deparse(c, false)+")"), true
				}
			}
		}
		return nil, false
	})
}

// sortWindows puts the windows in the order in which PostgreSQL computes them, which shows in the order of a query's rows: those come
// first that share their first keys with others and have more of them.
func (s *selection) sortWindows(windows []*windowCalls) {
	var numbered []expr.Expr
	number := func(e expr.Expr) int {
		i := slices.IndexFunc(numbered, func(o expr.Expr) bool { return expr.Equal(o, e) })
		if i < 0 {
			i = len(numbered)
			numbered = append(numbered, e)
		}
		return i
	}
	for _, k := range s.order {
		number(s.outputs[k.Column].expr)
	}
	for _, wc := range windows {
		for _, k := range wc.window.Order {
			number(k.Expr)
		}
		for _, e := range wc.window.Partition {
			wc.refs = append(wc.refs, number(e))
		}
		for _, k := range wc.window.Order {
			if i := number(k.Expr); !containsInt(wc.refs, i) {
				wc.refs = append(wc.refs, i)
			}
		}
	}
	slices.SortStableFunc(windows, func(a, b *windowCalls) int {
		for i := range min(len(a.refs), len(b.refs)) {
			if c := cmp.Compare(b.refs[i], a.refs[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(b.refs), len(a.refs))
	})
}
