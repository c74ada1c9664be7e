package expr

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// regexpFuncs are the functions of regular expressions. They run on Go's engine, which takes time linear in the text and
// has neither back references nor look-around: those are 0A000.
var regexpFuncs = makeRegexpFuncs()

func makeRegexpFuncs() map[string]impl {
	match := func(want bool, flags string) impl {
		return impl{f2: func(ec *EvalContext, a, pattern types.Datum) (types.Datum, error) {
			re, err := ec.regexp(string(pattern.B), flags)
			if err != nil {
				return types.Datum{}, err
			}
			return types.NewBool(re.Match(a.B) == want), nil
		}}
	}
	m := map[string]impl{
		"similar_to_escape_1":    {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) { return similarTo(a.B, []byte{'\\'}) }},
		"similar_to_escape_2":    {f2: func(_ *EvalContext, a, e types.Datum) (types.Datum, error) { return similarTo(a.B, e.B) }},
		"textregexsubstr":        {f2: regexpSubstring},
		"textregexreplace_noopt": {f3: func(ec *EvalContext, a, p, r types.Datum) (types.Datum, error) { return regexpReplace(ec, a, p, r, "") }},
		"textregexreplace": {fn: func(ec *EvalContext, a []types.Datum) (types.Datum, error) {
			return regexpReplace(ec, a[0], a[1], a[2], a[3].Text())
		}},
		"regexp_like_no_flags":  match(true, ""),
		"regexp_like":           {f3: regexpLike},
		"regexp_count_no_start": {f2: regexpCount},
	}
	for _, t := range []string{"text", "name"} {
		m[t+"regexeq"], m[t+"regexne"] = match(true, ""), match(false, "")
		m[t+"icregexeq"], m[t+"icregexne"] = match(true, "i"), match(false, "i")
	}
	return m
}

// maxRegexps bounds the compiled expressions that a context keeps.
const maxRegexps = 64

// regexp compiles a PostgreSQL regular expression. flags are those of PostgreSQL's functions.
func (ec *EvalContext) regexp(pattern, flags string) (*regexp.Regexp, error) {
	key := flags + "/" + pattern
	if re := ec.regexps[key]; re != nil {
		return re, nil
	}
	re, err := compileRegexp(pattern, flags)
	if err != nil {
		return nil, err
	}
	if ec.regexps == nil || len(ec.regexps) >= maxRegexps {
		ec.regexps = make(map[string]*regexp.Regexp)
	}
	ec.regexps[key] = re
	return re, nil
}

func compileRegexp(pattern, flags string) (*regexp.Regexp, error) {
	f, err := regexpFlags(flags)
	if err != nil {
		return nil, err
	}
	goPattern, lazy := "", false
	if f.literal {
		goPattern = regexp.QuoteMeta(pattern)
	} else if goPattern, lazy, err = translateRegexp(pattern); err != nil {
		return nil, err
	}
	mode := "(?s"
	if f.newline {
		mode = "(?m"
	}
	if f.ignoreCase {
		mode += "i"
	}
	re, err := regexp.Compile(mode + ")" + goPattern)
	if err != nil {
		return nil, regexpError(err)
	}
	// PostgreSQL takes the longest of the leftmost matches unless a quantifier asks for the shortest.
	if !lazy {
		re.Longest()
	}
	return re, nil
}

type regexpMode struct{ global, ignoreCase, newline, literal bool }

func regexpFlags(flags string) (regexpMode, error) {
	var f regexpMode
	for _, c := range flags {
		switch c {
		case 'g':
			f.global = true
		case 'i':
			f.ignoreCase = true
		case 'c':
			f.ignoreCase = false
		case 'n', 'm':
			f.newline = true
		case 's':
			f.newline = false
		case 'q':
			f.literal = true
		case 'e', 't':
		default:
			return f, sqlerr.New(sqlerr.InvalidParameterValue, "invalid regular expression option: \"%c\"", c)
		}
	}
	return f, nil
}

