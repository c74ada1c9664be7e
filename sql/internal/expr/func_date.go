package expr

import (
	"math"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

const (
	usecPerSecond = 1_000_000
	usecPerMinute = 60 * usecPerSecond
	usecPerHour   = 60 * usecPerMinute
	usecPerDay    = 24 * usecPerHour
	secPerDay     = 86400
	daysPerMonth  = 30
)

// dateFuncs are the arithmetic of dates, timestamps and intervals.
var dateFuncs = map[string]impl{
	"date_pli":                   {f2: func(_ *EvalContext, d, n types.Datum) (types.Datum, error) { return datePlus(d.I, n.I) }},
	"date_mii":                   {f2: func(_ *EvalContext, d, n types.Datum) (types.Datum, error) { return datePlus(d.I, -n.I) }},
	"integer_pl_date(int4,date)": {f2: func(_ *EvalContext, n, d types.Datum) (types.Datum, error) { return datePlus(d.I, n.I) }},
	"date_mi":                    {f2: dateMinus},
	"date_pl_interval": {f2: func(_ *EvalContext, d, v types.Datum) (types.Datum, error) {
		return datePlusInterval(d.I, v.Interval())
	}},
	"date_mi_interval": {f2: func(_ *EvalContext, d, v types.Datum) (types.Datum, error) {
		return datePlusInterval(d.I, negate64(v.Interval()))
	}},
	"timestamp_mi":          {f2: timestampMinus},
	"timestamp_pl_interval": {f2: func(_ *EvalContext, t, v types.Datum) (types.Datum, error) { return timestampPlus(t.I, v.Interval()) }},
	"timestamp_mi_interval": {f2: func(_ *EvalContext, t, v types.Datum) (types.Datum, error) {
		return timestampPlus(t.I, negate64(v.Interval()))
	}},
	"timestamptz_pl_interval": {f2: func(ec *EvalContext, t, v types.Datum) (types.Datum, error) { return zonedPlus(ec, t.I, v.Interval()) }},
	"timestamptz_mi_interval": {f2: func(ec *EvalContext, t, v types.Datum) (types.Datum, error) {
		return zonedPlus(ec, t.I, negate64(v.Interval()))
	}},
	"interval_pl_date(interval,date)": {f2: func(_ *EvalContext, v, d types.Datum) (types.Datum, error) {
		return datePlusInterval(d.I, v.Interval())
	}},
	"interval_pl_timestamp(interval,timestamp)":     {f2: func(_ *EvalContext, v, t types.Datum) (types.Datum, error) { return timestampPlus(t.I, v.Interval()) }},
	"interval_pl_timestamptz(interval,timestamptz)": {f2: func(ec *EvalContext, v, t types.Datum) (types.Datum, error) { return zonedPlus(ec, t.I, v.Interval()) }},
	"interval_pl": {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		return intervalPlus(a.Interval(), b.Interval())
	}},
	"interval_mi": {f2: intervalMinus},
	"interval_um": {f1: intervalNegate},
	"interval_mul": {f2: func(_ *EvalContext, v, f types.Datum) (types.Datum, error) {
		return intervalScale(v.Interval(), f.Float(), false)
	}},
	"mul_d_interval": {f2: func(_ *EvalContext, f, v types.Datum) (types.Datum, error) {
		return intervalScale(v.Interval(), f.Float(), false)
	}},
	"interval_div":              {f2: intervalDivide},
	"interval_justify_days":     {f1: func(_ *EvalContext, v types.Datum) (types.Datum, error) { return justifyDays(v.Interval()) }},
	"interval_justify_interval": {f1: justifyInterval},
	"interval_justify_hours":    {f1: func(_ *EvalContext, v types.Datum) (types.Datum, error) { return justifyHours(v.Interval()) }},
	"timestamp_age":             {f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) { return age(a.I, b.I) }},
	"timestamptz_age":           {f2: zonedAge},
	"date_finite": {f1: func(_ *EvalContext, d types.Datum) (types.Datum, error) {
		return types.NewBool(!infiniteDate(d.I)), nil
	}},
	"timestamp_finite": {f1: func(_ *EvalContext, t types.Datum) (types.Datum, error) {
		return types.NewBool(!infiniteTime(t.I)), nil
	}},
	"interval_finite":    {f1: func(*EvalContext, types.Datum) (types.Datum, error) { return types.NewBool(true), nil }},
	"make_date":          {f3: makeDate},
	"float8_timestamptz": {f1: fromEpoch},
	"timestamp_zone":     {f2: timestampAtZone},
	"timestamptz_zone":   {f2: zonedAtZone},
	"timestamp_izone":    {f2: func(_ *EvalContext, z, t types.Datum) (types.Datum, error) { return atOffset(z, t, -1) }},
	"timestamptz_izone":  {f2: func(_ *EvalContext, z, t types.Datum) (types.Datum, error) { return atOffset(z, t, 1) }},
}

