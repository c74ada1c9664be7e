package exec

import (
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/copyfmt"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// copyOptions are the options of a COPY as they were written.
type copyOptions struct {
	from                                bool
	format                              copyfmt.Format
	header                              copyfmt.Header
	delimiter, null, quote, escape      *string // nil: not given
	forceQuote, forceNotNull, forceNull *parse.OptionValue
}

// parseCopyOptions reads the options of a COPY and fills in what they leave open. The columns that they name are looked up by
// forceColumns. The errors, their order and their positions are PostgreSQL's.
func parseCopyOptions(env *Env, st *parse.CopyStmt) (*copyOptions, *copyfmt.Options, error) {
	o := &copyOptions{from: st.From}
	seen := map[string]bool{}
	for i := range st.Options {
		opt := &st.Options[i]
		if seen[opt.Name] {
			return nil, nil, env.At(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options"), opt.Pos)
		}
		seen[opt.Name] = true
		if err := o.set(env, opt); err != nil {
			return nil, nil, err
		}
	}
	out, err := o.finish()
	return o, out, err
}

// set takes one option.
func (o *copyOptions) set(env *Env, opt *parse.Option) (err error) {
	switch opt.Name {
	case "format":
		var name string
		if name, err = optionText(opt.Name, opt); err != nil {
			return err
		}
		switch name {
		case "text":
		case "csv":
			o.format = copyfmt.CSV
		case "binary":
			o.format = copyfmt.Binary
		default:
			return env.At(sqlerr.New(sqlerr.InvalidParameterValue, "COPY format \"%s\" not recognized", name), opt.Pos)
		}
	case "freeze":
		_, err = optionBool(opt.Name, opt) // rows are what they are
	case "delimiter":
		o.delimiter, err = optionTextGiven(opt)
	case "null":
		o.null, err = optionTextGiven(opt)
	case "quote":
		o.quote, err = optionTextGiven(opt)
	case "escape":
		o.escape, err = optionTextGiven(opt)
	case "header":
		o.header, err = o.headerChoice(opt)
	case "force_quote":
		o.forceQuote, err = optionColumns(env, opt, true)
	case "force_not_null":
		o.forceNotNull, err = optionColumns(env, opt, false)
	case "force_null":
		o.forceNull, err = optionColumns(env, opt, false)
	case "encoding":
		err = checkEncoding(env, opt)
	default:
		err = env.At(sqlerr.New(sqlerr.SyntaxError, "option \"%s\" not recognized", opt.Name), opt.Pos)
	}
	return err
}

func optionTextGiven(opt *parse.Option) (*string, error) {
	text, err := optionText(opt.Name, opt)
	return &text, err
}

// headerChoice reads HEADER: a Boolean, or MATCH.
func (o *copyOptions) headerChoice(opt *parse.Option) (copyfmt.Header, error) {
	text := "true"
	if opt.Value != nil {
		text = strings.ToLower(opt.Value.Text)
	}
	switch text {
	case "true", "on", "1":
		return copyfmt.SkipHeader, nil
	case "false", "off", "0":
		return copyfmt.NoHeader, nil
	case "match":
		if !o.from {
			return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cannot use \"%s\" with HEADER in COPY TO", opt.Value.Text)
		}
		return copyfmt.MatchHeader, nil
	}
	return 0, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value or \"match\"", opt.Name)
}

// optionColumns reads a list of columns, or a star.
func optionColumns(env *Env, opt *parse.Option, star bool) (*parse.OptionValue, error) {
	if v := opt.Value; v != nil && (v.Kind == parse.OptionList || star && v.Kind == parse.OptionStar) {
		return v, nil
	}
	return nil, env.At(sqlerr.New(sqlerr.InvalidParameterValue, "argument to option \"%s\" must be a list of column names", opt.Name), opt.Pos)
}

// otherEncodings are the encodings that PostgreSQL has and minidb has not, by their letters and digits.
const otherEncodings = " abc alt big5 eucjis2004 eucjp euccn euckr euctw gb18030 gbk iso88591 iso885910 iso885913 iso885914 iso885915 " +
	"iso885916 iso88592 iso88593 iso88594 iso88595 iso88596 iso88597 iso88598 iso88599 johab koi8 koi8r koi8u latin1 latin10 latin2 " +
	"latin3 latin4 latin5 latin6 latin7 latin8 latin9 mskanji muleinternal shiftjis shiftjis2004 sjis tcvn tcvn5712 uhc vscii win " +
	"win1250 win1251 win1252 win1253 win1254 win1255 win1256 win1257 win1258 win866 win874 win932 win936 win949 win950 windows1250 " +
	"windows1251 windows1252 windows1253 windows1254 windows1255 windows1256 windows1257 windows1258 windows866 windows874 windows932 " +
	"windows936 windows949 windows950 "

