package types

import (
	"bytes"
	"math"
	"strconv"

	"minidb/sql/sqlerr"
)

// parseISO reads the one form that data files are full of: YYYY-MM-DD, with HH:MM:SS[.ffffff] after a blank or T, and an
// offset of whole hours or minutes. It returns false for everything else, valid or not, and then p is of no use.
func (p *datetimeText) parseISO(s []byte) bool {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	var bad byte // becomes > 9 if any digit is none
	two := func(i int) int {
		a, b := s[i]-'0', s[i+1]-'0'
		bad |= (a|b)&0xf0 | (a+6)&0x10 | (b+6)&0x10
		return int(a)*10 + int(b)
	}
	p.year = two(0)*100 + two(2)
	p.month, p.day = two(5), two(8)
	if bad != 0 || p.year == 0 || p.month < 1 || p.month > 12 || p.day < 1 || p.day > daysInMonth(p.year, p.month) {
		return false
	}
	if len(s) == 10 {
		return true
	}
	if len(s) < 19 || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return false
	}
	h, m, sec := two(11), two(14), two(17)
	if bad != 0 || h > 23 || m > 59 || sec > 59 {
		return false
	}
	p.time = (int64(h)*3600 + int64(m)*60 + int64(sec)) * usecPerSecond
	s = s[19:]
	if len(s) > 1 && s[0] == '.' {
		n, frac := 1, int64(0)
		for ; n < len(s) && n <= 6 && isDigit(s[n]); n++ {
			frac = frac*10 + int64(s[n]-'0')
		}
		p.time += frac * pow10[7-n]
		if n == 1 {
			return false
		}
		s = s[n:]
	}
	switch {
	case len(s) == 0:
		return true
	case len(s) == 1 && (s[0] == 'Z' || s[0] == 'z'):
		p.hasZone = true
		return true
	case len(s) == 3 || len(s) == 6 && s[3] == ':':
		return (s[0] == '+' || s[0] == '-') && isDigit(s[1]) && isDigit(s[2]) && p.parseOffset(s) == offsetOK
	}
	return false
}

// The outcomes of reading a part of a date, which become PostgreSQL's errors.
type dateStatus uint8

const (
	dateOK         dateStatus = iota
	dateBad                   // 22007
	dateField                 // a field out of range: 22008
	dateMonthOrDay            // the same with the hint that the order of fields may be another
	dateZone                  // 22009
	dateNoZone                // 22023: no zone of that name
)

const offsetOK = dateOK

// parse reads everything else that PostgreSQL reads as a date or timestamp: fields in many orders and spellings.
func (p *datetimeText) parse(ec *Context, text []byte, typeName string) error {
	st := p.parseFields(ec, text)
	switch st {
	case dateOK:
		return nil
	case dateField:
		return fieldOutOfRange(text)
	case dateMonthOrDay:
		return fieldOutOfRange(text).WithHint("Perhaps you need a different \"datestyle\" setting.")
	case dateNoZone:
		return sqlerr.New(sqlerr.InvalidParameterValue, "time zone \"%s\" not recognized", p.zone)
	case dateZone:
		return sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range: \"%s\"", text)
	default:
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", typeName, text)
	}
}

func fieldOutOfRange(text []byte) *sqlerr.Error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", text)
}

// dateFields is what parseFields collects before it decides which number is which.
type dateFields struct {
	numbers [3][]byte // numbers that stand alone, such as the 5 and 2020 of "5 January 2020"
	n       int
	month   int // of a month's name
}

func (p *datetimeText) parseFields(ec *Context, s []byte) dateStatus {
	var f dateFields
	for {
		for len(s) > 0 && (isSpace(s[0]) || s[0] == ',') {
			s = s[1:]
		}
		if len(s) == 0 {
			break
		}
		var st dateStatus
		switch c := s[0]; {
		case isDigit(c):
			s, st = p.parseNumberField(ec, s, &f)
		case c == '+' || c == '-':
			s, st = p.parseSigned(s)
		case isLetter(c):
			s, st = p.parseWord(ec, s, &f)
		default:
			st = dateBad
		}
		if st != dateOK {
			return st
		}
	}
	if p.special != 0 || p.absolute {
		return dateOK
	}
	if st := p.assignNumbers(ec, &f); st != dateOK {
		return st
	}
	return p.finish()
}

