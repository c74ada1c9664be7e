package expr

import (
	"math"
	"strings"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// datePartFuncs are extract and date_part; date_trunc is in func_datetrunc.go.
var datePartFuncs = map[string]impl{
	"extract_timestamp":    {f2: extract(types.Timestamp)},
	"extract_timestamptz":  {f2: extract(types.TimestampTZ)},
	"extract_date":         {f2: extract(types.Date)},
	"extract_interval":     {f2: extract(types.Interval)},
	"timestamp_part":       {f2: datePart(types.Timestamp)},
	"timestamptz_part":     {f2: datePart(types.TimestampTZ)},
	"interval_part":        {f2: datePart(types.Interval)},
	"date_part(text,date)": {f2: datePartOfDate},
}

// unitNames are the units of extract and date_trunc by the names they go by.
var unitNames = makeUnitNames()

func makeUnitNames() map[string]string {
	m := map[string]string{}
	for unit, names := range map[string]string{
		"microseconds": "us usec usecond useconds usecs microsecond microseconds microsecon", "milliseconds": "ms msec msecond mseconds msecs millisecond milliseconds millisecon",
		"second": "s sec second seconds secs", "minute": "m min minute minutes mins", "hour": "h hour hours hr hrs",
		"day": "d day days", "week": "w week weeks", "month": "mon mons month months", "quarter": "qtr quarter",
		"year": "y year years yr yrs", "decade": "dec decade decades decs", "century": "c cent century centuries",
		"millennium": "mil millennia millennium mils millenniums", "dow": "dow", "isodow": "isodow", "doy": "doy", "epoch": "epoch",
		"isoyear": "isoyear", "julian": "j jd julian", "timezone": "timezone", "timezone_hour": "timezone_h timezone_hour",
		"timezone_minute": "timezone_m timezone_minute",
	} {
		for _, n := range strings.Fields(names) {
			m[n] = unit
		}
	}
	return m
}

// unitOf finds a unit.
func unitOf(text types.Datum, t types.Type) (string, error) {
	// As units are mostly written this costs no copy.
	if unit, ok := unitNames[string(text.B)]; ok {
		return unit, nil
	}
	unit, ok := unitNames[strings.ToLower(text.Text())]
	if !ok {
		return "", unrecognizedUnit(text, t)
	}
	return unit, nil
}

func unrecognizedUnit(written types.Datum, t types.Type) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unit \"%s\" not recognized for type %s", strings.ToLower(written.Text()), t.Format())
}

func unsupportedUnit(written types.Datum, t types.Type) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", strings.ToLower(written.Text()), t.Format())
}

// extract gives a field of a date, timestamp or interval as a numeric.
func extract(t types.Type) binary {
	return func(ec *EvalContext, text, d types.Datum) (types.Datum, error) {
		unit, err := unitOf(text, t)
		if err != nil {
			return types.Datum{}, err
		}
		if t.OID == types.IntervalOID {
			return intervalField(unit, text, d.Interval())
		}
		p := timePoint{typ: t, utc: d.I}
		switch t.OID {
		case types.DateOID:
			if !infiniteDate(d.I) {
				p.local = d.I * usecPerDay
				p.utc = p.local
			}
			p.infinite = infiniteDate(d.I)
		case types.TimestampTZOID:
			p.local = types.TimestampTZToTimestamp(ec.location(), d.I)
			p.infinite = infiniteTime(d.I)
			p.offset = (p.local - p.utc) / usecPerSecond
		default:
			p.local = d.I
			p.infinite = infiniteTime(d.I)
		}
		if p.infinite {
			return p.infiniteField(unit, text, d.I > 0)
		}
		return p.field(unit, text)
	}
}

