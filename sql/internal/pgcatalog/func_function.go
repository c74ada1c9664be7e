package pgcatalog

import (
	"slices"
	"strings"

	"minidb/sql/internal/parse"
)

// functionFuncs tell about functions.
var functionFuncs = map[string]body{
	"pg_get_function_arguments":          aboutFunction(func(f *function) datum { return text(f.arguments(true)) }),
	"pg_get_function_identity_arguments": aboutFunction(func(f *function) datum { return text(f.arguments(false)) }),
	"pg_get_function_result":             aboutFunction(func(f *function) datum { return orNull(f.result()) }),
	"pg_get_function_sqlbody":            asking(functionBody),
	"pg_get_function_arg_default":        asking(functionArgDefault),
	"pg_get_functiondef":                 asking(functionDef),
}

func aboutFunction(tell func(*function) datum) body {
	return asking(func(_ *Reader, s *Snapshot, args []datum) (datum, error) {
		f, ok := s.functionByOID(oidOf(args[0]))
		if !ok {
			return null, nil
		}
		return tell(f), nil
	})
}

// arguments is the list that CREATE FUNCTION has.
func (f *function) arguments(withDefaults bool) string {
	var list []string
	inputs, firstDefault := 0, len(f.args)-len(f.defaults)
	for i, t := range f.all {
		mode := byte('i')
		if f.modes != nil {
			mode = f.modes[i]
		}
		if mode == 't' || mode == 'o' && !withDefaults {
			continue // of RETURNS TABLE; a result
		}
		words := []string{}
		switch mode {
		case 'o':
			words = append(words, "OUT")
		case 'b':
			words = append(words, "INOUT")
		case 'v':
			words = append(words, "VARIADIC")
		}
		if i < len(f.names) && f.names[i] != "" {
			words = append(words, parse.QuoteIdent(f.names[i]))
		}
		words = append(words, formatType(t, -1))
		if mode != 'o' {
			inputs++
			if withDefaults && inputs > firstDefault {
				words = append(words, "DEFAULT", f.defaults[inputs-1-firstDefault])
			}
		}
		list = append(list, strings.Join(words, " "))
	}
	return strings.Join(list, ", ")
}

// result is what CREATE FUNCTION has after RETURNS; "" of a procedure.
func (f *function) result() string {
	if f.kind == 'p' {
		return ""
	}
	if slices.Contains(f.modes, 't') {
		var list []string
		for i, m := range f.modes {
			if m == 't' {
				list = append(list, parse.QuoteIdent(f.names[i])+" "+formatType(f.all[i], -1))
			}
		}
		return "TABLE(" + strings.Join(list, ", ") + ")"
	}
	if f.set {
		return "SETOF " + formatType(f.returns, -1)
	}
	return formatType(f.returns, -1)
}

func functionArgDefault(_ *Reader, s *Snapshot, args []datum) (datum, error) {
	f, ok := s.functionByOID(oidOf(args[0]))
	if !ok {
		return null, nil
	}
	n := int(args[1].I) - 1 - (len(f.args) - len(f.defaults))
	if n < 0 || n >= len(f.defaults) {
		return null, nil
	}
	return text(f.defaults[n]), nil
}
