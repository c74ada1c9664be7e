package expr

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// intervalFieldNames are the fields of an interval's type from the smallest up.
var intervalFieldNames = []struct {
	bit  int32
	unit string // for a literal that is only a number, and for cutting off what is below
}{
	{parse.IntervalSecond, "second"},
	{parse.IntervalMinute, "minute"},
	{parse.IntervalHour, "hour"},
	{parse.IntervalDay, "day"},
	{parse.IntervalMonth, "month"},
	{parse.IntervalYear, "year"},
}

// intervalLiteral reads interval 'text' field TO field (precision). A simplification: the fields are no part of the type
// afterwards, and only literals may have them.
func (b *Builder) intervalLiteral(x *parse.CastExpr, s *Scope) (Expr, error) {
	e, err := b.Build(x.X, s)
	if err != nil {
		return nil, err
	}
	c, ok := e.(*Const)
	if !ok || !c.typ.IsUnknown() {
		return nil, b.unsupported("a cast to interval with fields", x.Type.Pos)
	}
	if c.Value.Null {
		return NewNull(types.Interval), nil
	}
	mask := x.Type.Mods[0]
	unit := ""
	for _, f := range intervalFieldNames {
		if mask != parse.IntervalFullRange && mask&f.bit != 0 {
			unit = f.unit
			break
		}
	}
	d, err := types.Input(b.Types, types.Interval, intervalText(c.Value.B, mask, unit))
	if err != nil {
		if e, ok := sqlerr.As(err); ok && e.Code == sqlerr.InvalidDatetimeFormat {
			// The text as it was written, without the unit.
			err = sqlerr.New(e.Code, "invalid input syntax for type interval: \"%s\"", c.Value.B)
		}
		return nil, b.at(err, c.pos)
	}
	if unit != "" && unit != "second" {
		if d, err = truncInterval(nil, types.NewText(unit), d); err != nil {
			return nil, b.at(err, c.pos)
		}
	}
	if len(x.Type.Mods) > 1 {
		v := d.Interval()
		step := math.Pow10(6 - int(min(max(x.Type.Mods[1], 0), 6)))
		v.Usec = int64(math.Round(float64(v.Usec)/step) * step)
		d = types.NewInterval(v)
	}
	return NewConst(types.Interval, d), nil
}

// intervalText spells out a literal whose fields only its type tells.
func intervalText(text []byte, mask int32, unit string) []byte {
	trimmed := bytes.TrimSpace(text)
	if isNumber(trimmed) && unit != "" {
		return append(append(bytes.Clone(trimmed), ' '), unit...)
	}
	// A number before one of hours counts days.
	if parts := bytes.Fields(trimmed); unit == "hour" && len(parts) == 2 && isNumber(parts[0]) && isNumber(parts[1]) {
		return slices.Concat(parts[0], []byte(" day "), parts[1], []byte(" hour"))
	}
	if mask == parse.IntervalMinute|parse.IntervalSecond && bytes.Count(trimmed, []byte{':'}) == 1 {
		return append([]byte("00:"), trimmed...)
	}
	return text
}

func isNumber(text []byte) bool {
	_, err := strconv.ParseFloat(string(text), 64)
	return err == nil
}
