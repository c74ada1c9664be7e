package expr

import (
	"strings"

	"minidb/sql/sqlerr"
)

// numWriter writes a number by a template.
type numWriter struct {
	p      *numPattern
	number string
	at     int // of the next character of number
	out    []byte

	err        error
	negative   bool
	signDone   bool // the sign is written, or none is wanted
	inNumber   bool // a digit of the number has been written by the last digit pattern
	after      int  // digits after the point
	lead       int  // blanks, or zeros, before the number
	digit      int  // how many digit patterns there were
	last       int  // of the number's characters, the last that FM leaves; -1: all
	count      int  // of the digit patterns after which the closing sign comes
	zeroStart  int  // from 0
	sign       signPlace
	hasS       bool
	bracket    bool
	point      bool
	hasNumeric bool // not RN
}

// writeNumber writes digits by a template without EEEE.
func writeNumber(p *numPattern, n numDigits) ([]byte, error) {
	w := &numWriter{p: p, number: n.text, negative: n.negative, after: n.after, last: -1, zeroStart: p.zeroStart, hasNumeric: !p.roman}
	if w.zeroStart > 0 {
		w.zeroStart--
	}
	if p.roman {
		w.out = make([]byte, 0, 16)
		return w.run(), nil
	}
	w.sign, w.hasS, w.bracket, w.point = p.sign, p.hasS, p.bracket, p.point
	whole := strings.IndexByte(w.number, '.')
	if whole < 0 {
		whole = len(w.number)
	}
	switch {
	case whole < n.before:
		w.lead = n.before - whole
	case whole > n.before:
		w.number = overflow(n.before, n.after)
	}
	w.prepareSign(n.before)
	w.count = n.after + n.before - 1
	if p.fillMode && p.point {
		w.last = w.lastRelevant()
	}
	if !w.signDone && w.lead == 0 {
		w.count++
	}
	out := w.run()
	return out, w.err
}

// prepareSign decides who writes the sign: MI, PL and SG write it themselves.
func (w *numWriter) prepareSign(before int) {
	p := w.p
	if p.plus || p.minus {
		w.signDone = !p.plus || p.minus
		return
	}
	if !w.negative && p.fillMode {
		w.bracket = false
	}
	w.signDone = !w.negative && p.fillMode && !w.hasS
	if w.sign == signBefore && before == p.anchor {
		w.sign = signAfter
	}
}

// lastRelevant is the place of the last character that FM leaves: the last digit after the point that is not 0, else the
// point; but digits that a 0 stands for stay. -1: there is no point.
func (w *numWriter) lastRelevant() int {
	dot := strings.IndexByte(w.number, '.')
	if dot < 0 {
		return -1
	}
	last := dot
	for i := dot + 1; i < len(w.number); i++ {
		if w.number[i] != '0' {
			last = i
		}
	}
	if w.p.zeroEnd > w.lead {
		last = max(last, min(len(w.number)-1, w.p.zeroEnd-w.lead))
	}
	return last
}

func (w *numWriter) run() []byte {
	for _, item := range w.p.items {
		switch item.key {
		case numText:
			w.out = append(w.out, item.text...)
		case num0, num9, numPoint, numD:
			if w.hasNumeric {
				w.digitPattern(item.key)
			}
		case numComma, numG:
			switch {
			case w.inNumber:
				w.out = append(w.out, ',')
			case !w.p.fillMode:
				w.out = append(w.out, ' ')
			}
		case numL:
			w.out = append(w.out, ' ')
		case numRN, numLowerRN:
			w.roman(item.key)
		case numTH, numLowerTH:
			w.ordinal(item.key == numTH)
		case numMI:
			w.ownSign(w.negative && w.hasNumeric, '-')
		case numPL:
			w.ownSign(!w.negative && w.hasNumeric, '+')
		case numSG:
			switch {
			case !w.hasNumeric:
				w.out = append(w.out, 0)
			case w.negative:
				w.out = append(w.out, '-')
			default:
				w.out = append(w.out, '+')
			}
		}
	}
	// PostgreSQL's text ends at a zero byte.
	if i := strings.IndexByte(string(w.out), 0); i >= 0 {
		w.out = w.out[:i]
	}
	return w.out
}

