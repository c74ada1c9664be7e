package types

import "time"

// Context is what the forms and casts of values take from the session. It is read only while values are made; a nil
// *Context stands for the defaults of NewContext.
type Context struct {
	TxnTime, StmtTime time.Time // now() and statement_timestamp(); input of 'now', 'today' and the like takes TxnTime
	Location          *time.Location
	DateStyle         DateStyle
	DateOrder         DateOrder
	IntervalStyle     IntervalStyle
	ExtraFloatDigits  int   // > 0: the shortest text that reads back as the same float
	ByteaEscape       bool  // bytea_output = escape
	Names             Names // of the objects that regclass and its kin name; nil knows only types
	// Rows gives the type of the records that are a table's rows by the OID of its composite type, ok false if there is none. May be
	// nil.
	Rows func(OID) (t Type, ok bool)
	// Enums gives the labels of an enumerated type, nil if there is none of that OID. A nil Enums stands for nobody knowing
	// any: see enum.go.
	Enums func(OID) *Enum
}

// DateStyle is the output style of dates. Only ISO is written; the other styles are accepted by SET and read as ISO.
type DateStyle uint8

// The date styles.
const (
	DateStyleISO DateStyle = iota
)

// DateOrder says which field of an ambiguous date such as 01/02/03 comes first.
type DateOrder uint8

// The date orders.
const (
	DateOrderMDY DateOrder = iota
	DateOrderDMY
	DateOrderYMD
)

// IntervalStyle is the output style of intervals.
type IntervalStyle uint8

// The interval styles.
const (
	IntervalPostgres    IntervalStyle = iota // 1 day 02:03:04
	IntervalVerbose                          // @ 1 day 2 hours 3 mins 4 secs
	IntervalSQLStandard                      // 1 2:03:04
	IntervalISO8601                          // P1DT2H3M4S
)

// NewContext makes a context with the defaults of a fresh server: UTC, ISO, MDY, extra_float_digits 1.
func NewContext() *Context {
	return &Context{Location: time.UTC, ExtraFloatDigits: 1}
}

var defaultContext = NewContext()

// orDefault lets the functions of this package take a nil context.
func (ec *Context) orDefault() *Context {
	if ec == nil {
		return defaultContext
	}
	return ec
}

func (ec *Context) location() *time.Location {
	if ec.Location == nil {
		return time.UTC
	}
	return ec.Location
}
