package parse

func (p *printer) with(w *With) {
	if w == nil {
		return
	}
	p.put("WITH ")
	p.when(w.Recursive, "RECURSIVE ")
	for i, c := range w.CTEs {
		p.when(i > 0, ", ")
		p.name(c.Name)
		p.nameList(c.Columns)
		p.put(" AS ", []string{"", "MATERIALIZED ", "NOT MATERIALIZED "}[c.Materialize], "(", Print(c.Query), ")")
	}
	p.put(" ")
}

func (p *printer) query(s *SelectStmt) {
	p.with(s.With)
	switch b := s.Body.(type) {
	case *SelectClause:
		p.selectClause(b)
	case *ValuesClause:
		p.put("VALUES ")
		for i, row := range b.Rows {
			p.when(i > 0, ", ")
			p.list("(", row)
		}
	case *SetOp:
		p.subquery("", b.Left)
		p.put([]string{" UNION ", " INTERSECT ", " EXCEPT "}[b.Op])
		p.when(b.All, "ALL ")
		p.subquery("", b.Right)
	}
	p.orderBy(s.OrderBy)
	if s.Offset != nil {
		p.put(" OFFSET ")
		p.expr(s.Offset)
	}
	switch {
	case s.WithTies:
		p.put(" FETCH FIRST (")
		p.expr(s.Limit)
		p.put(") ROWS WITH TIES")
	case s.Limit != nil:
		p.put(" LIMIT ")
		p.expr(s.Limit)
	}
	for _, l := range s.Locking {
		p.put(" FOR ", []string{"KEY SHARE", "SHARE", "NO KEY UPDATE", "UPDATE"}[l.Strength])
		for i, t := range l.Tables {
			p.put(not(i > 0, " OF ", ", "))
			p.object(t)
		}
		p.put([]string{"", " SKIP LOCKED", " NOWAIT"}[l.Wait])
	}
}

func (p *printer) selectClause(c *SelectClause) {
	p.put("SELECT ")
	p.when(c.Distinct, "DISTINCT ")
	if len(c.DistinctOn) > 0 {
		p.list("ON (", c.DistinctOn)
		p.put(" ")
	}
	p.targets(c.Targets)
	p.from(" FROM ", c.From)
	p.clause(" WHERE ", c.Where)
	if len(c.GroupBy) > 0 {
		p.put(" GROUP BY ")
		p.when(c.GroupDistinct, "DISTINCT ")
		p.exprs(c.GroupBy)
	}
	p.clause(" HAVING ", c.Having)
	for i, w := range c.Windows {
		p.put(not(i > 0, " WINDOW ", ", "))
		p.name(w.Name)
		p.put(" AS ")
		p.window(w)
	}
}

// clause writes a word and an expression, if there is one.
func (p *printer) clause(word string, e Expr) {
	if e != nil {
		p.put(word)
		p.expr(e)
	}
}

func (p *printer) targets(list []Target) {
	for i, t := range list {
		p.when(i > 0, ", ")
		p.expr(t.Expr)
		if t.Name != "" {
			p.put(" AS ")
			p.name(t.Name)
		}
	}
}

func (p *printer) from(word string, list []TableExpr) {
	for i, t := range list {
		p.put(not(i > 0, word, ", "))
		p.table(t)
	}
}

func (p *printer) alias(a Alias) {
	if a.Name != "" {
		p.put(" AS ")
		p.name(a.Name)
		p.nameList(a.Columns)
	}
}

func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		p.relation(t)
	case *SubqueryTable:
		p.when(t.Lateral, "LATERAL ")
		p.subquery("", t.Query)
		p.alias(t.Alias)
	case *FuncTable:
		p.when(t.Lateral, "LATERAL ")
		p.tableFunc(t)
	case *JoinExpr:
		p.join(t)
	}
}

func (p *printer) relation(t *TableRef) {
	p.when(t.Only, "ONLY ")
	p.object(t.Name)
	if t.Index != "" {
		p.put("@")
		p.name(t.Index)
	}
	p.alias(t.Alias)
}

func (p *printer) tableFunc(t *FuncTable) {
	for i, r := range t.Rows {
		p.put(not(i > 0, "ROWS FROM (", ", "))
		p.function(r.Func)
		if r.Columns != nil {
			p.put(" AS ")
			p.columnTypes(r.Columns)
		}
	}
	if t.Rows == nil {
		p.function(t.Func)
	} else {
		p.put(")")
	}
	p.when(t.Ordinality, " WITH ORDINALITY")
	if t.Columns == nil {
		p.alias(t.Alias)
		return
	}
	p.put(" AS ")
	if t.Alias.Name != "" {
		p.name(t.Alias.Name)
	}
	p.columnTypes(t.Columns)
}

