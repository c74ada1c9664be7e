package parse

// startsQuery reports whether a word at the current token begins a query.
func (p *parser) startsQuery() bool {
	switch p.tok.kw {
	case "select", "values", "table", "with":
		return true
	}
	return false
}

// continuesQuery reports whether what follows a query in parentheses belongs to a
// greater query.
func (p *parser) continuesQuery() bool {
	switch p.tok.kw {
	case "union", "intersect", "except", "order", "limit", "offset", "fetch", "for":
		return true
	}
	return false
}

// draft is a query that is being written. Every SELECT in the text for TiDB begins
// with a marker that names its draft; decoding fills in the expressions of stmt. body
// gets the arguments of the marker; nil stands for a SelectClause, whose DISTINCT ON
// they are.
type draft struct {
	stmt  *SelectStmt
	body  func(args []Expr)
	depth int // of nested set operations
	into  *intoClause

	tail, order, limit, offset bool // written already
}

// query transcribes a query without parentheses around it (select_no_parens).
func (p *parser) query() *draft {
	var with *With
	if p.is("with") {
		with = p.with()
		p.put(" ")
	}
	st := p.here()
	return p.queryTail(with, p.setOps(st, p.simpleQuery(), 0))
}

// queryFrom goes on with a query whose first part was in parentheses.
func (p *parser) queryFrom(st int, first *draft) *draft {
	return p.queryTail(nil, p.setOps(st, first, 0))
}

// queryTail transcribes ORDER BY, LIMIT, OFFSET, FETCH and FOR.
func (p *parser) queryTail(with *With, d *draft) *draft {
	if with != nil {
		if d.stmt.With != nil {
			p.failWith(d.stmt.With.Pos, "multiple WITH clauses not allowed")
		}
		d.stmt.With = with
	}
	if p.is("order") {
		if d.order {
			p.failWith(p.pos(), "multiple ORDER BY clauses not allowed")
		}
		d.order = true
		p.orderTail(d)
	}
	p.limitTail(d)
	for p.is("for") {
		if p.acceptSeq("for", "read", "only") {
			continue
		}
		d.stmt.Locking = append(d.stmt.Locking, p.locking())
		p.limitTail(d)
	}
	return d
}

// tailItem begins one marker of a query's ORDER BY, which carries all of its tail.
func (p *parser) tailItem(d *draft, b builder) {
	if d.tail {
		p.put(", ")
	} else {
		p.put(" ORDER BY ")
	}
	d.tail = true
	p.putNote(b)
	p.put("(")
}

func (p *parser) orderTail(d *draft) {
	p.tailItem(d, func(args []Expr) Expr {
		fillOrder(d.stmt.OrderBy, args)
		return nil
	})
	d.stmt.OrderBy, _ = p.orderBy()
	p.put(")")
}

// orderBy transcribes ORDER BY items and writes their expressions with commas between.
func (p *parser) orderBy() (items []OrderItem, depth int) {
	p.expectSeq("order", "by")
	for {
		depth = max(depth, p.expr().depth)
		items = append(items, p.orderFlags())
		if !p.acceptKind(',') {
			return items, depth
		}
		p.put(", ")
	}
}

// orderFlags reads what may follow the expression of an ORDER BY item.
func (p *parser) orderFlags() OrderItem {
	item := OrderItem{}
	switch {
	case p.accept("using"):
		item.UsingPos = p.pos()
		if p.is("operator") {
			_, item.Using = p.operatorName()
		} else if p.tok.kind == tokOp {
			item.Using = p.anyName()
		} else {
			p.fail()
		}
	case p.accept("desc"):
		item.Desc = true
	default:
		p.accept("asc")
	}
	if p.is("nulls") && (p.lookIs(1, "first") || p.lookIs(1, "last")) {
		p.next()
		item.Nulls = NullsLast
		if p.is("first") {
			item.Nulls = NullsFirst
		}
		p.next()
	}
	return item
}

// limitTail transcribes LIMIT and OFFSET in any order, and FETCH FIRST.
func (p *parser) limitTail(d *draft) {
	for {
		switch pos := p.pos(); {
		case p.is("limit"), p.is("fetch"):
			if d.limit {
				p.failWith(pos, "multiple LIMIT clauses not allowed")
			}
			d.limit = true
			if p.accept("limit") {
				p.limit(d, pos)
			} else {
				p.fetch(d)
			}
		case p.accept("offset"):
			if d.offset {
				p.failWith(pos, "multiple OFFSET clauses not allowed")
			}
			d.offset = true
			p.hole(d, &d.stmt.Offset)
			if !p.accept("row") {
				p.accept("rows")
			}
		default:
			return
		}
	}
}

