package types

import (
	"bytes"
	"math"
	"strconv"

	"minidb/sql/sqlerr"
)

// intervalUnit is a unit of an interval's text.
type intervalUnit struct {
	bit    uint16 // of the fields seen: a unit comes once
	months int64  // one of the three says how much it is
	days   int64
	usec   int64
}

// The bits of what a time, such as 1:02:03.4, fills.
const (
	seenSecond = 1 << iota
	seenMilli
	seenMicro
	seenMinute
	seenHour
	seenClock = seenSecond | seenMilli | seenMicro | seenMinute | seenHour
)

var intervalUnits = map[string]intervalUnit{}

func init() {
	add := func(u intervalUnit, names ...string) {
		for _, n := range names {
			intervalUnits[n] = u
		}
	}
	add(intervalUnit{bit: seenSecond, usec: usecPerSecond}, "second", "seconds", "s", "sec", "secs")
	add(intervalUnit{bit: seenMilli, usec: 1000}, "millisecond", "milliseconds", "ms", "msec", "msecs", "msecond", "mseconds")
	add(intervalUnit{bit: seenMicro, usec: 1}, "microsecond", "microseconds", "us", "usec", "usecs", "usecond", "useconds")
	add(intervalUnit{bit: seenMinute, usec: usecPerMinute}, "minute", "minutes", "m", "min", "mins")
	add(intervalUnit{bit: seenHour, usec: usecPerHour}, "hour", "hours", "h", "hr", "hrs")
	add(intervalUnit{bit: 1 << 5, days: 1}, "day", "days", "d")
	add(intervalUnit{bit: 1 << 6, days: 7}, "week", "weeks", "w")
	add(intervalUnit{bit: 1 << 7, months: 1}, "month", "months", "mon", "mons")
	add(intervalUnit{bit: 1 << 8, months: 12}, "year", "years", "y", "yr", "yrs")
	add(intervalUnit{bit: 1 << 9, months: 120}, "decade", "decades", "dec", "decs")
	add(intervalUnit{bit: 1 << 10, months: 1200}, "century", "centuries", "c", "cent")
	add(intervalUnit{bit: 1 << 11, months: 12000}, "millennium", "millennia", "millenniums", "mil", "mils")
}

// intervalText adds up the parts of an interval's text.
type intervalText struct {
	years, months, days, usec int64
	seen                      uint16
	allNegative               bool // style sql_standard: a sign in front counts for all
	ago                       bool
	overflow                  bool
}

// quantity is a number with its fraction apart, because the whole part must be exact.
type quantity struct {
	whole int64
	frac  float64 // of the same sign
}

// inputInterval reads "1 day 02:03:04", "1-2", "@ 5 minutes ago" and the ISO forms P1Y2M3DT4H5M6S and P0001-02-03T04:05:06.
func inputInterval(ec *Context, text []byte) (Datum, error) {
	var p intervalText
	s := bytes.ToLower(trimSpace(text))
	if ec.IntervalStyle == IntervalSQLStandard && len(s) > 0 && s[0] == '-' {
		p.allNegative = !hasInnerSign(s[1:])
	}
	var ok bool
	if len(s) > 1 && s[0] == 'p' {
		ok = p.parseISO(s[1:])
	} else {
		ok = p.parse(s)
	}
	if ok && p.ago {
		p.negate()
	}
	if p.overflow || !isInt32(p.years) || !isInt32(p.months) || !isInt32(p.days) {
		return Datum{}, sqlerr.New(sqlerr.IntervalFieldOverflow, "interval field value out of range: \"%s\"", text)
	}
	if !ok {
		return Datum{}, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", text)
	}
	months := p.years*12 + p.months
	if !isInt32(months) {
		return Datum{}, intervalOutOfRange()
	}
	return NewInterval(IntervalValue{Usec: p.usec, Days: int32(p.days), Months: int32(months)}), nil
}

func isInt32(i int64) bool { return i == int64(int32(i)) }

// intervalOutOfRange is the error of parts that fit but whose sum does not.
func intervalOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
}

// hasInnerSign looks for a part that has a sign of its own.
func hasInnerSign(s []byte) bool {
	for i, c := range s {
		if (c == '-' || c == '+') && (i == 0 || isSpace(s[i-1])) {
			return true
		}
	}
	return false
}

// mark notes that fields were given; each may be only once.
func (p *intervalText) mark(bits uint16) bool {
	if p.seen&bits != 0 {
		return false
	}
	p.seen |= bits
	return true
}

