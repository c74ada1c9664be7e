package parse

// content is what stands between two parentheses.
type content struct {
	st    int
	query *draft // a query, written without parentheses; then n is 0
	n     int    // expressions, written with commas between
	first operand
	depth int
}

// content transcribes what follows '(' up to ')': a query, or expressions.
func (p *parser) content() content {
	c := content{st: p.here()}
	if p.startsQuery() {
		c.query = p.query()
		return c
	}
	c.first = p.expr()
	c.n, c.depth = 1, c.first.depth
	if c.first.kind == queryOperand && p.continuesQuery() {
		// ((SELECT 1) UNION SELECT 2): what looked like a value was the first part.
		p.reopen(c.first)
		c.query = p.queryFrom(c.st, c.first.query)
		c.n = 0
		return c
	}
	for p.acceptKind(',') {
		p.put(", ")
		x := p.expr()
		c.depth = max(c.depth, x.depth)
		c.n++
	}
	return c
}

// reopen takes the parentheses from a query that was just closed.
func (p *parser) reopen(x operand) {
	p.u.opens[x.open] = opening{at: x.st, note: -1, src: -1}
	p.u.buf = p.u.buf[:len(p.u.buf)-1]
}

// closeQuery puts parentheses around the query written since st.
func (p *parser) closeQuery(st, pos int, q *draft) operand {
	p.open(st, "(", pos)
	p.put(")")
	return operand{st: st, kind: queryOperand, open: len(p.u.opens) - 1, query: q, pos: pos}
}

// paren transcribes '(' … ')' as an operand: a query, an expression or a row.
func (p *parser) paren() operand {
	pos := p.pos()
	p.expectKind('(')
	p.enter()
	c := p.content()
	p.expectKind(')')
	p.leave()
	switch {
	case c.query != nil:
		return p.closeQuery(c.st, pos, c.query)
	case c.n == 1:
		if c.first.kind == rowOperand {
			c.first.kind = plainOperand
		}
		return c.first
	}
	p.build(c.st, func(args []Expr) Expr {
		return &RowExpr{at(pos), args, false}
	})
	p.put(")")
	return operand{st: c.st, kind: rowOperand, depth: c.depth + 1, pos: pos}
}

// subquery transcribes '(' query ')' and nothing else.
func (p *parser) subquery() operand {
	if p.tok.kind != '(' {
		p.fail()
	}
	pos, st := p.pos(), p.here()
	return p.closeQuery(st, pos, p.parenQuery())
}

// parenQuery transcribes '(' query ')' without the parentheses.
func (p *parser) parenQuery() *draft {
	p.expectKind('(')
	p.enter()
	q := p.query()
	p.expectKind(')')
	p.leave()
	return q
}

// parenOperand is paren with what may follow it: fields and subscripts, OVERLAPS.
func (p *parser) parenOperand() operand {
	x := p.paren()
	if x.kind == rowOperand {
		return p.overlaps(x)
	}
	return p.indirection(x)
}

// overlaps transcribes row OVERLAPS row when the word follows.
func (p *parser) overlaps(x operand) operand {
	if !p.is("overlaps") {
		return x
	}
	pos := p.pos()
	p.next()
	p.build(x.st, func(args []Expr) Expr {
		l, lok := args[0].(*RowExpr)
		r, rok := args[1].(*RowExpr)
		if !lok || len(l.Args) != 2 {
			p.failWith(args[0].Position(), "wrong number of parameters on left side of OVERLAPS expression")
		}
		if !rok || len(r.Args) != 2 {
			p.failWith(args[1].Position(), "wrong number of parameters on right side of OVERLAPS expression")
		}
		return pgCall(pos, "overlaps", OverlapsCall, l.Args[0], l.Args[1], r.Args[0], r.Args[1])
	})
	p.put(", ")
	var r operand
	switch {
	case p.is("row"):
		r = p.row()
	case p.tok.kind == '(':
		r = p.paren()
	default:
		p.fail()
	}
	if r.kind != rowOperand {
		p.fail()
	}
	p.put(")")
	return operand{st: x.st, depth: max(x.depth, r.depth) + 1, pos: x.pos}
}

// row transcribes ROW (…).
func (p *parser) row() operand {
	pos, st := p.pos(), p.here()
	p.expect("row")
	p.expectKind('(')
	depth := 0
	if p.tok.kind != ')' {
		depth = p.exprList()
	}
	p.expectKind(')')
	p.build(st, func(args []Expr) Expr {
		return &RowExpr{at(pos), args, true}
	})
	p.put(")")
	return operand{st: st, kind: rowOperand, depth: depth + 1, pos: pos}
}

// exprList transcribes expressions with commas between; it returns their depth.
func (p *parser) exprList() int {
	depth := p.expr().depth
	for p.acceptKind(',') {
		p.put(", ")
		depth = max(depth, p.expr().depth)
	}
	return depth
}

// indirection transcribes the .field, .* and [subscript]s that follow an operand.
func (p *parser) indirection(x operand) operand {
	for {
		if x.depth > maxChain {
			p.tooDeep()
		}
		pos := p.pos()
		switch {
		case p.tok.kind == '[':
			x = p.subscripts(x)
		case p.tok.kind == '.':
			p.next()
			if p.acceptOp("*") {
				p.lastStar()
				return p.wrap(x, x.pos, func(args []Expr) Expr {
					return &FieldExpr{at(pos), args[0], "", true}
				})
			}
			name := p.label()
			x = p.wrap(x, x.pos, func(args []Expr) Expr {
				return &FieldExpr{at(pos), args[0], name, false}
			})
		default:
			return x
		}
	}
}

// lastStar fails when a star is not the end of what it belongs to, at the token behind all
// of it, as PostgreSQL does.
func (p *parser) lastStar() {
	if p.tok.kind != '.' && p.tok.kind != '[' {
		return
	}
	p.newUnit(func() { p.indirection(p.leaf(p.pos(), &DefaultExpr{})) }, nil)
	panic(bail{errorAt(p.lex.text, "improper use of \"*\"", p.pos(), p.tok.end)})
}

// subscripts transcribes [i], [i:j], [i:], [:j] and [:], as many as stand in a row.
func (p *parser) subscripts(x operand) operand {
	pos, depth := p.pos(), x.depth
	var subs []Subscript
	// Of the bounds that are written, in order, each fills its place in subs.
	var holes []func(e Expr)
	bound := func(i int, upper bool) {
		p.put(", ")
		depth = max(depth, p.expr().depth)
		holes = append(holes, func(e Expr) {
			if upper {
				subs[i].Upper = e
			} else {
				subs[i].Lower = e
			}
		})
	}
	for p.acceptKind('[') {
		i := len(subs)
		subs = append(subs, Subscript{})
		if p.tok.kind != ':' {
			bound(i, false)
		}
		if p.acceptKind(':') {
			subs[i].Slice = true
			if p.tok.kind != ']' {
				bound(i, true)
			}
		}
		p.expectKind(']')
	}
	p.build(x.st, func(args []Expr) Expr {
		for i, fill := range holes {
			fill(args[i+1])
		}
		return &SubscriptExpr{at(pos), args[0], subs}
	})
	p.put(")")
	return operand{st: x.st, depth: depth + 1, pos: x.pos}
}
