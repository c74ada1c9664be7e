package parse

import "strings"

// createFunction transcribes CREATE FUNCTION.
func (p *parser) createFunction(at stmtAt, replace bool) Stmt {
	s := &CreateFunctionStmt{stmtAt: at, Replace: replace, BodyPos: -1}
	p.expect("function")
	s.Name = p.functionName()
	s.Params = p.functionParams(true)
	if p.accept("returns") {
		p.functionResult(s)
	}
	said := map[string]bool{}
	for p.functionOption(s, said) {
	}
	switch {
	case p.is("return"):
		p.next()
		start := p.i
		s.ReturnPos = p.pos()
		p.exprInto(&s.Return, p.expr)
		s.ReturnText = p.source(start)
	case p.ahead("begin", "atomic"):
		p.unsupported(p.pos(), "BEGIN ATOMIC")
	}
	return s
}

// functionName reads the name of a function.
func (p *parser) functionName() ObjectName {
	pos := p.pos()
	if p.look(1).kind != '.' {
		if !isTypeFuncName(&p.tok) {
			p.fail()
		}
		return ObjectName{Name: p.anyName(), Pos: pos}
	}
	return p.qualify([]string{p.colID()}, pos)
}

// functionParams reads the arguments of a function in parentheses.
func (p *parser) functionParams(defaults bool) []FunctionParam {
	p.expectKind('(')
	list := []FunctionParam{}
	for p.tok.kind != ')' {
		a := p.functionParam()
		if defaults && (p.is("default") || p.tok.isOp("=")) {
			p.next()
			start := p.i
			list = append(list, a)
			p.exprUnit(func() { p.expr() }, func(i int) func([]Expr) Expr {
				return func(args []Expr) Expr {
					list[i].Default = args[0]
					return nil
				}
			}(len(list)-1))
			list[len(list)-1].DefaultText = p.source(start)
		} else {
			list = append(list, a)
		}
		if p.tok.kind == ')' {
			break
		}
		p.expectKind(',')
		if p.tok.kind == ')' {
			p.fail()
		}
	}
	p.next()
	return list
}

// functionParam reads [mode] [name] type or name mode type.
func (p *parser) functionParam() FunctionParam {
	a := FunctionParam{Mode: 'i', Pos: p.pos()}
	moded := p.paramMode(&a)
	if p.paramNameAhead() {
		a.Name = p.anyName()
		if !moded {
			p.paramMode(&a)
		}
	}
	a.Type = p.typeName()
	return a
}

func (p *parser) paramMode(a *FunctionParam) bool {
	switch {
	case p.accept("in"):
		a.Mode = 'i'
		if p.accept("out") {
			a.Mode = 'b'
		}
	case p.accept("out"):
		a.Mode = 'o'
	case p.accept("inout"):
		a.Mode = 'b'
	case p.accept("variadic"):
		a.Mode = 'v'
	default:
		return false
	}
	return true
}

// paramNameAhead reports whether a name of an argument stands here: a word with another behind it that begins a type or a mode.
func (p *parser) paramNameAhead() bool {
	next := p.look(1)
	if !isTypeFuncName(&p.tok) || next.kind != tokIdent || p.is("double") && next.kw == "precision" || p.is("setof") {
		return false
	}
	switch next.kw {
	case "in", "out", "inout", "variadic", "setof":
		return true
	case "default", "array":
		return false
	}
	return isTypeFuncName(next) || isSQLType(next.kw)
}

// functionResult reads what follows RETURNS.
func (p *parser) functionResult(s *CreateFunctionStmt) {
	if !p.accept("table") {
		s.Returns = p.typeName()
		return
	}
	s.IsTable = true
	p.expectKind('(')
	for more := true; more; more = p.acceptKind(',') {
		a := FunctionParam{Mode: 't', Pos: p.pos()}
		if !isTypeFuncName(&p.tok) {
			p.fail()
		}
		a.Name = p.anyName()
		a.Type = p.typeName()
		s.Table = append(s.Table, a)
	}
	p.expectKind(')')
}

