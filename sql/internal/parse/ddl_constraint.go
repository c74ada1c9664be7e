package parse

// startsTableConstraint reports whether a table's element is a constraint.
func (p *parser) startsTableConstraint() bool {
	switch p.tok.kw {
	case "constraint", "check", "unique", "primary", "foreign":
		return true
	case "exclude":
		return p.look(1).kind == '(' || p.lookIs(1, "using")
	}
	return false
}

// tableConstraint reads [CONSTRAINT name] CHECK, UNIQUE, PRIMARY KEY or FOREIGN KEY.
func (p *parser) tableConstraint() *Constraint {
	c := &Constraint{Pos: p.pos()}
	if p.accept("constraint") {
		c.Name = p.colID()
		c.Pos = p.pos()
	}
	switch {
	case p.is("check"):
		p.check(c)
	case p.is("unique"), p.is("primary"):
		p.uniqueKind(c)
		if p.acceptSeq("using", "index") {
			c.UsingIndex = p.colID()
			break
		}
		c.Columns = p.parenNames()
		if p.accept("include") {
			c.Include = p.parenNames()
		}
		p.indexParameters(c)
	case p.accept("foreign"):
		p.expect("key")
		c.Kind = ForeignKeyConstraint
		c.Columns = p.parenNames()
		p.expect("references")
		p.references(c)
	case p.is("exclude"):
		p.unsupported(p.pos(), "EXCLUDE constraint")
	default:
		p.fail()
	}
	for p.constraintAttr(c) {
	}
	return c
}

// references reads table [(columns)] MATCH … ON DELETE … ON UPDATE ….
func (p *parser) references(c *Constraint) {
	c.References = p.objectName()
	c.RefColumns = p.optionalNames()
	if p.is("match") {
		pos := p.pos()
		p.next()
		switch {
		case p.accept("full"):
			c.MatchFull = true
		case p.accept("partial"):
			p.unsupported(pos, "MATCH PARTIAL")
		default:
			p.expect("simple")
		}
	}
	for p.ahead("on", "delete") || p.ahead("on", "update") {
		p.next()
		if p.accept("update") {
			c.OnUpdate = p.fkAction(nil)
		} else {
			p.next()
			c.OnDelete = p.fkAction(&c.SetColumns)
		}
	}
}

func (p *parser) fkAction(columns *[]string) FKAction {
	switch {
	case p.acceptSeq("no", "action"):
		return FKNoAction
	case p.accept("restrict"):
		return FKRestrict
	case p.accept("cascade"):
		return FKCascade
	}
	p.expect("set")
	action := FKSetNull
	if !p.accept("null") {
		p.expect("default")
		action = FKSetDefault
	}
	if p.tok.kind == '(' {
		if columns == nil {
			p.unsupported(p.pos(), "a column list with SET NULL or SET DEFAULT for ON UPDATE actions")
		}
		*columns = p.parenNames()
	}
	return action
}

// constraintAttr reads one of DEFERRABLE, INITIALLY …, NOT VALID and NO INHERIT.
func (p *parser) constraintAttr(c *Constraint) bool {
	switch {
	case p.acceptSeq("not", "deferrable"):
	case p.accept("deferrable"):
		c.Deferrable = true
	case p.acceptSeq("initially", "deferred"):
		c.Deferrable, c.InitiallyDeferred = true, true
	case p.acceptSeq("initially", "immediate"):
	case p.acceptSeq("not", "valid"):
		c.NotValid = true
	case p.acceptSeq("no", "inherit"):
		c.NoInherit = true
	default:
		return false
	}
	return true
}
