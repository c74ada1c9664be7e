package types_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func TestTypeNamesAreFormattedAsPostgreSQLDoes(t *testing.T) {
	for _, c := range []struct {
		name, mods string
		want       string
	}{
		{"int", "", "integer"},
		{"int8", "", "bigint"},
		{"decimal", "(8,2)", "numeric(8,2)"},
		{"numeric", "(3,-1)", "numeric(3,-1)"},
		{"dec", "(5)", "numeric(5,0)"},
		{"varchar", "(15)", "character varying(15)"},
		{"character varying", "", "character varying"},
		{"character", "", "character(1)"},
		{"bpchar", "", "character"},
		{"character", "(84)", "character(84)"},
		{"float", "(24)", "real"},
		{"float", "(25)", "double precision"},
		{"float", "", "double precision"},
		{"timestamp", "(3)", "timestamp(3) without time zone"},
		{"timestamptz", "(0)", "timestamp(0) with time zone"},
		{"timestamp with time zone", "", "timestamp with time zone"},
		{"timestamp", "(9)", "timestamp(6) without time zone"},
		{"boolean", "", "boolean"},
		{`"char"`, "", `"char"`},
	} {
		if got := typeOf(t, c.name+c.mods).Format(); got != c.want {
			t.Errorf("%s%s: %s, want %s", c.name, c.mods, got, c.want)
		}
	}
}

func TestBadTypeNamesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		mods []int64
		code sqlerr.Code
		msg  string
	}{
		{"foo", nil, sqlerr.UndefinedObject, `type "foo" does not exist`},
		{"tsvector", nil, sqlerr.FeatureNotSupported, "feature not supported: type tsvector"},
		{"tid", nil, sqlerr.FeatureNotSupported, "feature not supported: type tid"},
		{"int4", []int64{4}, sqlerr.SyntaxError, `type modifier is not allowed for type "int4"`},
		{"varchar", []int64{0}, sqlerr.InvalidParameterValue, "length for type varchar must be at least 1"},
		{"bpchar", []int64{20 << 20}, sqlerr.InvalidParameterValue, "length for type char cannot exceed 10485760"},
		{"numeric", []int64{1001, 0}, sqlerr.InvalidParameterValue, "NUMERIC precision 1001 must be between 1 and 1000"},
		{"numeric", []int64{5, 1001}, sqlerr.InvalidParameterValue, "NUMERIC scale 1001 must be between -1000 and 1000"},
		{"numeric", []int64{5, 1, 1}, sqlerr.InvalidParameterValue, "invalid NUMERIC type modifier"},
		{"float", []int64{54}, sqlerr.InvalidParameterValue, "precision for type float must be less than 54 bits"},
		{"timestamptz", []int64{-1}, sqlerr.InvalidParameterValue, "TIMESTAMP(-1) WITH TIME ZONE precision must not be negative"},
	} {
		_, err := types.ParseTypeName(c.name, c.mods)
		if e, ok := sqlerr.As(err); !ok || e.Code != c.code || e.Message != c.msg {
			t.Errorf("%s%v: %v", c.name, c.mods, err)
		}
	}
}

func TestTypeIsFoundByOIDAndName(t *testing.T) {
	for _, typ := range []types.Type{
		types.Bool, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric, types.Text, types.Varchar,
		types.BPChar, types.Char, types.Name, types.Bytea, types.Date, types.Timestamp, types.TimestampTZ, types.Interval,
		types.UUID, types.Oid, types.Unknown, types.Time, types.TimeTZ, types.JSONB,
	} {
		if got, ok := types.ByOID(typ.OID); !ok || got != typ {
			t.Errorf("%s: found %v", typ.Format(), got)
		}
		if got, err := types.ParseTypeName(typ.Name(), nil); err != nil || got != typ {
			t.Errorf("%s: by name %v, %v", typ.Format(), got, err)
		}
	}
}

func TestCastContexts(t *testing.T) {
	const i, a, e, none = types.CastImplicit, types.CastAssignment, types.CastExplicit, types.CastExplicit + 1
	for _, c := range []struct {
		from, to types.Type
		first    types.CastContext
	}{
		{types.Int4, types.Int8, i},
		{types.Int8, types.Int4, a},
		{types.Int4, types.Bool, e},
		{types.Numeric, types.Float8, i},
		{types.Float8, types.Numeric, a},
		{types.Int4, types.Text, a},
		{types.Text, types.Int4, e},
		{types.Varchar, types.Text, i},
		{types.Date, types.Timestamp, i},
		{types.TimestampTZ, types.Timestamp, a},
		{types.Timestamp, types.TimestampTZ, i},
		{types.Bool, types.Int8, none},
		{types.UUID, types.Int4, none},
		{types.Date, types.Int4, none},
		{types.Unknown, types.UUID, i},
	} {
		for cc := i; cc <= e; cc++ {
			if got := types.CastAllowed(c.from, c.to, cc); got != (cc >= c.first) {
				t.Errorf("%s to %s in context %d: %v", c.from.Format(), c.to.Format(), cc, got)
			}
		}
	}
}