func infiniteDate(days int64) bool {
	return days == types.DateInfinity || days == types.DateNegInfinity
}

func infiniteTime(usec int64) bool {
	return usec == types.TimestampInfinity || usec == types.TimestampNegInfinity
}

func datePlus(days, n int64) (types.Datum, error) {
	if infiniteDate(days) {
		return types.NewInt(days), nil
	}
	return checkDate(days + n)
}

// The first day of the calendar, and the day after its last, from 2000-01-01.
const (
	firstDay = -2451545
	endDay   = 2145031949
)

func checkDate(days int64) (types.Datum, error) {
	if days < firstDay || days >= endDay {
		return types.Datum{}, types.DateOutOfRange()
	}
	return types.NewInt(days), nil
}

func dateMinus(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	if infiniteDate(a.I) || infiniteDate(b.I) {
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite dates")
	}
	return types.NewInt(a.I - b.I), nil
}

func datePlusInterval(days int64, v types.IntervalValue) (types.Datum, error) {
	usec, err := types.DateToTimestamp(days)
	if err != nil {
		return types.Datum{}, err
	}
	return timestampPlus(usec, v)
}

// negate64 is -v. The parts of an interval never are the smallest integers in practice; if one is, the sum overflows.
func negate64(v types.IntervalValue) types.IntervalValue {
	return types.IntervalValue{Usec: -v.Usec, Days: -v.Days, Months: -v.Months}
}

// timestampPlus adds months, with the day cut to the month's last, then days, then time.
func timestampPlus(usec int64, v types.IntervalValue) (types.Datum, error) {
	if infiniteTime(usec) {
		return types.NewInt(usec), nil
	}
	usec = addMonthsDays(usec, v)
	return checkTime(usec, v.Usec)
}

// zonedPlus adds months and days by the clock of the session's zone, then time by the world's.
func zonedPlus(ec *EvalContext, usec int64, v types.IntervalValue) (types.Datum, error) {
	if infiniteTime(usec) {
		return types.NewInt(usec), nil
	}
	if v.Months != 0 || v.Days != 0 {
		local := types.TimestampTZToTimestamp(ec.location(), usec)
		usec = types.TimestampToTimestampTZ(ec.location(), addMonthsDays(local, v))
	}
	return checkTime(usec, v.Usec)
}

// checkTime adds time and checks the range.
func checkTime(usec, add int64) (types.Datum, error) {
	sum := usec + add
	if add > 0 && sum < usec || add < 0 && sum > usec || infiniteTime(sum) {
		return types.Datum{}, types.TimestampOutOfRange()
	}
	return types.NewInt(sum), types.CheckTimestamp(sum)
}

func addMonthsDays(usec int64, v types.IntervalValue) int64 {
	days, rest := floorDivMod(usec, usecPerDay)
	if v.Months != 0 {
		y, m, d := types.CivilFromDays(days)
		month := int64(y)*12 + int64(m-1) + int64(v.Months)
		year, m0 := floorDivMod(month, 12)
		if year < -6000 || year > 300000 {
			// Far out of range: any value out of range will do.
			return types.TimestampInfinity - usecPerDay
		}
		days = types.DaysFromCivil(int(year), int(m0)+1, min(d, monthLength(int(year), int(m0)+1)))
	}
	days += int64(v.Days)
	if days < 2*firstDay || days > math.MaxInt64/usecPerDay-1 {
		return types.TimestampInfinity - usecPerDay
	}
	return days*usecPerDay + rest
}

// monthLength is the number of days of a month.
func monthLength(year, month int) int {
	return int(types.DaysFromCivil(year, month+1, 1) - types.DaysFromCivil(year, month, 1))
}

func floorDivMod(a, b int64) (q, r int64) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

func timestampMinus(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	if infiniteTime(a.I) || infiniteTime(b.I) {
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
	}
	return justifyHours(types.IntervalValue{Usec: a.I - b.I})
}

