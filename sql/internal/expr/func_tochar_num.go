package expr

import (
	"math"
	"strconv"
	"strings"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// numCharFuncs are to_char of numbers.
var numCharFuncs = map[string]impl{
	"int4_to_char":    numToChar(int4Digits),
	"int8_to_char":    numToChar(int8Digits),
	"numeric_to_char": numToChar(numericDigits),
	"float4_to_char":  numToChar(func(p *numPattern, d types.Datum) (numDigits, error) { return floatDigits(p, d.Float(), 32, 6) }),
	"float8_to_char":  numToChar(func(p *numPattern, d types.Datum) (numDigits, error) { return floatDigits(p, d.Float(), 64, 15) }),
}

// numDigits is a number as a template's patterns take it.
type numDigits struct {
	text     string // digits with a point, without sign; or the whole text where the template has RN or EEEE
	negative bool
	after    int // the template's digits after the point, if the number has no more precision: else as the template has it
	before   int // the template's digits before the point, with those that V adds
}

func numToChar(digitsOf func(*numPattern, types.Datum) (numDigits, error)) impl {
	return impl{f2: func(_ *EvalContext, d, format types.Datum) (types.Datum, error) {
		if len(format.B) == 0 {
			return types.NewText(""), nil
		}
		p, err := numPatternOf(format.B)
		if err != nil {
			return types.Datum{}, err
		}
		n, err := digitsOf(p, d)
		if err != nil {
			return types.Datum{}, err
		}
		if p.exponent {
			return types.NewText(n.text), nil
		}
		out, err := writeNumber(p, n)
		return types.NewBytes(out), err
	}}
}

// plain is a number's digits from its text, which has a sign if it is negative.
func (p *numPattern) plain(text string) numDigits {
	n := numDigits{before: p.before, after: p.after}
	if p.multi {
		n.before += p.multiplier
	}
	n.text, n.negative = strings.TrimPrefix(text, "-"), strings.HasPrefix(text, "-")
	return n
}

// overflow is what a number shows as that has more digits than the template.
func overflow(before, after int) string {
	return strings.Repeat("#", before) + "." + strings.Repeat("#", after)
}

// noExponent is what NaN and the infinities show as with EEEE.
func (p *numPattern) noExponent() numDigits {
	b := []byte(strings.Repeat("#", p.before+p.after+6))
	b[0], b[p.before+1] = ' ', '.'
	return numDigits{text: string(b)}
}

// romanDigits is the number of RN.
func romanDigits(n int64) numDigits {
	if n < 1 || n > 3999 {
		return numDigits{text: strings.Repeat("#", 15)}
	}
	var b strings.Builder
	for _, r := range []struct {
		value int64
		text  string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for n >= r.value {
			b.WriteString(r.text)
			n -= r.value
		}
	}
	return numDigits{text: b.String()}
}

// scientific is EEEE of a float.
func scientific(f float64, bits, digits int) numDigits {
	text := strconv.FormatFloat(f, 'e', digits, bits)
	if text[0] != '-' {
		text = " " + text
	}
	return numDigits{text: text}
}

func int4Digits(p *numPattern, d types.Datum) (numDigits, error) {
	switch {
	case p.roman:
		return romanDigits(d.I), nil
	case p.exponent:
		return scientific(float64(d.I), 64, p.after), nil
	}
	v := int32(d.I)
	if p.multi {
		v *= int32(math.Pow(10, float64(p.multiplier))) // wraps, as PostgreSQL's
	}
	return withZeros(p, strconv.FormatInt(int64(v), 10)), nil
}

// withZeros gives an integer the digits after the point that the template has.
func withZeros(p *numPattern, text string) numDigits {
	if p.after > 0 {
		text += "." + strings.Repeat("0", p.after)
	}
	return p.plain(text)
}

func int8Digits(p *numPattern, d types.Datum) (numDigits, error) {
	switch {
	case p.roman:
		if d.I < math.MinInt32 || d.I > math.MaxInt32 {
			return numDigits{}, types.IntOutOfRange(types.Int4)
		}
		return romanDigits(d.I), nil
	case p.exponent:
		return numericDigits(p, types.NumericFromInt(d.I))
	}
	if p.multi {
		pow := math.Pow(10, float64(p.multiplier))
		if pow >= 1<<63 {
			return numDigits{}, types.IntOutOfRange(types.Int8)
		}
		var err error
		if d.I, err = types.IntMul(types.Int8, d.I, int64(pow)); err != nil {
			return numDigits{}, err
		}
	}
	return withZeros(p, strconv.FormatInt(d.I, 10)), nil
}

func numericDigits(p *numPattern, d types.Datum) (numDigits, error) {
	switch {
	case p.roman:
		i, err := types.NumericToInt(d, types.Int4)
		return romanDigits(i), err
	case p.exponent:
		if text := types.FormatText(nil, types.Numeric, d); !isFinite(d) && text != "" {
			return p.noExponent(), nil
		}
		return numericScientific(d, p.after)
	}
	if p.multi {
		ten, err := types.Input(nil, types.Numeric, []byte("1e"+strconv.Itoa(p.multiplier)))
		if err != nil {
			return numDigits{}, err
		}
		if d, err = types.NumericMul(d, ten); err != nil {
			return numDigits{}, err
		}
	}
	d, err := types.NumericRound(d, p.after)
	if err != nil {
		return numDigits{}, err
	}
	return p.plain(types.FormatText(nil, types.Numeric, d)), nil
}

// numericScientific is EEEE of a numeric: one digit before the point, unless rounding makes it two.
func numericScientific(d types.Datum, digits int) (numDigits, error) {
	text := strings.TrimPrefix(types.FormatText(nil, types.Numeric, d), "-")
	whole, frac, _ := strings.Cut(text, ".")
	exponent := len(whole) - 1
	if whole == "0" {
		if i := strings.IndexFunc(frac, func(r rune) bool { return r != '0' }); i >= 0 {
			exponent = -(i + 1)
		}
	}
	unit, err := types.Input(nil, types.Numeric, []byte("1e"+strconv.Itoa(exponent)))
	if err != nil {
		return numDigits{}, err
	}
	shifted, err := types.Input(nil, types.Numeric, []byte(types.FormatText(nil, types.Numeric, d)+"e"+strconv.Itoa(-exponent)))
	if err != nil {
		if shifted, err = types.NumericDiv(d, unit); err != nil {
			return numDigits{}, err
		}
	}
	if shifted, err = types.NumericRound(shifted, digits); err != nil {
		return numDigits{}, err
	}
	out := types.FormatText(nil, types.Numeric, shifted)
	sign := "+"
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	if out[0] != '-' {
		out = " " + out
	}
	return numDigits{text: out + "e" + sign + digits2(exponent)}, nil
}

func digits2(n int) string { return digits(int64(n), 2, true) }

// floatDigits keeps the digits that a float has for sure.
func floatDigits(p *numPattern, f float64, bits, certain int) (numDigits, error) {
	switch {
	case p.roman:
		r := math.RoundToEven(f)
		if !(r >= math.MinInt32 && r <= math.MaxInt32) {
			r = 0
		}
		return romanDigits(int64(r)), nil
	case p.exponent && (math.IsNaN(f) || math.IsInf(f, 0)):
		return p.noExponent(), nil
	case p.exponent:
		return scientific(f, 64, p.after), nil
	}
	if p.multi {
		m := math.Pow(10, float64(p.multiplier))
		if f *= m; bits == 32 {
			f = float64(float32(f))
		}
	}
	whole := len(formatFixed(math.Abs(f), 0))
	after := p.after
	switch {
	case whole >= certain:
		after = 0
	case whole+after > certain:
		after = certain - whole
	}
	n := p.plain(formatFixed(f, after))
	n.after = after
	return n, nil
}

// formatFixed is C's %.*f.
func formatFixed(f float64, digits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'f', digits, 64)
}

// unsupportedInput is the error of a pattern that only to_char has.
func unsupportedInput(name string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "\"%s\" not supported for input", name)
}
