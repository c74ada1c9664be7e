package parse

import "strings"

// createTable transcribes CREATE TABLE and CREATE MATERIALIZED VIEW from the word
// TABLE or VIEW on.
func (p *parser) createTable(at stmtAt, persistence Persistence) Stmt {
	s := &CreateTableStmt{stmtAt: at, Persistence: persistence}
	s.IsMatView = p.is("view")
	p.next()
	s.IfNotExists = p.ifNotExists()
	s.Name = p.objectName()
	switch {
	case p.is("of"):
		p.unsupported(p.pos(), "CREATE TABLE OF")
	case p.is("partition"):
		p.unsupported(p.pos(), "PARTITION OF")
	}
	elements := false
	if p.tok.kind == '(' && !s.IsMatView && !p.namesAhead() {
		elements = true
		p.tableElements(s)
	} else {
		s.AsColumns = p.optionalNames()
	}
	p.tableOptions(s)
	if elements && !p.is("as") {
		return s
	}
	if elements {
		p.fail()
	}
	p.expect("as")
	if p.is("execute") {
		s.As = p.execute()
	} else {
		q, ok := p.preparable().(*SelectStmt)
		if !ok {
			p.fail()
		}
		s.As = q
	}
	if p.accept("with") {
		s.NoData = p.accept("no")
		p.expect("data")
	}
	return s
}

// namesAhead reports whether the parentheses hold names alone: new names for the
// columns of a query.
func (p *parser) namesAhead() bool {
	k := p.look(2).kind
	return isColID(p.look(1)) && (k == ',' || k == ')')
}

// tableOptions reads what stands behind a table's columns.
func (p *parser) tableOptions(s *CreateTableStmt) {
	switch {
	case p.is("inherits"):
		p.unsupported(p.pos(), "INHERITS")
	case p.is("partition"):
		p.unsupported(p.pos(), "PARTITION BY")
	}
	if p.accept("using") {
		s.Using = p.colID()
	}
	if p.accept("with") {
		s.With = p.definition()
	} else if p.ahead("without", "oids") {
		p.next()
		p.next()
	}
	if p.ahead("on", "commit") {
		p.next()
		p.next()
		switch {
		case p.accept("drop"):
			s.OnCommit = OnCommitDrop
		case p.acceptSeq("delete", "rows"):
			s.OnCommit = OnCommitDelete
		case p.acceptSeq("preserve", "rows"):
			s.OnCommit = OnCommitPreserve
		default:
			p.fail()
		}
	}
	if p.accept("tablespace") {
		s.Tablespace = p.colID()
	}
}

// tableElements reads (column, constraint, FAMILY …, INDEX …).
func (p *parser) tableElements(s *CreateTableStmt) {
	p.expectKind('(')
	if p.acceptKind(')') {
		return
	}
	for more := true; more; more = p.acceptKind(',') {
		p.tableElement(s)
	}
	p.expectKind(')')
}

func (p *parser) tableElement(s *CreateTableStmt) {
	switch kw := p.tok.kw; {
	case kw == "like":
		s.Likes = append(s.Likes, p.likeClause(len(s.Columns)))
	case kw == "family" && p.elementAhead(1):
		f := Family{Pos: p.pos()}
		p.next()
		if p.tok.kind != '(' {
			f.Name = p.colID()
		}
		f.Columns = p.parenNames()
		s.Families = append(s.Families, f)
	case kw == "index" && p.elementAhead(1):
		s.Indexes = append(s.Indexes, p.inlineIndex(false))
	case kw == "unique" && p.lookIs(1, "index") && p.elementAhead(2):
		s.Indexes = append(s.Indexes, p.inlineIndex(true))
	case p.isWord("inverted") && p.lookIs(1, "index"):
		p.unsupported(p.pos(), "INVERTED INDEX")
	case p.startsTableConstraint():
		s.Constraints = append(s.Constraints, p.tableConstraint())
	default:
		s.Columns = append(s.Columns, p.columnDef())
	}
}

var likeOptions = map[string]LikeOptions{
	"comments": LikeComments, "compression": LikeCompression, "constraints": LikeConstraints, "defaults": LikeDefaults, "generated": LikeGenerated,
	"identity": LikeIdentity, "indexes": LikeIndexes, "statistics": LikeStatistics, "storage": LikeStorage, "all": LikeAll,
}

// likeClause reads LIKE table [INCLUDING | EXCLUDING option] ….
func (p *parser) likeClause(before int) *LikeClause {
	p.next()
	l := &LikeClause{Table: p.objectName(), Before: before}
	for p.is("including") || p.is("excluding") {
		include := p.is("including")
		p.next()
		option, ok := likeOptions[p.tok.kw]
		if !ok {
			p.fail()
		}
		p.next()
		if include {
			l.Take |= option
		} else {
			l.Take &^= option
		}
	}
	return l
}

// elementAhead tells FAMILY f (a) and INDEX i (a) from columns of these names, whose
// type may have numbers in parentheses.
func (p *parser) elementAhead(n int) bool {
	if isColID(p.look(n)) {
		n++
	}
	if p.look(n).kind != '(' {
		return false
	}
	k := p.look(n + 1)
	return k.kind == tokIdent || k.kind == '('
}

