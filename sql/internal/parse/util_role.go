package parse

import "strings"

// String is the role's name, or the word it was written as.
func (r RoleName) String() string {
	if r.Keyword != "" {
		return r.Keyword
	}
	return r.Name
}

// roleName reads a role (RoleSpec): a name, or CURRENT_USER and its kin.
func (p *parser) roleName() RoleName {
	r := RoleName{Pos: p.pos()}
	switch p.tok.kw {
	case "current_user", "current_role", "session_user":
		r.Keyword = p.tok.kw
		p.next()
		return r
	}
	public := p.isWord("public")
	r.Name = p.nonReserved()
	if public {
		r.Keyword, r.Name = "public", ""
	}
	return r
}

func (p *parser) roleNames() []RoleName {
	list := []RoleName{p.roleName()}
	for p.acceptKind(',') {
		list = append(list, p.roleName())
	}
	return list
}

// grant transcribes GRANT and REVOKE.
func (p *parser) grant() Stmt {
	s := &GrantStmt{stmtAt: p.stmtHere(), Revoke: p.is("revoke")}
	p.next()
	option := ""
	if s.Revoke && (p.ahead("grant", "option") || p.ahead("admin", "option")) {
		option = p.tok.kw
		p.next()
		p.next()
		p.expect("for")
		s.GrantOption = true
	}
	p.privileges(s)
	if s.Privileges[0].Name == "all" || option == "grant" || option == "" && p.is("on") {
		p.expect("on")
		p.grantObjects(s)
	} else {
		s.Roles = true
	}
	if s.Revoke {
		p.expect("from")
	} else {
		p.expect("to")
	}
	for more := true; more; more = p.acceptKind(',') {
		p.accept("group")
		s.Grantees = append(s.Grantees, p.roleName())
	}
	p.grantTail(s)
	return s
}

// grantTail reads WITH GRANT OPTION, GRANTED BY and CASCADE.
func (p *parser) grantTail(s *GrantStmt) {
	if !s.Revoke && p.accept("with") {
		if s.Roles {
			p.expect("admin")
		} else {
			p.expect("grant")
		}
		p.expect("option")
		s.GrantOption = true
	}
	if p.acceptSeq("granted", "by") {
		r := p.roleName()
		s.GrantedBy = &r
	}
	if s.Revoke {
		s.Cascade = p.cascade()
	}
}

func (p *parser) privileges(s *GrantStmt) {
	if p.accept("all") {
		p.accept("privileges")
		s.Privileges = []Privilege{{Name: "all", Columns: p.optionalNames()}}
		return
	}
	for more := true; more; more = p.acceptKind(',') {
		var r Privilege
		switch {
		case p.is("select"), p.is("references"), p.is("create"):
			r.Name = p.anyName()
		case p.acceptSeq("alter", "system"):
			r.Name = "alter system"
		default:
			r.Name = p.colID()
		}
		r.Columns = p.optionalNames()
		s.Privileges = append(s.Privileges, r)
	}
}

// grantObjects reads what GRANT … ON names.
func (p *parser) grantObjects(s *GrantStmt) {
	s.Kind = TableObject
	if p.accept("all") {
		switch {
		case p.accept("tables"):
		case p.accept("sequences"):
			s.Kind = SequenceObject
		case p.is("functions"), p.is("procedures"), p.is("routines"):
			s.Kind = FunctionObject
			p.next()
		default:
			p.fail()
		}
		p.expectSeq("in", "schema")
		s.AllInSchema = true
		s.Names = p.objectNames()
		return
	}
	switch kw := p.tok.kw; kw {
	case "function", "procedure", "routine", "large", "foreign", "parameter":
		p.unsupported(p.pos(), "GRANT … ON "+strings.ToUpper(kw))
	case "table", "sequence", "schema", "database", "type", "domain", "language", "tablespace":
		// These words may also be the name of a table.
		if kw == "table" || isColID(p.look(1)) {
			s.Kind = dropKinds[kw]
			p.next()
		}
	}
	s.Names = p.objectNames()
}

