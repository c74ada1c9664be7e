package expr

import (
	"strconv"
	"unicode/utf8"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// formatFuncs is format(text, …).
var formatFuncs = map[string]impl{
	"text_format":    {typed: formatText},
	"text_format_nv": {typed: formatText},
}

// formatSpec is one %[position$][-][width]type of a format.
type formatSpec struct {
	position   int  // argument, from 1; 0 = the next
	left       bool // fill on the right
	width      int
	widthArg   bool // the width is an argument: *, or *n$ with widthIndex
	widthIndex int
	kind       byte // s, I or L
}

func formatText(ec *EvalContext, exprs []Expr, args []types.Datum) (types.Datum, error) {
	if args[0].Null {
		return types.NullDatum, nil
	}
	f := args[0].B
	out := []byte{}
	next := 1
	for i := 0; i < len(f); {
		if f[i] != '%' {
			out = append(out, f[i])
			i++
			continue
		}
		if i++; i < len(f) && f[i] == '%' {
			out = append(out, '%')
			i++
			continue
		}
		spec, used, err := parseSpec(f[i:])
		if err != nil {
			return types.Datum{}, err
		}
		i += used
		if out, next, err = appendSpec(ec, out, spec, next, exprs, args); err != nil {
			return types.Datum{}, err
		}
		if len(out) > maxTextBytes {
			return types.Datum{}, tooLarge()
		}
	}
	return types.NewBytes(out), nil
}

func unterminated() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unterminated format() type specifier").
		WithHint("For a single \"%\" use \"%%\".")
}

func positionZero() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1")
}

// parseSpec reads what follows the percent sign and gives its length.
func parseSpec(f []byte) (spec formatSpec, used int, err error) {
	i := 0
	number := func() (int, bool, error) {
		start := i
		for i < len(f) && f[i]-'0' <= 9 {
			i++
		}
		if start == i {
			return 0, false, nil
		}
		n, err := strconv.ParseInt(string(f[start:i]), 10, 32)
		if err != nil {
			return 0, false, sqlerr.New(sqlerr.NumericValueOutOfRange, "number is out of range")
		}
		return int(n), true, nil
	}
	n, ok, err := number()
	if err != nil {
		return spec, 0, err
	}
	switch {
	case ok && i < len(f) && f[i] == '$':
		if n == 0 {
			return spec, 0, positionZero()
		}
		spec.position = n
		i++
	case ok:
		spec.width = n
	}
	if !ok || spec.position > 0 {
		for i < len(f) && f[i] == '-' {
			spec.left = true
			i++
		}
		if i < len(f) && f[i] == '*' {
			i++
			spec.widthArg = true
			n, ok, err := number()
			if err != nil {
				return spec, 0, err
			}
			if ok {
				if i >= len(f) || f[i] != '$' {
					return spec, 0, sqlerr.New(sqlerr.InvalidParameterValue, "width argument position must be ended by \"$\"")
				}
				if n == 0 {
					return spec, 0, positionZero()
				}
				spec.widthIndex = n
				i++
			}
		} else if spec.width, _, err = number(); err != nil {
			return spec, 0, err
		}
	}
	if i >= len(f) {
		return spec, 0, unterminated()
	}
	switch f[i] {
	case 's', 'I', 'L':
		spec.kind = f[i]
		return spec, i + 1, nil
	}
	r, _ := utf8.DecodeRune(f[i:])
	return spec, 0, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized format() type specifier \"%c\"", r).
		WithHint("For a single \"%\" use \"%%\".")
}

func appendSpec(ec *EvalContext, out []byte, spec formatSpec, next int, exprs []Expr, args []types.Datum) ([]byte, int, error) {
	take := func(position int) (types.Datum, types.Type, error) {
		if position == 0 {
			position = next
		}
		next = position + 1
		if position >= len(args) {
			return types.Datum{}, types.Type{}, sqlerr.New(sqlerr.InvalidParameterValue, "too few arguments for format()")
		}
		return args[position], exprs[position].Type(), nil
	}
	if spec.widthArg {
		d, t, err := take(spec.widthIndex)
		if err != nil {
			return nil, 0, err
		}
		if !d.Null {
			if d, err = types.Cast(ec.Types, d, t, types.Int4, types.CastExplicit); err != nil {
				return nil, 0, err
			}
			spec.width = int(d.I)
		}
	}
	if spec.width < 0 {
		spec.left, spec.width = true, -spec.width
	}
	if spec.width > maxTextBytes {
		return nil, 0, tooLarge()
	}
	d, t, err := take(spec.position)
	if err != nil {
		return nil, 0, err
	}
	var text []byte
	switch {
	case d.Null && spec.kind == 'I':
		return nil, 0, sqlerr.New(sqlerr.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
	case d.Null && spec.kind == 'L':
		text = []byte("NULL")
	case d.Null:
	default:
		text = types.AppendText(ec.Types, nil, t, d)
		switch spec.kind {
		case 'I':
			text = []byte(parse.QuoteIdent(string(text)))
		case 'L':
			text = appendLiteral(nil, text)
		}
	}
	fill := max(0, spec.width-utf8.RuneCount(text))
	if spec.left {
		out = append(out, text...)
	}
	for ; fill > 0; fill-- {
		out = append(out, ' ')
	}
	if !spec.left {
		out = append(out, text...)
	}
	return out, next, nil
}
