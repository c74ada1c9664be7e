package scram

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// rfc is the example of RFC 7677, section 3.
var rfc = struct{ first, nonce, serverFirst, final, serverFinal string }{
	first:       "n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
	nonce:       "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
	serverFirst: "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
	final:       "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
	serverFinal: "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
}

func rfcExchange(t *testing.T, password string) *Exchange {
	t.Helper()
	salt, _ := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	v, err := derive(password, salt, 4096)
	if err != nil {
		t.Fatal(err)
	}
	x := NewExchange("user", v.String())
	got, err := x.firstWith(rfc.first, rfc.nonce)
	if err != nil || got != rfc.serverFirst {
		t.Fatalf("server-first-message is %q, %v", got, err)
	}
	return x
}

func TestExchangeIsThatOfTheRFC(t *testing.T) {
	got, err := rfcExchange(t, "pencil").Final(rfc.final)
	if err != nil || got != rfc.serverFinal {
		t.Errorf("server-final-message is %q, %v", got, err)
	}
}

func TestWrongPasswordIsRefused(t *testing.T) {
	if _, err := rfcExchange(t, "pencils").Final(rfc.final); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestRoleWithoutVerifierIsRefusedAtTheEnd(t *testing.T) {
	var firsts []string
	for range 2 {
		x := NewExchange("nobody", "")
		first, err := x.First("n,,n=,r=abc")
		if err != nil || !strings.HasPrefix(first, "r=abc") {
			t.Fatalf("server-first-message is %q, %v", first, err)
		}
		_, salt, _ := strings.Cut(first, ",")
		firsts = append(firsts, salt)
		nonce, _, _ := strings.Cut(first, ",")
		if _, err := x.Final("c=biws," + nonce + ",p=" + base64.StdEncoding.EncodeToString(make([]byte, 32))); !errors.Is(err, ErrRefused) {
			t.Errorf("got %v", err)
		}
	}
	if firsts[0] != firsts[1] {
		t.Errorf("the salt of a role that is not there changes: %q", firsts)
	}
}

func TestMalformedMessagesAreErrors(t *testing.T) {
	for _, first := range []string{"", "n", "n,", "n,,", "x,,n=,r=a", "p=tls-unique,,n=,r=a", "n,a=x,n=,r=a", "n,,m=1,n=,r=a", "n,,n=,r=", "n,,n=,r=a\x00", "n,,r=a"} {
		if _, err := NewExchange("u", "").First(first); err == nil {
			t.Errorf("client-first-message %q is taken", first)
		}
	}
	for _, final := range []string{"", "c=biws", "c=biws,r=x,p=", "c=biws,r=rOprNGfwEbeRWgbNEkqO,p=AA==", strings.Replace(rfc.final, "biws", "eSws", 1), rfc.final + "A"} {
		if _, err := rfcExchange(t, "pencil").Final(final); err == nil || errors.Is(err, ErrRefused) {
			t.Errorf("client-final-message %q gives %v", final, err)
		}
	}
}

func TestVerifierIsTold(t *testing.T) {
	v, err := NewVerifier("pässword")
	if err != nil || !IsVerifier(v) {
		t.Errorf("%q is none, %v", v, err)
	}
	for _, text := range []string{"", "secret", "SCRAM-SHA-256$4096:AA==$AA==:AA==", strings.Replace(v, "4096", "0", 1), v + "x"} {
		if IsVerifier(text) {
			t.Errorf("%q is one", text)
		}
	}
}

func TestPrepare(t *testing.T) {
	for in, want := range map[string]string{"plain": "plain", "I\u00adX": "IX", "\u2168": "IX", "a\u00a0b": "a b", "\u00aa": "a"} {
		if got := prepare(in); got != want {
			t.Errorf("prepare(%q) = %q, want %q", in, got, want)
		}
	}
}
