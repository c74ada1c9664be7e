package expr

import (
	"math"
	"strconv"
	"strings"

	"minidb/sql/sqlerr"
)

// dateFields are what a template has read from a text. A field that is 0 is not there.
type dateFields struct {
	mode                             dateMode
	hour, minute, second, secondsDay int64 // secondsDay is SSSS
	milli, micro                     int64
	precision                        int // digits of FF, to which the time is rounded
	clock12                          bool
	pm, bc                           int64
	year, yearDigits, century        int64
	month, day, yearDay, weekday     int64 // weekday is 1 for Sunday
	week, monthWeek, julian          int64
	zoneSign, zoneHour, zoneMinute   int64
}

// dateReader reads a text by a template.
type dateReader struct {
	items []dateItem
	at    int
	in    string // whole
	pos   int
	exact bool // after FX
	extra int  // characters skipped that the template does not have
	f     dateFields
}

func (r *dateReader) rest() string { return r.in[r.pos:] }

func (r *dateReader) skipBlanks() (n int) {
	for r.pos < len(r.in) && isBlank(r.in[r.pos]) {
		r.pos++
		n++
	}
	return n
}

func (r *dateReader) skipChar() { r.pos += nextChar(r.rest()) }

// readDate reads text by a template. Errors are 22007, 22008 and 0A000.
func readDate(text, format []byte) (dateFields, error) {
	r := &dateReader{items: datePatternOf(format), in: string(text)}
	for r.at = range r.items {
		if r.pos >= len(r.in) {
			break
		}
		item := &r.items[r.at]
		isKey := item.kind == itemKey
		if !r.exact && (isKey && item.key.name != "FX" || r.at == 0) && !(isKey && item.key.name == "FX") {
			r.extra += r.skipBlanks()
		}
		if !isKey {
			r.literal(item)
			continue
		}
		if err := r.setMode(item.key.mode); err != nil {
			return r.f, err
		}
		if err := r.item(item); err != nil {
			return r.f, err
		}
		if !r.exact {
			r.extra = r.skipBlanks()
		}
	}
	return r.f, nil
}

// literal passes over what stands for a literal character, which need not be that one.
func (r *dateReader) literal(item *dateItem) {
	switch {
	case r.exact:
		r.skipChar()
	case item.kind == itemText:
		// Blanks before may have been part of what stands for it.
		if r.extra > 0 {
			r.extra--
		} else if r.pos < len(r.in) {
			r.skipChar()
		}
	default:
		r.extra--
		if r.pos < len(r.in) && (isBlank(r.in[r.pos]) || isSeparator(r.in[r.pos])) {
			r.pos++
			r.extra++
		}
	}
}

func badDate(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidDatetimeFormat, format, args...)
}

func (r *dateReader) setMode(m dateMode) error {
	switch {
	case m == modeNone:
	case r.f.mode == modeNone:
		r.f.mode = m
	case r.f.mode != m:
		return badDate("invalid combination of date conventions").
			WithHint("Do not mix Gregorian and ISO week date conventions in a formatting template.")
	}
	return nil
}

// set sets a field, which must not have had another value.
func set(field *int64, v int64, item *dateItem) error {
	if *field != 0 && *field != v {
		return badDate("conflicting values for \"%s\" field in formatting string", item.written).
			WithDetail("This value contradicts a previous setting for the same field type.")
	}
	*field = v
	return nil
}

// item reads what one pattern stands for.
func (r *dateReader) item(item *dateItem) error {
	f := &r.f
	switch name := item.key.name; name {
	case "FX":
		r.exact = true
		return nil
	case "TZ", "OF":
		return sqlerr.New(sqlerr.FeatureNotSupported, "formatting field \"%s\" is only supported in to_char", item.written)
	case "TZH":
		return r.zoneHour(item)
	case "TZM":
		if f.zoneSign == 0 {
			f.zoneSign = 1
		}
		_, err := r.number(&f.zoneMinute, 2, item)
		return err
	case "AM", "PM", "A.M.", "P.M.", "AD", "BC", "A.D.", "B.C.", "MONTH", "MON", "DAY", "DY", "RM":
		return r.word(item)
	case "Y,YYY":
		return r.groupedYear(item)
	case "YYYY", "YYY", "YY", "Y", "IYYY", "IYY", "IY", "I":
		return r.year(item)
	case "MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		return r.fraction(item)
	case "ID":
		if _, err := r.number(&f.weekday, 1, item); err != nil {
			return err
		}
		// As the Gregorian patterns count: from Sunday.
		if f.weekday++; f.weekday > 7 {
			f.weekday = 1
		}
		r.skipOrdinal(item)
		return nil
	}
	return r.simple(item)
}