// datePart is extract as float8. What has a fraction is computed in floats, as in PostgreSQL, which shows in the last digit.
func datePart(t types.Type) binary {
	numeric := extract(t)
	return func(ec *EvalContext, text, d types.Datum) (types.Datum, error) {
		n, err := numeric(ec, text, d)
		if err != nil || n.Null {
			return n, err
		}
		if isFinite(n) && n.NumericScale() > 0 {
			return types.NewFloat(floatField(unitNames[strings.ToLower(text.Text())], t, d, n)), nil
		}
		if !isFinite(n) {
			return types.NewFloat(math.Inf(n.NumericSign())), nil
		}
		f, err := types.NumericToFloat(n)
		return types.NewFloat(f), err
	}
}

// floatField is a field that has a fraction; n is its exact value.
func floatField(unit string, t types.Type, d, n types.Datum) float64 {
	switch {
	case unit == "second":
		return float64(n.I/usecPerSecond) + float64(n.I%usecPerSecond)/usecPerSecond
	case unit == "milliseconds":
		return float64(n.I/usecPerSecond)*1000 + float64(n.I%usecPerSecond)/1000
	case unit == "epoch" && t.OID == types.IntervalOID:
		v := d.Interval()
		f := float64(v.Usec) / usecPerSecond
		f += 365.25 * secPerDay * float64(v.Months/12)
		f += daysPerMonth * secPerDay * float64(v.Months%12)
		return f + secPerDay*float64(v.Days)
	case unit == "epoch":
		return float64(d.I-unixEpoch) / usecPerSecond
	}
	f, err := types.NumericToFloat(n)
	if err != nil {
		panic("expr: a date field out of range: " + err.Error())
	}
	return f
}

// datePartOfDate has the units of a timestamp.
func datePartOfDate(ec *EvalContext, text, d types.Datum) (types.Datum, error) {
	usec, err := types.DateToTimestamp(d.I)
	if err != nil {
		return types.Datum{}, err
	}
	return datePart(types.Timestamp)(ec, text, types.NewInt(usec))
}

// timePoint is a date, timestamp or timestamptz to take fields of.
type timePoint struct {
	typ        types.Type
	local, utc int64
	offset     int64 // seconds east of UTC
	infinite   bool
}

// infiniteField: what grows without end is infinite, what comes around is NULL.
func (p *timePoint) infiniteField(unit string, written types.Datum, positive bool) (types.Datum, error) {
	switch unit {
	case "year", "decade", "century", "millennium", "julian", "isoyear", "epoch":
		if positive {
			return types.NumericInf, nil
		}
		return types.NumericNegInf, nil
	}
	if !p.has(unit) {
		return types.Datum{}, unsupportedUnit(written, p.typ)
	}
	return types.NullDatum, nil
}

// has: dates have no time of day, and only timestamptz has a zone.
func (p *timePoint) has(unit string) bool {
	switch unit {
	case "microseconds", "milliseconds", "second", "minute", "hour":
		return p.typ.OID != types.DateOID
	case "timezone", "timezone_hour", "timezone_minute":
		return p.typ.OID == types.TimestampTZOID
	}
	return true
}

func (p *timePoint) field(unit string, written types.Datum) (types.Datum, error) {
	if !p.has(unit) {
		return types.Datum{}, unsupportedUnit(written, p.typ)
	}
	c := civilOf(p.local)
	whole := func(i int64) (types.Datum, error) { return types.NewNumeric(i, 0), nil }
	switch unit {
	case "microseconds":
		return whole(c.usec % usecPerMinute)
	case "milliseconds":
		return types.NewNumeric(c.usec%usecPerMinute, 3), nil
	case "second":
		return types.NewNumeric(c.usec%usecPerMinute, 6), nil
	case "minute":
		return whole(c.usec / usecPerMinute % 60)
	case "hour":
		return whole(c.usec / usecPerHour)
	case "timezone":
		return whole(p.offset)
	case "timezone_hour":
		return whole(p.offset / 3600)
	case "timezone_minute":
		return whole(p.offset / 60 % 60)
	case "epoch":
		if p.typ.OID == types.DateOID {
			return whole((p.utc - unixEpoch) / usecPerSecond)
		}
		return types.NewNumeric(p.utc-unixEpoch, 6), nil
	case "julian":
		return p.julian()
	default:
		return whole(c.calendarField(unit))
	}
}

