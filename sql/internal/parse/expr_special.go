package parse

// specialCall transcribes what SQL writes like a function but with words of its own.
func (p *parser) specialCall() (operand, bool) {
	pos, kw := p.pos(), p.tok.kw
	if x, ok := p.valueFunc(); ok {
		return x, true
	}
	open := p.look(1).kind == '('
	switch kw {
	case "cast":
		return p.cast(), true
	case "collation":
		if p.lookIs(1, "for") {
			p.expectSeq("collation", "for")
			p.expectKind('(')
			x := p.expr()
			p.expectKind(')')
			return p.wrap(x, pos, func(args []Expr) Expr {
				return pgCall(pos, "pg_collation_for", CollationForCall, args...)
			}), true
		}
		return operand{}, false
	case "xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlparse", "xmlpi", "xmlroot", "xmlserialize", "treat":
		if open {
			p.unsupported(pos, kw)
		}
	}
	if !open {
		return operand{}, false
	}
	switch kw {
	case "coalesce":
		return p.call(kw, func(args []Expr) Expr { return &CoalesceExpr{at(pos), args} }), true
	case "greatest", "least":
		return p.call(kw, func(args []Expr) Expr {
			return &MinMaxExpr{at(pos), kw == "least", args}
		}), true
	case "nullif":
		return p.nullIf(), true
	case "extract":
		return p.extract(), true
	case "position":
		return p.position(), true
	case "overlay":
		return p.overlay(), true
	case "substring":
		return p.substring(), true
	case "trim":
		return p.trim(), true
	case "normalize":
		return p.normalize(), true
	}
	return operand{}, false
}

// valueFunc transcribes CURRENT_DATE and its kin.
func (p *parser) valueFunc() (operand, bool) {
	f := &SQLValueFunc{exprAt: at(p.pos()), Name: p.tok.kw, Precision: -1}
	switch p.tok.kw {
	case "current_time", "current_timestamp", "localtime", "localtimestamp":
		p.next()
		if p.tok.kind == '(' {
			p.next()
			f.Precision = p.int32()
			p.expectKind(')')
		}
	case "current_schema":
		// current_schema() is a plain function.
		if k := p.look(1).kind; k == '(' || k == '.' || k == tokString {
			return operand{}, false
		}
		p.next()
	case "current_date", "current_role", "current_user", "session_user", "user", "current_catalog":
		p.next()
	default:
		return operand{}, false
	}
	return p.leaf(f.Pos, f), true
}

func (p *parser) cast() operand {
	pos := p.pos()
	p.expect("cast")
	p.expectKind('(')
	p.enter()
	x := p.expr()
	p.expect("as")
	t := p.typeName()
	p.expectKind(')')
	p.leave()
	return p.wrap(x, pos, func(args []Expr) Expr {
		return &CastExpr{at(pos), args[0], t, CastFunction}
	})
}

func (p *parser) nullIf() operand {
	pos := p.pos()
	x := p.fixedArgs(2)
	return p.buildCall(x, pos, func(args []Expr) Expr {
		return &NullIfExpr{at(pos), args[0], args[1]}
	})
}

// fixedArgs transcribes word (a, b …) with n arguments.
func (p *parser) fixedArgs(n int) operand {
	p.next()
	x := operand{st: p.here()}
	p.expectKind('(')
	for i := range n {
		if i > 0 {
			p.expectKind(',')
			p.put(", ")
		}
		x.depth = max(x.depth, p.expr().depth)
	}
	p.expectKind(')')
	return x
}

// buildCall makes what was written since x.st the arguments of b.
func (p *parser) buildCall(x operand, pos int, b builder) operand {
	p.build(x.st, b)
	p.put(")")
	return operand{st: x.st, depth: x.depth + 1, pos: pos}
}

// callOf is a builder of one of PostgreSQL's own functions.
func callOf(pos int, name string, form FuncForm) builder {
	return func(args []Expr) Expr { return pgCall(pos, name, form, args...) }
}

// more transcribes one more argument after the word kw, if it is there.
func (p *parser) more(kw string, x *operand) bool {
	if !p.accept(kw) {
		return false
	}
	p.put(", ")
	x.depth = max(x.depth, p.expr().depth)
	return true
}

func (p *parser) extract() operand {
	pos := p.pos()
	p.next()
	p.expectKind('(')
	field := p.tok
	switch {
	case field.kind == tokString, field.kind == tokIdent && field.kw == "":
	default:
		if !intervalField(field.kw) {
			p.fail()
		}
	}
	p.next()
	x := operand{st: p.here()}
	p.stringLiteral(field.str, field.pos)
	if !p.more("from", &x) {
		p.fail()
	}
	p.expectKind(')')
	return p.buildCall(x, pos, callOf(pos, "extract", ExtractCall))
}

