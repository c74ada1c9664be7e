package types

import (
	"math"
	"math/bits"
	"strconv"

	"minidb/sql/sqlerr"
)

func appendInt(dst []byte, i int64) []byte { return strconv.AppendInt(dst, i, 10) }

// inputInt reads an integer of a type with the given bounds.
func inputInt(text []byte, lo, hi int64, typeName string) (Datum, error) {
	i, st := parseInt(trimSpace(text))
	switch {
	case st == intBad && !digitsBeyond(trimSpace(text), lo, hi):
		return Datum{}, invalidSyntax(typeName, text)
	case st != intOK || i < lo || i > hi:
		return Datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", text, typeName)
	}
	return Datum{I: i}, nil
}

// digitsBeyond reports whether the digits that a bad integer begins with are out of range already, which is what PostgreSQL says then.
func digitsBeyond(s []byte, lo, hi int64) bool {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || n == 0 && (s[n] == '-' || s[n] == '+')) {
		n++
	}
	i, st := parseInt(s[:n])
	return st == intOverflow || st == intOK && (i < lo || i > hi)
}

type intStatus uint8

const (
	intOK intStatus = iota
	intBad
	intOverflow
)

// parseInt reads [+-]digits. As in PostgreSQL an overflow ends it: "99999999999999999999x" is too large, not bad.
func parseInt(s []byte) (int64, intStatus) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 {
		return 0, intBad
	}
	var u uint64
	if len(s) <= 18 { // cannot overflow
		for _, c := range s {
			if c -= '0'; c > 9 {
				return 0, intBad
			}
			u = u*10 + uint64(c)
		}
	} else {
		limit := uint64(math.MaxInt64)
		if neg {
			limit++
		}
		for _, c := range s {
			if c -= '0'; c > 9 {
				return 0, intBad
			}
			h, l := bits.Mul64(u, 10)
			v, carry := bits.Add64(l, uint64(c), 0)
			if h != 0 || carry != 0 || v > limit {
				return 0, intOverflow
			}
			u = v
		}
	}
	if neg {
		return -int64(u), intOK
	}
	return int64(u), intOK
}

// inputOid reads an unsigned 32-bit number; as PostgreSQL does, it takes negative ones of 32 bits too and wraps them.
func inputOid(text []byte) (Datum, error) {
	i, st := parseInt(trimSpace(text))
	switch {
	case st == intBad:
		return Datum{}, invalidSyntax("oid", text)
	case st == intOverflow || i > math.MaxUint32 || i < math.MinInt32:
		return Datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "value \"%s\" is out of range for type oid", text)
	}
	return Datum{I: int64(uint32(i))}, nil
}

// IntOutOfRange is the error of integer arithmetic and casts: "integer out of range".
func IntOutOfRange(t Type) error {
	if t.OID == OidOID {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "OID out of range")
	}
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "%s out of range", t.Format())
}

// CheckInt reports an error if i does not fit the integer type t.
func CheckInt(t Type, i int64) error {
	ok := true
	switch t.OID {
	case Int2OID:
		ok = i == int64(int16(i))
	case Int4OID:
		ok = i == int64(int32(i))
	case OidOID:
		ok = i == int64(uint32(i))
	}
	if !ok {
		return IntOutOfRange(t)
	}
	return nil
}

// DivisionByZero is 22012.
func DivisionByZero() error { return sqlerr.New(sqlerr.DivisionByZero, "division by zero") }

// IntAdd adds two values of the integer type t.
func IntAdd(t Type, a, b int64) (int64, error) {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		return 0, IntOutOfRange(t)
	}
	return c, CheckInt(t, c)
}

// IntSub subtracts two values of the integer type t.
func IntSub(t Type, a, b int64) (int64, error) {
	c := a - b
	if (c < a) != (b > 0) && b != 0 {
		return 0, IntOutOfRange(t)
	}
	return c, CheckInt(t, c)
}

// IntMul multiplies two values of the integer type t.
func IntMul(t Type, a, b int64) (int64, error) {
	c, ok := mulInt64(a, b)
	if !ok {
		return 0, IntOutOfRange(t)
	}
	return c, CheckInt(t, c)
}

// IntDiv divides two values of the integer type t and drops the fraction.
func IntDiv(t Type, a, b int64) (int64, error) {
	if b == 0 {
		return 0, DivisionByZero()
	}
	if b == -1 && a == math.MinInt64 {
		return 0, IntOutOfRange(t)
	}
	c := a / b
	return c, CheckInt(t, c)
}

// IntMod is the remainder with the sign of a.
func IntMod(_ Type, a, b int64) (int64, error) {
	if b == 0 {
		return 0, DivisionByZero()
	}
	if b == -1 {
		return 0, nil
	}
	return a % b, nil
}

// IntNeg is -a.
func IntNeg(t Type, a int64) (int64, error) { return IntSub(t, 0, a) }

// mulInt64 multiplies; ok is false on overflow.
func mulInt64(a, b int64) (c int64, ok bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	hi, lo := bits.Mul64(absU64(a), absU64(b))
	neg := (a < 0) != (b < 0)
	if hi != 0 || lo > 1<<63 || lo == 1<<63 && !neg {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

// absU64 is |i|, also for the smallest int64.
func absU64(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}