// parseNumberField reads a field that begins with a digit: a time, a date with separators, or digits alone.
func (p *datetimeText) parseNumberField(ec *Context, s []byte, f *dateFields) ([]byte, dateStatus) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	switch {
	case n < len(s) && s[n] == ':':
		end := n
		for end < len(s) && (isDigit(s[end]) || s[end] == ':' || s[end] == '.') {
			end++
		}
		return s[end:], p.parseTime(s[:end])
	case n < len(s) && (s[n] == '-' || s[n] == '/' || s[n] == '.' && !p.hasDate && f.month == 0) && !(p.timeOnly && s[n] == '.' && n == 6):
		sep, end := s[n], n
		for end < len(s) && (isDigit(s[end]) || isLetter(s[end]) || s[end] == sep) {
			if lower(s[end]) == 't' && end+1 < len(s) && isDigit(s[end+1]) && bytes.Count(s[:end], []byte{sep}) == 2 {
				break // the T between a date and a time
			}
			end++
		}
		return s[end:], p.parseDate(ec, bytes.Split(s[:end], []byte{sep}))
	}
	digits := s[:n]
	rest := s[n:]
	frac := 0
	if len(rest) > 0 && rest[0] == '.' {
		frac = 1
		for frac < len(rest) && isDigit(rest[frac]) {
			frac++
		}
	}
	switch {
	case (p.hasDate || p.timeOnly) && !p.hasTime && (n == 6 || n == 4):
		return rest[frac:], p.parseCompactTime(digits, rest[:frac])
	case frac > 0:
		return rest, dateBad
	case !p.hasDate && f.n == 0 && f.month == 0 && n >= 6: // YYYYMMDD or YYMMDD
		return rest, p.setDate(digits[:n-4], digits[n-4:n-2], digits[n-2:])
	case f.n == len(f.numbers):
		return rest, dateBad
	}
	f.numbers[f.n] = digits
	f.n++
	return rest, dateOK
}

// parseCompactTime reads HHMM[SS] with a fraction or without.
func (p *datetimeText) parseCompactTime(digits, frac []byte) dateStatus {
	if len(digits) == 4 && len(frac) > 0 {
		return dateBad
	}
	h, m, sec := atoi(digits[:2]), atoi(digits[2:4]), 0
	if len(digits) == 6 {
		sec = atoi(digits[4:])
	}
	return p.setTime(h, m, sec, fraction(frac))
}

// parseTime reads H:M[:S[.f]].
func (p *datetimeText) parseTime(s []byte) dateStatus {
	whole, frac := s, []byte(nil)
	if i := bytes.IndexByte(s, '.'); i >= 0 {
		whole, frac = s[:i], s[i:]
		if bytes.ContainsAny(frac[1:], ".:") {
			return dateBad
		}
	}
	parts := bytes.Split(whole, []byte{':'})
	if len(parts) > 3 {
		return dateBad
	}
	var v [3]int
	for i, part := range parts {
		if len(part) == 0 {
			return dateBad
		}
		v[i] = atoi(part)
	}
	if len(parts) == 2 && frac != nil { // M:S.f
		v = [3]int{0, v[0], v[1]}
	}
	return p.setTime(v[0], v[1], v[2], fraction(frac))
}

func (p *datetimeText) setTime(h, m, sec int, frac int64) dateStatus {
	if p.hasTime {
		return dateBad
	}
	p.hasTime = true
	if h > 24 || m > 59 || sec > 60 {
		return dateField
	}
	p.time = (int64(h)*3600+int64(m)*60+int64(sec))*usecPerSecond + frac
	if p.time > usecPerDay {
		return dateField
	}
	return dateOK
}

// fraction turns ".123" into microseconds, rounded as a C program does it with doubles.
func fraction(s []byte) int64 {
	if len(s) <= 1 {
		return 0
	}
	if len(s) <= 7 {
		v := int64(0)
		for _, c := range s[1:] {
			v = v*10 + int64(c-'0')
		}
		return v * pow10[7-len(s)]
	}
	f, err := strconv.ParseFloat("0"+string(s), 64)
	if err != nil {
		return 0
	}
	return int64(math.RoundToEven(f * usecPerSecond))
}

