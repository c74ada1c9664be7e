package copyfmt

import (
	"bytes"
	"io"
	"unicode/utf8"

	"minidb/sql/types"
)

// Source gives the records of an input.
type Source interface {
	// Next gives the next record, nil after the last. It may have fewer fields than there are columns; see MissingField. Errors
	// are *sqlerr.Error or the input's.
	Next() (*Record, error)
	// Line is the number of the line, or binary record, that Next was at last.
	Line() int64
	// Size is how many bytes the last record has.
	Size() int
	// Where says, for the context of an error, where Next was at last.
	Where() string
	// WhereField is Where for field i of the last record.
	WhereField(i int) string
}

// NewSource makes the source of an input. Columns names the fields.
func NewSource(src io.Reader, o *Options, columns []string) Source {
	if o.Format == Binary {
		return newBinarySource(src, columns)
	}
	s := &textSource{columns: columns}
	s.lines.init(src, o)
	return s
}

// textSource gives the records of text and CSV.
type textSource struct {
	lines
	columns []string
	rec     Record
	out     []byte // of fields that are not in the input as they are
}

func (s *textSource) Next() (*Record, error) {
	if s.number == 0 && s.o.Header != NoHeader {
		if err := s.header(); err != nil {
			return nil, err
		}
	}
	if more, err := s.next(); !more || err != nil {
		return nil, err
	}
	if err := s.split(); err != nil {
		return nil, err
	}
	if len(s.columns) > 0 && len(s.rec.Fields) > len(s.columns) {
		return nil, badFormat("extra data after last expected column")
	}
	s.force()
	return &s.rec, nil
}

// MissingField is the error of a record that has no field for a column. It counts when that column's turn comes.
func MissingField(column string) error {
	return badFormat("missing data for column \"%s\"", column)
}

// header reads the first line.
func (s *textSource) header() error {
	if _, err := s.next(); err != nil || s.o.Header == SkipHeader {
		return err
	}
	if err := s.split(); err != nil {
		return err
	}
	if n := len(s.rec.Fields); n != len(s.columns) {
		return badFormat("wrong number of fields in header line: got %d, expected %d", n, len(s.columns))
	}
	if len(s.columns) > 0 { // PostgreSQL takes the mark for a part of the name
		s.rec.Fields[0] = bytes.TrimPrefix(s.rec.Fields[0], []byte("\ufeff"))
	}
	for i, name := range s.columns {
		switch {
		case s.rec.Null[i]:
			return badFormat("column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\"", i+1, s.o.Null, name)
		case string(s.rec.Fields[i]) != name:
			return badFormat("column name mismatch in header line field %d: got \"%s\", expected \"%s\"", i+1, s.rec.Fields[i], name)
		}
	}
	return nil
}

// split takes the line apart.
func (s *textSource) split() error {
	s.rec.reset()
	s.out = s.out[:0]
	if len(s.columns) == 0 {
		if len(s.line) > 0 {
			return badFormat("extra data after last expected column")
		}
		return nil
	}
	if s.o.Format == CSV {
		return s.splitCSV()
	}
	return s.splitText()
}

// splitText takes a line of the text format apart. Whether a field is NULL is decided before its backslashes mean anything.
func (s *textSource) splitText() error {
	delimiter, line := s.o.Delimiter, s.line
	hasEscapes := bytes.IndexByte(line, '\\') >= 0
	for start, more := 0, true; more; {
		end := start
		if hasEscapes {
			end = fieldEnd(line, start, delimiter)
		} else if n := bytes.IndexByte(line[start:], delimiter); n >= 0 {
			end += n
		} else {
			end = len(line)
		}
		more = end < len(line)
		raw := line[start:end]
		start = end + 1
		if hasEscapes && !more && endsInEscape(raw) {
			raw = raw[:len(raw)-1] // it has nothing to escape, and is not there
		}
		if string(raw) == s.o.Null {
			s.rec.add(nil, true)
			continue
		}
		if hasEscapes && bytes.IndexByte(raw, '\\') >= 0 {
			var err error
			if raw, err = s.unescape(raw); err != nil {
				return err
			}
		}
		s.rec.add(raw, false)
	}
	return nil
}

