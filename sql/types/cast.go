package types

import (
	"math"
	"strconv"

	"minidb/sql/sqlerr"
)

// CastContext says where a cast stands: the later ones allow all that the earlier ones do.
type CastContext uint8

// The contexts in which a cast may be made.
const (
	CastImplicit   CastContext = iota // in any expression
	CastAssignment                    // to store into a column
	CastExplicit                      // CAST(x AS t) or x::t
)

type castPair struct{ from, to OID }

// casts is pg_cast for the types minidb has: the first context in which the cast may be made.
var casts = map[castPair]CastContext{}

func init() {
	add := func(cc CastContext, from OID, to ...OID) {
		for _, t := range to {
			casts[castPair{from, t}] = cc
		}
	}
	add(CastImplicit, Int2OID, Int4OID, Int8OID, Float4OID, Float8OID, NumericOID, OidOID)
	add(CastImplicit, Int4OID, Int8OID, Float4OID, Float8OID, NumericOID, OidOID)
	add(CastAssignment, Int4OID, Int2OID)
	add(CastExplicit, Int4OID, BoolOID, CharOID)
	add(CastImplicit, Int8OID, Float4OID, Float8OID, NumericOID, OidOID)
	add(CastAssignment, Int8OID, Int2OID, Int4OID)
	add(CastImplicit, Float4OID, Float8OID)
	add(CastAssignment, Float4OID, Int2OID, Int4OID, Int8OID, NumericOID)
	add(CastAssignment, Float8OID, Int2OID, Int4OID, Int8OID, Float4OID, NumericOID)
	add(CastImplicit, NumericOID, Float4OID, Float8OID)
	add(CastAssignment, NumericOID, Int2OID, Int4OID, Int8OID)
	add(CastAssignment, OidOID, Int4OID, Int8OID)
	add(CastExplicit, BoolOID, Int4OID)
	add(CastAssignment, BoolOID, TextOID, VarcharOID, BPCharOID)

	add(CastImplicit, TextOID, VarcharOID, BPCharOID, NameOID)
	add(CastImplicit, VarcharOID, TextOID, BPCharOID, NameOID)
	add(CastImplicit, BPCharOID, TextOID, VarcharOID, NameOID)
	add(CastImplicit, NameOID, TextOID)
	add(CastAssignment, NameOID, VarcharOID, BPCharOID)
	add(CastImplicit, CharOID, TextOID)
	add(CastAssignment, CharOID, VarcharOID, BPCharOID)
	add(CastExplicit, CharOID, Int4OID)
	for _, s := range []OID{TextOID, VarcharOID, BPCharOID} {
		add(CastAssignment, s, CharOID)
	}

	for _, reg := range []OID{
		RegClassOID, RegTypeOID, RegProcOID, RegProcedureOID, RegOperOID, RegOperatorOID, RegNamespaceOID, RegRoleOID,
		RegConfigOID, RegDictionaryOID, RegCollationOID,
	} {
		for _, i := range []OID{Int2OID, Int4OID, Int8OID, OidOID} {
			add(CastImplicit, i, reg)
		}
		add(CastImplicit, reg, OidOID)
		add(CastAssignment, reg, Int4OID, Int8OID)
	}
	add(CastImplicit, RegProcOID, RegProcedureOID)
	add(CastImplicit, RegProcedureOID, RegProcOID)
	add(CastImplicit, RegOperOID, RegOperatorOID)
	add(CastImplicit, RegOperatorOID, RegOperOID)
	add(CastImplicit, TextOID, RegClassOID)
	add(CastImplicit, VarcharOID, RegClassOID)
	add(CastExplicit, Xid8OID, XidOID)
	add(CastImplicit, PgNodeTreeOID, TextOID)

	add(CastAssignment, JSONOID, JSONBOID)
	add(CastAssignment, JSONBOID, JSONOID)
	add(CastExplicit, JSONBOID, BoolOID, Int2OID, Int4OID, Int8OID, Float4OID, Float8OID, NumericOID)

	add(CastImplicit, TimeOID, IntervalOID, TimeTZOID)
	add(CastAssignment, TimeTZOID, TimeOID)
	add(CastAssignment, IntervalOID, TimeOID)
	add(CastAssignment, TimestampOID, TimeOID)
	add(CastAssignment, TimestampTZOID, TimeOID, TimeTZOID)

	add(CastImplicit, DateOID, TimestampOID, TimestampTZOID)
	add(CastImplicit, TimestampOID, TimestampTZOID)
	add(CastAssignment, TimestampOID, DateOID)
	add(CastAssignment, TimestampTZOID, DateOID, TimestampOID)
}

