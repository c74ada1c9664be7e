package copyfmt

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// eol is how the lines of the input end: the first line's end decides.
type eol uint8

const (
	eolUnknown eol = iota
	eolLF
	eolCRLF
	eolCR
)

// readBytes is how much is asked of the input at once.
const readBytes = 64 << 10

// lines cuts an input of text or CSV into lines, those that a backslash or quotes continue included, and ends it at a line
// that is only \. (or, in text, at \. before a line's end).
//
//	buf    |given out| line so far ... | valid ahead ... | incomplete character |
//	                  ^start       ^pos                   ^valid
type lines struct {
	src   io.Reader
	o     *Options
	buf   []byte
	start int // of the line at hand
	pos   int // what was looked at
	valid int // up to which buf is known to be text
	eol   eol
	ended bool  // the input has: buf has the rest of it
	bad   error // what is wrong with the bytes at valid
	stop  bool  // nothing follows: the input's end or \. was reached

	number  int64 // of the line at hand, counted from 1
	line    []byte
	isValid bool // line is what number counts
	special [256]bool
}

func (l *lines) init(src io.Reader, o *Options) {
	l.src, l.o = src, o
	l.special['\n'], l.special['\r'] = true, true
	if o.Format == CSV {
		l.special[o.Quote], l.special[o.Escape] = true, true
	} else {
		l.special['\\'] = true
	}
}

// fill reads more input and checks that it is text. Without more, it sets ended.
func (l *lines) fill() error {
	if l.bad != nil {
		return l.bad
	}
	if l.ended {
		return nil
	}
	if l.start > 0 && len(l.buf)+readBytes > cap(l.buf) {
		n := copy(l.buf, l.buf[l.start:])
		l.buf = l.buf[:n]
		l.pos, l.valid, l.start = l.pos-l.start, l.valid-l.start, 0
	}
	if len(l.buf)-l.start > MaxRecordBytes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "line of more than %d bytes", MaxRecordBytes).
			WithHint("A quote without its closing quote makes the rest of the input one field.")
	}
	if cap(l.buf)-len(l.buf) < readBytes {
		l.buf = append(make([]byte, 0, max(2*cap(l.buf), 2*readBytes)), l.buf...)
	}
	n, err := l.src.Read(l.buf[len(l.buf) : len(l.buf)+readBytes])
	l.buf = l.buf[:len(l.buf)+n]
	if errors.Is(err, io.EOF) {
		l.ended = true
	} else if err != nil {
		return err
	}
	return l.validate()
}

// validate moves valid up to the end of what is text. An incomplete character at the end waits for the rest of it.
func (l *lines) validate() error {
	rest := l.buf[l.valid:]
	if utf8.Valid(rest) && bytes.IndexByte(rest, 0) < 0 {
		l.valid = len(l.buf)
		return nil
	}
	for len(rest) > 0 && rest[0] != 0 {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			break
		}
		rest = rest[n:]
	}
	l.valid = len(l.buf) - len(rest)
	if len(rest) >= utf8.UTFMax || l.ended {
		l.bad = types.CheckUTF8(rest)
	}
	return nil
}

// ahead makes sure that n bytes after pos can be looked at, unless the input ends before.
func (l *lines) ahead(n int) error {
	for l.pos+n > l.valid && !l.atEnd() {
		if err := l.fill(); err != nil {
			return err
		}
	}
	return nil
}

// atEnd reports that nothing follows what is valid.
func (l *lines) atEnd() bool { return l.ended && l.bad == nil && l.valid == len(l.buf) }

// byteAt is the byte n after pos, or 0 beyond the input's end.
func (l *lines) byteAt(n int) byte {
	if l.pos+n < l.valid {
		return l.buf[l.pos+n]
	}
	return 0
}

// next reads the next line into line, without its end. It returns false if there is none.
func (l *lines) next() (bool, error) {
	l.isValid = false
	l.number++
	if l.stop {
		return false, nil
	}
	l.start = l.pos
	end, err := l.find()
	if err != nil {
		return false, err
	}
	if l.stop {
		if err := l.drain(); err != nil {
			return false, err
		}
	}
	l.line, l.isValid = l.buf[l.start:end], true
	return !l.stop || len(l.line) > 0, nil
}

