package parse

import "strings"

// statements are what the words that begin a statement transcribe.
var statements map[string]func(p *parser) Stmt

func init() {
	statements = map[string]func(p *parser) Stmt{
		"select": (*parser).preparable, "values": (*parser).preparable, "table": (*parser).preparable,
		"with": (*parser).preparable, "insert": (*parser).preparable, "update": (*parser).preparable,
		"delete": (*parser).preparable, "merge": (*parser).preparable,

		"create": (*parser).create, "alter": (*parser).alter, "drop": (*parser).drop,
		"truncate": (*parser).truncate, "comment": (*parser).comment, "refresh": (*parser).refresh,

		"begin": (*parser).beginStmt, "start": (*parser).beginStmt, "commit": (*parser).commit,
		"end": (*parser).commit, "rollback": (*parser).rollback, "abort": (*parser).rollback,
		"savepoint": (*parser).savepoint, "release": (*parser).releaseSavepoint, "lock": (*parser).lock,

		"set": (*parser).set, "show": (*parser).show, "reset": (*parser).resetStmt, "discard": (*parser).discard,

		"explain": (*parser).explain, "prepare": (*parser).prepare, "execute": (*parser).execute,
		"deallocate": (*parser).deallocate, "declare": (*parser).declare, "fetch": (*parser).fetchStmt,
		"move": (*parser).fetchStmt, "close": (*parser).closeStmt, "call": (*parser).callStmt, "do": (*parser).do,

		"copy": (*parser).copyStmt, "vacuum": (*parser).vacuum, "analyze": (*parser).analyze,
		"analyse": (*parser).analyze, "reindex": (*parser).reindex, "cluster": (*parser).cluster,
		"checkpoint": func(p *parser) Stmt {
			s := &CheckpointStmt{p.stmtHere()}
			p.next()
			return s
		},

		"listen": (*parser).listen, "unlisten": (*parser).listen, "notify": (*parser).listen,
		"grant": (*parser).grant, "revoke": (*parser).grant, "reassign": (*parser).reassign,

		"import": (*parser).importStmt,
		"cancel": func(p *parser) Stmt { return p.jobControl(CancelJob) },
		"pause":  func(p *parser) Stmt { return p.jobControl(PauseJob) },
		"resume": func(p *parser) Stmt { return p.jobControl(ResumeJob) },
	}
}

// foreignWords begin statements of PostgreSQL, CockroachDB or TiDB that are refused by
// name.
var foreignWords = map[string]string{
	"security": "SECURITY LABEL", "load": "LOAD", "upsert": "UPSERT", "use": "USE", "export": "EXPORT",
	"backup": "BACKUP", "restore": "RESTORE",
}

// statement transcribes one statement. SELECT INTO is CREATE TABLE AS.
func (p *parser) statement() Stmt {
	s := p.anyStatement()
	if p.into == nil {
		return s
	}
	if s != Stmt(p.into.query) {
		p.unsupported(p.into.pos, "SELECT INTO inside another statement")
	}
	t := p.into.table
	t.Pos, t.As = s.Position(), s
	return t
}

func (p *parser) anyStatement() Stmt {
	if p.tok.kind == '(' {
		return p.preparable()
	}
	if p.tok.kind != tokIdent || p.lex.text[p.pos()] == '"' {
		p.fail()
	}
	if f := statements[p.tok.str]; f != nil {
		return f(p)
	}
	if what := foreignWords[p.tok.str]; what != "" {
		p.unsupported(p.pos(), strings.ToUpper(what))
	}
	p.fail()
	return nil
}
