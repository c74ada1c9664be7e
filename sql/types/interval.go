package types

import (
	"encoding/binary"
	"math"
	"strconv"
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

// appendInterval writes an interval in the session's style.
func appendInterval(ec *Context, dst []byte, d Datum) []byte {
	v := d.Interval()
	switch ec.IntervalStyle {
	case IntervalVerbose:
		return appendIntervalVerbose(dst, v)
	case IntervalSQLStandard:
		return appendIntervalSQL(dst, v)
	case IntervalISO8601:
		return appendIntervalISO(dst, v)
	default:
		return appendIntervalPostgres(dst, v)
	}
}

// appendIntervalPostgres writes 1 year 2 mons -3 days +04:05:06.
func appendIntervalPostgres(dst []byte, v IntervalValue) []byte {
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
		dst = appendUnit(dst, n, unit)
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
	return appendSignedClock(dst, v.Usec, signed, 2)
}

// appendUnit writes a number with its unit, in the plural but for 1.
func appendUnit(dst []byte, n int64, unit string) []byte {
	dst = append(strconv.AppendInt(dst, n, 10), ' ')
	dst = append(dst, unit...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

// appendSignedClock writes [-+]hours:minutes:seconds, the hours with so many digits at least.
func appendSignedClock(dst []byte, usec int64, plus bool, digits int) []byte {
	switch {
	case usec < 0:
		dst = append(dst, '-')
	case plus:
		dst = append(dst, '+')
	}
	u := absU64(usec)
	h := u / usecPerHour
	if digits == 2 && h < 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendUint(dst, h, 10)
	m := u / usecPerMinute % 60
	dst = append(dst, ':', byte('0'+m/10), byte('0'+m%10), ':')
	return appendSeconds(dst, int64(u%usecPerMinute))
}

// clockParts are hours, minutes and microseconds, all with the sign of the whole.
func clockParts(usec int64) (hours, minutes, rest int64) {
	return usec / usecPerHour, usec / usecPerMinute % 60, usec % usecPerMinute
}

// appendIntervalVerbose writes @ 1 year 2 mons 4 hours 5.6 secs ago.
func appendIntervalVerbose(dst []byte, v IntervalValue) []byte {
	hours, minutes, usec := clockParts(v.Usec)
	dst = append(dst, '@')
	start := len(dst)
	sign := int64(0) // of the first part; -1 makes it "ago" and turns the others around
	part := func(n int64, unit string) {
		if n == 0 {
			return
		}
		if sign == 0 {
			sign = 1
			if n < 0 {
				sign = -1
			}
		}
		dst = appendUnit(append(dst, ' '), sign*n, unit)
	}
	part(int64(v.Months/12), "year")
	part(int64(v.Months%12), "mon")
	part(int64(v.Days), "day")
	part(hours, "hour")
	part(minutes, "min")
	if usec != 0 {
		dst = append(dst, ' ')
		if (usec < 0) != (sign < 0) && sign != 0 {
			dst = append(dst, '-')
		}
		if sign == 0 && usec < 0 {
			sign = -1
		}
		u := int64(absU64(usec))
		dst = strconv.AppendInt(dst, u/usecPerSecond, 10)
		dst = append(appendFraction(dst, u%usecPerSecond), " sec"...)
		if u != usecPerSecond {
			dst = append(dst, 's')
		}
	}
	switch {
	case len(dst) == start:
		return append(dst, " 0"...)
	case sign < 0:
		return append(dst, " ago"...)
	default:
		return dst
	}
}

// appendIntervalSQL writes years-months, or days hours:minutes:seconds, or both with all signs where the standard has no
// form.
func appendIntervalSQL(dst []byte, v IntervalValue) []byte {
	negative := v.Months < 0 || v.Days < 0 || v.Usec < 0
	positive := v.Months > 0 || v.Days > 0 || v.Usec > 0
	if negative && positive || v.Months != 0 && (v.Days != 0 || v.Usec != 0) {
		dst = appendYearMonth(appendSign(dst, int64(v.Months)), int64(v.Months))
		dst = appendSign(append(dst, ' '), int64(v.Days))
		dst = strconv.AppendUint(dst, absU64(int64(v.Days)), 10)
		return appendSignedClock(append(dst, ' '), v.Usec, true, 1)
	}
	if negative {
		dst = append(dst, '-')
	}
	switch {
	case v.Months != 0:
		return appendYearMonth(dst, int64(v.Months))
	case v.Days != 0:
		dst = append(strconv.AppendUint(dst, absU64(int64(v.Days)), 10), ' ')
	case v.Usec == 0:
		return append(dst, '0')
	}
	if v.Usec == math.MinInt64 { // has no positive twin
		return appendSignedClock(dst[:len(dst)-1], v.Usec, false, 1)
	}
	return appendSignedClock(dst, int64(absU64(v.Usec)), false, 1)
}

func appendSign(dst []byte, n int64) []byte {
	if n < 0 {
		return append(dst, '-')
	}
	return append(dst, '+')
}

func appendYearMonth(dst []byte, months int64) []byte {
	m := absU64(months)
	dst = append(strconv.AppendUint(dst, m/12, 10), '-')
	return strconv.AppendUint(dst, m%12, 10)
}

// appendIntervalISO writes P1Y2M3DT4H5M6.7S.
func appendIntervalISO(dst []byte, v IntervalValue) []byte {
	if v == (IntervalValue{}) {
		return append(dst, "PT0S"...)
	}
	part := func(n int64, unit byte) {
		if n != 0 {
			dst = append(strconv.AppendInt(dst, n, 10), unit)
		}
	}
	dst = append(dst, 'P')
	part(int64(v.Months/12), 'Y')
	part(int64(v.Months%12), 'M')
	part(int64(v.Days), 'D')
	if v.Usec == 0 {
		return dst
	}
	hours, minutes, usec := clockParts(v.Usec)
	dst = append(dst, 'T')
	part(hours, 'H')
	part(minutes, 'M')
	if usec == 0 {
		return dst
	}
	if usec < 0 {
		dst = append(dst, '-')
	}
	u := int64(absU64(usec))
	return append(appendFraction(strconv.AppendInt(dst, u/usecPerSecond, 10), u%usecPerSecond), 'S')
}
