package copyfmt

import (
	"fmt"
	"unicode/utf8"
)

// maxShownBytes is how much of a line or a value the context of an error shows.
const maxShownBytes = 100

// Shown is a line or value as contexts show it.
func Shown(b []byte) string {
	if len(b) <= maxShownBytes {
		return string(b)
	}
	n := maxShownBytes
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return string(b[:n]) + "..."
}

func (s *textSource) Where() string {
	if !s.isValid {
		return fmt.Sprintf("line %d", s.number)
	}
	return fmt.Sprintf("line %d: \"%s\"", s.number, Shown(s.line))
}

func (s *textSource) WhereField(i int) string {
	if s.rec.Null[i] {
		return fmt.Sprintf("line %d, column %s: null input", s.number, s.columns[i])
	}
	return fmt.Sprintf("line %d, column %s: \"%s\"", s.number, s.columns[i], Shown(s.rec.Fields[i]))
}

func (s *binarySource) Where() string {
	switch {
	case s.number == 0:
		return ""
	case s.field >= 0:
		return s.WhereField(s.field)
	}
	return fmt.Sprintf("line %d", s.number)
}

// WhereField cannot usefully show the value.
func (s *binarySource) WhereField(i int) string {
	return fmt.Sprintf("line %d, column %s", s.number, s.columns[i])
}
