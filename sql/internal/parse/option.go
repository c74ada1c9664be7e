package parse

import "strings"

// optionValue reads the value of an option: a word, a string or a number.
func (p *parser) optionValue() *OptionValue {
	v := &OptionValue{Pos: p.pos()}
	switch {
	case p.tok.kind == tokString:
		v.Kind, v.Text = OptionString, p.anyName()
	case p.tok.kind == tokIdent:
		v.Kind, v.Text = OptionWord, p.anyName()
		for p.acceptKind('.') {
			v.Text += "." + p.label()
		}
	case p.tok.kind == tokInt, p.tok.kind == tokFloat, p.tok.isOp("-"), p.tok.isOp("+"):
		v.Text = p.signedNumber()
		v.Kind = OptionInt
		if strings.ContainsAny(v.Text, ".eE") {
			v.Kind = OptionFloat
		}
	default:
		p.fail()
	}
	return v
}

// plainValue is optionValue without the reserved words, of which only TRUE, FALSE, ON and,
// with deflt, DEFAULT are values.
func (p *parser) plainValue(deflt bool) *OptionValue {
	if p.tok.cat == reserved && !p.is("true") && !p.is("false") && !p.is("on") && !(deflt && p.is("default")) {
		p.fail()
	}
	return p.optionValue()
}

// definition reads (name [= value], …), as in WITH (fillfactor = 70).
func (p *parser) definition() []Option {
	p.expectKind('(')
	var list []Option
	for more := true; more; more = p.acceptKind(',') {
		o := Option{Pos: p.pos(), Name: p.label()}
		if p.acceptKind('.') {
			o.Name += "." + p.label()
		}
		if p.acceptOp("=") {
			o.Value = p.definitionValue()
		}
		list = append(list, o)
	}
	p.expectKind(')')
	return list
}

// definitionValue is optionValue where a word is a type or reserved.
func (p *parser) definitionValue() *OptionValue {
	if k := p.look(1).kind; p.tok.kind == tokOp && k != tokInt && k != tokFloat {
		return &OptionValue{Kind: OptionWord, Pos: p.pos(), Text: p.anyName()}
	}
	if p.tok.cat != colName || p.is("none") {
		return p.optionValue()
	}
	start := p.i
	p.typeName()
	return &OptionValue{Kind: OptionWord, Text: strings.ToLower(p.source(start)), Pos: p.toks[start].pos}
}

// genericOptions reads (name [value], …), as in EXPLAIN, COPY and VACUUM. A value may
// be a list or a star. With label any word names an option, as in COPY.
func (p *parser) genericOptions(label bool) []Option {
	p.expectKind('(')
	var list []Option
	for more := true; more; more = p.acceptKind(',') {
		o := Option{Pos: p.pos()}
		if p.tok.kind != tokIdent || !label && p.tok.cat == reserved && p.tok.kw != "analyze" && p.tok.kw != "analyse" {
			p.fail()
		}
		o.Name = p.anyName()
		if p.tok.kind != ',' && p.tok.kind != ')' {
			o.Value = p.genericValue()
		}
		list = append(list, o)
	}
	p.expectKind(')')
	return list
}

// genericValue reads a value, a list of them in parentheses, or a star.
func (p *parser) genericValue() *OptionValue {
	switch {
	case p.tok.isOp("*"):
		v := &OptionValue{Kind: OptionStar, Pos: p.pos()}
		p.next()
		return v
	case p.tok.kind == '(':
		return p.optionList()
	}
	return p.plainValue(false)
}

// optionList reads (a, 'b', …).
func (p *parser) optionList() *OptionValue {
	v := &OptionValue{Kind: OptionList, Pos: p.pos()}
	p.expectKind('(')
	for more := true; more; more = p.acceptKind(',') {
		if p.tok.kind != tokIdent && p.tok.kind != tokString {
			p.fail()
		}
		v.List = append(v.List, p.anyName())
	}
	p.expectKind(')')
	return v
}
