package expr

import (
	"math"
	"strings"
	"testing"

	"minidb/sql/types"
)

func TestComparisonsWithColumnsAreRecognised(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1":                   "a = 1",
		"1 = a":                   "a = 1",
		"a < 1":                   "a < 1",
		"1 < a":                   "a > 1",
		"10 >= a":                 "a <= 10",
		"a > 1 + 1":               "a > 2",
		"a = 5000000000":          "a = '5000000000'::bigint",
		"i8 = 1":                  "i8 = 1",
		"i2 <= a":                 "",
		"a <> 1":                  "",
		"a = a":                   "",
		"a + 1 = 2":               "",
		"a = 1.5":                 "",
		"a = now()::text::int":    "a = ((now())::text)::integer",
		"a = (random() * 5)::int": "",
		"b = 'x'":                 "b = 'x'::text",
		"v = 'x'":                 "v = 'x'::text",
		"v >= 'x'":                "v >= 'x'::text",
		"c = 'x'":                 "c = 'x'::bpchar",
		"c = 'x'::text":           "",
		"c::text = 'x'":           "",
		"n = 5":                   "n = '5'::numeric",
		"n > a":                   "",
		"f < 1":                   "f < '1'::double precision",
		"ts >= '2020-01-01'":      "ts >= '2020-01-01 00:00:00'::timestamp without time zone",
		"ts >= d":                 "",
		"tz < now()":              "tz < now()",
		"ts < now()":              "",
		"u = '123e4567-e89b-12d3-a456-426614174000'": "u = '123e4567-e89b-12d3-a456-426614174000'::uuid",
		"a in (1, 2)":           "a = any 1, 2",
		"a = any (array[1, 2])": "a = any 1, 2",
		"v in ('x', 'y')":       "v = any 'x'::text, 'y'::text",
		"a not in (1, 2)":       "",
		"a in (1, i8)":          "",
		"y":                     "y = true",
		"not y":                 "y = false",
		"y = true":              "y = true",
		"a = null":              "",
	} {
		got := ""
		if c, ok := MatchComparison(Fold(mustBuild(t, text))); ok {
			var values []string
			for _, x := range append(c.List, c.Value) {
				if x != nil {
					values = append(values, Deparse(x, false))
				}
			}
			got = c.Column.Name + " " + c.Op.String() + " "
			if c.List != nil {
				got += "any "
			}
			got += strings.Join(values, ", ")
		}
		if got != want {
			t.Errorf("%s is seen as %q, want %q", text, got, want)
		}
	}
}

func TestNullTestsOfColumnsAreRecognised(t *testing.T) {
	c, not, ok := MatchNull(mustBuild(t, "a is not null"))
	if !ok || !not || c.Name != "a" {
		t.Error("a is not null", c, not, ok)
	}
	if c, not, ok = MatchNull(mustBuild(t, "v is null")); !ok || not || c.Name != "v" {
		t.Error("v is null", c, not, ok)
	}
	for _, text := range []string{"a + 1 is null", "a = 1", "y is true"} {
		if _, _, ok := MatchNull(mustBuild(t, text)); ok {
			t.Error(text, "is no null test of a column")
		}
	}
}

func TestKeyValueTellsWhereAValueOutOfRangeLies(t *testing.T) {
	for _, c := range []struct {
		value          int64
		to             types.Type
		inRange, above bool
	}{
		{7, types.Int2, true, false},
		{32767, types.Int2, true, false},
		{32768, types.Int2, false, true},
		{-32768, types.Int2, true, false},
		{-32769, types.Int2, false, false},
		{math.MaxInt32, types.Int4, true, false},
		{math.MaxInt32 + 1, types.Int4, false, true},
		{math.MinInt64, types.Int4, false, false},
		{math.MaxInt64, types.Int8, true, false},
	} {
		d, inRange, above := KeyValue(types.NewInt(c.value), types.Int8, c.to)
		if inRange != c.inRange || inRange && d.I != c.value || !inRange && above != c.above {
			t.Errorf("%d in %s: %v in range %v above %v", c.value, c.to.Format(), d.I, inRange, above)
		}
	}
}

func TestAndListsComeApartAndTogether(t *testing.T) {
	e := mustBuild(t, "a = 1 and (b = 'x' and y) and (nob or y)")
	parts := SplitAnd(e)
	if len(parts) != 4 {
		t.Fatalf("%d parts", len(parts))
	}
	if got, want := Deparse(JoinAnd(parts), false), "((a = 1) AND (b = 'x'::text) AND y AND (nob OR y))"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if SplitAnd(nil) != nil || JoinAnd(nil) != nil {
		t.Error("no condition is not no conditions")
	}
}

func TestRowIndependence(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "now()": true, "a": false, "random()": false, "1 + 2": true, "count(*)": false, "lower('x')": true,
	} {
		if got := IsRowIndependent(mustBuild(t, text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestEqualSeesTheSameComputation(t *testing.T) {
	same := [][2]string{
		{"a + 1", "a + 1"},
		{"a+1", "(t.a) + 1"},
		{"lower(b)", "pg_catalog.lower(b)"},
		{"a in (1, 2)", "a in (1, 2)"},
		{"case when y then 1 end", "case when y then 1 else null end"},
		{"count(*)", "count(*)"},
		{"current_date", "current_date"},
		{"coalesce(a, 1)", "coalesce(a, 1)"},
		{"a::text", "cast(a as text)"},
		{"sum(a) filter (where y)", "sum(a) filter (where y)"},
	}
	for _, p := range same {
		if !Equal(mustBuild(t, p[0]), mustBuild(t, p[1])) {
			t.Errorf("%s and %s are the same", p[0], p[1])
		}
	}
	different := [][2]string{
		{"a + 1", "a + 2"},
		{"a + 1", "1 + a"},
		{"a", "i2"},
		{"lower(b)", "upper(b)"},
		{"1.0", "1.00"},
		{"a in (1, 2)", "a not in (1, 2)"},
		{"count(*)", "count(a)"},
		{"sum(a)", "sum(distinct a)"},
		{"y is true", "y is false"},
		{"current_date", "localtimestamp"},
		{"a::text", "a::varchar"},
		{"null::int", "0"},
		{"coalesce(a, 1)", "greatest(a, 1)"},
		{"a is null", "a is not null"},
		{"string_agg(b, ',' order by a)", "string_agg(b, ',' order by a desc)"},
		{"current_timestamp(1)", "current_timestamp(2)"},
	}
	for _, p := range different {
		if Equal(mustBuild(t, p[0]), mustBuild(t, p[1])) {
			t.Errorf("%s and %s are different", p[0], p[1])
		}
	}
}

func TestRewritingSharesWhatStays(t *testing.T) {
	e := mustBuild(t, "(a + 1) * (i8 - 2)").(*Call)
	r := Rewrite(e, func(n Expr) (Expr, bool) {
		if c, ok := n.(*Column); ok && c.Name == "i8" {
			return NewColumn(40, types.Int8, "", "x"), true
		}
		return nil, false
	}).(*Call)
	if got := Deparse(r, false); got != "((a + 1) * (x - 2))" {
		t.Error(got)
	}
	if got := Deparse(e, false); got != "((a + 1) * (i8 - 2))" {
		t.Error("the original became", got)
	}
	if r.Args[0] != e.Args[0] {
		t.Error("the operand without i8 was copied")
	}
}
