package types

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"minidb/sql/sqlerr"
)

// IntervalValue is a span of time as intervals hold it: the three parts do not convert into each other, because months and days vary.
type IntervalValue struct {
	Usec         int64
	Days, Months int32
}

// NewInterval makes an interval. Its bytes are the binary form: microseconds, days, months.
func NewInterval(v IntervalValue) Datum {
	b := make([]byte, 0, 16)
	b = binary.BigEndian.AppendUint64(b, uint64(v.Usec))
	b = binary.BigEndian.AppendUint32(b, uint32(v.Days))
	return Datum{B: binary.BigEndian.AppendUint32(b, uint32(v.Months))}
}

// Interval is the value of an interval.
func (d Datum) Interval() IntervalValue {
	return IntervalValue{
		Usec:   int64(binary.BigEndian.Uint64(d.B)),
		Days:   int32(binary.BigEndian.Uint32(d.B[8:])),
		Months: int32(binary.BigEndian.Uint32(d.B[12:])),
	}
}

func appendIntervalBinary(dst []byte, d Datum) []byte { return append(dst, d.B...) }

func decodeIntervalBinary(src []byte) (Datum, error) {
	return Datum{B: append([]byte{}, src...)}, nil
}

// compareInterval counts a month as 30 days and a day as 24 hours.
func compareInterval(a, b Datum) int {
	da, ta := a.Interval().normalize()
	db, tb := b.Interval().normalize()
	if c := compareInt(da, db); c != 0 {
		return c
	}
	return compareInt(ta, tb)
}

// normalize gives whole days and the microseconds of the last.
func (v IntervalValue) normalize() (days, usec int64) {
	return int64(v.Months)*30 + int64(v.Days) + floorDiv(v.Usec, usecPerDay), floorMod(v.Usec, usecPerDay)
}

// intervalSum adds up the fields of an interval's text. Parts that overflow make it bad for good.
type intervalSum struct {
	months, days float64 // whole numbers
	usec         float64
	overflow     bool
}

// intervalUnits are the units of an interval: how many months, days and microseconds one has.
var intervalUnits = map[string]struct{ months, days, usec float64 }{}

func init() {
	add := func(months, days, usec float64, names ...string) {
		for _, n := range names {
			intervalUnits[n] = struct{ months, days, usec float64 }{months, days, usec}
		}
	}
	add(12000, 0, 0, "millennium", "millennia", "mil", "mils")
	add(1200, 0, 0, "century", "centuries", "c", "cent")
	add(120, 0, 0, "decade", "decades", "dec", "decs")
	add(12, 0, 0, "year", "years", "y", "yr", "yrs")
	add(1, 0, 0, "month", "months", "mon", "mons")
	add(0, 7, 0, "week", "weeks", "w")
	add(0, 1, 0, "day", "days", "d")
	add(0, 0, usecPerHour, "hour", "hours", "h", "hr", "hrs")
	add(0, 0, usecPerMinute, "minute", "minutes", "m", "min", "mins")
	add(0, 0, usecPerSecond, "second", "seconds", "s", "sec", "secs")
	add(0, 0, 1000, "millisecond", "milliseconds", "ms", "msec", "msecs", "msecond", "mseconds")
	add(0, 0, 1, "microsecond", "microseconds", "us", "usec", "usecs", "usecond", "useconds")
}

// add counts quantity of a unit in. A fraction of a unit goes to the next smaller one: half a month is 15 days.
func (s *intervalSum) add(quantity float64, unit string) bool {
	u, ok := intervalUnits[unit]
	if !ok {
		return false
	}
	whole, frac := math.Modf(quantity * u.months)
	if u.months > 1 { // fractions of years go to months, not to days
		whole, frac = math.RoundToEven(quantity*u.months), 0
	}
	s.months += whole
	days := quantity*u.days + frac*30
	whole, frac = math.Modf(roundNano(days))
	s.days += whole
	s.usec += frac*usecPerDay + quantity*u.usec
	return true
}

// roundNano takes the noise of binary fractions off a number of days.
func roundNano(f float64) float64 { return math.Round(f*1e11) / 1e11 }

// value checks the sums against the ranges of the parts.
func (s *intervalSum) value() (IntervalValue, bool) {
	usec := math.RoundToEven(s.usec)
	if s.overflow || math.Abs(s.months) > math.MaxInt32 || math.Abs(s.days) > math.MaxInt32 || math.Abs(usec) >= math.MaxInt64 {
		return IntervalValue{}, false
	}
	return IntervalValue{Usec: int64(usec), Days: int32(s.days), Months: int32(s.months)}, true
}

// inputInterval reads "1 day 02:03:04", "1-2", "@ 5 minutes ago" and the ISO form P1Y2M3DT4H5M6S.
func inputInterval(text []byte) (Datum, error) {
	bad := func() (Datum, error) {
		return Datum{}, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", text)
	}
	var sum intervalSum
	s := bytes.ToLower(trimSpace(text))
	var ok bool
	if len(s) > 1 && s[0] == 'p' {
		ok = parseISOInterval(s[1:], &sum)
	} else {
		ok = parseInterval(s, &sum)
	}
	if !ok {
		return bad()
	}
	v, ok := sum.value()
	if !ok {
		return Datum{}, sqlerr.New(sqlerr.IntervalFieldOverflow, "interval field value out of range: \"%s\"", text)
	}
	return NewInterval(v), nil
}

