package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// timeFuncs are the functions of time and timetz, those that make times of their parts, and OVERLAPS.
var timeFuncs = makeTimeFuncs()

func makeTimeFuncs() map[string]impl {
	m := map[string]impl{
		"time_pl_interval":                {f2: func(_ *EvalContext, t, v types.Datum) (types.Datum, error) { return timePlus(t.I, v.Interval().Usec) }},
		"time_mi_interval":                {f2: func(_ *EvalContext, t, v types.Datum) (types.Datum, error) { return timePlus(t.I, -v.Interval().Usec) }},
		"interval_pl_time(interval,time)": {f2: func(_ *EvalContext, v, t types.Datum) (types.Datum, error) { return timePlus(t.I, v.Interval().Usec) }},
		"time_mi_time": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
			return types.NewInterval(types.IntervalValue{Usec: a.I - b.I}), nil
		}},
		"timetz_pl_interval":                  {f2: func(_ *EvalContext, t, v types.Datum) (types.Datum, error) { return timeTZPlus(t, v.Interval().Usec) }},
		"timetz_mi_interval":                  {f2: func(_ *EvalContext, t, v types.Datum) (types.Datum, error) { return timeTZPlus(t, -v.Interval().Usec) }},
		"interval_pl_timetz(interval,timetz)": {f2: func(_ *EvalContext, v, t types.Datum) (types.Datum, error) { return timeTZPlus(t, v.Interval().Usec) }},
		"datetime_timestamp":                  {f2: dateAndTime},
		"timedate_pl(time,date)":              {f2: func(ec *EvalContext, t, d types.Datum) (types.Datum, error) { return dateAndTime(ec, d, t) }},
		"datetimetz_timestamptz":              {f2: dateAndTimeTZ},
		"timetzdate_pl(timetz,date)":          {f2: func(ec *EvalContext, t, d types.Datum) (types.Datum, error) { return dateAndTimeTZ(ec, d, t) }},
		"timetz_zone":                         {f2: timeTZAtZone},
		"timetz_izone": {f2: func(_ *EvalContext, zone, t types.Datum) (types.Datum, error) {
			return timeTZAt(t, -zone.Interval().Usec/usecPerSecond), nil
		}},
		"extract_time":   {f2: timeField(types.Time, false)},
		"extract_timetz": {f2: timeField(types.TimeTZ, false)},
		"time_part":      {f2: timeField(types.Time, true)},
		"timetz_part":    {f2: timeField(types.TimeTZ, true)},

		"make_time":                    {f3: makeTime},
		"make_timestamp":               {fn: func(_ *EvalContext, a []types.Datum) (types.Datum, error) { return makeTimestamp(a) }},
		"make_timestamptz":             {fn: makeTimestampTZ},
		"make_timestamptz_at_timezone": {fn: makeTimestampTZ},
		"make_interval":                {fn: makeIntervalOf},
		"timestamp_bin":                {f3: dateBin},
		"timestamptz_bin":              {f3: dateBin},
		"age(timestamp)": {f1: func(ec *EvalContext, t types.Datum) (types.Datum, error) {
			return age(midnight(ec), t.I)
		}},
		"age(timestamptz)": {f1: func(ec *EvalContext, t types.Datum) (types.Datum, error) {
			return age(midnight(ec), types.TimestampTZToTimestamp(ec.location(), t.I))
		}},
	}
	addComparisons(m, "timetz_#", func(_ *EvalContext, a, b types.Datum) int { return types.Compare(types.TimeTZ, a, b) })
	for _, t := range []types.Type{types.Time, types.TimeTZ, types.Timestamp} {
		m["overlaps_"+t.Name()] = impl{fn: overlaps(t)}
	}
	addLengthOverlaps(m)
	return m
}

// midnight is when the session's day began, as local time.
func midnight(ec *EvalContext) int64 {
	now, _ := txnTime(ec)
	local := types.TimestampTZToTimestamp(ec.location(), now.I)
	day, _ := types.DateToTimestamp(types.TimestampToDate(local))
	return day
}

// timePlus goes around the clock.
func timePlus(t, usec int64) (types.Datum, error) {
	t = (t + usec%usecPerDay) % usecPerDay
	if t < 0 {
		t += usecPerDay
	}
	return types.NewInt(t), nil
}

func timeTZPlus(t types.Datum, usec int64) (types.Datum, error) {
	v := t.TimeTZ()
	d, err := timePlus(v.Usec, usec)
	v.Usec = d.I
	return types.NewTimeTZ(v), err
}

func dateAndTime(_ *EvalContext, d, t types.Datum) (types.Datum, error) {
	usec, err := types.DateToTimestamp(d.I)
	if err != nil || infiniteTime(usec) {
		return types.NewInt(usec), err
	}
	return types.NewInt(usec + t.I), types.CheckTimestamp(usec + t.I)
}

