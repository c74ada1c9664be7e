package parse

// indexItems transcribes (key, …) of an index or of ON CONFLICT.
func (p *parser) indexItems() []IndexItem {
	p.expectKind('(')
	var items []IndexItem
	p.exprUnit(func() {
		for more := true; more; more = p.acceptKind(',') {
			if len(items) > 0 {
				p.put(", ")
			}
			items = append(items, p.indexItem())
		}
	}, func(args []Expr) Expr {
		for i := range items {
			items[i].Expr = args[i]
		}
		return nil
	})
	p.expectKind(')')
	return items
}

// indexItem transcribes one key: a column, a function call, or an expression in
// parentheses.
func (p *parser) indexItem() IndexItem {
	item := IndexItem{Pos: p.pos()}
	switch {
	case p.tok.kind == '(':
		p.next()
		p.expr()
		p.expectKind(')')
	case p.functionAhead():
		if _, ok := p.specialTable(); !ok {
			p.nameOperand()
		}
	default:
		p.notFunction()
		pos := p.pos()
		p.column([]string{p.colID()}, pos)
	}
	if p.accept("collate") {
		name := p.objectName()
		item.Collation = &name
	}
	if isColID(&p.tok) && !p.ahead("nulls", "first") && !p.ahead("nulls", "last") {
		item.Opclass, item.OpclassSet = p.objectName(), true
		if p.tok.kind == '(' {
			p.unsupported(p.pos(), "parameters of an operator class")
		}
	}
	if p.is("using") {
		p.fail()
	}
	item.OrderItem = p.orderFlags()
	return item
}

// createIndex reads CREATE [UNIQUE] INDEX from the word UNIQUE or INDEX on.
func (p *parser) createIndex(at stmtAt) Stmt {
	s := &CreateIndexStmt{stmtAt: at}
	s.Unique = p.accept("unique")
	if p.isWord("inverted") {
		p.unsupported(p.pos(), "INVERTED INDEX")
	}
	p.expect("index")
	s.Concurrently = p.accept("concurrently")
	s.IfNotExists = p.ifNotExists()
	if s.IfNotExists || !p.is("on") {
		s.Name = p.colID()
	}
	p.expect("on")
	s.Table = p.relation()
	if p.accept("using") {
		s.Method = p.colID()
	}
	s.Items = p.indexItems()
	p.indexOptions(s)
	return s
}

// includeNames reads the list of INCLUDE, where PostgreSQL's grammar takes whole keys.
func (p *parser) includeNames() []string {
	p.expectKind('(')
	var list []string
	for more := true; more; more = p.acceptKind(',') {
		if !isColID(&p.tok) || p.look(1).kind != ',' && p.look(1).kind != ')' {
			pos := p.pos()
			p.newUnit(func() { p.indexItem() }, nil)
			p.unsupported(pos, "expressions in included columns")
		}
		list = append(list, p.colID())
	}
	p.expectKind(')')
	return list
}

// indexOptions reads what stands behind an index's keys, PostgreSQL's words in
// PostgreSQL's order; STORING and COVERING are INCLUDE.
func (p *parser) indexOptions(s *CreateIndexStmt) {
	s.Storing = p.isWord("storing") || p.isWord("covering")
	if s.Storing || p.is("include") {
		p.next()
		s.Include = p.includeNames()
	}
	if p.is("using") && p.lookWord(1, "hash") {
		p.unsupported(p.pos(), "hash-sharded index")
	}
	s.NullsNotDistinct = p.nullsDistinct()
	if p.accept("with") {
		s.With = p.definition()
	}
	if p.accept("tablespace") {
		s.Tablespace = p.colID()
	}
	if p.accept("where") {
		start := p.i
		p.exprInto(&s.Where, p.expr)
		s.WhereText = p.source(start)
	}
}
