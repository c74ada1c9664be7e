package source

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// eol is how lines of a file end.
type eol uint8

const (
	eolUnknown eol = iota
	eolLF
	eolCRLF
	eolCR
)

// byte is the last byte of a line's end.
func (e eol) byte() byte {
	if e == eolCR {
		return '\r'
	}
	return '\n'
}

// Chunk is a run of whole records of one file.
type Chunk struct {
	Seq    int // counts the chunks of the whole input from 0
	File   string
	Data   []byte // owned by whoever has the chunk
	Line   int64  // of the first byte, counted from 1
	Offset int64  // of the first byte in the (decompressed) file
	Read   int64  // bytes read from disk since the chunk before
	eol    eol
}

// SplitterOptions say what a Splitter cuts up.
type SplitterOptions struct {
	FS    vfs.FS
	Dir   string
	Files []string // relative to Dir
	Format
	// Columns are the names that MatchHeader compares with.
	Columns []string
	// ChunkBytes is about the size of chunks; a longer record has one to itself.
	ChunkBytes int
	// MaxRecordBytes bounds a record.
	MaxRecordBytes int
}

// Splitter cuts files into chunks, file by file. It is used from one goroutine.
type Splitter struct {
	o      SplitterOptions
	format Format
	next   int // file to open next
	name   string
	file   *file
	carry  []byte // bytes read that no chunk has had
	ended  bool   // of the file: carry is the rest of it
	line   int64  // of carry's first byte
	offset int64
	skip   int64    // records of this file still to be skipped
	header *Scanner // of records that MatchHeader compares; nil: none
	left   int64    // of Format.Limit
	eol    eol
	seq    int
	read   atomic.Int64 // bytes of all files so far
	told   int64        // of read, in chunks
}

// NewSplitter returns a splitter at the beginning of the first file.
func NewSplitter(o SplitterOptions) (*Splitter, error) {
	f, err := o.Format.normal()
	if err != nil {
		return nil, err
	}
	s := &Splitter{o: o, format: f, left: f.Limit}
	if f.MatchHeader {
		// The forced fields are those of rows.
		o.ForceNull, o.ForceNotNull = nil, nil
		s.header, err = NewScanner(o.Format, o.Columns)
	}
	return s, err
}

// Close closes the open file.
func (s *Splitter) Close() {
	if s.file != nil {
		_ = s.file.Close() // it was only read
		s.file = nil
	}
}

// Next returns the next chunk, in buf's memory if that suffices. After the last
// it returns io.EOF.
func (s *Splitter) Next(buf []byte) (Chunk, error) {
	for {
		if s.format.Limit > 0 && s.left == 0 {
			return Chunk{}, io.EOF
		}
		if s.file == nil {
			if s.next == len(s.o.Files) {
				return Chunk{}, io.EOF
			}
			if err := s.open(); err != nil {
				return Chunk{}, err
			}
		}
		c, ok, err := s.cut(buf)
		if err != nil || ok {
			return c, err
		}
		s.Close()
	}
}

func (s *Splitter) open() (err error) {
	s.name = s.o.Files[s.next]
	s.file, err = openFile(s.o.FS, s.o.Dir, s.name, s.format.Compression, &s.read)
	s.next++
	s.carry, s.ended, s.line, s.offset, s.skip, s.eol = s.carry[:0], false, 1, 0, s.format.Skip, eolUnknown
	return err
}

// byteOrderMark is UTF-8's, which some programs begin files with.
const byteOrderMark = "\xef\xbb\xbf"

// cut returns the next chunk of the open file, or false at its end.
func (s *Splitter) cut(buf []byte) (Chunk, bool, error) {
	data := append(buf[:0], s.carry...)
	s.carry = s.carry[:0]
	want := s.o.ChunkBytes
	for {
		if len(data) > want/2 {
			want = max(want, len(data)) * 2
		}
		var err error
		if data, err = s.fill(data, want); err != nil {
			return Chunk{}, false, err
		}
		if s.offset == 0 && bytes.HasPrefix(data, []byte(byteOrderMark)) {
			data, s.offset = data[len(byteOrderMark):], int64(len(byteOrderMark))
		}
		if data, err = s.dropSkipped(data); err != nil {
			return Chunk{}, false, err
		}
		end := 0
		if s.skip == 0 {
			end = s.border(data)
		}
		if end > 0 {
			return s.chunk(data, end), true, nil
		}
		// Not one whole record, or all of it skipped: read on.
		if s.ended && len(data) == 0 {
			return Chunk{}, false, nil
		}
		if !s.ended && len(data) > s.o.MaxRecordBytes {
			return Chunk{}, false, sqlerr.New(sqlerr.ProgramLimitExceeded, "record of more than %d bytes", s.o.MaxRecordBytes).
				WithHint("A quote without its closing quote makes the rest of the file one field.").
				WithWhere("%s", Where(s.name, s.line))
		}
	}
}

