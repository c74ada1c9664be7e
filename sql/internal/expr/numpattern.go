package expr

import (
	"strings"
	"sync"
	"unicode/utf8"

	"minidb/sql/sqlerr"
)

// A numeric template of to_char and to_number is read into a numPattern: its items in order, and what all of them say
// together of the number's digits and sign.

// numKey is a pattern; numText is literal text.
type numKey uint8

const (
	numText numKey = iota
	numComma
	numPoint
	num0
	num9
	numB
	numC
	numD
	numE
	numFM
	numG
	numL
	numMI
	numPL
	numPR
	numRN
	numLowerRN
	numSG
	numSP
	numS
	numTH
	numLowerTH
	numV
)

// numKeys are the patterns in all upper or all lower case, longer ones before those they begin with.
var numKeys = []struct {
	name string
	key  numKey
}{
	{"EEEE", numE},
	{"FM", numFM},
	{"MI", numMI},
	{"PL", numPL},
	{"PR", numPR},
	{"RN", numRN},
	{"SG", numSG},
	{"SP", numSP},
	{"TH", numTH},
	{",", numComma},
	{".", numPoint},
	{"0", num0},
	{"9", num9},
	{"B", numB},
	{"C", numC},
	{"D", numD},
	{"G", numG},
	{"L", numL},
	{"S", numS},
	{"V", numV},
}

// numItem is a pattern or a literal character.
type numItem struct {
	key  numKey
	text string
}

// signPlace says where the sign of S goes.
type signPlace uint8

const (
	signNone signPlace = iota
	signBefore
	signAfter
)

// numPattern is a template.
type numPattern struct {
	items []numItem

	before, after int // digits before and after the point
	multiplier    int // digits after V
	anchor        int // digits before the S that stands before the point
	// zeroStart is the number of the digit, from 1, at which a 0 stands first before the point; zeroEnd is how many digits
	// there are up to the last 0.
	zeroStart, zeroEnd int
	sign               signPlace

	point, fillMode, zero, blank, hasS, bracket, minus, plus, roman, multi, exponent bool
}

// numPatterns keeps those that were used last.
var numPatterns = struct {
	sync.Mutex
	byText map[string]*numPattern
}{byText: map[string]*numPattern{}}

const maxKeptPatterns = 64

// numPatternOf reads a template. What it gives must not be changed. Errors are 42601.
func numPatternOf(format []byte) (*numPattern, error) {
	numPatterns.Lock()
	p := numPatterns.byText[string(format)]
	numPatterns.Unlock()
	if p != nil {
		return p, nil
	}
	p = &numPattern{}
	if err := p.read(string(format)); err != nil {
		return nil, err
	}
	numPatterns.Lock()
	defer numPatterns.Unlock()
	if len(numPatterns.byText) >= maxKeptPatterns {
		clear(numPatterns.byText)
	}
	numPatterns.byText[string(format)] = p
	return p, nil
}

func (p *numPattern) read(f string) error {
	for f != "" {
		if name, key, ok := matchNumKey(f); ok {
			if err := p.note(key); err != nil {
				return err
			}
			p.items = append(p.items, numItem{key: key})
			f = f[len(name):]
			continue
		}
		var text []string
		text, f = literalText(f)
		for _, c := range text {
			p.items = append(p.items, numItem{text: c})
		}
	}
	return nil
}

func matchNumKey(f string) (name string, key numKey, ok bool) {
	for _, k := range numKeys {
		if strings.HasPrefix(f, k.name) {
			return k.name, k.key, true
		}
		if !strings.HasPrefix(f, strings.ToLower(k.name)) {
			continue
		}
		switch k.key {
		case numRN:
			return k.name, numLowerRN, true
		case numTH:
			return k.name, numLowerTH, true
		}
		return k.name, k.key, true
	}
	return "", 0, false
}

// literalText takes the literal characters off the front of a template: those in quotes, in which a backslash makes the next
// one ordinary, or one without quotes, where it does so before a quote only.
func literalText(f string) (chars []string, rest string) {
	if f[0] != '"' {
		if len(f) > 1 && f[0] == '\\' && f[1] == '"' {
			f = f[1:]
		}
		_, n := utf8.DecodeRuneInString(f)
		return []string{f[:n]}, f[n:]
	}
	for f = f[1:]; f != ""; {
		if f[0] == '"' {
			return chars, f[1:]
		}
		if f[0] == '\\' && len(f) > 1 {
			f = f[1:]
		}
		_, n := utf8.DecodeRuneInString(f)
		chars, f = append(chars, f[:n]), f[n:]
	}
	return chars, ""
}

func badPattern(format string, args ...any) error {
	return sqlerr.New(sqlerr.SyntaxError, format, args...)
}

// note takes in what a pattern says of the number.
func (p *numPattern) note(key numKey) error {
	if p.exponent && key != numE {
		return badPattern("\"EEEE\" must be the last pattern used")
	}
	switch key {
	case num9, num0:
		return p.noteDigit(key)
	case numB:
		if p.before == 0 && p.after == 0 && !p.zero {
			p.blank = true
		}
	case numD, numPoint:
		switch {
		case p.point:
			return badPattern("multiple decimal points")
		case p.multi:
			return badPattern("cannot use \"V\" and decimal point together")
		}
		p.point = true
	case numFM:
		p.fillMode = true
	case numS, numMI, numPL, numSG, numPR:
		return p.noteSign(key)
	case numRN, numLowerRN:
		p.roman = true
	case numV:
		if p.point {
			return badPattern("cannot use \"V\" and decimal point together")
		}
		p.multi = true
	case numE:
		switch {
		case p.exponent:
			return badPattern("cannot use \"EEEE\" twice")
		case p.blank || p.fillMode || p.hasS || p.bracket || p.minus || p.plus || p.roman || p.multi:
			return sqlerr.New(sqlerr.SyntaxError, "\"EEEE\" is incompatible with other formats").
				WithDetail("\"EEEE\" may only be used together with digit and decimal point patterns.")
		}
		p.exponent = true
	}
	return nil
}

func (p *numPattern) noteDigit(key numKey) error {
	if p.bracket {
		digit := "9"
		if key == num0 {
			digit = "0"
		}
		return badPattern("\"%s\" must be ahead of \"PR\"", digit)
	}
	if key == num9 && p.multi {
		p.multiplier++
		return nil
	}
	if key == num0 && !p.zero && !p.point {
		p.zero, p.zeroStart = true, p.before+1
	}
	if p.point {
		p.after++
	} else {
		p.before++
	}
	if key == num0 {
		p.zeroEnd = p.before + p.after
	}
	return nil
}

func (p *numPattern) noteSign(key numKey) error {
	if key == numS {
		switch {
		case p.hasS:
			return badPattern("cannot use \"S\" twice")
		case p.plus || p.minus || p.bracket:
			return badPattern("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together")
		}
		p.hasS = true
		if !p.point {
			p.sign, p.anchor = signBefore, p.before
		} else if p.sign == signNone {
			p.sign = signAfter
		}
		return nil
	}
	if key == numPR {
		if p.hasS || p.plus || p.minus {
			return badPattern("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together")
		}
		p.bracket = true
		return nil
	}
	name := map[numKey]string{numMI: "MI", numPL: "PL", numSG: "SG"}[key]
	if p.hasS {
		return badPattern("cannot use \"S\" and \"%s\" together", name)
	}
	p.minus = p.minus || key != numPL
	p.plus = p.plus || key != numMI
	return nil
}
