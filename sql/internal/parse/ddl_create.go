package parse

import "strings"

// create transcribes CREATE ….
func (p *parser) create() Stmt {
	at := p.stmtHere()
	p.expect("create")
	replace := false
	if p.acceptSeq("or", "replace") {
		replace = true
	}
	persistence, temp := p.persistence()
	switch kw := p.tok.kw; {
	case kw == "table" && !replace:
		return p.createTable(at, persistence)
	case kw == "view", kw == "recursive":
		return p.createView(at, replace, persistence)
	case kw == "sequence" && !replace:
		return p.createSequence(at, persistence)
	case temp:
		p.fail()
	case kw == "function":
		return p.createFunction(at, replace)
	case replace:
		p.refuseCreate(at.Pos)
	}
	switch p.tok.kw {
	case "unique", "index":
		return p.createIndex(at)
	case "materialized":
		p.next()
		if !p.is("view") {
			p.fail()
		}
		return p.createTable(at, Permanent)
	case "schema":
		return p.createSchema(at)
	case "database":
		return p.createDatabase(at)
	case "type":
		return p.createType(at)
	case "extension":
		return p.createExtension(at)
	case "role", "user", "group":
		if p.ahead("user", "mapping") {
			p.unsupported(at.Pos, "CREATE USER MAPPING")
		}
		return p.createRole(at)
	}
	p.refuseCreate(at.Pos)
	return nil
}

// persistence reads TEMPORARY, UNLOGGED and their spellings, if they are there.
func (p *parser) persistence() (Persistence, bool) {
	switch {
	case p.is("local") || p.is("global"):
		p.next()
		if !p.accept("temp") {
			p.expect("temporary")
		}
		return Temporary, true
	case p.accept("temp"), p.accept("temporary"):
		return Temporary, true
	case p.accept("unlogged"):
		return Unlogged, true
	}
	return Permanent, false
}

// refused are the objects that minidb does not create, by their first word.
var refused = map[string]string{
	"procedure": "", "trigger": "", "rule": "", "policy": "", "domain": "", "aggregate": "",
	"operator": "", "statistics": "", "publication": "", "subscription": "", "tablespace": "", "language": "",
	"cast": "", "conversion": "", "collation": "", "transform": "", "server": "", "assertion": "",
	"foreign": "", "text": "text search", "event": "event trigger", "access": "access method",
	"constraint": "constraint trigger", "trusted": "language", "procedural": "language", "default": "conversion",
}

// refuseCreate refuses CREATE of what is not there, or fails where PostgreSQL does.
func (p *parser) refuseCreate(pos int) {
	if p.isWord("inverted") && p.lookIs(1, "index") {
		p.unsupported(pos, "CREATE INVERTED INDEX")
	}
	what, ok := refused[p.tok.kw]
	if !ok {
		p.fail()
	}
	if what == "" {
		what = p.tok.kw
	}
	if p.is("foreign") {
		what = "foreign " + p.look(1).str
	}
	p.unsupported(pos, "CREATE "+strings.ToUpper(what))
}

// ifNotExists reads IF NOT EXISTS if it is there.
func (p *parser) ifNotExists() bool { return p.acceptSeq("if", "not", "exists") }

// ifExists reads IF EXISTS if it is there.
func (p *parser) ifExists() bool { return p.acceptSeq("if", "exists") }

func (p *parser) createView(at stmtAt, replace bool, persistence Persistence) Stmt {
	if persistence == Unlogged {
		p.fail()
	}
	s := &CreateViewStmt{stmtAt: at, Replace: replace, Temporary: persistence == Temporary}
	s.Recursive = p.accept("recursive")
	p.expect("view")
	s.Name = p.objectName()
	if s.Recursive && p.tok.kind != '(' {
		p.fail()
	}
	s.Columns = p.optionalNames()
	if p.accept("with") {
		s.With = p.definition()
	}
	p.expect("as")
	start := p.i
	q, ok := p.preparable().(*SelectStmt)
	if !ok {
		p.failAt(&p.toks[start])
	}
	s.Query, s.Text = q, p.source(start)
	if p.accept("with") {
		switch {
		case p.accept("local"):
			s.CheckOption = "local"
		case p.accept("cascaded"):
			s.CheckOption = "cascaded"
		default:
			s.CheckOption = "cascaded"
		}
		p.expectSeq("check", "option")
	}
	return s
}

// source is the text of the tokens from index start up to the current one.
func (p *parser) source(start int) string {
	return p.lex.text[p.toks[start].pos:p.toks[p.i-1].end]
}

func (p *parser) createSchema(at stmtAt) Stmt {
	s := &CreateSchemaStmt{stmtAt: at}
	p.expect("schema")
	s.IfNotExists = p.ifNotExists()
	if !p.is("authorization") {
		s.Name = p.colID()
	}
	if p.accept("authorization") {
		s.Authorization = p.roleName().String()
	}
	switch p.tok.kw {
	case "create", "grant":
		p.unsupported(p.pos(), "elements of CREATE SCHEMA")
	}
	return s
}

