package pgwire

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minidb/sql"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// conn is one client's connection.
type conn struct {
	srv    *Server
	nc     net.Conn
	r      reader
	w      writer
	ctx    context.Context // of all calls of the session
	cancel context.CancelCauseFunc

	sess   session // nil until the startup is done
	pid    int32
	secret uint32

	// Extended protocol, by name; "" is the unnamed one.
	unnamed     prepared // the prepared statement without a name; the session keeps those with one
	portals     map[string]*boundPortal
	bindMessage bindMessage
	skip        bool // after an error: up to the next Sync

	// flushWanted: the client waits for what was gathered, so it is written before the next read.
	flushWanted bool
	ended       bool      // a FATAL error was sent
	callStart   time.Time // of the running call of the session

	changed map[string]string // settings that changed since ReadyForQuery, of those the client is told of
	told    map[string]string // and what it was told

	wakeMu sync.Mutex
	idle   bool // the next message is waited for: a read that ends early does no harm
	woken  bool // such a read was made to end

	// Of other goroutines' concern:
	busy atomic.Bool                  // a call of the session runs
	term atomic.Pointer[sqlerr.Error] // why the connection has to end
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, nc: nc, portals: map[string]*boundPortal{}, told: map[string]string{}}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.r = newReader(flushingReader{c})
	c.w.dst = newDirectWriter(nc)
	return c
}

// flushingReader writes what the client waits for before it waits for the client. Messages that arrived together are so
// answered together.
type flushingReader struct{ c *conn }

func (f flushingReader) Read(p []byte) (int, error) {
	if f.c.flushWanted {
		f.c.flushWanted = false
		if err := f.c.w.flush(); err != nil {
			return 0, err
		}
	}
	return f.c.nc.Read(p)
}

// serve runs the connection to its end. Nothing that happens in it harms others.
func (c *conn) serve() {
	defer c.srv.wg.Done()
	defer c.close()
	defer func() {
		if p := recover(); p != nil {
			c.srv.log.Error("panic in a connection", "client", c.nc.RemoteAddr(), "panic", p, "stack", string(debug.Stack()))
			c.fatal(sqlerr.Internal("internal error: %v", p).WithSeverity(sqlerr.SeverityFatal))
		}
	}()
	if !c.startup() {
		return
	}
	for c.step() {
	}
}

