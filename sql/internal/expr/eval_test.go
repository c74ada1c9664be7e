package expr

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func TestFixedWidthEvaluationAllocatesNothing(t *testing.T) {
	_, rows := testRows(t, "t", tableT)
	ec := testContext()
	for _, text := range []string{
		"a + 1 > 5 and i8 < 10", "f * 2 + 1.5::float8", "n > 12", "n + 1.25 < 100", "d < '2020-01-01'", "ts >= '2020-01-01'",
		"b = 'Hello'", "v = 'world' or a is null", "a in (1, 2, 3)", "a in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)",
		"case when a > 5 then i8 else 0 end", "coalesce(nul, a) between 1 and 9", "length(b) % 2 = 1", "abs(-a)",
		"b like 'H%o'", "extract(hour from ts) > 3", "not y is distinct from nob", "case a when 1 then 2 when 7 then 3 end",
		"ts::date = d", "i8::float8 / 3", "round(n)", "(a, i8) < (8, 1)", "substring(b from 2 for 2) = 'el'",
	} {
		e := Fold(mustBuild(t, text))
		n := testing.AllocsPerRun(100, func() {
			if _, err := e.Eval(ec, rows[0]); err != nil {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%s allocates %v times", text, n)
		}
	}
}

func TestArgumentsOfNestedCallsDoNotMix(t *testing.T) {
	_, rows := testRows(t, "t", tableT)
	e := mustBuild(t, "concat(a, concat('[', b, concat(1, 2, 3, null, 4), ']'), overlay('abcdef' placing concat('x', 'y') from 2 for 3), y)")
	ec := testContext()
	for range 3 {
		d, err := e.Eval(ec, rows[0])
		if got := d.Text(); err != nil || got != "7[Hello1234]axyeft" {
			t.Fatal(got, err)
		}
	}
	if len(ec.stack) != 0 {
		t.Errorf("%d arguments are left on the stack", len(ec.stack))
	}
}

func TestAFailedCallLeavesNoArgumentsBehind(t *testing.T) {
	_, rows := testRows(t, "t", tableT)
	ec := testContext()
	if _, err := mustBuild(t, "concat(1, 2, 3, concat(4, 5, 6, a / 0))").Eval(ec, rows[0]); sqlerr.CodeOf(err) != sqlerr.DivisionByZero {
		t.Error(err)
	}
	if len(ec.stack) != 0 {
		t.Errorf("%d arguments are left on the stack", len(ec.stack))
	}
}

func TestCaseInsideTheConditionOfACase(t *testing.T) {
	_, rows := testRows(t, "t", tableT)
	for text, want := range map[string]string{
		"case a when (case b when 'Hello' then 7 end) then 'in' else 'out' end":                                 "in",
		"case (case b when 'x' then 1 else 7 end) when a then case b when 'Hello' then 'both' end else '-' end": "both",
		"case a when 1 then 'one' when (case i2 when 32000 then 3 end) then 'three' when 7 then 'seven' end":    "seven",
	} {
		for _, e := range []Expr{mustBuild(t, text), Fold(mustBuild(t, text))} {
			d, err := e.Eval(testContext(), rows[0])
			if err != nil || d.Text() != want {
				t.Errorf("%s is %s, want %s (%v)", text, d.Text(), want, err)
			}
		}
	}
}

func TestSleepEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	ec := testContext()
	ec.Ctx = ctx
	time.AfterFunc(20*time.Millisecond, func() {
		cancel(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout"))
	})
	start := time.Now()
	_, err := mustBuild(t, "pg_sleep(60)").Eval(ec, nil)
	if got := describe(err); got != "ERROR 57014: canceling statement due to statement timeout" {
		t.Error(got)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestCompiledRegularExpressionsAreKeptButNotWithoutBound(t *testing.T) {
	ec := testContext()
	e := mustBuild(t, "b ~ not_used_name")
	for i := range 5 * maxRegexps {
		row := make(Datums, len(tableT))
		row[5], row[17] = types.NewText("x"), types.NewText(fmt.Sprintf("x%d?", i))
		if _, err := e.Eval(ec, &row); err != nil {
			t.Fatal(err)
		}
		if len(ec.regexps) > maxRegexps {
			t.Fatalf("%d expressions are kept", len(ec.regexps))
		}
	}
	before := ec.regexps["/x319?"]
	if before == nil {
		t.Fatal("the last expression is not kept")
	}
}

func TestTextFunctionsRefuseHugeResults(t *testing.T) {
	if testing.Short() {
		t.Skip("makes texts of 128 MB")
	}
	big := strings.Repeat("x", maxTextBytes/2+1)
	row := make(Datums, len(tableT))
	for i := range row {
		row[i] = types.NullDatum
	}
	row[5], row[17] = types.NewText(big), types.NewText(big)
	for _, text := range []string{
		"b || not_used_name", "repeat(b, 2)", "replace(b, 'x', 'xx')", "concat(b, not_used_name)", "rpad('', 1000000000, 'xy')",
		"b || '' || not_used_name",
	} {
		_, err := mustBuild(t, text).Eval(testContext(), &row)
		if sqlerr.CodeOf(err) != sqlerr.ProgramLimitExceeded {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPatternsTakeBoundedTime(t *testing.T) {
	row := make(Datums, len(tableT))
	row[5], row[17] = types.NewText(strings.Repeat("a", 20000)), types.NewText(strings.Repeat("%a", 50)+"%b")
	start := time.Now()
	for _, text := range []string{"b like not_used_name", "b ~ '(a*)*b'", "b ~ '(a|aa)+$x'"} {
		d, err := mustBuild(t, text).Eval(testContext(), &row)
		if err != nil || d.Bool() {
			t.Error(text, d, err)
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestLongChainsAreBuiltAndEvaluated(t *testing.T) {
	text := "1" + strings.Repeat(" + 1", 20000)
	d, err := Fold(mustBuild(t, text)).Eval(testContext(), nil)
	if err != nil || d.I != 20001 {
		t.Error(d.I, err)
	}
	d, err = mustBuild(t, "true"+strings.Repeat(" and not false", 5000)).Eval(testContext(), nil)
	if err != nil || !d.Bool() {
		t.Error(err)
	}
}

func TestChainsOfTextAreJoinedOnce(t *testing.T) {
	_, rows := testRows(t, "t", tableT)
	const n = 20000
	start := time.Now()
	for text, want := range map[string]int{
		"length('a'" + strings.Repeat(" || 'b'", n) + ")": n + 1,
		"length(b" + strings.Repeat(" || 'b'", n) + ")":   n + 5,
		"length('a' || 'b' || (b || 'c' || 'd') || 'e')":  10,
		"length('a' || 'b' || null || b)":                 -1,
		"length('a' || b || nul::text)":                   -1,
	} {
		for _, e := range []Expr{mustBuild(t, text), Fold(mustBuild(t, text))} {
			d, err := e.Eval(testContext(), rows[0])
			if err != nil || d.Null != (want < 0) || !d.Null && int(d.I) != want {
				t.Errorf("%.40s… is %+v, want %d (%v)", text, d, want, err)
			}
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
	for text, want := range map[string]string{
		"'a' || 'b' || b || 'c' || 'd'": "((('ab'::text || b) || 'c'::text) || 'd'::text)",
		"'a' || 'b' || 'c'":             "'abc'::text",
		"b || ('c' || 'd')":             "(b || 'cd'::text)",
		"'a' || null || b":              "NULL::text",
		"b || v":                        "(b || (v)::text)",
	} {
		if got := Deparse(Fold(mustBuild(t, text)), false); got != want {
			t.Errorf("%s folds to %s, want %s", text, got, want)
		}
	}
	e := mustBuild(t, "b || (a / 0)::text || 'x'")
	if _, err := e.Eval(testContext(), rows[0]); sqlerr.CodeOf(err) != sqlerr.DivisionByZero {
		t.Error(err)
	}
}

func TestAggregatesGiveResultsInBetween(t *testing.T) {
	scope, rows := testRows(t, "m", tableM)
	for text, want := range map[string][2]string{
		"sum(i)": {"3", "15"}, "count(distinct i)": {"2", "3"}, "string_agg(s, ',' order by s)": {"a,b", "a,b,b,c"},
		"avg(n)": {"1.8750000000000000", "1.2812500000000000"}, "max(s)": {"b", "c"}, "stddev(i)": {"0.70710678118654752440", "4.1932485418030414"},
	} {
		e, _, err := buildTest(scope, text, "m")
		if err != nil {
			t.Fatal(err)
		}
		a := e.(*Aggregate)
		state := a.NewState()
		ec := testContext()
		for i, r := range rows {
			if err := state.Add(ec, r); err != nil {
				t.Fatal(err)
			}
			if i != 1 && i != len(rows)-1 {
				continue
			}
			d, err := state.Result(ec)
			if err != nil {
				t.Fatal(err)
			}
			if got := types.FormatText(nil, a.Type(), d); got != want[min(i-1, 1)] {
				t.Errorf("%s after %d rows is %s, want %s", text, i+1, got, want[min(i-1, 1)])
			}
		}
	}
}

func TestAggregatesKeepNothingOfTheRow(t *testing.T) {
	scope, _ := testRows(t, "m", tableM)
	for _, text := range []string{"max(s)", "string_agg(s, ',' order by s)", "string_agg(distinct s, ',')", "count(distinct s)"} {
		e, _, err := buildTest(scope, text, "m")
		if err != nil {
			t.Fatal(err)
		}
		state := e.(*Aggregate).NewState()
		shared := []byte("a")
		row := make(Datums, len(tableM))
		row[6] = types.NewBytes(shared)
		for _, c := range []byte("acb") {
			shared[0] = c
			if err := state.Add(testContext(), &row); err != nil {
				t.Fatal(err)
			}
		}
		shared[0] = 'z'
		d, err := state.Result(testContext())
		want := map[string]string{"max(s)": "c", "count(distinct s)": "3"}[text]
		if want == "" {
			want = "a,b,c"
		}
		if got := types.FormatText(nil, e.Type(), d); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
		}
	}
}

func TestAggregatesCountTheirMemory(t *testing.T) {
	scope, _ := testRows(t, "m", tableM)
	for _, text := range []string{"count(distinct i)", "string_agg(s, ',')", "string_agg(s, ',' order by i)"} {
		e, _, err := buildTest(scope, text, "m")
		if err != nil {
			t.Fatal(err)
		}
		state := e.(*Aggregate).NewState()
		row := make(Datums, len(tableM))
		row[6] = types.NewText("0123456789")
		for i := range 1000 {
			row[0] = types.NewInt(int64(i))
			if err := state.Add(testContext(), &row); err != nil {
				t.Fatal(err)
			}
		}
		if state.Bytes() < 8000 {
			t.Errorf("%s: %d bytes after 1000 values", text, state.Bytes())
		}
	}
}

func BenchmarkEval(b *testing.B) {
	_, rows := testRows(b, "t", tableT)
	for _, text := range []string{"a > 5", "a + 1 > 5 and i8 < 10", "n > 12.25", "b = 'Hello'", "b like 'H%'", "a in (1,2,3,4,5,6,7,8,9)"} {
		e := Fold(mustBuild(b, text))
		b.Run(strings.ReplaceAll(text, " ", ""), func(b *testing.B) {
			ec := testContext()
			for b.Loop() {
				if _, err := e.Eval(ec, rows[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	scope, _ := testRows(b, "t", tableT)
	for b.Loop() {
		if _, _, err := buildTest(scope, "a + 1 > $1 and b = 'x'", "t"); err != nil {
			b.Fatal(err)
		}
	}
}