func dateAndTimeTZ(_ *EvalContext, d, t types.Datum) (types.Datum, error) {
	usec, err := types.DateToTimestamp(d.I)
	if err != nil || infiniteTime(usec) {
		return types.NewInt(usec), err
	}
	usec += t.TimeTZ().UTC()
	return types.NewInt(usec), types.CheckTimestamp(usec)
}

func timeTZAtZone(ec *EvalContext, zone, t types.Datum) (types.Datum, error) {
	loc, ok := types.Zone(zone.Text())
	if !ok {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "time zone \"%s\" not recognized", zone.B)
	}
	now, err := txnTime(ec)
	if err != nil {
		return now, err
	}
	return timeTZAt(t, -(types.TimestampTZToTimestamp(loc, now.I)-now.I)/usecPerSecond), nil
}

// timeTZAt is the same time at another offset.
func timeTZAt(t types.Datum, west int64) types.Datum {
	d, _ := timePlus(t.TimeTZ().UTC(), -west*usecPerSecond)
	return types.NewTimeTZ(types.TimeTZValue{Usec: d.I, West: int32(west)})
}

// timeField is extract and date_part of a time.
func timeField(t types.Type, float bool) binary {
	return func(_ *EvalContext, text, d types.Datum) (types.Datum, error) {
		unit, err := unitOf(text, t)
		if err != nil {
			return types.Datum{}, err
		}
		usec, utc, east := d.I, d.I, int64(0)
		if t.OID == types.TimeTZOID {
			v := d.TimeTZ()
			usec, utc, east = v.Usec, v.UTC(), -int64(v.West)
		}
		n, scale := int64(0), 0
		switch unit {
		case "hour":
			n = usec / usecPerHour
		case "minute":
			n = usec / usecPerMinute % 60
		case "second":
			n, scale = usec%usecPerMinute, 6
		case "milliseconds":
			n, scale = usec%usecPerMinute, 3
		case "microseconds":
			n = usec % usecPerMinute
		case "epoch":
			n, scale = utc, 6
		case "timezone", "timezone_hour", "timezone_minute":
			if t.OID == types.TimeOID {
				return types.Datum{}, unsupportedUnit(text, t)
			}
			n = map[string]int64{"timezone": east, "timezone_hour": east / 3600, "timezone_minute": east / 60 % 60}[unit]
		default:
			return types.Datum{}, unsupportedUnit(text, t)
		}
		out := types.NewNumeric(n, scale)
		if !float {
			return out, nil
		}
		f, err := types.NumericToFloat(out)
		return types.NewFloat(f), err
	}
}

// clockOf makes a time of its parts. Seconds may be 60, and the whole may be 24:00:00.
func clockOf(hour, minute int64, sec float64) (int64, error) {
	usec := math.RoundToEven(sec * usecPerSecond)
	if hour < 0 || minute < 0 || minute > 59 || math.IsNaN(sec) || usec < 0 || usec > usecPerMinute ||
		hour > 24 || hour == 24 && (minute > 0 || usec > 0) {
		s := strconv.FormatFloat(sec, 'g', -1, 64)
		if whole, _, _ := strings.Cut(s, "."); len(whole) == 1 {
			s = "0" + s
		}
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "time field value out of range: %s", fmt.Sprintf("%d:%02d:%s", hour, minute, s))
	}
	return hour*usecPerHour + minute*usecPerMinute + int64(usec), nil
}

func makeTime(_ *EvalContext, h, m, s types.Datum) (types.Datum, error) {
	usec, err := clockOf(h.I, m.I, s.Float())
	return types.NewInt(usec), err
}

func makeTimestamp(a []types.Datum) (types.Datum, error) {
	day, err := makeDate(nil, a[0], a[1], a[2])
	if err != nil {
		return day, err
	}
	usec, err := clockOf(a[3].I, a[4].I, a[5].Float())
	if err != nil {
		return types.Datum{}, err
	}
	return dateAndTime(nil, day, types.NewInt(usec))
}

// makeTimestampTZ takes the parts to be local time, in the zone that is named or the session's.
func makeTimestampTZ(ec *EvalContext, a []types.Datum) (types.Datum, error) {
	t, err := makeTimestamp(a[:6])
	if err != nil {
		return t, err
	}
	loc := ec.location()
	if len(a) > 6 {
		if loc, err = zoneEastward(a[6].Text()); err != nil {
			return types.Datum{}, err
		}
	}
	usec := types.TimestampToTimestampTZ(loc, t.I)
	return types.NewInt(usec), types.CheckTimestamp(usec)
}

