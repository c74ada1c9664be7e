package parse

import "strings"

// set transcribes SET ….
func (p *parser) set() Stmt {
	at := p.stmtHere()
	p.expect("set")
	switch {
	case p.is("constraints") && !p.look(1).isOp("=") && !p.lookIs(1, "to"):
		return p.setConstraints(at)
	case p.ahead("session", "characteristics"):
		return p.characteristics(at)
	case p.isWord("cluster") && p.lookWord(1, "setting"):
		p.unsupported(at.Pos, "SET CLUSTER SETTING")
	}
	local := false
	if p.is("local") && p.setFollows() {
		p.next()
		local = true
	} else if p.is("session") && p.setFollows() && !p.lookIs(1, "authorization") {
		p.next()
	}
	if p.ahead("session", "characteristics") {
		return p.characteristics(at)
	}
	if p.is("transaction") && !p.look(1).isOp("=") && !p.lookIs(1, "to") && p.look(1).kind != '.' {
		return p.setTransaction(at, local)
	}
	s := p.setRest(at)
	if local {
		s.Scope = SetLocal
	}
	return s
}

// setFollows reports whether LOCAL or SESSION stands before what is set, and is not
// itself the name of a setting.
func (p *parser) setFollows() bool {
	t := p.look(1)
	return t.kind == tokIdent && t.kw != "to" && t.kw != "from"
}

// characteristics transcribes SESSION CHARACTERISTICS AS TRANSACTION ….
func (p *parser) characteristics(at stmtAt) Stmt {
	p.expectSeq("session", "characteristics", "as", "transaction")
	s := &SetTransactionStmt{stmtAt: at, Session: true}
	p.transactionModes(&s.Modes, true)
	return s
}

func (p *parser) setTransaction(at stmtAt, local bool) Stmt {
	s := &SetTransactionStmt{stmtAt: at, Local: local}
	p.expect("transaction")
	if p.accept("snapshot") {
		s.Modes.Snapshot = p.str()
		return s
	}
	p.transactionModes(&s.Modes, true)
	return s
}

// setting transcribes SET or RESET inside ALTER DATABASE, ROLE and SYSTEM.
func (p *parser) setting() Stmt {
	if p.is("reset") {
		return p.resetStmt()
	}
	at := p.stmtHere()
	p.expect("set")
	return p.setRest(at)
}

// setRest transcribes what follows SET [SESSION|LOCAL].
func (p *parser) setRest(at stmtAt) *SetStmt {
	s := &SetStmt{stmtAt: at}
	switch {
	case p.acceptSeq("time", "zone"):
		s.Name = "timezone"
		p.timeZone(s)
		return s
	case p.is("catalog") && p.look(1).kind == tokString:
		p.unsupported(p.pos(), "SET CATALOG")
	case p.is("schema") && p.look(1).kind == tokString:
		p.next()
		s.Name = "search_path"
		s.Values = []SetValue{p.setValue()}
		return s
	case p.is("names") && !p.look(1).isOp("=") && !p.lookIs(1, "to"):
		p.next()
		s.Name = "client_encoding"
		if p.tok.kind == tokString {
			s.Values = []SetValue{p.setValue()}
		} else {
			s.Default = true
			p.accept("default")
		}
		return s
	case p.is("role") && (p.look(1).kind == tokIdent && !p.lookIs(1, "to") || p.look(1).kind == tokString):
		p.next()
		s.Name = "role"
		s.Values = []SetValue{p.roleValue()}
		return s
	case p.acceptSeq("session", "authorization"):
		s.Name = "session_authorization"
		if p.accept("default") {
			s.Default = true
		} else {
			s.Values = []SetValue{p.roleValue()}
		}
		return s
	case p.ahead("xml", "option"):
		p.unsupported(p.pos(), "SET XML OPTION")
	}
	s.Name = p.settingName()
	if p.acceptSeq("from", "current") {
		s.FromCurrent = true
		return s
	}
	if !p.accept("to") {
		p.expectOp("=")
	}
	if p.accept("default") {
		s.Default = true
		return s
	}
	for more := true; more; more = p.acceptKind(',') {
		s.Values = append(s.Values, p.setValue())
	}
	return s
}

// settingName reads a setting's name, dotted names whole.
func (p *parser) settingName() string {
	name := p.colID()
	for p.acceptKind('.') {
		name += "." + p.colID()
	}
	return strings.ToLower(name)
}

// setValue reads a word, a string or a number.
func (p *parser) setValue() SetValue {
	v := SetValue{Pos: p.pos(), Kind: StringLiteral}
	switch {
	case p.tok.kind == tokString:
		v.Text = p.anyName()
	case p.tok.kind == tokInt, p.tok.kind == tokFloat, p.tok.isOp("-"), p.tok.isOp("+"):
		v.Text = p.signedNumber()
		v.Kind = numberLiteral(exprAt{}, v.Text).Kind
	case p.is("true"), p.is("false"), p.is("on"):
		v.Text, v.Word = p.anyName(), true
	default:
		v.Text, v.Word = p.nonReserved(), true
	}
	return v
}

