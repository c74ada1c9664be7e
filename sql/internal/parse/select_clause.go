package parse

// newDraft begins the text of a query whose body is to be body.
func (p *parser) newDraft(body SelectBody) *draft {
	d := &draft{stmt: &SelectStmt{Body: body}}
	d.stmt.Pos = p.pos()
	p.put("SELECT ")
	p.putNote(d)
	p.put("(")
	return d
}

// selectClause transcribes SELECT … up to and with WINDOW.
func (p *parser) selectClause() *draft {
	c := &SelectClause{At: At{p.pos()}}
	d := p.newDraft(c)
	p.expect("select")
	if p.accept("distinct") {
		c.Distinct = true
		if p.accept("on") {
			p.expectKind('(')
			p.exprList()
			p.expectKind(')')
		}
	} else {
		p.accept("all")
	}
	p.put(")")
	if !p.endsTarget(0) || p.tok.kind == ',' || c.Distinct {
		c.Targets = p.targets(", ")
	}
	if p.is("into") {
		p.selectInto(d)
	}
	if p.accept("from") {
		p.put(" FROM ")
		p.tableList()
	}
	p.where()
	p.groupBy(c)
	if p.accept("having") {
		// TiDB takes HAVING only behind FROM.
		p.hole(d, &c.Having)
	}
	if p.is("window") {
		p.windows(d, c)
	}
	return d
}

// intoClause is INTO of a SELECT: the table to create, and the whole query once it is
// known. A statement has at most one.
type intoClause struct {
	table *CreateTableStmt
	query *SelectStmt
	pos   int
}

// selectInto reads INTO [TEMPORARY] [TABLE] name.
func (p *parser) selectInto(d *draft) {
	d.into = &intoClause{table: &CreateTableStmt{}, pos: p.pos()}
	if p.into != nil {
		p.failWith(d.into.pos, "SELECT ... INTO is not allowed here")
	}
	p.into = d.into
	p.expect("into")
	d.into.table.Persistence, _ = p.persistence()
	p.accept("table")
	d.into.table.Name = p.objectName()
}

// targets transcribes a SELECT list. lead goes in front of the first item.
func (p *parser) targets(lead string) []Target {
	var list []Target
	for {
		p.put(lead)
		lead = ", "
		t := Target{Pos: p.pos()}
		if p.acceptOp("*") {
			p.leaf(t.Pos, &ColumnRef{exprAt: at(t.Pos), Star: true})
		} else {
			outer := p.listDepth
			p.listDepth = p.depth + 1
			p.expr()
			p.listDepth = outer
			t.Name = p.targetName()
		}
		list = append(list, t)
		if !p.acceptKind(',') {
			return list
		}
	}
}

// targetName reads [AS] label; only some words may stand without AS.
func (p *parser) targetName() string {
	if p.accept("as") {
		return p.label()
	}
	if p.tok.kind == tokIdent && p.tok.bare {
		return p.anyName()
	}
	return ""
}

func (p *parser) groupBy(c *SelectClause) {
	if !p.is("group") {
		return
	}
	p.next()
	p.expect("by")
	if p.accept("distinct") {
		c.GroupDistinct = true
	} else {
		p.accept("all")
	}
	p.put(" GROUP BY ")
	p.groupItems()
}

func (p *parser) groupItems() (depth int) {
	for {
		depth = max(depth, p.groupItem().depth)
		if !p.acceptKind(',') {
			return depth
		}
		p.put(", ")
	}
}

// groupItem transcribes one item of GROUP BY.
func (p *parser) groupItem() operand {
	pos := p.pos()
	switch {
	case p.tok.kind == '(' && p.look(1).kind == ')':
		p.next()
		p.next()
		return p.leaf(pos, &GroupingExpr{exprAt: at(pos)})
	case p.is("rollup") && p.look(1).kind == '(':
		p.next()
		return p.groupingList(pos, GroupingRollup, p.exprList)
	case p.is("cube") && p.look(1).kind == '(':
		p.next()
		return p.groupingList(pos, GroupingCube, p.exprList)
	case p.ahead("grouping", "sets"):
		p.next()
		p.next()
		return p.groupingList(pos, GroupingSets, p.groupItems)
	}
	number := p.tok.kind == tokInt
	x := p.expr()
	if number {
		// TiDB takes the place of a bare number in GROUP BY away.
		x = p.wrap(x, x.pos, func(args []Expr) Expr { return args[0] })
	}
	return x
}