// CastAllowed reports whether there is a cast from one type to another that may be made in context cc. Modifiers do not
// matter. From unknown everything is allowed: the value goes through Input. Any type can be assigned to a text-like one and
// be made from one explicitly, through its text form.
func CastAllowed(from, to Type, cc CastContext) bool {
	if from.OID == to.OID || from.OID == UnknownOID {
		return true
	}
	if first, ok := casts[castPair{from.OID, to.OID}]; ok {
		return cc >= first
	}
	if from.OID == VoidOID || to.OID == VoidOID || to.OID == UnknownOID {
		return false
	}
	if fromElem, ok := from.Elem(); ok {
		if toElem, ok := to.Elem(); ok && !to.isVector() && CastAllowed(fromElem, toElem, cc) {
			return true
		}
	}
	return to.Category() == 'S' && cc >= CastAssignment || from.Category() == 'S' && cc == CastExplicit
}

// BinaryCoercible reports whether values of one type are values of the other as they are.
func BinaryCoercible(from, to Type) bool {
	return from.OID == to.OID || from.OID == VarcharOID && to.OID == TextOID || from.OID == TextOID && to.OID == VarcharOID
}

// CastIsImmutable reports whether the result of a cast depends on nothing but the value: not on the time zone nor on
// the session's styles.
func CastIsImmutable(from, to Type) bool {
	if from.OID == to.OID {
		return true
	}
	if fromElem, ok := from.Elem(); ok {
		if toElem, ok := to.Elem(); ok {
			return CastIsImmutable(fromElem, toElem)
		}
		return CastIsImmutable(fromElem, to)
	}
	if toElem, ok := to.Elem(); ok {
		return CastIsImmutable(from, toElem)
	}
	dated := func(t Type) bool { return t.Category() == 'D' || t.Category() == 'T' }
	if dated(from) && dated(to) {
		return !zoned(from, to)
	}
	if (from.IsReg() || to.IsReg()) && (from.Category() == 'S' || to.Category() == 'S') {
		return false
	}
	// Through text: the reading of 'now' and of zones, the styles of dates, floats and bytea.
	return !dated(from) && !dated(to) && !(from.OID == ByteaOID && to.Category() == 'S')
}

// zoned reports whether a cast between dates and times needs the session's time zone.
func zoned(from, to Type) bool {
	return from.OID == TimestampTZOID || to.OID == TimestampTZOID || from.OID == TimeOID && to.OID == TimeTZOID
}

// Cast turns d of type from into type to, the modifier of to included: assignment of 'abcd' to varchar(3) is an error
// (22001), an explicit cast truncates. NULL stays NULL. The result may share memory with d. Errors are *sqlerr.Error
// without position; a cast that CastAllowed refuses is 42846.
func Cast(ec *Context, d Datum, from, to Type, cc CastContext) (Datum, error) {
	if !CastAllowed(from, to, cc) {
		return Datum{}, sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", from.Format(), to.Format())
	}
	if d.Null {
		return d, nil
	}
	if from.OID != to.OID {
		var err error
		if d, err = convert(ec.orDefault(), d, from, to, cc); err != nil {
			return Datum{}, err
		}
	}
	if to.Mod < 0 {
		return d, nil
	}
	return ApplyMod(d, to, cc == CastExplicit)
}

// ApplyMod fits a value of type t, made without regard to it, to its modifier: varchar(n) and char(n) refuse what is too
// long or, if explicit, cut it; numeric(p,s) and timestamp(p) round.
func ApplyMod(d Datum, t Type, explicit bool) (Datum, error) {
	if t.Mod < 0 || d.Null {
		return d, nil
	}
	switch t.OID {
	case VarcharOID, BPCharOID:
		return fitString(t, d.B, explicit)
	case NumericOID:
		return fitNumeric(d, t)
	case TimestampOID, TimestampTZOID:
		return fitTimestamp(d, t)
	case TimeOID, TimeTZOID:
		return fitTime(d, t), nil
	}
	if elem, ok := t.Elem(); ok {
		return mapArray(d, elem, elem, func(e Datum) (Datum, error) { return ApplyMod(e, elem, explicit) })
	}
	return d, nil
}