// hole transcribes an expression of the tail that fills dst.
func (p *parser) hole(d *draft, dst *Expr) {
	p.tailItem(d, func(args []Expr) Expr {
		*dst = args[0]
		return nil
	})
	p.expr()
	p.put(")")
}

func (p *parser) limit(d *draft, pos int) {
	if p.accept("all") {
		return
	}
	p.hole(d, &d.stmt.Limit)
	if p.acceptKind(',') {
		p.newUnit(func() { p.expr() }, nil)
		panic(bail{
			syntaxError(p.lex.text, pos, "LIMIT #,# syntax is not supported").
				WithHint("Use separate LIMIT and OFFSET clauses."),
		})
	}
}

// fetch transcribes FETCH FIRST [n] ROWS ONLY or WITH TIES.
func (p *parser) fetch(d *draft) {
	p.expect("fetch")
	if !p.accept("first") {
		p.expect("next")
	}
	pos := p.pos()
	if next := p.look(1).kw; (p.is("row") || p.is("rows")) && next != "row" && next != "rows" {
		p.next()
		one := &Literal{exprAt: at(pos), Kind: IntLiteral, Int: 1, Text: "1"}
		p.tailItem(d, func([]Expr) Expr {
			d.stmt.Limit = one
			return nil
		})
		p.put(")")
	} else {
		p.tailItem(d, func(args []Expr) Expr {
			d.stmt.Limit = args[0]
			return nil
		})
		// PostgreSQL takes a signed number or a c_expr here.
		if p.tok.isOp("+") || p.tok.isOp("-") {
			p.sign(p.tok.str, true)
		} else {
			p.primary()
		}
		p.put(")")
		if !p.accept("row") {
			p.expect("rows")
		}
	}
	if p.accept("only") {
		return
	}
	p.expectSeq("with", "ties")
	d.stmt.WithTies = true
}

func (p *parser) locking() Locking {
	l := Locking{Pos: p.pos()}
	p.expect("for")
	switch {
	case p.accept("update"):
		l.Strength = ForUpdate
	case p.acceptSeq("no", "key", "update"):
		l.Strength = ForNoKeyUpdate
	case p.accept("share"):
		l.Strength = ForShare
	case p.acceptSeq("key", "share"):
		l.Strength = ForKeyShare
	default:
		p.fail()
	}
	if p.accept("of") {
		l.Tables = p.objectNames()
	}
	switch {
	case p.accept("nowait"):
		l.Wait = LockNoWait
	case p.acceptSeq("skip", "locked"):
		l.Wait = LockSkip
	}
	return l
}

// setOps transcribes the set operations after s, which was written since st and
// binds at least as tightly as least.
func (p *parser) setOps(st int, left *draft, least int) *draft {
	for {
		op, level := Union, 1
		switch p.tok.kw {
		case "union":
		case "except":
			op = Except
		case "intersect":
			op, level = Intersect, 2
		default:
			return left
		}
		if level <= least {
			return left
		}
		pos := p.pos()
		p.next()
		all := p.accept("all")
		if !all {
			p.accept("distinct")
		}
		left = p.setOp(st, left, &SetOp{At: At{pos}, Op: op, All: all}, level)
	}
}

// setOp makes the query written since st and the one that follows the arguments of a
// marker: SELECT "marker"((SELECT …), (SELECT …)).
func (p *parser) setOp(st int, left *draft, body *SetOp, level int) *draft {
	d := &draft{stmt: &SelectStmt{Body: body}, body: func([]Expr) {}}
	d.stmt.Pos = left.stmt.Pos
	p.open(st, "(", left.stmt.Pos)
	p.u.opens = append(p.u.opens,
		opening{at: st, note: p.note(d), text: "(", src: -1}, opening{at: st, note: -1, text: "SELECT ", src: -1})
	p.put("), ")
	p.mark(body.Pos)
	p.put("(")
	p.enter()
	rst := p.here()
	right := p.setOps(rst, p.simpleQuery(), level)
	if right.into != nil {
		p.failWith(right.into.table.Name.Pos, "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT")
	}
	d.into = left.into
	p.leave()
	p.put("))")
	body.Left, body.Right = left.stmt, right.stmt
	d.depth = max(left.depth, right.depth) + 1
	if d.depth > maxDepth {
		p.tooDeep()
	}
	return d
}

// simpleQuery transcribes SELECT, VALUES, TABLE or a query in parentheses.
func (p *parser) simpleQuery() *draft {
	switch {
	case p.tok.kind == '(':
		return p.parenQuery()
	case p.is("select"):
		return p.selectClause()
	case p.is("values"):
		return p.values()
	case p.is("table"):
		return p.tableQuery()
	}
	p.fail()
	return nil
}
