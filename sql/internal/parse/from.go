package parse

// tableList transcribes the items of FROM.
func (p *parser) tableList() {
	for {
		p.tableExpr()
		if !p.acceptKind(',') {
			return
		}
		p.put(", ")
	}
}

// tableItem is what a FROM item was written as. A query in parentheses that has no
// alias yet is not an item, but may become one, or a part of a greater query.
type tableItem struct {
	st    int
	query *draft    // without its parentheses and alias
	join  *JoinExpr // a join, which alone may stand in parentheses
	pos   int
}

// tableExpr transcribes a FROM item with its joins.
func (p *parser) tableExpr() { p.joins(p.tableItem()) }

// tableItem transcribes a FROM item without joins. A bare query gets its alias.
func (p *parser) tableItem() tableItem {
	if p.tok.kind != '(' {
		return p.simpleTable()
	}
	t := p.parenTable()
	if t.query != nil {
		p.subqueryTable(t, false)
	}
	return t
}

// parenTable transcribes '(' … ')': a query, or a join, or either in more of them.
func (p *parser) parenTable() tableItem {
	t := tableItem{st: p.here(), pos: p.pos()}
	p.expectKind('(')
	p.enter()
	defer p.leave()
	if p.startsQuery() {
		t.query = p.query()
		p.expectKind(')')
		return t
	}
	var item tableItem
	if p.tok.kind != '(' {
		item = p.simpleTable()
	} else {
		item = p.parenTable()
		if item.query != nil {
			if p.continuesQuery() {
				item.query = p.queryFrom(item.st, item.query)
			}
			if p.acceptKind(')') {
				// (((SELECT …))) is still a bare query.
				t.query = item.query
				return t
			}
			p.subqueryTable(item, false)
		}
	}
	item = p.joins(item)
	if item.join == nil {
		p.fail()
	}
	p.expectKind(')')
	t.join = item.join
	if a := p.alias(false); a.Name != "" {
		t.join.Alias = a
		t.join = nil
	}
	return t
}

// simpleTable transcribes a table, a function or LATERAL ….
func (p *parser) simpleTable() tableItem {
	t := tableItem{st: p.here(), pos: p.pos()}
	lateral := p.accept("lateral")
	switch {
	case lateral && p.tok.kind == '(':
		t.pos = p.pos()
		t.query = p.parenQuery()
		p.subqueryTable(t, true)
	case p.rowsFromAhead(), lateral, p.functionAhead():
		p.tableFunction(t, lateral)
	default:
		p.notFunction()
		ref := p.relation()
		p.indexHint(ref)
		ref.Alias = p.alias(false)
		if p.is("tablesample") {
			p.unsupported(p.pos(), "TABLESAMPLE")
		}
		p.putNote(ref)
	}
	return t
}

// notFunction fails behind a word that can only name a function, but calls none.
func (p *parser) notFunction() {
	if p.tok.kind == tokIdent && p.tok.cat == typeFunc {
		p.next()
		p.fail()
	}
}

// relation reads [ONLY] name [*].
func (p *parser) relation() *TableRef {
	ref := &TableRef{At: At{p.pos()}}
	if p.accept("only") {
		ref.Only = true
		if p.acceptKind('(') {
			ref.Name = p.objectName()
			p.expectKind(')')
			return ref
		}
	}
	ref.Name = p.objectName()
	ref.Pos = ref.Name.Pos
	if !ref.Only {
		p.acceptOp("*")
	}
	return ref
}

// indexHint reads CockroachDB's t@index.
func (p *parser) indexHint(ref *TableRef) {
	if p.tok.isOp("@") && isColID(p.look(1)) {
		p.next()
		ref.Index = p.colID()
	}
}

// functionAhead reports whether a FROM item is a function call.
func (p *parser) functionAhead() bool {
	if p.tok.kind != tokIdent {
		return false
	}
	n := 0
	for p.look(n+1).kind == '.' && p.look(n+2).kind == tokIdent {
		n += 2
	}
	if p.look(n+1).kind == '(' {
		return true
	}
	switch p.tok.kw {
	case "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_role",
		"current_user", "session_user", "user", "current_catalog", "current_schema", "cast", "collation":
		return n == 0
	}
	return false
}

func (p *parser) rowsFromAhead() bool {
	return p.is("rows") && p.lookIs(1, "from") && p.look(2).kind == '('
}

// tableFunction transcribes f(…) [WITH ORDINALITY] [AS alias] as (SELECT f(…)), and ROWS FROM (f(…), g(…)) as (SELECT f(…), g(…)).
func (p *parser) tableFunction(t tableItem, lateral bool) {
	f := &FuncTable{At: At{t.pos}, Lateral: lateral}
	p.put("(SELECT ")
	if p.rowsFromAhead() {
		p.rowsFrom(f)
	} else {
		p.oneTableFunction()
	}
	p.put(") AS ")
	if p.is("with") && p.lookIs(1, "ordinality") {
		p.next()
		p.next()
		f.Ordinality = true
	}
	p.funcAlias(f)
	p.checkRows(f)
	p.putNote(f)
}

// rowsFrom transcribes ROWS FROM (…). With one function that has no column definitions it is that function.
func (p *parser) rowsFrom(f *FuncTable) {
	p.next()
	p.next()
	p.expectKind('(')
	for more := true; more; more = p.acceptKind(',') {
		if f.Rows != nil {
			p.put(", ")
		}
		p.oneTableFunction()
		item := RowsItem{}
		if p.accept("as") {
			item.Columns = p.columnTypes()
		}
		f.Rows = append(f.Rows, item)
	}
	p.expectKind(')')
	if len(f.Rows) == 1 && f.Rows[0].Columns == nil {
		f.Rows = nil
	}
}

