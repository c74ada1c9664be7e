package pgwire

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql/sqlerr"
)

// message frames a body.
func message(typ byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{typ}, uint32(len(body)+4)), body...)
}

// Every kind of garbage ends the connection that it came on with 08P01 and no other.
func TestGarbageEndsOnlyItsConnection(t *testing.T) {
	s := startServer(t, Options{})
	other := s.connect(t)
	for name, garbage := range map[string][]byte{
		"unknown type":                message('z'),
		"type of the server":          message('T', 0, 0),
		"password out of turn":        message('p', 'x', 0),
		"length below 4":              {'Q', 0, 0, 0, 3},
		"length 0":                    {'S', 0, 0, 0, 0},
		"negative length":             {'Q', 0xff, 0xff, 0xff, 0xff},
		"a gigabyte":                  {'Q', 0x3f, 0xff, 0xff, 0xff},
		"long Sync":                   {'S', 0, 1, 0, 0},
		"Sync with a body":            message('S', 0),
		"Query without body":          message('Q'),
		"Query without terminator":    message('Q', 'x'),
		"Query with two terminators":  message('Q', 'x', 0, 'y', 0),
		"Parse without body":          message('P'),
		"Parse cut off":               message('P', 0, 0, 0, 2, 0),
		"Bind without body":           message('B'),
		"Bind with a negative length": message('B', 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xf0, 0, 0),
		"Bind with a length too long": message('B', 0, 0, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff, 0, 0),
		"Bind with too many formats":  message('B', 0, 0, 0xff, 0xff, 0, 0),
		"Describe without body":       message('D'),
		"Execute without count":       message('E', 0),
		"Close without terminator":    message('C', 'S', 'x'),
		"random letters":              []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"a TLS handshake":             {0x16, 3, 1, 0, 0xc8, 1, 0, 0, 0xc4},
		"a startup packet once again": {0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.connect(t)
			c.write(garbage)
			lines := c.until("E")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, "ErrorResponse FATAL 08P01") {
				t.Errorf("answer %q", lines)
			}
			c.until("EOF")
			other.works()
		})
	}
}

func TestMessageCutOffByTheEndIsNotRun(t *testing.T) {
	s := startServer(t, Options{})
	c := s.connect(t)
	whole := message('Q', []byte("wait\x00")...)
	c.write(whole[:len(whole)-1])
	c.nc.(*net.TCPConn).CloseWrite()
	c.want("EOF")
	if len(s.e.waiting) > 0 {
		t.Error("the statement was run")
	}
}

func TestRandomBytesHarmNobody(t *testing.T) {
	s := startServer(t, Options{})
	other := s.connect(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	types := []byte("QPBDECHSXFdcf")
	for i := range 300 {
		var c *client
		if i%2 == 0 {
			c = s.dial(t)
		} else {
			c = s.connect(t)
		}
		junk := make([]byte, rng.IntN(200)+1)
		for j := range junk {
			junk[j] = byte(rng.Uint32())
		}
		if i%3 == 0 { // well framed, with a body of any kind
			junk = message(types[rng.IntN(len(types))], junk...)
		}
		c.nc.Write(junk)
		c.nc.(*net.TCPConn).CloseWrite()
		for line := ""; line != "EOF"; {
			line = c.receive()
		}
		c.nc.Close()
	}
	other.works()
	eventually(t, "no connection is left over", func() bool { return len(s.all()) == 1 })
}

// A header that promises much must not take memory before the bytes come.
func TestPromisedLengthTakesNoMemory(t *testing.T) {
	var src bytes.Buffer
	src.Write([]byte{'Q', 3, 0, 0, 0})
	src.Write(make([]byte, 1000))
	r := newReader(&src)
	if _, _, err := r.next(); err == nil {
		t.Fatal("no error")
	}
	if cap(r.body) > keptBodyBytes {
		t.Errorf("%d bytes were taken", cap(r.body))
	}
}

func TestLargeMessagesArriveWhole(t *testing.T) {
	for _, n := range []int{0, 1, readBufferBytes - 1, readBufferBytes, readBufferBytes + 1, keptBodyBytes, 1 << 20} {
		var src bytes.Buffer
		for i := range 3 {
			src.Write(message('Q', bytes.Repeat([]byte{byte('a' + i)}, n)...))
		}
		r := newReader(&src)
		for i := range 3 {
			typ, body, err := r.next()
			if err != nil || typ != 'Q' || !bytes.Equal(body, bytes.Repeat([]byte{byte('a' + i)}, n)) {
				t.Errorf("length %d, message %d: %c, %d bytes, %v", n, i, typ, len(body), err)
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(message('Q', 'x', 0))
	f.Add(append(message('P', 0, 'q', 0, 0, 0), message('B', 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xf0)...))
	f.Add(message('S'))
	f.Add([]byte{'Q', 0, 0, 0, 4})
	f.Fuzz(func(t *testing.T, input []byte) {
		r := newReader(bytes.NewReader(input))
		for {
			typ, body, err := r.next()
			if err != nil {
				return
			}
			var m pgproto3.FrontendMessage
			switch typ {
			case 'P':
				m = &pgproto3.Parse{}
			case 'B':
				m = &pgproto3.Bind{}
			case 'D':
				m = &pgproto3.Describe{}
			case 'E':
				m = &pgproto3.Execute{}
			case 'C':
				m = &pgproto3.Close{}
			default:
				continue
			}
			if err := decode(m, body); err != nil {
				if e, ok := sqlerr.As(err); !ok || e.Code != sqlerr.ProtocolViolation {
					t.Fatalf("%c: %v", typ, err)
				}
			}
		}
	})
}

// FuzzConnection sends anything after the startup and looks that the connection ends when its input does.
func FuzzConnection(f *testing.F) {
	f.Add(message('Q', []byte("rows 3\x00")...))
	f.Add(append(append(message('P', []byte("s\x00echo int4\x00\x00\x00")...), message('B', []byte("\x00s\x00\x00\x00\x00\x01\x00\x00\x00\x011\x00\x00")...)...), message('S')...))
	f.Fuzz(func(t *testing.T, input []byte) {
		if bytes.Contains(input, []byte("wait")) || bytes.Contains(input, []byte("deaf")) || bytes.Contains(input, []byte("rows")) && len(input) > 100 {
			return
		}
		s := newServer(newFakeEngine(), Options{Logger: slog.New(slog.DiscardHandler)})
		start := []byte{0, 0, 0, 16, 0, 3, 0, 0, 'u', 's', 'e', 'r', 0, 'u', 0, 0}
		nc := &scriptedConn{in: bytes.NewReader(append(start, input...))}
		s.start(nc)
		done := make(chan struct{})
		go func() { s.wg.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(testTimeout):
			t.Fatal("the connection does not end")
		}
		if !bytes.HasPrefix(nc.out.Bytes(), message('R', 0, 0, 0, 0)) {
			t.Fatalf("no startup: %q", nc.out.Bytes())
		}
	})
}

// scriptedConn is a connection whose input is given and whose output is kept.
type scriptedConn struct {
	net.Conn
	in  *bytes.Reader
	out bytes.Buffer
}

func (c *scriptedConn) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (c *scriptedConn) Write(p []byte) (int, error)      { return c.out.Write(p) }
func (c *scriptedConn) Close() error                     { return nil }
func (c *scriptedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (c *scriptedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptedConn) SetWriteDeadline(time.Time) error { return nil }
