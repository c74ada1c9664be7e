package sql

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// The check functions below take what SET was given and return its canonical form, or what is wrong with it. They do not know the
// setting's name; invalidValue makes their errors PostgreSQL's.

// badValue is what a check function returns: the part of the message that does not depend on the setting's name.
type badValue struct {
	message string // with %q for the setting's name; empty: the common message
	detail  string
	hint    string
}

func (b *badValue) Error() string { return b.message }

// invalidValue is the error for a value that check refused with err.
func invalidValue(name, value string, err error) error {
	b, ok := err.(*badValue)
	if !ok {
		return err
	}
	e := sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", name, value)
	if b.message != "" {
		e.Message = strings.ReplaceAll(b.message, "%name", `"`+name+`"`)
	}
	e.Detail, e.Hint = b.detail, b.hint
	return e
}

func anyText(v string) (string, error) { return v, nil }

func boolean(v string) (string, error) {
	b, ok := parseBool(v)
	if !ok {
		return "", &badValue{message: "parameter %name requires a Boolean value"}
	}
	return onOff(b), nil
}

// parseBool takes what PostgreSQL takes for a Boolean setting: on, off, true, false, yes, no, 1, 0, and unambiguous beginnings.
func parseBool(v string) (value, ok bool) {
	v = strings.ToLower(v)
	switch {
	case v == "":
		return false, false
	case v == "on" || v == "1" || strings.HasPrefix("true", v) || strings.HasPrefix("yes", v):
		return true, true
	case v == "of" || v == "off" || v == "0" || strings.HasPrefix("false", v) || strings.HasPrefix("no", v):
		return false, true
	}
	return false, false
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func oneOf(values ...string) func(string) (string, error) {
	return func(v string) (string, error) {
		for _, known := range values {
			if strings.EqualFold(v, known) {
				return known, nil
			}
		}
		return "", &badValue{hint: "Available values: " + strings.Join(values, ", ") + "."}
	}
}

// oneOfOrBoolean is oneOf where the other spellings of a Boolean stand for on and off.
func oneOfOrBoolean(values ...string) func(string) (string, error) {
	known := oneOf(values...)
	return func(v string) (string, error) {
		if b, ok := parseBool(v); ok {
			return onOff(b), nil
		}
		return known(v)
	}
}

// onlyValue is for settings of which minidb has one value only; another one is a feature it lacks.
func onlyValue(only string) func(string) (string, error) {
	return func(v string) (string, error) {
		if strings.EqualFold(v, only) {
			return only, nil
		}
		if b, ok := parseBool(v); ok && onOff(b) == only {
			return only, nil
		}
		return "", sqlerr.Unsupported(fmt.Sprintf("value \"%s\" for this setting", v))
	}
}

// encoding looks at nothing but letters and digits, as PostgreSQL does: a driver sends 'utf-8' with its quotes.
func encoding(v string) (string, error) {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, v)
	switch letters {
	case "utf8", "unicode":
		return "UTF8", nil
	}
	return "", &badValue{}
}

func isolation(v string) (string, error) {
	return oneOf("serializable", "repeatable read", "read committed", "read uncommitted")(v)
}

// unit is what the bare numbers of an integer setting count.
type unit struct {
	name  string
	sizes []unitSize // descending
}

type unitSize struct {
	name string
	size float64 // in base units
}

var (
	noUnit       = unit{}
	milliseconds = unit{name: "ms", sizes: []unitSize{{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}, {"us", 0.001}}}
	kilobytes    = unit{name: "kB", sizes: []unitSize{{"TB", 1 << 30}, {"GB", 1 << 20}, {"MB", 1 << 10}, {"kB", 1}, {"B", 1.0 / 1024}}}
)

// integer accepts whole numbers from low to high, with a unit if the setting has one. The canonical form is in base units.
func integer(low, high int64, u unit) func(string) (string, error) {
	return func(v string) (string, error) {
		n, err := u.parse(v)
		if err != nil {
			return "", err
		}
		if n < low || n > high {
			suffix := ""
			if u.name != "" {
				suffix = " " + u.name
			}
			return "", &badValue{message: fmt.Sprintf("%d%s is outside the valid range for parameter %%name (%d .. %d)", n, suffix, low, high)}
		}
		return strconv.FormatInt(n, 10), nil
	}
}

