package rowenc

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/types"
)

// A numeric in a key is a class byte and, for numbers other than 0, the decimal exponent E and the digits of
// 0.d1d2d3… × 10^E with d1 not 0 and no zeros at the end: E as an integer, each pair of digits as 1 + its value, then 0x00.
// For negative numbers the bytes after the class are inverted. So 12.50 and 12.5 have one encoding: 1c 4a 0d 33 00.
const (
	numNegInfinity = 0x10
	numNegative    = 0x14
	numZero        = 0x18
	numPositive    = 0x1c
	numInfinity    = 0x20
	numNaN         = 0x24

	numEnd = 0x00

	// maxNumericExponent bounds E and the number of digits: PostgreSQL has at most 131072 digits before the point.
	maxNumericExponent = 131072
	maxNumericDigits   = maxNumericExponent + maxNumericScale
	maxNumericScale    = 16383 // PostgreSQL's
)

func appendKeyNumeric(dst []byte, d *types.Datum) []byte {
	var buf [40]byte
	digits, scale, negative := buf[:0], int(d.Scale), d.I < 0
	if d.Big != nil {
		switch d.Big.Form {
		case apd.NaN, apd.NaNSignaling:
			return append(dst, numNaN)
		case apd.Infinite:
			if d.Big.Negative {
				return append(dst, numNegInfinity)
			}
			return append(dst, numInfinity)
		}
		digits = d.Big.Coeff.Append(digits, 10)
		scale, negative = -int(d.Big.Exponent), d.Big.Negative
	} else {
		u := uint64(d.I)
		if negative {
			u = -u
		}
		digits = strconv.AppendUint(digits, u, 10)
	}
	exponent := len(digits) - scale
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return append(dst, numZero)
	}
	class := byte(numPositive)
	if negative {
		class = numNegative
	}
	dst = append(dst, class)
	start := len(dst)
	dst = appendKeyInt(dst, int64(exponent))
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i] - '0') * 10
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		dst = append(dst, pair+1)
	}
	dst = append(dst, numEnd)
	if negative {
		invert(dst[start:])
	}
	return dst
}

func keyNumericLength(src []byte, flip byte) (int, error) {
	switch src[0] ^ flip {
	case numNegInfinity, numZero, numInfinity, numNaN:
		return 1, nil
	case numPositive:
	case numNegative:
		flip = ^flip
	default:
		return 0, corrupt("key has a bad class of numeric")
	}
	if len(src) < 2 {
		return 0, corrupt("key ends in a numeric")
	}
	n := keyIntLength(src[1] ^ flip)
	if n == 0 || len(src) < 1+n {
		return 0, corrupt("key has a bad exponent of a numeric")
	}
	i := bytes.IndexByte(src[1+n:], numEnd^flip)
	if i < 0 {
		return 0, corrupt("key has a numeric without end")
	}
	return 1 + n + i + 1, nil
}

// decodeKeyNumeric reads a numeric of a length that keyNumericLength told. It shows as many fractional digits as its type
// says, else as few as it can.
func decodeKeyNumeric(enc []byte, t types.Type) (types.Datum, error) {
	switch enc[0] {
	case numZero:
		return types.NewNumeric(0, typeScale(t)), nil
	case numNaN:
		return types.Datum{Big: &apd.Decimal{Form: apd.NaN}}, nil
	case numInfinity, numNegInfinity:
		return types.Datum{Big: &apd.Decimal{Form: apd.Infinite, Negative: enc[0] == numNegInfinity}}, nil
	}
	var flip byte
	negative := enc[0] == numNegative
	if negative {
		flip = 0xff
	}
	n := keyIntLength(enc[1] ^ flip)
	var e [9]byte
	for i := range n {
		e[i] = enc[1+i] ^ flip
	}
	exponent := decodeKeyInt(e[:n])
	pairs := enc[1+n : len(enc)-1]
	if exponent > maxNumericExponent || exponent < -maxNumericScale || 2*len(pairs) > maxNumericDigits || len(pairs) == 0 {
		return types.Datum{}, corrupt("key has a numeric out of range")
	}
	var buf [48]byte
	digits := buf[:0]
	for _, p := range pairs {
		p = p ^ flip - 1
		if p > 99 {
			return types.Datum{}, corrupt("key has a bad digit in a numeric")
		}
		digits = append(digits, '0'+p/10, '0'+p%10)
	}
	digits = bytes.TrimRight(digits, "0")
	scale := max(len(digits)-int(exponent), typeScale(t), 0)
	for zeros := scale - (len(digits) - int(exponent)); zeros > 0; zeros-- {
		digits = append(digits, '0')
	}
	return numericFromDigits(digits, scale, negative)
}

// numericFromDigits makes the numeric whose coefficient has the given decimal digits.
func numericFromDigits(digits []byte, scale int, negative bool) (types.Datum, error) {
	if scale > maxNumericScale {
		return types.Datum{}, corrupt("a numeric has a scale of %d", scale)
	}
	if len(digits) <= 18 {
		var c int64
		for _, b := range digits {
			c = c*10 + int64(b-'0')
		}
		if negative {
			c = -c
		}
		return types.NewNumeric(c, scale), nil
	}
	c, ok := new(big.Int).SetString(string(digits), 10)
	if !ok {
		return types.Datum{}, corrupt("a numeric has a bad digit")
	}
	return numericFromBig(c, scale, negative), nil
}

// numericFromBig makes a numeric of the absolute value of its coefficient.
func numericFromBig(c *big.Int, scale int, negative bool) types.Datum {
	if negative {
		c.Neg(c)
	}
	if c.IsInt64() {
		return types.NewNumeric(c.Int64(), scale)
	}
	d := &apd.Decimal{Negative: negative, Exponent: -int32(scale)}
	d.Coeff.SetMathBigInt(c.Abs(c))
	return types.Datum{Big: d}
}

// typeScale is the s of numeric(p,s), 0 if there is none.
func typeScale(t types.Type) int {
	if _, s, ok := t.PrecisionScale(); ok {
		return max(s, 0)
	}
	return 0
}

// numericLossy reports whether d shows other than as many digits as decodeKeyNumeric would give it.
func numericLossy(t types.Type, d *types.Datum) bool {
	want := typeScale(t)
	if d.Big == nil {
		least, c := int(d.Scale), d.I
		for least > want && c%10 == 0 {
			least, c = least-1, c/10
		}
		return int(d.Scale) != max(least, want)
	}
	if d.Big.Form != apd.Finite {
		return false
	}
	digits := d.Big.Coeff.Append(nil, 10)
	scale := -int(d.Big.Exponent)
	least := max(len(bytes.TrimRight(digits, "0"))-(len(digits)-scale), 0)
	return scale != max(least, want)
}