func (p *parser) alterDefaultPrivileges(at stmtAt) Stmt {
	s := &AlterDefaultPrivilegesStmt{stmtAt: at}
	p.expectSeq("default", "privileges")
	for {
		switch {
		case p.accept("for"):
			if !p.accept("role") {
				p.expect("user")
			}
			s.Roles = append(s.Roles, p.roleNames()...)
			continue
		case p.acceptSeq("in", "schema"):
			s.Schemas = append(s.Schemas, p.nameList()...)
			continue
		}
		break
	}
	if !p.is("grant") && !p.is("revoke") {
		p.fail()
	}
	g := &GrantStmt{stmtAt: p.stmtHere(), Revoke: p.is("revoke")}
	s.Grant = g
	p.next()
	if g.Revoke && p.acceptSeq("grant", "option", "for") {
		g.GrantOption = true
	}
	p.privileges(g)
	p.expect("on")
	switch p.tok.kw {
	case "tables", "sequences", "functions", "types", "schemas":
		s.Objects = p.tok.kw
	case "routines":
		s.Objects = "functions"
	default:
		p.fail()
	}
	p.next()
	if g.Revoke {
		p.expect("from")
	} else {
		p.expect("to")
	}
	for more := true; more; more = p.acceptKind(',') {
		p.accept("group")
		g.Grantees = append(g.Grantees, p.roleName())
	}
	p.grantTail(g)
	return s
}

func (p *parser) createRole(at stmtAt) Stmt {
	s := &CreateRoleStmt{stmtAt: at, Login: p.is("user")}
	p.next()
	s.IfNotExists = p.ifNotExists()
	s.Name = p.roleName().String()
	p.accept("with")
	s.Options = p.roleOptions()
	return s
}

// roleOptions reads the options of CREATE and ALTER ROLE.
func (p *parser) roleOptions() []Option {
	var list []Option
	for p.tok.kind == tokIdent {
		o := Option{Pos: p.pos(), Name: p.tok.str}
		switch p.tok.kw {
		case "password", "encrypted":
			if p.accept("encrypted") {
				o.Name = "password"
			}
			p.expect("password")
			if !p.accept("null") {
				o.Value = &OptionValue{Kind: OptionString, Pos: p.pos(), Text: p.str()}
			}
		case "connection":
			p.next()
			p.expect("limit")
			o.Name = "connection limit"
			o.Value = &OptionValue{Kind: OptionInt, Pos: p.pos(), Text: p.signedNumber()}
		case "valid":
			p.next()
			p.expect("until")
			o.Name = "valid until"
			o.Value = &OptionValue{Kind: OptionString, Pos: p.pos(), Text: p.str()}
		case "in":
			p.next()
			if !p.accept("role") {
				p.expect("group")
			}
			o.Name, o.Value = "in role", p.roleList()
		case "user", "role", "admin":
			p.next()
			o.Value = p.roleList()
		case "sysid":
			p.next()
			p.int32()
		default:
			if p.tok.kw != "" && p.tok.kw != "inherit" {
				p.fail()
			}
			if !roleFlags[p.tok.str] {
				p.failWith(p.pos(), "unrecognized role option \"%s\"", p.tok.str)
			}
			p.next()
		}
		list = append(list, o)
	}
	return list
}

var roleFlags = map[string]bool{
	"superuser": true, "nosuperuser": true, "createrole": true, "nocreaterole": true, "createdb": true,
	"nocreatedb": true, "login": true, "nologin": true, "replication": true, "noreplication": true,
	"bypassrls": true, "nobypassrls": true, "inherit": true, "noinherit": true,
}

func (p *parser) roleList() *OptionValue {
	v := &OptionValue{Kind: OptionList, Pos: p.pos()}
	for _, r := range p.roleNames() {
		v.List = append(v.List, r.String())
	}
	return v
}

func (p *parser) alterRole(at stmtAt, word string) Stmt {
	if p.is("all") {
		p.next()
		s := &AlterSettingStmt{stmtAt: at, Kind: RoleObject}
		p.roleSetting(s)
		return s
	}
	r := p.roleName()
	switch {
	case p.acceptSeq("rename", "to"):
		return &RenameStmt{
			stmtAt: at, Kind: RoleObject, Name: ObjectName{Name: r.String(), Pos: r.Pos}, NewName: p.colID(),
		}
	case p.is("set"), p.is("reset"), p.is("in"):
		s := &AlterSettingStmt{stmtAt: at, Kind: RoleObject, Name: r.String()}
		p.roleSetting(s)
		return s
	case word == "group":
		p.unsupported(at.Pos, "ALTER GROUP")
	}
	p.accept("with")
	return &AlterRoleStmt{stmtAt: at, Name: r, Options: p.roleOptions()}
}

func (p *parser) roleSetting(s *AlterSettingStmt) {
	if p.acceptSeq("in", "database") {
		s.Database = p.colID()
	}
	if !p.is("set") && !p.is("reset") {
		p.fail()
	}
	s.Set = p.setting()
}

// reassign transcribes REASSIGN OWNED.
func (p *parser) reassign() Stmt {
	at := p.stmtHere()
	p.expectSeq("reassign", "owned", "by")
	s := &DropOwnedStmt{stmtAt: at, Roles: p.roleNames()}
	p.expect("to")
	r := p.roleName()
	s.To = &r
	return s
}