func (u unit) parse(v string) (int64, error) {
	v = strings.TrimSpace(v)
	end := 0
	for end < len(v) && strings.IndexByte("+-.0123456789eE", v[end]) >= 0 {
		end++
	}
	number, name := v[:end], strings.TrimSpace(v[end:])
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, &badValue{}
	}
	if name != "" {
		i := slices.IndexFunc(u.sizes, func(s unitSize) bool { return s.name == name })
		if i < 0 {
			return 0, &badValue{hint: u.hint()}
		}
		f *= u.sizes[i].size
	}
	f = math.RoundToEven(f)
	if math.Abs(f) >= 1<<62 {
		return 0, &badValue{hint: "Value exceeds integer range."}
	}
	return int64(f), nil
}

func (u unit) hint() string {
	switch u.name {
	case "ms":
		return `Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`
	case "kB":
		return `Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`
	}
	return ""
}

// show prints a canonical value with the largest unit that divides it, as SHOW does.
func (u unit) show(canonical string) string {
	n, err := strconv.ParseInt(canonical, 10, 64)
	if err != nil || n == 0 {
		return canonical
	}
	for _, s := range u.sizes {
		if size := int64(s.size); size > 0 && n%size == 0 {
			return strconv.FormatInt(n/size, 10) + s.name
		}
	}
	return canonical
}

// timeZone takes IANA names, UTC and its aliases, and offsets in hours east of Greenwich, which the canonical form writes as <+02>-02.
func timeZone(v string) (string, error) {
	_, canonical, err := loadZone(v)
	return canonical, err
}

func loadZone(v string) (*time.Location, string, error) {
	switch strings.ToUpper(v) {
	case "UTC":
		return time.UTC, "UTC", nil
	case "GMT":
		return time.FixedZone("GMT", 0), "GMT", nil
	case "LOCAL", "DEFAULT":
		return time.UTC, "UTC", nil
	}
	if hours, err := strconv.ParseFloat(v, 64); err == nil {
		return offsetZone(time.Duration(hours * float64(time.Hour)))
	}
	for _, name := range []string{strings.ToUpper(v[:min(1, len(v))]) + strings.ToLower(v[min(1, len(v)):]), strings.ToUpper(v)} {
		if loc, err := time.LoadLocation(name); err == nil && len(v) > 1 && name != "Local" {
			return loc, name, nil
		}
	}
	// Abbreviations that are no names in the zone database do not count here.
	loc, ok := types.Zone(v)
	if !ok {
		return nil, "", &badValue{}
	}
	if named, err := time.LoadLocation(loc.String()); err == nil && strings.EqualFold(loc.String(), v) {
		return named, named.String(), nil
	}
	if strings.ContainsAny(v, "0123456789") { // a rule in POSIX's form, which is its own name
		return loc, strings.ToUpper(v), nil
	}
	return nil, "", &badValue{}
}

func offsetZone(d time.Duration) (*time.Location, string, error) {
	if d.Abs() > 168*time.Hour {
		return nil, "", &badValue{detail: "UTC timezone offset is out of range."}
	}
	sign, flipped := "+", "-"
	if d < 0 {
		sign, flipped = "-", "+"
	}
	abs := d.Abs()
	name := fmt.Sprintf("%02d", int(abs.Hours()))
	if m := int(abs.Minutes()) % 60; m != 0 {
		name += fmt.Sprintf(":%02d", m)
	}
	return time.FixedZone(sign+name, int(d.Seconds())), "<" + sign + name + ">" + flipped + name, nil
}

// dateStyle takes an output style, a field order, or both. Only ISO output is there.
func dateStyle(v string) (string, error) {
	order := "MDY"
	for _, word := range strings.FieldsFunc(strings.ToUpper(v), func(r rune) bool { return r == ',' || r == ' ' }) {
		switch word {
		case "ISO", "DEFAULT":
		case "YMD", "DMY", "MDY":
			order = word
		case "US", "NONEURO", "NONEUROPEAN":
			order = "MDY"
		case "EURO", "EUROPEAN":
			order = "DMY"
		case "SQL", "POSTGRES", "GERMAN":
			return "", sqlerr.Unsupported("DateStyle " + word)
		default:
			return "", &badValue{}
		}
	}
	return "ISO, " + order, nil
}