func TestAssignmentRefusesWhatAnExplicitCastCuts(t *testing.T) {
	for _, to := range []types.Type{types.VarcharN(3), types.CharN(3)} {
		for text, cut := range map[string]string{"abcd": "abc", "ééé!": "ééé", "abc   ": "abc"} {
			d, err := types.Cast(nil, types.NewText(text), types.Text, to, types.CastExplicit)
			if err != nil || d.Text() != cut {
				t.Errorf("explicit %q to %s: %q, %v", text, to.Format(), d.Text(), err)
			}
			d, err = types.Cast(nil, types.NewText(text), types.Text, to, types.CastAssignment)
			if strings.TrimRight(text, " ") == cut {
				if err != nil || d.Text() != cut {
					t.Errorf("assignment of %q to %s: %q, %v", text, to.Format(), d.Text(), err)
				}
			} else if sqlerr.CodeOf(err) != sqlerr.StringDataRightTruncation {
				t.Errorf("assignment of %q to %s: %v", text, to.Format(), err)
			}
		}
	}
}

func TestBadEncodingIsRefused(t *testing.T) {
	for text, msg := range map[string]string{
		"a\x00b":   `invalid byte sequence for encoding "UTF8": 0x00`,
		"a\xff":    `invalid byte sequence for encoding "UTF8": 0xff`,
		"\xe2\x28": `invalid byte sequence for encoding "UTF8": 0xe2 0x28`,
		"\xc3":     `invalid byte sequence for encoding "UTF8": 0xc3`,
	} {
		_, err := types.Input(nil, types.Text, []byte(text))
		if e, ok := sqlerr.As(err); !ok || e.Code != sqlerr.CharacterNotInRepertoire || e.Message != msg {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := types.DecodeBinary(nil, types.Varchar, []byte(text)); sqlerr.CodeOf(err) != sqlerr.CharacterNotInRepertoire {
			t.Errorf("binary %q: %v", text, err)
		}
	}
}

func TestBadBinaryFormsAreRefused(t *testing.T) {
	for _, c := range []struct {
		typ  types.Type
		src  []byte
		code sqlerr.Code
	}{
		{types.Int4, []byte{1, 2, 3}, sqlerr.ProtocolViolation},
		{types.Int4, []byte{1, 2, 3, 4, 5}, sqlerr.InvalidBinaryRepresentation},
		{types.UUID, make([]byte, 15), sqlerr.ProtocolViolation},
		{types.Interval, make([]byte, 17), sqlerr.InvalidBinaryRepresentation},
		{types.Numeric, []byte{0, 0}, sqlerr.ProtocolViolation},
		{types.Numeric, []byte{0, 1, 0, 0, 0, 0, 0, 0}, sqlerr.ProtocolViolation},
		{types.Numeric, []byte{0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10}, sqlerr.InvalidBinaryRepresentation},
		{types.Numeric, []byte{0, 0, 0, 0, 0x12, 0, 0, 0}, sqlerr.InvalidBinaryRepresentation},
		{types.Numeric, []byte{0, 0, 0, 0, 0, 0, 0x40, 0}, sqlerr.InvalidBinaryRepresentation},
		{types.Timestamp, []byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}, sqlerr.DatetimeFieldOverflow},
		{types.Date, []byte{0x7f, 0xff, 0xff, 0xfe}, sqlerr.DatetimeFieldOverflow},
	} {
		if d, err := types.DecodeBinary(nil, c.typ, c.src); sqlerr.CodeOf(err) != c.code {
			t.Errorf("%s %v: %v, %v", c.typ.Format(), c.src, d, err)
		}
	}
}