// convert changes the type, not yet the modifier.
func convert(ec *Context, d Datum, from, to Type, cc CastContext) (Datum, error) {
	if fromElem, ok := from.Elem(); ok {
		if toElem, ok := to.Elem(); ok {
			return mapArray(d, fromElem, toElem.Base(), func(e Datum) (Datum, error) { return Cast(ec, e, fromElem, toElem.Base(), cc) })
		}
	}
	if to.IsRecord() && from.Category() == 'S' {
		return Input(ec, to, d.B)
	}
	switch from.OID {
	case UnknownOID:
		return Input(ec, to.Base(), d.B)
	case BoolOID:
		return convertBool(ec, d, to)
	case Int2OID, Int4OID, Int8OID, OidOID:
		return convertInt(ec, d, from, to)
	case Float4OID, Float8OID:
		return convertFloat(ec, d, from, to)
	case NumericOID:
		return convertNumeric(ec, d, to)
	case TextOID, VarcharOID, BPCharOID, NameOID, CharOID, PgNodeTreeOID:
		return convertString(ec, d, from, to)
	case DateOID, TimestampOID, TimestampTZOID, TimeOID, TimeTZOID, IntervalOID:
		return convertTime(ec, d, from, to)
	case JSONBOID:
		return convertJSONB(ec, d, to)
	case Xid8OID:
		if to.OID == XidOID {
			return Datum{I: int64(uint32(d.I))}, nil
		}
	}
	if from.IsReg() && (to.IsReg() || to.Category() == 'N') {
		return convertInt(ec, d, Oid, to)
	}
	return convertText(ec, d, from, to)
}

// convertText goes through the text form.
func convertText(ec *Context, d Datum, from, to Type) (Datum, error) {
	return InputShared(ec, to.Base(), AppendText(ec, nil, from, d))
}

func convertBool(ec *Context, d Datum, to Type) (Datum, error) {
	switch {
	case to.OID == Int4OID:
		return d, nil
	case to.Category() != 'S':
		return convertText(ec, d, Bool, to)
	case d.I != 0: // the cast, unlike the output function, writes the word
		return NewText("true"), nil
	default:
		return NewText("false"), nil
	}
}

func convertInt(ec *Context, d Datum, from, to Type) (Datum, error) {
	if to.IsReg() {
		to = Oid
	}
	if from == to {
		return d, nil
	}
	switch to.OID {
	case Int2OID, Int4OID, Int8OID, OidOID:
		switch {
		case to.OID == OidOID && from.OID != Int8OID: // negative numbers wrap
			return Datum{I: int64(uint32(d.I))}, nil
		case from.OID == OidOID && to.OID == Int4OID:
			return Datum{I: int64(int32(d.I))}, nil
		}
		return d, CheckInt(to, d.I)
	case Float4OID:
		return NewFloat(float64(float32(d.I))), nil
	case Float8OID:
		return NewFloat(float64(d.I)), nil
	case NumericOID:
		return Datum{I: d.I}, nil
	case BoolOID:
		return NewBool(d.I != 0), nil
	case CharOID:
		if d.I < math.MinInt8 || d.I > math.MaxInt8 {
			return Datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "\"char\" out of range")
		}
		if d.I == 0 {
			return Datum{B: []byte{}}, nil
		}
		return NewBytes([]byte{byte(d.I)}), nil
	}
	return convertText(ec, d, from, to)
}

func convertFloat(ec *Context, d Datum, from, to Type) (Datum, error) {
	f := d.Float()
	switch to.OID {
	case Int2OID, Int4OID, Int8OID:
		return floatToInt(f, to)
	case Float4OID:
		return Float8To4(f)
	case Float8OID:
		return d, nil
	case NumericOID:
		return floatToNumeric(f, from)
	}
	return convertText(ec, d, from, to)
}

func floatToInt(f float64, to Type) (Datum, error) {
	f = math.RoundToEven(f)
	// 2^63 is a float, the largest int64 is not.
	if !(f >= -(1<<63) && f < 1<<63) {
		return Datum{}, IntOutOfRange(to)
	}
	return Datum{I: int64(f)}, CheckInt(to, int64(f))
}

// Float8To4 makes a float4, or an error if f is beyond its range.
func Float8To4(f float64) (Datum, error) {
	g := float32(f)
	switch {
	case math.IsInf(float64(g), 0) && !math.IsInf(f, 0):
		return Datum{}, FloatOverflow()
	case g == 0 && f != 0:
		return Datum{}, FloatUnderflow()
	}
	return NewFloat(float64(g)), nil
}

// floatToNumeric keeps the 15 (float4: 6) digits that are certain.
func floatToNumeric(f float64, from Type) (Datum, error) {
	digits := 15
	if from.OID == Float4OID {
		digits = 6
	}
	switch {
	case math.IsNaN(f):
		return NumericNaN, nil
	case math.IsInf(f, 0):
		return infinite(f < 0), nil
	}
	var buf [32]byte
	return parseNumeric(strconv.AppendFloat(buf[:0], f, 'g', digits, 64))
}

