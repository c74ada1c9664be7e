package types

import (
	"strconv"

	"minidb/sql/sqlerr"
)

// datetimeText is the parsed form of a date, time or both.
type datetimeText struct {
	special          int64 // TimestampInfinity, TimestampNegInfinity, or 0 for a date with fields
	absolute         bool  // usec is a point in time (now, epoch) instead of the fields
	usec             int64
	year, month, day int
	time             int64 // microseconds since midnight, up to 24 hours and a second
	hasZone          bool
	offset           int64 // seconds east of UTC, if zone is ""
	zone             string
	zoneByName       bool // zone is of the zone database, not an abbreviation
	hasDate, hasTime bool
	bc, isAM, isPM   bool
	twoDigitYear     bool
	timeOnly         bool // of a time: digits alone are one, and there may be no date
	astronomical     bool // the year counts 0 and below, as CivilFromDays gives it
}

// inputTimestamp reads a timestamp or timestamptz.
func inputTimestamp(ec *Context, t Type, text []byte) (Datum, error) {
	typeName := "timestamp"
	if t.OID == TimestampTZOID {
		typeName = "timestamp with time zone"
	}
	var p datetimeText
	if !p.parseISO(text) {
		p = datetimeText{}
		if err := p.parse(ec, text, typeName); err != nil {
			return Datum{}, err
		}
	}
	if p.special != 0 {
		return Datum{I: p.special}, nil
	}
	if p.absolute {
		usec := p.usec
		if t.OID == TimestampOID {
			usec = TimestampTZToTimestamp(ec.location(), usec)
		}
		return fitTimestamp(Datum{I: usec}, t)
	}
	// 300000 keeps the product within an int64 and is beyond the range anyway.
	if p.year > 300000 || p.year < -5000 {
		return Datum{}, timestampOutOfRange(text)
	}
	usec := DaysFromCivil(p.year, p.month, p.day)*usecPerDay + p.time
	if t.OID == TimestampTZOID {
		switch {
		case !p.hasZone:
			usec = localToUTC(ec.location(), usec)
		case p.zone == "":
			usec -= p.offset * usecPerSecond
		default:
			loc, _ := Zone(p.zone) // parse has looked
			usec = localToUTC(loc, usec)
		}
	}
	if usec < minTimestamp || usec >= endTimestamp {
		return Datum{}, timestampOutOfRange(text)
	}
	return fitTimestamp(Datum{I: usec}, t)
}

func timestampOutOfRange(text []byte) error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", text)
}

// TimestampOutOfRange is the error of arithmetic and casts of timestamps.
func TimestampOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range")
}

// CheckTimestamp reports an error if usec is neither in range nor infinite.
func CheckTimestamp(usec int64) error {
	if (usec < minTimestamp || usec >= endTimestamp) && !isInfinite(usec) {
		return TimestampOutOfRange()
	}
	return nil
}

// inputDate reads a date; a time of day is read and dropped.
func inputDate(ec *Context, text []byte) (Datum, error) {
	var p datetimeText
	if !p.parseISO(text) {
		p = datetimeText{}
		if err := p.parse(ec, text, "date"); err != nil {
			return Datum{}, err
		}
	}
	switch {
	case p.special == TimestampInfinity:
		return Datum{I: DateInfinity}, nil
	case p.special == TimestampNegInfinity:
		return Datum{I: DateNegInfinity}, nil
	case p.absolute:
		return Datum{I: floorDiv(TimestampTZToTimestamp(ec.location(), p.usec), usecPerDay)}, nil
	}
	days := DaysFromCivil(p.year, p.month, p.day)
	if days < minDate || days > maxDate {
		return Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range: \"%s\"", text)
	}
	return Datum{I: days}, nil
}

// fitTimestamp rounds to the precision of t, halves away from the year 2000.
func fitTimestamp(d Datum, t Type) (Datum, error) {
	if t.Mod < 0 || t.Mod >= maxTimePrecision || isInfinite(d.I) {
		return d, nil
	}
	unit := pow10[maxTimePrecision-t.Mod]
	if d.I >= 0 {
		d.I = (d.I + unit/2) / unit * unit
	} else {
		d.I = -((-d.I + unit/2) / unit * unit)
	}
	return d, CheckTimestamp(d.I)
}