// Order is PostgreSQL's; equal values, and only these, have one key.
func TestCompareAndKeyAgree(t *testing.T) {
	for _, c := range []struct {
		typ    types.Type
		sorted string // values ascending, divided by |; equal ones by =
	}{
		{types.Bool, "f|t"},
		{types.Int8, "-9223372036854775808|-1|0|1|9223372036854775807"},
		{types.Float8, "-inf|-1|-0=0|1e-300|1|inf|nan"},
		{types.Numeric, "-inf|-1e30|-1.5=-1.50|-1|0=0.000|1e-20|0.1=0.10|1|1.0000000000000000000000000000001|" +
			"9223372036854775807=9223372036854775807.00|9223372036854775808=9223372036854775808.0|1e19=10000000000000000000.000|inf|nan"},
		{types.Text, "|A|a|a |ab|é"},
		{types.CharN(5), "|a=a |ab|b"},
		{types.Bytea, `\x|\x00|\x0000|\xff`},
		{types.Date, "-infinity|0001-01-01 BC|1999-12-31|2000-01-01|infinity"},
		{types.TimestampTZ, "-infinity|2000-01-01 00:00:00+02|2000-01-01 00:00:00+00=2000-01-01 02:00:00+02|infinity"},
		{types.Interval, "-1 day|0|1 day=24 hours|30 days=1 month|1 month 1 second|31 days"},
		{types.UUID, "00000000-0000-0000-0000-000000000001|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	} {
		type value struct {
			text string
			rank int
			d    types.Datum
		}
		var vs []value
		for rank, group := range strings.Split(c.sorted, "|") {
			for _, text := range strings.Split(group, "=") {
				d, err := types.Input(nil, c.typ, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				vs = append(vs, value{text, rank, d})
			}
		}
		for _, a := range vs {
			for _, b := range vs {
				got := types.Compare(c.typ, a.d, b.d)
				if want := a.rank - b.rank; got < 0 != (want < 0) || got > 0 != (want > 0) {
					t.Errorf("%s: %q and %q compare as %d", c.typ.Format(), a.text, b.text, got)
				}
				ka, kb := types.AppendKey(nil, c.typ, a.d), types.AppendKey(nil, c.typ, b.d)
				if bytes.Equal(ka, kb) != (a.rank == b.rank) {
					t.Errorf("%s: keys of %q and %q: %x %x", c.typ.Format(), a.text, b.text, ka, kb)
				}
			}
		}
	}
}

func TestVecHoldsWhatWasAppended(t *testing.T) {
	big, err := types.Input(nil, types.Numeric, []byte("123456789012345678901234567890.5"))
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]types.Datum{
		{types.NewInt(1), types.NewText("one"), types.NewNumeric(15, 1)},
		{types.NullDatum, types.NullDatum, types.NullDatum},
		{types.NewInt(-3), types.NewText(""), big},
		{types.NewInt(math.MaxInt64), types.NewText("four"), types.NewNumeric(7, 0)},
	}
	b := types.NewBatch([]types.Type{types.Int8, types.Text, types.Numeric})
	for range 3 { // the memory is used again
		b.Reset()
		for i := 0; i < 100; i++ {
			b.AppendRow(rows[i%len(rows)])
		}
		b.Sel = []int32{3, 99, 1, 2}
		if b.Rows() != 4 {
			t.Fatal(b.Rows())
		}
		for r, row := range []int{3, 3, 1, 2} {
			for c := range b.Cols {
				got := b.Datum(c, r)
				if diff := cmp.Diff(types.FormatText(nil, b.Cols[c].Type, rows[row][c]), types.FormatText(nil, b.Cols[c].Type, got)); diff != "" {
					t.Errorf("column %d row %d: %s", c, r, diff)
				}
				if got.Null != rows[row][c].Null {
					t.Errorf("column %d row %d: null %v", c, r, got.Null)
				}
			}
		}
	}
}

func TestIntegerArithmeticNoticesOverflow(t *testing.T) {
	type op func(types.Type, int64, int64) (int64, error)
	const lo, hi = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		name string
		f    op
		typ  types.Type
		a, b int64
		want int64
		code sqlerr.Code
	}{
		{"+", types.IntAdd, types.Int8, hi, 1, 0, sqlerr.NumericValueOutOfRange},
		{"+", types.IntAdd, types.Int8, lo, -1, 0, sqlerr.NumericValueOutOfRange},
		{"+", types.IntAdd, types.Int8, hi, lo, -1, "00000"},
		{"+", types.IntAdd, types.Int4, math.MaxInt32, 1, 0, sqlerr.NumericValueOutOfRange},
		{"-", types.IntSub, types.Int8, lo, 1, 0, sqlerr.NumericValueOutOfRange},
		{"-", types.IntSub, types.Int8, -1, lo, hi, "00000"},
		{"-", types.IntSub, types.Int8, 0, lo, 0, sqlerr.NumericValueOutOfRange},
		{"*", types.IntMul, types.Int8, lo, -1, 0, sqlerr.NumericValueOutOfRange},
		{"*", types.IntMul, types.Int8, 1 << 62, -2, lo, "00000"},
		{"*", types.IntMul, types.Int8, 1 << 62, 2, 0, sqlerr.NumericValueOutOfRange},
		{"*", types.IntMul, types.Int2, 200, 200, 0, sqlerr.NumericValueOutOfRange},
		{"/", types.IntDiv, types.Int8, lo, -1, 0, sqlerr.NumericValueOutOfRange},
		{"/", types.IntDiv, types.Int2, math.MinInt16, -1, 0, sqlerr.NumericValueOutOfRange},
		{"/", types.IntDiv, types.Int4, -7, 2, -3, "00000"},
		{"/", types.IntDiv, types.Int4, 1, 0, 0, sqlerr.DivisionByZero},
		{"%", types.IntMod, types.Int8, lo, -1, 0, "00000"},
		{"%", types.IntMod, types.Int4, -7, 2, -1, "00000"},
		{"%", types.IntMod, types.Int4, 1, 0, 0, sqlerr.DivisionByZero},
	} {
		got, err := c.f(c.typ, c.a, c.b)
		if sqlerr.CodeOf(err) != c.code || err == nil && got != c.want {
			t.Errorf("%d %s %d as %s: %d, %v", c.a, c.name, c.b, c.typ.Format(), got, err)
		}
	}
}

