package pgwire

import (
	"crypto/rand"
	"encoding/binary"
	"net"
	"sort"
	"strings"
	"time"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql/sqlerr"
)

// What the first four bytes of a startup packet can be.
const (
	protocolMajor   = 3
	protocolVersion = 3 << 16 // 3.0, the only one there is here
	cancelCode      = 80877102
	sslCode         = 80877103
	gssCode         = 80877104
)

// startup takes a connection to its first ReadyForQuery. It returns false if the connection is to be closed.
func (c *conn) startup() bool {
	c.nc.SetReadDeadline(time.Now().Add(c.srv.opts.StartupTimeout))
	packet, err := c.startupPacket()
	if err != nil {
		c.readFailed(err)
		return false
	}
	if packet == nil {
		return false
	}
	if err := c.begin(packet); err != nil {
		e, ok := sqlerr.As(err)
		if !ok {
			e = sqlerr.Internal("%v", err)
		}
		c.fatal(e.WithSeverity(sqlerr.SeverityFatal))
		return false
	}
	c.nc.SetReadDeadline(time.Time{})
	// If terminate set its deadline before this cleared it, step sees the reason.
	return true
}

// startupPacket answers requests for encryption, which is not there, and gives the packet that opens a session; nil if the
// connection only brought a CancelRequest.
func (c *conn) startupPacket() ([]byte, error) {
	var sawSSL, sawGSS bool
	for {
		packet, err := c.r.startupPacket()
		if err != nil {
			return nil, err
		}
		switch code := binary.BigEndian.Uint32(packet); {
		case code == cancelCode:
			if len(packet) == 12 {
				c.srv.cancel(int32(binary.BigEndian.Uint32(packet[4:])), binary.BigEndian.Uint32(packet[8:]))
			}
			return nil, nil
		case code == sslCode && !sawSSL:
			sawSSL = true
		case code == gssCode && !sawGSS:
			sawGSS = true
		case code>>16 != protocolMajor:
			return nil, sqlerr.Fatal(sqlerr.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports 3.0 to 3.0",
				code>>16, code&0xffff)
		default:
			return packet, nil
		}
		c.w.buf = append(c.w.buf, 'N')
		if err := c.w.flush(); err != nil {
			return nil, err
		}
	}
}

// begin opens the session that a startup packet asks for.
func (c *conn) begin(packet []byte) error {
	version := binary.BigEndian.Uint32(packet)
	binary.BigEndian.PutUint32(packet, protocolVersion) // the decoder knows no other
	var msg pgproto3.StartupMessage
	if err := decode(&msg, packet); err != nil {
		return protocolError("invalid startup packet layout: expected terminator as last byte")
	}
	params := msg.Parameters
	c.negotiate(version, params)
	if params["replication"] != "" && params["replication"] != "false" && params["replication"] != "off" {
		return sqlerr.Unsupported("replication connections")
	}
	delete(params, "replication")
	if params["user"] == "" {
		return sqlerr.New(sqlerr.InvalidAuthorizationSpecification, "no PostgreSQL user name specified in startup packet")
	}
	if c.srv.isFull() { // before a session is made
		return sqlerr.New(sqlerr.TooManyConnections, "sorry, too many clients already")
	}
	settings, err := startupSettings(params)
	if err != nil {
		return err
	}
	if err := c.authenticate(params["user"]); err != nil {
		return err
	}
	o := c.sessionOptions(settings)
	o.User, o.Database, o.ApplicationName = params["user"], params["database"], params["application_name"]
	var secret [4]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return err
	}
	sess, err := c.srv.engine.newSession(o)
	if err != nil {
		return err
	}
	c.sess, c.pid, c.secret = sess, sess.PID(), binary.BigEndian.Uint32(secret[:])
	if e := c.srv.admit(c); e != nil {
		return e
	}
	c.w.send(&pgproto3.AuthenticationOk{})
	for _, p := range sess.Parameters() {
		c.tell(p.Name, p.Value)
	}
	c.w.send(&pgproto3.BackendKeyData{ProcessID: uint32(c.pid), SecretKey: c.secret})
	c.readyForQuery()
	return nil
}

// checkPeer lets in whom the server trusts without password.
func (c *conn) checkPeer() error {
	addr, ok := c.nc.RemoteAddr().(*net.TCPAddr)
	if !ok || addr.IP.IsLoopback() || c.srv.opts.TrustRemote {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidAuthorizationSpecification,
		"no authentication method for host \"%s\": only clients on the server's own machine are trusted", addr.IP)
}

// negotiate tells a client that asked for a newer minor version, or for protocol options, which of that is not there.
func (c *conn) negotiate(version uint32, params map[string]string) {
	var unknown []string
	for name := range params {
		if strings.HasPrefix(name, "_pq_.") {
			unknown = append(unknown, name)
			delete(params, name)
		}
	}
	if version == protocolVersion && len(unknown) == 0 {
		return
	}
	sort.Strings(unknown)
	c.w.negotiateProtocolVersion(protocolVersion, unknown)
}

// startupSettings are the settings of a startup packet: those it names, over those in its options.
func startupSettings(params map[string]string) (map[string]string, error) {
	settings, err := parseOptions(params["options"])
	if err != nil {
		return nil, err
	}
	for name, value := range params {
		switch name {
		case "user", "database", "options", "application_name":
		default:
			settings[name] = value
		}
	}
	return settings, nil
}

// parseOptions reads command-line options: -c name=value, -cname=value or --name=value. A backslash keeps a blank.
func parseOptions(s string) (map[string]string, error) {
	settings := map[string]string{}
	args := splitOptions(s)
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-c" && i+1 < len(args):
			i++
			arg = args[i]
		case strings.HasPrefix(arg, "--"):
			arg = arg[2:]
		case strings.HasPrefix(arg, "-c"):
			arg = arg[2:]
		default:
			arg = ""
		}
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, sqlerr.New(sqlerr.SyntaxError, "invalid command-line argument for server process: %s", args[i])
		}
		settings[strings.ReplaceAll(name, "-", "_")] = value
	}
	return settings, nil
}

func splitOptions(s string) []string {
	var args []string
	var arg []byte
	inArg := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			arg, inArg = append(arg, s[i]), true
		case c == ' ' || c >= '\t' && c <= '\r':
			if inArg {
				args = append(args, string(arg))
			}
			arg, inArg = arg[:0], false
		default:
			arg, inArg = append(arg, c), true
		}
	}
	if inArg {
		args = append(args, string(arg))
	}
	return args
}

// sendParameter gathers ParameterStatus.
func (w *writer) sendParameter(name, value string) {
	w.send(&pgproto3.ParameterStatus{Name: clean(name), Value: clean(value)})
}

// negotiateProtocolVersion gathers the message of that name, which pgproto3 does not have: the newest version that is
// spoken, and the names of the options that are not known.
func (w *writer) negotiateProtocolVersion(version uint32, unknown []string) {
	start := len(w.buf)
	w.buf = append(w.buf, 'v', 0, 0, 0, 0)
	w.buf = binary.BigEndian.AppendUint32(w.buf, version)
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(unknown)))
	for _, name := range unknown {
		w.buf = append(append(w.buf, name...), 0)
	}
	binary.BigEndian.PutUint32(w.buf[start+1:], uint32(len(w.buf)-start-1))
}
