package parse

import (
	"minidb/sql/sqlerr"
)

// callShape is what a function call has beside plain arguments, and where in the
// list of written expressions it is.
type callShape struct {
	call    FuncCall
	args    int
	filter  bool
	window  *windowShape
	special bool // not a plain call
}

// function transcribes the call of a function whose name was read.
func (p *parser) function(parts []string, pos int) operand {
	st, tail := p.here(), !p.windowless
	p.windowless = false
	c := &callShape{}
	c.call.Name = p.toObjectName(parts, pos)
	c.call.Pos = pos
	p.expectKind('(')
	p.enter()
	depth := p.callArgs(c)
	p.expectKind(')')
	p.leave()
	if p.tok.kind == tokString {
		p.unsupported(p.pos(), "type modifiers that are not integers")
	}
	if tail {
		depth = max(depth, p.callTail(c))
	}
	return p.closeCall(st, c, depth)
}

// closeCall puts the function's name, or a marker that knows the rest, in front of
// the arguments written since st.
func (p *parser) closeCall(st int, c *callShape, depth int) operand {
	name := &c.call.Name
	if !c.special && name.Catalog == "" && plainName(name.Name) && plainName(name.Schema) {
		var b []byte
		if name.Schema != "" {
			b = append(appendName(b, name.Schema), '.')
		}
		b = append(appendName(b, name.Name), '(')
		p.open(st, string(b), c.call.Pos)
	} else {
		p.build(st, c.build)
	}
	p.put(")")
	return operand{st: st, depth: depth + 1, pos: c.call.Pos}
}

// build makes the call of the expressions that callArgs and callTail wrote.
func (c *callShape) build(args []Expr) Expr {
	f := c.call
	if c.args > 0 {
		f.Args = args[:c.args:c.args]
	}
	args = fillOrder(f.OrderBy, args[c.args:])
	if c.filter {
		f.Filter, args = args[0], args[1:]
	}
	if c.window != nil {
		f.Over = c.window.build(args)
	}
	return &f
}

// fillOrder gives the items their expressions and returns the rest.
func fillOrder(items []OrderItem, args []Expr) []Expr {
	for i := range items {
		items[i].Expr, args = args[0], args[1:]
	}
	return args
}

// callArgs transcribes what stands in a call's parentheses.
func (p *parser) callArgs(c *callShape) (depth int) {
	switch {
	case p.tok.kind == ')':
		return 0
	case p.tok.isOp("*"):
		p.next()
		c.call.Star, c.special = true, true
		return 0
	case p.accept("distinct"):
		c.call.Distinct, c.special = true, true
	case p.accept("all"):
	}
	for {
		if !c.call.Distinct && p.accept("variadic") {
			c.call.Variadic, c.special = true, true
		}
		depth = max(depth, p.callArg(c))
		if c.call.Variadic || p.tok.kind != ',' {
			break
		}
		p.next()
		p.put(", ")
	}
	if p.is("order") {
		c.special = true
		p.put(", ")
		var d int
		c.call.OrderBy, d = p.orderBy()
		depth = max(depth, d)
	}
	return depth
}

// callArg transcribes one argument, which may have a name.
func (p *parser) callArg(c *callShape) int {
	c.args++
	named := ""
	if k := p.look(1).kind; (k == tokColonEquals || k == tokArrow) && isTypeFuncName(&p.tok) {
		named = p.anyName()
		p.next()
		c.special = true
		for len(c.call.ArgNames) < c.args {
			c.call.ArgNames = append(c.call.ArgNames, "")
		}
		c.call.ArgNames[c.args-1] = named
	} else if c.call.ArgNames != nil {
		c.call.ArgNames = append(c.call.ArgNames, "")
	}
	return p.expr().depth
}

// callTail transcribes WITHIN GROUP, FILTER and OVER.
func (p *parser) callTail(c *callShape) (depth int) {
	sep := func() {
		c.special = true
		if c.args > 0 || len(c.call.OrderBy) > 0 || c.filter {
			p.put(", ")
		}
	}
	if p.is("within") {
		depth = p.withinGroup(c, sep)
	}
	if p.accept("filter") {
		p.expectKind('(')
		p.expect("where")
		sep()
		depth = max(depth, p.expr().depth)
		p.expectKind(')')
		c.filter = true
	}
	if p.is("over") {
		pos := p.pos()
		p.next()
		if p.tok.kind != '(' {
			c.special = true
			c.window = &windowShape{spec: WindowSpec{Base: p.colID(), Reference: true, Pos: pos}}
			return depth
		}
		// The comma is taken back when the window holds no expression.
		before := p.here()
		sep()
		after := p.here()
		var d int
		c.window, d = p.windowSpec("")
		depth = max(depth, d)
		if p.here() == after {
			p.u.buf = p.u.buf[:before]
		}
	}
	return depth
}