// calendarField is a field of the date.
func (c *civil) calendarField(unit string) int64 {
	days := types.DaysFromCivil(c.year, c.month, c.day)
	year := int64(c.year)
	switch unit {
	case "day":
		return int64(c.day)
	case "month":
		return int64(c.month)
	case "quarter":
		return int64(c.month-1)/3 + 1
	case "year":
		return noYearZero(year)
	case "decade":
		q, _ := floorDivMod(year, 10)
		return q
	case "century":
		return yearGroup(year, 100)
	case "millennium":
		return yearGroup(year, 1000)
	case "doy":
		return days - types.DaysFromCivil(c.year, 1, 1) + 1
	case "dow":
		return weekday(days)
	case "isodow":
		return (weekday(days)+6)%7 + 1
	case "week":
		_, week := isoWeek(days)
		return week
	default: // isoyear
		y, _ := isoWeek(days)
		return noYearZero(y)
	}
}

// noYearZero: 0 is 1 BC, which extract gives as -1.
func noYearZero(year int64) int64 {
	if year <= 0 {
		return year - 1
	}
	return year
}

// yearGroup counts centuries and millennia: 1 to 100 is the first, and there is no 0th.
func yearGroup(year, size int64) int64 {
	if year > 0 {
		return (year + size - 1) / size
	}
	return -((size - 1 - (year - 1)) / size)
}

// weekday is 0 for Sunday. 2000-01-01 was a Saturday.
func weekday(days int64) int64 {
	_, r := floorDivMod(days+6, 7)
	return r
}

// isoWeek gives the ISO year and week of a day: weeks begin on Monday, the first is the one with January 4.
func isoWeek(days int64) (year, week int64) {
	monday := days - (weekday(days)+6)%7
	y, _, _ := types.CivilFromDays(monday + 3)
	jan4 := types.DaysFromCivil(y, 1, 4)
	first := jan4 - (weekday(jan4)+6)%7
	return int64(y), (monday-first)/7 + 1
}

// julianEpoch is the Julian day of 2000-01-01.
const julianEpoch = 2451545

// julian is the Julian day, with the time of day as its fraction except for dates.
func (p *timePoint) julian() (types.Datum, error) {
	days, rest := floorDivMod(p.local, usecPerDay)
	day := types.NewNumeric(days+julianEpoch, 0)
	if p.typ.OID == types.DateOID {
		return day, nil
	}
	fraction, err := types.NumericDiv(types.NewNumeric(rest, 0), types.NewNumeric(usecPerDay, 0))
	if err != nil {
		return fraction, err
	}
	return types.NumericAdd(day, fraction)
}

// intervalField is a field of an interval. Years and months, days, and time are apart.
func intervalField(unit string, written types.Datum, v types.IntervalValue) (types.Datum, error) {
	whole := func(i int64) (types.Datum, error) { return types.NewNumeric(i, 0), nil }
	year, month := int64(v.Months/12), int64(v.Months%12)
	switch unit {
	case "microseconds":
		return whole(v.Usec % usecPerMinute)
	case "milliseconds":
		return types.NewNumeric(v.Usec%usecPerMinute, 3), nil
	case "second":
		return types.NewNumeric(v.Usec%usecPerMinute, 6), nil
	case "minute":
		return whole(v.Usec / usecPerMinute % 60)
	case "hour":
		return whole(v.Usec / usecPerHour)
	case "day":
		return whole(int64(v.Days))
	case "month":
		return whole(month)
	case "quarter":
		return whole(month/3 + 1)
	case "year":
		return whole(year)
	case "decade":
		return whole(year / 10)
	case "century":
		return whole(year / 100)
	case "millennium":
		return whole(year / 1000)
	case "epoch":
		// A year counts 365.25 days, a month 30.
		seconds := year*(36525*secPerDay/100) + month*daysPerMonth*secPerDay + int64(v.Days)*secPerDay
		return types.NumericAdd(types.NewNumeric(seconds, 0), types.NewNumeric(v.Usec, 6))
	}
	return types.Datum{}, unsupportedUnit(written, types.Interval)
}
