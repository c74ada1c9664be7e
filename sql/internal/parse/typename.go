package parse

import "strconv"

// sqlTypes are the types whose names are SQL's own grammar, and how PostgreSQL's
// parser calls them.
var sqlTypes = map[string]string{
	"int": "int4", "integer": "int4", "smallint": "int2", "bigint": "int8", "real": "float4",
	"float": "float8", "double": "float8", "decimal": "numeric", "dec": "numeric", "numeric": "numeric",
	"boolean": "bool", "bit": "bit", "character": "bpchar", "char": "bpchar", "varchar": "varchar",
	"national": "bpchar", "nchar": "bpchar", "timestamp": "timestamp", "time": "time", "interval": "interval",
}

// isSQLType reports whether a keyword may begin one of SQL's own types.
func isSQLType(kw string) bool { return sqlTypes[kw] != "" }

// typeName reads a type with its array bounds.
func (p *parser) typeName() *TypeName {
	pos := p.pos()
	setOf := p.accept("setof")
	t := p.simpleType()
	t.Pos = pos
	t.SetOf = setOf
	if p.accept("array") {
		bound := int32(-1)
		if p.acceptKind('[') {
			bound = p.int32()
			p.expectKind(']')
		}
		t.ArrayBounds = []int32{bound}
		return t
	}
	for p.tok.kind == '[' {
		p.next()
		bound := int32(-1)
		if p.tok.kind == tokInt {
			bound = p.int32()
		}
		p.expectKind(']')
		t.ArrayBounds = append(t.ArrayBounds, bound)
	}
	return t
}

// int32 reads a plain integer.
func (p *parser) int32() int32 {
	if p.tok.kind != tokInt {
		p.fail()
	}
	v, err := strconv.ParseInt(p.tok.str, 10, 32)
	if err != nil {
		p.fail()
	}
	p.next()
	return int32(v)
}

func (p *parser) simpleType() *TypeName {
	pos := p.pos()
	if isSQLType(p.tok.kw) && (p.tok.kw != "double" || p.lookIs(1, "precision")) {
		return p.sqlType(false)
	}
	if !isTypeFuncName(&p.tok) {
		p.fail()
	}
	t := &TypeName{Names: []string{p.anyName()}, Pos: pos}
	for p.acceptKind('.') {
		t.Names = append(t.Names, p.label())
	}
	if p.tok.isOp("%") && p.lookIs(1, "type") {
		p.unsupported(p.pos(), "%TYPE")
	}
	if p.tok.kind == '(' {
		t.Mods = p.typeMods()
	}
	return t
}

// typeMods reads (n, …).
func (p *parser) typeMods() []int32 {
	p.expectKind('(')
	var mods []int32
	for more := true; more; more = p.acceptKind(',') {
		minus := 0
		if p.tok.isOp("-") {
			minus = 1
		}
		k := p.look(minus + 1).kind
		if p.look(minus).kind != tokInt || k != ',' && k != ')' {
			p.otherMods()
		}
		p.acceptOp("-")
		n := p.int32()
		if minus == 1 {
			n = -n
		}
		mods = append(mods, n)
	}
	p.expectKind(')')
	return mods
}

// otherMods refuses modifiers that are other expressions than integers.
func (p *parser) otherMods() {
	pos := p.pos()
	p.newUnit(func() { p.exprList() }, nil)
	p.expectKind(')')
	p.unsupported(pos, "type modifiers that are not integers")
}

// literalType reads a type in front of a string. Nothing is certain yet: it reports
// false where the words are no such type.
func (p *parser) literalType() (*TypeName, bool) {
	kw := p.tok.kw
	next := p.look(1)
	switch kw {
	case "double":
		if next.kw != "precision" {
			return nil, false
		}
	case "national":
		if next.kw != "character" && next.kw != "char" {
			return nil, false
		}
	default:
		if next.kind == tokString || next.kind == '(' {
			break
		}
		switch next.kw {
		case "varying", "with", "without":
		default:
			return nil, false
		}
	}
	if !p.literalModsAhead() {
		return nil, false
	}
	return p.sqlType(true), true
}