// close gives back what the connection holds.
func (c *conn) close() {
	defer c.srv.remove(c)
	defer c.nc.Close()
	defer func() {
		if p := recover(); p != nil {
			c.srv.log.Error("panic while closing a session", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	c.w.flush()
	c.cancel(sqlerr.Fatal(sqlerr.ConnectionFailure, "connection to client lost"))
	if c.sess != nil {
		c.sess.Close()
	}
}

// terminate makes the connection end soon: it cancels what runs, tells the client why and closes. The first reason counts. It
// may be called from any goroutine.
func (c *conn) terminate(why *sqlerr.Error) {
	if c.term.CompareAndSwap(nil, why) {
		c.cancel(why)
		c.nc.SetReadDeadline(time.Unix(1, 0)) // ends a read that waits, or the next one
	}
}

// lost is terminate for a client that is not there any more.
func (c *conn) lost() {
	c.terminate(sqlerr.Fatal(sqlerr.ConnectionFailure, "connection to client lost"))
}

// lastWriteTimeout is how long a connection that ends may take to say so.
const lastWriteTimeout = 2 * time.Second

// fatal tells the client why the connection ends.
func (c *conn) fatal(e *sqlerr.Error) {
	if c.ended {
		return
	}
	c.ended = true
	c.nc.SetWriteDeadline(time.Now().Add(lastWriteTimeout))
	c.w.sendError(e)
	c.w.flush()
}

// fail reports an error of a statement or, if it is FATAL, of the connection.
func (c *conn) fail(err error) {
	e, ok := sqlerr.As(err)
	if !ok {
		e = sqlerr.Internal("%v", err).WithCause(err)
	}
	switch e.Severity {
	case sqlerr.SeverityFatal, sqlerr.SeverityPanic:
		c.fatal(e)
	default:
		if e.Code == sqlerr.InternalError {
			c.srv.log.Error("internal error", "client", c.nc.RemoteAddr(), "error", e, "cause", e.Cause)
		}
		c.w.sendError(e)
	}
}

// step handles one message. It returns false when the connection is to be closed.
func (c *conn) step() bool {
	if why := c.term.Load(); why != nil {
		c.fatal(why)
		return false
	}
	typ, body, err := c.awaitMessage()
	if err != nil {
		c.readFailed(err)
		return false
	}
	if err := c.handle(typ, body); err != nil {
		c.fail(err)
		if c.sess.Fail(); typ != 'Q' {
			c.skip = true
			c.flushWanted = true // the client may wait for this answer to its Flush, which is skipped
		}
	}
	return !c.ended && typ != 'X'
}

// readFailed says goodbye where there is somebody to say it to.
func (c *conn) readFailed(err error) {
	if why := c.term.Load(); why != nil {
		c.fatal(why)
		return
	}
	if e, ok := sqlerr.As(err); ok {
		c.srv.log.Warn("protocol violation", "client", c.nc.RemoteAddr(), "error", e)
		c.fatal(e)
		return
	}
	if !errors.Is(err, io.EOF) {
		c.srv.log.Debug("connection lost", "client", c.nc.RemoteAddr(), "error", err)
	}
}

// handle does what a message asks for. Its error is one of the extended protocol's, or FATAL.
func (c *conn) handle(typ byte, body []byte) error {
	if c.skip && typ != 'S' && typ != 'X' {
		return nil
	}
	switch typ {
	case 'Q':
		return c.query(body)
	case 'P':
		return c.parse(body)
	case 'B':
		return c.bind(body)
	case 'D':
		return c.describe(body)
	case 'E':
		return c.execute(body)
	case 'C':
		return c.closeObject(body)
	case 'H', 'S':
		if len(body) > 0 {
			return protocolError("invalid message format")
		}
		if c.flushWanted = true; typ == 'S' {
			c.skip = false
			return c.sync()
		}
	case 'F':
		c.fail(sqlerr.Unsupported("function calls by message"))
		c.sess.Fail()
		c.readyForQuery()
	case 'd', 'c', 'f':
		// Outside COPY (see copyIn) these are the rest of one that has failed, and PostgreSQL ignores them too.
	}
	return nil
}

// beginCall marks that the session is at work, until endCall.
func (c *conn) beginCall() {
	c.callStart = time.Now()
	c.busy.Store(true)
}

func (c *conn) endCall() { c.busy.Store(false) }

// readyForQuery ends the answer to a Query or Sync message.
func (c *conn) readyForQuery() {
	if c.ended {
		return
	}
	status := c.sess.TxStatus()
	if status == 'I' {
		c.closePortals()
		c.sendNotifications()
	}
	if status != 'E' {
		c.sendParameters()
	}
	c.w.ready(status)
	c.flushWanted = true
}

// sendParameters gathers ParameterStatus of the settings that are not what the client was told last. In a transaction that has failed
// nothing is told: the settings go back to what they were.
func (c *conn) sendParameters() {
	if len(c.changed) == 0 {
		return
	}
	byName := func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }
	for _, name := range slices.SortedFunc(maps.Keys(c.changed), byName) {
		if value := c.changed[name]; c.told[name] != value {
			c.tell(name, value)
		}
	}
	clear(c.changed)
}

// tell gathers ParameterStatus.
func (c *conn) tell(name, value string) {
	c.told[name] = value
	c.w.sendParameter(name, value)
}

// noticeDelay is how long after a statement's begin its notices begin to be sent at once, so that a long one shows progress
// and a short one needs only one write.
const noticeDelay = 100 * time.Millisecond

func (c *conn) notice(e *sqlerr.Error) {
	c.w.sendNotice(e)
	if c.sess != nil && time.Since(c.callStart) > noticeDelay {
		c.w.flush()
	}
}

// sendRows gathers a batch of rows; it fails if they cannot be written.
func (c *conn) sendRows(b *types.Batch, formats []int16) error {
	c.w.rows(c.sess.Context(), formats, b)
	return c.written()
}

// sessionOptions are what a session needs to know of its client.
func (c *conn) sessionOptions(params map[string]string) sql.SessionOptions {
	return sql.SessionOptions{
		RemoteAddr: c.nc.RemoteAddr().String(),
		Params:     params,
		Notice:     c.notice,
		ParamChanged: func(name, value string) {
			if c.changed == nil {
				c.changed = map[string]string{}
			}
			c.changed[name] = value
		},
		Terminate: c.terminate,
		Portals:   c,
		Notified:  c.wake,
		Copy:      c,
	}
}
