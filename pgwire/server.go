// Package pgwire speaks PostgreSQL's protocol, version 3, over package sql: it turns messages into calls of a session and
// batches of rows into messages. It knows nothing of SQL; what a statement does is all behind sql.Session.
//
// Reading order: [Server] accepts connections; conn is one of them, from its startup packet (startup.go) through its
// messages (simple.go, extended.go) to its end; reader and writer are the two directions of its socket. Messages are
// pgproto3's, but their framing is read here, because its limits depend on the state of the connection; see reader.
//
// A connection is one goroutine. The goroutine that reads is also the one that runs statements, so that no hand-off lies on
// the way of a short statement; a client that goes away while a long one runs is noticed by the server's watch (watch.go).
package pgwire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"minidb/sql"
	"minidb/sql/sqlerr"
)

// Options are the limits of a Server. The zero value is good for use.
type Options struct {
	// MaxConnections is how many sessions there may be at once; one more is refused with 53300. 0: 100.
	MaxConnections int
	// Auth is how clients prove who they are. "": AuthTrust.
	Auth Auth
	// TrustRemote is for AuthTrust: it lets clients in that do not come by a loopback address too.
	TrustRemote bool
	// StartupTimeout is how long a client may take from connecting to its first ReadyForQuery. 0: one minute.
	StartupTimeout time.Duration
	// WatchInterval is how often the server looks whether the clients of running statements are still there. 0: half a second.
	WatchInterval time.Duration
	Logger        *slog.Logger // nil: slog.Default()
}

const (
	defaultMaxConnections = 100
	defaultStartupTimeout = time.Minute
	defaultWatchInterval  = 500 * time.Millisecond

	// spareConnections may exist beyond MaxConnections: those that are just starting, cancelling or being refused.
	spareConnections = 64
)

// Server serves an engine's sessions on sockets. Its methods may be called from several goroutines.
type Server struct {
	engine engine
	opts   Options
	log    *slog.Logger
	done   chan struct{} // closed by Shutdown
	wg     sync.WaitGroup

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	sessions  map[int32]*conn // started, by process id
	closing   bool
	watching  bool
}

// NewServer makes a server that serves nothing yet. The engine stays the caller's to close, after Shutdown.
func NewServer(e *sql.Engine, o Options) *Server { return newServer(sqlEngine{e}, o) }

func newServer(e engine, o Options) *Server {
	if o.MaxConnections <= 0 {
		o.MaxConnections = defaultMaxConnections
	}
	if o.StartupTimeout <= 0 {
		o.StartupTimeout = defaultStartupTimeout
	}
	if o.WatchInterval <= 0 {
		o.WatchInterval = defaultWatchInterval
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Server{
		engine: e, opts: o, log: o.Logger, done: make(chan struct{}),
		listeners: map[net.Listener]struct{}{}, conns: map[*conn]struct{}{}, sessions: map[int32]*conn{},
	}
}

// Listen opens a TCP listener for Serve. Unless remote is true, an address that is not a loopback one is refused.
func Listen(address string, remote bool) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	if !remote && !addr.IP.IsLoopback() {
		return nil, fmt.Errorf("listening on %s: not a loopback address, and clients from elsewhere are not trusted", address)
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, err // names operation and address
	}
	return l, nil
}

// maxAcceptDelay is the longest pause after a failed accept, such as for want of file descriptors.
const maxAcceptDelay = time.Second

// Serve accepts connections until Shutdown, then returns nil. It closes l. It may run for several listeners at once.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return nil
	}
	s.listeners[l] = struct{}{}
	if !s.watching {
		s.watching = true
		s.wg.Add(1)
		go s.watch()
	}
	s.mu.Unlock()
	delay := 5 * time.Millisecond
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			delay = 5 * time.Millisecond
			s.start(nc)
		case s.isClosing():
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accepting connections: %w", err)
		default:
			s.log.Error("cannot accept a connection", "error", err)
			select {
			case <-time.After(delay):
			case <-s.done:
			}
			delay = min(2*delay, maxAcceptDelay)
		}
	}
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// start begins a connection, or closes it at once if there are far too many.
func (s *Server) start(nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || len(s.conns) >= s.opts.MaxConnections+spareConnections {
		nc.Close()
		return
	}
	c := newConn(s, nc)
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	go c.serve()
}

// admit makes a connection a session, unless there are too many.
func (s *Server) admit(c *conn) *sqlerr.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return sqlerr.Fatal(sqlerr.CannotConnectNow, "the database system is shutting down")
	case len(s.sessions) >= s.opts.MaxConnections:
		return sqlerr.Fatal(sqlerr.TooManyConnections, "sorry, too many clients already")
	}
	s.sessions[c.pid] = c
	return nil
}

// isFull reports whether admit would refuse for want of room.
func (s *Server) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions) >= s.opts.MaxConnections
}

// remove forgets a connection that has ended.
func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.sessions[c.pid] == c {
		delete(s.sessions, c.pid)
	}
}

// cancel does what a CancelRequest asks for, if it knows the session's secret.
func (s *Server) cancel(pid int32, secret uint32) {
	s.mu.Lock()
	c := s.sessions[pid]
	s.mu.Unlock()
	if c != nil && c.secret == secret {
		c.sess.Cancel()
	}
}

// all gives the connections there are.
func (s *Server) all() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		out = append(out, c)
	}
	return out
}

// Shutdown stops accepting, tells every client 57P01, cancels what runs and waits for the sessions to end. When ctx ends
// first, it closes the sockets that are left and returns ctx's error; sessions whose statement does not heed its
// cancellation may then still be running.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if !s.closing {
		s.closing = true
		close(s.done)
	}
	for l := range s.listeners {
		l.Close()
	}
	s.mu.Unlock()
	for _, c := range s.all() {
		c.terminate(sqlerr.Fatal(sqlerr.AdminShutdown, "terminating connection due to administrator command"))
	}
	ended := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	for _, c := range s.all() {
		c.nc.Close()
	}
	// Those that only waited for their socket end now.
	select {
	case <-ended:
		return nil
	case <-time.After(time.Second):
		return fmt.Errorf("waiting for sessions to end: %w", ctx.Err())
	}
}
