package parse

import "minidb/sql/sqlerr"

// pos is the place of the current token. Go reads a plain field of a composite literal
// after the calls beside it, so p.tok.pos would be the place of a later token there.
func (p *parser) pos() int { return p.tok.pos }

// next moves to the next token.
func (p *parser) next() {
	p.i++
	p.tok = *p.look(0)
}

// look returns the token n after the current one. It is valid until the next call.
func (p *parser) look(n int) *token {
	for p.i+n >= len(p.toks) {
		p.toks = append(p.toks, p.lex.next())
	}
	return &p.toks[p.i+n]
}

// back returns to the token with index i, which was the current one before.
func (p *parser) back(i int) { p.i, p.tok = i, p.toks[i] }

// fail reports a syntax error at the current token, or at a later one that ahead found
// not to fit.
func (p *parser) fail() {
	if p.far > p.i {
		p.failAt(&p.toks[p.far])
	}
	p.failAt(&p.tok)
}

func (p *parser) failAt(t *token) {
	if t.kind == tokError {
		panic(bail{t.err})
	}
	panic(bail{errorAt(p.lex.text, "syntax error", t.pos, t.end)})
}

// failWith reports an error of the grammar that is more than an unexpected token.
func (p *parser) failWith(pos int, format string, args ...any) {
	panic(bail{sqlerr.New(sqlerr.SyntaxError, format, args...).At(Character(p.lex.text, pos))})
}

// unsupported refuses a feature that PostgreSQL has.
func (p *parser) unsupported(pos int, feature string) {
	panic(bail{sqlerr.Unsupported(feature).At(Character(p.lex.text, pos))})
}

// is reports whether the current token is the keyword kw.
func (p *parser) is(kw string) bool { return p.tok.kw == kw }

// lookIs reports whether the token n after the current one is the keyword kw.
func (p *parser) lookIs(n int, kw string) bool { return p.look(n).kw == kw }

// isWord reports whether the current token is the unquoted word w, which need not
// be a keyword of PostgreSQL's.
func (p *parser) isWord(w string) bool { return p.lookWord(0, w) }

func (p *parser) lookWord(n int, w string) bool {
	t := p.look(n)
	return t.kind == tokIdent && t.str == w && p.lex.text[t.pos] != '"'
}

// accept passes over the keyword kw if it is there.
func (p *parser) accept(kw string) bool {
	if p.tok.kw != kw {
		return false
	}
	p.next()
	return true
}

// acceptWord passes over the word w if it is there.
func (p *parser) acceptWord(w string) bool {
	if !p.isWord(w) {
		return false
	}
	p.next()
	return true
}

// acceptSeq passes over the keywords kws if all of them are there.
func (p *parser) acceptSeq(kws ...string) bool {
	if !p.ahead(kws...) {
		return false
	}
	for range kws {
		p.next()
	}
	return true
}

// ahead reports whether the keywords kws come next. When only the first of them do,
// and nothing else takes them, the error will be at the one that does not fit.
func (p *parser) ahead(kws ...string) bool {
	for i, kw := range kws {
		if !p.lookIs(i, kw) {
			if i > 0 {
				p.far = max(p.far, p.i+i)
			}
			return false
		}
	}
	return true
}

func (p *parser) expect(kw string) {
	if !p.accept(kw) {
		p.fail()
	}
}

func (p *parser) expectSeq(kws ...string) {
	for _, kw := range kws {
		p.expect(kw)
	}
}

func (p *parser) acceptKind(k tokenKind) bool {
	if p.tok.kind != k {
		return false
	}
	p.next()
	return true
}

func (p *parser) expectKind(k tokenKind) {
	if !p.acceptKind(k) {
		p.fail()
	}
}

func (p *parser) acceptOp(op string) bool {
	if !p.tok.isOp(op) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expectOp(op string) {
	if !p.acceptOp(op) {
		p.fail()
	}
}

// enter counts one level of nesting; leave ends it.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.tooDeep()
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) tooDeep() {
	panic(bail{sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("The statement nests too deeply, or chains too many operators.")})
}

// isColID reports whether t may name a column or a table.
func isColID(t *token) bool { return t.kind == tokIdent && t.cat <= colName }

// isTypeFuncName reports whether t may name a function or a type.
func isTypeFuncName(t *token) bool {
	return t.kind == tokIdent && (t.cat <= unreserved || t.cat == typeFunc)
}

// colID reads a name of a column, table or the like.
func (p *parser) colID() string {
	if !isColID(&p.tok) || p.is("nulls") && (p.lookIs(1, "first") || p.lookIs(1, "last")) {
		p.fail()
	}
	return p.anyName()
}

// label reads any word as a name, as after AS and a dot.
func (p *parser) label() string {
	if p.tok.kind != tokIdent || p.is("not") && p.wordLevel(false) != 0 {
		p.fail()
	}
	return p.anyName()
}

// nonReserved reads a word that is not reserved: a role, a savepoint's value.
func (p *parser) nonReserved() string {
	if p.tok.kind != tokIdent || p.tok.cat == reserved {
		p.fail()
	}
	return p.anyName()
}

func (p *parser) anyName() string {
	s := p.tok.str
	p.next()
	return s
}

// nameList reads names with commas between.
func (p *parser) nameList() []string {
	list := []string{p.colID()}
	for p.acceptKind(',') {
		list = append(list, p.colID())
	}
	return list
}

// parenNames reads a list of names in parentheses.
func (p *parser) parenNames() []string {
	p.expectKind('(')
	list := p.nameList()
	p.expectKind(')')
	return list
}

// optionalNames reads a list of names in parentheses if there is one.
func (p *parser) optionalNames() []string {
	if p.tok.kind != '(' {
		return nil
	}
	return p.parenNames()
}

// str reads a string literal.
func (p *parser) str() string {
	if p.tok.kind != tokString {
		p.fail()
	}
	return p.anyName()
}

// objectName reads a name with up to two qualifiers.
func (p *parser) objectName() ObjectName {
	pos := p.pos()
	return p.qualify([]string{p.colID()}, pos)
}

// qualify reads the rest of a dotted name.
func (p *parser) qualify(parts []string, pos int) ObjectName {
	for p.acceptKind('.') {
		parts = append(parts, p.label())
	}
	return p.toObjectName(parts, pos)
}

func (p *parser) toObjectName(parts []string, pos int) ObjectName {
	n := len(parts)
	if n > 3 {
		dotted := parts[0]
		for _, s := range parts[1:] {
			dotted += "." + s
		}
		p.failWith(pos, "improper qualified name (too many dotted names): %s", dotted)
	}
	name := ObjectName{Name: parts[n-1], Pos: pos}
	if n > 1 {
		name.Schema = parts[n-2]
	}
	if n > 2 {
		name.Catalog = parts[n-3]
	}
	return name
}

func (p *parser) objectNames() []ObjectName {
	list := []ObjectName{p.objectName()}
	for p.acceptKind(',') {
		list = append(list, p.objectName())
	}
	return list
}

// stmtHere is the place of a statement that begins at the current token.
func (p *parser) stmtHere() stmtAt { return stmtAt{At{p.pos()}} }

// failCode reports an error that is not a syntax error.
func (p *parser) failCode(code sqlerr.Code, pos int, format string, args ...any) {
	panic(bail{sqlerr.New(code, format, args...).At(Character(p.lex.text, pos))})
}