// ownSign writes a sign that has a place of its own.
func (w *numWriter) ownSign(wanted bool, sign byte) {
	switch {
	case wanted:
		w.out = append(w.out, sign)
	case !w.p.fillMode:
		w.out = append(w.out, ' ')
	}
}

func (w *numWriter) roman(key numKey) {
	text := w.number
	if key == numLowerRN {
		text = strings.ToLower(text)
	}
	if pad := 15 - len(text); !w.p.fillMode && pad > 0 {
		w.out = append(w.out, strings.Repeat(" ", pad)...)
	}
	w.out = append(w.out, text...)
}

func (w *numWriter) ordinal(upper bool) {
	if !w.hasNumeric || w.point || w.negative || w.number[0] == '#' {
		return
	}
	if !isDigit(w.number[len(w.number)-1]) {
		w.err = sqlerr.New(sqlerr.InvalidTextRepresentation, "\"%s\" is not a number", w.number)
		return
	}
	w.out = append(w.out, ordinal(w.number, upper)...)
}

// beforePoint: the 0 of 0.5, which is shown as a blank where no 0 stands in the template.
func (w *numWriter) beforePoint() bool {
	return !w.p.zero && w.at == 0 && w.number[0] == '0' && w.after != 0
}

func (w *numWriter) lastIsPoint() bool { return w.last >= 0 && w.number[w.last] == '.' }

// digitPattern writes what stands at one digit pattern, or at the point.
func (w *numWriter) digitPattern(key numKey) {
	w.inNumber = false
	p := w.p
	if !w.signDone && (w.digit >= w.lead || p.zero && w.zeroStart == w.digit) && (!w.beforePoint() || w.lastIsPoint()) {
		w.openingSign()
	}
	switch {
	case w.digit < w.lead && (w.zeroStart > w.digit || !p.zero):
		if !p.fillMode {
			w.out = append(w.out, ' ')
		}
	case w.digit < w.lead && p.zero:
		w.out = append(w.out, '0')
		w.inNumber = true
	default:
		w.next(key)
	}
	end := w.count
	if w.lead > 0 {
		end++
	}
	if p.point {
		end++
	}
	if w.last >= 0 && w.last == w.at {
		end = w.digit
	}
	if w.digit+1 == end {
		w.closingSign()
	}
	w.digit++
}

// next writes the number's next character.
func (w *numWriter) next(key numKey) {
	if w.at >= len(w.number) {
		// Past its end PostgreSQL writes the zero byte that ends it.
		if w.last < 0 || key == num0 {
			w.out = append(w.out, 0)
			w.inNumber = true
		}
		return
	}
	switch c := w.number[w.at]; {
	case c == '.':
		if !w.lastIsPoint() || w.p.fillMode {
			w.out = append(w.out, '.')
		}
	case w.last >= 0 && w.at > w.last && key != num0:
	case w.beforePoint():
		if !w.p.fillMode {
			w.out = append(w.out, ' ')
		} else if w.lastIsPoint() {
			w.out = append(w.out, '0')
		}
	default:
		w.out = append(w.out, c)
		w.inNumber = true
	}
	w.at++
}

func (w *numWriter) openingSign() {
	switch {
	case w.hasS:
		if w.sign != signBefore {
			return
		}
		if w.negative {
			w.out = append(w.out, '-')
		} else {
			w.out = append(w.out, '+')
		}
	case w.bracket:
		if w.negative {
			w.out = append(w.out, '<')
		} else {
			w.out = append(w.out, ' ')
		}
	case w.negative:
		w.out = append(w.out, '-')
	case !w.p.fillMode:
		w.out = append(w.out, ' ')
	}
	w.signDone = true
}

func (w *numWriter) closingSign() {
	switch {
	case w.signDone && w.bracket:
		if w.negative {
			w.out = append(w.out, '>')
		} else {
			w.out = append(w.out, ' ')
		}
	case w.hasS && w.sign == signAfter:
		if w.negative {
			w.out = append(w.out, '-')
		} else {
			w.out = append(w.out, '+')
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
