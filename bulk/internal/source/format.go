// Package source reads records of fields from CSV files, by the rules of
// PostgreSQL's COPY … CSV: it finds the files, undoes their compression, cuts
// them into chunks at safe record borders, and takes a chunk's records apart.
// It knows nothing of tables and types: a field is bytes or NULL.
//
// In reading order: Format and Record; Expand finds files; Splitter cuts them
// into Chunks; Scanner gives the Records of a Chunk. Several Scanners may work at
// once, each on its chunk.
//
// The rules, where they are easy to miss: a quote may begin anywhere in a field; NULL is an unquoted field equal to Format.Null; the first line's end (LF,
// CR LF or CR) is the whole file's, another one outside of quotes is an error;
// an empty line is a record of one empty field; a byte order mark is skipped.
package source

import (
	"fmt"

	"minidb/sql/sqlerr"
)

// Format says how files are to be read. The zero value is COPY's CSV: commas,
// double quotes, an empty unquoted field is NULL, no header.
type Format struct {
	Delimiter byte // between fields; 0: comma
	Quote     byte // around a field or a part of it; 0: double quote
	Escape    byte // before a quote or itself within quotes; 0: the quote
	// Null is what an unquoted NULL field holds.
	Null string
	// Header skips the first record of every file.
	Header bool
	// MatchHeader is Header that refuses a file whose first record is not the
	// names of the fields wanted. Without those names it only skips.
	MatchHeader bool
	// ForceNull tells for which fields a quoted Null is NULL too, ForceNotNull for
	// which an unquoted one is not. Each is nil or has an entry for each field
	// wanted.
	ForceNull, ForceNotNull []bool
	// Skip skips so many records of every file, the header among them if Header
	// is set.
	Skip int64
	// Limit ends the whole input after so many records. 0: none.
	Limit int64
	// Comment, if not 0, begins lines that are skipped.
	Comment byte
	// StrictQuotes refuses quotes anywhere but around a whole field.
	StrictQuotes bool
	// Compression of all files; Auto goes by each name's extension.
	Compression Compression
}

// Compression is how a file is compressed.
type Compression uint8

// The compressions. Auto takes .gz for Gzip, .zst and .zstd for Zstd, .bz2 for
// Bzip2 and everything else for None.
const (
	Auto Compression = iota
	None
	Gzip
	Zstd
	Bzip2
)

// Record is one record. It and its fields are valid until the next call of the
// Scanner that gave it.
type Record struct {
	Fields [][]byte
	Null   []bool // whether Fields[i] is NULL
	File   string // as it was named to the Splitter
	Line   int64  // on which the record begins, counted from 1
	Offset int64  // of the record's first byte in the (decompressed) file
}

// normal returns f with its defaults filled in.
//
// Errors: 22023 for characters that cannot work together.
func (f Format) normal() (Format, error) {
	if f.Delimiter == 0 {
		f.Delimiter = ','
	}
	if f.Quote == 0 {
		f.Quote = '"'
	}
	if f.Escape == 0 {
		f.Escape = f.Quote
	}
	if (f.Header || f.MatchHeader) && f.Skip == 0 {
		f.Skip = 1
	}
	for _, c := range []struct {
		what string
		b    byte
	}{{"delimiter", f.Delimiter}, {"quote", f.Quote}, {"escape", f.Escape}, {"comment", f.Comment}} {
		if c.b == '\n' || c.b == '\r' || c.b >= 0x80 {
			return f, sqlerr.New(sqlerr.InvalidParameterValue, "CSV %s must be a single one-byte character, not newline or carriage return", c.what)
		}
	}
	switch {
	case f.Delimiter == f.Quote:
		return f, sqlerr.New(sqlerr.InvalidParameterValue, "CSV delimiter and quote must be different")
	case f.Comment != 0 && (f.Comment == f.Delimiter || f.Comment == f.Quote):
		return f, sqlerr.New(sqlerr.InvalidParameterValue, "CSV comment must be different from delimiter and quote")
	case f.Skip < 0 || f.Limit < 0:
		return f, sqlerr.New(sqlerr.InvalidParameterValue, "numbers of records to skip or to read must not be negative")
	}
	for i := range len(f.Null) {
		switch f.Null[i] {
		case f.Delimiter, f.Quote:
			return f, sqlerr.New(sqlerr.InvalidParameterValue, "CSV delimiter and quote must not appear in the NULL specification")
		case '\n', '\r':
			return f, sqlerr.New(sqlerr.InvalidParameterValue, "NULL representation cannot use newline or carriage return")
		}
	}
	return f, nil
}

// Where is the context line of an error in a file.
func Where(file string, line int64) string { return fmt.Sprintf("file %q, line %d", file, line) }

// badFormat is 22P04 at a line of a file.
func badFormat(file string, line int64, format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.BadCopyFileFormat, format, args...).WithWhere("%s", Where(file, line))
}
