package pgwire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgproto3/v2"
)

// testTimeout is how long a test waits for what must come soon.
const testTimeout = 10 * time.Second

// testServer is a server on a free port of the loopback interface, over a fake engine.
type testServer struct {
	*Server
	e    *fakeEngine
	addr string
}

func startServer(t *testing.T, o Options) *testServer {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	e := newFakeEngine()
	s := newServer(e, o)
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := timeoutContext()
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return &testServer{s, e, l.Addr().String()}
}

// client is a raw connection.
type client struct {
	t  *testing.T
	nc net.Conn
	f  *pgproto3.Frontend
}

func (s *testServer) dial(t *testing.T) *client {
	t.Helper()
	nc, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(testTimeout))
	return &client{t, nc, pgproto3.NewFrontend(pgproto3.NewChunkReader(nc), nc)}
}

// connect dials and starts a session.
func (s *testServer) connect(t *testing.T) *client {
	t.Helper()
	c := s.dial(t)
	c.startup(map[string]string{"user": "u"})
	c.until("ReadyForQuery")
	return c
}

func (c *client) startup(params map[string]string) {
	c.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: params})
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.nc.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// send writes messages in one go.
func (c *client) send(ms ...pgproto3.FrontendMessage) {
	c.t.Helper()
	var buf []byte
	for _, m := range ms {
		var err error
		if buf, err = m.Encode(buf); err != nil {
			c.t.Fatal(err)
		}
	}
	c.write(buf)
}

func (c *client) query(text string) { c.t.Helper(); c.send(&pgproto3.Query{String: text}) }

// receive gives the next message as a line, or "EOF".
func (c *client) receive() (line string) {
	m, err := c.f.Receive()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isReset(err):
		return "EOF"
	case err != nil:
		c.t.Fatalf("receiving: %v", err)
	}
	return messageLine(m)
}

func isReset(err error) bool {
	return err != nil && strings.Contains(err.Error(), "connection reset")
}

// until receives up to a message that begins with a word and gives all lines.
func (c *client) until(word string) []string {
	c.t.Helper()
	var lines []string
	for {
		line := c.receive()
		lines = append(lines, line)
		if strings.HasPrefix(line, word) {
			return lines
		}
		if line == "EOF" {
			c.t.Fatalf("connection ended before %s:\n%s", word, strings.Join(lines, "\n"))
		}
	}
}

