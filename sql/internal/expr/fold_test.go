package expr

import (
	"testing"

	"pgregory.net/rapid"

	"minidb/sql/types"
)

// mustBuild builds an expression over t.
func mustBuild(t testing.TB, text string) Expr {
	t.Helper()
	scope, _ := testRows(t, "t", tableT)
	e, _, err := buildTest(scope, text, "t")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func TestFoldingComputesWhatIsImmutableAndConstant(t *testing.T) {
	for _, c := range [][2]string{
		{"1 + 2 * 3", "7"},
		{"a + (1 + 2)", "(a + 3)"},
		{"lower('X') || b", "('x'::text || b)"},
		{"'2020-01-01'::date + 1", "'2020-01-02'::date"},
		{"y and true", "y"},
		{"y and false", "false"},
		{"y or true", "true"},
		{"y and null", "(y AND NULL::boolean)"},
		{"y and (nob and true) and a > 1", "(y AND nob AND (a > 1))"},
		{"not (a < 1 or b = 'x')", "((a >= 1) AND (b <> 'x'::text))"},
		{"not (a is null)", "(a IS NOT NULL)"},
		{"not (y is true)", "(y IS NOT TRUE)"},
		{"not (a in (1, 2))", "(a <> ALL ('{1,2}'::integer[]))"},
		{"not not y", "y"},
		{"case when 1 = 2 then a else i8 end", "i8"},
		{"case when true then a end", "a"},
		{"case 1 when 2 then 'x' when 1 then b end", "b"},
		{"case when y then 1 when true then 2 end", "CASE WHEN y THEN 1 ELSE 2 END"},
		{"coalesce(null, 2, a)", "2"},
		{"coalesce(a, 2, 3)", "COALESCE(a, 2)"},
		{"a + null", "NULL::integer"},
		{"null = a", "NULL::boolean"},
	} {
		if got := Deparse(Fold(mustBuild(t, c[0])), false); got != c[1] {
			t.Errorf("%s folds to %s, want %s", c[0], got, c[1])
		}
	}
}

func TestFoldingLeavesWhatMayChangeOrFail(t *testing.T) {
	for text, want := range map[string]string{
		"random()":                      "random()",
		"now()":                         "now()",
		"current_date + 1":              "(CURRENT_DATE + 1)",
		"clock_timestamp() > tz":        "(clock_timestamp() > tz)",
		"1 / 0":                         "(1 / 0)",
		"sqrt(-1.0)":                    "sqrt('-1.0'::numeric)",
		"pg_sleep(0)":                   "pg_sleep('0'::double precision)",
		"concat('a', 'b')":              "concat('a', 'b')",
		"'2020-01-01'::timestamp::text": "('2020-01-01 00:00:00'::timestamp without time zone)::text",
		"('x' || '1')::int":             "('x1'::text)::integer",
	} {
		if got := Deparse(Fold(mustBuild(t, text)), false); got != want {
			t.Errorf("%s folds to %s, want %s", text, got, want)
		}
	}
}

func TestVolatilities(t *testing.T) {
	for text, want := range map[string]Volatility{
		"a + 1":                                Immutable,
		"lower(b)":                             Immutable,
		"n::int":                               Immutable,
		"a::text":                              Immutable,
		"ts > '2020-01-01'":                    Immutable,
		"ts::date":                             Immutable,
		"d::text":                              Stable,
		"tz::date":                             Stable,
		"b::timestamp":                         Stable,
		"ts::timestamptz":                      Stable,
		"tz + iv":                              Stable,
		"ts + iv":                              Immutable,
		"d < tz":                               Stable,
		"extract(day from ts)":                 Immutable,
		"extract(day from tz)":                 Stable,
		"now()":                                Stable,
		"current_user":                         Stable,
		"current_setting('timezone')":          Stable,
		"concat(a, b)":                         Stable,
		"random()":                             Volatile,
		"gen_random_uuid()":                    Volatile,
		"clock_timestamp()":                    Volatile,
		"case when y then random() else 1 end": Volatile,
		"d in (now()::date, '2020-01-01')":     Stable,
	} {
		if got := VolatilityOf(mustBuild(t, text)); got != want {
			t.Errorf("%s has volatility %d, want %d", text, got, want)
		}
	}
}

func TestFoldingDoesNotChangeTheTreeItIsGiven(t *testing.T) {
	_, cases := readCases(t, "testdata/deparse.txt")
	scope, _ := testRows(t, "t", tableT)
	for _, c := range cases {
		e, _, err := buildTest(scope, c.expr, "t")
		if err != nil {
			t.Fatal(err)
		}
		before := Deparse(e, false)
		Fold(e)
		if after := Deparse(e, false); after != before {
			t.Errorf("%s became %s", before, after)
		}
	}
}

// logicExpr draws an expression of AND, OR, NOT and tests over three columns of three-valued bools, and its value.
func logicExpr(t *rapid.T, columns []types.Datum, depth int) (Expr, types.Datum) {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if depth == 0 {
		kind = kind % 2
	}
	draw := func() (Expr, types.Datum) { return logicExpr(t, columns, depth-1) }
	fromBool := func(b bool) types.Datum { return types.NewBool(b) }
	switch kind {
	case 0:
		i := rapid.IntRange(0, len(columns)-1).Draw(t, "column")
		return NewColumn(i, types.Bool, "", "x"), columns[i]
	case 1:
		d := rapid.SampledFrom([]types.Datum{types.NewBool(true), types.NewBool(false), types.NullDatum}).Draw(t, "const")
		return NewConst(types.Bool, d), d
	case 2, 3:
		n := rapid.IntRange(2, 4).Draw(t, "n")
		args := make([]Expr, n)
		// AND is the least, OR the greatest, with false < NULL < true.
		rank := func(d types.Datum) int {
			switch {
			case d.Null:
				return 1
			case d.Bool():
				return 2
			default:
				return 0
			}
		}
		best := types.NewBool(kind == 2)
		for i := range args {
			e, d := draw()
			args[i] = e
			if (kind == 2) == (rank(d) < rank(best)) && rank(d) != rank(best) {
				best = d
			}
		}
		if kind == 2 {
			return &And{args}, best
		}
		return &Or{args}, best
	case 4:
		e, d := draw()
		if d.Null {
			return &Not{e}, d
		}
		return &Not{e}, fromBool(!d.Bool())
	case 5:
		e, d := draw()
		not := rapid.Bool().Draw(t, "not")
		return &NullTest{Arg: e, Not: not}, fromBool(d.Null != not)
	case 6:
		e, d := draw()
		test := BoolTestKind(rapid.IntRange(0, 5).Draw(t, "test"))
		is := []bool{!d.Null && d.Bool(), !d.Null && !d.Bool(), d.Null}[test/2]
		return &BoolTest{Arg: e, Test: test}, fromBool(is == (test%2 == 0))
	default:
		cond, c := draw()
		then, a := draw()
		other, b := draw()
		d := b
		if !c.Null && c.Bool() {
			d = a
		}
		return &Case{Whens: []When{{cond, then}}, Else: other, typ: types.Bool}, d
	}
}

func TestThreeValuedLogicAndItsFolding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var row Datums
		for range 3 {
			row = append(row, rapid.SampledFrom([]types.Datum{types.NewBool(true), types.NewBool(false), types.NullDatum}).Draw(t, "value"))
		}
		e, want := logicExpr(t, row, 4)
		for _, x := range []Expr{e, Fold(e), JoinAnd(SplitAnd(e)), Fold(Fold(e)), Fold(&Not{&Not{e}})} {
			got, err := x.Eval(&EvalContext{}, &row)
			if err != nil {
				t.Fatal(err)
			}
			if !sameDatum(got, want) {
				t.Fatalf("%s is %+v, want %+v (from %s)", Deparse(x, false), got, want, Deparse(e, false))
			}
		}
	})
}
