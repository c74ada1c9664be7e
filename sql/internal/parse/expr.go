package parse

// operand is an expression that was written into the current unit.
type operand struct {
	st    int // where it begins in the unit
	kind  operandKind
	depth int    // of the tree that the decoder will see
	query *draft // of a query in parentheses
	open  int    // of a query: the opening that is its parenthesis
	pos   int    // of its first token
}

type operandKind uint8

const (
	plainOperand operandKind = iota
	queryOperand             // a query in parentheses, and nothing else
	rowOperand               // a row of two or more values, or ROW (…)
)

// PostgreSQL's levels of precedence, loosest first.
const (
	levelOr = 1 + iota
	levelAnd
	levelNot
	levelIs
	levelCompare
	levelBetween
	levelEscape
	levelOp
	levelAdd
	levelMul
	levelPow
	levelAt
	levelCollate
	levelSign
	levelCast
)

// nonAssociative reports whether two operators of a level may not stand in a chain.
func nonAssociative(level int) bool {
	return level == levelIs || level == levelCompare || level == levelBetween
}

// expr transcribes an expression (a_expr in PostgreSQL's grammar).
func (p *parser) expr() operand { return p.climb(0, false) }

// restricted transcribes a b_expr: an expression without AND, OR, NOT, IN, LIKE,
// BETWEEN and IS NULL at its top.
func (p *parser) restricted() operand { return p.climb(0, true) }

// climb transcribes an expression whose operators bind at least as tightly as least.
func (p *parser) climb(least int, restricted bool) operand {
	p.enter()
	left := p.prefix(restricted)
	last := 0
	for {
		level := p.infixLevel(restricted)
		if level == 0 || level < least || p.tok.bare && p.depth == p.listDepth && p.endsTarget(1) {
			break
		}
		if level == last && nonAssociative(level) {
			p.fail()
		}
		last = level
		if !p.infix(&left, level, restricted) {
			last = 0
		}
		if left.depth > maxChain {
			p.tooDeep()
		}
	}
	p.leave()
	return left
}

// infixLevel is the level of the infix or postfix operator at the current token,
// 0 when there is none.
func (p *parser) infixLevel(restricted bool) int {
	switch t := &p.tok; t.kind {
	case tokOp:
		return opLevel(t.str)
	case tokCast:
		return levelCast
	case tokIdent:
		if t.kw != "" {
			return p.wordLevel(restricted)
		}
	}
	return 0
}

func opLevel(op string) int {
	switch op {
	case "=", "<", ">", "<=", ">=", "<>":
		return levelCompare
	case "+", "-":
		return levelAdd
	case "*", "/", "%":
		return levelMul
	case "^":
		return levelPow
	}
	return levelOp
}

func (p *parser) wordLevel(restricted bool) int {
	switch p.tok.kw {
	case "operator":
		return levelOp
	case "is":
		if restricted && !p.isDistinctNext() {
			return 0
		}
		return levelIs
	}
	if restricted {
		return 0
	}
	switch p.tok.kw {
	case "or":
		return levelOr
	case "and":
		return levelAnd
	case "isnull", "notnull":
		return levelIs
	case "between", "in", "like", "ilike":
		return levelBetween
	case "similar":
		if p.lookIs(1, "to") {
			return levelBetween
		}
	case "not":
		switch p.look(1).kw {
		case "between", "in", "like", "ilike", "similar":
			return levelBetween
		}
	case "at":
		return levelAt
	case "collate":
		return levelCollate
	}
	return 0
}

// isDistinctNext reports whether IS [NOT] DISTINCT or DOCUMENT follows.
func (p *parser) isDistinctNext() bool {
	n := 1
	if p.lookIs(n, "not") {
		n++
	}
	return p.lookIs(n, "distinct") || p.lookIs(n, "document")
}

// endsTarget reports whether an item of a SELECT list ends in front of the token n after
// the current one. Then an operator's word before it is a column's label: SELECT a LIKE.
func (p *parser) endsTarget(n int) bool {
	t := p.look(n)
	switch t.kind {
	case tokEOF, ',', ')', ';':
		return true
	}
	switch t.kw {
	case "from", "into", "where", "group", "having", "window", "union", "intersect", "except",
		"order", "limit", "offset", "fetch", "for", "on", "with", "returning":
		return true
	}
	return false
}

// prefix transcribes an operand with the prefix operators in front of it.
func (p *parser) prefix(restricted bool) operand {
	pos := p.pos()
	switch {
	case p.tok.kind == tokOp:
		switch op := p.tok.str; opLevel(op) {
		case levelAdd:
			return p.sign(op, restricted)
		case levelOp:
			p.next()
			return p.prefixOp(op, "", pos, restricted)
		}
		p.fail()
	case p.is("operator") && p.look(1).kind == '(':
		schema, op := p.operatorName()
		return p.prefixOp(op, schema, pos, restricted)
	case restricted:
	case p.is("not"):
		p.next()
		x := p.climb(levelNot, false)
		return p.wrap(x, pos, func(args []Expr) Expr {
			return &BoolExpr{at(pos), Not, args}
		})
	case p.is("default"):
		p.next()
		return p.leaf(pos, &DefaultExpr{at(pos)})
	case p.is("unique"):
		p.next()
		p.subquery()
		p.unsupported(pos, "UNIQUE predicate")
	}
	return p.primary()
}

// sign transcribes + and - in front of an operand.
func (p *parser) sign(op string, restricted bool) operand {
	pos, st := p.pos(), p.here()
	p.next()
	p.mark(pos)
	p.put("(" + op + " ")
	x := p.climb(levelSign, restricted)
	p.put(")")
	return operand{st: st, depth: x.depth + 1, pos: pos}
}

