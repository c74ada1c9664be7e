package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// dateTruncFuncs are date_trunc.
var dateTruncFuncs = map[string]impl{
	"timestamp_trunc":   {f2: truncTimestamp},
	"timestamptz_trunc": {f2: func(ec *EvalContext, unit, t types.Datum) (types.Datum, error) { return truncZoned(ec, unit, t, nil) }},
	"timestamptz_trunc_zone": {f3: func(ec *EvalContext, unit, t, zone types.Datum) (types.Datum, error) {
		return truncZoned(ec, unit, t, zone.B)
	}},
	"interval_trunc": {f2: truncInterval},
}

func truncTimestamp(_ *EvalContext, text, t types.Datum) (types.Datum, error) {
	unit, err := unitOf(text, types.Timestamp)
	if err != nil || infiniteTime(t.I) {
		return t, err
	}
	usec, ok := truncate(unit, t.I)
	if !ok {
		return types.Datum{}, noTruncation(unit, text, types.Timestamp)
	}
	return types.NewInt(usec), types.CheckTimestamp(usec)
}

// noTruncation is the error of a unit that only extract has.
func noTruncation(unit string, written types.Datum, t types.Type) error {
	switch unit {
	case "timezone", "timezone_hour", "timezone_minute", "week":
		return unsupportedUnit(written, t)
	}
	return unrecognizedUnit(written, t)
}

// truncZoned truncates by the clock of the session's zone, or of the named one.
func truncZoned(ec *EvalContext, text, t types.Datum, zone []byte) (types.Datum, error) {
	loc := ec.location()
	if zone != nil {
		l, ok := types.Zone(string(zone))
		if !ok {
			return types.Datum{}, unknownZone(zone)
		}
		loc = l
	}
	unit, err := unitOf(text, types.TimestampTZ)
	if err != nil || infiniteTime(t.I) {
		return t, err
	}
	local := types.TimestampTZToTimestamp(loc, t.I)
	usec, ok := truncate(unit, local)
	if !ok {
		return types.Datum{}, noTruncation(unit, text, types.TimestampTZ)
	}
	switch unit {
	case "hour", "minute", "second", "milliseconds", "microseconds":
		// The offset stays that of t: an hour that the clock has twice is two hours.
		usec -= local - t.I
	default:
		usec = types.TimestampToTimestampTZ(loc, usec)
	}
	return types.NewInt(usec), types.CheckTimestamp(usec)
}

// truncate gives the beginning of the unit that a local time is in.
func truncate(unit string, usec int64) (int64, bool) {
	down := func(size int64) (int64, bool) {
		_, r := floorDivMod(usec, size)
		return usec - r, true
	}
	c := civilOf(usec)
	firstOf := func(year, month int) (int64, bool) {
		return types.DaysFromCivil(year, month, 1) * usecPerDay, true
	}
	switch unit {
	case "microseconds":
		return usec, true
	case "milliseconds":
		return down(1000)
	case "second":
		return down(usecPerSecond)
	case "minute":
		return down(usecPerMinute)
	case "hour":
		return down(usecPerHour)
	case "day":
		return down(usecPerDay)
	case "week":
		days, _ := floorDivMod(usec, usecPerDay)
		return (days - (weekday(days)+6)%7) * usecPerDay, true
	case "month":
		return firstOf(c.year, c.month)
	case "quarter":
		return firstOf(c.year, (c.month-1)/3*3+1)
	case "year":
		return firstOf(c.year, 1)
	case "decade":
		q, _ := floorDivMod(int64(c.year), 10)
		return firstOf(int(q)*10, 1)
	case "century":
		q, _ := floorDivMod(int64(c.year)-1, 100)
		return firstOf(int(q)*100+1, 1)
	case "millennium":
		q, _ := floorDivMod(int64(c.year)-1, 1000)
		return firstOf(int(q)*1000+1, 1)
	}
	return 0, false
}

// truncInterval drops the parts below the unit.
func truncInterval(_ *EvalContext, text, d types.Datum) (types.Datum, error) {
	unit, err := unitOf(text, types.Interval)
	if err != nil {
		return types.Datum{}, err
	}
	v := d.Interval()
	months := map[string]int32{"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
	times := map[string]int64{
		"microseconds": 1, "milliseconds": 1000, "second": usecPerSecond, "minute": usecPerMinute, "hour": usecPerHour,
	}
	switch {
	case months[unit] != 0:
		v = types.IntervalValue{Months: v.Months / months[unit] * months[unit]}
	case unit == "day":
		v.Usec = 0
	case times[unit] != 0:
		v.Usec = v.Usec / times[unit] * times[unit]
	case unit == "week":
		return types.Datum{}, unsupportedWeek(text)
	default:
		return types.Datum{}, noTruncation(unit, text, types.Interval)
	}
	return types.NewInterval(v), nil
}

func unsupportedWeek(written types.Datum) error {
	err := unsupportedUnit(written, types.Interval)
	if e, ok := sqlerr.As(err); ok {
		return e.WithDetail("Months usually have fractional weeks.")
	}
	return err
}