func (p *parser) position() operand {
	pos := p.pos()
	p.next()
	x := operand{st: p.here()}
	p.expectKind('(')
	x.depth = p.restricted().depth
	p.expect("in")
	p.put(", ")
	x.depth = max(x.depth, p.restricted().depth)
	p.expectKind(')')
	return p.buildCall(x, pos, func(args []Expr) Expr {
		return pgCall(pos, "position", PositionCall, args[1], args[0])
	})
}

// plainArgs goes on with a call that began like a special one but is written like
// any other: substring(a, b). Its first argument was written since x.st.
func (p *parser) plainArgs(name string, x operand, pos, n int) operand {
	c := &callShape{special: true, args: n}
	c.call.Name = ObjectName{Name: name, Pos: pos}
	c.call.Pos = pos
	for p.acceptKind(',') {
		p.put(", ")
		x.depth = max(x.depth, p.callArg(c))
	}
	p.expectKind(')')
	return p.closeCall(x.st, c, x.depth)
}

func (p *parser) overlay() operand {
	pos := p.pos()
	p.next()
	x := operand{st: p.here()}
	p.expectKind('(')
	if p.tok.kind == ')' {
		return p.plainArgs("overlay", x, pos, 0)
	}
	x.depth = p.expr().depth
	if !p.more("placing", &x) {
		return p.plainArgs("overlay", x, pos, 1)
	}
	if !p.more("from", &x) {
		p.fail()
	}
	p.more("for", &x)
	p.expectKind(')')
	return p.buildCall(x, pos, callOf(pos, "overlay", OverlayCall))
}

// substring transcribes all forms of SUBSTRING; FROM and FOR come in either order.
func (p *parser) substring() operand {
	pos := p.pos()
	p.next()
	x := operand{st: p.here()}
	p.expectKind('(')
	if p.tok.kind == ')' {
		return p.plainArgs("substring", x, pos, 0)
	}
	x.depth = p.expr().depth
	switch {
	case p.more("from", &x):
		p.more("for", &x)
	case p.more("for", &x):
		if p.more("from", &x) {
			p.expectKind(')')
			return p.buildCall(x, pos, func(args []Expr) Expr {
				return pgCall(pos, "substring", SubstringCall, args[0], args[2], args[1])
			})
		}
		p.expectKind(')')
		// A length without a start counts from 1, and is cast as PostgreSQL's parser does.
		return p.buildCall(x, pos, func(args []Expr) Expr {
			one := &Literal{exprAt: at(pos), Kind: IntLiteral, Int: 1, Text: "1"}
			length := &CastExpr{
				at(pos),
				args[1],
				&TypeName{Names: []string{"pg_catalog", "int4"}, Pos: pos}, CastOperator,
			}
			return pgCall(pos, "substring", SubstringCall, args[0], one, length)
		})
	case p.more("similar", &x):
		if !p.more("escape", &x) {
			p.fail()
		}
	default:
		return p.plainArgs("substring", x, pos, 1)
	}
	p.expectKind(')')
	return p.buildCall(x, pos, callOf(pos, "substring", SubstringCall))
}

// trim transcribes TRIM ([BOTH|LEADING|TRAILING] [characters FROM] text).
func (p *parser) trim() operand {
	pos := p.pos()
	p.next()
	p.expectKind('(')
	name := "btrim"
	switch {
	case p.accept("leading"):
		name = "ltrim"
	case p.accept("trailing"):
		name = "rtrim"
	default:
		p.accept("both")
	}
	x := operand{st: p.here()}
	n, swap := 0, false
	if !p.accept("from") {
		x.depth = p.expr().depth
		n = 1
		swap = p.accept("from")
	}
	if n == 0 || swap {
		if n > 0 {
			p.put(", ")
		}
		x.depth = max(x.depth, p.expr().depth)
	}
	for p.acceptKind(',') {
		p.put(", ")
		x.depth = max(x.depth, p.expr().depth)
	}
	p.expectKind(')')
	return p.buildCall(x, pos, func(args []Expr) Expr {
		if swap {
			// The characters were written first; the function takes them last.
			args = append(args[1:len(args):len(args)], args[0])
		}
		return pgCall(pos, name, TrimCall, args...)
	})
}

func (p *parser) normalize() operand {
	pos := p.pos()
	p.next()
	p.expectKind('(')
	x := operand{st: p.here()}
	x.depth = p.expr().depth
	form := ""
	if p.acceptKind(',') {
		form = p.tok.kw
		switch form {
		case "nfc", "nfd", "nfkc", "nfkd":
			p.next()
		default:
			p.fail()
		}
	}
	p.expectKind(')')
	return p.buildCall(x, pos, func(args []Expr) Expr {
		if form != "" {
			args = append(args, &Literal{exprAt: at(pos), Kind: StringLiteral, Text: form})
		}
		return pgCall(pos, "normalize", NormalizeCall, args...)
	})
}
