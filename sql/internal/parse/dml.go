package parse

import "github.com/pingcap/tidb/pkg/parser/ast"

// preparable transcribes SELECT, INSERT, UPDATE, DELETE and the like with their WITH,
// as units of their own.
func (p *parser) preparable() Stmt {
	if !p.is("with") {
		return p.preparableAfter(nil)
	}
	var with *With
	var stmt Stmt
	pos := p.pos()
	p.newUnit(func() {
		with = p.with()
		p.put(" ")
		st := p.here()
		if p.startsQuery() || p.tok.kind == '(' {
			d := p.queryTail(with, p.setOps(st, p.simpleQuery(), 0))
			d.stmt.Pos = pos
			if d.into != nil {
				d.into.query = d.stmt
			}
			stmt = d.stmt
		} else {
			p.put("SELECT 1")
		}
	}, func(d *decoder, n ast.StmtNode) {
		if q, ok := stmt.(*SelectStmt); ok && q.With == with {
			d.query(n)
		} else {
			d.withUnit(with, n)
		}
	})
	if stmt == nil {
		stmt = p.preparableAfter(with)
	}
	return stmt
}

// preparableAfter transcribes what follows a WITH clause, which may be nil.
func (p *parser) preparableAfter(with *With) Stmt {
	switch p.tok.kw {
	case "insert":
		return p.insert(with)
	case "update":
		return p.update(with)
	case "delete":
		return p.delete(with)
	case "merge":
		p.unsupported(p.pos(), "MERGE")
	}
	if with != nil {
		p.fail()
	}
	return p.queryUnit()
}

// queryUnit transcribes a query as a unit of its own.
func (p *parser) queryUnit() *SelectStmt {
	if !p.startsQuery() && p.tok.kind != '(' {
		p.fail()
	}
	var q *draft
	pos := p.pos()
	p.newUnit(func() { q = p.query() }, func(d *decoder, n ast.StmtNode) { d.query(n) })
	q.stmt.Pos = pos
	if q.into != nil {
		q.into.query = q.stmt
	}
	return q.stmt
}

// exprUnit transcribes what write writes, expressions with commas between, as SELECT
// "marker"(…), and gives them to b.
func (p *parser) exprUnit(write func(), b builder) {
	p.newUnit(func() {
		p.put("SELECT ")
		p.putNote(b)
		p.put("(")
		write()
		p.put(")")
	}, func(d *decoder, n ast.StmtNode) {
		sel, ok := n.(*ast.SelectStmt)
		if !ok || len(sel.Fields.Fields) != 1 {
			bug("a %T where expressions were written", n)
		}
		d.fill(sel.Fields.Fields[0].Expr)
	})
}

// exprInto transcribes one expression that fills dst.
func (p *parser) exprInto(dst *Expr, read func() operand) {
	p.exprUnit(func() { read() }, func(args []Expr) Expr {
		*dst = args[0]
		return nil
	})
}

// returning transcribes RETURNING list.
func (p *parser) returning(dst *[]Target) {
	if !p.accept("returning") {
		return
	}
	p.exprUnit(func() {
		start := p.here()
		*dst = p.targets(", ")
		// The first item has no comma in front of it.
		copy(p.u.buf[start:], "  ")
	}, func(args []Expr) Expr {
		for i := range *dst {
			(*dst)[i].Expr = args[i]
		}
		return nil
	})
}

