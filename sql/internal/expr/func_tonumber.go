package expr

import (
	"strings"
	"unicode/utf8"

	"minidb/sql/types"
)

// toNumberFuncs are the reading of numbers by a template.
var toNumberFuncs = map[string]impl{"numeric_to_number": {f2: toNumber}}

// numReader reads a number by a template.
type numReader struct {
	p         *numPattern
	in        string // what is left
	sign      byte   // 0: none read
	number    []byte // digits and point
	before    int    // digits read
	after     int
	pointRead bool
}

func toNumber(_ *EvalContext, text, format types.Datum) (types.Datum, error) {
	if len(format.B) == 0 {
		return types.NullDatum, nil
	}
	p, err := numPatternOf(format.B)
	switch {
	case err != nil:
		return types.Datum{}, err
	case p.exponent:
		return types.Datum{}, unsupportedInput("EEEE")
	case p.roman:
		return types.Datum{}, unsupportedInput("RN")
	}
	r := &numReader{p: p, in: string(text.B)}
	for _, item := range p.items {
		if r.in == "" {
			break
		}
		r.item(item)
	}
	number := strings.TrimSuffix(string(r.number), ".")
	sign := byte(' ')
	if r.sign != 0 {
		sign = r.sign
	}
	scale := r.after
	t := types.NumericPS(p.before+p.multiplier+scale, scale)
	d, err := types.Input(nil, t, append([]byte{sign}, number...))
	if err != nil || !p.multi {
		return d, err
	}
	shift, err := numericPower(types.NumericFromInt(10), types.NumericFromInt(int64(-p.multiplier)))
	if err != nil {
		return types.Datum{}, err
	}
	return types.NumericMul(d, shift)
}

// skip drops a character.
func (r *numReader) skip() {
	_, n := utf8.DecodeRuneInString(r.in)
	r.in = r.in[n:]
}

// skipOther drops up to n characters that are no part of a number.
func (r *numReader) skipOther(n int) {
	for ; n > 0 && r.in != "" && !strings.ContainsRune("0123456789.,+-", rune(r.in[0])); n-- {
		r.skip()
	}
}

// item reads what stands for one item of the template.
func (r *numReader) item(item numItem) {
	switch item.key {
	case numText:
		r.skip()
	case num0, num9, numPoint, numD:
		if r.digit(item.key); r.in != "" {
			r.in = r.in[1:]
		}
	case numComma, numG:
		// Without digits before it FM has no separator.
		if !r.p.fillMode && r.in[0] == ',' {
			r.in = r.in[1:]
		}
	case numL:
		r.skipOther(1)
	case numTH, numLowerTH:
		if !r.p.point {
			r.skipOther(2)
		}
	case numMI:
		r.ownSign("-")
	case numPL:
		r.ownSign("+")
	case numSG:
		r.ownSign("+-")
	}
}

func (r *numReader) ownSign(signs string) {
	if strings.IndexByte(signs, r.in[0]) < 0 {
		r.skipOther(1)
		return
	}
	r.sign = r.in[0]
	r.in = r.in[1:]
}

// digit reads a digit, the point or a sign next to them. It leaves the last character that it read, which the caller drops.
func (r *numReader) digit(key numKey) {
	if r.in[0] == ' ' {
		if r.in = r.in[1:]; r.in == "" {
			return
		}
	}
	if r.sign == 0 && (key == num0 || key == num9) && r.before+r.after == 0 {
		if r.signBefore(); r.in == "" {
			return
		}
	}
	read := false
	switch c := r.in[0]; {
	case isDigit(c):
		if r.pointRead && r.after == r.p.after {
			return
		}
		r.number = append(r.number, c)
		if r.pointRead {
			r.after++
		} else {
			r.before++
		}
		read = true
	case r.p.point && !r.pointRead && c == '.':
		r.number = append(r.number, '.')
		r.pointRead, read = true, true
	}
	if r.sign == 0 && r.before+r.after > 0 {
		r.signAfter(read)
	}
}

// signBefore reads a sign before the first digit.
func (r *numReader) signBefore() {
	own := r.p.hasS && r.p.sign == signBefore
	switch c := r.in[0]; {
	case c == '-' || c == '<' && r.p.bracket && !own:
		r.sign = '-'
	case c == '+':
		r.sign = '+'
	default:
		return
	}
	r.in = r.in[1:]
}

// signAfter reads a sign after the last digit: read tells that a digit or the point was read right before it.
func (r *numReader) signAfter(read bool) {
	switch {
	case r.p.hasS && read && len(r.in) > 1 && !isDigit(r.in[1]):
		if c := r.in[1]; c == '-' || c == '+' {
			r.sign, r.in = c, r.in[1:]
		}
	case !read && !r.p.hasS && (r.p.plus || r.p.minus):
		if c := r.in[0]; c == '-' || c == '+' {
			r.sign = c
		}
	}
}