// add counts q of a unit in. A fraction goes to the next smaller unit that is exact: of years to months, of months to days
// of 30, of days to microseconds.
func (p *intervalText) add(q quantity, u intervalUnit) {
	if p.allNegative {
		q.whole, q.frac = -absInt(q.whole), -math.Abs(q.frac)
	}
	switch {
	case u.months > 1:
		p.addTo(&p.years, q.whole, u.months/12)
		p.addTo(&p.months, int64(math.RoundToEven(q.frac*float64(u.months))), 1)
	case u.months == 1:
		p.addTo(&p.months, q.whole, 1)
		p.addDays(q.frac * 30)
	case u.days > 0:
		p.addTo(&p.days, q.whole, u.days)
		p.addDays(q.frac * float64(u.days))
	default:
		p.addTo(&p.usec, q.whole, u.usec)
		p.addTo(&p.usec, int64(math.RoundToEven(q.frac*float64(u.usec))), 1)
	}
}

// addDays adds a fraction of something as whole days and microseconds.
func (p *intervalText) addDays(days float64) {
	whole, frac := math.Modf(days)
	p.addTo(&p.days, int64(whole), 1)
	p.addTo(&p.usec, int64(math.RoundToEven(frac*usecPerDay)), 1)
}

func (p *intervalText) addTo(sum *int64, n, unit int64) {
	n, ok := mulInt64(n, unit)
	c := *sum + n
	if !ok || (c > *sum) != (n > 0) && n != 0 {
		p.overflow = true
		return
	}
	*sum = c
}

func absInt(i int64) int64 {
	if i < 0 {
		return -i
	}
	return i
}

// parse reads PostgreSQL's own form: numbers with units, times, years-months.
func (p *intervalText) parse(s []byte) bool {
	pending := false // q still waits for its unit
	var q quantity
	for {
		s = bytes.TrimLeft(s, " \t\n\r\v\f@,")
		if len(s) == 0 {
			break
		}
		if isLetter(s[0]) {
			n := 0
			for n < len(s) && isLetter(s[n]) {
				n++
			}
			word := string(s[:n])
			s = s[n:]
			if word == "ago" && !pending {
				p.ago = true
				continue
			}
			u, ok := intervalUnits[word]
			if !ok || !pending || !p.markUnit(q, u) {
				return false
			}
			p.add(q, u)
			pending = false
			continue
		}
		tok, rest := intervalNumber(s)
		if s = rest; !isDigit(tok[len(tok)-1]) && len(tok) == 1 || (tok[0] == '-' || tok[0] == '+') && !isDigit(tok[1]) {
			return false
		}
		if pending {
			// "1 2:03:04": a number before a time counts days.
			if bytes.IndexByte(tok, ':') < 0 || !p.mark(intervalUnits["day"].bit) {
				return false
			}
			p.add(q, intervalUnits["day"])
			pending = false
		}
		ok := true
		switch body := bytes.TrimLeft(tok, "+-"); {
		case bytes.IndexByte(body, ':') >= 0:
			ok = p.addClock(tok)
		case bytes.IndexByte(body, '-') >= 0:
			ok = p.addYearMonth(tok)
		default:
			q, ok = p.quantity(tok)
			pending = true
		}
		if !ok {
			return false
		}
	}
	if pending {
		u := intervalUnits["second"]
		if !p.markUnit(q, u) {
			return false
		}
		p.add(q, u)
	}
	return p.seen != 0
}

// intervalNumber cuts a number, time or year-month off the front.
func intervalNumber(s []byte) (tok, rest []byte) {
	n := 1
	for n < len(s) && (isDigit(s[n]) || s[n] == '.' || s[n] == ':' || s[n] == '-' && isDigit(s[n-1])) {
		n++
	}
	return s[:n], s[n:]
}

// markUnit is mark for a unit; seconds with a fraction leave no room for milliseconds.
func (p *intervalText) markUnit(q quantity, u intervalUnit) bool {
	if u.bit == seenSecond && q.frac != 0 {
		return p.mark(seenSecond | seenMilli | seenMicro)
	}
	return p.mark(u.bit)
}

// negate turns the interval around.
func (p *intervalText) negate() {
	p.overflow = p.overflow || p.usec == math.MinInt64
	p.years, p.months, p.days, p.usec = -p.years, -p.months, -p.days, -p.usec
}

