package exec

import (
	"strconv"
	"strings"

	"minidb/bulk"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// importOptions are the WITH options of IMPORT INTO.
type importOptions struct {
	format bulk.Format
	// The columns of the options of these names; nil: not given.
	forceNull, forceNotNull *parse.OptionValue
	threads                 int
}

// parseImportOptions reads the options, under the names that COPY and other systems' IMPORT have for them. Errors have positions.
func parseImportOptions(env *Env, st *parse.ImportStmt) (importOptions, error) {
	var o importOptions
	if st.Format != "csv" {
		return o, env.At(sqlerr.Unsupported("import format "+strings.ToUpper(st.Format)), st.Position())
	}
	seen := map[string]bool{}
	for i := range st.Options {
		opt := &st.Options[i]
		name := strings.ToLower(opt.Name)
		if seen[name] {
			return o, env.At(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options"), opt.Pos)
		}
		seen[name] = true
		var err error
		switch name {
		case "force_null":
			o.forceNull, err = optionColumns(env, opt, false)
		case "force_not_null":
			o.forceNotNull, err = optionColumns(env, opt, false)
		default:
			err = env.At(o.set(name, opt), opt.Pos)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *importOptions) set(name string, opt *parse.Option) (err error) {
	f := &o.format
	switch name {
	case "delimiter", "fields_terminated_by":
		f.Delimiter, err = oneByte(name, opt)
	case "quote", "fields_enclosed_by":
		f.Quote, err = oneByte(name, opt)
	case "escape", "fields_escaped_by":
		f.Escape, err = oneByte(name, opt)
	case "comment":
		f.Comment, err = oneByte(name, opt)
	case "null", "nullif", "fields_defined_null_by":
		f.Null, err = optionText(name, opt)
	case "header":
		if f.MatchHeader = opt.Value != nil && strings.EqualFold(opt.Value.Text, "match"); !f.MatchHeader {
			f.Header, err = optionBool(name, opt)
		}
	case "skip", "skip_rows":
		f.Skip, err = optionInt(name, opt)
	case "row_limit", "rows", "limit":
		f.Limit, err = optionInt(name, opt)
	case "strict_quotes":
		f.StrictQuotes, err = optionBool(name, opt)
	case "compression", "decompress":
		f.Compression, err = optionCompression(name, opt)
	case "thread", "threads":
		var n int64
		if n, err = optionInt(name, opt); err == nil && n > maxThreads {
			err = sqlerr.New(sqlerr.InvalidParameterValue, "option \"%s\" is at most %d", name, maxThreads)
		}
		o.threads = int(n)
	case "format":
		var text string
		if text, err = optionText(name, opt); err == nil && !strings.EqualFold(text, "csv") {
			err = sqlerr.Unsupported("import format " + strings.ToUpper(text))
		}
	case "encoding":
		var text string
		if text, err = optionText(name, opt); err == nil && !strings.EqualFold(strings.ReplaceAll(text, "-", ""), "utf8") {
			err = sqlerr.Unsupported("import encoding " + text)
		}
	case "detached": // the parser has told
	default:
		err = sqlerr.New(sqlerr.SyntaxError, "option \"%s\" not recognized", opt.Name)
	}
	return err
}

// formatFor is the format with the columns of the FORCE options as fields. Names are those of the fields.
func (o *importOptions) formatFor(t *catalog.Table, names []string) (bulk.Format, error) {
	f := o.format
	var err error
	if f.ForceNull, err = forceColumns(t, "FORCE_NULL", o.forceNull, names); err != nil {
		return f, err
	}
	f.ForceNotNull, err = forceColumns(t, "FORCE_NOT_NULL", o.forceNotNull, names)
	return f, err
}

// maxThreads bounds the option thread.
const maxThreads = 256

func optionText(name string, opt *parse.Option) (string, error) {
	if opt.Value == nil || opt.Value.Kind == parse.OptionList || opt.Value.Kind == parse.OptionStar {
		return "", sqlerr.New(sqlerr.SyntaxError, "%s requires a parameter", name)
	}
	return opt.Value.Text, nil
}

func oneByte(name string, opt *parse.Option) (byte, error) {
	text, err := optionText(name, opt)
	if err != nil {
		return 0, err
	}
	if text == `\t` {
		text = "\t"
	}
	if len(text) != 1 {
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "import %s must be a single one-byte character", name)
	}
	return text[0], nil
}

func optionInt(name string, opt *parse.Option) (int64, error) {
	text, err := optionText(name, opt)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "%s requires a whole number that is not negative", name)
	}
	return n, nil
}

func optionBool(name string, opt *parse.Option) (bool, error) {
	if opt.Value == nil {
		return true, nil
	}
	switch strings.ToLower(opt.Value.Text) {
	case "true", "on", "1", "yes":
		return true, nil
	case "false", "off", "0", "no":
		return false, nil
	}
	return false, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", name)
}

func optionCompression(name string, opt *parse.Option) (bulk.Compression, error) {
	text, err := optionText(name, opt)
	if err != nil {
		return 0, err
	}
	switch strings.ToLower(text) {
	case "auto":
		return bulk.Auto, nil
	case "none", "":
		return bulk.None, nil
	case "gzip", "gz":
		return bulk.Gzip, nil
	case "zstd", "zst":
		return bulk.Zstd, nil
	case "bzip", "bzip2", "bz2":
		return bulk.Bzip2, nil
	}
	return 0, sqlerr.Unsupported("compression " + text)
}
