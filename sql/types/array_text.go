package types

import (
	"bytes"
	"math"
	"strconv"

	"minidb/sql/sqlerr"
)

// arrayState is where in an array's text its reader is, after PostgreSQL's array_in.
type arrayState uint8

const (
	arrayNoLevel arrayState = iota
	arrayLevelStarted
	arrayElemStarted
	arrayQuotedStarted
	arrayQuotedDone
	arrayElemDelimited
	arrayLevelDone
	arrayLevelDelimited
)

// arrayReader reads the text form of an array: {a,"b c",NULL}, with [lower:upper]= before it or not.
type arrayReader struct {
	text     []byte // whole, for messages
	s        []byte
	state    arrayState
	inQuotes bool

	depth, dims int
	counts      [maxArrayDims]int // elements so far at each depth
	last        [maxArrayDims]int // elements of the sub-array before, to be matched

	item    []byte // the element at hand, unescaped
	end     int    // of item without trailing blanks that were not quoted or escaped
	escaped bool   // it has quotes or backslashes, so it is not the word NULL
	items   []arrayItem
}

const maxArrayDims = 6

type arrayItem struct {
	text []byte
	null bool
}

// inputArray reads an array of type t with elements of type elem.
func inputArray(ec *Context, t, elem Type, text []byte) (Datum, error) {
	r := &arrayReader{text: text, s: text}
	lower, length, err := r.bounds()
	if err != nil {
		return Datum{}, err
	}
	if err := r.read(); err != nil {
		return Datum{}, err
	}
	n := len(r.items)
	switch {
	case r.dims > 1 && n > 0:
		return Datum{}, multiDimensional()
	case length >= 0 && length != n:
		return Datum{}, r.malformed("Specified array dimensions do not match array contents.")
	}
	v := ArrayValue{Lower: lower, Elems: make([]Datum, n)}
	for i, item := range r.items {
		if item.null {
			v.Elems[i] = NullDatum
			continue
		}
		if v.Elems[i], err = InputShared(ec, elem, item.text); err != nil {
			return Datum{}, err
		}
	}
	return NewArray(elem, v), nil
}

func (r *arrayReader) malformed(detail string, args ...any) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed array literal: \"%s\"", r.text).WithDetail(detail, args...)
}

func (r *arrayReader) unexpected(c byte) error { return r.malformed("Unexpected \"%c\" character.", c) }

func (r *arrayReader) skipBlanks() {
	for len(r.s) > 0 && isSpace(r.s[0]) {
		r.s = r.s[1:]
	}
}

// bounds reads what stands before the brace; length is -1 where nothing does.
func (r *arrayReader) bounds() (lower, length int, err error) {
	lower, length = 1, -1
	for r.skipBlanks(); len(r.s) > 0 && r.s[0] == '['; r.skipBlanks() {
		if length >= 0 {
			return 0, 0, multiDimensional()
		}
		r.s = r.s[1:]
		upper, ok := r.number()
		if !ok {
			return 0, 0, r.malformed("\"[\" must introduce explicitly-specified array dimensions.")
		}
		if len(r.s) > 0 && r.s[0] == ':' {
			r.s = r.s[1:]
			lower = upper
			if upper, ok = r.number(); !ok {
				return 0, 0, r.malformed("Missing array dimension value.")
			}
		}
		if len(r.s) == 0 || r.s[0] != ']' {
			return 0, 0, r.malformed("Missing \"%s\" after array dimensions.", "]")
		}
		r.s = r.s[1:]
		if upper < lower {
			return 0, 0, sqlerr.New(sqlerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		length = upper - lower + 1
	}
	if length < 0 {
		if len(r.s) == 0 || r.s[0] != '{' {
			return 0, 0, r.malformed("Array value must start with \"{\" or dimension information.")
		}
		return lower, length, nil
	}
	if len(r.s) == 0 || r.s[0] != '=' {
		return 0, 0, r.malformed("Missing \"%s\" after array dimensions.", "=")
	}
	r.s = r.s[1:]
	r.skipBlanks()
	if len(r.s) == 0 || r.s[0] != '{' {
		return 0, 0, r.malformed("Array contents must start with \"{\".")
	}
	return lower, length, nil
}

// number reads a subscript.
func (r *arrayReader) number() (int, bool) {
	n := 0
	for n < len(r.s) && (isDigit(r.s[n]) || n == 0 && (r.s[0] == '-' || r.s[0] == '+')) {
		n++
	}
	v, err := strconv.ParseInt(string(r.s[:n]), 10, 64)
	r.s = r.s[n:]
	if v > math.MaxInt32 || v < math.MinInt32 || err != nil && n > 1 {
		return math.MaxInt32, true
	}
	return int(v), n > 0
}

// read takes the braces and elements apart.
func (r *arrayReader) read() error {
	for done := false; !done; {
		if len(r.s) == 0 {
			return r.malformed("Unexpected end of input.")
		}
		c := r.s[0]
		r.s = r.s[1:]
		var err error
		switch {
		case c == '\\':
			err = r.backslash()
		case c == '"':
			err = r.quote()
		case r.inQuotes:
			r.add(c)
		case c == '{':
			err = r.open()
		case c == '}':
			done, err = r.close()
		case c == ',':
			err = r.delimiter()
		case isSpace(c):
			if r.state == arrayElemStarted {
				r.item = append(r.item, c) // cut off again if nothing follows
			}
		default:
			if r.state != arrayLevelStarted && r.state != arrayElemStarted && r.state != arrayElemDelimited {
				err = r.malformed("Unexpected array element.")
			}
			r.state = arrayElemStarted
			r.add(c)
		}
		if err != nil {
			return err
		}
	}
	for _, c := range r.s {
		if !isSpace(c) {
			return r.malformed("Junk after closing right brace.")
		}
	}
	return nil
}

func (r *arrayReader) add(c byte) {
	r.item = append(r.item, c)
	r.end = len(r.item)
}

func (r *arrayReader) backslash() error {
	switch r.state {
	case arrayLevelStarted, arrayElemStarted, arrayQuotedStarted, arrayElemDelimited:
	default:
		return r.unexpected('\\')
	}
	if r.state != arrayQuotedStarted {
		r.state = arrayElemStarted
	}
	if len(r.s) == 0 {
		return r.malformed("Unexpected end of input.")
	}
	r.add(r.s[0])
	r.s = r.s[1:]
	r.escaped = true
	return nil
}

func (r *arrayReader) quote() error {
	if r.state != arrayLevelStarted && r.state != arrayQuotedStarted && r.state != arrayElemDelimited {
		return r.malformed("Unexpected array element.")
	}
	r.inQuotes = !r.inQuotes
	r.state = arrayQuotedDone
	if r.inQuotes {
		r.state = arrayQuotedStarted
	}
	r.escaped = true
	return nil
}

func (r *arrayReader) open() error {
	if r.state != arrayNoLevel && r.state != arrayLevelStarted && r.state != arrayLevelDelimited {
		return r.unexpected('{')
	}
	if r.depth == maxArrayDims {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)",
			r.depth+1, maxArrayDims)
	}
	r.state = arrayLevelStarted
	r.counts[r.depth] = 0
	r.depth++
	r.dims = max(r.dims, r.depth)
	return nil
}

