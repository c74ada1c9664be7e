package types_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// facts reads a file of tab-separated lines; the last field is the outcome.
func facts(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unescape := strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")
	var out [][]string
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		line := strings.Split(sc.Text(), "\t")
		if len(line) != fields {
			t.Fatalf("%s: %d fields: %q", name, len(line), sc.Text())
		}
		for i := range line {
			line[i] = unescape.Replace(line[i])
		}
		out = append(out, line)
	}
	if sc.Err() != nil || len(out) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(out), sc.Err())
	}
	return out
}

// outcome writes a result as the files do.
func outcome(ec *types.Context, typ types.Type, d types.Datum, err error) string {
	if err == nil {
		return "= " + types.FormatText(ec, typ, d)
	}
	e, ok := sqlerr.As(err)
	if !ok {
		return "not an SQL error: " + err.Error()
	}
	s := "! " + string(e.Code) + " " + e.Message
	for _, more := range []string{e.Detail, e.Hint} {
		if more != "" {
			s += " / " + more
		}
	}
	return s
}

// typeOf reads numeric(8,2)[] and the like.
func typeOf(t *testing.T, s string) types.Type {
	t.Helper()
	typ, err := types.ParseType(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return typ
}

func TestInputAgreesWithPostgreSQL(t *testing.T) {
	ec := types.NewContext()
	for _, f := range facts(t, "input.txt", 3) {
		typ := typeOf(t, f[0])
		text := []byte(f[1])
		d, err := types.Input(ec, typ, text)
		for i := range text {
			text[i] = '#' // the value must not share this memory
		}
		if got := outcome(ec, typ, d, err); got != f[2] {
			t.Errorf("%s %q:\n got %s\nwant %s", f[0], f[1], got, f[2])
		}
	}
}

func TestExplicitCastsAgreeWithPostgreSQL(t *testing.T) {
	ec := types.NewContext()
	ec.Location, _ = types.Zone("America/New_York")
	for _, f := range facts(t, "cast.txt", 4) {
		from, to := typeOf(t, f[0]), typeOf(t, f[2])
		d, err := types.Cast(ec, types.NewText(f[1]), types.Unknown, from, types.CastExplicit)
		if err == nil {
			d, err = types.Cast(ec, d, from, to, types.CastExplicit)
		}
		if got := outcome(ec, to, d, err); got != f[3] {
			t.Errorf("%s %q to %s:\n got %s\nwant %s", f[0], f[1], f[2], got, f[3])
		}
	}
}

func TestNumericArithmeticAgreesWithPostgreSQL(t *testing.T) {
	num := func(s string) types.Datum {
		d, err := types.Input(nil, types.Numeric, []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, f := range facts(t, "numeric.txt", 4) {
		a := num(f[0])
		var b, d types.Datum
		var scale int
		var err error
		switch f[1] {
		case "round", "trunc":
			scale, _ = strconv.Atoi(f[2])
		default:
			if f[2] != "" {
				b = num(f[2])
			}
		}
		switch {
		case f[1] == "+":
			d, err = types.NumericAdd(a, b)
		case f[1] == "-" && f[2] == "":
			d = types.NumericNeg(a)
		case f[1] == "-":
			d, err = types.NumericSub(a, b)
		case f[1] == "*":
			d, err = types.NumericMul(a, b)
		case f[1] == "/":
			d, err = types.NumericDiv(a, b)
		case f[1] == "%":
			d, err = types.NumericMod(a, b)
		case f[1] == "round":
			d, err = types.NumericRound(a, scale)
		case f[1] == "trunc":
			d, err = types.NumericTrunc(a, scale)
		case f[1] == "ceil":
			d, err = types.NumericCeil(a)
		case f[1] == "floor":
			d, err = types.NumericFloor(a)
		case f[1] == "abs":
			d = types.NumericAbs(a)
		case f[1] == "<=>":
			d = types.NumericFromInt(int64(types.Compare(types.Numeric, a, b)))
		default:
			t.Fatalf("operator %q", f[1])
		}
		if got := outcome(nil, types.Numeric, d, err); got != f[3] {
			t.Errorf("%s %s %s:\n got %s\nwant %s", f[0], f[1], f[2], got, f[3])
		}
		if err == nil && d.Big != nil && d.Big.Form == 0 && d.Big.Coeff.IsInt64() && !d.Big.Negative {
			t.Errorf("%s %s %s: fits an int64 but is held as a big number", f[0], f[1], f[2])
		}
	}
}

func TestTimeZonesAgreeWithPostgreSQL(t *testing.T) {
	for _, f := range facts(t, "zones.txt", 3) {
		loc, ok := types.Zone(f[0])
		if !ok {
			t.Fatalf("zone %s", f[0])
		}
		ec := types.NewContext()
		ec.Location = loc
		d, err := types.Input(ec, types.TimestampTZ, []byte(f[1]))
		got := outcome(ec, types.TimestampTZ, d, err)
		if err == nil {
			tm := types.TimeFromTimestamp(d.I)
			got += " " + strconv.FormatInt(tm.Unix(), 10) + "." + tm.Format("000000")
		}
		if got != f[2] {
			t.Errorf("%s %s:\n got %s\nwant %s", f[0], f[1], got, f[2])
		}
	}
}

func TestIntervalStylesAgreeWithPostgreSQL(t *testing.T) {
	styles := map[string]types.IntervalStyle{
		"postgres": types.IntervalPostgres, "postgres_verbose": types.IntervalVerbose,
		"sql_standard": types.IntervalSQLStandard, "iso_8601": types.IntervalISO8601,
	}
	for _, f := range facts(t, "interval.txt", 3) {
		ec := types.NewContext()
		d, err := types.Input(ec, types.Interval, []byte(f[1]))
		ec.IntervalStyle = styles[f[0]]
		if got := outcome(ec, types.Interval, d, err); got != f[2] {
			t.Errorf("%s %q:\n got %s\nwant %s", f[0], f[1], got, f[2])
		}
		if err != nil {
			continue
		}
		back, err := types.Input(ec, types.Interval, types.AppendText(ec, nil, types.Interval, d))
		if err != nil || back.Interval() != d.Interval() {
			t.Errorf("%s %q: own text %s reads back as %v, %v", f[0], f[1], f[2], back, err)
		}
	}
}

func TestSpecialDatesFollowTheTransactionsTimeAndZone(t *testing.T) {
	ec := types.NewContext()
	ec.TxnTime = time.Date(2024, 3, 1, 2, 30, 0, 123456789, time.UTC)
	ec.Location, _ = types.Zone("America/New_York")
	for _, c := range []struct {
		typ        types.Type
		text, want string
	}{
		{types.TimestampTZ, "now", "2024-02-29 21:30:00.123456-05"},
		{types.Timestamp, "now", "2024-02-29 21:30:00.123456"},
		{types.Date, "today", "2024-02-29"},
		{types.Date, "tomorrow", "2024-03-01"},
		{types.Date, "yesterday", "2024-02-28"},
		{types.Timestamp, "today 10:00", "2024-02-29 10:00:00"},
		{types.TimestampTZ, "epoch", "1969-12-31 19:00:00-05"},
	} {
		d, err := types.Input(ec, c.typ, []byte(c.text))
		if got := outcome(ec, c.typ, d, err); got != "= "+c.want {
			t.Errorf("%s %q: got %s, want %s", c.typ.Format(), c.text, got, c.want)
		}
	}
}