func (p *parser) withinGroup(c *callShape, sep func()) (depth int) {
	pos := p.pos()
	switch {
	case len(c.call.OrderBy) > 0:
		p.failWith(pos, "cannot use multiple ORDER BY clauses with WITHIN GROUP")
	case c.call.Distinct:
		p.failWith(pos, "cannot use DISTINCT with WITHIN GROUP")
	case c.call.Variadic:
		p.failWith(pos, "cannot use VARIADIC with WITHIN GROUP")
	}
	p.expectSeq("within", "group")
	p.expectKind('(')
	sep()
	c.call.OrderBy, depth = p.orderBy()
	p.expectKind(')')
	c.call.WithinGroup = true
	return depth
}

// windowShape is a window with the counts of its expressions.
type windowShape struct {
	spec       WindowSpec
	partition  int
	start, end bool // the frame's ends have offsets
}

func (w *windowShape) build(args []Expr) *WindowSpec {
	s := w.spec
	if w.partition > 0 {
		s.PartitionBy = args[:w.partition:w.partition]
	}
	args = fillOrder(s.OrderBy, args[w.partition:])
	if w.start {
		s.Frame.Start.Offset, args = args[0], args[1:]
	}
	if w.end {
		s.Frame.End.Offset = args[0]
	}
	return &s
}

// windowSpec transcribes '(' window definition ')' and writes its expressions with
// commas between.
func (p *parser) windowSpec(name string) (*windowShape, int) {
	w := &windowShape{spec: WindowSpec{Name: name, Pos: p.pos()}}
	p.expectKind('(')
	p.enter()
	depth, start := 0, p.here()
	sep := func() {
		if p.here() > start {
			p.put(", ")
		}
	}
	if isColID(&p.tok) && !p.frameWord() && !p.is("partition") {
		w.spec.Base = p.colID()
	}
	if p.acceptSeq("partition", "by") {
		for more := true; more; more = p.acceptKind(',') {
			sep()
			depth = max(depth, p.expr().depth)
			w.partition++
		}
	}
	if p.is("order") {
		sep()
		var d int
		w.spec.OrderBy, d = p.orderBy()
		depth = max(depth, d)
	}
	if p.frameWord() {
		depth = max(depth, p.frame(w, sep))
	}
	p.expectKind(')')
	p.leave()
	return w, depth
}

func (p *parser) frameWord() bool { return p.is("rows") || p.is("range") || p.is("groups") }

func (p *parser) frame(w *windowShape, sep func()) (depth int) {
	f := &Frame{End: FrameBound{Kind: CurrentRow}}
	w.spec.Frame = f
	switch p.tok.kw {
	case "rows":
		f.Mode = FrameRows
	case "groups":
		f.Mode = FrameGroups
	}
	p.next()
	f.Between = p.accept("between")
	startPos := p.pos()
	f.Start.Kind, w.start, depth = p.frameBound(sep)
	endPos := startPos
	if f.Between {
		p.expect("and")
		endPos = p.pos()
		var d int
		f.End.Kind, w.end, d = p.frameBound(sep)
		depth = max(depth, d)
	}
	p.checkFrame(f, f.Between, startPos, endPos)
	if p.accept("exclude") {
		switch {
		case p.acceptSeq("current", "row"):
			f.Exclude = ExcludeCurrentRow
		case p.accept("group"):
			f.Exclude = ExcludeGroup
		case p.accept("ties"):
			f.Exclude = ExcludeTies
		case p.acceptSeq("no", "others"):
		default:
			p.fail()
		}
	}
	return depth
}

func (p *parser) frameBound(sep func()) (kind FrameBoundKind, offset bool, depth int) {
	switch {
	case p.ahead("unbounded", "preceding") || p.ahead("unbounded", "following"):
		p.next()
		kind = UnboundedPreceding
		if p.is("following") {
			kind = UnboundedFollowing
		}
		p.next()
		return kind, false, 0
	case p.acceptSeq("current", "row"):
		return CurrentRow, false, 0
	}
	sep()
	depth = p.expr().depth
	if p.accept("preceding") {
		return OffsetPreceding, true, depth
	}
	p.expect("following")
	return OffsetFollowing, true, depth
}

// checkFrame refuses the frames that PostgreSQL's grammar refuses.
func (p *parser) checkFrame(f *Frame, between bool, startPos, endPos int) {
	fail := func(pos int, message string) {
		panic(bail{sqlerr.New(sqlerr.WindowingError, "%s", message).At(Character(p.lex.text, pos))})
	}
	start, end := f.Start.Kind, f.End.Kind
	switch {
	case start == UnboundedFollowing:
		fail(startPos, "frame start cannot be UNBOUNDED FOLLOWING")
	case !between && start == OffsetFollowing:
		fail(startPos, "frame starting from following row cannot end with current row")
	case end == UnboundedPreceding && between:
		fail(endPos, "frame end cannot be UNBOUNDED PRECEDING")
	case start == CurrentRow && end == OffsetPreceding:
		fail(endPos, "frame starting from current row cannot have preceding rows")
	case start == OffsetFollowing && end == OffsetPreceding:
		fail(endPos, "frame starting from following row cannot have preceding rows")
	case start == OffsetFollowing && end == CurrentRow:
		fail(endPos, "frame starting from following row cannot have preceding rows")
	}
}
