package copyfmt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"minidb/sql/sqlerr"
)

// signature begins an input in the binary format. Line ends and a byte that is no ASCII tell when it was changed on the way.
const signature = "PGCOPY\n\xff\r\n\x00"

// Bits of the flags behind the signature: the upper half are those that a reader must know.
const (
	flagOIDs      = 1 << 16
	criticalFlags = 0xffff0000
)

// binarySource gives the records of the binary format.
type binarySource struct {
	br      *bufio.Reader
	columns []string
	rec     Record
	data    []byte // of the record's fields
	number  int64
	field   int // that Next is at, -1: none
	started bool
}

func newBinarySource(src io.Reader, columns []string) *binarySource {
	return &binarySource{br: bufio.NewReaderSize(src, readBytes), columns: columns, field: -1}
}

func (s *binarySource) Next() (*Record, error) {
	if !s.started {
		s.started = true
		if err := s.header(); err != nil {
			return nil, err
		}
	}
	s.number++
	s.field = -1
	s.rec.reset()
	s.data = s.data[:0]
	count, err := s.int16()
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	case count == -1:
		return nil, s.end()
	case count != len(s.columns):
		return nil, badFormat("row field count is %d, expected %d", count, len(s.columns))
	}
	for s.field = range count {
		if err := s.readField(); err != nil {
			return nil, err
		}
	}
	s.field = -1
	return &s.rec, nil
}

// header reads what precedes the records.
func (s *binarySource) header() error {
	var b [len(signature)]byte
	if err := s.full(b[:], "COPY file signature not recognized"); err != nil {
		return err
	}
	if string(b[:]) != signature {
		return badFormat("COPY file signature not recognized")
	}
	if err := s.full(b[:4], "invalid COPY file header (missing flags)"); err != nil {
		return err
	}
	switch flags := binary.BigEndian.Uint32(b[:]); {
	case flags&flagOIDs != 0:
		return badFormat("invalid COPY file header (WITH OIDS)")
	case flags&criticalFlags != 0:
		return badFormat("unrecognized critical flags in COPY file header")
	}
	if err := s.full(b[:4], "invalid COPY file header (missing length)"); err != nil {
		return err
	}
	n := int32(binary.BigEndian.Uint32(b[:]))
	if n < 0 {
		return badFormat("invalid COPY file header (missing length)")
	}
	if _, err := s.br.Discard(int(n)); err != nil {
		return endOr(err, "invalid COPY file header (wrong length)")
	}
	return nil
}

// readField reads one field.
func (s *binarySource) readField() error {
	var b [4]byte
	if err := s.full(b[:], "unexpected EOF in COPY data"); err != nil {
		return err
	}
	n := int(int32(binary.BigEndian.Uint32(b[:])))
	switch {
	case n == -1:
		s.rec.add(nil, true)
		return nil
	case n < 0:
		return badFormat("invalid field size")
	case n > MaxRecordBytes || len(s.data)+n > 4*MaxRecordBytes:
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "field of more than %d bytes", MaxRecordBytes)
	}
	from := len(s.data)
	// Memory is taken as bytes arrive: a size alone is cheap to send.
	for left := n; left > 0; {
		part := min(left, readBytes)
		at := len(s.data)
		s.data = append(s.data, make([]byte, part)...)
		if err := s.full(s.data[at:], "unexpected EOF in COPY data"); err != nil {
			return err
		}
		left -= part
	}
	s.rec.add(s.data[from:len(s.data):len(s.data)], false)
	return nil
}

// end makes sure that nothing follows the trailer.
func (s *binarySource) end() error {
	_, err := s.br.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return badFormat("received copy data after EOF marker")
}

// int16 reads a count of fields. io.EOF also stands for half of one.
func (s *binarySource) int16() (int, error) {
	var b [2]byte
	_, err := io.ReadFull(s.br, b[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return int(int16(binary.BigEndian.Uint16(b[:]))), err
}

// full reads len(b) bytes; too few are 22P04 with a message.
func (s *binarySource) full(b []byte, tooFew string) error {
	_, err := io.ReadFull(s.br, b)
	return endOr(err, tooFew)
}

// endOr turns an input's end into 22P04.
func endOr(err error, message string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badFormat("%s", message)
	}
	return err
}

func (s *binarySource) Line() int64 { return s.number }
func (s *binarySource) Size() int   { return len(s.data) }
