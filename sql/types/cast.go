package types

import "minidb/sql/sqlerr"

// CastContext says where a cast stands: the later ones allow all that the earlier ones do.
type CastContext uint8

// The contexts in which a cast may be made.
const (
	CastImplicit   CastContext = iota // in any expression
	CastAssignment                    // to store into a column
	CastExplicit                      // CAST(x AS t) or x::t
)

// CastAllowed reports whether there is a cast from one type to another that may be made in context cc. Modifiers do not
// matter. From unknown everything is allowed: the value goes through Input.
func CastAllowed(from, to Type, cc CastContext) bool { return from.OID == to.OID }

// Cast turns d of type from into type to, the modifier of to included: assignment of 'abcd' to varchar(3) is an error
// (22001), an explicit cast truncates. NULL stays NULL. The result may share memory with d. Errors are *sqlerr.Error
// without position; a cast that CastAllowed refuses is 42846.
func Cast(ec *Context, d Datum, from, to Type, cc CastContext) (Datum, error) {
	return Datum{}, sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", from.Format(), to.Format())
}