// insert transcribes INSERT. Its text for TiDB is INSERT INTO "marker" (SELECT …).
func (p *parser) insert(with *With) Stmt {
	s := &InsertStmt{stmtAt: p.stmtHere(), With: with}
	p.expectSeq("insert", "into")
	s.Table = &TableRef{At: At{p.pos()}, Name: p.objectName()}
	if p.accept("as") {
		s.Table.Alias = Alias{Pos: p.pos(), Name: p.colID()}
	}
	if p.tok.kind == '(' && !p.queryInParens() {
		s.Columns = p.insertColumns()
	}
	if p.accept("overriding") {
		switch {
		case p.accept("system"):
			s.Overriding = OverridingSystem
		case p.accept("user"):
			s.Overriding = OverridingUser
		default:
			p.fail()
		}
		p.expect("value")
	}
	if s.Columns == nil && s.Overriding == OverridingNone && p.acceptSeq("default", "values") {
		p.onConflict(s)
		p.returning(&s.Returning)
		return s
	}
	if !p.startsQuery() && p.tok.kind != '(' {
		p.fail()
	}
	p.newUnit(func() {
		p.put("INSERT INTO ")
		p.putNote(s)
		p.put(" (")
		s.Query = p.query().stmt
		p.put(")")
	}, func(d *decoder, n ast.StmtNode) {
		ins, ok := n.(*ast.InsertStmt)
		if !ok || ins.Select == nil {
			bug("a %T where INSERT was written", n)
		}
		d.query(ins.Select)
	})
	p.onConflict(s)
	p.returning(&s.Returning)
	return s
}

// queryInParens reports whether '(' begins a query and not a list of columns.
func (p *parser) queryInParens() bool {
	n := 0
	for p.look(n).kind == '(' {
		n++
	}
	switch p.look(n).kw {
	case "select", "values", "table", "with":
		// VALUES may name a column.
		return p.look(n).kw != "values" || p.look(n+1).kind == '('
	}
	return n > 1
}

func (p *parser) insertColumns() []ColumnTarget {
	p.expectKind('(')
	list := p.columnTargets(true)
	p.expectKind(')')
	return list
}

// columnTargets reads the columns that are written, with their fields and subscripts;
// without many it is one.
func (p *parser) columnTargets(many bool) []ColumnTarget {
	var list []ColumnTarget
	for more := true; more; more = many && p.acceptKind(',') {
		i := len(list)
		list = append(list, ColumnTarget{Pos: p.pos(), Name: p.colID()})
		if p.tok.kind != '.' && p.tok.kind != '[' {
			continue
		}
		root := &ColumnRef{exprAt: at(list[i].Pos), Parts: []string{list[i].Name}}
		p.exprUnit(func() { p.indirection(p.leaf(root.Pos, root)) }, func(args []Expr) Expr {
			list[i].Path = pathOf(args[0])
			return nil
		})
	}
	return list
}

// pathOf takes the steps of c[1].f apart: each loses the expression it applies to.
func pathOf(e Expr) []Expr {
	switch e := e.(type) {
	case *SubscriptExpr:
		path := pathOf(e.X)
		e.X = nil
		return append(path, e)
	case *FieldExpr:
		path := pathOf(e.X)
		e.X = nil
		return append(path, e)
	}
	return nil
}

// onConflict transcribes ON CONFLICT ….
func (p *parser) onConflict(s *InsertStmt) {
	pos := p.pos()
	if !p.is("on") {
		return
	}
	p.next()
	p.expect("conflict")
	c := &OnConflict{Pos: pos}
	s.OnConflict = c
	switch {
	case p.tok.kind == '(':
		c.Items = p.indexItems()
		if p.accept("where") {
			p.exprInto(&c.IndexWhere, p.expr)
		}
	case p.acceptSeq("on", "constraint"):
		c.Constraint = p.colID()
	}
	p.expect("do")
	if p.accept("nothing") {
		return
	}
	p.expectSeq("update", "set")
	c.DoUpdate = true
	p.setUnit(c, &c.Set, &c.Where)
}

// update transcribes UPDATE as UPDATE "marker" SET "marker" = value … WHERE condition,
// or with FROM as those and SELECT 1 FROM … WHERE condition.
func (p *parser) update(with *With) Stmt {
	s := &UpdateStmt{stmtAt: p.stmtHere(), With: with}
	p.expect("update")
	s.Table = p.dmlTable()
	p.expect("set")
	from := p.setUnit(s, &s.Set, &s.Where)
	if from {
		p.fromUnit(&s.From, &s.Where)
	}
	p.returning(&s.Returning)
	return s
}

