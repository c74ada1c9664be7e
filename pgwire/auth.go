package pgwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql/scram"
	"minidb/sql/sqlerr"
)

// Auth is how clients prove who they are.
type Auth string

// The ways.
const (
	// AuthTrust lets in who comes by a loopback address, and others if Options.TrustRemote says so.
	AuthTrust Auth = "trust"
	// AuthSCRAM asks for the role's password by SCRAM-SHA-256, wherever the client is.
	AuthSCRAM Auth = "scram"
)

// String is the flag's value.
func (a *Auth) String() string { return string(*a) }

// Set reads the flag's value.
func (a *Auth) Set(s string) error {
	switch *a = Auth(s); *a {
	case AuthTrust, AuthSCRAM:
		return nil
	}
	return fmt.Errorf("must be %s or %s", AuthTrust, AuthSCRAM)
}

// Type is what help calls the value.
func (a *Auth) Type() string { return "trust|scram" }

// authenticate lets the client prove that it is the role it says.
func (c *conn) authenticate(user string) error {
	if c.srv.opts.Auth != AuthSCRAM {
		return c.checkPeer()
	}
	verifier, err := c.srv.engine.verifier(user)
	if err != nil {
		return err
	}
	x := scram.NewExchange(user, verifier)
	c.w.send(&pgproto3.AuthenticationSASL{AuthMechanisms: []string{scram.Mechanism}})
	body, err := c.saslMessage()
	if err != nil {
		return err
	}
	first, err := initialResponse(body)
	if err != nil {
		return err
	}
	answer, err := x.First(first)
	if err != nil {
		return protocolError("%s", err.Error())
	}
	c.w.send(&pgproto3.AuthenticationSASLContinue{Data: []byte(answer)})
	if body, err = c.saslMessage(); err != nil {
		return err
	}
	answer, err = x.Final(string(body))
	switch {
	case errors.Is(err, scram.ErrRefused):
		return sqlerr.Fatal(sqlerr.InvalidPassword, "password authentication failed for user \"%s\"", user)
	case err != nil:
		return protocolError("%s", err.Error())
	}
	c.w.send(&pgproto3.AuthenticationSASLFinal{Data: []byte(answer)})
	return nil
}

// saslMessage gives the body of the client's next message, which is one of the exchange.
func (c *conn) saslMessage() ([]byte, error) {
	if err := c.w.flush(); err != nil {
		return nil, err
	}
	c.r.sasl = true
	defer func() { c.r.sasl = false }()
	typ, body, err := c.r.next()
	if err == nil && typ != 'p' {
		err = protocolError("expected SASL response, got message type %d", typ)
	}
	return body, err
}

// initialResponse is the text of a SASLInitialResponse: a mechanism's name, a length and the text.
func initialResponse(body []byte) (string, error) {
	name, rest, ok := bytes.Cut(body, []byte{0})
	if !ok || len(rest) < 4 {
		return "", protocolError("invalid message format")
	}
	if string(name) != scram.Mechanism {
		return "", protocolError("client selected an invalid SASL authentication mechanism")
	}
	length := int32(binary.BigEndian.Uint32(rest))
	if int64(length) != int64(len(rest)-4) {
		return "", protocolError("invalid message format")
	}
	return string(rest[4:]), nil
}
