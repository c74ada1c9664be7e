package expr

import "slices"

// The operands, copies and own volatilities of the nodes; see Expr.

func eachOf(list []Expr, f func(*Expr)) {
	for i := range list {
		f(&list[i])
	}
}

func (e *Const) each(func(*Expr))        {}
func (e *Column) each(func(*Expr))       {}
func (e *Param) each(func(*Expr))        {}
func (e *Call) each(f func(*Expr))       { eachOf(e.Args, f) }
func (e *Cast) each(f func(*Expr))       { f(&e.Arg) }
func (e *And) each(f func(*Expr))        { eachOf(e.Args, f) }
func (e *Or) each(f func(*Expr))         { eachOf(e.Args, f) }
func (e *Not) each(f func(*Expr))        { f(&e.Arg) }
func (e *NullTest) each(f func(*Expr))   { f(&e.Arg) }
func (e *BoolTest) each(f func(*Expr))   { f(&e.Arg) }
func (e *Coalesce) each(f func(*Expr))   { eachOf(e.Args, f) }
func (e *MinMax) each(f func(*Expr))     { eachOf(e.Args, f) }
func (e *Subquery) each(f func(*Expr))   { eachOf(e.Args, f) }
func (e *CaseValue) each(func(*Expr))    {}
func (e *RowCompare) each(f func(*Expr)) { eachOf(e.Left, f); eachOf(e.Right, f) }
func (e *InList) each(f func(*Expr))     { f(&e.Left); eachOf(e.List, f) }

func (e *Distinct) each(f func(*Expr)) {
	f(&e.Left)
	f(&e.Right)
}

func (e *NullIf) each(f func(*Expr)) {
	f(&e.Left)
	f(&e.Right)
}

func (e *Case) each(f func(*Expr)) {
	if e.Arg != nil {
		f(&e.Arg)
	}
	for i := range e.Whens {
		f(&e.Whens[i].Cond)
		f(&e.Whens[i].Result)
	}
	f(&e.Else)
}

func (e *Const) clone() Expr     { c := *e; return &c }
func (e *Column) clone() Expr    { c := *e; return &c }
func (e *Param) clone() Expr     { c := *e; return &c }
func (e *CaseValue) clone() Expr { c := *e; return &c }
func (e *Call) clone() Expr      { c := *e; c.Args = slices.Clone(e.Args); return &c }
func (e *Cast) clone() Expr      { c := *e; return &c }
func (e *And) clone() Expr       { return &And{slices.Clone(e.Args)} }
func (e *Or) clone() Expr        { return &Or{slices.Clone(e.Args)} }
func (e *Not) clone() Expr       { c := *e; return &c }
func (e *NullTest) clone() Expr  { c := *e; return &c }
func (e *BoolTest) clone() Expr  { c := *e; return &c }
func (e *Distinct) clone() Expr  { c := *e; return &c }
func (e *NullIf) clone() Expr    { c := *e; return &c }
func (e *Case) clone() Expr      { c := *e; c.Whens = slices.Clone(e.Whens); return &c }
func (e *Coalesce) clone() Expr  { c := *e; c.Args = slices.Clone(e.Args); return &c }
func (e *MinMax) clone() Expr    { c := *e; c.Args = slices.Clone(e.Args); return &c }
func (e *Subquery) clone() Expr  { c := *e; c.Args = slices.Clone(e.Args); return &c }
func (e *InList) clone() Expr    { c := *e; c.List = slices.Clone(e.List); return &c }
func (e *RowCompare) clone() Expr {
	c := *e
	c.Left, c.Right = slices.Clone(e.Left), slices.Clone(e.Right)
	return &c
}

func (e *Const) volatility() Volatility      { return Immutable }
func (e *Column) volatility() Volatility     { return Immutable }
func (e *Param) volatility() Volatility      { return Immutable }
func (e *CaseValue) volatility() Volatility  { return Immutable }
func (e *Call) volatility() Volatility       { return e.proc.volatility }
func (e *Cast) volatility() Volatility       { return e.vol }
func (e *And) volatility() Volatility        { return Immutable }
func (e *Or) volatility() Volatility         { return Immutable }
func (e *Not) volatility() Volatility        { return Immutable }
func (e *NullTest) volatility() Volatility   { return Immutable }
func (e *BoolTest) volatility() Volatility   { return Immutable }
func (e *Distinct) volatility() Volatility   { return e.eq.oper.proc.volatility }
func (e *NullIf) volatility() Volatility     { return e.eq.oper.proc.volatility }
func (e *Case) volatility() Volatility       { return Immutable }
func (e *Coalesce) volatility() Volatility   { return Immutable }
func (e *MinMax) volatility() Volatility     { return Immutable }
func (e *Subquery) volatility() Volatility   { return e.Volatility }
func (e *InList) volatility() Volatility     { return e.oper.proc.volatility }
func (e *RowCompare) volatility() Volatility { return Immutable }