func (p *parser) roleValue() SetValue {
	v := SetValue{Pos: p.pos(), Kind: StringLiteral, Word: p.tok.kind != tokString}
	if v.Word {
		v.Text = p.nonReserved()
	} else {
		v.Text = p.anyName()
	}
	return v
}

// timeZone reads the value of SET TIME ZONE.
func (p *parser) timeZone(s *SetStmt) {
	if p.accept("default") || p.accept("local") {
		s.Default = true
		return
	}
	if p.tok.kw != "" && !p.is("interval") {
		p.fail()
	}
	if !p.is("interval") {
		s.Values = []SetValue{p.setValue()}
		return
	}
	t := &TypeName{Names: []string{"pg_catalog", "interval"}, Pos: p.pos()}
	p.next()
	if p.tok.kind == '(' {
		t.Mods = []int32{IntervalFullRange, p.parenInt()}
	}
	v := SetValue{Pos: p.pos(), Kind: StringLiteral, Text: p.str(), Interval: t}
	if t.Mods == nil {
		t.Mods = p.intervalFields()
	}
	s.Values = []SetValue{v}
}

func (p *parser) setConstraints(at stmtAt) Stmt {
	s := &SetConstraintsStmt{stmtAt: at}
	p.expect("constraints")
	if !p.accept("all") {
		s.Names = p.objectNames()
	}
	if p.accept("deferred") {
		s.Deferred = true
	} else {
		p.expect("immediate")
	}
	return s
}

// resetStmt transcribes RESET.
func (p *parser) resetStmt() Stmt {
	s := &ResetStmt{stmtAt: p.stmtHere()}
	p.expect("reset")
	s.Name = p.settingWords()
	return s
}

// settingWords reads a setting's name, or the words that SQL has for some.
func (p *parser) settingWords() string {
	switch {
	case p.accept("all"):
		return "all"
	case p.acceptSeq("time", "zone"):
		return "timezone"
	case p.acceptSeq("transaction", "isolation", "level"):
		return "transaction_isolation"
	case p.acceptSeq("session", "authorization"):
		return "session_authorization"
	}
	return p.settingName()
}

// show transcribes SHOW of a setting, of jobs, or of what CockroachDB and TiDB show.
func (p *parser) show() Stmt {
	at := p.stmtHere()
	p.expect("show")
	if s := p.showObjects(at); s != nil {
		return s
	}
	return &ShowStmt{stmtAt: at, Name: p.settingWords()}
}

// showObjects reads the SHOW statements that PostgreSQL does not have. Those of one
// word are settings to PostgreSQL, but there are no settings of these names.
func (p *parser) showObjects(at stmtAt) Stmt {
	word := p.tok.str
	if p.tok.kind != tokIdent {
		return nil
	}
	next := p.look(1)
	from := next.kw == "from" || next.kw == "for" || next.kw == "in"
	switch {
	case word == "jobs" && next.kind != '.':
		p.next()
		return &ShowJobsStmt{stmtAt: at}
	case word == "job", word == "import" && (p.lookWord(1, "job") || p.lookWord(1, "jobs")):
		return p.showJob(at)
	case word == "create" && next.kw == "table":
		p.next()
		p.next()
		return &ShowObjectsStmt{stmtAt: at, What: "create table", From: p.objectName()}
	case word == "tables", word == "databases", word == "schemas", word == "users":
		p.next()
		s := &ShowObjectsStmt{stmtAt: at, What: word}
		if from {
			p.next()
			s.From = p.objectName()
		}
		return s
	case (word == "columns" || word == "indexes" || word == "index") && from:
		p.next()
		p.next()
		if word == "index" {
			word = "indexes"
		}
		return &ShowObjectsStmt{stmtAt: at, What: word, From: p.objectName()}
	case from, word == "cluster" && p.lookWord(1, "setting"):
		p.unsupported(at.Pos, "SHOW "+strings.ToUpper(word))
	}
	return nil
}

// showJob reads JOB id, IMPORT JOB id and IMPORT JOBS.
func (p *parser) showJob(at stmtAt) Stmt {
	s := &ShowJobsStmt{stmtAt: at}
	p.acceptWord("import")
	if p.acceptWord("jobs") {
		return s
	}
	p.next()
	p.exprInto(&s.ID, p.expr)
	return s
}

// discard transcribes DISCARD.
func (p *parser) discard() Stmt {
	s := &DiscardStmt{stmtAt: p.stmtHere()}
	p.expect("discard")
	switch p.tok.kw {
	case "all", "plans", "sequences", "temp":
		s.What = p.tok.kw
	case "temporary":
		s.What = "temp"
	default:
		p.fail()
	}
	p.next()
	return s
}

func (p *parser) alterSystem(at stmtAt) Stmt {
	p.expect("system")
	if !p.is("set") && !p.is("reset") {
		p.fail()
	}
	return &AlterSystemStmt{stmtAt: at, Set: p.setting()}
}