// checkEncoding accepts UTF8.
func checkEncoding(env *Env, opt *parse.Option) error {
	text, err := optionText(opt.Name, opt)
	if err != nil {
		return err
	}
	name := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, strings.ToLower(text))
	switch {
	case name == "utf8" || name == "unicode" || name == "sqlascii":
		return nil
	case name != "" && strings.Contains(otherEncodings, " "+name+" "):
		return sqlerr.Unsupported("COPY with encoding " + strings.ToUpper(text))
	}
	return env.At(sqlerr.New(sqlerr.InvalidParameterValue, "argument to option \"%s\" must be a valid encoding name", opt.Name), opt.Pos)
}

// finish checks that the options go together and fills in the others.
func (o *copyOptions) finish() (*copyfmt.Options, error) {
	csv, binary := o.format == copyfmt.CSV, o.format == copyfmt.Binary
	switch {
	case binary && o.delimiter != nil:
		return nil, sqlerr.New(sqlerr.SyntaxError, "cannot specify DELIMITER in BINARY mode")
	case binary && o.null != nil:
		return nil, sqlerr.New(sqlerr.SyntaxError, "cannot specify NULL in BINARY mode")
	}
	delimiter, null, quote := "\t", `\N`, `"`
	if csv {
		delimiter, null = ",", ""
	}
	override(&delimiter, o.delimiter)
	override(&null, o.null)
	override(&quote, o.quote)
	escape := quote
	override(&escape, o.escape)
	const safe = "\\.abcdefghijklmnopqrstuvwxyz0123456789"
	for _, c := range []struct {
		bad    bool
		code   sqlerr.Code
		format string
		args   []any
	}{
		{len(delimiter) != 1, sqlerr.FeatureNotSupported, "COPY delimiter must be a single one-byte character", nil},
		{strings.ContainsAny(delimiter, "\r\n"), sqlerr.InvalidParameterValue, "COPY delimiter cannot be newline or carriage return", nil},
		{strings.ContainsAny(null, "\r\n"), sqlerr.InvalidParameterValue, "COPY null representation cannot use newline or carriage return", nil},
		{!csv && strings.Contains(safe, delimiter), sqlerr.InvalidParameterValue, "COPY delimiter cannot be \"%s\"", []any{delimiter}},
		{binary && o.header != copyfmt.NoHeader, sqlerr.FeatureNotSupported, "cannot specify HEADER in BINARY mode", nil},
		{!csv && o.quote != nil, sqlerr.FeatureNotSupported, "COPY quote available only in CSV mode", nil},
		{csv && len(quote) != 1, sqlerr.FeatureNotSupported, "COPY quote must be a single one-byte character", nil},
		{csv && delimiter == quote, sqlerr.InvalidParameterValue, "COPY delimiter and quote must be different", nil},
		{!csv && o.escape != nil, sqlerr.FeatureNotSupported, "COPY escape available only in CSV mode", nil},
		{csv && len(escape) != 1, sqlerr.FeatureNotSupported, "COPY escape must be a single one-byte character", nil},
		{!csv && o.forceQuote != nil, sqlerr.FeatureNotSupported, "COPY force quote available only in CSV mode", nil},
		{o.forceQuote != nil && o.from, sqlerr.FeatureNotSupported, "COPY force quote only available using COPY TO", nil},
		{!csv && o.forceNotNull != nil, sqlerr.FeatureNotSupported, "COPY force not null available only in CSV mode", nil},
		{o.forceNotNull != nil && !o.from, sqlerr.FeatureNotSupported, "COPY force not null only available using COPY FROM", nil},
		{!csv && o.forceNull != nil, sqlerr.FeatureNotSupported, "COPY force null available only in CSV mode", nil},
		{o.forceNull != nil && !o.from, sqlerr.FeatureNotSupported, "COPY force null only available using COPY FROM", nil},
		{strings.Contains(null, delimiter), sqlerr.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification", nil},
		{csv && strings.Contains(null, quote), sqlerr.FeatureNotSupported, "CSV quote character must not appear in the NULL specification", nil},
	} {
		if c.bad {
			return nil, sqlerr.New(c.code, c.format, c.args...)
		}
	}
	out := &copyfmt.Options{Format: o.format, Header: o.header, Delimiter: delimiter[0], Null: null}
	if csv {
		out.Quote, out.Escape = quote[0], escape[0]
	}
	return out, nil
}

// override replaces a default by what was given.
func override(to, value *string) {
	if value != nil {
		*to = *value
	}
}

// forceColumns marks the columns that a FORCE option names, by field. Names are those of the fields; t is nil for a query.
func forceColumns(t *catalog.Table, option string, v *parse.OptionValue, names []string) ([]bool, error) {
	if v == nil {
		return nil, nil
	}
	out := make([]bool, len(names))
	if v.Kind == parse.OptionStar {
		for i := range out {
			out[i] = true
		}
		return out, nil
	}
	if t != nil {
		if _, err := copyColumns(t, v.List, "COPY"); err != nil {
			return nil, err
		}
	}
	for _, name := range v.List {
		found := false
		for i, n := range names {
			if n == name && !found {
				out[i], found = true, true
			}
		}
		switch {
		case found:
		case t == nil:
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" does not exist", name)
		default:
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, "%s column \"%s\" not referenced by COPY", option, name)
		}
	}
	return out, nil
}
