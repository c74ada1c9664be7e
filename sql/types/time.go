package types

import (
	"encoding/binary"
	"time"

	"minidb/sql/sqlerr"
)

// TimeTZValue is a time of day with its zone's offset, in seconds west of UTC as PostgreSQL has it.
type TimeTZValue struct {
	Usec int64
	West int32
}

// NewTimeTZ makes a timetz. Its bytes are the binary form: microseconds since midnight, seconds west of UTC.
func NewTimeTZ(v TimeTZValue) Datum {
	b := make([]byte, 0, 12)
	b = binary.BigEndian.AppendUint64(b, uint64(v.Usec))
	return Datum{B: binary.BigEndian.AppendUint32(b, uint32(v.West))}
}

// TimeTZ is the value of a timetz.
func (d Datum) TimeTZ() TimeTZValue {
	return TimeTZValue{int64(binary.BigEndian.Uint64(d.B)), int32(binary.BigEndian.Uint32(d.B[8:]))}
}

// UTC is the time at UTC, not brought back into one day.
func (v TimeTZValue) UTC() int64 { return v.Usec + int64(v.West)*usecPerSecond }

// compareTimeTZ goes by the time at UTC; of equal ones the zone farther east comes first.
func compareTimeTZ(a, b Datum) int {
	x, y := a.TimeTZ(), b.TimeTZ()
	if c := compareInt(x.UTC(), y.UTC()); c != 0 {
		return c
	}
	return compareInt(int64(x.West), int64(y.West))
}

// inputTime reads a time or timetz. A date may stand beside the time; it only decides which offset a zone has.
func inputTime(ec *Context, t Type, text []byte) (Datum, error) {
	typeName := "time"
	if t.OID == TimeTZOID {
		typeName = "time with time zone"
	}
	p := datetimeText{timeOnly: true}
	if err := p.parse(ec, text, typeName); err != nil {
		return Datum{}, err
	}
	v := TimeTZValue{Usec: p.time}
	switch {
	case p.special != 0 || !p.hasTime && !p.absolute:
		return Datum{}, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", typeName, text)
	case p.absolute:
		v = timeOfPoint(ec.location(), p.usec)
	case t.OID == TimeTZOID:
		v.West = p.west(ec)
	}
	v.Usec = roundTime(v.Usec, t.Mod)
	if t.OID == TimeOID {
		return Datum{I: v.Usec}, nil
	}
	return NewTimeTZ(v), nil
}

// west is the offset of a text's zone, at its date or else today.
func (p *datetimeText) west(ec *Context) int32 {
	if p.hasZone && p.zone == "" {
		return -int32(p.offset)
	}
	loc := ec.location()
	if p.hasZone {
		loc, _ = Zone(p.zone) // parse has looked
	}
	local := TimestampTZToTimestamp(loc, TimestampFromTime(ec.TxnTime))
	day := floorDiv(local, usecPerDay)
	if p.hasDate {
		day = DaysFromCivil(p.year, p.month, p.day)
	}
	local = day*usecPerDay + p.time
	return int32((localToUTC(loc, local) - local) / usecPerSecond)
}

// timeOfPoint is the time of day that a point in time has in a zone.
func timeOfPoint(loc *time.Location, usec int64) TimeTZValue {
	off := offsetAt(loc, usec)
	return TimeTZValue{Usec: floorMod(usec+off*usecPerSecond, usecPerDay), West: -int32(off)}
}

// roundTime rounds to a precision.
func roundTime(usec int64, precision int32) int64 {
	if precision < 0 || precision >= maxTimePrecision {
		return usec
	}
	unit := pow10[maxTimePrecision-precision]
	return (usec + unit/2) / unit * unit
}

// fitTime applies the precision of time(p) and timetz(p).
func fitTime(d Datum, t Type) Datum {
	if t.OID == TimeOID {
		return Datum{I: roundTime(d.I, t.Mod)}
	}
	v := d.TimeTZ()
	v.Usec = roundTime(v.Usec, t.Mod)
	return NewTimeTZ(v)
}

// appendTime writes a time of day; 24:00:00 is one.
func appendTime(dst []byte, usec int64) []byte { return appendClock(dst, usec) }

func appendTimeTZ(dst []byte, d Datum) []byte {
	v := d.TimeTZ()
	return appendOffset(appendClock(dst, v.Usec), -int64(v.West))
}

func timeOutOfRange() error { return sqlerr.New(sqlerr.DatetimeFieldOverflow, "time out of range") }

func decodeTime(usec int64) (Datum, error) {
	if usec < 0 || usec > usecPerDay {
		return Datum{}, timeOutOfRange()
	}
	return Datum{I: usec}, nil
}

func decodeTimeTZ(src []byte) (Datum, error) {
	d := NewBytes(append([]byte{}, src...))
	v := d.TimeTZ()
	if _, err := decodeTime(v.Usec); err != nil {
		return Datum{}, err
	}
	if v.West <= -(maxOffsetHours+1)*3600 || v.West >= (maxOffsetHours+1)*3600 {
		return Datum{}, sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range")
	}
	return d, nil
}

// convertTimeOfDay makes the casts from and to time and timetz that are not through text; ok is false for others.
func convertTimeOfDay(ec *Context, d Datum, from, to Type) (out Datum, ok bool) {
	switch {
	case from.OID == TimeOID && to.OID == IntervalOID:
		return NewInterval(IntervalValue{Usec: d.I}), true
	case from.OID == TimeOID && to.OID == TimeTZOID:
		p := datetimeText{time: d.I}
		return NewTimeTZ(TimeTZValue{d.I, p.west(ec)}), true
	case from.OID == TimeTZOID && to.OID == TimeOID:
		return Datum{I: d.TimeTZ().Usec}, true
	case from.OID == IntervalOID && to.OID == TimeOID:
		return Datum{I: floorMod(d.Interval().Usec, usecPerDay)}, true
	case from.OID == TimestampOID && to.OID == TimeOID:
		if isInfinite(d.I) {
			return NullDatum, true
		}
		return Datum{I: floorMod(d.I, usecPerDay)}, true
	case from.OID == TimestampTZOID && (to.OID == TimeOID || to.OID == TimeTZOID):
		if isInfinite(d.I) {
			return NullDatum, true
		}
		v := timeOfPoint(ec.location(), d.I)
		if to.OID == TimeOID {
			return Datum{I: v.Usec}, true
		}
		return NewTimeTZ(v), true
	}
	return Datum{}, false
}