// inlineIndex reads [UNIQUE] INDEX [name] (keys) ….
func (p *parser) inlineIndex(unique bool) *CreateIndexStmt {
	s := &CreateIndexStmt{stmtAt: p.stmtHere(), Unique: unique}
	p.accept("unique")
	p.expect("index")
	if p.tok.kind != '(' {
		s.Name = p.colID()
	}
	s.Items = p.indexItems()
	p.indexOptions(s)
	return s
}

// columnDef reads name type constraint ….
func (p *parser) columnDef() *ColumnDef {
	c := &ColumnDef{Pos: p.pos(), Name: p.colID()}
	c.Type = p.typeName()
	if p.is("compression") || p.is("storage") {
		p.unsupported(p.pos(), p.tok.kw+" of a column")
	}
	p.columnConstraints(c)
	return c
}

func (p *parser) columnConstraints(c *ColumnDef) {
	var last *Constraint
	for {
		switch {
		case p.accept("collate"):
			name := p.objectName()
			c.Collation = &name
		case p.is("family"):
			p.next()
			c.Family = p.colID()
		case last != nil && p.constraintAttr(last):
		default:
			con := p.columnConstraint()
			if con == nil {
				p.misplaced()
				return
			}
			c.Constraints = append(c.Constraints, con)
			last = con
		}
	}
}

// misplaced refuses DEFERRABLE and the like without a constraint in front of it.
func (p *parser) misplaced() {
	pos, start := p.pos(), p.i
	if p.ahead("not", "deferrable") || p.is("deferrable") || p.ahead("initially", "deferred") || p.ahead("initially", "immediate") {
		p.constraintAttr(&Constraint{})
		p.failWith(pos, "misplaced %s clause", strings.ToUpper(p.source(start)))
	}
}

// columnConstraint reads one constraint of a column; nil when there is none.
func (p *parser) columnConstraint() *Constraint {
	c := &Constraint{Pos: p.pos()}
	named := p.accept("constraint")
	if named {
		c.Name = p.colID()
		c.Pos = p.pos()
	}
	switch {
	case p.ahead("not", "null"):
		p.next()
		p.next()
		c.Kind = NotNullConstraint
	case p.accept("null"):
		c.Kind = NullConstraint
	case p.accept("default"):
		c.Kind = DefaultConstraint
		start := p.i
		p.exprInto(&c.Expr, p.restricted)
		c.Text = p.source(start)
	case p.is("check"):
		p.check(c)
		p.noInherit(c)
	case p.is("unique"), p.is("primary"):
		p.uniqueKind(c)
		p.indexParameters(c)
	case p.accept("references"):
		c.Kind = ForeignKeyConstraint
		p.references(c)
	case p.accept("generated"):
		p.generated(c)
	case named:
		p.fail()
	default:
		return nil
	}
	return c
}

// check reads CHECK (expression).
func (p *parser) check(c *Constraint) {
	c.Kind = CheckConstraint
	p.expect("check")
	p.expectKind('(')
	start := p.i
	p.exprInto(&c.Expr, p.expr)
	c.Text = p.source(start)
	p.expectKind(')')
}

func (p *parser) noInherit(c *Constraint) {
	if p.acceptSeq("no", "inherit") {
		c.NoInherit = true
	}
}

// uniqueKind reads UNIQUE [NULLS NOT DISTINCT] or PRIMARY KEY.
func (p *parser) uniqueKind(c *Constraint) {
	if p.accept("primary") {
		p.expect("key")
		c.Kind = PrimaryKeyConstraint
		return
	}
	p.expect("unique")
	c.Kind = UniqueConstraint
	c.NullsNotDistinct = p.nullsDistinct()
}

// nullsDistinct reads NULLS [NOT] DISTINCT if it is there.
func (p *parser) nullsDistinct() bool {
	if p.acceptSeq("nulls", "not", "distinct") {
		return true
	}
	p.acceptSeq("nulls", "distinct")
	return false
}

// indexParameters reads WITH (…) and USING INDEX TABLESPACE.
func (p *parser) indexParameters(c *Constraint) {
	if p.is("with") && p.look(1).kind == '(' {
		p.next()
		c.With = p.definition()
	}
	if p.acceptSeq("using", "index", "tablespace") {
		c.Tablespace = p.colID()
	}
}

// generated reads what follows GENERATED.
func (p *parser) generated(c *Constraint) {
	when := p.pos()
	if p.accept("always") {
		c.Always = true
	} else {
		p.expectSeq("by", "default")
	}
	p.expect("as")
	if p.accept("identity") {
		c.Kind = IdentityConstraint
		if p.acceptKind('(') {
			c.Sequence = p.sequenceOptions()
			if c.Sequence == nil {
				p.fail()
			}
			p.expectKind(')')
		}
		return
	}
	c.Kind = GeneratedConstraint
	p.expectKind('(')
	start := p.i
	p.exprInto(&c.Expr, p.expr)
	c.Text = p.source(start)
	p.expectKind(')')
	if !c.Always {
		p.failWith(when, "for a generated column, GENERATED ALWAYS must be specified")
	}
	p.expect("stored")
}