// checkRows refuses column definitions behind functions that may have their own.
func (p *parser) checkRows(f *FuncTable) {
	switch {
	case f.Rows == nil || f.Columns == nil:
	case len(f.Rows) == 1:
		panic(bail{syntaxError(p.lex.text, f.Columns[0].Pos, "multiple column definition lists are not allowed for the same function")})
	default:
		panic(bail{syntaxError(p.lex.text, f.Columns[0].Pos, "ROWS FROM() with multiple functions cannot have a column definition list").
			WithHint("Put a separate column definition list for each function inside ROWS FROM().")})
	}
}

// oneTableFunction transcribes a call in FROM.
func (p *parser) oneTableFunction() {
	if p.is("xmltable") {
		p.unsupported(p.pos(), "XMLTABLE")
	}
	if _, ok := p.specialTable(); ok {
		return
	}
	p.windowless = true
	x := p.nameOperand()
	if p.u.buf[len(p.u.buf)-1] != ')' || x.kind != plainOperand {
		p.fail()
	}
}

// specialTable transcribes a function of SQL's own syntax in FROM.
func (p *parser) specialTable() (operand, bool) {
	if p.tok.kw == "" {
		return operand{}, false
	}
	return p.specialCall()
}

// funcAlias reads a function's alias, which may have column definitions.
func (p *parser) funcAlias(f *FuncTable) {
	as := p.is("as")
	if as && p.look(1).kind == '(' {
		p.next()
		f.Alias.Pos = p.pos()
		f.Columns = p.columnTypes()
		return
	}
	if !as && !isColID(&p.tok) {
		return
	}
	p.accept("as")
	f.Alias = Alias{Pos: p.pos(), Name: p.colID()}
	if p.tok.kind != '(' {
		return
	}
	// (a int, …) or (a, …)
	if k := p.look(2).kind; k == ',' || k == ')' {
		f.Alias.Columns = p.parenNames()
		return
	}
	f.Columns = p.columnTypes()
}

// columnTypes reads (name type [COLLATE c], …).
func (p *parser) columnTypes() []*ColumnDef {
	p.expectKind('(')
	var list []*ColumnDef
	for more := true; more; more = p.acceptKind(',') {
		c := &ColumnDef{Pos: p.pos(), Name: p.colID()}
		c.Type = p.typeName()
		if p.accept("collate") {
			name := p.objectName()
			c.Collation = &name
		}
		list = append(list, c)
	}
	p.expectKind(')')
	return list
}

// alias reads [AS] name [(columns)]; with must it has to be there.
func (p *parser) alias(must bool) Alias {
	if p.is("as") && p.lookIs(1, "of") && p.lookIs(2, "system") {
		p.unsupported(p.pos(), "AS OF SYSTEM TIME")
	}
	if !p.accept("as") && !isColID(&p.tok) {
		if must {
			p.fail()
		}
		return Alias{}
	}
	a := Alias{Pos: p.pos(), Name: p.colID()}
	a.Columns = p.optionalNames()
	return a
}

// subqueryTable closes a query in FROM and reads its alias.
func (p *parser) subqueryTable(t tableItem, lateral bool) {
	s := &SubqueryTable{At: At{t.pos}, Query: t.query.stmt, Lateral: lateral}
	p.open(t.st, "(", -1)
	if !p.is("as") && !isColID(&p.tok) {
		what := "subquery in FROM must have an alias"
		example := "For example, FROM (SELECT ...) [AS] foo."
		if _, ok := t.query.stmt.Body.(*ValuesClause); ok {
			what, example = "VALUES in FROM must have an alias", "For example, FROM (VALUES ...) [AS] foo."
		}
		panic(bail{syntaxError(p.lex.text, t.pos, what).WithHint("%s", example)})
	}
	s.Alias = p.alias(true)
	p.put(") AS ")
	p.putNote(s)
}

// joins transcribes the joins after an item.
func (p *parser) joins(t tableItem) tableItem {
	for depth := 0; p.joinAhead(); depth++ {
		if depth > maxDepth {
			p.tooDeep()
		}
		t.join = p.join(t)
	}
	return t
}

func (p *parser) joinAhead() bool {
	switch p.tok.kw {
	case "join", "cross", "natural", "inner", "left", "right", "full":
		return true
	}
	return false
}

// join transcribes one join as ("left" LEFT JOIN right ON "marker"(condition)).
func (p *parser) join(t tableItem) *JoinExpr {
	j := &JoinExpr{At: At{p.pos()}}
	j.Natural = p.accept("natural")
	switch {
	case !j.Natural && p.accept("cross"):
		j.Kind = CrossJoin
	case p.accept("inner"):
	case p.is("left"), p.is("right"), p.is("full"):
		j.Kind = map[string]JoinKind{"left": LeftJoin, "right": RightJoin, "full": FullJoin}[p.tok.kw]
		p.next()
		p.accept("outer")
	}
	p.expect("join")
	p.open(t.st, "(", -1)
	p.put(" LEFT JOIN ")
	right := p.tableItem()
	qualified := j.Kind != CrossJoin && !j.Natural
	if qualified && !p.is("on") && !p.is("using") {
		// a JOIN b JOIN c ON … ON …: the inner join comes first.
		if !p.joinAhead() {
			p.fail()
		}
		p.enter()
		for p.joinAhead() {
			p.join(right)
		}
		p.leave()
	}
	p.put(" ON ")
	p.putNote(j)
	p.put("(")
	if qualified {
		p.joinCondition(j)
	}
	p.put("))")
	return j
}

func (p *parser) joinCondition(j *JoinExpr) {
	if p.accept("on") {
		p.expr()
		return
	}
	p.expect("using")
	j.Using = p.parenNames()
	if p.accept("as") {
		j.UsingAlias = p.colID()
	}
}
