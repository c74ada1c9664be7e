package pgwire

import (
	"bytes"
	"encoding/binary"

	"minidb/sql/sqlerr"
)

// bindMessage is a Bind message as it arrived. Its memory serves the next one: of what it holds only the strings and the result formats
// may be kept, and the parameters point into the message's body.
type bindMessage struct {
	DestinationPortal, PreparedStatement string
	ParameterFormatCodes                 []int16
	Parameters                           [][]byte // nil: NULL
	ResultFormatCodes                    []int16
}

// maxKeptParameters is how many parameters a message may have for the memory of their list to be kept.
const maxKeptParameters = 1024

// decode reads a message's body.
//
// Errors: FATAL 08P01.
func (m *bindMessage) decode(body []byte) *sqlerr.Error {
	r := bodyReader{rest: body}
	m.DestinationPortal = r.name(m.DestinationPortal)
	m.PreparedStatement = r.name(m.PreparedStatement)
	m.ParameterFormatCodes = m.ParameterFormatCodes[:0]
	for n := r.uint16(); n > 0 && !r.bad; n-- {
		m.ParameterFormatCodes = append(m.ParameterFormatCodes, int16(r.uint16()))
	}
	if m.Parameters = m.Parameters[:0]; cap(m.Parameters) > maxKeptParameters {
		m.Parameters = nil
	}
	for n := r.uint16(); n > 0 && !r.bad; n-- {
		size := int32(r.uint32())
		if size == -1 {
			m.Parameters = append(m.Parameters, nil)
			continue
		}
		m.Parameters = append(m.Parameters, r.take(int(size)))
	}
	m.ResultFormatCodes = r.formats()
	return r.err()
}

// bodyReader takes values off a message's body. When it is too short bad is set, and all that is read from there on is zero.
type bodyReader struct {
	rest []byte
	bad  bool
}

func (r *bodyReader) err() *sqlerr.Error {
	if r.bad {
		return protocolError("invalid message format")
	}
	return nil
}

// take gives the next n bytes, which is not nil unless bad.
func (r *bodyReader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *bodyReader) uint16() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *bodyReader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// name gives a string that ends with a zero: last itself, if it is that.
func (r *bodyReader) name(last string) string {
	b := r.take(bytes.IndexByte(r.rest, 0))
	r.take(1)
	if string(b) == last {
		return last
	}
	return string(b)
}

// Most clients ask for one format for all columns.
var (
	allText   = []int16{textFormat}
	allBinary = []int16{binaryFormat}
)

// formats gives a list of format codes, which nobody changes.
func (r *bodyReader) formats() []int16 {
	n := int(r.uint16())
	if n == 1 {
		switch code := int16(r.uint16()); code {
		case textFormat:
			return allText
		case binaryFormat:
			return allBinary
		default:
			return []int16{code}
		}
	}
	if n == 0 || 2*n > len(r.rest) {
		r.bad = r.bad || n > 0
		return nil
	}
	codes := make([]int16, n)
	for i := range codes {
		codes[i] = int16(r.uint16())
	}
	return codes
}
