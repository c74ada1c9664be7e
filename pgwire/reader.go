package pgwire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql/sqlerr"
)

// Limits of a message's length, its own four bytes included. PostgreSQL has the same ones but for the largest, which is a
// gigabyte there.
const (
	maxStartupBytes = 10_000
	maxSmallBytes   = 10_000   // of messages that hold a name at most
	maxMessageBytes = 64 << 20 // of all others
	readBufferBytes = 8 << 10
	keptBodyBytes   = 64 << 10 // a larger buffer is not kept for the next message
)

// reader takes messages off a connection. It checks a message's type and length before it reads the rest, takes memory only
// as bytes arrive, and never panics on what a client sends.
//
// A read that fails, as by a deadline, loses nothing: the next one goes on where it stopped.
type reader struct {
	br   *bufio.Reader
	body []byte // for messages that do not fit br
	sasl bool   // a message of the authentication is expected, and no other may come
	have int    // of a message that began to arrive: what body has of it
	// typ is the type of a message whose header was read and whose body, of need bytes, was not; else 0.
	typ  byte
	need int
}

func newReader(src io.Reader) reader {
	return reader{br: bufio.NewReaderSize(src, readBufferBytes)}
}

// protocolError ends a connection with FATAL 08P01.
func protocolError(format string, args ...any) *sqlerr.Error {
	return sqlerr.Fatal(sqlerr.ProtocolViolation, format, args...)
}

// limitOf is the longest length of a message of a type, 0 for types that a client does not send.
func limitOf(typ byte) int {
	switch typ {
	case 'Q', 'P', 'B', 'F', 'd':
		return maxMessageBytes
	case 'C', 'D', 'E', 'H', 'S', 'X', 'c', 'f':
		return maxSmallBytes
	default:
		return 0
	}
}

// next gives the next message's type and body, which is valid until the next call. A protocol error is a *sqlerr.Error; the
// end of the stream between messages is io.EOF.
func (r *reader) next() (typ byte, body []byte, err error) {
	if r.typ == 0 {
		if err := r.header(); err != nil {
			return 0, nil, err
		}
	}
	if body, err = r.take(r.need); err != nil {
		return 0, nil, err
	}
	typ, r.typ = r.typ, 0
	return typ, body, nil
}

// header reads the next message's type and length.
func (r *reader) header() error {
	header, err := r.br.Peek(5)
	if err != nil {
		if len(header) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	typ := header[0]
	length := int64(binary.BigEndian.Uint32(header[1:]))
	limit := limitOf(typ)
	if r.sasl {
		if limit = 0; typ == 'p' {
			limit = maxSmallBytes
		}
	}
	if limit == 0 {
		return protocolError("invalid frontend message type %d", typ)
	}
	if length < 4 || length > int64(limit) {
		return protocolError("invalid message length")
	}
	r.br.Discard(5)
	r.typ, r.need = typ, int(length)-4
	return nil
}

// take gives the next n bytes.
func (r *reader) take(n int) ([]byte, error) {
	if n <= r.br.Size() {
		body, err := r.br.Peek(n)
		if err != nil {
			return nil, unexpectedEOF(err)
		}
		r.br.Discard(n)
		return body, nil
	}
	if r.have == 0 && cap(r.body) > keptBodyBytes {
		r.body = nil
	}
	// The buffer grows with what has arrived: a client that only says it will send much gets little.
	buf := r.body[:r.have]
	for len(buf) < n {
		want := min(n, max(2*len(buf), keptBodyBytes))
		if cap(buf) < want {
			buf = append(make([]byte, 0, want), buf...)
		}
		have := len(buf)
		m, err := io.ReadFull(r.br, buf[have:want])
		buf = buf[:have+m]
		if err != nil {
			r.body, r.have = buf, len(buf)
			return nil, unexpectedEOF(err)
		}
	}
	r.body, r.have = buf, 0
	return buf, nil
}

func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// startupPacket gives the body of a packet without type: what a connection begins with.
func (r *reader) startupPacket() ([]byte, error) {
	header, err := r.br.Peek(4)
	if err != nil {
		if len(header) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	length := binary.BigEndian.Uint32(header)
	if length < 8 || length > maxStartupBytes {
		return nil, protocolError("invalid length of startup packet")
	}
	r.br.Discard(4)
	body, err := r.take(int(length) - 4)
	if err != nil {
		return nil, err
	}
	// The caller keeps it while it reads on.
	return append([]byte(nil), body...), nil
}

// decode fills a message from its body. The decoders of pgproto3 index without checking in some places, so a panic is one
// more way for a body to be wrong.
func decode(m pgproto3.FrontendMessage, body []byte) (err error) {
	defer func() {
		if recover() != nil {
			err = protocolError("invalid message format")
		}
	}()
	if m.Decode(body) != nil {
		return protocolError("invalid message format")
	}
	return nil
}
