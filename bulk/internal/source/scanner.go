package source

import (
	"bytes"
	"unicode/utf8"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// class is what a byte means outside of quotes.
type class uint8

const (
	plain class = iota
	delimiter
	quote
	lineEnd
)

// Scanner takes the records of chunks apart.
type Scanner struct {
	format  Format
	columns []string
	classes [256]class

	chunk Chunk
	at    int // in chunk.Data
	line  int64
	bad   int // where the first byte is that is not text, or the end
	badIs error
	rec   Record
}

// NewScanner returns a scanner. With columns, the names of the fields wanted,
// every record must have exactly as many fields.
func NewScanner(f Format, columns []string) (*Scanner, error) {
	f, err := f.normal()
	if err != nil {
		return nil, err
	}
	s := &Scanner{format: f, columns: columns}
	s.classes['\n'], s.classes['\r'] = lineEnd, lineEnd
	s.classes[f.Delimiter], s.classes[f.Quote] = delimiter, quote
	return s, nil
}

// Reset goes to the beginning of a chunk. The scanner writes over the chunk's
// data.
func (s *Scanner) Reset(c Chunk) {
	s.chunk, s.at, s.line = c, 0, c.Line
	s.bad, s.badIs = len(c.Data), nil
	if i := bytes.IndexByte(c.Data, 0); i >= 0 {
		s.bad = i
	}
	if !utf8.Valid(c.Data) {
		s.bad = min(s.bad, invalidAt(c.Data))
	}
	if s.bad < len(c.Data) {
		seq := c.Data[s.bad:min(s.bad+utf8.UTFMax, len(c.Data))]
		if i := bytes.IndexAny(seq, "\r\n"); i >= 0 {
			seq = seq[:i+1] // the chunk may end here
		}
		s.badIs = types.CheckUTF8(seq)
	}
}

// invalidAt returns where b stops being UTF-8.
func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// Next returns the next record, nil after the last. Errors are *sqlerr.Error
// with the file and line: 22P04, and 22021 for bytes that are not UTF-8 text.
func (s *Scanner) Next() (*Record, error) {
	data := s.chunk.Data
	for s.format.Comment != 0 && s.at < len(data) && data[s.at] == s.format.Comment {
		n := bytes.IndexByte(data[s.at:], s.chunk.eol.byte())
		if n < 0 {
			n = len(data) - s.at - 1
		}
		s.at += n + 1
		if s.bad < s.at {
			return nil, s.notText(s.line)
		}
		s.line++
	}
	if s.at >= len(data) {
		return nil, nil
	}
	s.rec.Fields, s.rec.Null = s.rec.Fields[:0], s.rec.Null[:0]
	s.rec.File, s.rec.Line, s.rec.Offset = s.chunk.File, s.line, s.chunk.Offset+int64(s.at)
	for more := true; more; {
		var err error
		if more, err = s.field(); err != nil {
			return nil, err
		}
	}
	if s.bad < s.at {
		return nil, s.notText(s.rec.Line)
	}
	return &s.rec, s.checkCount()
}

// notText returns what is wrong with the bytes at bad.
func (s *Scanner) notText(line int64) error {
	if e, ok := sqlerr.As(s.badIs); ok {
		e.WithWhere("%s", Where(s.chunk.File, line))
	}
	return s.badIs
}

func (s *Scanner) checkCount() error {
	n := len(s.rec.Fields)
	switch {
	case s.columns == nil || n == len(s.columns):
		return nil
	case n < len(s.columns):
		return badFormat(s.rec.File, s.rec.Line, "missing data for column %q", s.columns[n])
	}
	return badFormat(s.rec.File, s.rec.Line, "extra data after last expected column")
}

// field reads one field and what ends it. more tells that another follows.
func (s *Scanner) field() (more bool, err error) {
	data := s.chunk.Data
	start := s.at
	i := start
	for i < len(data) && s.classes[data[i]] == plain {
		i++
	}
	if i < len(data) && s.classes[data[i]] == quote {
		return s.quotedField(start, i)
	}
	s.add(data[start:i], false)
	return s.endField(i)
}

func (s *Scanner) add(field []byte, quoted bool) {
	i := len(s.rec.Fields)
	s.rec.Fields = append(s.rec.Fields, field)
	null := string(field) == s.format.Null
	switch {
	case !null:
	case quoted:
		null = i < len(s.format.ForceNull) && s.format.ForceNull[i]
	default:
		null = i >= len(s.format.ForceNotNull) || !s.format.ForceNotNull[i]
	}
	s.rec.Null = append(s.rec.Null, null)
}

// checkHeader compares the first record with the names of the columns.
func (s *Scanner) checkHeader() error {
	columns := s.columns
	s.columns = nil // the message is another one if there are too few or too many
	rec, err := s.Next()
	s.columns = columns
	switch {
	case err != nil:
		return err
	case rec == nil || columns == nil:
		return nil
	case len(rec.Fields) != len(columns):
		return badFormat(rec.File, rec.Line, "wrong number of fields in header line: got %d, expected %d", len(rec.Fields), len(columns))
	}
	for i, name := range columns {
		switch {
		case rec.Null[i]:
			return badFormat(rec.File, rec.Line, "column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\"",
				i+1, s.format.Null, name)
		case string(rec.Fields[i]) != name:
			return badFormat(rec.File, rec.Line, "column name mismatch in header line field %d: got \"%s\", expected \"%s\"",
				i+1, rec.Fields[i], name)
		}
	}
	return nil
}

// endField passes the delimiter or the line end at i.
func (s *Scanner) endField(i int) (more bool, err error) {
	data := s.chunk.Data
	s.at = i + 1
	if i >= len(data) {
		s.at = i
		return false, nil
	}
	c := data[i]
	if s.classes[c] == delimiter {
		return true, nil
	}
	s.line++
	switch {
	case c == '\n' && s.chunk.eol == eolLF, c == '\r' && s.chunk.eol == eolCR:
		return false, nil
	case c == '\r' && s.chunk.eol == eolCRLF && i+1 < len(data) && data[i+1] == '\n':
		s.at++
		return false, nil
	case c == '\n':
		return false, badFormat(s.rec.File, s.rec.Line, "unquoted newline found in data").
			WithHint("Use quoted CSV field to represent newline.")
	}
	return false, badFormat(s.rec.File, s.rec.Line, "unquoted carriage return found in data").
		WithHint("Use quoted CSV field to represent carriage return.")
}

// quotedField reads a field that begins at start and has its first quote at i.
// What is between quotes moves to the left over them, in place.
func (s *Scanner) quotedField(start, i int) (more bool, err error) {
	f := &s.format
	data := s.chunk.Data
	if f.StrictQuotes && i > start {
		return false, badFormat(s.rec.File, s.rec.Line, "quote in an unquoted CSV field")
	}
	out := i // data[start:out] is the field so far
	for {
		// At an opening quote.
		for i++; ; i++ {
			if i >= len(data) {
				return false, badFormat(s.rec.File, s.rec.Line, "unterminated CSV quoted field")
			}
			c := data[i]
			if c == f.Escape && i+1 < len(data) && (data[i+1] == f.Escape || data[i+1] == f.Quote) {
				i++
				c = data[i]
			} else if c == f.Quote {
				break
			} else if c == s.chunk.eol.byte() {
				s.line++
			}
			data[out] = c
			out++
		}
		// Behind a closing quote.
		for i++; i < len(data) && s.classes[data[i]] == plain; i++ {
			data[out] = data[i]
			out++
			if f.StrictQuotes {
				return false, badFormat(s.rec.File, s.rec.Line, "text after a quoted CSV field")
			}
		}
		if i >= len(data) || s.classes[data[i]] != quote {
			s.add(data[start:out], true)
			return s.endField(i)
		}
		if f.StrictQuotes {
			return false, badFormat(s.rec.File, s.rec.Line, "text after a quoted CSV field")
		}
	}
}