// NumericToFloat gives the nearest float8.
func NumericToFloat(d Datum) (float64, error) {
	if d.Big == nil && d.Scale <= 15 && absU64(d.I) < 1<<53 {
		return float64(d.I) / float64(pow10[d.Scale]), nil // both exact, so the quotient is rounded once
	}
	var buf [64]byte
	f, err := inputFloat(appendNumeric(buf[:0], d), 64)
	return f.Float(), err
}

func convertNumeric(ec *Context, d Datum, to Type) (Datum, error) {
	switch to.OID {
	case Int2OID, Int4OID, Int8OID:
		i, err := NumericToInt(d, to)
		return Datum{I: i}, err
	case Float4OID:
		return inputFloat(appendNumeric(nil, d), 32)
	case Float8OID:
		f, err := NumericToFloat(d)
		return NewFloat(f), err
	}
	return convertText(ec, d, Numeric, to)
}

func convertString(ec *Context, d Datum, from, to Type) (Datum, error) {
	b := d.B
	if from.OID == BPCharOID && to.Category() == 'S' {
		b = TrimBlanks(b) // the padding is not part of the text
	}
	switch to.OID {
	case TextOID, VarcharOID, BPCharOID:
		if from.OID == CharOID {
			b = appendChar(nil, b)
		}
		return Datum{B: b}, nil
	case NameOID:
		return Datum{B: truncateName(b)}, nil
	case Int4OID:
		if from.OID == CharOID {
			if len(b) == 0 {
				return Datum{}, nil
			}
			return Datum{I: int64(int8(b[0]))}, nil
		}
	}
	return Input(ec, to.Base(), b)
}

func convertTime(ec *Context, d Datum, from, to Type) (Datum, error) {
	if out, ok := convertTimeOfDay(ec, d, from, to); ok {
		return out, nil
	}
	usec := d.I
	switch {
	case from.OID == DateOID && (to.OID == TimestampOID || to.OID == TimestampTZOID):
		var err error
		if usec, err = DateToTimestamp(d.I); err != nil {
			return Datum{}, err
		}
		from = Timestamp
	case !isInstant(from) || !isInstant(to):
		return convertText(ec, d, from, to)
	}
	switch {
	case from.OID == TimestampOID && to.OID == TimestampTZOID:
		usec = TimestampToTimestampTZ(ec.location(), usec)
	case from.OID == TimestampTZOID && to.OID != TimestampTZOID:
		usec = TimestampTZToTimestamp(ec.location(), usec)
	}
	if to.OID == DateOID {
		return Datum{I: TimestampToDate(usec)}, nil
	}
	return Datum{I: usec}, CheckTimestamp(usec)
}

// isInstant: dates and timestamps, which convert into each other.
func isInstant(t Type) bool {
	return t.OID == DateOID || t.OID == TimestampOID || t.OID == TimestampTZOID
}

// convertJSONB casts numbers and bools out of jsonb.
func convertJSONB(ec *Context, d Datum, to Type) (Datum, error) {
	if to.Category() != 'N' && to.OID != BoolOID {
		return convertText(ec, d, JSONB, to)
	}
	v, err := d.JSON()
	if err != nil {
		return Datum{}, err
	}
	want := JSONNumber
	if to.OID == BoolOID {
		want = JSONBool
	}
	switch {
	case v.Kind != want:
		kind := [...]string{"null", "string", "numeric", "boolean", "array", "object"}[v.Kind]
		return Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "cannot cast jsonb %s to type %s", kind, to.Format())
	case want == JSONBool:
		return NewBool(v.Bool), nil
	}
	n, err := v.Numeric()
	if err != nil || to.OID == NumericOID {
		return n, err
	}
	return convertNumeric(ec, n, to)
}

// DateToTimestamp gives the midnight at which a date begins.
func DateToTimestamp(days int64) (int64, error) {
	switch {
	case days == DateInfinity:
		return TimestampInfinity, nil
	case days == DateNegInfinity:
		return TimestampNegInfinity, nil
	case days >= endTimestamp/usecPerDay:
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return days * usecPerDay, nil
}

// TimestampToDate gives the day of a local time.
func TimestampToDate(usec int64) int64 {
	switch usec {
	case TimestampInfinity:
		return DateInfinity
	case TimestampNegInfinity:
		return DateNegInfinity
	}
	return floorDiv(usec, usecPerDay)
}