// zoneEastward is a time zone of which an offset counts east of UTC, as in timestamps: +hh, +hh:mm, +hhmm.
func zoneEastward(text string) (*time.Location, error) {
	switch {
	case text != "" && isDigit(text[0]):
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid input syntax for type numeric time zone: \"%s\"", text).
			WithHint("Numeric time zones must have \"-\" or \"+\" as first character.")
	case text != "" && (text[0] == '+' || text[0] == '-'):
		d, err := types.Input(nil, types.TimestampTZ, []byte("2000-01-01 00:00:00"+text))
		if err == nil {
			return time.FixedZone("", -int(d.I/usecPerSecond)), nil
		}
		if sqlerr.CodeOf(err) == sqlerr.InvalidTimeZoneDisplacement {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "numeric time zone \"%s\" out of range", text)
		}
	}
	loc, ok := types.Zone(text)
	if !ok {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "time zone \"%s\" not recognized", text)
	}
	return loc, nil
}

// makeIntervalOf takes years, months, weeks, days, hours, minutes and seconds.
func makeIntervalOf(_ *EvalContext, a []types.Datum) (types.Datum, error) {
	months, days := a[0].I*12+a[1].I, a[2].I*7+a[3].I
	usec := float64(a[4].I)*usecPerHour + float64(a[5].I)*usecPerMinute + math.RoundToEven(a[6].Float()*usecPerSecond)
	if months != int64(int32(months)) || days != int64(int32(days)) || !(math.Abs(usec) < 1<<63) {
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
	}
	return types.NewInterval(types.IntervalValue{Usec: int64(usec), Days: int32(days), Months: int32(months)}), nil
}

// dateBin puts a timestamp back to the beginning of its stride, counted from an origin.
func dateBin(_ *EvalContext, stride, t, origin types.Datum) (types.Datum, error) {
	v := stride.Interval()
	switch {
	case infiniteTime(t.I):
		return t, nil
	case infiniteTime(origin.I):
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "origin out of range")
	case v.Months != 0:
		return types.Datum{}, sqlerr.New(sqlerr.FeatureNotSupported, "timestamps cannot be binned into intervals containing months or years")
	}
	usec := v.Usec + int64(v.Days)*usecPerDay
	if usec <= 0 {
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "stride must be greater than zero")
	}
	rest := (t.I - origin.I) % usec
	if rest < 0 {
		rest += usec
	}
	return types.NewInt(t.I - rest), nil
}

// overlaps is OVERLAPS of two pairs of ends, in any order. One end of a pair may be NULL: if the others decide, it does not
// matter.
func overlaps(t types.Type) func(*EvalContext, []types.Datum) (types.Datum, error) {
	order := func(a, b types.Datum) (types.Datum, types.Datum) {
		if a.Null || !b.Null && types.Compare(t, a, b) > 0 {
			return b, a
		}
		return a, b
	}
	return func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		s1, e1 := order(args[0], args[1])
		s2, e2 := order(args[2], args[3])
		if s1.Null || s2.Null {
			return types.NullDatum, nil
		}
		c := types.Compare(t, s1, s2)
		if c == 0 {
			if e1.Null || e2.Null {
				return types.NullDatum, nil
			}
			return types.NewBool(true), nil
		}
		if c < 0 {
			s1, s2, e1, e2 = s2, s1, e2, e1
		}
		// Now s1 is the later beginning: they overlap if it is before the other's end.
		switch {
		case e2.Null:
			return types.NullDatum, nil
		case types.Compare(t, s1, e2) < 0:
			return types.NewBool(true), nil
		case e1.Null:
			return types.NullDatum, nil
		}
		return types.NewBool(false), nil
	}
}

// addLengthOverlaps adds OVERLAPS of pairs of which one or both are a beginning and a length.
func addLengthOverlaps(m map[string]impl) {
	for _, k := range []struct {
		t    types.Type
		plus func(ec *EvalContext, t types.Datum, v types.IntervalValue) (types.Datum, error)
	}{
		{types.Timestamp, func(_ *EvalContext, t types.Datum, v types.IntervalValue) (types.Datum, error) {
			return timestampPlus(t.I, v)
		}},
		{types.TimestampTZ, func(ec *EvalContext, t types.Datum, v types.IntervalValue) (types.Datum, error) {
			return zonedPlus(ec, t.I, v)
		}},
		{types.Time, func(_ *EvalContext, t types.Datum, v types.IntervalValue) (types.Datum, error) {
			return timePlus(t.I, v.Usec)
		}},
	} {
		ends := overlaps(k.t)
		for _, lengths := range [][]int{{1, 3}, {1}, {3}} {
			names := []string{k.t.Name(), k.t.Name(), k.t.Name(), k.t.Name()}
			for _, i := range lengths {
				names[i] = "interval"
			}
			m["overlaps("+strings.Join(names, ",")+")"] = impl{fn: func(ec *EvalContext, args []types.Datum) (types.Datum, error) {
				own := [4]types.Datum(args)
				for _, i := range lengths {
					if own[i-1].Null || own[i].Null {
						own[i] = types.NullDatum
						continue
					}
					var err error
					if own[i], err = k.plus(ec, own[i-1], own[i].Interval()); err != nil {
						return own[i], err
					}
				}
				return ends(ec, own[:])
			}}
		}
	}
}