func (p *parser) groupingList(pos int, kind GroupingKind, list func() int) operand {
	st := p.here()
	p.expectKind('(')
	p.enter()
	depth := list()
	p.leave()
	p.expectKind(')')
	return p.buildCall(operand{st: st, depth: depth}, pos, func(args []Expr) Expr {
		return &GroupingExpr{at(pos), kind, args}
	})
}

// windows transcribes WINDOW name AS (…); their expressions ride in the tail.
func (p *parser) windows(d *draft, c *SelectClause) {
	p.expect("window")
	for {
		pos, name := p.pos(), p.colID()
		p.expect("as")
		var w *windowShape
		i := len(c.Windows)
		c.Windows = append(c.Windows, nil)
		p.tailItem(d, func(args []Expr) Expr {
			c.Windows[i] = w.build(args)
			return nil
		})
		w, _ = p.windowSpec(name)
		w.spec.Pos = pos
		p.put(")")
		if !p.acceptKind(',') {
			return
		}
	}
}

// values transcribes VALUES (…), (…): all values are arguments of one marker.
func (p *parser) values() *draft {
	v := &ValuesClause{At: At{p.pos()}}
	d := p.newDraft(v)
	p.expect("values")
	var widths []int
	for {
		p.expectKind('(')
		n, pos := 0, p.pos()
		for more := true; more; more = p.acceptKind(',') {
			if n > 0 || len(widths) > 0 {
				p.put(", ")
			}
			p.expr()
			n++
		}
		p.expectKind(')')
		if len(widths) > 0 && n != widths[0] {
			p.failWith(pos, "VALUES lists must all be the same length")
		}
		widths = append(widths, n)
		if !p.acceptKind(',') {
			break
		}
	}
	p.put(")")
	d.body = func(args []Expr) {
		v.Rows = make([][]Expr, len(widths))
		for i, n := range widths {
			v.Rows[i], args = args[:n:n], args[n:]
		}
	}
	return d
}

// tableQuery transcribes TABLE t, which is SELECT * FROM t.
func (p *parser) tableQuery() *draft {
	pos := p.pos()
	c := &SelectClause{At: At{pos}, Targets: []Target{{Pos: pos}}}
	d := p.newDraft(c)
	p.expect("table")
	p.put("), ")
	p.leaf(pos, &ColumnRef{exprAt: at(pos), Star: true})
	p.put(" FROM ")
	p.putNote(p.relation())
	return d
}

// with transcribes WITH ….
func (p *parser) with() *With {
	w := &With{Pos: p.pos()}
	p.expect("with")
	p.put("WITH ")
	w.Recursive = p.is("recursive") && isColID(p.look(1)) && p.accept("recursive")
	for {
		w.CTEs = append(w.CTEs, p.cte())
		if !p.acceptKind(',') {
			return w
		}
		p.put(", ")
	}
}

func (p *parser) cte() *CTE {
	c := &CTE{Pos: p.pos(), Name: p.colID()}
	c.Columns = p.optionalNames()
	p.putNote(c)
	p.put(" AS (")
	p.expect("as")
	switch {
	case p.accept("materialized"):
		c.Materialize = MaterializeAlways
	case p.acceptSeq("not", "materialized"):
		c.Materialize = MaterializeNever
	}
	p.expectKind('(')
	p.enter()
	if p.startsQuery() && !p.is("with") || p.tok.kind == '(' {
		c.Query = p.query().stmt
	} else {
		// What may change data is a unit of its own.
		c.Query = p.preparable()
		p.put("SELECT 1")
	}
	p.expectKind(')')
	p.leave()
	p.put(")")
	if p.is("search") || p.is("cycle") {
		p.unsupported(p.pos(), map[string]string{"search": "SEARCH clause", "cycle": "CYCLE clause"}[p.tok.kw])
	}
	return c
}