// drain reads the input to its end: what follows \. does not count, but the client may still say that it failed.
func (l *lines) drain() error {
	var scratch [4096]byte
	for !l.ended {
		if _, err := l.src.Read(scratch[:]); errors.Is(err, io.EOF) {
			l.ended = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// find looks for the end of the line that begins at start and moves pos behind it. It returns where the line's content ends.
func (l *lines) find() (end int, err error) {
	if l.o.Format == CSV {
		return l.findCSV()
	}
	for {
		if err := l.skipPlain(); err != nil {
			return 0, err
		}
		if l.pos >= l.valid {
			l.stop = true
			return l.pos, nil
		}
		switch at := l.pos; l.buf[at] {
		case '\\':
			at -= l.start // fill may move the line
			stop, err := l.backslash()
			if err != nil || stop {
				return l.start + at, err
			}
		default:
			return l.endLine()
		}
	}
}

// skipPlain moves pos to the next byte that means something, or to the end of the input.
func (l *lines) skipPlain() error {
	for {
		i, buf := l.pos, l.buf[:l.valid]
		for i < len(buf) && !l.special[buf[i]] {
			i++
		}
		if l.pos = i; i < len(buf) || l.atEnd() {
			return nil
		}
		if err := l.fill(); err != nil {
			return err
		}
	}
}

// endLine passes the line end at pos and returns where it begins.
func (l *lines) endLine() (end int, err error) {
	if l.buf[l.pos] == '\n' {
		if l.eol == eolCR || l.eol == eolCRLF {
			return 0, l.strayEnd("newline", "n")
		}
		l.eol = eolLF
		l.pos++
		return l.pos - 1, nil
	}
	if l.eol == eolLF {
		return 0, l.strayEnd("carriage return", "r")
	}
	if l.eol != eolCR {
		if err := l.ahead(2); err != nil {
			return 0, err
		}
		if l.byteAt(1) == '\n' {
			l.eol = eolCRLF
			l.pos += 2
			return l.pos - 2, nil
		}
		if l.eol == eolCRLF {
			return 0, l.strayEnd("carriage return", "r")
		}
		l.eol = eolCR
	}
	l.pos++
	return l.pos - 1, nil
}

// strayEnd is the error of a line end that is not the input's kind.
func (l *lines) strayEnd(what, letter string) error {
	if l.o.Format == CSV {
		return badFormat("unquoted %s found in data", what).WithHint("Use quoted CSV field to represent %s.", what)
	}
	return badFormat("literal %s found in data", what).WithHint("Use \"\\%s\" to represent %s.", letter, what)
}

// backslash passes a backslash of the text format and what it escapes. stop tells that it began the end-of-copy marker.
func (l *lines) backslash() (stop bool, err error) {
	if err := l.ahead(2); err != nil {
		return false, err
	}
	if l.pos+1 >= l.valid { // the input's last byte
		l.pos++
		return false, nil
	}
	if l.byteAt(1) != '.' {
		l.pos += 2
		return false, nil
	}
	ok, err := l.endMarker()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, badFormat("end-of-copy marker corrupt")
	}
	l.stop = true
	return true, nil
}

// endMarker reports whether the \. at pos has a line end behind it, and passes both if so.
func (l *lines) endMarker() (bool, error) {
	n := 2
	if err := l.ahead(n + 1); err != nil {
		return false, err
	}
	if l.eol == eolCRLF {
		switch c := l.byteAt(n); {
		case c == '\n' && l.o.Format == Text:
			return false, badFormat("end-of-copy marker does not match previous newline style")
		case c != '\r':
			return false, nil
		}
		n++
		if err := l.ahead(n + 1); err != nil {
			return false, err
		}
	}
	c := l.byteAt(n)
	if c != '\r' && c != '\n' {
		return false, nil
	}
	if l.eol != eolUnknown && (c == '\n') == (l.eol == eolCR) {
		return false, badFormat("end-of-copy marker does not match previous newline style")
	}
	l.pos += n + 1
	return true, nil
}

// findCSV is find for CSV, where quotes may have line ends between them.
func (l *lines) findCSV() (end int, err error) {
	if l.pos >= l.valid {
		if err := l.ahead(1); err != nil {
			return 0, err
		}
	}
	if l.byteAt(0) == '\\' {
		if err := l.ahead(2); err != nil {
			return 0, err
		}
		if l.byteAt(1) == '.' {
			if ok, err := l.endMarker(); ok || err != nil {
				l.stop = true
				return l.start, err
			}
		}
	}
	quote, escape := l.o.Quote, l.o.Escape
	quoted, escaped := false, false
	for {
		at := l.pos - l.start
		if err := l.skipPlain(); err != nil {
			return 0, err
		}
		if l.pos-l.start > at {
			escaped = false
		}
		if l.pos >= l.valid {
			l.stop = true
			return l.pos, nil
		}
		c := l.buf[l.pos]
		if c == '\r' { // bytes behind it that are not text count for this line
			if err := l.ahead(2); err != nil {
				return 0, err
			}
		}
		if quoted && c == escape && escape != quote {
			escaped = !escaped
		}
		if c == quote && !escaped {
			quoted = !quoted
		}
		if c != escape {
			escaped = false
		}
		switch {
		case c != '\n' && c != '\r':
		case !quoted:
			return l.endLine()
		case (c == '\n') == (l.eol == eolLF):
			l.number++
		}
		l.pos++
	}
}

// badFormat is 22P04.
func badFormat(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.BadCopyFileFormat, format, args...)
}
