package parse

import "strings"

// vacuum transcribes VACUUM.
func (p *parser) vacuum() Stmt {
	s := &VacuumStmt{stmtAt: p.stmtHere(), Vacuum: true}
	p.expect("vacuum")
	if p.tok.kind == '(' {
		s.Options = p.genericOptions(false)
	} else {
		for _, kw := range []string{"full", "freeze", "verbose"} {
			p.flag(&s.Options, kw)
		}
		if p.is("analyse") {
			p.tok.kw, p.tok.str = "analyze", "analyze"
		}
		p.flag(&s.Options, "analyze")
	}
	for _, o := range s.Options {
		if o.Name == "analyze" || o.Name == "analyse" {
			s.Analyze = o.Value == nil || o.Value.Text != "false" && o.Value.Text != "off" && o.Value.Text != "0"
		}
	}
	s.Tables = p.vacuumTables()
	return s
}

// flag reads an option that is a word of its own.
func (p *parser) flag(list *[]Option, kw string) {
	if p.is(kw) {
		*list = append(*list, Option{Name: kw, Pos: p.pos()})
		p.next()
	}
}

// analyze transcribes ANALYZE.
func (p *parser) analyze() Stmt {
	s := &VacuumStmt{stmtAt: p.stmtHere(), Analyze: true}
	p.next()
	if p.tok.kind == '(' {
		s.Options = p.genericOptions(false)
	} else {
		p.flag(&s.Options, "verbose")
	}
	s.Tables = p.vacuumTables()
	return s
}

func (p *parser) vacuumTables() []VacuumTable {
	if p.tok.kind == tokEOF || p.tok.kind == ';' {
		return nil
	}
	var list []VacuumTable
	for more := true; more; more = p.acceptKind(',') {
		t := VacuumTable{Table: &TableRef{At: At{p.pos()}, Name: p.objectName()}}
		t.Columns = p.optionalNames()
		list = append(list, t)
	}
	return list
}

// reindex transcribes REINDEX.
func (p *parser) reindex() Stmt {
	s := &ReindexStmt{stmtAt: p.stmtHere()}
	p.expect("reindex")
	if p.tok.kind == '(' {
		s.Options = p.genericOptions(false)
	}
	switch p.tok.kw {
	case "index":
		s.Kind = IndexObject
	case "table":
		s.Kind = TableObject
	case "schema":
		s.Kind = SchemaObject
	case "database", "system":
		s.Kind = DatabaseObject
	default:
		p.fail()
	}
	p.next()
	s.Concurrently = p.accept("concurrently")
	s.Name = p.objectName()
	return s
}

// cluster transcribes CLUSTER.
func (p *parser) cluster() Stmt {
	s := &ClusterStmt{stmtAt: p.stmtHere()}
	p.expect("cluster")
	if p.tok.kind == '(' {
		p.genericOptions(false)
	} else {
		p.accept("verbose")
	}
	if p.tok.kind == tokEOF || p.tok.kind == ';' {
		return s
	}
	name := p.objectName()
	switch {
	case p.accept("using"):
		s.Index = p.colID()
	case p.accept("on"):
		// CLUSTER index ON table is the old order.
		s.Index = name.Name
		name = p.objectName()
	}
	s.Table = &TableRef{At: At{name.Pos}, Name: name}
	return s
}

// commentKinds are the objects COMMENT ON names by one word and a dotted name.
var commentKinds = map[string]ObjectKind{
	"table": TableObject, "view": ViewObject, "index": IndexObject, "sequence": SequenceObject,
	"schema": SchemaObject, "type": TypeObject, "database": DatabaseObject, "role": RoleObject,
	"extension": ExtensionObject, "domain": DomainObject, "tablespace": TablespaceObject, "column": ColumnObject,
	"collation": CollationObject, "language": LanguageObject,
}

// comment transcribes COMMENT ON.
func (p *parser) comment() Stmt {
	s := &CommentStmt{stmtAt: p.stmtHere()}
	p.expectSeq("comment", "on")
	kind, ok := commentKinds[p.tok.kw]
	switch {
	case ok:
		p.next()
	case p.acceptSeq("materialized", "view"):
		kind = MatViewObject
	case p.is("function"):
		p.next()
		s.Kind, s.Function = FunctionObject, p.functionRef()
		s.Name = s.Function.Name
		p.commentText(s)
		return s
	case p.is("constraint"):
		p.next()
		kind, s.Sub = ConstraintObject, p.colID()
		p.expect("on")
		if p.is("domain") {
			p.unsupported(s.Pos, "COMMENT ON CONSTRAINT of a domain")
		}
	case p.tok.kind == tokIdent:
		if _, known := refused[p.tok.kw]; known || p.is("large") || p.is("routine") {
			p.unsupported(s.Pos, "COMMENT ON "+strings.ToUpper(p.tok.kw))
		}
		p.fail()
	default:
		p.fail()
	}
	s.Kind = kind
	if kind == ColumnObject {
		pos, parts := p.pos(), p.dotted()
		if len(parts) < 2 {
			p.commentText(s)
			p.failWith(pos, "column name must be qualified")
		}
		s.Sub = parts[len(parts)-1]
		s.Name = p.toObjectName(parts[:len(parts)-1], pos)
	} else {
		s.Name = p.objectName()
	}
	p.commentText(s)
	return s
}

func (p *parser) commentText(s *CommentStmt) {
	p.expect("is")
	if !p.accept("null") {
		text := p.str()
		s.Text = &text
	}
}

// listen transcribes LISTEN, UNLISTEN and NOTIFY.
func (p *parser) listen() Stmt {
	at, kw := p.stmtHere(), p.tok.kw
	p.next()
	switch {
	case kw == "unlisten" && p.acceptOp("*"):
		return &UnlistenStmt{stmtAt: at}
	case kw == "unlisten":
		return &UnlistenStmt{stmtAt: at, Channel: p.colID()}
	case kw == "listen":
		return &ListenStmt{stmtAt: at, Channel: p.colID()}
	}
	s := &NotifyStmt{stmtAt: at, Channel: p.colID()}
	if p.acceptKind(',') {
		s.Payload = p.str()
	}
	return s
}