// translateRegexp writes PostgreSQL's escapes in Go's way. lazy reports a non-greedy quantifier.
func translateRegexp(p string) (out string, lazy bool, err error) {
	var b strings.Builder
	if rest, ok := strings.CutPrefix(p, "***:"); ok {
		p = rest
	} else if rest, ok := strings.CutPrefix(p, "***="); ok {
		return regexp.QuoteMeta(rest), false, nil
	}
	inClass := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\' && i+1 < len(p):
			i++
			s, err := translateEscape(p[i], inClass)
			if err != nil {
				return "", false, err
			}
			b.WriteString(s)
			continue
		case inClass && c == '[' && i+1 < len(p) && (p[i+1] == ':' || p[i+1] == '.' || p[i+1] == '='):
			end := strings.Index(p[i+2:], string(p[i+1])+"]")
			if end >= 0 {
				end += i + 4
				b.WriteString(p[i:end])
				i = end - 1
				continue
			}
		case inClass && c == '[':
			b.WriteString(`\[`)
			continue
		case inClass && c == ']':
			inClass = false
		case !inClass && c == '[':
			inClass = true
			// A bracket in the first place of a class is a member of it.
			b.WriteByte('[')
			if i+1 < len(p) && p[i+1] == '^' {
				b.WriteByte('^')
				i++
			}
			if i+1 < len(p) && p[i+1] == ']' {
				b.WriteString(`\]`)
				i++
			}
			continue
		case !inClass && c == '(' && strings.HasPrefix(p[i:], "(?"):
			if len(p) > i+2 && strings.IndexByte("=!<", p[i+2]) >= 0 {
				return "", false, sqlerr.Unsupported("look-around in a regular expression")
			}
		case !inClass && c == '?' && i > 0 && strings.IndexByte("*+?}", p[i-1]) >= 0:
			lazy = true
		}
		b.WriteByte(c)
	}
	return b.String(), lazy, nil
}