func parseInterval(s []byte, sum *intervalSum) bool {
	fields, pending := 0, false // pending: a number whose unit is still to come
	var quantity float64
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
			if word == "ago" && fields > 0 && !pending {
				sum.months, sum.days, sum.usec = -sum.months, -sum.days, -sum.usec
				continue
			}
			if !pending || !sum.add(quantity, word) {
				return false
			}
			pending = false
			continue
		}
		n := 1
		for n < len(s) && (isDigit(s[n]) || s[n] == '.' || s[n] == ':' || s[n] == '-' && isDigit(s[n-1])) {
			n++
		}
		tok := s[:n]
		s = s[n:]
		neg := tok[0] == '-'
		if neg || tok[0] == '+' {
			tok = tok[1:]
		}
		if clock := bytes.IndexByte(tok, ':') >= 0; pending {
			if !clock || !sum.add(quantity, "day") { // "1 2:03:04": a number before a time counts days
				return false
			}
			pending = false
		}
		fields++
		ok := true
		switch {
		case bytes.IndexByte(tok, ':') >= 0:
			ok = addClock(tok, neg, sum)
		case bytes.IndexByte(tok, '-') >= 0:
			ok = addYearMonth(tok, neg, sum)
		default:
			quantity, ok = parseQuantity(tok, neg)
			pending = true
		}
		if !ok {
			return false
		}
	}
	if pending {
		return sum.add(quantity, "second")
	}
	return fields > 0
}

func parseQuantity(tok []byte, neg bool) (float64, bool) {
	f, err := strconv.ParseFloat(string(tok), 64)
	if err != nil || len(tok) == 0 || !isDigit(tok[0]) && tok[0] != '.' {
		return 0, false
	}
	if neg {
		f = -f
	}
	return f, true
}

// addClock adds H:M[:S[.f]].
func addClock(tok []byte, neg bool, sum *intervalSum) bool {
	parts := bytes.Split(tok, []byte{':'})
	if len(parts) > 3 {
		return false
	}
	for i, unit := range []string{"hour", "minute", "second"}[:len(parts)] {
		f, ok := parseQuantity(parts[i], neg)
		if !ok || i > 0 && math.Abs(f) >= 60 || i < 2 && bytes.IndexByte(parts[i], '.') >= 0 {
			return false
		}
		sum.add(f, unit)
	}
	return true
}

// addYearMonth adds Y-M.
func addYearMonth(tok []byte, neg bool, sum *intervalSum) bool {
	y, m, _ := bytes.Cut(tok, []byte{'-'})
	if !allDigits(y) || !allDigits(m) || atoi(m) >= 12 {
		return false
	}
	months := float64(atoi(y))*12 + float64(atoi(m))
	if neg {
		months = -months
	}
	return sum.add(months, "month")
}

// parseISOInterval reads what follows the P: numbers with the letters Y, M, W, D and, after a T, H, M, S.
func parseISOInterval(s []byte, sum *intervalSum) bool {
	inTime := false
	for len(s) > 0 {
		if s[0] == 't' && !inTime {
			inTime = true
			s = s[1:]
			continue
		}
		n := 0
		for n < len(s) && !isLetter(s[n]) {
			n++
		}
		if n == 0 || n == len(s) {
			return false
		}
		num, unit := s[:n], s[n]
		s = s[n+1:]
		neg := num[0] == '-'
		if neg || num[0] == '+' {
			num = num[1:]
		}
		f, ok := parseQuantity(num, neg)
		if !ok {
			return false
		}
		name := ""
		switch {
		case !inTime && (unit == 'y' || unit == 'w' || unit == 'd'), inTime && (unit == 'h' || unit == 'm' || unit == 's'):
			name = string(unit)
		case !inTime && unit == 'm':
			name = "month"
		}
		if name == "" || !sum.add(f, name) {
			return false
		}
	}
	return true
}

// appendInterval writes the style "postgres": 1 year 2 mons -3 days +04:05:06.
func appendInterval(dst []byte, d Datum) []byte {
	v := d.Interval()
	start := len(dst)
	signed := false // a positive part after a negative one shows its sign
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if signed && n > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(dst, ' ')
		dst = append(dst, unit...)
		if n != 1 {
			dst = append(dst, 's')
		}
		signed = n < 0
	}
	part(int64(v.Months/12), "year")
	part(int64(v.Months%12), "mon")
	part(int64(v.Days), "day")
	if v.Usec == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	usec := absU64(v.Usec)
	switch {
	case v.Usec < 0:
		dst = append(dst, '-')
	case signed:
		dst = append(dst, '+')
	}
	return appendClock(dst, int64(min(usec, math.MaxInt64)))
}