// function prints a call in FROM.
func (p *printer) function(x Expr) {
	c, ok := x.(*CastExpr)
	if !ok {
		p.expr(x)
		return
	}
	// x::type is no function in FROM, CAST (x AS type) is.
	p.put("CAST(")
	p.expr(c.X)
	p.put(" AS ")
	p.typeName(c.Type)
	p.put(")")
}

func (p *printer) columnTypes(list []*ColumnDef) {
	for i, c := range list {
		p.put(not(i > 0, "(", ", "))
		p.name(c.Name)
		p.put(" ")
		p.typeName(c.Type)
		if c.Collation != nil {
			p.put(" COLLATE ")
			p.object(*c.Collation)
		}
	}
	p.put(")")
}

func (p *printer) join(j *JoinExpr) {
	p.put("(")
	p.table(j.Left)
	p.when(j.Natural, " NATURAL")
	p.put([]string{" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " CROSS JOIN "}[j.Kind])
	p.table(j.Right)
	p.clause(" ON ", j.On)
	if len(j.Using) > 0 {
		p.put(" USING ")
		p.nameList(j.Using)
		if j.UsingAlias != "" {
			p.put(" AS ")
			p.name(j.UsingAlias)
		}
	}
	p.put(")")
	p.alias(j.Alias)
}

func (p *printer) columnTargets(list []ColumnTarget) {
	for i, c := range list {
		p.when(i > 0, ", ")
		p.name(c.Name)
		for _, step := range c.Path {
			switch step := step.(type) {
			case *SubscriptExpr:
				p.subscripts(step)
			case *FieldExpr:
				p.put(".")
				p.name(step.Field)
			}
		}
	}
}

func (p *printer) insert(s *InsertStmt) {
	p.with(s.With)
	p.put("INSERT INTO ")
	p.relation(s.Table)
	if s.Columns != nil {
		p.put(" (")
		p.columnTargets(s.Columns)
		p.put(")")
	}
	p.put([]string{"", " OVERRIDING SYSTEM VALUE", " OVERRIDING USER VALUE"}[s.Overriding])
	if s.Query == nil {
		p.put(" DEFAULT VALUES")
	} else {
		p.put(" ")
		p.query(s.Query)
	}
	if c := s.OnConflict; c != nil {
		p.onConflict(c)
	}
	p.returning(s.Returning)
}

func (p *printer) onConflict(c *OnConflict) {
	p.put(" ON CONFLICT")
	if c.Constraint != "" {
		p.put(" ON CONSTRAINT ")
		p.name(c.Constraint)
	}
	for i, item := range c.Items {
		p.put(not(i > 0, " (", ", "))
		p.indexItem(&item)
	}
	p.when(len(c.Items) > 0, ")")
	p.clause(" WHERE ", c.IndexWhere)
	if !c.DoUpdate {
		p.put(" DO NOTHING")
		return
	}
	p.put(" DO UPDATE SET ")
	p.assignments(c.Set)
	p.clause(" WHERE ", c.Where)
}

func (p *printer) indexItem(item *IndexItem) {
	if _, ok := item.Expr.(*ColumnRef); ok {
		p.expr(item.Expr)
	} else {
		p.list("(", []Expr{item.Expr})
	}
	if item.Collation != nil {
		p.put(" COLLATE ")
		p.object(*item.Collation)
	}
	if item.OpclassSet {
		p.put(" ")
		p.object(item.Opclass)
	}
	p.when(item.Desc, " DESC")
	p.put([]string{"", " NULLS FIRST", " NULLS LAST"}[item.Nulls])
}

func (p *printer) assignments(list []Assignment) {
	for i, a := range list {
		p.when(i > 0, ", ")
		p.when(a.Multi, "(")
		p.columnTargets(a.Targets)
		p.when(a.Multi, ")")
		p.put(" = ")
		p.expr(a.Value)
	}
}

func (p *printer) returning(list []Target) {
	if len(list) > 0 {
		p.put(" RETURNING ")
		p.targets(list)
	}
}

func (p *printer) update(s *UpdateStmt) {
	p.with(s.With)
	p.put("UPDATE ")
	p.relation(s.Table)
	p.put(" SET ")
	p.assignments(s.Set)
	p.from(" FROM ", s.From)
	p.clause(" WHERE ", s.Where)
	p.returning(s.Returning)
}

func (p *printer) delete(s *DeleteStmt) {
	p.with(s.With)
	p.put("DELETE FROM ")
	p.relation(s.Table)
	p.from(" USING ", s.Using)
	p.clause(" WHERE ", s.Where)
	p.returning(s.Returning)
}
