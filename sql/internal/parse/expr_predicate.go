package parse

// isTest transcribes IS …, ISNULL and NOTNULL. It reports whether an operand ends it.
func (p *parser) isTest(l *operand, restricted bool) bool {
	pos := p.pos()
	if p.is("isnull") || p.is("notnull") {
		p.nullTest(l, pos, p.is("notnull"))
		return false
	}
	p.expect("is")
	not := p.accept("not")
	switch {
	case !restricted && p.is("null"):
		p.nullTest(l, pos, not)
		return false
	case p.acceptSeq("distinct", "from"):
		p.binaryMark(l, levelIs, restricted, func(args []Expr) Expr {
			return &DistinctExpr{at(pos), args[0], args[1], not}
		})
		return true
	case p.is("distinct"):
		p.next()
		p.fail()
	case p.is("document"):
		p.unsupported(p.pos(), "IS DOCUMENT")
	}
	if restricted {
		p.fail()
	}
	if kind, ok := boolTests[p.tok.kw]; ok {
		p.next()
		*l = p.wrap(*l, l.pos, func(args []Expr) Expr {
			return &BoolTest{at(pos), args[0], kind, not}
		})
		return false
	}
	p.normalized(l, pos, not)
	return false
}

var boolTests = map[string]BoolTestKind{"true": IsTrue, "false": IsFalse, "unknown": IsUnknown}

func (p *parser) nullTest(l *operand, pos int, not bool) {
	p.next()
	p.open(l.st, "(", pos)
	if not {
		p.put(" IS NOT NULL)")
	} else {
		p.put(" IS NULL)")
	}
	*l = operand{st: l.st, depth: l.depth + 1, pos: l.pos}
}

// normalized transcribes IS [NOT] [form] NORMALIZED.
func (p *parser) normalized(l *operand, pos int, not bool) {
	form := ""
	switch p.tok.kw {
	case "nfc", "nfd", "nfkc", "nfkd":
		form = p.tok.kw
		p.next()
	}
	p.expect("normalized")
	*l = p.wrap(*l, l.pos, func(args []Expr) Expr {
		if form != "" {
			args = append(args, &Literal{exprAt: at(pos), Kind: StringLiteral, Text: form})
		}
		var e Expr = pgCall(pos, "is_normalized", IsNormalizedCall, args...)
		if not {
			e = &BoolExpr{at(pos), Not, []Expr{e}}
		}
		return e
	})
}

// predicate transcribes [NOT] BETWEEN, IN, LIKE, ILIKE and SIMILAR TO. It reports
// whether an operand ends it.
func (p *parser) predicate(l *operand) bool {
	pos := p.pos()
	not := p.accept("not")
	switch p.tok.kw {
	case "between":
		p.between(l, pos, not)
		return true
	case "in":
		p.in(l, pos, not)
		return false
	}
	kind, op := Like, "~~"
	switch p.tok.kw {
	case "ilike":
		kind, op = ILike, "~~*"
	case "similar":
		kind, op = Similar, ""
	}
	p.next()
	if kind == Similar {
		p.expect("to")
	} else if p.is("any") || p.is("some") || p.is("all") {
		if not {
			op = "!" + op
		}
		p.anyAll(l, pos, op, "")
		return false
	}
	p.like(l, pos, kind, not)
	return true
}

func (p *parser) like(l *operand, pos int, kind LikeKind, not bool) {
	p.build(l.st, func(args []Expr) Expr {
		e := &LikeExpr{exprAt: at(pos), Kind: kind, X: args[0], Pattern: args[1], Not: not}
		if len(args) > 2 {
			e.Escape = args[2]
		}
		return e
	})
	p.put(", ")
	r := p.climb(levelBetween+1, false)
	depth := max(l.depth, r.depth)
	if p.accept("escape") {
		p.put(", ")
		depth = max(depth, p.climb(levelBetween+1, false).depth)
	}
	p.put(")")
	*l = operand{st: l.st, depth: depth + 1, pos: l.pos}
}

func (p *parser) between(l *operand, pos int, not bool) {
	p.expect("between")
	symmetric := p.accept("symmetric")
	if !symmetric {
		p.accept("asymmetric")
	}
	between, and := " BETWEEN ", " AND "
	if not {
		between = " NOT BETWEEN "
	}
	if symmetric {
		between, and = ", ", ", "
		p.build(l.st, func(args []Expr) Expr {
			return &BetweenExpr{at(pos), args[0], args[1], args[2], not, true}
		})
	} else {
		p.open(l.st, "(", pos)
	}
	p.put(between)
	lo := p.restricted()
	p.expect("and")
	p.put(and)
	hi := p.climb(levelBetween+1, false)
	p.put(")")
	*l = operand{st: l.st, depth: max(l.depth, lo.depth, hi.depth) + 1, pos: l.pos}
}

func (p *parser) in(l *operand, pos int, not bool) {
	p.expect("in")
	p.expectKind('(')
	p.open(l.st, "(", pos)
	if not {
		p.put(" NOT IN (")
	} else {
		p.put(" IN (")
	}
	p.enter()
	c := p.content()
	p.leave()
	p.expectKind(')')
	p.put("))")
	*l = operand{st: l.st, depth: max(l.depth, c.depth) + 1, pos: l.pos}
}
