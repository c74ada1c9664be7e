package parse

import "strings"

// importStmt transcribes IMPORT INTO in CockroachDB's spelling,
//
//	IMPORT INTO t [(columns)] CSV DATA ('file', …) [WITH name = value, …]
//
// and in TiDB's,
//
//	IMPORT INTO t [(columns)] FROM 'file', … [FORMAT 'csv'] [WITH name = value, …]
func (p *parser) importStmt() Stmt {
	at := p.stmtHere()
	p.next()
	if !p.accept("into") {
		switch {
		case p.ahead("foreign", "schema"):
			p.unsupported(at.Pos, "IMPORT FOREIGN SCHEMA")
		case p.is("table"):
			p.unsupported(at.Pos, "IMPORT TABLE")
		case p.isWord("pgdump"), p.isWord("mysqldump"):
			p.unsupported(at.Pos, "IMPORT "+strings.ToUpper(p.tok.str))
		}
		p.fail()
	}
	s := &ImportStmt{stmtAt: at, Format: "csv"}
	s.Table = &TableRef{At: At{p.pos()}, Name: p.objectName()}
	if p.tok.kind == '(' {
		s.Columns = p.importColumns()
	}
	switch {
	case p.accept("from"):
		p.importFrom(s)
	case p.tok.kind == tokIdent && p.lookIs(1, "data"):
		s.Format = p.anyName()
		p.next()
		if s.Format != "csv" && s.Format != "delimited" {
			p.unsupported(at.Pos, "IMPORT INTO … "+strings.ToUpper(s.Format)+" DATA")
		}
		p.expectKind('(')
		p.importFiles(s)
		p.expectKind(')')
	case p.is("set"):
		p.unsupported(p.pos(), "IMPORT INTO … SET")
	default:
		p.fail()
	}
	if p.accept("with") {
		p.importOptions(s)
	}
	return s
}

// importColumns reads (column, …); TiDB's @variables are refused.
func (p *parser) importColumns() []string {
	p.expectKind('(')
	var list []string
	for more := true; more; more = p.acceptKind(',') {
		if p.tok.isOp("@") {
			p.unsupported(p.pos(), "IMPORT INTO with variables")
		}
		list = append(list, p.colID())
	}
	p.expectKind(')')
	return list
}

func (p *parser) importFrom(s *ImportStmt) {
	if p.startsQuery() || p.tok.kind == '(' {
		p.unsupported(p.pos(), "IMPORT INTO … FROM a query")
	}
	p.importFiles(s)
	if p.acceptWord("format") {
		s.Format = strings.ToLower(p.str())
	}
}

func (p *parser) importFiles(s *ImportStmt) {
	for more := true; more; more = p.acceptKind(',') {
		s.FilesPos = append(s.FilesPos, p.pos())
		s.Files = append(s.Files, p.str())
	}
}

// importOptions reads name [=] value, …, in parentheses or not. DETACHED is a flag of
// the statement.
func (p *parser) importOptions(s *ImportStmt) {
	paren := p.acceptKind('(')
	for more := true; more; more = p.acceptKind(',') {
		o := Option{Pos: p.pos()}
		if p.tok.kind == tokString {
			o.Name = p.anyName()
		} else {
			o.Name = p.label()
		}
		o.Name = strings.ToLower(o.Name)
		if p.acceptOp("=") || p.tok.kind != ',' && p.tok.kind != ')' && p.tok.kind != ';' && p.tok.kind != tokEOF {
			o.Value = p.genericValue()
		}
		if o.Name == "detached" {
			s.Detached = o.Value == nil || o.Value.Text == "true" || o.Value.Text == "on" || o.Value.Text == "1"
			continue
		}
		s.Options = append(s.Options, o)
	}
	if paren {
		p.expectKind(')')
	}
}

// jobControl transcribes CANCEL, PAUSE and RESUME [IMPORT] JOB id.
func (p *parser) jobControl(action JobAction) Stmt {
	s := &JobControlStmt{stmtAt: p.stmtHere(), Action: action}
	p.next()
	p.acceptWord("import")
	if !p.acceptWord("job") {
		if p.isWord("query") || p.isWord("session") || p.isWord("jobs") {
			p.unsupported(s.Pos, strings.ToUpper(p.toks[0].str+" "+p.tok.str))
		}
		p.fail()
	}
	p.exprInto(&s.ID, p.expr)
	return s
}