// setUnit transcribes the list of SET, and WHERE if it follows, as an UPDATE. It
// reports whether FROM follows instead.
func (p *parser) setUnit(note any, set *[]Assignment, where *Expr) (from bool) {
	p.newUnit(func() {
		p.put("UPDATE ")
		p.putNote(note)
		p.put(" SET ")
		p.setList(set)
		from = p.is("from")
		p.whereOrCurrent()
	}, func(d *decoder, n ast.StmtNode) {
		u, ok := n.(*ast.UpdateStmt)
		if !ok {
			bug("a %T where UPDATE was written", n)
		}
		for _, a := range u.List {
			d.fill(a.Expr)
		}
		*where = d.optional(u.Where)
	})
	return from
}

// setList transcribes the list of SET as "n" = "marker"(value).
func (p *parser) setList(dst *[]Assignment) {
	for more, sep := true, ""; more; more = p.acceptKind(',') {
		a := Assignment{Pos: p.pos()}
		if p.tok.kind == '(' {
			a.Multi = true
			a.Targets = p.insertColumns()
		} else {
			a.Targets = p.columnTargets(false)
		}
		p.expectOp("=")
		i := len(*dst)
		*dst = append(*dst, a)
		p.put(sep)
		sep = ", "
		p.putName("c")
		p.put(" = ")
		p.putNote(builder(func(args []Expr) Expr {
			(*dst)[i].Value = args[0]
			return nil
		}))
		p.put("(")
		p.expr()
		p.put(")")
	}
}

// where transcribes WHERE if it is there.
func (p *parser) where() {
	if p.accept("where") {
		p.put(" WHERE ")
		p.expr()
	}
}

// whereOrCurrent is where with CURRENT OF cursor, which only UPDATE and DELETE have.
func (p *parser) whereOrCurrent() {
	if !p.is("where") || !p.lookIs(1, "current") || !p.lookIs(2, "of") {
		p.where()
		return
	}
	p.next()
	pos := p.pos()
	p.next()
	p.next()
	p.put(" WHERE ")
	p.leaf(pos, &CurrentOfExpr{at(pos), p.colID()})
}

// fromUnit transcribes FROM or USING with the WHERE that follows.
func (p *parser) fromUnit(from *[]TableExpr, where *Expr) {
	p.next()
	p.newUnit(func() {
		p.put("SELECT 1 FROM ")
		p.tableList()
		p.whereOrCurrent()
	}, func(d *decoder, n ast.StmtNode) {
		sel, ok := n.(*ast.SelectStmt)
		if !ok || sel.From == nil {
			bug("a %T where FROM was written", n)
		}
		*from = d.from(sel.From.TableRefs, nil)
		*where = d.optional(sel.Where)
	})
}

// dmlTable reads the target of UPDATE or DELETE: SET is never its alias.
func (p *parser) dmlTable() *TableRef {
	ref := p.relation()
	if p.accept("as") || isColID(&p.tok) && !p.is("set") {
		ref.Alias = Alias{Pos: p.pos(), Name: p.colID()}
	}
	return ref
}

// delete transcribes DELETE.
func (p *parser) delete(with *With) Stmt {
	s := &DeleteStmt{stmtAt: p.stmtHere(), With: with}
	p.expectSeq("delete", "from")
	s.Table = p.dmlTable()
	if p.is("using") {
		p.fromUnit(&s.Using, &s.Where)
	} else {
		p.newUnit(func() {
			p.put("DELETE FROM ")
			p.putNote(s)
			p.whereOrCurrent()
		}, func(d *decoder, n ast.StmtNode) {
			del, ok := n.(*ast.DeleteStmt)
			if !ok {
				bug("a %T where DELETE was written", n)
			}
			s.Where = d.optional(del.Where)
		})
	}
	p.returning(&s.Returning)
	return s
}