// fieldEnd is where the field of the text format that begins at start ends.
func fieldEnd(line []byte, start int, delimiter byte) int {
	for i := start; i < len(line); i++ {
		switch line[i] {
		case delimiter:
			return i
		case '\\':
			// The digits of \x41 belong to it, also if one is the delimiter.
			if i++; i < len(line) && line[i] == 'x' {
				for n := 0; n < 2 && i+1 < len(line) && hexValue(line[i+1]) >= 0; n++ {
					i++
				}
			}
		}
	}
	return len(line)
}

// endsInEscape reports whether the last byte is a backslash that escapes something that would follow.
func endsInEscape(raw []byte) bool {
	n := 0
	for n < len(raw) && raw[len(raw)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// unescape gives a field with its backslashes carried out.
func (s *textSource) unescape(raw []byte) ([]byte, error) {
	from := len(s.out)
	check := false
	for i := 0; i < len(raw); {
		c := raw[i]
		i++
		if c != '\\' {
			s.out = append(s.out, c)
			continue
		}
		c = raw[i]
		i++
		switch {
		case isOctal(c):
			v := int(c - '0')
			for n := 0; n < 2 && i < len(raw) && isOctal(raw[i]); n++ {
				v = v<<3 + int(raw[i]-'0')
				i++
			}
			c = byte(v)
			check = check || c == 0 || c >= utf8.RuneSelf
		case c == 'x' && i < len(raw) && hexValue(raw[i]) >= 0:
			v := 0
			for n := 0; n < 2 && i < len(raw) && hexValue(raw[i]) >= 0; n++ {
				v = v<<4 + hexValue(raw[i])
				i++
			}
			c = byte(v)
			check = check || c == 0 || c >= utf8.RuneSelf
		default:
			c = plainEscape(c)
		}
		s.out = append(s.out, c)
	}
	field := s.out[from:len(s.out):len(s.out)]
	if check {
		return field, types.CheckUTF8(field)
	}
	return field, nil
}

// plainEscape is what a backslash and c stand for.
func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	}
	return c
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// hexValue is the value of a hexadecimal digit, or -1.
func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// splitCSV takes a line of CSV apart. Quotes may begin and end anywhere in a field.
func (s *textSource) splitCSV() error {
	delimiter, quote, line := s.o.Delimiter, s.o.Quote, s.line
	for start, more := 0, true; more; {
		i := start
		for i < len(line) && line[i] != delimiter && line[i] != quote {
			i++
		}
		if i < len(line) && line[i] == quote {
			field, end, err := s.quoted(start, i)
			if err != nil {
				return err
			}
			i = end
			s.rec.add(field, false)
		} else {
			field := line[start:i]
			s.rec.add(field, string(field) == s.o.Null)
		}
		more = i < len(line)
		start = i + 1
	}
	return nil
}

// quoted reads the field of CSV that begins at start and has its first quote at i. It returns where it ends.
func (s *textSource) quoted(start, i int) (field []byte, end int, err error) {
	delimiter, quote, escape, line := s.o.Delimiter, s.o.Quote, s.o.Escape, s.line
	from := len(s.out)
	s.out = append(s.out, line[start:i]...)
	for inside := false; ; i++ {
		switch {
		case i >= len(line) && inside:
			return nil, 0, badFormat("unterminated CSV quoted field")
		case i >= len(line), !inside && line[i] == delimiter:
			return s.out[from:len(s.out):len(s.out)], i, nil
		case inside && line[i] == escape && i+1 < len(line) && (line[i+1] == escape || line[i+1] == quote):
			i++
			s.out = append(s.out, line[i])
		case line[i] == quote:
			inside = !inside
		default:
			s.out = append(s.out, line[i])
		}
	}
}

// force does what FORCE_NOT_NULL and FORCE_NULL ask for.
func (s *textSource) force() {
	for i := range s.rec.Fields {
		switch {
		case s.rec.Null[i]:
			if s.o.ForceNotNull != nil && s.o.ForceNotNull[i] {
				s.rec.Fields[i], s.rec.Null[i] = []byte(s.o.Null), false
			}
		case s.o.ForceNull != nil && s.o.ForceNull[i] && string(s.rec.Fields[i]) == s.o.Null:
			s.rec.Null[i] = true
		}
	}
}

func (s *textSource) Line() int64 { return s.number }
func (s *textSource) Size() int   { return len(s.line) }