func (p *parser) createDatabase(at stmtAt) Stmt {
	s := &CreateDatabaseStmt{stmtAt: at}
	p.expect("database")
	s.IfNotExists = p.ifNotExists()
	s.Name = p.colID()
	p.accept("with")
	s.Options = p.databaseOptions()
	return s
}

// databaseOptions reads name [=] value pairs.
func (p *parser) databaseOptions() []Option {
	var list []Option
	for p.tok.kind == tokIdent {
		switch p.tok.kw {
		case "", "connection", "encoding", "location", "owner", "tablespace", "template":
		default:
			p.fail()
		}
		o := Option{Pos: p.pos(), Name: p.anyName()}
		if o.Name == "connection" {
			p.expect("limit")
			o.Name = "connection limit"
		}
		p.acceptOp("=")
		o.Value = p.plainValue(true)
		list = append(list, o)
	}
	return list
}

func (p *parser) createType(at stmtAt) Stmt {
	p.expect("type")
	s := &CreateEnumStmt{stmtAt: at, Name: p.objectName()}
	if p.tok.kind != tokEOF && p.tok.kind != ';' && !p.is("as") && p.tok.kind != '(' {
		p.fail()
	}
	if !p.accept("as") {
		p.unsupported(at.Pos, "CREATE TYPE of a base type")
	}
	switch {
	case p.tok.kind == '(':
		p.unsupported(at.Pos, "CREATE TYPE of a composite type")
	case p.is("range"):
		p.unsupported(at.Pos, "CREATE TYPE of a range type")
	}
	p.expect("enum")
	p.expectKind('(')
	if p.tok.kind != ')' {
		s.Labels = append(s.Labels, p.str())
		for p.acceptKind(',') {
			s.Labels = append(s.Labels, p.str())
		}
	}
	p.expectKind(')')
	return s
}

func (p *parser) createExtension(at stmtAt) Stmt {
	s := &CreateExtensionStmt{stmtAt: at}
	p.expect("extension")
	s.IfNotExists = p.ifNotExists()
	s.Name = p.colID()
	p.accept("with")
	for {
		switch {
		case p.accept("schema"):
			s.Schema = p.colID()
		case p.accept("version"):
			if p.tok.kind == tokString {
				s.Version = p.anyName()
			} else {
				s.Version = p.nonReserved()
			}
		case p.accept("cascade"):
			s.Cascade = true
		case p.is("from"):
			p.unsupported(p.pos(), "CREATE EXTENSION … FROM")
		default:
			return s
		}
	}
}

func (p *parser) createSequence(at stmtAt, persistence Persistence) Stmt {
	s := &CreateSequenceStmt{stmtAt: at, Persistence: persistence}
	p.expect("sequence")
	s.IfNotExists = p.ifNotExists()
	s.Name = p.objectName()
	s.Options = p.sequenceOptions()
	return s
}

// sequenceOptions reads the options of a sequence, as many as there are.
func (p *parser) sequenceOptions() []SequenceOption {
	var list []SequenceOption
	for {
		o := SequenceOption{Pos: p.pos(), Name: p.tok.kw}
		switch o.Name {
		case "as":
			p.next()
			o.Type = p.simpleType()
		case "cache", "maxvalue", "minvalue":
			p.next()
			o.Value = p.signedNumber()
		case "increment":
			p.next()
			p.accept("by")
			o.Value = p.signedNumber()
		case "start":
			p.next()
			p.accept("with")
			o.Value = p.signedNumber()
		case "restart":
			p.next()
			if p.accept("with") || p.tok.kind == tokInt || p.tok.isOp("-") || p.tok.isOp("+") {
				o.Value = p.signedNumber()
			}
		case "cycle":
			p.next()
		case "no":
			p.next()
			o.Name = "no " + p.tok.kw
			if !p.is("cycle") && !p.is("minvalue") && !p.is("maxvalue") {
				p.fail()
			}
			p.next()
		case "owned":
			p.next()
			p.expect("by")
			o.Name, o.Owner = "owned by", p.dotted()
		case "sequence":
			p.next()
			p.expect("name")
			o.Name, o.Owner = "sequence name", p.dotted()
		default:
			return list
		}
		list = append(list, o)
	}
}

// dotted reads a dotted name as its parts.
func (p *parser) dotted() []string {
	parts := []string{p.colID()}
	for p.acceptKind('.') {
		parts = append(parts, p.label())
	}
	return parts
}

// signedNumber reads a number with its sign.
func (p *parser) signedNumber() string {
	sign := ""
	if p.acceptOp("-") {
		sign = "-"
	} else {
		p.acceptOp("+")
	}
	if p.tok.kind != tokInt && p.tok.kind != tokFloat {
		p.fail()
	}
	return sign + p.anyName()
}
