package pgwire

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgproto3/v2"
)

// A copy that is cancelled in the middle of a message, long or short, leaves the connection in step.
func TestCancelInTheMiddleOfCopyData(t *testing.T) {
	s := startServer(t, Options{})
	for _, length := range []int{100, 100_000} {
		c, key := s.connectWithKey(t)
		c.query("copyin")
		c.until("CopyInResponse")
		s.waitUntilWaiting(t)
		message, err := (&pgproto3.CopyData{Data: []byte(strings.Repeat("x", length))}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		half := len(message) * 3 / 4
		c.write(message[:half])
		time.Sleep(20 * time.Millisecond) // the server has read it, more likely than not
		cancelRequest(t, s, key.ProcessID, key.SecretKey)
		c.want("ErrorResponse ERROR 57014 canceling statement due to user request", "ReadyForQuery I")
		c.write(message[half:])
		c.send(&pgproto3.CopyDone{})
		c.works()
	}
}

func TestCopyOfAClientThatGoesAwayEnds(t *testing.T) {
	s := startServer(t, Options{})
	c := s.connect(t)
	c.send(&pgproto3.Query{String: "copyin"}, &pgproto3.CopyData{Data: []byte("x")})
	s.waitUntilWaiting(t)
	c.nc.Close()
	eventually(t, "the session is closed", func() bool { return s.e.closed.Load() == 1 })
}

func TestShutdownEndsACopyThatWaits(t *testing.T) {
	s := startServer(t, Options{})
	c := s.connect(t)
	c.query("copyin")
	c.until("CopyInResponse")
	s.waitUntilWaiting(t)
	ctx, cancel := timeoutContext()
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	c.want("ErrorResponse FATAL 57P01 terminating connection due to administrator command", "EOF")
}
