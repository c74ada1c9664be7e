package expr

import (
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// toDateFuncs are the reading of dates and times by a template.
var toDateFuncs = map[string]impl{
	"to_date":      {f2: toDate},
	"to_timestamp": {f2: toTimestamp},
}

// readTime is what a text says by a template.
type readTime struct {
	year, month, day int
	usec             int64 // of the day
	precision        int   // of the fraction of a second; 0: as it is
	zone             *time.Location
}

func toDate(_ *EvalContext, text, format types.Datum) (types.Datum, error) {
	t, err := readByTemplate(text.B, format.B)
	if err != nil {
		return types.Datum{}, err
	}
	days := types.DaysFromCivil(t.year, t.month, t.day)
	if t.year < -4713 || t.year > 5874898 || days < firstDay || days >= endDay {
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range: \"%s\"", text.B)
	}
	return types.NewInt(days), nil
}

func toTimestamp(ec *EvalContext, text, format types.Datum) (types.Datum, error) {
	t, err := readByTemplate(text.B, format.B)
	if err != nil {
		return types.Datum{}, err
	}
	if t.year < -4713 || t.year > 294277 {
		return types.Datum{}, types.TimestampOutOfRange()
	}
	usec := types.DaysFromCivil(t.year, t.month, t.day)*usecPerDay + t.usec
	if err := types.CheckTimestamp(usec); err != nil {
		return types.Datum{}, err
	}
	zone := t.zone
	if zone == nil {
		zone = ec.location()
	}
	usec = types.TimestampToTimestampTZ(zone, usec)
	if err := types.CheckTimestamp(usec); err != nil || t.precision == 0 {
		return types.NewInt(usec), err
	}
	return types.ApplyMod(types.NewInt(usec), types.TimestampTZP(t.precision), false)
}

func readByTemplate(text, format []byte) (readTime, error) {
	f, err := readDate(text, format)
	if err != nil {
		return readTime{}, err
	}
	d := dateMaker{f: f, out: readTime{month: 1, day: 1}}
	if err := d.clock(); err != nil {
		return readTime{}, err
	}
	d.years()
	if err := d.days(); err != nil {
		return readTime{}, err
	}
	if !d.zone() && d.valid() {
		return readTime{}, sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range: \"%s\"", text)
	}
	if !d.valid() {
		return readTime{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", text)
	}
	return d.out, nil
}

// dateMaker makes a date and a time of what was read.
type dateMaker struct {
	f                          dateFields
	out                        readTime
	hasYear, hasMonth, hasDay  bool
	hour, minute, second, usec int64
}

func (d *dateMaker) clock() error {
	f := &d.f
	if s := f.secondsDay; s != 0 {
		d.hour, d.minute, d.second = s/3600, s/60%60, s%60
	}
	for _, x := range []struct{ to, from *int64 }{{&d.second, &f.second}, {&d.minute, &f.minute}, {&d.hour, &f.hour}} {
		if *x.from != 0 {
			*x.to = *x.from
		}
	}
	d.usec = f.milli*1000 + f.micro
	if !f.clock12 {
		return nil
	}
	if d.hour < 1 || d.hour > 12 {
		return badDate("hour \"%d\" is invalid for the 12-hour clock", d.hour).
			WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
	}
	switch {
	case f.pm != 0 && d.hour < 12:
		d.hour += 12
	case f.pm == 0 && d.hour == 12:
		d.hour = 0
	}
	return nil
}

// years puts year, century and era together. Years before 1 BC are negative here, 1 BC is 0.
func (d *dateMaker) years() {
	f := &d.f
	century := f.century
	if f.bc != 0 {
		century = -century
	}
	switch {
	case f.year != 0 && f.century != 0 && f.yearDigits <= 2:
		y := f.year % 100
		switch {
		case y == 0 && century >= 0:
			y = century * 100
		case y == 0:
			y = century*100 + 1
		case century >= 0:
			y += (century - 1) * 100
		default:
			y = (century+1)*100 - y + 1
		}
		d.out.year = int(y)
	case f.year != 0:
		y := f.year
		if f.bc != 0 {
			y = -y
		}
		if y < 0 {
			y++
		}
		d.out.year = int(y)
	case f.century != 0:
		y := century*100 + 1
		if century >= 0 {
			y -= 100
		}
		d.out.year = int(y)
	default:
		return
	}
	d.hasYear = true
}