// translateEscape gives the Go form of \c.
func translateEscape(c byte, inClass bool) (string, error) {
	switch c {
	case 'y', 'm', 'M':
		if !inClass {
			return `\b`, nil
		}
	case 'Y':
		if !inClass {
			return `\B`, nil
		}
	case 'Z':
		return `\z`, nil
	case 'B':
		return `\\`, nil
	case 'e':
		return `\x1b`, nil
	case 'b':
		return `\x08`, nil
	case '0':
		return `\x00`, nil
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "", sqlerr.Unsupported("a back reference in a regular expression")
	}
	return `\` + string(c), nil
}

// regexpError words Go's complaints as PostgreSQL does.
func regexpError(err error) error {
	what := "invalid regexp"
	var se *syntax.Error
	if errors.As(err, &se) {
		switch se.Code {
		case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
			what = "parentheses () not balanced"
		case syntax.ErrMissingBracket:
			what = "brackets [] not balanced"
		case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
			what = "quantifier operand invalid"
		case syntax.ErrInvalidRepeatSize:
			what = "invalid repetition count(s)"
		case syntax.ErrInvalidCharRange, syntax.ErrInvalidCharClass:
			what = "invalid character range"
		case syntax.ErrInvalidEscape, syntax.ErrTrailingBackslash:
			what = `invalid escape \ sequence`
		case syntax.ErrLarge, syntax.ErrNestingDepth:
			what = "regular expression is too complex"
		}
	}
	return sqlerr.New(sqlerr.InvalidRegularExpression, "invalid regular expression: %s", what)
}

// regexpSubstring is substring(text from pattern): the first group of the first match, or the match if it has no groups.
func regexpSubstring(ec *EvalContext, a, pattern types.Datum) (types.Datum, error) {
	re, err := ec.regexp(string(pattern.B), "")
	if err != nil {
		return types.Datum{}, err
	}
	loc := re.FindSubmatchIndex(a.B)
	if loc == nil {
		return types.NullDatum, nil
	}
	if len(loc) > 2 {
		loc = loc[2:4]
	}
	if loc[0] < 0 {
		return types.NullDatum, nil
	}
	return types.NewBytes(a.B[loc[0]:loc[1]]), nil
}

func regexpLike(ec *EvalContext, a, pattern, flags types.Datum) (types.Datum, error) {
	f, err := regexpFlags(flags.Text())
	if err != nil {
		return types.Datum{}, err
	}
	if f.global {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "regexp_like() does not support the \"global\" option")
	}
	re, err := ec.regexp(string(pattern.B), flags.Text())
	if err != nil {
		return types.Datum{}, err
	}
	return types.NewBool(re.Match(a.B)), nil
}

func regexpCount(ec *EvalContext, a, pattern types.Datum) (types.Datum, error) {
	re, err := ec.regexp(string(pattern.B), "")
	if err != nil {
		return types.Datum{}, err
	}
	return types.NewInt(int64(len(re.FindAllIndex(a.B, -1)))), nil
}

// regexpReplace replaces the first match, with the g flag all; \1 is a group and \& the match.
func regexpReplace(ec *EvalContext, a, pattern, replacement types.Datum, flags string) (types.Datum, error) {
	if flags != "" && flags[0] >= '0' && flags[0] <= '9' {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid regular expression option: \"%c\"", flags[0]).
			WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
	}
	f, err := regexpFlags(flags)
	if err != nil {
		return types.Datum{}, err
	}
	re, err := ec.regexp(string(pattern.B), flags)
	if err != nil {
		return types.Datum{}, err
	}
	n := 1
	if f.global {
		n = -1
	}
	var out []byte
	last := 0
	for _, loc := range re.FindAllSubmatchIndex(a.B, n) {
		out = append(out, a.B[last:loc[0]]...)
		out = appendReplacement(out, a.B, replacement.B, loc)
		last = loc[1]
		if len(out) > maxTextBytes {
			return types.Datum{}, tooLarge()
		}
	}
	return types.NewBytes(append(out, a.B[last:]...)), nil
}

func appendReplacement(out, text, replacement []byte, loc []int) []byte {
	// What is too large is refused by the caller; here it only must not grow further.
	for i := 0; i < len(replacement) && len(out) <= maxTextBytes; i++ {
		c := replacement[i]
		if c != '\\' || i+1 == len(replacement) {
			out = append(out, c)
			continue
		}
		i++
		group := -1
		switch c = replacement[i]; {
		case c == '&':
			group = 0
		case c >= '1' && c <= '9':
			group = int(c - '0')
		case c == '\\':
			out = append(out, '\\')
			continue
		default:
			out = append(out, '\\', c)
			continue
		}
		if 2*group+1 < len(loc) && loc[2*group] >= 0 {
			out = append(out, text[loc[2*group]:loc[2*group+1]]...)
		}
	}
	return out
}

// similarTo turns the pattern of SIMILAR TO into a regular expression.
func similarTo(pattern, escape []byte) (types.Datum, error) {
	if utf8.RuneCount(escape) > 1 {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	out := []byte("^(?:")
	escaped, inClass := false, false
	for rest := pattern; len(rest) > 0; {
		n := oneRune(rest)
		c := rest[:n]
		rest = rest[n:]
		switch {
		case escaped:
			out = append(append(out, '\\'), c...)
			escaped = false
		case string(c) == string(escape):
			escaped = true
		case inClass:
			if c[0] == '\\' {
				out = append(out, '\\')
			}
			out = append(out, c...)
			inClass = c[0] != ']'
		default:
			inClass = c[0] == '['
			out = appendSimilar(out, c)
		}
	}
	return types.NewBytes(append(out, ")$"...)), nil
}

func appendSimilar(out, c []byte) []byte {
	switch c[0] {
	case '%':
		return append(out, ".*"...)
	case '_':
		return append(out, '.')
	case '(':
		return append(out, "(?:"...)
	case '\\', '.', '^', '$':
		return append(append(out, '\\'), c...)
	default:
		return append(out, c...)
	}
}
