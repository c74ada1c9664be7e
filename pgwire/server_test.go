package pgwire

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgproto3/v2"
	"go.uber.org/goleak"

	"minidb/sql/sqlerr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func timeoutContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), testTimeout)
}

func (s *testServer) waitUntilWaiting(t *testing.T) {
	t.Helper()
	select {
	case <-s.e.waiting:
	case <-time.After(testTimeout):
		t.Fatal("no statement has begun to wait")
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(testTimeout); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so in time: %s", what)
		}
	}
}

// want compares the next messages, up to the last one's kind, with lines.
func (c *client) want(lines ...string) {
	c.t.Helper()
	var got []string
	for range lines {
		got = append(got, c.receive())
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		c.t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// works checks that a connection serves.
func (c *client) works() {
	c.t.Helper()
	c.query("rows 0")
	c.until("CommandComplete SELECT 0")
	c.want("ReadyForQuery I")
}

func TestStartupParametersReachTheSession(t *testing.T) {
	s := startServer(t, Options{})
	c := s.dial(t)
	c.startup(map[string]string{
		"user": "u", "database": "d", "application_name": "a", "client_encoding": "UTF8",
		"options": `-c geqo=off -cx.y=1\ 2 --work-mem=1MB`, "TimeZone": "UTC",
	})
	c.until("ReadyForQuery")
	o := s.e.options()
	want := map[string]string{"client_encoding": "UTF8", "geqo": "off", "x.y": "1 2", "work_mem": "1MB", "TimeZone": "UTC"}
	if o.User != "u" || o.Database != "d" || o.ApplicationName != "a" || o.RemoteAddr != c.nc.LocalAddr().String() {
		t.Errorf("%+v", o)
	}
	if diff := cmp.Diff(want, o.Params); diff != "" {
		t.Error(diff)
	}
}

func cancelRequest(t *testing.T, s *testServer, pid, secret uint32) {
	t.Helper()
	c := s.dial(t)
	c.send(&pgproto3.CancelRequest{ProcessID: pid, SecretKey: secret})
	if line := c.receive(); line != "EOF" {
		t.Errorf("a cancel request is answered: %s", line)
	}
}

func (s *testServer) connectWithKey(t *testing.T) (*client, *pgproto3.BackendKeyData) {
	t.Helper()
	c := s.dial(t)
	c.startup(map[string]string{"user": "u"})
	for {
		m, err := c.f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if key, ok := m.(*pgproto3.BackendKeyData); ok {
			out := *key
			c.until("ReadyForQuery")
			return c, &out
		}
	}
}

func TestCancelNeedsTheSecret(t *testing.T) {
	s := startServer(t, Options{})
	c, key := s.connectWithKey(t)
	c.query("wait")
	s.waitUntilWaiting(t)
	cancelRequest(t, s, key.ProcessID, key.SecretKey+1)
	cancelRequest(t, s, key.ProcessID+7, key.SecretKey)
	time.Sleep(20 * time.Millisecond)
	c.nc.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := c.nc.Read(make([]byte, 1)); err == nil {
		t.Fatalf("%d bytes came though the secret was wrong", n)
	}
	c.nc.SetReadDeadline(time.Now().Add(testTimeout))
	cancelRequest(t, s, key.ProcessID, key.SecretKey)
	c.want("ErrorResponse ERROR 57014 canceling statement due to user request", "ReadyForQuery I")
	c.works()
}

func TestOneConnectionTooManyIsRefusedButMayCancel(t *testing.T) {
	s := startServer(t, Options{MaxConnections: 2})
	c1, key := s.connectWithKey(t)
	c2 := s.connect(t)
	c3 := s.dial(t)
	c3.startup(map[string]string{"user": "u"})
	c3.want("ErrorResponse FATAL 53300 sorry, too many clients already", "EOF")
	c1.query("wait")
	s.waitUntilWaiting(t)
	cancelRequest(t, s, key.ProcessID, key.SecretKey)
	c1.until("ReadyForQuery")
	c2.send(&pgproto3.Terminate{})
	c2.want("EOF")
	eventually(t, "there is room again", func() bool { return !s.isFull() })
	s.connect(t).works()
}

func TestPanicEndsOnlyItsConnection(t *testing.T) {
	var log lockedBuffer
	s := startServer(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	other := s.connect(t)
	c := s.connect(t)
	c.query("panic")
	c.want("ErrorResponse FATAL XX000 internal error: as asked for", "EOF")
	other.works()
	if !strings.Contains(log.String(), "fake_test.go") {
		t.Errorf("the log has no stack: %s", log.String())
	}
	eventually(t, "the session is closed", func() bool { return s.e.closed.Load() == 1 })
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestClientThatGoesAwayEndsItsStatement(t *testing.T) {
	s := startServer(t, Options{WatchInterval: 5 * time.Millisecond})
	c := s.connect(t)
	// More input that waits behind the statement does not hide the end of the connection.
	c.send(&pgproto3.Query{String: "wait"}, &pgproto3.Query{String: "rows 1"})
	s.waitUntilWaiting(t)
	c.nc.Close()
	eventually(t, "the session is closed", func() bool { return s.e.closed.Load() == 1 })
}

func TestIdleClientIsToldOfShutdown(t *testing.T) {
	s := startServer(t, Options{})
	idle, running, starting := s.connect(t), s.connect(t), s.dial(t)
	running.query("wait")
	s.waitUntilWaiting(t)
	ctx, cancel := timeoutContext()
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	const line = "ErrorResponse FATAL 57P01 terminating connection due to administrator command"
	idle.want(line, "EOF")
	running.want(line, "EOF")
	starting.until("EOF")
	if nc, err := net.Dial("tcp", s.addr); err == nil {
		nc.Close()
		t.Error("the server still accepts")
	}
	if n := s.e.closed.Load(); n != 2 {
		t.Errorf("%d sessions were closed", n)
	}
}

func TestShutdownDoesNotWaitForeverForADeafStatement(t *testing.T) {
	s := startServer(t, Options{})
	c := s.connect(t)
	c.query("deaf")
	s.waitUntilWaiting(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err == nil {
		t.Error("shutdown says that all sessions have ended")
	}
	c.want("EOF")
	close(s.e.letGo)
}

func TestTerminateOfTheSessionEndsTheConnection(t *testing.T) {
	s := startServer(t, Options{})
	c := s.connect(t)
	s.e.options().Terminate(sqlerr.Fatal(sqlerr.IdleInTransactionSessionTimeout, "too idle"))
	c.want("ErrorResponse FATAL 25P03 too idle", "EOF")
}

func TestSlowStartupIsCutOff(t *testing.T) {
	s := startServer(t, Options{StartupTimeout: 20 * time.Millisecond})
	c := s.dial(t)
	c.write([]byte{0, 0})
	c.want("EOF")
	c = s.connect(t)
	time.Sleep(40 * time.Millisecond)
	c.works() // the limit is one of the startup only
}

func TestNoticeOfALongStatementComesBeforeItsEnd(t *testing.T) {
	s := startServer(t, Options{})
	c := s.connect(t)
	c.query("wait")
	s.waitUntilWaiting(t)
	time.Sleep(noticeDelay + 20*time.Millisecond)
	s.e.options().Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "half done"))
	c.want("NoticeResponse NOTICE 00000 half done")
}

// countingConn counts the writes to a connection.
type countingConn struct {
	net.Conn
	mu     sync.Mutex
	writes int
}

func (c *countingConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.writes++
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *countingConn) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writes
}

func TestOneWriteARoundTrip(t *testing.T) {
	s := newServer(newFakeEngine(), Options{Logger: slog.New(slog.DiscardHandler)})
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(testTimeout))
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	counting := &countingConn{Conn: accepted}
	s.start(counting)
	c := &client{t, nc, pgproto3.NewFrontend(pgproto3.NewChunkReader(nc), nc)}
	for _, step := range []struct {
		name  string
		do    func()
		until string
	}{
		{"startup", func() { c.startup(map[string]string{"user": "u"}) }, "ReadyForQuery"},
		{"100 rows", func() { c.query("rows 100") }, "ReadyForQuery"},
		{"notice and rows", func() { c.query("notice; rows 5") }, "ReadyForQuery"},
		{"extended", func() {
			c.send(&pgproto3.Parse{Query: "rows 3"}, &pgproto3.Describe{ObjectType: 'S'}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
		}, "ReadyForQuery"},
		{"pipeline of three", func() {
			m := []pgproto3.FrontendMessage{&pgproto3.Bind{PreparedStatement: ""}, &pgproto3.Execute{}, &pgproto3.Sync{}}
			c.send(append(append(m, m...), &pgproto3.Parse{Name: "last", Query: "rows 0"}, &pgproto3.Flush{})...)
		}, "ParseComplete"},
		{"error", func() { c.query("error") }, "ReadyForQuery"},
	} {
		before := counting.count()
		step.do()
		c.until(step.until)
		if n := counting.count() - before; n != 1 {
			t.Errorf("%s: %d writes", step.name, n)
		}
	}
	before := counting.count()
	c.query("rows 10000") // about 250 kB
	c.until("ReadyForQuery")
	if n := counting.count() - before; n < 10 || n > 30 {
		t.Errorf("10000 rows: %d writes", n)
	}
	ctx, cancel := timeoutContext()
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

func TestOnlyTrustedAddressesAreListenedOn(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "nonsense"} {
		if l, err := Listen(addr, false); err == nil {
			l.Close()
			t.Errorf("%s is taken", addr)
		}
	}
	l, err := Listen("0.0.0.0:0", true)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// remoteConn pretends to come from elsewhere.
type remoteConn struct{ net.Conn }

func (remoteConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 1} }

func TestClientFromElsewhereIsRefused(t *testing.T) {
	for trust, want := range map[bool]string{
		false: `ErrorResponse FATAL 28000 no authentication method for host "192.0.2.7": only clients on the server's own machine are trusted`,
		true:  "AuthenticationOk",
	} {
		s := newServer(newFakeEngine(), Options{TrustRemote: trust, Logger: slog.New(slog.DiscardHandler)})
		near, far := net.Pipe()
		s.start(remoteConn{far})
		c := &client{t, near, pgproto3.NewFrontend(pgproto3.NewChunkReader(near), near)}
		c.startup(map[string]string{"user": "u"})
		c.want(want)
		near.Close()
		ctx, cancel := timeoutContext()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

func BenchmarkPointQuery(b *testing.B) {
	e := newFakeEngine()
	s := newServer(e, Options{Logger: slog.New(slog.DiscardHandler)})
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		b.Fatal(err)
	}
	go s.Serve(l)
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	f := pgproto3.NewFrontend(pgproto3.NewChunkReader(nc), nc)
	start, _ := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "u"}}).Encode(nil)
	if _, err := nc.Write(start); err != nil {
		b.Fatal(err)
	}
	ready := func() {
		for {
			m, err := f.Receive()
			if err != nil {
				b.Fatal(err)
			}
			if _, ok := m.(*pgproto3.ReadyForQuery); ok {
				return
			}
		}
	}
	ready()
	q := message('Q', []byte("rows 1\x00")...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := nc.Write(q); err != nil {
			b.Fatal(err)
		}
		ready()
	}
	b.StopTimer()
	ctx, cancel := timeoutContext()
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		b.Error(err)
	}
}