// quantity reads [+-]digits[.digits].
func (p *intervalText) quantity(tok []byte) (quantity, bool) {
	neg := len(tok) > 0 && tok[0] == '-'
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		tok = tok[1:]
	}
	whole, frac, _ := bytes.Cut(tok, []byte{'.'})
	if len(whole)+len(frac) == 0 || len(whole) > 0 && !allDigits(whole) || len(frac) > 0 && !allDigits(frac) {
		return quantity{}, false
	}
	var q quantity
	if len(whole) > 0 {
		if neg { // with its sign, so that the smallest number is read too
			whole = append([]byte{'-'}, whole...)
		}
		i, st := parseInt(whole)
		if st != intOK {
			p.overflow = true
			return quantity{}, false
		}
		q.whole = i
	}
	if len(frac) > 0 {
		q.frac, _ = strconv.ParseFloat("0."+string(frac), 64)
	}
	if neg {
		q.frac = -q.frac
	}
	return q, true
}

// addClock adds [+-]H:M[:S[.f]], or M:S.f.
func (p *intervalText) addClock(tok []byte) bool {
	sign := tok[0]
	if sign == '-' || sign == '+' {
		tok = tok[1:]
	}
	parts := bytes.Split(tok, []byte{':'})
	units := []string{"hour", "minute", "second"}
	if len(parts) == 2 && bytes.IndexByte(parts[1], '.') >= 0 {
		units = units[1:]
	}
	if len(parts) > len(units) || !p.mark(seenClock) {
		return false
	}
	for i, part := range parts {
		q, ok := p.quantity(part)
		if ok && units[i] != "hour" && q.whole >= 60 {
			p.overflow = true
		}
		if !ok || units[i] != "second" && bytes.IndexByte(part, '.') >= 0 || part[0] == '-' {
			return false
		}
		if sign == '-' {
			q.whole, q.frac = -q.whole, -q.frac
		}
		p.add(q, intervalUnits[units[i]])
	}
	return true
}

// addYearMonth adds [+-]Y-M.
func (p *intervalText) addYearMonth(tok []byte) bool {
	neg := tok[0] == '-'
	if neg || tok[0] == '+' {
		tok = tok[1:]
	}
	y, m, _ := bytes.Cut(tok, []byte{'-'})
	if !allDigits(y) || !allDigits(m) || atoi(m) >= 12 || !p.mark(intervalUnits["month"].bit) {
		return false
	}
	q := quantity{whole: int64(atoi(y))*12 + int64(atoi(m))}
	if neg {
		q.whole = -q.whole
	}
	p.add(q, intervalUnits["month"])
	return true
}

// parseISO reads what follows the P: numbers with the letters Y, M, W, D and, after a T, H, M, S; or a date and a time.
func (p *intervalText) parseISO(s []byte) bool {
	date, clock, _ := bytes.Cut(s, []byte{'t'})
	dateOK := p.parseDesignators(date, "ymwd") || p.parseAlternative(date, '-', []string{"year", "month", "day"}, 4)
	return dateOK && (p.parseDesignators(clock, "hms") || p.parseAlternative(clock, ':', []string{"hour", "minute", "second"}, 2))
}

// parseDesignators reads numbers that each have one of the letters after them; none at all are fine.
func (p *intervalText) parseDesignators(s []byte, letters string) bool {
	before := *p
	for len(s) > 0 {
		n := 0
		for n < len(s) && !isLetter(s[n]) {
			n++
		}
		if n == 0 || n == len(s) || bytes.IndexByte([]byte(letters), s[n]) < 0 {
			*p = before
			return false
		}
		name := string(s[n])
		if name == "m" && letters[0] == 'y' {
			name = "month"
		}
		q, ok := p.quantity(s[:n])
		if !ok {
			if !p.overflow {
				*p = before
			}
			return false
		}
		p.add(q, intervalUnits[name])
		s = s[n+1:]
	}
	return true
}

// parseAlternative reads a date or time with separators, or without: YYYYMMDD, HHMMSS.
func (p *intervalText) parseAlternative(s []byte, sep byte, units []string, firstDigits int) bool {
	parts := bytes.Split(s, []byte{sep})
	if len(parts) == 1 && len(s) == firstDigits+4 && allDigits(s) {
		parts = [][]byte{s[:firstDigits], s[firstDigits : firstDigits+2], s[firstDigits+2:]}
	}
	if len(parts) > len(units) {
		return false
	}
	for i, part := range parts {
		q, ok := p.quantity(part)
		if !ok {
			return false
		}
		p.seen |= intervalUnits[units[i]].bit
		p.add(q, intervalUnits[units[i]])
	}
	return true
}
