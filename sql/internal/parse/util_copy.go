package parse

// copyStmt transcribes COPY.
func (p *parser) copyStmt() Stmt {
	s := &CopyStmt{stmtAt: p.stmtHere()}
	p.expect("copy")
	if p.tok.kind == '(' {
		p.next()
		s.Query = p.preparable()
		p.expectKind(')')
		p.expect("to")
	} else {
		if p.is("binary") {
			s.Options = append(s.Options, p.copyFlag("format", "binary"))
		}
		s.Table = &TableRef{At: At{p.pos()}, Name: p.objectName()}
		s.Columns = p.optionalNames()
		if p.accept("from") {
			s.From = true
		} else {
			p.expect("to")
		}
	}
	switch {
	case p.accept("program"):
		s.Program, s.File = true, p.str()
	case p.accept("stdin"), p.accept("stdout"):
		s.Std = true
	default:
		s.File = p.str()
	}
	p.copyOptions(s)
	if s.Table != nil && p.accept("where") {
		if !s.From {
			p.failWith(p.toks[p.i-1].pos, "WHERE clause not allowed with COPY TO")
		}
		p.exprInto(&s.Where, p.expr)
	}
	return s
}

// copyFlag is the option that a word of the old syntax stands for.
func (p *parser) copyFlag(name, value string) Option {
	o := Option{Name: name, Pos: p.pos()}
	o.Value = &OptionValue{Kind: OptionWord, Text: value, Pos: p.pos()}
	p.next()
	return o
}

// copyOptions reads [USING] DELIMITERS, [WITH] (…), or the old options.
func (p *parser) copyOptions(s *CopyStmt) {
	if p.is("delimiters") || p.is("using") {
		p.accept("using")
		o := p.copyFlag("delimiter", "")
		o.Value = &OptionValue{Kind: OptionString, Pos: p.pos(), Text: p.str()}
		s.Options = append(s.Options, o)
	}
	p.accept("with")
	if p.tok.kind == '(' {
		s.Options = append(s.Options, p.genericOptions(true)...)
		return
	}
	for {
		o, ok := p.oldCopyOption()
		if !ok {
			return
		}
		s.Options = append(s.Options, o)
	}
}

// oldCopyOption reads one option of the syntax before PostgreSQL 9.0.
func (p *parser) oldCopyOption() (Option, bool) {
	switch p.tok.kw {
	case "binary":
		return p.copyFlag("format", "binary"), true
	case "csv":
		return p.copyFlag("format", "csv"), true
	case "header":
		return p.copyFlag("header", "true"), true
	case "freeze":
		return p.copyFlag("freeze", "true"), true
	case "delimiter", "null", "quote", "escape":
		o := p.copyFlag(p.tok.kw, "")
		p.accept("as")
		o.Value = &OptionValue{Kind: OptionString, Pos: p.pos(), Text: p.str()}
		return o, true
	case "encoding":
		o := p.copyFlag("encoding", "")
		o.Value = &OptionValue{Kind: OptionString, Pos: p.pos(), Text: p.str()}
		return o, true
	case "force":
		return p.oldForce(), true
	}
	return Option{}, false
}

// oldForce reads FORCE QUOTE, NOT NULL and NULL.
func (p *parser) oldForce() Option {
	o := p.copyFlag("", "")
	star := false
	switch {
	case p.accept("quote"):
		o.Name = "force_quote"
		star = true
	case p.acceptSeq("not", "null"):
		o.Name = "force_not_null"
	case p.accept("null"):
		o.Name = "force_null"
	default:
		p.fail()
	}
	o.Value = &OptionValue{Kind: OptionList, Pos: p.pos()}
	if star && p.acceptOp("*") {
		o.Value.Kind = OptionStar
	} else {
		o.Value.List = p.nameList()
	}
	return o
}