// justifyHours makes whole days of 24 hours, all parts with one sign.
func justifyHours(v types.IntervalValue) (types.Datum, error) {
	days := int64(v.Days) + v.Usec/usecPerDay
	usec := v.Usec % usecPerDay
	switch {
	case days > 0 && usec < 0:
		days, usec = days-1, usec+usecPerDay
	case days < 0 && usec > 0:
		days, usec = days+1, usec-usecPerDay
	}
	return makeInterval(int64(v.Months), days, usec)
}

// justifyDays makes months of 30 days, all parts with one sign.
func justifyDays(v types.IntervalValue) (types.Datum, error) {
	months, days := int64(v.Months)+int64(v.Days)/daysPerMonth, int64(v.Days)%daysPerMonth
	switch {
	case months > 0 && days < 0:
		months, days = months-1, days+daysPerMonth
	case months < 0 && days > 0:
		months, days = months+1, days-daysPerMonth
	}
	return makeInterval(months, days, v.Usec)
}

// justifyInterval does both, and gives all parts the sign of the largest.
func justifyInterval(_ *EvalContext, a types.Datum) (types.Datum, error) {
	v := a.Interval()
	days := int64(v.Days) + v.Usec/usecPerDay
	usec := v.Usec % usecPerDay
	months := int64(v.Months) + days/daysPerMonth
	days %= daysPerMonth
	switch {
	case months > 0 && (days < 0 || days == 0 && usec < 0):
		months, days = months-1, days+daysPerMonth
	case months < 0 && (days > 0 || days == 0 && usec > 0):
		months, days = months+1, days-daysPerMonth
	}
	switch {
	case days > 0 && usec < 0:
		days, usec = days-1, usec+usecPerDay
	case days < 0 && usec > 0:
		days, usec = days+1, usec-usecPerDay
	}
	return makeInterval(months, days, usec)
}

func intervalOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
}

func makeInterval(months, days, usec int64) (types.Datum, error) {
	if months != int64(int32(months)) || days != int64(int32(days)) {
		return types.Datum{}, intervalOutOfRange()
	}
	return types.NewInterval(types.IntervalValue{Months: int32(months), Days: int32(days), Usec: usec}), nil
}

func intervalPlus(a, b types.IntervalValue) (types.Datum, error) {
	usec, err := types.IntAdd(types.Int8, a.Usec, b.Usec)
	if err != nil {
		return types.Datum{}, intervalOutOfRange()
	}
	return makeInterval(int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days), usec)
}

func intervalMinus(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	x, y := a.Interval(), b.Interval()
	usec, err := types.IntSub(types.Int8, x.Usec, y.Usec)
	if err != nil {
		return types.Datum{}, intervalOutOfRange()
	}
	return makeInterval(int64(x.Months)-int64(y.Months), int64(x.Days)-int64(y.Days), usec)
}

func intervalNegate(_ *EvalContext, a types.Datum) (types.Datum, error) {
	v := a.Interval()
	if v.Usec == math.MinInt64 {
		return types.Datum{}, intervalOutOfRange()
	}
	return makeInterval(-int64(v.Months), -int64(v.Days), -v.Usec)
}

func intervalDivide(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	if b.Float() == 0 {
		return types.Datum{}, types.DivisionByZero()
	}
	return intervalScale(a.Interval(), b.Float(), true)
}

// intervalScale multiplies or divides by a factor. Fractions of months become days of 30 a month, fractions of days time.
func intervalScale(v types.IntervalValue, factor float64, divide bool) (types.Datum, error) {
	scale := func(x float64) float64 {
		if divide {
			return x / factor
		}
		return x * factor
	}
	round := func(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }
	months, days := scale(float64(v.Months)), scale(float64(v.Days))
	if math.IsNaN(months) || math.Abs(months) > math.MaxInt32 || math.IsNaN(days) || math.Abs(days) > math.MaxInt32 {
		return types.Datum{}, intervalOutOfRange()
	}
	wholeMonths, wholeDays := math.Trunc(months), math.Trunc(days)
	monthDays := round((months - wholeMonths) * daysPerMonth)
	seconds := round((days - wholeDays + monthDays - math.Trunc(monthDays)) * secPerDay)
	if math.Abs(seconds) >= secPerDay {
		wholeDays += math.Trunc(seconds / secPerDay)
		seconds -= math.Trunc(seconds/secPerDay) * secPerDay
	}
	wholeDays += math.Trunc(monthDays)
	usec := math.RoundToEven(scale(float64(v.Usec)) + seconds*usecPerSecond)
	if math.IsNaN(usec) || math.Abs(usec) >= math.MaxInt64 {
		return types.Datum{}, intervalOutOfRange()
	}
	return makeInterval(int64(wholeMonths), int64(wholeDays), int64(usec))
}