// Sums and products that fit an int64 take another way than those that do not; both must agree.
func TestSmallAndBigNumericsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.Custom(func(t *rapid.T) types.Datum {
			i := rapid.Int64().Draw(t, "coefficient") >> rapid.IntRange(0, 63).Draw(t, "shift")
			return types.NewNumeric(i, rapid.IntRange(0, 25).Draw(t, "scale"))
		})
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		for name, f := range map[string]struct {
			ours func(a, b types.Datum) (types.Datum, error)
			apds func(c *apd.Context, d, x, y *apd.Decimal) (apd.Condition, error)
		}{
			"+": {types.NumericAdd, (*apd.Context).Add},
			"-": {types.NumericSub, (*apd.Context).Sub},
			"*": {types.NumericMul, (*apd.Context).Mul},
		} {
			got, err := f.ours(a, b)
			if err != nil {
				t.Fatal(err)
			}
			var want apd.Decimal
			if _, err := f.apds(apd.BaseContext.WithPrecision(0), &want, a.Decimal(), b.Decimal()); err != nil {
				t.Fatal(err)
			}
			if got.Decimal().Cmp(&want) != 0 || got.NumericScale() != int(-want.Exponent) {
				t.Fatalf("%s %s %s = %s, want %s", types.FormatText(nil, types.Numeric, a), name,
					types.FormatText(nil, types.Numeric, b), types.FormatText(nil, types.Numeric, got), want.Text('f'))
			}
		}
		if got, want := types.Compare(types.Numeric, a, b), a.Decimal().Cmp(b.Decimal()); got != want {
			t.Fatalf("compared as %d, want %d", got, want)
		}
	})
}

func TestImportFastPathsDoNotAllocate(t *testing.T) {
	ec := types.NewContext()
	for _, c := range []struct {
		typ  types.Type
		text string
	}{
		{types.Int8, "200000000012345"},
		{types.NumericPS(8, 2), "12345.67"},
		{types.Timestamp, "2005-03-21 09:15:30.123"},
		{types.Timestamp, "2005-03-21 09:15:30"},
		{types.Date, "2005-03-21"},
		{types.Bool, "true"},
		{types.VarcharN(15), "MSFT"},
	} {
		text := []byte(c.text)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := types.InputShared(ec, c.typ, text); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s %q: %v allocations", c.typ.Format(), c.text, n)
		}
	}
}

// TestSortPrefixOrdersAsCompare: where prefixes differ they have the order of Compare.
func TestSortPrefixOrdersAsCompare(t *testing.T) {
	texts := []string{"", " ", "a", "a ", "a\x01", "ab", "abcdefgh", "abcdefgh ", "abcdefgh\x01", "abcdefghi", "abcdefg ", "é", "\x7f"}
	var strs []types.Datum
	for _, s := range texts {
		strs = append(strs, types.NewText(s))
	}
	var ints []types.Datum
	for _, i := range []int64{math.MinInt64, -1 << 31, -2, -1, 0, 1, 255, 1 << 31, math.MaxInt64} {
		ints = append(ints, types.NewInt(i))
	}
	for typ, values := range map[types.Type][]types.Datum{
		types.Text: strs, types.BPChar: strs, types.Bytea: strs, types.Int8: ints, types.Timestamp: ints, types.Date: ints, types.Float8: ints,
	} {
		for _, a := range values {
			for _, b := range values {
				p, q := types.SortPrefix(typ, a), types.SortPrefix(typ, b)
				if c := types.Compare(typ, a, b); c < 0 && p > q || c > 0 && p < q || c == 0 && p != q {
					t.Errorf("%v: %q %d and %q %d compare %d, prefixes %x and %x", typ.Name(), a.B, a.I, b.B, b.I, c, p, q)
				}
			}
		}
	}
}
