package expr

import (
	"strconv"
	"strings"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// toCharFuncs are to_char of timestamps and intervals.
var toCharFuncs = map[string]impl{
	"timestamp_to_char": {f2: func(_ *EvalContext, t, format types.Datum) (types.Datum, error) {
		return timeToChar(format.B, t.I, nil, 0)
	}},
	"timestamptz_to_char": {f2: func(ec *EvalContext, t, format types.Datum) (types.Datum, error) {
		if infiniteTime(t.I) {
			return types.NullDatum, nil
		}
		local := types.TimestampTZToTimestamp(ec.location(), t.I)
		return timeToChar(format.B, local, ec.location(), t.I)
	}},
	"interval_to_char": {f2: intervalToChar},
}

// charTime is a time or an interval to write.
type charTime struct {
	civil
	interval bool
	days     int64 // of a time, its date
	yearDay  int64
	hour     int64
	minute   int64
	second   int64
	micro    int64
	loc      *time.Location // nil: no zone
	utc      int64
}

// timeToChar writes a local time by a template.
func timeToChar(format []byte, local int64, loc *time.Location, utc int64) (types.Datum, error) {
	if infiniteTime(local) || len(format) == 0 {
		return types.NullDatum, nil
	}
	t := &charTime{civil: civilOf(local), loc: loc, utc: utc}
	t.days = types.DaysFromCivil(t.year, t.month, t.day)
	t.yearDay = t.calendarField("doy")
	t.setClock(t.usec)
	return t.write(format)
}

func intervalToChar(_ *EvalContext, d, format types.Datum) (types.Datum, error) {
	if len(format.B) == 0 {
		return types.NullDatum, nil
	}
	v := d.Interval()
	t := &charTime{interval: true}
	t.year, t.month, t.day = int(v.Months/12), int(v.Months%12), int(v.Days)
	t.yearDay = int64(v.Months)*30 + int64(v.Days)
	t.setClock(v.Usec)
	return t.write(format.B)
}

func (t *charTime) setClock(usec int64) {
	t.hour, t.minute = usec/usecPerHour, usec/usecPerMinute%60
	t.second, t.micro = usec/usecPerSecond%60, usec%usecPerSecond
}

func (t *charTime) write(format []byte) (types.Datum, error) {
	out := []byte{}
	for _, item := range datePatternOf(format) {
		if item.kind != itemKey {
			out = append(out, item.written...)
			continue
		}
		start := len(out)
		var err error
		if out, err = t.item(out, &item); err != nil {
			return types.Datum{}, err
		}
		if item.ordinal == "" || !hasOrdinal(item.key.name) {
			continue
		}
		if text := string(out[start:]); text != "" {
			out = append(out, ordinal(text, item.ordinal == "TH")...)
		}
	}
	return types.NewBytes(out), nil
}

// hasOrdinal: the other patterns are no numbers, or PostgreSQL forgets the ending there.
func hasOrdinal(name string) bool {
	switch name {
	case "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "P.M.", "PM", "DAY", "DY", "MONTH", "MON", "RM", "FX", "OF", "TZ", "TZH", "TZM":
		return false
	}
	return true
}

// item writes one pattern.
func (t *charTime) item(out []byte, item *dateItem) ([]byte, error) {
	if t.interval && dateOnly(item.key.name) {
		return nil, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid format specification for an interval value").
			WithHint("Intervals are not tied to specific calendar dates.")
	}
	fill := !item.fm
	if word, width, ok := t.word(item.key.name); ok {
		return appendWord(out, item, word, width), nil
	}
	switch name := item.key.name; name {
	case "RM":
		return t.roman(out, item), nil
	case "Y,YYY":
		y := t.eraYear(int64(t.year))
		return append(out, strconv.FormatInt(y/1000, 10)+","+padded(y-y/1000*1000, 3)...), nil
	case "TZ", "TZH", "TZM", "OF":
		return append(out, t.zone(item)...), nil
	case "FX":
		return out, nil
	case "Q":
		if t.month == 0 {
			return out, nil
		}
		return strconv.AppendInt(out, int64(t.month-1)/3+1, 10), nil
	default:
		v, width := t.number(name)
		if !fill && width > 1 && !strings.HasPrefix(name, "FF") && name != "MS" && name != "US" {
			width = 0
		}
		sign := v
		if name[0] == 'I' {
			sign = t.eraYear(int64(t.year)) // PostgreSQL looks at this one
		}
		if sign < 0 && width > 1 && signWidens(name) {
			width++
		}
		return append(out, padded(v, width)...), nil
	}
}

// signWidens: with the sign these take one more place.
func signWidens(name string) bool {
	switch name {
	case "HH", "HH12", "HH24", "MI", "SS", "MM", "CC", "YYYY", "YYY", "YY", "IYYY", "IYY", "IY":
		return true
	}
	return false
}

// dateOnly are the patterns that make no sense for intervals.
func dateOnly(name string) bool {
	switch name {
	case "A.D.", "AD", "B.C.", "BC", "DAY", "DY", "MONTH", "MON", "D", "ID", "TZ", "TZH", "TZM", "OF":
		return true
	}
	return false
}

// padded is C's %0*d.
func padded(v int64, width int) string {
	s := strconv.FormatInt(max(v, -v), 10)
	sign := ""
	if v < 0 {
		sign = "-"
	}
	if pad := width - len(s) - len(sign); pad > 0 {
		s = strings.Repeat("0", pad) + s
	}
	return sign + s
}

// digits writes a number with leading zeros up to a width, if they are wanted.
func digits(v int64, width int, fill bool) string {
	if !fill {
		width = 0
	}
	return padded(v, width)
}

// eraYear is a year counted within its era; of an interval, the years.
func (t *charTime) eraYear(year int64) int64 {
	if t.interval || year > 0 {
		return year
	}
	return 1 - year
}

// number is the value of a pattern and the digits it has.
func (t *charTime) number(name string) (v int64, width int) {
	switch name {
	case "HH24":
		return t.hour, 2
	case "HH12", "HH":
		if v = t.hour % 12; v == 0 {
			v = 12
		}
		return v, 2
	case "MI":
		return t.minute, 2
	case "SS":
		return t.second, 2
	case "SSSSS", "SSSS":
		return t.hour*3600 + t.minute*60 + t.second, 1
	case "MS", "FF3":
		return t.micro / 1000, 3
	case "US", "FF6":
		return t.micro, 6
	case "FF1":
		return t.micro / 100_000, 1
	case "FF2":
		return t.micro / 10_000, 2
	case "FF4":
		return t.micro / 100, 4
	case "FF5":
		return t.micro / 10, 5
	case "CC":
		if t.interval {
			return int64(t.year / 100), 2
		}
		return yearGroup(int64(t.year), 100), 2
	case "YYYY", "YYY", "YY", "Y", "IYYY", "IYY", "IY", "I":
		return t.yearNumber(name)
	}
	return t.dayNumber(name)
}

func (t *charTime) yearNumber(name string) (v int64, width int) {
	year := int64(t.year)
	if name[0] == 'I' {
		name = name[1:]
		iso, _ := isoWeek(t.date())
		year = min(max(iso, year-1), year+1) // the days of an interval may be more than a year
		if name == "" {
			name = "Y"
		} else {
			name = "Y" + name
			if len(name) > 4 {
				name = name[:4]
			}
		}
	}
	v = t.eraYear(year)
	switch len(name) {
	case 4:
		return v, 4
	case 3:
		return v % 1000, 3
	case 2:
		return v % 100, 2
	}
	return v % 10, 1
}

// date is the day, of an interval one that has its numbers.
func (t *charTime) date() int64 {
	if t.interval {
		return types.DaysFromCivil(t.year, t.month, t.day)
	}
	return t.days
}

func (t *charTime) dayNumber(name string) (v int64, width int) {
	switch name {
	case "MM":
		return int64(t.month), 2
	case "DD":
		return int64(t.day), 2
	case "DDD":
		return t.yearDay, 3
	case "IDDD":
		_, week := isoWeek(t.date())
		return (week-1)*7 + t.isoWeekday(), 3
	case "D":
		return weekday(t.days) + 1, 1
	case "ID":
		return t.isoWeekday(), 1
	case "WW":
		return (t.yearDay-1)/7 + 1, 2
	case "IW":
		_, week := isoWeek(t.date())
		return week, 2
	case "W":
		return int64(t.day-1)/7 + 1, 1
	default: // J
		return t.date() + julianEpoch, 1
	}
}

func (t *charTime) isoWeekday() int64 { return (weekday(t.date())+6)%7 + 1 }

// word is the text of a pattern of letters, in its common form, and the width to which it is filled.
func (t *charTime) word(name string) (word string, width int, ok bool) {
	switch name {
	case "MONTH":
		return time.Month(t.month).String(), 9, true
	case "MON":
		return time.Month(t.month).String()[:3], 0, true
	case "DAY":
		return time.Weekday(weekday(t.days)).String(), 9, true
	case "DY":
		return time.Weekday(weekday(t.days)).String()[:3], 0, true
	case "AM", "PM", "A.M.", "P.M.":
		word = "AM"
		if t.hour%24 >= 12 {
			word = "PM"
		}
	case "AD", "BC", "A.D.", "B.C.":
		word = "AD"
		if t.year <= 0 {
			word = "BC"
		}
	default:
		return "", 0, false
	}
	if len(name) == 4 {
		word = word[:1] + "." + word[1:] + "."
	}
	return word, 0, true
}

// appendWord writes a word in the case of its pattern.
func appendWord(out []byte, item *dateItem, word string, width int) []byte {
	switch {
	case item.written == item.key.name:
		word = strings.ToUpper(word)
	case item.written == strings.ToLower(item.key.name):
		word = strings.ToLower(word)
	}
	out = append(out, word...)
	if pad := width - len(word); pad > 0 && !item.fm && !item.tm {
		out = append(out, strings.Repeat(" ", pad)...)
	}
	return out
}

// romanMonths are RM.
var romanMonths = [...]string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}

