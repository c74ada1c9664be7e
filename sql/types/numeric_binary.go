package types

import (
	"encoding/binary"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/sqlerr"
)

// The binary form of a numeric is four 16-bit numbers (count of base-10000 digits, weight of the first, sign, scale) and
// the digits, 16 bits each.
const (
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericPosInf   = 0xD000
	numericNegInf   = 0xF000
)

func appendNumericBinary(dst []byte, d Datum) []byte {
	if d.isSpecial() {
		// The scale of the infinities means nothing; PostgreSQL sends 32.
		sign, scale := uint16(numericPosInf), byte(32)
		switch {
		case d.IsNaN():
			sign, scale = numericNaN, 0
		case d.Big.Negative:
			sign = numericNegInf
		}
		return append(dst, 0, 0, 0, 0, byte(sign>>8), byte(sign), 0, scale)
	}
	var buf [20]byte
	digits, neg, scale := d.digits(buf[:0])
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, byte(scale>>8), byte(scale))
	if neg {
		dst[start+4] = numericNegative >> 8
	}
	if len(digits) == 1 && digits[0] == '0' {
		return dst
	}
	// Group the decimal digits by fours on both sides of the point: digit i counts 10^e.
	e := len(digits) - 1 - scale
	weight := e >> 2
	group, count := 0, 0
	for _, c := range digits {
		group = group*10 + int(c-'0')
		if e&3 == 0 {
			dst = binary.BigEndian.AppendUint16(dst, uint16(group))
			group = 0
			count++
		}
		e--
	}
	if left := (e + 1) & 3; left != 0 {
		for ; left > 0; left-- {
			group *= 10
		}
		dst = binary.BigEndian.AppendUint16(dst, uint16(group))
		count++
	}
	for count > 0 && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0 { // trailing zeros are not sent
		dst = dst[:len(dst)-2]
		count--
	}
	binary.BigEndian.PutUint16(dst[start:], uint16(count))
	binary.BigEndian.PutUint16(dst[start+2:], uint16(int16(weight)))
	return dst
}

func decodeNumericBinary(src []byte) (Datum, error) {
	if len(src) < 8 {
		return Datum{}, badBinaryLength(Numeric, true)
	}
	count := int(binary.BigEndian.Uint16(src))
	weight := int(int16(binary.BigEndian.Uint16(src[2:])))
	sign := binary.BigEndian.Uint16(src[4:])
	scale := int(binary.BigEndian.Uint16(src[6:]))
	src = src[8:]
	switch {
	case len(src) != count*2:
		return Datum{}, badBinaryLength(Numeric, len(src) < count*2)
	case sign == numericNaN:
		return NumericNaN, nil
	case sign == numericPosInf:
		return NumericInf, nil
	case sign == numericNegInf:
		return NumericNegInf, nil
	case sign != 0 && sign != numericNegative:
		return Datum{}, badNumericBinary("sign")
	case scale > MaxScale:
		return Datum{}, badNumericBinary("scale")
	}
	digits := make([]byte, 0, count*4+1)
	digits = append(digits, '0')
	for ; len(src) > 0; src = src[2:] {
		v := binary.BigEndian.Uint16(src)
		if v > 9999 {
			return Datum{}, badNumericBinary("digit")
		}
		digits = append(digits, byte('0'+v/1000), byte('0'+v/100%10), byte('0'+v/10%10), byte('0'+v%10))
	}
	// The digits stand for an integer over 10^have; bring it to the scale that was sent. Digits beyond it are cut off.
	have := (count - 1 - weight) * 4
	c, ok := new(apd.BigInt).SetString(string(digits), 10)
	if !ok {
		return Datum{}, badNumericBinary("digit")
	}
	switch {
	case c.Sign() == 0:
	case have < scale:
		c.Mul(c, bigPow10(scale-have))
	case have > scale:
		c.Quo(c, bigPow10(have-scale))
	}
	if sign == numericNegative {
		c.Neg(c)
	}
	return makeNumeric(c, scale)
}

func badNumericBinary(what string) error {
	return sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid %s in external \"numeric\" value", what)
}
