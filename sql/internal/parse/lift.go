package parse

import (
	"math"
	"strconv"
	"strings"
)

// Lifted is a statement's text with parameters in place of some of its literals, and what these were. Its memory is used again by the
// next Lift.
type Lifted struct {
	// Text is the statement with $1, $2, … for the values. A text from which nothing was lifted is the original one.
	Text   []byte
	Values []LiftedValue
	parens []parenKind
}

// LiftedValue is a literal that was lifted: an integer of type int4 or int8, as its value demands, or a string, whose type is unknown.
type LiftedValue struct {
	Kind LiftedKind
	Int  int64
	Text string
}

// LiftedKind says what a literal is.
type LiftedKind uint8

// The literals that are lifted.
const (
	LiftedInt4 LiftedKind = iota
	LiftedInt8
	LiftedString
)

// Bounds of what Lift works on.
const (
	maxLiftedBytes    = 4096
	maxLiftedLiterals = 64
)

// parenKind is what a parenthesis is for.
type parenKind uint8

const (
	parenOther parenKind = iota
	parenValues
	parenIn
)

// placeKind is what Lift knows of the token before the one it looks at.
type placeKind uint8

const (
	placeStart   placeKind = iota
	placeOperand           // a value ends here
	placeWord              // a keyword after which a value may stand, or another word
	placeLift              // a value that stands here may be lifted
	placeComma
	placeOpen
	placeOther // an operator or keyword after which nothing is lifted
)

// lifter walks over a text once.
type lifter struct {
	out    *Lifted
	text   string
	at     int
	copied int // text up to here is in out
	prev   placeKind
	next   parenKind // of a parenthesis that opens now
	closed parenKind // of the one that closed last
}

// Lift lifts literals out of the text of one SELECT, INSERT, UPDATE or DELETE: those that are compared, computed with or assigned, and
// those in the lists of VALUES and IN. There a parameter of the same type means the same. It leaves alone literals whose place gives
// them another meaning: positions in ORDER BY and GROUP BY, LIMIT, modifiers of types, typed literals, what is cast or subscripted.
// It reports false for texts that are not for it: long ones, those with comments, parameters, several statements, strings with escapes.
//
// It accepts more than the parser does: whether Text is a statement is for Parse to say.
func Lift(text string, out *Lifted) bool {
	out.Text, out.Values, out.parens = out.Text[:0], out.Values[:0], out.parens[:0]
	if len(text) > maxLiftedBytes || !isLiftable(text) {
		return false
	}
	l := lifter{out: out, text: text}
	for l.at < len(text) {
		if !l.token() {
			return false
		}
	}
	out.Text = append(out.Text, text[l.copied:]...)
	return true
}

// isLiftable looks at the first word.
func isLiftable(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if len(text) < 7 {
		return false
	}
	switch text[0] | 0x20 {
	case 's':
		return strings.EqualFold(text[:6], "select")
	case 'i':
		return strings.EqualFold(text[:6], "insert")
	case 'u':
		return strings.EqualFold(text[:6], "update")
	case 'd':
		return strings.EqualFold(text[:6], "delete")
	}
	return false
}

// token moves over the next token. False: the text is not for Lift.
func (l *lifter) token() bool {
	c := l.text[l.at]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		l.at++
		return true
	case c >= '0' && c <= '9':
		return l.number(l.at, false)
	case c == '\'':
		return l.literal()
	case c == '"':
		return l.quoted()
	case isWordByte(c):
		return l.word()
	case c == '(' || c == ')' || c == ',':
		return l.punctuation(c)
	case c == ';':
		return strings.TrimRight(l.text[l.at+1:], " \t\r\n;") == "" && l.rest()
	case c == ':':
		if !strings.HasPrefix(l.text[l.at:], "::") {
			return false
		}
		l.at += 2
		l.prev = placeOther
		return true
	case c == '.' || c == '[' || c == ']':
		l.at++
		l.prev = placeOther
		if c == ']' {
			l.prev = placeOperand
		}
		return true
	case isOperatorByte(c):
		return l.operator()
	}
	return false // $, \, control characters, …
}

// rest ends the walk: there are only semicolons left.
func (l *lifter) rest() bool {
	l.at = len(l.text)
	return true
}

func (l *lifter) punctuation(c byte) bool {
	l.at++
	parens := l.out.parens
	switch c {
	case '(':
		// The rows of VALUES stand one after the other.
		if l.prev == placeComma && l.closed == parenValues {
			l.next = parenValues
		}
		l.out.parens = append(parens, l.next)
		l.prev, l.next, l.closed = placeOpen, parenOther, parenOther
	case ')':
		if len(parens) == 0 {
			return false
		}
		l.closed = parens[len(parens)-1]
		l.out.parens = parens[:len(parens)-1]
		l.prev = placeOperand
	default:
		l.prev = placeComma
	}
	return true
}

// word moves over a name or keyword.
func (l *lifter) word() bool {
	from := l.at
	for l.at < len(l.text) && (isWordByte(l.text[l.at]) || l.text[l.at] >= '0' && l.text[l.at] <= '9') {
		l.at++
	}
	if l.at < len(l.text) && (l.text[l.at] == '\'' || l.text[l.at] == '$' || l.text[l.at] == '&') {
		return false // E'…', U&'…', a$b
	}
	w := l.text[from:l.at]
	l.prev, l.next, l.closed = placeOperand, parenOther, parenOther
	switch len(w) {
	case 2:
		if strings.EqualFold(w, "in") {
			l.prev, l.next = placeWord, parenIn
		} else if strings.EqualFold(w, "or") || strings.EqualFold(w, "on") || strings.EqualFold(w, "by") || strings.EqualFold(w, "as") {
			l.prev = placeWord
		}
	case 3:
		if strings.EqualFold(w, "and") {
			l.prev = placeLift
		} else if strings.EqualFold(w, "set") || strings.EqualFold(w, "not") {
			l.prev = placeWord
		}
	case 6:
		if strings.EqualFold(w, "values") {
			l.prev, l.next = placeWord, parenValues
		} else if strings.EqualFold(w, "select") {
			l.prev = placeWord
			if n := len(l.out.parens); n > 0 {
				l.out.parens[n-1] = parenOther
			}
		}
	case 7:
		if strings.EqualFold(w, "between") {
			l.prev = placeLift
		}
	}
	return true
}