// functionOption reads one option of CREATE FUNCTION, if there is one.
func (p *parser) functionOption(s *CreateFunctionStmt, said map[string]bool) bool {
	pos := p.pos()
	once := func(what string) {
		if said[what] {
			p.failWith(pos, "conflicting or redundant options")
		}
		said[what] = true
	}
	volatility := map[string]byte{"immutable": 'i', "stable": 's', "volatile": 'v'}
	switch kw := p.tok.kw; {
	case p.accept("as"):
		once("as")
		p.functionBody(s)
	case p.accept("language"):
		once("language")
		if p.tok.kind == tokString {
			s.Language = p.anyName()
		} else {
			s.Language = p.nonReserved()
		}
	case volatility[kw] != 0:
		once("volatility")
		p.next()
		s.Volatility = volatility[kw]
	case p.accept("strict"):
		once("strict")
		s.Strict = true
	case p.acceptSeq("returns", "null", "on", "null", "input"):
		once("strict")
		s.Strict = true
	case p.acceptSeq("called", "on", "null", "input"):
		once("strict")
	case p.accept("leakproof"):
		once("leakproof")
		s.Leakproof = true
	case p.acceptSeq("not", "leakproof"):
		once("leakproof")
	case p.accept("parallel"):
		once("parallel")
		s.Parallel = p.colID()
	case p.accept("cost"):
		once("cost")
		s.Cost = p.signedNumber()
	case p.accept("rows"):
		once("rows")
		s.Rows = p.signedNumber()
	default:
		return p.functionRefusal(once)
	}
	return true
}

// functionRefusal reads the options that say nothing here and refuses those that would.
func (p *parser) functionRefusal(once func(string)) bool {
	pos := p.pos()
	p.accept("external")
	switch {
	case p.accept("security"):
		once("security")
		if p.accept("definer") {
			p.unsupported(pos, "SECURITY DEFINER")
		}
		p.expect("invoker")
	case p.is("window"), p.is("transform"), p.is("support"), p.is("set"):
		p.unsupported(pos, "CREATE FUNCTION with "+strings.ToUpper(p.tok.kw))
	default:
		return false
	}
	return true
}

// functionBody reads the text after AS.
func (p *parser) functionBody(s *CreateFunctionStmt) {
	tok := p.tok
	body := p.str()
	s.Body = &body
	if i := strings.Index(p.lex.text[tok.pos:tok.end], body); i >= 0 {
		s.BodyPos = tok.pos + i
	}
	if p.acceptKind(',') {
		p.unsupported(tok.pos, "an object file of a function")
	}
}

// functionRef reads a function as it is named where it is no call.
func (p *parser) functionRef() FunctionRef {
	f := FunctionRef{Name: p.functionName()}
	if p.tok.kind == '(' {
		f.Params, f.Listed = p.functionParams(false), true
	}
	return f
}

// dropFunction transcribes DROP FUNCTION.
func (p *parser) dropFunction(at stmtAt) Stmt {
	p.next()
	s := &DropFunctionStmt{stmtAt: at, IfExists: p.ifExists()}
	for more := true; more; more = p.acceptKind(',') {
		s.Functions = append(s.Functions, p.functionRef())
	}
	s.Cascade = p.cascade()
	return s
}

// alterFunction transcribes ALTER FUNCTION.
func (p *parser) alterFunction(at stmtAt) Stmt {
	p.next()
	s := &AlterFunctionStmt{stmtAt: at, Function: p.functionRef()}
	switch {
	case p.acceptSeq("rename", "to"):
		s.NewName = p.colID()
	case p.acceptSeq("owner", "to"):
		s.Owner = p.roleName().String()
	case p.acceptSeq("set", "schema"):
		s.Schema = p.colID()
	default:
		p.unsupported(at.Pos, "ALTER FUNCTION with these options")
	}
	return s
}
