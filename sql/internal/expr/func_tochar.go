package expr

import (
	"strconv"
	"strings"
	"time"

	"minidb/sql/types"
)

// toCharFuncs are to_char of timestamps.
var toCharFuncs = map[string]impl{
	"timestamp_to_char": {f2: func(_ *EvalContext, t, format types.Datum) (types.Datum, error) {
		return toChar(format.B, t.I, nil, 0)
	}},
	"timestamptz_to_char": {f2: func(ec *EvalContext, t, format types.Datum) (types.Datum, error) {
		if infiniteTime(t.I) {
			return types.NullDatum, nil
		}
		local := types.TimestampTZToTimestamp(ec.location(), t.I)
		return toChar(format.B, local, ec.location(), t.I)
	}},
}

// charTime is a time to write.
type charTime struct {
	civil
	days int64
	loc  *time.Location // nil: no zone
	utc  int64
}

// charPattern is a pattern of to_char with the text that it stands for. fill is false after FM.
type charPattern struct {
	name  string
	exact bool // the case of the pattern's letters matters
	text  func(t *charTime, fill bool) string
}

// charPatterns are the patterns, longer ones before those they begin with.
var charPatterns = makeCharPatterns()

func makeCharPatterns() []charPattern {
	number := func(name string, width int, value func(t *charTime) int64) charPattern {
		return charPattern{name: name, text: func(t *charTime, fill bool) string { return digits(value(t), width, fill) }}
	}
	list := []charPattern{
		number("HH24", 2, func(t *charTime) int64 { return t.usec / usecPerHour }),
		number("HH12", 2, (*charTime).hour12),
		number("HH", 2, (*charTime).hour12),
		number("MI", 2, func(t *charTime) int64 { return t.usec / usecPerMinute % 60 }),
		number("SSSSS", 1, func(t *charTime) int64 { return t.usec / usecPerSecond }),
		number("SSSS", 1, func(t *charTime) int64 { return t.usec / usecPerSecond }),
		number("SS", 2, func(t *charTime) int64 { return t.usec / usecPerSecond % 60 }),
		number("MS", 3, func(t *charTime) int64 { return t.usec % usecPerSecond / 1000 }),
		number("US", 6, func(t *charTime) int64 { return t.usec % usecPerSecond }),
		number("IYYY", 4, func(t *charTime) int64 { return positiveYear(t.calendarField("isoyear")) }),
		number("YYYY", 4, (*charTime).era),
		number("YYY", 3, func(t *charTime) int64 { return t.era() % 1000 }),
		number("YY", 2, func(t *charTime) int64 { return t.era() % 100 }),
		number("Y", 1, func(t *charTime) int64 { return t.era() % 10 }),
		number("MM", 2, func(t *charTime) int64 { return int64(t.month) }),
		number("IDDD", 3, func(t *charTime) int64 { return (t.calendarField("week")-1)*7 + t.calendarField("isodow") }),
		number("DDD", 3, func(t *charTime) int64 { return t.calendarField("doy") }),
		number("DD", 2, func(t *charTime) int64 { return int64(t.day) }),
		number("ID", 1, func(t *charTime) int64 { return t.calendarField("isodow") }),
		number("D", 1, func(t *charTime) int64 { return weekday(t.days) + 1 }),
		number("IW", 2, func(t *charTime) int64 { return t.calendarField("week") }),
		number("WW", 2, func(t *charTime) int64 { return (t.calendarField("doy")-1)/7 + 1 }),
		number("W", 1, func(t *charTime) int64 { return int64(t.day-1)/7 + 1 }),
		number("CC", 2, func(t *charTime) int64 { return yearGroup(int64(t.year), 100) }),
		number("J", 1, func(t *charTime) int64 { return t.days + julianEpoch }),
		number("Q", 1, func(t *charTime) int64 { return t.calendarField("quarter") }),
		{name: "Y,YYY", text: func(t *charTime, _ bool) string {
			return strconv.FormatInt(t.era()/1000, 10) + "," + digits(t.era()%1000, 3, true)
		}},
		{name: "TZH", text: func(t *charTime, _ bool) string { return t.offset("+00") }},
		{name: "TZM", text: func(t *charTime, _ bool) string { return t.offset("00") }},
		{name: "OF", text: func(t *charTime, _ bool) string { return t.offset("+00:00") }},
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6} {
		list = append(list, charPattern{name: "FF" + strconv.Itoa(n), text: func(t *charTime, _ bool) string {
			return digits(t.usec%usecPerSecond, 6, true)[:n]
		}})
	}
	list = append(list, charWords()...)
	return longestFirst(list)
}