// quoted moves over a quoted name.
func (l *lifter) quoted() bool {
	end := strings.IndexByte(l.text[l.at+1:], '"')
	if end < 0 {
		return false
	}
	l.at += end + 2
	l.prev, l.next, l.closed = placeOperand, parenOther, parenOther
	return true
}

// operator moves over an operator, by PostgreSQL's rule of where it ends.
func (l *lifter) operator() bool {
	from, special := l.at, false
	for l.at < len(l.text) && isOperatorByte(l.text[l.at]) {
		special = special || strings.IndexByte("~!@#%^&|`?", l.text[l.at]) >= 0
		l.at++
	}
	op := l.text[from:l.at]
	if strings.Contains(op, "--") || strings.Contains(op, "/*") {
		return false
	}
	for len(op) > 1 && !special && (op[len(op)-1] == '-' || op[len(op)-1] == '+') {
		op = op[:len(op)-1]
	}
	l.at = from + len(op)
	if op == "-" && l.prev != placeOperand {
		return l.sign(from)
	}
	switch op {
	case "=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "%", "||":
		l.prev = placeLift
	default:
		l.prev = placeOther
	}
	return true
}

// sign moves over a minus that is not between two values, and over the number it belongs to if that is to be lifted.
func (l *lifter) sign(from int) bool {
	at := l.at
	for at < len(l.text) && l.text[at] == ' ' {
		at++
	}
	if l.mayLift() && at < len(l.text) && l.text[at] >= '0' && l.text[at] <= '9' {
		l.at = at
		return l.number(from, true)
	}
	l.prev = placeOther
	return true
}

// mayLift reports whether a literal that stands here may be lifted.
func (l *lifter) mayLift() bool {
	switch l.prev {
	case placeLift:
		return true
	case placeComma, placeOpen:
		n := len(l.out.parens)
		return n > 0 && l.out.parens[n-1] != parenOther
	}
	return false
}

// number moves over a number whose sign, if there is one, is at from.
func (l *lifter) number(from int, negative bool) bool {
	start, isInt := l.at, true
	for l.at < len(l.text) {
		c := l.text[l.at]
		if c == '.' || c|0x20 == 'e' {
			isInt = false
			if c|0x20 == 'e' && l.at+1 < len(l.text) && (l.text[l.at+1] == '-' || l.text[l.at+1] == '+') {
				l.at++
			}
		} else if c < '0' || c > '9' {
			break
		}
		l.at++
	}
	if l.at < len(l.text) && (isWordByte(l.text[l.at]) || l.text[l.at] == '$') {
		return false
	}
	may, between := l.mayLift() && isInt && !l.isCast(), l.prev == placeLift && !negative
	l.prev = placeOperand
	if !may {
		return true
	}
	digits := l.text[start:l.at]
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return true
	}
	if negative {
		v = -v
	}
	lit := LiftedValue{Kind: LiftedInt4, Int: v}
	if v < math.MinInt32 || v > math.MaxInt32 {
		// After a minus that only seems to stand between two values the sign might belong to the number and make it an int4.
		if lit.Kind = LiftedInt8; between && v == math.MaxInt32+1 {
			return true
		}
	}
	return l.lift(from, lit)
}

// literal moves over a string.
func (l *lifter) literal() bool {
	from := l.at
	if l.prev == placeOperand && from > 0 && l.text[from-1] == '\'' {
		return false
	}
	l.at++
	escaped := false
	for {
		end := strings.IndexByte(l.text[l.at:], '\'')
		if end < 0 {
			return false
		}
		l.at += end + 1
		if l.at >= len(l.text) || l.text[l.at] != '\'' {
			break
		}
		escaped = true
		l.at++
	}
	may := l.mayLift() && !l.isCast()
	if next := strings.TrimLeft(l.text[l.at:], " \t\r\n"); next != "" && next[0] == '\'' {
		return false // goes on
	}
	l.prev = placeOperand
	if !may {
		return true
	}
	s := l.text[from+1 : l.at-1]
	if escaped {
		s = strings.ReplaceAll(s, "''", "'")
	}
	return l.lift(from, LiftedValue{Kind: LiftedString, Text: s})
}

// isCast reports whether what stands at the place has a cast, a subscript or a collation after it.
func (l *lifter) isCast() bool {
	next := strings.TrimLeft(l.text[l.at:], " \t\r\n")
	return next != "" && (next[0] == ':' || next[0] == '[')
}

// lift puts a parameter in place of the text from from on.
func (l *lifter) lift(from int, lit LiftedValue) bool {
	out := l.out
	if len(out.Values) == maxLiftedLiterals {
		return false
	}
	out.Values = append(out.Values, lit)
	out.Text = append(append(out.Text, l.text[l.copied:from]...), '$')
	out.Text = strconv.AppendInt(out.Text, int64(len(out.Values)), 10)
	// A word may stand right after a literal, not after a parameter's number.
	if l.at < len(l.text) && (isWordByte(l.text[l.at]) || l.text[l.at] >= '0' && l.text[l.at] <= '9') {
		out.Text = append(out.Text, ' ')
	}
	l.copied = l.at
	return true
}

func isWordByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

func isOperatorByte(c byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0 }
