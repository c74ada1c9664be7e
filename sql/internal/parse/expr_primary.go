package parse

// primary transcribes an operand without prefix operators (c_expr).
func (p *parser) primary() operand {
	t := p.tok
	switch t.kind {
	case tokInt, tokFloat:
		p.next()
		return p.number(t)
	case tokString:
		p.next()
		return p.stringLiteral(t.str, t.pos)
	case tokBits, tokHex:
		p.next()
		lit := &Literal{exprAt: at(t.pos), Kind: BitLiteral, Text: t.str}
		if t.kind == tokHex {
			lit.Kind = HexLiteral
		}
		return p.leaf(t.pos, lit)
	case tokParam:
		return p.indirection(p.param())
	case '(':
		return p.parenOperand()
	case tokIdent:
		return p.wordOperand()
	}
	p.fail()
	return operand{}
}

// number writes an integer as itself and any other number as a marker: TiDB would
// read 1e10 as a float and 1e400 as an error.
func (p *parser) number(t token) operand {
	if t.kind == tokInt && len(t.str) <= 18 {
		st := p.here()
		p.mark(t.pos)
		p.put(t.str)
		return operand{st: st, pos: t.pos}
	}
	return p.leaf(t.pos, numberLiteral(at(t.pos), t.str))
}

func (p *parser) stringLiteral(s string, pos int) operand {
	st := p.here()
	p.mark(pos)
	p.putString(s)
	return operand{st: st, pos: pos}
}

// maxParam is the highest number of a parameter; the protocol cannot carry more.
const maxParam = 65535

func (p *parser) param() operand {
	t := p.tok
	n := 0
	for _, c := range []byte(t.str) {
		n = min(n*10+int(c-'0'), maxParam+1)
	}
	if n == 0 || n > maxParam {
		panic(bail{undefinedParam(p.lex.text, t)})
	}
	p.next()
	p.params = max(p.params, n)
	st := p.here()
	p.u.places = append(p.u.places, place{at: st, src: t.pos, param: n})
	p.put("?")
	return operand{st: st, pos: t.pos}
}

// wordOperand transcribes an operand that begins with a word.
func (p *parser) wordOperand() operand {
	if p.tok.kw == "" {
		return p.nameOperand()
	}
	pos := p.pos()
	switch p.tok.kw {
	case "null", "true", "false":
		st := p.here()
		p.mark(pos)
		p.put(p.tok.kw)
		p.next()
		return operand{st: st, pos: pos}
	case "case":
		return p.caseExpr()
	case "exists":
		if p.look(1).kind == '(' {
			st := p.here()
			p.mark(pos)
			p.put("EXISTS ")
			p.next()
			x := p.subquery()
			return operand{st: st, depth: x.depth + 1, pos: pos}
		}
	case "array":
		return p.array()
	case "row":
		if p.look(1).kind == '(' {
			return p.overlaps(p.row())
		}
	case "grouping":
		if x, ok := p.grouping(); ok {
			return x
		}
	}
	if x, ok := p.specialCall(); ok {
		return x
	}
	if x, ok := p.typedLiteral(); ok {
		return x
	}
	return p.nameOperand()
}

// grouping transcribes GROUPING (…).
func (p *parser) grouping() (operand, bool) {
	if !p.is("grouping") || p.look(1).kind != '(' {
		return operand{}, false
	}
	pos := p.pos()
	return p.call("grouping", func(args []Expr) Expr {
		return &GroupingFunc{at(pos), args}
	}), true
}

// call transcribes word (expressions), with at least one, as b.
func (p *parser) call(word string, b builder) operand {
	pos, st := p.pos(), p.here()
	p.expect(word)
	p.expectKind('(')
	depth := p.exprList()
	p.expectKind(')')
	p.build(st, b)
	p.put(")")
	return operand{st: st, depth: depth + 1, pos: pos}
}

func (p *parser) caseExpr() operand {
	pos, st := p.pos(), p.here()
	p.mark(pos)
	p.expect("case")
	p.put("CASE ")
	depth := 0
	if !p.is("when") {
		depth = p.expr().depth
	}
	for first := true; first || p.is("when"); first = false {
		p.expect("when")
		p.put(" WHEN ")
		depth = max(depth, p.expr().depth)
		p.expect("then")
		p.put(" THEN ")
		depth = max(depth, p.expr().depth)
	}
	if p.accept("else") {
		p.put(" ELSE ")
		depth = max(depth, p.expr().depth)
	}
	p.expect("end")
	p.put(" END")
	return operand{st: st, depth: depth + 1, pos: pos}
}

// array transcribes ARRAY (query) and ARRAY[…].
func (p *parser) array() operand {
	pos := p.pos()
	p.next()
	if p.tok.kind == '(' {
		return p.wrap(p.subquery(), pos, func(args []Expr) Expr {
			return &ArraySubquery{at(pos), args[0].(*SubqueryExpr).Query}
		})
	}
	return p.arrayBrackets(pos)
}

