package parse

import (
	"math"
	"strconv"
)

// explain transcribes EXPLAIN.
func (p *parser) explain() Stmt {
	s := &ExplainStmt{stmtAt: p.stmtHere()}
	p.expect("explain")
	if p.tok.kind == '(' && !p.queryInParens() {
		s.Options = p.genericOptions(false)
	} else {
		if p.is("analyze") || p.is("analyse") {
			s.Options = append(s.Options, Option{Name: "analyze", Pos: p.pos()})
			p.next()
		}
		if p.is("verbose") {
			s.Options = append(s.Options, Option{Name: "verbose", Pos: p.pos()})
			p.next()
		}
	}
	switch p.tok.kw {
	case "create":
		// EXPLAIN takes CREATE TABLE AS and CREATE MATERIALIZED VIEW alone.
		c := p.tok
		s.Query = p.create()
		if t, ok := s.Query.(*CreateTableStmt); !ok || t.As == nil {
			p.failAt(&c)
		}
	case "declare":
		s.Query = p.declare()
	case "execute":
		s.Query = p.execute()
	case "refresh":
		s.Query = p.refresh()
	default:
		s.Query = p.preparable()
	}
	return s
}

// prepare transcribes PREPARE and PREPARE TRANSACTION.
func (p *parser) prepare() Stmt {
	at := p.stmtHere()
	p.expect("prepare")
	if p.is("transaction") && p.look(1).kind == tokString {
		p.next()
		return &TransactionStmt{stmtAt: at, Kind: PrepareTransaction, Name: p.str()}
	}
	s := &PrepareStmt{stmtAt: at, Name: p.colID()}
	if p.acceptKind('(') {
		for more := true; more; more = p.acceptKind(',') {
			s.Types = append(s.Types, p.typeName())
		}
		p.expectKind(')')
	}
	p.expect("as")
	start := p.i
	outer := p.params
	p.params = 0
	s.Query = p.preparable()
	s.Text, s.Params = p.source(start), p.params
	p.params = outer
	return s
}

func (p *parser) execute() Stmt {
	s := &ExecuteStmt{stmtAt: p.stmtHere()}
	p.expect("execute")
	s.Name = p.colID()
	if p.acceptKind('(') {
		p.exprUnit(func() { p.exprList() }, func(args []Expr) Expr {
			s.Args = args
			return nil
		})
		p.expectKind(')')
	}
	return s
}

func (p *parser) deallocate() Stmt {
	s := &DeallocateStmt{stmtAt: p.stmtHere()}
	p.expect("deallocate")
	if isColID(p.look(1)) || p.lookIs(1, "all") {
		p.accept("prepare")
	}
	if !p.accept("all") {
		s.Name = p.colID()
	}
	return s
}

// declare transcribes DECLARE … CURSOR.
func (p *parser) declare() Stmt {
	s := &DeclareCursorStmt{stmtAt: p.stmtHere()}
	yes, no := true, false
	p.expect("declare")
	s.Name = p.colID()
	for !p.is("cursor") {
		switch {
		case p.accept("binary"):
			s.Binary = true
		case p.accept("scroll"):
			s.Scroll = &yes
		case p.acceptSeq("no", "scroll"):
			s.Scroll = &no
		case p.accept("insensitive"):
			s.Insensitive = &yes
		case p.accept("asensitive"):
			s.Insensitive = &no
		default:
			p.fail()
		}
	}
	p.next()
	if p.accept("with") {
		p.expect("hold")
		s.Hold = true
	} else if p.acceptSeq("without", "hold") {
		s.Hold = false
	}
	p.expect("for")
	start := p.i
	q, ok := p.preparable().(*SelectStmt)
	if !ok {
		p.failAt(&p.toks[start])
	}
	s.Query = q
	return s
}

// fetchStmt transcribes FETCH and MOVE.
func (p *parser) fetchStmt() Stmt {
	s := &FetchStmt{stmtAt: p.stmtHere(), Count: 1, Move: p.is("move")}
	p.next()
	switch kw := p.tok.kw; {
	case p.tok.cat != reserved && (p.look(1).kind == tokEOF || p.look(1).kind == ';'):
		// The words below may also be the cursor's name.
	case p.accept("next"):
	case p.accept("prior"):
		s.Direction = FetchBackward
	case p.accept("first"):
		s.Direction = FetchAbsolute
	case p.accept("last"):
		s.Direction, s.Count = FetchAbsolute, -1
	case p.accept("absolute"), p.accept("relative"):
		s.Direction = FetchAbsolute
		if kw == "relative" {
			s.Direction = FetchRelative
		}
		s.Count = p.signedInt()
	case p.accept("all"):
		s.All = true
	case p.accept("forward"), p.accept("backward"):
		if kw == "backward" {
			s.Direction = FetchBackward
		}
		if p.accept("all") {
			s.All = true
		} else if p.signedAhead() {
			s.Count = p.signedInt()
		}
	case p.signedAhead():
		s.Count = p.signedInt()
	}
	if !p.accept("from") {
		p.accept("in")
	}
	s.Name = p.colID()
	return s
}

func (p *parser) signedAhead() bool {
	return p.tok.kind == tokInt || p.tok.isOp("-") || p.tok.isOp("+")
}

// signedInt reads an integer of 32 bits with its sign.
func (p *parser) signedInt() int64 {
	t := p.tok
	n, err := strconv.ParseInt(p.signedNumber(), 10, 64)
	if err != nil || n > math.MaxInt32 || n < -math.MaxInt32 {
		p.failAt(&t)
	}
	return n
}

func (p *parser) closeStmt() Stmt {
	s := &CloseStmt{stmtAt: p.stmtHere()}
	p.expect("close")
	if !p.accept("all") {
		s.Name = p.colID()
	}
	return s
}

func (p *parser) refresh() Stmt {
	s := &RefreshStmt{stmtAt: p.stmtHere()}
	p.expectSeq("refresh", "materialized", "view")
	s.Concurrently = p.accept("concurrently")
	s.Name = p.objectName()
	if p.accept("with") {
		s.NoData = p.accept("no")
		p.expect("data")
	}
	return s
}

// callStmt transcribes CALL.
func (p *parser) callStmt() Stmt {
	s := &CallStmt{stmtAt: p.stmtHere()}
	p.expect("call")
	if !p.functionAhead() {
		p.nameOperandError()
	}
	p.exprUnit(func() { p.nameOperand() }, func(args []Expr) Expr {
		call, ok := args[0].(*FuncCall)
		if !ok {
			bug("CALL of a %T", args[0])
		}
		s.Call = call
		return nil
	})
	return s
}

// nameOperandError reports what stands where a function call has to.
func (p *parser) nameOperandError() {
	p.colID()
	for p.acceptKind('.') {
		p.label()
	}
	p.fail()
}

// do transcribes DO.
func (p *parser) do() Stmt {
	s := &DoStmt{stmtAt: p.stmtHere(), Language: "plpgsql"}
	p.expect("do")
	for n := 0; ; n++ {
		switch {
		case p.accept("language"):
			if p.tok.kind == tokString {
				s.Language = p.anyName()
			} else {
				s.Language = p.nonReserved()
			}
		case p.tok.kind == tokString:
			s.Body = p.anyName()
		default:
			if n == 0 {
				p.fail()
			}
			return s
		}
	}
}