// civil is a local time in its fields.
type civil struct {
	year, month, day int
	usec             int64 // of the day
}

func civilOf(usec int64) civil {
	days, rest := floorDivMod(usec, usecPerDay)
	c := civil{usec: rest}
	c.year, c.month, c.day = types.CivilFromDays(days)
	return c
}

// age is a - b in years, months, days and time, as a calendar counts them.
func age(a, b int64) (types.Datum, error) {
	if infiniteTime(a) || infiniteTime(b) {
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range")
	}
	sign := int64(1)
	// Days are borrowed from the month of the earlier time.
	x, y := civilOf(a), civilOf(b)
	if a < b {
		sign, x, y = -1, y, x
	}
	usec := x.usec - y.usec
	days := int64(x.day - y.day)
	months := int64(x.year-y.year)*12 + int64(x.month-y.month)
	if usec < 0 {
		usec += usecPerDay
		days--
	}
	for days < 0 {
		days += int64(monthLength(y.year, y.month))
		months--
	}
	return makeInterval(sign*months, sign*days, sign*usec)
}

func zonedAge(ec *EvalContext, a, b types.Datum) (types.Datum, error) {
	return age(types.TimestampTZToTimestamp(ec.location(), a.I), types.TimestampTZToTimestamp(ec.location(), b.I))
}

func makeDate(_ *EvalContext, y, m, d types.Datum) (types.Datum, error) {
	year := y.I
	if year < 0 {
		year++ // years before Christ have no 0
	}
	bad := sqlerr.New(sqlerr.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", year, m.I, d.I)
	if y.I == 0 || m.I < 1 || m.I > 12 || d.I < 1 || year < -6000 || year > 6000000 || d.I > int64(monthLength(int(year), int(m.I))) {
		return types.Datum{}, bad
	}
	return checkDate(types.DaysFromCivil(int(year), int(m.I), int(d.I)))
}

// unixEpoch is 1970-01-01 in microseconds from 2000-01-01.
const unixEpoch = -10957 * usecPerDay

// fromEpoch makes a point in time from the seconds since 1970.
func fromEpoch(_ *EvalContext, a types.Datum) (types.Datum, error) {
	f := a.Float()
	switch {
	case math.IsNaN(f):
		return types.Datum{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp cannot be NaN")
	case math.IsInf(f, 1):
		return types.NewInt(types.TimestampInfinity), nil
	case math.IsInf(f, -1):
		return types.NewInt(types.TimestampNegInfinity), nil
	}
	usec := math.RoundToEven((f - -unixEpoch/usecPerSecond) * usecPerSecond)
	if math.Abs(usec) >= math.MaxInt64 {
		return types.Datum{}, timestampOutOfRange(f)
	}
	if types.CheckTimestamp(int64(usec)) != nil {
		return types.Datum{}, timestampOutOfRange(f)
	}
	return types.NewInt(int64(usec)), nil
}

func timestampOutOfRange(f float64) error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range: \"%g\"", f)
}

func unknownZone(name []byte) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// timestampAtZone takes a local time in a zone to the point in time.
func timestampAtZone(_ *EvalContext, zone, t types.Datum) (types.Datum, error) {
	loc, ok := types.Zone(zone.Text())
	if !ok {
		return types.Datum{}, unknownZone(zone.B)
	}
	usec := types.TimestampToTimestampTZ(loc, t.I)
	return types.NewInt(usec), types.CheckTimestamp(usec)
}

// zonedAtZone takes a point in time to the local time in a zone.
func zonedAtZone(_ *EvalContext, zone, t types.Datum) (types.Datum, error) {
	loc, ok := types.Zone(zone.Text())
	if !ok {
		return types.Datum{}, unknownZone(zone.B)
	}
	usec := types.TimestampTZToTimestamp(loc, t.I)
	return types.NewInt(usec), types.CheckTimestamp(usec)
}

// atOffset is the same for an offset from UTC.
func atOffset(zone, t types.Datum, sign int64) (types.Datum, error) {
	v := zone.Interval()
	if v.Months != 0 || v.Days != 0 {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "interval time zone \"%s\" must not include months or days",
			types.AppendText(nil, nil, types.Interval, zone))
	}
	if infiniteTime(t.I) {
		return t, nil
	}
	return checkTime(t.I, sign*v.Usec)
}
