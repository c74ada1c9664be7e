package pgwire

import (
	"context"
	"encoding/binary"
	"io"
	"time"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// A conn is the sql.CopyStream of its session: during COPY … FROM STDIN the session reads CopyData messages through it, up to
// CopyDone or CopyFail; COPY … TO STDOUT writes them. What a client still sends after an error is ignored by handle.

// BeginCopyIn sends CopyInResponse.
func (c *conn) BeginCopyIn(ctx context.Context, isBinary bool, columns int) (io.ReadCloser, error) {
	format, formats := copyFormats(isBinary, columns)
	c.w.send(&pgproto3.CopyInResponse{OverallFormat: format, ColumnFormatCodes: formats})
	c.flushWanted = true
	in := &copyIn{c: c, ctx: ctx, interrupted: make(chan struct{})}
	in.stop = context.AfterFunc(ctx, func() {
		c.nc.SetReadDeadline(time.Unix(1, 0)) // ends a read that waits
		close(in.interrupted)
	})
	return in, nil
}

func copyFormats(isBinary bool, columns int) (byte, []uint16) {
	format := textFormat
	if isBinary {
		format = binaryFormat
	}
	formats := make([]uint16, columns)
	for i := range formats {
		formats[i] = uint16(format)
	}
	return byte(format), formats
}

// copyIn gives the bytes of a client's CopyData messages.
type copyIn struct {
	c           *conn
	ctx         context.Context
	rest        []byte // of the last message
	done        bool
	stop        func() bool   // ends the watch over ctx; false: it has struck
	interrupted chan struct{} // closed once it has
}

// Read waits for the client until ctx ends.
func (in *copyIn) Read(p []byte) (int, error) {
	for len(in.rest) == 0 {
		if in.done {
			return 0, io.EOF
		}
		if err := in.receive(); err != nil {
			return 0, err
		}
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// receive takes the next message.
func (in *copyIn) receive() error {
	typ, body, err := in.c.r.next()
	if err != nil {
		return in.failed(err)
	}
	switch typ {
	case 'd':
		in.rest = body
	case 'c':
		in.done = true
	case 'f':
		var m pgproto3.CopyFail
		if err := decode(&m, body); err != nil {
			return err
		}
		if err := types.CheckUTF8([]byte(m.Message)); err != nil {
			return err
		}
		return sqlerr.New(sqlerr.QueryCanceled, "COPY from stdin failed: %s", m.Message)
	case 'H', 'S':
		// A client that did not know that its statement was a COPY may have sent them.
	default:
		return protocolError("unexpected message type 0x%02X during COPY from stdin", typ)
	}
	return nil
}

// failed says why a message could not be read.
func (in *copyIn) failed(err error) error {
	if why := in.c.term.Load(); why != nil {
		return why
	}
	if why := context.Cause(in.ctx); why != nil {
		return why
	}
	if e, ok := sqlerr.As(err); ok {
		return e
	}
	// The cause is left out: it may be io.EOF, which would read as the regular end of the data.
	return sqlerr.Fatal(sqlerr.ConnectionFailure, "unexpected EOF on client connection with an open transaction")
}

// Close gives the connection back to its other messages.
func (in *copyIn) Close() error {
	if in.stop() {
		return nil
	}
	<-in.interrupted
	in.c.nc.SetReadDeadline(time.Time{})
	if in.c.term.Load() != nil { // terminate may have set its deadline before
		in.c.nc.SetReadDeadline(time.Unix(1, 0))
	}
	return nil
}

// BeginCopyOut gathers CopyOutResponse.
func (c *conn) BeginCopyOut(isBinary bool, columns int) error {
	format, formats := copyFormats(isBinary, columns)
	c.w.send(&pgproto3.CopyOutResponse{OverallFormat: format, ColumnFormatCodes: formats})
	return c.written()
}

// CopyRow gathers a CopyData message.
func (c *conn) CopyRow(row []byte) error {
	c.w.buf = binary.BigEndian.AppendUint32(append(c.w.buf, 'd'), uint32(4+len(row)))
	c.w.buf = append(c.w.buf, row...)
	if len(c.w.buf) >= flushBytes {
		c.w.flush()
	}
	return c.written()
}

// EndCopyOut gathers CopyDone.
func (c *conn) EndCopyOut() error {
	c.w.sendEmpty('c')
	return c.written()
}

// written is the error of what was written so far.
func (c *conn) written() error {
	if c.w.err == nil {
		return nil
	}
	return sqlerr.Fatal(sqlerr.ConnectionFailure, "connection to client lost").WithCause(c.w.err)
}