func decodeTimestamp(usec int64) (Datum, error) { return Datum{I: usec}, CheckTimestamp(usec) }

func decodeDate(days int64) (Datum, error) {
	if days != DateInfinity && days != DateNegInfinity && (days < minDate || days > maxDate) {
		return Datum{}, DateOutOfRange()
	}
	return Datum{I: days}, nil
}

// DateOutOfRange is the error of arithmetic and casts of dates.
func DateOutOfRange() error { return sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range") }

func appendDate(dst []byte, days int64) []byte {
	switch days {
	case DateInfinity:
		return append(dst, "infinity"...)
	case DateNegInfinity:
		return append(dst, "-infinity"...)
	}
	dst, bc := appendCivil(dst, days)
	return appendEra(dst, bc)
}

// appendCivil writes year-month-day; years before 1 are written as years BC, which the caller says at the end.
func appendCivil(dst []byte, days int64) (_ []byte, bc bool) {
	year, month, day := CivilFromDays(days)
	if year <= 0 {
		year, bc = 1-year, true
	}
	if year < 1000 {
		dst = append(dst, '0')
		if year < 100 {
			dst = append(dst, '0')
		}
		if year < 10 {
			dst = append(dst, '0')
		}
	}
	dst = strconv.AppendInt(dst, int64(year), 10)
	dst = append(dst, '-', byte('0'+month/10), byte('0'+month%10), '-', byte('0'+day/10), byte('0'+day%10))
	return dst, bc
}

func appendEra(dst []byte, bc bool) []byte {
	if bc {
		return append(dst, " BC"...)
	}
	return dst
}

// appendTimestamp writes a local time.
func appendTimestamp(dst []byte, usec int64) []byte {
	dst, bc := appendLocal(dst, usec)
	return appendEra(dst, bc)
}

func appendLocal(dst []byte, usec int64) (_ []byte, bc bool) {
	switch usec {
	case TimestampInfinity:
		return append(dst, "infinity"...), false
	case TimestampNegInfinity:
		return append(dst, "-infinity"...), false
	}
	days := floorDiv(usec, usecPerDay)
	dst, bc = appendCivil(dst, days)
	dst = append(dst, ' ')
	return appendClock(dst, usec-days*usecPerDay), bc
}

// appendClock writes hours, minutes, seconds and as many digits of a fraction as it has.
func appendClock(dst []byte, usec int64) []byte {
	h, m := usec/usecPerHour, usec/usecPerMinute%60
	if h > 99 {
		dst = strconv.AppendInt(dst, h, 10)
	} else {
		dst = append(dst, byte('0'+h/10), byte('0'+h%10))
	}
	dst = append(dst, ':', byte('0'+m/10), byte('0'+m%10), ':')
	return appendSeconds(dst, usec%usecPerMinute)
}

func appendSeconds(dst []byte, usec int64) []byte {
	s, frac := usec/usecPerSecond, usec%usecPerSecond
	dst = append(dst, byte('0'+s/10), byte('0'+s%10))
	return appendFraction(dst, frac)
}

func appendFraction(dst []byte, frac int64) []byte {
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(usecPerSecond / 10); frac > 0; unit /= 10 {
		dst = append(dst, byte('0'+frac/unit))
		frac %= unit
	}
	return dst
}

// appendTimestampTZ writes a point in time as the session's local time with its offset.
func appendTimestampTZ(ec *Context, dst []byte, usec int64) []byte {
	if isInfinite(usec) {
		return appendTimestamp(dst, usec)
	}
	off := offsetAt(ec.location(), usec)
	dst, bc := appendLocal(dst, usec+off*usecPerSecond)
	return appendEra(appendOffset(dst, off), bc)
}

// appendOffset writes seconds east of UTC as ±HH[:MM[:SS]].
func appendOffset(dst []byte, off int64) []byte {
	if off < 0 {
		dst = append(dst, '-')
		off = -off
	} else {
		dst = append(dst, '+')
	}
	dst = append(dst, byte('0'+off/36000), byte('0'+off/3600%10))
	if off%3600 != 0 {
		dst = append(dst, ':', byte('0'+off/600%6), byte('0'+off/60%10))
		if off%60 != 0 {
			dst = append(dst, ':', byte('0'+off/10%6), byte('0'+off%10))
		}
	}
	return dst
}