// messageLine shows what matters of a message.
func messageLine(m pgproto3.BackendMessage) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	switch m := m.(type) {
	case *pgproto3.ReadyForQuery:
		return fmt.Sprintf("%s %c", name, m.TxStatus)
	case *pgproto3.CommandComplete:
		return fmt.Sprintf("%s %s", name, m.CommandTag)
	case *pgproto3.ParameterStatus:
		return fmt.Sprintf("%s %s=%s", name, m.Name, m.Value)
	case *pgproto3.BackendKeyData:
		return name
	case *pgproto3.ParameterDescription:
		return fmt.Sprintf("%s %d", name, m.ParameterOIDs)
	case *pgproto3.ErrorResponse:
		return name + errorLine(m)
	case *pgproto3.NoticeResponse:
		return name + errorLine((*pgproto3.ErrorResponse)(m))
	case *pgproto3.CopyInResponse:
		return fmt.Sprintf("%s format %d of %d", name, m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.CopyOutResponse:
		return fmt.Sprintf("%s format %d of %d", name, m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.CopyData:
		return fmt.Sprintf("%s %q", name, m.Data)
	case *pgproto3.RowDescription:
		for _, f := range m.Fields {
			name += fmt.Sprintf(" [%s table %d.%d type %d len %d mod %d format %d]", f.Name, f.TableOID, f.TableAttributeNumber,
				f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.Format)
		}
	case *pgproto3.DataRow:
		for _, v := range m.Values {
			switch {
			case v == nil:
				name += " NULL"
			case bytes.ContainsFunc(v, func(r rune) bool { return r < ' ' }):
				name += fmt.Sprintf(" %x", v)
			default:
				name += fmt.Sprintf(" %q", v)
			}
		}
	}
	return name
}

func errorLine(e *pgproto3.ErrorResponse) string {
	line := fmt.Sprintf(" %s %s %s", e.Severity, e.Code, e.Message)
	if e.SeverityUnlocalized != e.Severity {
		line += " (V " + e.SeverityUnlocalized + ")"
	}
	for _, f := range []struct{ name, value string }{
		{"detail", e.Detail},
		{"hint", e.Hint},
		{"where", e.Where},
		{"schema", e.SchemaName},
		{"table", e.TableName},
		{"column", e.ColumnName},
		{"type", e.DataTypeName},
		{"constraint", e.ConstraintName},
	} {
		if f.value != "" {
			line += " " + f.name + "=" + f.value
		}
	}
	if e.Position != 0 {
		line += fmt.Sprintf(" position=%d", e.Position)
	}
	return line
}

// TestScripts runs the conversations of testdata/script. The commands, on the session that the file opens first:
//
//	send        one message a line: its name and its fields as JSON
//	bytes       hexadecimal bytes as they are, "quoted" ones too
//	rawbytes    receives so many bytes that are no message
//	until       receives up to the message that is named; several: up to the last of them in turn
//	connect     a new connection without startup packet
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
		s := startServer(t, Options{})
		c := s.dial(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "connect":
				c = s.dial(t)
			case "startup":
				params := map[string]string{}
				for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
					name, value, _ := strings.Cut(line, "=")
					params[name] = value
				}
				c.startup(params)
			case "send":
				var ms []pgproto3.FrontendMessage
				for _, line := range strings.Split(d.Input, "\n") {
					ms = append(ms, frontendMessage(t, line))
				}
				c.send(ms...)
			case "bytes":
				c.write(scriptBytes(t, d.Input))
			case "rawbytes":
				b := make([]byte, scriptNumber(t, d.Input))
				if _, err := io.ReadFull(c.nc, b); err != nil {
					t.Fatal(err)
				}
				return fmt.Sprintf("%q\n", b)
			case "until":
				var lines []string
				for _, word := range strings.Fields(d.Input) {
					if word != "EOF" {
						lines = append(lines, c.until(word)...)
						continue
					}
					for line := ""; line != "EOF"; {
						line = c.receive()
						lines = append(lines, line)
					}
				}
				return strings.Join(lines, "\n") + "\n"
			default:
				t.Fatalf("unknown command %s", d.Cmd)
			}
			return ""
		})
	})
}

func scriptNumber(t *testing.T, s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// frontendMessage makes a message of a line such as: Query {"String": "rows 1"}.
func frontendMessage(t *testing.T, line string) pgproto3.FrontendMessage {
	name, fields, _ := strings.Cut(strings.TrimSpace(line), " ")
	m, ok := map[string]pgproto3.FrontendMessage{
		"Query": &pgproto3.Query{}, "Parse": &pgproto3.Parse{}, "Bind": &pgproto3.Bind{}, "Execute": &pgproto3.Execute{},
		"Describe": &pgproto3.Describe{}, "Close": &pgproto3.Close{}, "Sync": &pgproto3.Sync{}, "Flush": &pgproto3.Flush{},
		"Terminate": &pgproto3.Terminate{}, "CopyData": &pgproto3.CopyData{}, "CopyDone": &pgproto3.CopyDone{},
		"CopyFail": &pgproto3.CopyFail{},
	}[name]
	if !ok {
		t.Fatalf("unknown message %q", name)
	}
	if fields != "" {
		if err := json.Unmarshal([]byte(fields), m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return m
}

// scriptBytes reads words of hexadecimal digits, "text" and len:word, which puts a length before what the word makes.
func scriptBytes(t *testing.T, input string) []byte {
	var out []byte
	for _, word := range strings.Fields(input) {
		word, counted := strings.CutPrefix(word, "len:")
		var b []byte
		if text, ok := strings.CutPrefix(word, `"`); ok {
			b = []byte(strings.ReplaceAll(strings.TrimSuffix(text, `"`), `\0`, "\x00"))
		} else {
			var err error
			if b, err = hex.DecodeString(word); err != nil {
				t.Fatal(err)
			}
		}
		if counted {
			out = binary.BigEndian.AppendUint32(out, uint32(len(b)+4))
		}
		out = append(out, b...)
	}
	return out
}