// chunk makes a chunk of the first end bytes of data and keeps the rest.
func (s *Splitter) chunk(data []byte, end int) Chunk {
	s.carry = append(s.carry, data[end:]...)
	read := s.read.Load()
	c := Chunk{
		Seq: s.seq, File: s.name, Data: data[:end], Line: s.line, Offset: s.offset, Read: read - s.told, eol: s.eol,
	}
	s.seq++
	s.told = read
	s.pass(c.Data)
	if s.format.Limit > 0 && s.left == 0 {
		s.carry, s.ended = s.carry[:0], true
	}
	return c
}

// pass counts bytes that leave the splitter.
func (s *Splitter) pass(b []byte) {
	s.line += int64(bytes.Count(b, []byte{s.eol.byte()}))
	s.offset += int64(len(b))
}

// fill reads until data has want bytes or the file ends.
func (s *Splitter) fill(data []byte, want int) ([]byte, error) {
	if cap(data) < want {
		data = append(make([]byte, 0, want), data...)
	}
	for len(data) < want && !s.ended {
		n, err := s.file.Read(data[len(data):want])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			s.ended = true
		case err != nil:
			return nil, fileError(s.name, "read file %q", err)
		}
	}
	return data, nil
}

// dropSkipped takes the records to be skipped off the front of data, as far as
// they are there. Its error is of a header that does not match.
func (s *Splitter) dropSkipped(data []byte) ([]byte, error) {
	for s.skip > 0 && len(data) > 0 {
		end, found := s.recordEnd(data)
		if !found && !s.ended {
			return data, nil
		}
		if s.header != nil && s.skip == s.format.Skip {
			s.header.Reset(Chunk{File: s.name, Data: bytes.Clone(data[:end]), Line: s.line, eol: s.eol})
			if err := s.header.checkHeader(); err != nil {
				return nil, err
			}
		}
		s.pass(data[:end])
		data = data[end:]
		s.skip--
	}
	if s.ended && len(data) == 0 {
		s.skip = 0
	}
	return data, nil
}

// border returns where the last whole record of data ends, 0 if none does. At
// the end of the file the last record needs no line end.
func (s *Splitter) border(data []byte) int {
	if s.eol == eolUnknown && len(data) > 0 {
		if _, found := s.recordEnd(data); !found && !s.ended {
			return 0
		}
	}
	f := &s.format
	switch {
	case f.Limit > 0 || f.Escape != f.Quote || f.Comment != 0:
		return s.borderByRecords(data)
	case s.ended:
		return len(data)
	}
	// Quotes come in pairs outside of fields: a line end is a record's if the
	// number of quotes before it is even.
	odd := bytes.Count(data, []byte{f.Quote})%2 == 1
	for end := len(data); ; {
		at := bytes.LastIndexByte(data[:end], s.eol.byte())
		if at < 0 {
			return 0
		}
		if bytes.Count(data[at:end], []byte{f.Quote})%2 == 1 {
			odd = !odd
		}
		if !odd {
			return at + 1
		}
		end = at
	}
}

// borderByRecords is border record by record. It counts them for Format.Limit.
func (s *Splitter) borderByRecords(data []byte) int {
	at := 0
	for at < len(data) && (s.format.Limit == 0 || s.left > 0) {
		end, found := s.recordEnd(data[at:])
		if !found && !s.ended {
			break
		}
		if s.format.Limit > 0 && !(s.format.Comment != 0 && data[at] == s.format.Comment) {
			s.left--
		}
		at += end
	}
	return at
}

// recordEnd returns the length of data's first record with its line end. found
// is false if the line end is not there; the length is then data's. It finds
// out how the file's lines end.
func (s *Splitter) recordEnd(data []byte) (n int, found bool) {
	f := &s.format
	comment := f.Comment != 0 && data[0] == f.Comment
	quoted, escaped := false, false
	for i, c := range data {
		if !comment {
			if quoted && c == f.Escape {
				escaped = !escaped
			}
			if c == f.Quote && (!escaped || f.Escape == f.Quote) {
				quoted = !quoted
			}
			if c != f.Escape {
				escaped = false
			}
		}
		if quoted || c != '\n' && c != '\r' {
			continue
		}
		switch {
		case s.eol == eolUnknown && c == '\n':
			s.eol = eolLF
		case s.eol == eolUnknown:
			if i+1 == len(data) && !s.ended {
				return len(data), false // the next byte tells
			}
			s.eol = eolCR
			if i+1 < len(data) && data[i+1] == '\n' {
				s.eol = eolCRLF
				continue
			}
		}
		if c == s.eol.byte() {
			return i + 1, true
		}
	}
	return len(data), false
}