// arrayBrackets transcribes […], whose elements are all brackets or all expressions.
func (p *parser) arrayBrackets(pos int) operand {
	p.enter()
	st, depth := p.here(), 0
	p.expectKind('[')
	nested := p.tok.kind == '['
	for p.tok.kind != ']' {
		var x operand
		if nested {
			if p.tok.kind != '[' {
				p.fail()
			}
			x = p.arrayBrackets(p.pos())
		} else {
			x = p.expr()
		}
		depth = max(depth, x.depth)
		if p.tok.kind != ',' {
			break
		}
		p.next()
		p.put(", ")
		if p.tok.kind == ']' {
			p.fail()
		}
	}
	p.expectKind(']')
	p.build(st, func(args []Expr) Expr { return &ArrayExpr{at(pos), args} })
	p.put(")")
	p.leave()
	return operand{st: st, depth: depth + 1, pos: pos}
}

// typedLiteral transcribes one of SQL's own type names with a string: date '…',
// interval '1' day. Other names are nameOperand's.
func (p *parser) typedLiteral() (operand, bool) {
	if !isSQLType(p.tok.kw) {
		return operand{}, false
	}
	start, pos := p.i, p.pos()
	switch p.tok.kw {
	case "bit", "decimal", "dec", "numeric", "double", "national":
	default:
		if p.look(1).kind == '(' {
			// With a length it is no column.
			t := p.sqlType(true)
			lit := p.tok
			p.str()
			return p.typed(t, lit, pos), true
		}
	}
	t, ok := p.literalType()
	if !ok || p.tok.kind != tokString {
		p.back(start)
		return operand{}, false
	}
	lit := p.tok
	p.next()
	if t.Name() == "interval" && len(t.Mods) == 0 {
		t.Mods = p.intervalFields()
	}
	return p.typed(t, lit, pos), true
}

// typed writes a literal with its type.
func (p *parser) typed(t *TypeName, lit token, pos int) operand {
	x := p.stringLiteral(lit.str, lit.pos)
	return p.wrap(x, pos, func(args []Expr) Expr {
		return &CastExpr{at(pos), args[0], t, CastTyped}
	})
}

// nameOperand transcribes a column, a function call, or type 'text'.
func (p *parser) nameOperand() operand {
	t := p.tok
	if !isColID(&t) && !isTypeFuncName(&t) {
		p.fail()
	}
	p.next()
	parts := []string{t.str}
	for p.tok.kind == '.' && p.look(1).kind == tokIdent {
		p.next()
		parts = append(parts, p.label())
	}
	callable := len(parts) > 1 || isTypeFuncName(&t)
	switch {
	case t.cat == typeFunc && len(parts) > 1:
		p.failAt(p.dotAfter(t))
	case p.tok.kind == '(' && callable:
		if typ, ok := p.typeWithMods(parts, t.pos); ok {
			lit := p.tok
			p.next()
			return p.typed(typ, lit, t.pos)
		}
		return p.function(parts, t.pos)
	case p.tok.kind == tokString && callable:
		lit := p.tok
		p.next()
		return p.typed(&TypeName{Names: parts, Pos: t.pos}, lit, t.pos)
	case t.cat == typeFunc:
		p.fail()
	}
	return p.column(parts, t.pos)
}

// dotAfter finds the token after t.
func (p *parser) dotAfter(t token) *token {
	for i := range p.toks {
		if p.toks[i].pos == t.pos {
			return &p.toks[i+1]
		}
	}
	return &p.tok
}

// typeWithMods reads (n, …) when a string follows it: bpchar(3) 'abc'.
func (p *parser) typeWithMods(parts []string, pos int) (*TypeName, bool) {
	n := 1
	for p.look(n).kind == tokInt {
		n++
		if p.look(n).kind != ',' {
			break
		}
		n++
	}
	if n == 1 || p.look(n).kind != ')' || p.look(n+1).kind != tokString {
		return nil, false
	}
	t := &TypeName{Names: parts, Pos: pos}
	t.Mods = p.typeMods()
	return t, true
}

// column writes a column reference with what follows it.
func (p *parser) column(parts []string, pos int) operand {
	if p.tok.kind == '.' {
		if !p.look(1).isOp("*") {
			p.next()
			p.fail()
		}
		p.next()
		p.next()
		p.lastStar()
		return p.leaf(pos, &ColumnRef{exprAt: at(pos), Parts: parts, Star: true})
	}
	native := len(parts) <= 3
	for _, s := range parts {
		native = native && plainName(s)
	}
	if !native {
		return p.indirection(p.leaf(pos, &ColumnRef{exprAt: at(pos), Parts: parts}))
	}
	st := p.here()
	p.mark(pos)
	for i, s := range parts {
		if i > 0 {
			p.put(".")
		}
		p.putName(s)
	}
	return p.indirection(operand{st: st, pos: pos})
}
