// Package scram is SCRAM-SHA-256 (RFC 5802, RFC 7677) as PostgreSQL's servers do it: verifiers, which are stored in place of
// passwords, and the server's side of the exchange. It knows nothing of messages, roles and connections.
//
// A verifier is SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey, with base64 for the last three. [NewVerifier] makes one out of
// a password; [Exchange] is one login.
package scram

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Mechanism is the name of the one mechanism.
const Mechanism = "SCRAM-SHA-256"

// Sizes and counts of new verifiers, as PostgreSQL's.
const (
	saltBytes  = 16
	iterations = 4096
	nonceBytes = 18
)

// verifier is a decoded verifier.
type verifier struct {
	iterations           int
	salt                 []byte
	storedKey, serverKey []byte
}

// NewVerifier makes a verifier with a new salt.
func NewVerifier(password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	v, err := derive(password, salt, iterations)
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

func derive(password string, salt []byte, n int) (verifier, error) {
	salted, err := pbkdf2.Key(sha256.New, prepare(password), salt, n, sha256.Size)
	if err != nil {
		return verifier{}, fmt.Errorf("derive a key: %w", err)
	}
	stored := sha256.Sum256(sign(salted, "Client Key"))
	return verifier{n, salt, stored[:], sign(salted, "Server Key")}, nil
}

func sign(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// String is the stored form.
func (v verifier) String() string {
	e := base64.StdEncoding
	return fmt.Sprintf("%s$%d:%s$%s:%s", Mechanism, v.iterations, e.EncodeToString(v.salt), e.EncodeToString(v.storedKey), e.EncodeToString(v.serverKey))
}

// IsVerifier reports whether a text is a verifier and not a password.
func IsVerifier(text string) bool {
	_, err := parse(text)
	return err == nil
}

var errNoVerifier = errors.New("not a SCRAM-SHA-256 verifier")

func parse(text string) (verifier, error) {
	rest, ok := strings.CutPrefix(text, Mechanism+"$")
	first, second, ok2 := strings.Cut(rest, "$")
	count, salt, ok3 := strings.Cut(first, ":")
	stored, server, ok4 := strings.Cut(second, ":")
	if !ok || !ok2 || !ok3 || !ok4 {
		return verifier{}, errNoVerifier
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return verifier{}, errNoVerifier
	}
	v := verifier{iterations: n}
	for text, to := range map[string]*[]byte{salt: &v.salt, stored: &v.storedKey, server: &v.serverKey} {
		if *to, err = base64.StdEncoding.DecodeString(text); err != nil {
			return verifier{}, errNoVerifier
		}
	}
	if len(v.storedKey) != sha256.Size || len(v.serverKey) != sha256.Size || len(v.salt) == 0 {
		return verifier{}, errNoVerifier
	}
	return v, nil
}

// Exchange is one login. Its errors but ErrRefused are violations of the protocol by the client.
type Exchange struct {
	v      verifier
	doomed bool
	nonce  string // the client's and then the server's
	header string // gs2-header, as the client sent it
	bare   string // client-first-message-bare
	first  string // server-first-message
}

// ErrRefused says that the password was wrong, or that there is none.
var ErrRefused = errors.New("password authentication failed")

// mockKey makes the salts of exchanges that cannot succeed, so that they stay the same from one to the next.
var mockKey = func() []byte {
	k := make([]byte, sha256.Size)
	if _, err := rand.Read(k); err != nil {
		panic(err) // the system has no random numbers
	}
	return k
}()

// NewExchange begins a login by a role's verifier. Without a good one the exchange goes on as with one and is refused at its end,
// so that a client does not learn which roles there are.
func NewExchange(user, stored string) *Exchange {
	v, err := parse(stored)
	if err != nil {
		salt := sign(mockKey, user)[:saltBytes]
		return &Exchange{v: verifier{iterations, salt, make([]byte, sha256.Size), make([]byte, sha256.Size)}, doomed: true}
	}
	return &Exchange{v: v}
}

// First answers client-first-message.
func (x *Exchange) First(message string) (string, error) {
	var nonce [nonceBytes]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return "", fmt.Errorf("make a nonce: %w", err)
	}
	return x.firstWith(message, base64.StdEncoding.EncodeToString(nonce[:]))
}

func (x *Exchange) firstWith(message, nonce string) (string, error) {
	flag, rest, ok := strings.Cut(message, ",")
	if !ok {
		return "", errors.New("malformed SCRAM message")
	}
	authzid, bare, ok := strings.Cut(rest, ",")
	switch {
	case !ok:
		return "", errors.New("malformed SCRAM message")
	case strings.HasPrefix(flag, "p="):
		return "", errors.New("the client selected channel binding, which the server did not offer")
	case flag != "n" && flag != "y":
		return "", errors.New("malformed SCRAM message: unexpected channel-binding flag")
	case authzid != "":
		return "", errors.New("client uses authorization identity, but it is not supported")
	case strings.HasPrefix(bare, "m="):
		return "", errors.New("client requires an unsupported SCRAM extension")
	}
	x.header, x.bare = flag+",,", bare
	name, rest, _ := strings.Cut(bare, ",") // the name is that of the startup packet, whatever it says here
	clientNonce, _, _ := strings.Cut(rest, ",")
	if !strings.HasPrefix(name, "n=") || !strings.HasPrefix(clientNonce, "r=") || !printable(clientNonce[2:]) {
		return "", errors.New("malformed SCRAM message: name and nonce expected")
	}
	x.nonce = clientNonce[2:] + nonce
	x.first = "r=" + x.nonce + ",s=" + base64.StdEncoding.EncodeToString(x.v.salt) + ",i=" + strconv.Itoa(x.v.iterations)
	return x.first, nil
}

// printable reports whether a nonce has only the characters it may have.
func printable(s string) bool {
	for _, c := range s {
		if c < 0x21 || c > 0x7e {
			return false
		}
	}
	return s != ""
}

// Final answers client-final-message. Errors: ErrRefused.
func (x *Exchange) Final(message string) (string, error) {
	without, proofText, ok := strings.Cut(message, ",p=")
	if !ok {
		return "", errors.New("malformed SCRAM message: proof expected")
	}
	binding, nonce, ok := strings.Cut(without, ",")
	if !ok || binding != "c="+base64.StdEncoding.EncodeToString([]byte(x.header)) {
		return "", errors.New("unexpected SCRAM channel-binding attribute in client-final-message")
	}
	if nonce != "r="+x.nonce {
		return "", errors.New("invalid SCRAM response: nonce does not match")
	}
	proof, err := base64.StdEncoding.DecodeString(proofText)
	if err != nil || len(proof) != sha256.Size {
		return "", errors.New("malformed SCRAM message: malformed proof")
	}
	auth := x.bare + "," + x.first + "," + without
	clientKey := make([]byte, sha256.Size)
	subtle.XORBytes(clientKey, proof, sign(x.v.storedKey, auth))
	stored := sha256.Sum256(clientKey)
	if subtle.ConstantTimeCompare(stored[:], x.v.storedKey) != 1 || x.doomed {
		return "", ErrRefused
	}
	return "v=" + base64.StdEncoding.EncodeToString(sign(x.v.serverKey, auth)), nil
}
