package parse

import "strings"

// dropKinds are the objects that DROP names by one or two words.
var dropKinds = map[string]ObjectKind{
	"table": TableObject, "view": ViewObject, "index": IndexObject, "sequence": SequenceObject,
	"schema": SchemaObject, "type": TypeObject, "database": DatabaseObject, "role": RoleObject,
	"user": RoleObject, "group": RoleObject, "extension": ExtensionObject, "domain": DomainObject,
	"tablespace": TablespaceObject, "collation": CollationObject, "language": LanguageObject,
}

// drop transcribes DROP ….
func (p *parser) drop() Stmt {
	at := p.stmtHere()
	p.expect("drop")
	if p.is("owned") {
		return p.dropOwned(at)
	}
	if p.ahead("user", "mapping") {
		p.unsupported(at.Pos, "DROP USER MAPPING")
	}
	s := &DropStmt{stmtAt: at}
	kind, ok := dropKinds[p.tok.kw]
	switch {
	case ok:
		p.next()
	case p.acceptSeq("materialized", "view"):
		kind = MatViewObject
	case p.acceptSeq("foreign", "table"):
		kind = ForeignTableObject
	case p.is("function"):
		return p.dropFunction(at)
	case p.is("procedure"), p.is("routine"), p.is("aggregate"), p.is("trigger"), p.is("rule"),
		p.is("policy"), p.is("operator"), p.is("statistics"), p.is("publication"), p.is("subscription"), p.is("cast"),
		p.is("conversion"), p.is("transform"), p.is("server"), p.is("event"), p.is("access"), p.is("text"),
		p.is("foreign"), p.is("trusted"), p.is("procedural"):
		p.unsupported(at.Pos, "DROP "+strings.ToUpper(p.tok.kw))
	default:
		p.fail()
	}
	s.Kind = kind
	if kind == IndexObject {
		s.Concurrently = p.accept("concurrently")
	}
	s.IfExists = p.ifExists()
	if kind == RoleObject {
		for _, r := range p.roleNames() {
			s.Names = append(s.Names, ObjectName{Name: r.String(), Pos: r.Pos})
		}
		return s
	}
	if kind == DatabaseObject || kind == TablespaceObject {
		s.Names = []ObjectName{{Pos: p.pos(), Name: p.colID()}}
		p.dropForce(s)
		return s
	}
	p.dropNames(s)
	s.Cascade = p.cascade()
	return s
}

func (p *parser) dropNames(s *DropStmt) {
	for more := true; more; more = p.acceptKind(',') {
		if (s.Kind == TypeObject || s.Kind == DomainObject) && !isTypeFuncName(&p.tok) {
			p.fail()
		}
		name := p.objectName()
		// CockroachDB's table@index.
		if s.Kind == IndexObject && p.tok.isOp("@") {
			p.next()
			for len(s.Tables) < len(s.Names) {
				s.Tables = append(s.Tables, ObjectName{})
			}
			s.Tables = append(s.Tables, name)
			name = ObjectName{Schema: name.Schema, Name: p.colID(), Pos: name.Pos}
		} else if s.Tables != nil {
			s.Tables = append(s.Tables, ObjectName{})
		}
		s.Names = append(s.Names, name)
	}
}

// dropForce reads [WITH] (FORCE) of DROP DATABASE.
func (p *parser) dropForce(s *DropStmt) {
	if s.Kind != DatabaseObject {
		return
	}
	with := p.accept("with")
	if p.tok.kind != '(' {
		if with {
			p.fail()
		}
		return
	}
	p.next()
	p.expect("force")
	p.expectKind(')')
	s.Force = true
}

func (p *parser) dropOwned(at stmtAt) Stmt {
	p.expectSeq("owned", "by")
	s := &DropOwnedStmt{stmtAt: at, Roles: p.roleNames()}
	s.Cascade = p.cascade()
	return s
}

// truncate transcribes TRUNCATE.
func (p *parser) truncate() Stmt {
	s := &TruncateStmt{stmtAt: p.stmtHere()}
	p.expect("truncate")
	p.accept("table")
	s.Tables = p.relations()
	if p.acceptSeq("restart", "identity") {
		s.RestartIdentity = true
	} else {
		p.acceptSeq("continue", "identity")
	}
	s.Cascade = p.cascade()
	return s
}

// relations reads [ONLY] name [*], ….
func (p *parser) relations() []*TableRef {
	list := []*TableRef{p.relation()}
	for p.acceptKind(',') {
		list = append(list, p.relation())
	}
	return list
}
