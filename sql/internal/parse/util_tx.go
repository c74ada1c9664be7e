package parse

// beginStmt transcribes BEGIN and START TRANSACTION.
func (p *parser) beginStmt() Stmt {
	s := &TransactionStmt{stmtAt: p.stmtHere(), Kind: Begin}
	if p.accept("start") {
		s.Start = true
		p.expect("transaction")
	} else {
		p.next()
		p.transactionWord()
	}
	p.transactionModes(&s.Modes, false)
	return s
}

// transactionWord reads WORK or TRANSACTION if it is there.
func (p *parser) transactionWord() {
	if !p.accept("work") {
		p.accept("transaction")
	}
}

// transactionModes reads the modes of a transaction, with or without commas; must says
// that there has to be one.
func (p *parser) transactionModes(m *TransactionModes, must bool) {
	yes, no := true, false
	for n := 0; ; n++ {
		switch {
		case p.acceptSeq("isolation", "level"):
			m.Isolation = p.isolation()
		case p.acceptSeq("read", "only"):
			m.ReadOnly = &yes
		case p.acceptSeq("read", "write"):
			m.ReadOnly = &no
		case p.accept("deferrable"):
			m.Deferrable = &yes
		case p.acceptSeq("not", "deferrable"):
			m.Deferrable = &no
		default:
			if must && n == 0 {
				p.fail()
			}
			return
		}
		if p.acceptKind(',') {
			must, n = true, -1
		}
	}
}

func (p *parser) isolation() string {
	switch {
	case p.acceptSeq("read", "uncommitted"):
		return "read uncommitted"
	case p.acceptSeq("read", "committed"):
		return "read committed"
	case p.acceptSeq("repeatable", "read"):
		return "repeatable read"
	case p.accept("serializable"):
		return "serializable"
	}
	if p.is("read") || p.is("repeatable") {
		p.next()
	}
	p.fail()
	return ""
}

// commit transcribes COMMIT, END, and COMMIT PREPARED.
func (p *parser) commit() Stmt {
	s := &TransactionStmt{stmtAt: p.stmtHere(), Kind: Commit}
	if p.ahead("commit", "prepared") {
		p.next()
		p.next()
		s.Kind, s.Name = CommitPrepared, p.str()
		return s
	}
	p.next()
	p.transactionWord()
	p.chain(s)
	return s
}

func (p *parser) chain(s *TransactionStmt) {
	if !p.accept("and") {
		return
	}
	s.Chain = !p.accept("no")
	p.expect("chain")
}

// rollback transcribes ROLLBACK, ABORT, ROLLBACK TO and ROLLBACK PREPARED.
func (p *parser) rollback() Stmt {
	s := &TransactionStmt{stmtAt: p.stmtHere(), Kind: Rollback}
	abort := p.is("abort")
	p.next()
	if !abort && p.accept("prepared") {
		s.Kind, s.Name = RollbackPrepared, p.str()
		return s
	}
	p.transactionWord()
	if !abort && p.accept("to") {
		p.savepointWord()
		s.Kind, s.Name = RollbackToSavepoint, p.colID()
		return s
	}
	p.chain(s)
	return s
}

// savepointWord reads SAVEPOINT when it is not the name itself.
func (p *parser) savepointWord() {
	if isColID(p.look(1)) {
		p.accept("savepoint")
	}
}

func (p *parser) savepoint() Stmt {
	s := &TransactionStmt{stmtAt: p.stmtHere(), Kind: Savepoint}
	p.expect("savepoint")
	s.Name = p.colID()
	return s
}

func (p *parser) releaseSavepoint() Stmt {
	s := &TransactionStmt{stmtAt: p.stmtHere(), Kind: ReleaseSavepoint}
	p.expect("release")
	p.savepointWord()
	s.Name = p.colID()
	return s
}

// lock transcribes LOCK [TABLE].
func (p *parser) lock() Stmt {
	s := &LockStmt{stmtAt: p.stmtHere(), Mode: "access exclusive"}
	p.expect("lock")
	p.accept("table")
	s.Tables = p.relations()
	if p.accept("in") {
		s.Mode = p.lockMode()
		p.expect("mode")
	}
	s.NoWait = p.accept("nowait")
	return s
}

func (p *parser) lockMode() string {
	switch {
	case p.acceptSeq("access", "share"):
		return "access share"
	case p.acceptSeq("access", "exclusive"):
		return "access exclusive"
	case p.acceptSeq("row", "share"):
		return "row share"
	case p.acceptSeq("row", "exclusive"):
		return "row exclusive"
	case p.acceptSeq("share", "update", "exclusive"):
		return "share update exclusive"
	case p.acceptSeq("share", "row", "exclusive"):
		return "share row exclusive"
	case p.accept("share"):
		return "share"
	case p.accept("exclusive"):
		return "exclusive"
	}
	if p.is("access") || p.is("row") {
		p.next()
	}
	p.fail()
	return ""
}
