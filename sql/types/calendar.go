package types

import (
	"math"
	"time"
)

// Dates count days and timestamps microseconds from 2000-01-01 00:00:00 UTC, as PostgreSQL does. The largest and the
// smallest number stand for the infinities.
const (
	DateInfinity         = math.MaxInt32
	DateNegInfinity      = math.MinInt32
	TimestampInfinity    = math.MaxInt64
	TimestampNegInfinity = math.MinInt64

	usecPerSecond = 1_000_000
	usecPerMinute = 60 * usecPerSecond
	usecPerHour   = 60 * usecPerMinute
	usecPerDay    = 24 * usecPerHour

	// epochDays and epochSeconds take Unix time to the year 2000.
	epochDays    = 10957
	epochSeconds = epochDays * 86400

	// The range of dates: 4714-11-24 BC, a Julian day of 0, to 5874897-12-31; and of timestamps, to the end of 294276.
	minDate      = -2451545
	maxDate      = 2145031948
	minTimestamp = minDate * usecPerDay
	endTimestamp = 9223371331200000000
)

// DaysFromCivil gives the date of a day of the proleptic Gregorian calendar. Year 0 is 1 BC. Months and days beyond their
// range run over into the next.
func DaysFromCivil(year, month, day int) int64 {
	// Years begin in March here, so that the leap day is their last.
	y, m := int64(year), int64(month)-3
	y += floorDiv(m, 12)
	m = floorMod(m, 12)
	era := floorDiv(y, 400)
	yoe := y - era*400
	doy := (153*m+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 730425
}

// CivilFromDays is the reverse of DaysFromCivil.
func CivilFromDays(days int64) (year, month, day int) {
	z := days + 730425
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp) + 3
	year = int(yoe + era*400)
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

var monthDays = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// daysInMonth requires a month from 1 to 12.
func daysInMonth(year, month int) int {
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 29
	}
	return monthDays[month]
}

// TimestampFromTime gives a point in time as a timestamptz, cut to microseconds.
func TimestampFromTime(t time.Time) int64 {
	return (t.Unix()-epochSeconds)*usecPerSecond + int64(t.Nanosecond()/1000)
}

// TimeFromTimestamp gives a finite timestamptz as a point in time, in UTC.
func TimeFromTimestamp(usec int64) time.Time {
	return time.Unix(floorDiv(usec, usecPerSecond)+epochSeconds, floorMod(usec, usecPerSecond)*1000).UTC()
}

// isInfinite reports whether a timestamp is one of the infinities.
func isInfinite(usec int64) bool { return usec == TimestampInfinity || usec == TimestampNegInfinity }

// offsetAt is the offset in seconds east of UTC that loc has at a point in time.
func offsetAt(loc *time.Location, usec int64) int64 {
	if loc == time.UTC {
		return 0
	}
	_, off := TimeFromTimestamp(usec).In(loc).Zone()
	return int64(off)
}

// localToUTC takes a local time, as microseconds since 2000-01-01 there, to UTC. Where the clock was put forward the missing
// hour counts as if it had not been yet; where it was put back the hour that is there twice is the later one.
func localToUTC(loc *time.Location, local int64) int64 {
	if loc == time.UTC {
		return local
	}
	// The zone in force a day earlier and the next change of it are all that can matter.
	dayBefore := TimeFromTimestamp(local - usecPerDay).In(loc)
	_, before := dayBefore.Zone()
	viaBefore := local - int64(before)*usecPerSecond
	_, change := dayBefore.ZoneBounds()
	if change.IsZero() {
		return viaBefore
	}
	_, after := change.Zone()
	viaAfter := local - int64(after)*usecPerSecond
	at := TimestampFromTime(change)
	switch {
	case viaBefore < at && viaAfter < at:
		return viaBefore
	case viaBefore >= at && viaAfter >= at:
		return viaAfter
	default: // a gap (before is the later reading) or an overlap (after is)
		return max(viaBefore, viaAfter)
	}
}

// TimestampTZToTimestamp gives the local time of a timestamptz in a zone.
func TimestampTZToTimestamp(loc *time.Location, usec int64) int64 {
	if isInfinite(usec) {
		return usec
	}
	return usec + offsetAt(loc, usec)*usecPerSecond
}

// TimestampToTimestampTZ gives the point in time of a local time in a zone.
func TimestampToTimestampTZ(loc *time.Location, usec int64) int64 {
	if isInfinite(usec) {
		return usec
	}
	return localToUTC(loc, usec)
}