// charWords are the patterns whose letters' case is that of the text.
func charWords() []charPattern {
	var list []charPattern
	add := func(name string, width int, text func(t *charTime) string) {
		for _, form := range []struct {
			name string
			fold func(string) string
		}{{strings.ToUpper(name), strings.ToUpper}, {name, func(s string) string { return s }}, {strings.ToLower(name), strings.ToLower}} {
			list = append(list, charPattern{name: form.name, exact: true, text: func(t *charTime, fill bool) string {
				s := form.fold(text(t))
				if pad := width - len(s); fill && pad > 0 {
					s += strings.Repeat(" ", pad)
				}
				return s
			}})
		}
	}
	add("Month", 9, func(t *charTime) string { return time.Month(t.month).String() })
	add("Mon", 0, func(t *charTime) string { return time.Month(t.month).String()[:3] })
	add("Day", 9, func(t *charTime) string { return time.Weekday(weekday(t.days)).String() })
	add("Dy", 0, func(t *charTime) string { return time.Weekday(weekday(t.days)).String()[:3] })
	add("Rm", 4, func(t *charTime) string {
		return [...]string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}[t.month-1]
	})
	half := func(am, pm string) func(t *charTime) string {
		return func(t *charTime) string {
			if t.usec >= 12*usecPerHour {
				return pm
			}
			return am
		}
	}
	era := func(ad, bc string) func(t *charTime) string {
		return func(t *charTime) string {
			if t.year <= 0 {
				return bc
			}
			return ad
		}
	}
	for _, name := range []string{"AM", "PM"} {
		add(name, 0, half("AM", "PM"))
		add(name[:1]+".M.", 0, half("A.M.", "P.M."))
	}
	for _, name := range []string{"AD", "BC"} {
		add(name, 0, era("AD", "BC"))
		add(name[:1]+"."+name[1:]+".", 0, era("A.D.", "B.C."))
	}
	add("TZ", 0, (*charTime).zone)
	return list
}

func longestFirst(list []charPattern) []charPattern {
	out := make([]charPattern, 0, len(list))
	for n := 5; n > 0; n-- {
		for _, p := range list {
			if len(p.name) == n {
				out = append(out, p)
			}
		}
	}
	return out
}

// digits writes a number with leading zeros up to a width, if they are wanted.
func digits(v int64, width int, fill bool) string {
	if !fill {
		return strconv.FormatInt(v, 10)
	}
	s := strconv.FormatInt(max(v, -v), 10)
	if pad := width - len(s); pad > 0 {
		s = strings.Repeat("0", pad) + s
	}
	if v < 0 {
		s = "-" + s
	}
	return s
}

func (t *charTime) hour12() int64 {
	if h := t.usec / usecPerHour % 12; h != 0 {
		return h
	}
	return 12
}

// era is the year counted within its era.
func (t *charTime) era() int64 {
	if t.year <= 0 {
		return int64(1 - t.year)
	}
	return int64(t.year)
}

func positiveYear(y int64) int64 { return max(y, -y) }

func (t *charTime) zone() string {
	if t.loc == nil {
		return ""
	}
	name, _ := types.TimeFromTimestamp(t.utc).In(t.loc).Zone()
	return name
}

// offset is the offset from UTC: the hours with their sign, the minutes, or both with the minutes only if there are any.
func (t *charTime) offset(form string) string {
	seconds := int64(0)
	if t.loc != nil {
		_, off := types.TimeFromTimestamp(t.utc).In(t.loc).Zone()
		seconds = int64(off)
	}
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	hours, minutes := digits(seconds/3600, 2, true), digits(seconds/60%60, 2, true)
	switch {
	case form == "+00":
		return sign + hours
	case form == "00":
		return minutes
	case minutes == "00":
		return sign + hours
	default:
		return sign + hours + ":" + minutes
	}
}

// toChar writes a local time by a format.
func toChar(format []byte, local int64, loc *time.Location, utc int64) (types.Datum, error) {
	if infiniteTime(local) || len(format) == 0 {
		return types.NullDatum, nil
	}
	t := &charTime{civil: civilOf(local), loc: loc, utc: utc}
	t.days = types.DaysFromCivil(t.year, t.month, t.day)
	out := []byte{}
	for f := string(format); f != ""; {
		if f[0] == '"' {
			f, out = appendQuoted(f[1:], out)
			continue
		}
		fill := true
		rest := f
		if len(rest) >= 2 && strings.EqualFold(rest[:2], "FM") {
			fill, rest = false, rest[2:]
		}
		p := matchPattern(rest)
		if p == nil {
			n := 1
			if !fill {
				n = 2 // a lone FM
			}
			if fill && f[0] == '\\' && len(f) > 1 && f[1] == '"' {
				f = f[1:]
			}
			if fill {
				out = append(out, f[:n]...)
			}
			f = f[n:]
			continue
		}
		text := p.text(t, fill)
		f = rest[len(p.name):]
		out = append(out, text...)
		if len(f) >= 2 && strings.EqualFold(f[:2], "TH") && !p.exact {
			out = append(out, ordinal(text, f[0] == 'T')...)
			f = f[2:]
		}
	}
	return types.NewBytes(out), nil
}

// appendQuoted copies up to the closing quote; a backslash takes the next character as it is.
func appendQuoted(f string, out []byte) (rest string, _ []byte) {
	for i := 0; i < len(f); i++ {
		switch {
		case f[i] == '"':
			return f[i+1:], out
		case f[i] == '\\' && i+1 < len(f):
			i++
		}
		out = append(out, f[i])
	}
	return "", out
}

func matchPattern(f string) *charPattern {
	for i := range charPatterns {
		p := &charPatterns[i]
		if len(f) < len(p.name) {
			continue
		}
		if head := f[:len(p.name)]; head == p.name || !p.exact && strings.EqualFold(head, p.name) {
			return p
		}
	}
	return nil
}

// ordinal is the ending of a number: st, nd, rd or th.
func ordinal(number string, upper bool) string {
	s := "th"
	n := len(number)
	if n < 2 || number[n-2] != '1' {
		switch number[n-1] {
		case '1':
			s = "st"
		case '2':
			s = "nd"
		case '3':
			s = "rd"
		}
	}
	if upper {
		return strings.ToUpper(s)
	}
	return s
}