// literalModsAhead reports whether the parentheses after a type's name, if there are
// any, hold integers only.
func (p *parser) literalModsAhead() bool {
	n := 1
	for p.look(n).kind == tokIdent {
		switch p.look(n).kw {
		case "varying", "precision", "character", "char":
			n++
			continue
		case "with", "without":
			return p.lookIs(n+1, "time")
		}
		return false
	}
	if p.look(n).kind != '(' {
		return p.look(n).kind == tokString
	}
	for {
		if p.look(n+1).kind != tokInt {
			return false
		}
		n += 2
		if p.look(n).kind == ',' {
			continue
		}
		return p.look(n).kind == ')'
	}
}

// sqlType reads one of SQL's own types. In front of a literal a bare char has no
// length; elsewhere its length is 1.
func (p *parser) sqlType(literal bool) *TypeName {
	pos, kw := p.pos(), p.tok.kw
	p.next()
	t := &TypeName{Names: []string{"pg_catalog", sqlTypes[kw]}, Pos: pos}
	switch kw {
	case "double":
		p.expect("precision")
	case "float":
		if p.tok.kind == '(' {
			p.floatPrecision(t)
		}
	case "decimal", "dec", "numeric":
		if p.tok.kind == '(' {
			t.Mods = p.typeMods()
		}
	case "bit":
		if p.accept("varying") {
			t.Names[1] = "varbit"
		} else if !literal {
			t.Mods = []int32{1}
		}
		if p.tok.kind == '(' {
			t.Mods = p.typeMods()
		}
	case "character", "char", "varchar", "national", "nchar":
		p.charType(t, kw, literal)
	case "timestamp", "time":
		p.timeType(t)
	case "interval":
		if p.tok.kind == '(' {
			t.Mods = []int32{IntervalFullRange, p.parenInt()}
		} else if !literal {
			t.Mods = p.intervalFields()
		}
	}
	return t
}

func (p *parser) parenInt() int32 {
	p.expectKind('(')
	n := p.int32()
	p.expectKind(')')
	return n
}

func (p *parser) floatPrecision(t *TypeName) {
	pos := p.look(1).pos
	switch n := p.parenInt(); {
	case n < 1:
		p.failCode("22023", pos, "precision for type float must be at least 1 bit")
	case n <= 24:
		t.Names[1] = "float4"
	case n > 53:
		p.failCode("22023", pos, "precision for type float must be less than 54 bits")
	}
}

func (p *parser) charType(t *TypeName, kw string, literal bool) {
	if kw == "national" && !p.accept("character") {
		p.expect("char")
	}
	if kw != "varchar" && p.accept("varying") {
		t.Names[1] = "varchar"
	}
	switch {
	case p.tok.kind == '(':
		t.Mods = []int32{p.parenInt()}
	case t.Names[1] == "bpchar" && !literal:
		t.Mods = []int32{1}
	}
}

func (p *parser) timeType(t *TypeName) {
	if p.tok.kind == '(' {
		t.Mods = []int32{p.parenInt()}
	}
	switch {
	case p.is("with") && p.lookIs(1, "time"):
		p.next()
		p.expectSeq("time", "zone")
		t.Names[1] += "tz"
	case p.ahead("without", "time"):
		p.next()
		p.expectSeq("time", "zone")
	}
}

// intervalBits are the fields of an interval's type.
var intervalBits = map[string]int32{
	"year": IntervalYear, "month": IntervalMonth, "day": IntervalDay,
	"hour": IntervalHour, "minute": IntervalMinute, "second": IntervalSecond,
}

func intervalField(kw string) bool { return intervalBits[kw] != 0 }

// intervalFields reads YEAR TO MONTH and the like, if they are there.
func (p *parser) intervalFields() []int32 {
	from := p.tok.kw
	if !intervalField(from) {
		return nil
	}
	p.next()
	mask, last := intervalBits[from], from
	if from != "second" && from != "month" && p.is("to") {
		p.next()
		last = p.tok.kw
		between := p.intervalRange(from, last)
		if between == 0 {
			p.fail()
		}
		p.next()
		mask = between
	}
	if last == "second" && p.tok.kind == '(' {
		return []int32{mask, p.parenInt()}
	}
	return []int32{mask}
}

// intervalRange is the mask of all fields of from TO to, 0 when SQL has no such range.
func (p *parser) intervalRange(from, to string) int32 {
	if from == "year" {
		if to == "month" {
			return IntervalYear | IntervalMonth
		}
		return 0
	}
	order := []string{"day", "hour", "minute", "second"}
	mask, on := int32(0), false
	for _, f := range order {
		if on || f == from {
			mask |= intervalBits[f]
			if on && f == to {
				return mask
			}
			on = true
		}
	}
	return 0
}