// parseDate reads a date of three parts; one of them may be a month's name.
func (p *datetimeText) parseDate(ec *Context, parts [][]byte) dateStatus {
	if len(parts) == 2 && len(parts[0]) >= 4 && len(parts[1]) == 3 && allDigits(parts[0]) && allDigits(parts[1]) && !p.hasDate && atoi(parts[1]) > 0 {
		p.setDays(DaysFromCivil(atoi(parts[0]), 1, atoi(parts[1]))) // year and day of the year
		return dateOK
	}
	if len(parts) != 3 || p.hasDate {
		return dateBad
	}
	for i, part := range parts {
		if len(part) == 0 {
			return dateBad
		}
		if !isLetter(part[0]) {
			if !allDigits(part) {
				return dateBad
			}
			continue
		}
		m := monthByName(part)
		if m == 0 || i == 2 {
			return dateBad
		}
		a, b := parts[0], parts[2]
		if i == 0 {
			a = parts[1]
		}
		if !allDigits(a) || !allDigits(b) {
			return dateBad
		}
		if len(a) >= 3 {
			a, b = b, a
		}
		return p.setDate(b, strconv.AppendInt(nil, int64(m), 10), a)
	}
	a, b, c := parts[0], parts[1], parts[2]
	switch {
	case len(a) >= 3 || ec.DateOrder == DateOrderYMD:
		return p.setDate(a, b, c)
	case ec.DateOrder == DateOrderDMY:
		return p.setDate(c, b, a)
	default:
		return p.setDate(c, a, b)
	}
}

// setDate takes the digits of a date; whether they make one is checked by finish.
func (p *datetimeText) setDate(year, month, day []byte) dateStatus {
	if p.hasDate {
		return dateBad
	}
	p.hasDate = true
	p.year, p.month, p.day = atoi(year), atoi(month), atoi(day)
	if p.year == math.MaxInt32 {
		return dateField
	}
	if len(year) <= 2 && p.year < 100 && !p.bc {
		// Two digits are a year from 1970 to 2069; of a year BC they are the year itself, see finish.
		p.twoDigitYear = true
	}
	return dateOK
}

// assignNumbers makes a date of numbers that stood alone.
func (p *datetimeText) assignNumbers(ec *Context, f *dateFields) dateStatus {
	switch {
	case f.n == 0 && f.month == 0:
		return dateOK
	case f.month == 0 && f.n == 3:
		return p.parseDate(ec, f.numbers[:])
	case f.month != 0 && f.n == 2:
		day, year := f.numbers[0], f.numbers[1]
		if len(day) >= 3 {
			day, year = year, day
		}
		return p.setDate(year, strconv.AppendInt(nil, int64(f.month), 10), day)
	default:
		return dateBad
	}
}

// finish checks the date and the zone and applies BC.
func (p *datetimeText) finish() dateStatus {
	if !p.hasDate && !p.timeOnly {
		return dateBad
	}
	if p.twoDigitYear && !p.bc {
		if p.year < 70 {
			p.year += 2000
		} else {
			p.year += 1900
		}
	}
	if p.zoneByName && !p.hasDate {
		return dateBad // what its offset is depends on the date
	}
	if p.zone != "" {
		if _, ok := Zone(p.zone); !ok {
			return dateNoZone
		}
	}
	if p.astronomical || !p.hasDate {
		return p.finishClock()
	}
	if p.year == 0 {
		return dateField
	}
	if p.bc {
		p.year = 1 - p.year
	}
	if p.month < 1 || p.month > 12 || p.day < 1 || p.day > 31 {
		return dateMonthOrDay
	}
	if p.day > daysInMonth(p.year, p.month) {
		return dateField
	}
	return p.finishClock()
}

// finishClock applies AM and PM.
func (p *datetimeText) finishClock() dateStatus {
	if p.isAM || p.isPM {
		h := p.time / usecPerHour
		switch {
		case h > 12 || !p.hasTime:
			return dateField
		case p.isAM && h == 12:
			p.time -= 12 * usecPerHour
		case p.isPM && h < 12:
			p.time += 12 * usecPerHour
		}
	}
	return dateOK
}

// atoi reads digits; what does not fit 31 bits becomes the largest.
func atoi(s []byte) int {
	v := 0
	for _, c := range s {
		if v = v*10 + int(c-'0'); v > math.MaxInt32 {
			return math.MaxInt32
		}
	}
	return v
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return len(s) > 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
