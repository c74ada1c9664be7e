// Package copyfmt reads and writes rows in the three formats of COPY: text, CSV and binary, byte for byte as PostgreSQL 15
// does. It knows nothing of tables and types: a field is bytes or NULL.
//
// In reading order: Options; Source, what gives records, made by NewSource (lines.go finds the lines of text and CSV,
// fields.go takes them apart, binary.go is the third format); Writer, which makes records of fields.
package copyfmt

// Format is one of COPY's three.
type Format uint8

// The formats.
const (
	Text Format = iota
	CSV
	Binary
)

// Header says what is done with a first line of column names.
type Header uint8

// The ways to treat a header: there is none; it is skipped or written; it is compared with the columns.
const (
	NoHeader Header = iota
	SkipHeader
	MatchHeader
)

// Options say how rows are written. Requires what PostgreSQL checks of them: Delimiter, Quote and Escape are single bytes that
// can work together.
type Options struct {
	Format    Format
	Delimiter byte
	Quote     byte // CSV only, as Escape
	Escape    byte
	Null      string
	Header    Header
	// By field: what is quoted when written though it need not be; what a field that is the NULL string unquoted, or quoted,
	// is taken for when read. Nil: no field.
	ForceQuote, ForceNotNull, ForceNull []bool
}

// Record is one row. It and its fields are valid until the next call of the Source that gave it.
type Record struct {
	Fields [][]byte
	Null   []bool // whether Fields[i] is NULL
}

func (r *Record) reset() { r.Fields, r.Null = r.Fields[:0], r.Null[:0] }

func (r *Record) add(field []byte, null bool) {
	r.Fields = append(r.Fields, field)
	r.Null = append(r.Null, null)
}

// MaxRecordBytes bounds a line, or a field of the binary format.
const MaxRecordBytes = 64 << 20