// setDate sets all of the date from a day.
func (d *dateMaker) setDate(day int64) {
	d.out.year, d.out.month, d.out.day = types.CivilFromDays(day)
	d.hasYear, d.hasMonth, d.hasDay = true, true, true
}

// isoMonday is the Monday of a week of an ISO year.
func isoMonday(year int, week int64) int64 {
	jan4 := types.DaysFromCivil(year, 1, 4)
	return jan4 - (weekday(jan4)+6)%7 + (week-1)*7
}

func (d *dateMaker) days() error {
	f := &d.f
	if f.julian != 0 {
		d.setDate(f.julian - julianEpoch)
	}
	switch {
	case f.week != 0 && f.mode == modeISOWeek:
		day := isoMonday(d.out.year, f.week)
		switch {
		case f.weekday > 1:
			day += f.weekday - 2
		case f.weekday == 1:
			day += 6
		}
		d.setDate(day)
	case f.week != 0:
		f.yearDay = (f.week-1)*7 + 1
	}
	if f.monthWeek != 0 {
		f.day = (f.monthWeek-1)*7 + 1
	}
	if f.day != 0 {
		d.out.day, d.hasDay = int(f.day), true
	}
	if f.month != 0 {
		d.out.month, d.hasMonth = int(f.month), true
	}
	if f.yearDay == 0 || d.out.month > 1 && d.out.day > 1 {
		return nil
	}
	return d.fromYearDay()
}

// fromYearDay finds month and day, as far as they were not given, by the day of the year.
func (d *dateMaker) fromYearDay() error {
	f := &d.f
	if d.out.year == 0 && f.bc == 0 {
		return badDate("cannot calculate day of year without year information")
	}
	if f.mode == modeISOWeek {
		d.setDate(isoMonday(d.out.year, 1) - 1 + f.yearDay)
		return nil
	}
	month, before := 1, int64(0)
	for ; month <= 12; month++ {
		n := types.DaysFromCivil(d.out.year, month+1, 1) - types.DaysFromCivil(d.out.year, month, 1)
		if f.yearDay <= before+n {
			break
		}
		before += n
	}
	if d.out.month <= 1 {
		d.out.month = month
	}
	if d.out.day <= 1 {
		if month > 12 {
			before = types.DaysFromCivil(d.out.year+1, 1, 1) - types.DaysFromCivil(d.out.year, 1, 1)
		}
		d.out.day = int(f.yearDay - before)
	}
	d.hasMonth, d.hasDay = true, true
	return nil
}

// valid checks the ranges of what was given, and puts the time of day together.
func (d *dateMaker) valid() bool {
	o := &d.out
	if d.hasMonth && (o.month < 1 || o.month > 12) || d.hasDay && (o.day < 1 || o.day > 31) {
		return false
	}
	if d.hasYear && d.hasMonth && d.hasDay {
		if types.DaysFromCivil(o.year, o.month, o.day) >= types.DaysFromCivil(o.year, o.month+1, 1) {
			return false
		}
	}
	if d.hour < 0 || d.hour >= 24 || d.minute < 0 || d.minute >= 60 || d.second < 0 || d.second >= 60 || d.usec < 0 || d.usec >= usecPerSecond {
		return false
	}
	o.usec, o.precision = ((d.hour*60+d.minute)*60+d.second)*usecPerSecond+d.usec, d.f.precision
	return true
}

// zone makes the zone that was read, if one was; false for one that is too far away.
func (d *dateMaker) zone() bool {
	f := &d.f
	if f.zoneSign == 0 {
		return true
	}
	if f.zoneHour < 0 || f.zoneHour > 15 || f.zoneMinute < 0 || f.zoneMinute >= 60 {
		return false
	}
	d.out.zone = time.FixedZone("", int(f.zoneSign*(f.zoneHour*60+f.zoneMinute)*60))
	return true
}
