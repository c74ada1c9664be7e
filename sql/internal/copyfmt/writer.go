package copyfmt

import (
	"encoding/binary"
	"strings"
)

// Writer makes records of fields. A record is begun by Begin, gets its fields by Null and by Field or, in the binary format, is
// appended to by the caller between BeginField and EndField, and is taken by End.
type Writer struct {
	o      *Options
	single bool // there is one column
	// Buf is the record so far. BeginField's caller appends to it.
	Buf     []byte
	n       int // fields so far
	fieldAt int // where the field's content begins
}

// NewWriter makes a writer of rows with so many columns.
func NewWriter(o *Options, columns int) *Writer {
	w := &Writer{o: o, single: columns == 1}
	if o.Format == Binary {
		w.Buf = append(w.Buf, signature...)
		w.Buf = append(w.Buf, 0, 0, 0, 0, 0, 0, 0, 0) // no flags, no extension of the header
	}
	return w
}

// Header gives the line of column names, if there is to be one. It is valid until the next call.
func (w *Writer) Header(names []string) []byte {
	if w.o.Header == NoHeader {
		return nil
	}
	w.Begin(len(names))
	for _, name := range names {
		w.BeginField()
		w.Buf = append(w.Buf, name...)
		w.endField(false)
	}
	return w.End()
}

// Begin starts a record of so many fields.
func (w *Writer) Begin(fields int) {
	w.n = 0
	if w.o.Format == Binary {
		w.Buf = binary.BigEndian.AppendUint16(w.Buf, uint16(fields))
	}
}

// Null adds a NULL.
func (w *Writer) Null() {
	if w.o.Format == Binary {
		w.Buf = append(w.Buf, 0xff, 0xff, 0xff, 0xff)
		return
	}
	w.delimit()
	w.Buf = append(w.Buf, w.o.Null...)
}

func (w *Writer) delimit() {
	if w.n > 0 {
		w.Buf = append(w.Buf, w.o.Delimiter)
	}
	w.n++
}

// BeginField begins a field, whose text, or binary form, the caller appends to Buf.
func (w *Writer) BeginField() {
	if w.o.Format == Binary {
		w.Buf = append(w.Buf, 0, 0, 0, 0)
	} else {
		w.delimit()
	}
	w.fieldAt = len(w.Buf)
}

// EndField ends field i: it is quoted and escaped as needed.
func (w *Writer) EndField(i int) { w.endField(w.o.ForceQuote != nil && w.o.ForceQuote[i]) }

func (w *Writer) endField(quote bool) {
	switch w.o.Format {
	case Binary:
		binary.BigEndian.PutUint32(w.Buf[w.fieldAt-4:], uint32(len(w.Buf)-w.fieldAt))
	case CSV:
		w.quote(quote)
	default:
		w.escape()
	}
}

// escape puts backslashes into the field where the text format needs them.
func (w *Writer) escape() {
	n := 0
	for _, c := range w.Buf[w.fieldAt:] {
		if w.escapeOf(c) != 0 {
			n++
		}
	}
	if n == 0 {
		return
	}
	// From behind, so that it can be done in place.
	in := len(w.Buf)
	w.Buf = append(w.Buf, make([]byte, n)...)
	for out := len(w.Buf); n > 0; {
		in--
		out--
		c := w.Buf[in]
		if e := w.escapeOf(c); e != 0 {
			w.Buf[out] = e
			out--
			c = '\\'
			n--
		}
		w.Buf[out] = c
	}
}

// escapeOf is what follows the backslash for c; 0: c needs none.
func (w *Writer) escapeOf(c byte) byte {
	switch c {
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	case '\v':
		return 'v'
	case '\\', w.o.Delimiter:
		return c
	}
	return 0
}

// quote puts the field in quotes if it must be, or is to be.
func (w *Writer) quote(force bool) {
	field := w.Buf[w.fieldAt:]
	if !force && string(field) != w.o.Null && !(w.single && string(field) == `\.`) && !w.needsQuotes(field) {
		return
	}
	text := string(field)
	w.Buf = append(w.Buf[:w.fieldAt], w.o.Quote)
	for {
		i := strings.IndexAny(text, string([]byte{w.o.Quote, w.o.Escape}))
		if i < 0 {
			break
		}
		w.Buf = append(append(w.Buf, text[:i]...), w.o.Escape, text[i])
		text = text[i+1:]
	}
	w.Buf = append(append(w.Buf, text...), w.o.Quote)
}

func (w *Writer) needsQuotes(field []byte) bool {
	for _, c := range field {
		if c == w.o.Delimiter || c == w.o.Quote || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}

// End ends the record and gives it, valid until the next call. The first one of the binary format has the header before it.
func (w *Writer) End() []byte {
	if w.o.Format != Binary {
		w.Buf = append(w.Buf, '\n')
	}
	out := w.Buf
	w.Buf = w.Buf[:0]
	return out
}

// Trailer gives what follows the last record; it may be empty.
func (w *Writer) Trailer() []byte {
	if w.o.Format == Binary {
		w.Buf = append(w.Buf, 0xff, 0xff)
	}
	out := w.Buf
	w.Buf = w.Buf[:0]
	return out
}