// simple reads a number that is a field as it is.
func (r *dateReader) simple(item *dateItem) error {
	f := &r.f
	var field *int64
	width := len(item.key.name)
	switch item.key.name {
	case "HH24":
		field, width = &f.hour, 2
	case "HH12", "HH":
		field, width, f.clock12 = &f.hour, 2, true
	case "MI":
		field = &f.minute
	case "SS":
		field = &f.second
	case "SSSSS", "SSSS":
		field = &f.secondsDay
	case "MM":
		field = &f.month
	case "DDD":
		field = &f.yearDay
	case "IDDD":
		field, width = &f.yearDay, 3
	case "DD":
		field = &f.day
	case "D":
		field = &f.weekday
	case "WW", "IW":
		field = &f.week
	case "W":
		field = &f.monthWeek
	case "CC":
		field = &f.century
	case "J":
		field = &f.julian
	case "Q":
		field = new(int64) // of no use: it does not say which day
	}
	_, err := r.number(field, width, item)
	r.skipOrdinal(item)
	return err
}

// skipOrdinal passes over the ending of a number.
func (r *dateReader) skipOrdinal(item *dateItem) {
	if item.ordinal == "" {
		return
	}
	for range 2 {
		if r.pos < len(r.in) {
			r.skipChar()
		}
	}
}

// nextIsNoDigit reports whether what follows the pattern at hand in the template cannot be a digit.
func (r *dateReader) nextIsNoDigit() bool {
	if r.items[r.at].ordinal != "" || r.at+1 == len(r.items) {
		return true
	}
	next := &r.items[r.at+1]
	if next.kind == itemKey {
		return !next.key.digit
	}
	return !(len(next.written) == 1 && isDigit(next.written[0]))
}

// leadingInt reads an integer as C's strtol does; n is how many bytes it takes, 0 for none.
func leadingInt(s string) (v int64, n int, inRange bool) {
	i := 0
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	start := i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	first := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == first {
		return 0, 0, true
	}
	v, err := strconv.ParseInt(s[start:i], 10, 64)
	return v, i, err == nil && v >= math.MinInt32 && v <= math.MaxInt32
}

// number reads a number of width digits, or, where something ends it, of any. It gives how many bytes it took.
func (r *dateReader) number(field *int64, width int, item *dateItem) (int, error) {
	const hint = "If your source string is not fixed-width, try using the \"FM\" modifier."
	start := r.pos
	r.skipBlanks()
	digits := r.rest()
	chunk := strings.ToValidUTF8(digits[:min(width, len(digits))], "")
	var v int64
	var inRange bool
	if item.fm || r.nextIsNoDigit() {
		var n int
		if v, n, inRange = leadingInt(r.in[start:]); n > 0 {
			r.pos = start + n
		} else {
			r.pos = start
		}
	} else {
		if len(digits) < width {
			return 0, badDate("source string too short for \"%s\" formatting field", item.written).
				WithDetail("Field requires %d characters, but only %d remain.", width, len(digits)).WithHint(hint)
		}
		var n int
		v, n, inRange = leadingInt(chunk)
		if n > 0 && n < width {
			return 0, badDate("invalid value \"%s\" for \"%s\"", chunk, item.written).
				WithDetail("Field requires %d characters, but only %d could be parsed.", width, n).WithHint(hint)
		}
		r.pos += n
	}
	if r.pos == start {
		return 0, badDate("invalid value \"%s\" for \"%s\"", chunk, item.written).WithDetail("Value must be an integer.")
	}
	if !inRange {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "value for \"%s\" in source string is out of range", item.written).
			WithDetail("Value must be in the range %d to %d.", math.MinInt32, math.MaxInt32)
	}
	return r.pos - start, set(field, v, item)
}