func (r *arrayReader) close() (done bool, err error) {
	empty := r.depth == 1 && r.state == arrayLevelStarted
	switch r.state {
	case arrayElemStarted, arrayQuotedDone:
		r.finish()
	case arrayLevelDone:
		r.counts[r.depth-1]++
	default:
		if !empty {
			return false, r.unexpected('}')
		}
	}
	r.state = arrayLevelDone
	r.depth--
	n := r.counts[r.depth]
	if last := r.last[r.depth]; last != 0 && last != n {
		return false, r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	r.last[r.depth] = n
	return r.depth == 0, nil
}

func (r *arrayReader) delimiter() error {
	switch r.state {
	case arrayElemStarted, arrayQuotedDone:
		r.finish()
		r.state = arrayElemDelimited
	case arrayLevelDone:
		r.counts[r.depth-1]++
		r.state = arrayLevelDelimited
	default:
		return r.unexpected(',')
	}
	return nil
}

// finish puts the element at hand with the others.
func (r *arrayReader) finish() {
	item := arrayItem{text: r.item[:r.end:r.end]}
	item.null = !r.escaped && isNullWord(item.text)
	r.items = append(r.items, item)
	r.counts[r.depth-1]++
	r.item, r.end, r.escaped = nil, 0, false
}

func isNullWord(s []byte) bool { return len(s) == 4 && bytes.EqualFold(s, []byte("null")) }

// appendArray writes the text form of an array.
func appendArray(ec *Context, dst []byte, elem Type, d Datum) []byte {
	v := d.Array(elem)
	if v.Lower != 1 && len(v.Elems) > 0 {
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(v.Lower), 10)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, int64(v.Lower+len(v.Elems)-1), 10)
		dst = append(dst, "]="...)
	}
	dst = append(dst, '{')
	for i, e := range v.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		if e.Null {
			dst = append(dst, "NULL"...)
			continue
		}
		start := len(dst)
		dst = AppendText(ec, dst, elem, e)
		dst = quoteArrayElem(dst, start)
	}
	return append(dst, '}')
}

// quoteArrayElem puts the element that was appended from start on into quotes if it needs them.
func quoteArrayElem(dst []byte, start int) []byte {
	text := dst[start:]
	if len(text) > 0 && !isNullWord(text) && !bytes.ContainsAny(text, "{}\",\\ \t\n\r\v\f") {
		return dst
	}
	text = bytes.Clone(text)
	dst = append(dst[:start], '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// inputVector reads int2vector and oidvector: numbers with blanks between them.
func inputVector(ec *Context, elem Type, text []byte) (Datum, error) {
	var v ArrayValue
	for _, field := range bytes.FieldsFunc(text, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) }) {
		d, err := InputShared(ec, elem, field)
		if err != nil {
			return Datum{}, err
		}
		v.Elems = append(v.Elems, d)
	}
	return NewArray(elem, v), nil
}

func appendVector(dst []byte, elem Type, d Datum) []byte {
	for i, e := range d.Array(elem).Elems {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendInt(dst, e.I)
	}
	return dst
}