// roman writes a month; the months of an interval that has whole years only are those of a year, and negative ones count
// from its end.
func (t *charTime) roman(out []byte, item *dateItem) []byte {
	if t.month == 0 && t.year == 0 {
		return out
	}
	m := t.month
	switch {
	case m == 0 && t.year >= 0:
		m = 12
	case m == 0:
		m = 1
	case m < 0:
		m += 13
	}
	text := romanMonths[m-1]
	if item.written == "rm" {
		text = strings.ToLower(text)
	}
	out = append(out, text...)
	if pad := 4 - len(text); pad > 0 && !item.fm {
		out = append(out, strings.Repeat(" ", pad)...)
	}
	return out
}

// zone is the time zone's name or its offset from UTC: the hours with their sign, the minutes, or both with the minutes only
// if there are any.
func (t *charTime) zone(item *dateItem) string {
	name, seconds := "", int64(0)
	if t.loc != nil {
		var off int
		name, off = types.TimeFromTimestamp(t.utc).In(t.loc).Zone()
		seconds = int64(off)
	}
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	hours, minutes := padded(seconds/3600, 2), padded(seconds/60%60, 2)
	switch item.key.name {
	case "TZ":
		if item.written == "tz" {
			return strings.ToLower(name)
		}
		return name
	case "TZH":
		return sign + hours
	case "TZM":
		return minutes
	}
	if item.fm {
		hours = padded(seconds/3600, 0)
	}
	if seconds%3600 != 0 {
		return sign + hours + ":" + minutes
	}
	return sign + hours
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