func (p *parser) prefixOp(op, schema string, pos int, restricted bool) operand {
	x := p.climb(levelOp+1, restricted)
	return p.wrap(x, pos, func(args []Expr) Expr {
		return &UnaryExpr{at(pos), op, schema, args[0]}
	})
}

// leaf writes a node that holds no expression.
func (p *parser) leaf(pos int, e Expr) operand {
	st := p.here()
	p.putNote(builder(func([]Expr) Expr { return e }))
	p.put("()")
	return operand{st: st, pos: pos}
}

// wrap makes x the only argument of b.
func (p *parser) wrap(x operand, pos int, b builder) operand {
	p.build(x.st, b)
	p.put(")")
	return operand{st: x.st, depth: x.depth + 1, pos: pos}
}

// operatorName reads OPERATOR(schema.op).
func (p *parser) operatorName() (schema, op string) {
	p.expect("operator")
	p.expectKind('(')
	for p.tok.kind == tokIdent {
		schema = p.colID()
		p.expectKind('.')
	}
	if p.tok.kind != tokOp {
		p.fail()
	}
	op = p.anyName()
	p.expectKind(')')
	return schema, op
}

// infix transcribes the operator at the current token, whose left operand is l, and
// makes l the whole. It reports whether an operand ends it.
func (p *parser) infix(l *operand, level int, restricted bool) bool {
	pos := p.pos()
	if level == levelCast {
		p.next()
		t := p.typeName()
		*l = p.wrap(*l, l.pos, func(args []Expr) Expr {
			return &CastExpr{at(pos), args[0], t, CastOperator}
		})
		return false
	}
	if p.tok.kind == tokOp || p.is("operator") {
		return p.binary(l, level, restricted)
	}
	switch level {
	case levelOr, levelAnd:
		p.boolChain(l, level)
		return true
	case levelIs:
		return p.isTest(l, restricted)
	case levelBetween:
		return p.predicate(l)
	case levelAt:
		p.next()
		p.expectSeq("time", "zone")
		p.binaryMark(l, levelAt, restricted, func(args []Expr) Expr {
			return pgCall(pos, "timezone", AtTimeZoneCall, args[1], args[0])
		})
		return true
	}
	p.expect("collate")
	name := p.objectName()
	*l = p.wrap(*l, l.pos, func(args []Expr) Expr {
		return &CollateExpr{at(pos), args[0], name}
	})
	return false
}

// pgCall is the call of one of PostgreSQL's own functions that SQL writes otherwise.
func pgCall(pos int, name string, form FuncForm, args ...Expr) *FuncCall {
	return &FuncCall{
		exprAt: at(pos), Name: ObjectName{Schema: "pg_catalog", Name: name, Pos: pos},
		Args: args, Form: form,
	}
}

// nativeOp reports whether TiDB's grammar has the operator, with the same operands.
func nativeOp(op string) bool {
	switch op {
	case "=", "<", ">", "<=", ">=", "<>", "+", "-", "*", "/", "%":
		return true
	}
	return false
}

// binary transcribes an infix operator, or a comparison with ANY or ALL.
func (p *parser) binary(l *operand, level int, restricted bool) bool {
	pos, schema, op, qualified := p.pos(), "", p.tok.str, p.tok.kind != tokOp
	if qualified {
		schema, op = p.operatorName()
	} else {
		p.next()
	}
	if !restricted && (p.is("any") || p.is("some") || p.is("all")) {
		p.anyAll(l, pos, op, schema)
		return false
	}
	if qualified || !nativeOp(op) {
		p.binaryMark(l, level, restricted, func(args []Expr) Expr {
			return &BinaryExpr{at(pos), op, schema, args[0], args[1]}
		})
		return true
	}
	p.open(l.st, "(", pos)
	p.put(" " + op + " ")
	r := p.climb(level+1, restricted)
	p.put(")")
	*l = operand{st: l.st, depth: max(l.depth, r.depth) + 1, pos: l.pos}
	return true
}

// binaryMark reads the right operand of an operator and makes both arguments of b.
func (p *parser) binaryMark(l *operand, level int, restricted bool, b builder) {
	p.build(l.st, b)
	p.put(", ")
	r := p.climb(level+1, restricted)
	p.put(")")
	*l = operand{st: l.st, depth: max(l.depth, r.depth) + 1, pos: l.pos}
}

// boolChain transcribes x AND y AND z; TiDB nests it, the decoder flattens it.
func (p *parser) boolChain(l *operand, level int) {
	p.open(l.st, "(", p.pos())
	word, sep := "and", " AND "
	if level == levelOr {
		word, sep = "or", " OR "
	}
	depth := l.depth
	for p.accept(word) {
		p.put(sep)
		r := p.climb(level+1, false)
		depth = max(depth, r.depth) + 1
		if depth > maxChain {
			p.tooDeep()
		}
	}
	p.put(")")
	*l = operand{st: l.st, depth: depth, pos: l.pos}
}

// anyAll transcribes what follows op: ANY (…) or ALL (…).
func (p *parser) anyAll(l *operand, pos int, op, schema string) {
	all := p.is("all")
	p.next()
	if p.tok.kind != '(' {
		p.fail()
	}
	p.build(l.st, func(args []Expr) Expr {
		e := &AnyAllExpr{exprAt: at(pos), X: args[0], Op: op, Schema: schema, All: all}
		if q, ok := args[1].(*SubqueryExpr); ok {
			e.Query = q.Query
		} else {
			e.Array = args[1]
		}
		return e
	})
	p.put(", ")
	r := p.paren()
	if r.kind == rowOperand {
		p.failAt(&p.toks[p.i-1])
	}
	p.put(")")
	*l = operand{st: l.st, depth: max(l.depth, r.depth) + 1, pos: l.pos}
}