func (r *dateReader) zoneHour(item *dateItem) error {
	f := &r.f
	switch c := r.in[r.pos]; {
	case c == '+' || c == '-' || c == ' ':
		f.zoneSign = 1
		if c == '-' {
			f.zoneSign = -1
		}
		r.pos++
	case r.extra > 0 && r.pos > 0 && r.in[r.pos-1] == '-':
		f.zoneSign = -1 // it was taken for a separator
	default:
		f.zoneSign = 1
	}
	_, err := r.number(&f.zoneHour, 2, item)
	return err
}

// fraction reads digits after a point: 25 is a quarter, as is 250.
func (r *dateReader) fraction(item *dateItem) error {
	field, width, full := &r.f.micro, 6, 6
	switch name := item.key.name; {
	case name == "MS":
		field, width, full = &r.f.milli, 3, 3
	case name[0] == 'F':
		width = int(name[2] - '0')
		r.f.precision = width
	}
	n, err := r.number(field, width, item)
	if err != nil {
		return err
	}
	for ; n < full; n++ {
		*field *= 10
	}
	r.skipOrdinal(item)
	return nil
}

func (r *dateReader) groupedYear(item *dateItem) error {
	s := r.rest()
	thousands, n, _ := leadingInt(s)
	if n == 0 || n >= len(s) || s[n] != ',' {
		return badDate("invalid input string for \"Y,YYY\"")
	}
	s = s[n+1:]
	digits := s[:min(3+len(s)-len(strings.TrimLeft(s, " \t\n\r\v\f")), len(s))]
	years, k, _ := leadingInt(digits)
	if k == 0 {
		return badDate("invalid input string for \"Y,YYY\"")
	}
	if err := set(&r.f.year, years+thousands*1000, item); err != nil {
		return err
	}
	r.f.yearDigits = 4
	r.pos += n + 1 + k
	r.skipOrdinal(item)
	return nil
}

// year reads a year; one of fewer than four digits is the one nearest to 2020.
func (r *dateReader) year(item *dateItem) error {
	width := len(item.key.name)
	n, err := r.number(&r.f.year, width, item)
	if err != nil {
		return err
	}
	if width < 4 && n < 4 {
		switch y := r.f.year; {
		case y < 70:
			r.f.year += 2000
		case y < 100:
			r.f.year += 1900
		case y < 520:
			r.f.year += 2000
		case y < 1000:
			r.f.year += 1000
		}
	}
	r.f.yearDigits = int64(width)
	r.skipOrdinal(item)
	return nil
}

var (
	fullMonths = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	fullDays   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	halfDays   = []string{"am", "pm"}
	eras       = []string{"ad", "bc"}
)

// shortened are the first three letters of names.
func shortened(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n[:3]
	}
	return out
}

// dotted has a point after each letter.
func dotted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n[:1] + "." + n[1:] + "."
	}
	return out
}

// word reads one of the words that a pattern stands for, in any case.
func (r *dateReader) word(item *dateItem) error {
	f := &r.f
	var words []string
	field, base := &f.month, int64(1)
	switch item.key.name {
	case "AM", "PM":
		words, field, base = halfDays, &f.pm, 0
	case "A.M.", "P.M.":
		words, field, base = dotted(halfDays), &f.pm, 0
	case "AD", "BC":
		words, field, base = eras, &f.bc, 0
	case "A.D.", "B.C.":
		words, field, base = dotted(eras), &f.bc, 0
	case "MONTH":
		words = fullMonths
	case "MON":
		words = shortened(fullMonths)
	case "DAY":
		words, field, base = fullDays, &f.weekday, 0
	case "DY":
		words, field, base = shortened(fullDays), &f.weekday, 0
	case "RM":
		words = romanMonths[:]
	}
	best := -1
	for i, w := range words {
		s := r.rest()
		// Of the Roman numbers the longest counts.
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) && (best < 0 || len(w) > len(words[best])) {
			best = i
		}
	}
	if best < 0 {
		shown := r.rest()
		if i := strings.IndexAny(shown, " \t\n\r\f"); i >= 0 {
			shown = shown[:i]
		}
		return badDate("invalid value \"%s\" for \"%s\"", shown, item.written).
			WithDetail("The given value did not match any of the allowed values for this field.")
	}
	if field == &f.pm && (item.key.name == "AM" || item.key.name == "PM" || len(item.key.name) == 4) {
		f.clock12 = true
	}
	if err := set(field, int64(best)+base, item); err != nil {
		return err
	}
	if field == &f.weekday {
		f.weekday++
	}
	r.pos += len(words[best])
	return nil
}
