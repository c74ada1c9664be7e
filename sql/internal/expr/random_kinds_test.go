package expr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRandomNumericsAgreeWithPostgreSQL(t *testing.T) {
	compareRandom(t, "t.txt", func(r *rand.Rand) string {
		num := func() string { return randomNumeric(r) }
		return one(r,
			"exp("+num()+")", "ln("+num()+")", "log("+num()+", "+num()+")", "sqrt("+num()+")", "power("+num()+", "+num()+")",
			fmt.Sprintf("power(%s, %d)", num(), r.IntN(60)-30), num()+" / "+num(), num()+" % "+num(), "div("+num()+", "+num()+")",
			fmt.Sprintf("round(%s, %d)", num(), r.IntN(40)-20), fmt.Sprintf("trunc(%s * %s, %d)", num(), num(), r.IntN(40)-20),
			"gcd("+num()+", "+num()+") + lcm("+num()+", 2)", num()+"::float8::numeric", num()+" <= "+num())
	})
}

func one(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// randomNumeric is a numeric of any size and scale.
func randomNumeric(r *rand.Rand) string {
	var digits strings.Builder
	for range 1 + r.IntN(20) {
		digits.WriteByte(byte('0' + r.IntN(10)))
	}
	s := digits.String()
	switch r.IntN(4) {
	case 0:
		s += "." + fmt.Sprint(r.IntN(1000000))
	case 1:
		s = "0." + s
	case 2:
		s = fmt.Sprintf("%d.%s", r.IntN(3), s)
	default:
		s = fmt.Sprintf("%de%d", r.IntN(100), r.IntN(60)-30)
	}
	return one(r, "", "", "", "-") + s + "::numeric"
}

func TestRandomDatesAgreeWithPostgreSQL(t *testing.T) {
	compareRandom(t, "t_newyork.txt", func(r *rand.Rand) string {
		ts := func() string { return "'" + randomTime(r) + "'::timestamp" }
		tz := func() string { return "'" + randomTime(r) + "'::timestamptz" }
		d := func() string { return "'" + randomTime(r) + "'::date" }
		iv := func() string {
			return fmt.Sprintf("interval '%d months %d days %d.%d seconds'", r.IntN(200)-100, r.IntN(100)-50, r.IntN(200000)-100000, r.IntN(1000000))
		}
		unit := func() string {
			return "'" + one(r, "year", "month", "day", "hour", "minute", "second", "milliseconds", "microseconds", "week", "quarter", "decade",
				"century", "millennium", "epoch", "dow", "isodow", "doy", "isoyear", "julian", "timezone") + "'"
		}
		return one(r,
			ts()+" + "+iv(), tz()+" - "+iv(), d()+" + "+iv(), ts()+" - "+ts(), tz()+" - "+tz(), d()+" - "+d(),
			"age("+ts()+", "+ts()+")", "age("+tz()+", "+tz()+")",
			"date_trunc("+unit()+", "+ts()+")", "date_trunc("+unit()+", "+tz()+")", "date_trunc("+unit()+", "+iv()+")",
			"date_part("+unit()+", "+ts()+")", "date_part("+unit()+", "+tz()+")", "date_part("+unit()+", "+iv()+")",
			"extract("+one(r, "year", "epoch", "week", "julian", "second", "century", "isoyear", "doy", "decade")+" from "+d()+")",
			"extract("+one(r, "year", "epoch", "week", "julian", "second", "century", "isoyear", "timezone_hour")+" from "+tz()+")",
			iv()+fmt.Sprintf(" * %d.%d", r.IntN(10)-5, r.IntN(1000)), iv()+fmt.Sprintf(" / %d.%d", r.IntN(10)-5, r.IntN(1000)),
			iv()+" + "+iv(), iv()+" < "+iv(), "- "+iv(), "justify_interval("+iv()+")", "justify_days("+iv()+")", "justify_hours("+iv()+")",
			ts()+" at time zone 'Europe/Berlin'", tz()+" at time zone 'Asia/Kolkata'", ts()+"::timestamptz", tz()+"::date", ts()+"::timestamp(2)",
			d()+" < "+tz(), ts()+" > "+tz(), "to_char("+tz()+", 'YYYY-MM-DD HH12:MI:SS.US AM TZ OF Day Month DDD IW IYYY J Q CC RM')",
			fmt.Sprintf("to_timestamp(%d.%d)", r.IntN(2000000000), r.IntN(1000)),
			fmt.Sprintf("make_date(%d, %d, %d)", r.IntN(3000)-500, r.IntN(14), r.IntN(33)))
	})
}

// randomTime is a date and time, mostly of our age.
func randomTime(r *rand.Rand) string {
	year := 1990 + r.IntN(50)
	if r.IntN(6) == 0 {
		year = 1 + r.IntN(3000)
	}
	s := fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", year, 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))
	if r.IntN(2) == 0 {
		s += fmt.Sprintf(".%d", r.IntN(1000000))
	}
	return s + one(r, "", "", "", "", "", "", " BC")
}
