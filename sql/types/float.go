package types

import (
	"bytes"
	"math"
	"strconv"

	"minidb/sql/sqlerr"
)

// inputFloat reads what C's strtod reads, with PostgreSQL's range errors.
func inputFloat(text []byte, bitSize int) (Datum, error) {
	typeName := "double precision"
	if bitSize == 32 {
		typeName = "real"
	}
	s := trimSpace(text)
	if len(s) == 0 || bytes.IndexByte(s, '_') >= 0 {
		return Datum{}, invalidSyntax(typeName, text)
	}
	num := s
	if num[0] == '-' || num[0] == '+' {
		num = num[1:]
	}
	if equalFold(num, "nan") {
		return NewFloat(math.NaN()), nil
	}
	str := string(s)
	if len(num) > 2 && num[0] == '0' && num[1]|0x20 == 'x' && !bytes.ContainsAny(num, "pP") {
		str += "p0" // C lets a hexadecimal float go without exponent, Go does not
	}
	f, err := strconv.ParseFloat(str, bitSize)
	isInf := math.IsInf(f, 0)
	if err != nil && !isInf {
		return Datum{}, invalidSyntax(typeName, text)
	}
	if isInf && err != nil || f == 0 && hasNonZeroDigit(num) {
		return Datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "\"%s\" is out of range for type %s", s, typeName)
	}
	return NewFloat(f), nil
}

// hasNonZeroDigit looks at the digits before an exponent, to tell an underflow from a zero.
func hasNonZeroDigit(s []byte) bool {
	hex := len(s) > 1 && s[1]|0x20 == 'x'
	for _, c := range s {
		switch {
		case c >= '1' && c <= '9':
			return true
		case !hex && c|0x20 == 'e', c|0x20 == 'p':
			return false
		case hex && c|0x20 >= 'a' && c|0x20 <= 'f':
			return true
		}
	}
	return false
}

// appendFloat writes the shortest text that reads back as f, or the digits that extra_float_digits <= 0 asks for.
func appendFloat(ec *Context, dst []byte, t Type, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	bitSize, digits := 64, 15
	if t.OID == Float4OID {
		bitSize, digits = 32, 6
	}
	if ec.ExtraFloatDigits <= 0 {
		return strconv.AppendFloat(dst, f, 'g', max(digits+ec.ExtraFloatDigits, 1), bitSize)
	}
	var buf [32]byte
	sci := strconv.AppendFloat(buf[:0], f, 'e', -1, bitSize)
	// The exponent decides: PostgreSQL writes 0.0001 and 123456789012345, but 1e-05 and 1e+15.
	exp, _ := strconv.Atoi(string(sci[bytes.LastIndexByte(sci, 'e')+1:]))
	if exp < -4 || exp >= digits {
		return append(dst, sci...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bitSize)
}

// FloatOverflow is the error of float arithmetic whose result is infinite though no operand is.
func FloatOverflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
}

// FloatUnderflow is the error of float arithmetic whose result is zero though it should not be.
func FloatUnderflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: underflow")
}

// compareFloat orders floats; NaN equals NaN and is above all others.
func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	an, bn := math.IsNaN(a), math.IsNaN(b)
	switch {
	case an && bn:
		return 0
	case an:
		return 1
	default:
		return -1
	}
}
