package pgwire

import (
	"errors"
	"os"
	"time"

	"github.com/jackc/pgproto3/v2"
)

// Notifications reach a client before ReadyForQuery and, while it sends nothing, at once: the session's call of wake makes the read
// that waits for the next message end, and awaitMessage sends them and reads on.

// wake makes a connection that waits for its client look for notifications. It may be called from any goroutine.
func (c *conn) wake() {
	c.wakeMu.Lock()
	defer c.wakeMu.Unlock()
	if c.idle && !c.woken {
		c.woken = true
		c.nc.SetReadDeadline(time.Unix(1, 0))
	}
}

// awaitMessage gives the client's next message.
func (c *conn) awaitMessage() (typ byte, body []byte, err error) {
	c.setIdle(true)
	defer c.setIdle(false)
	// What arrived since ReadyForQuery, when wake did nothing yet.
	if c.sendNotifications() {
		c.flushWanted = true
	}
	for {
		typ, body, err = c.r.next()
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !c.wasWoken() {
			return typ, body, err
		}
		if c.sendNotifications() {
			c.flushWanted = true
		}
	}
}

func (c *conn) setIdle(idle bool) {
	c.wakeMu.Lock()
	c.idle = idle
	c.wakeMu.Unlock()
	if !idle {
		c.wasWoken()
	}
}

// wasWoken takes back what wake did to the socket. It reports false if nothing was done, or if the connection has to end.
func (c *conn) wasWoken() bool {
	c.wakeMu.Lock()
	defer c.wakeMu.Unlock()
	if !c.woken {
		return false
	}
	c.woken = false
	c.nc.SetReadDeadline(time.Time{})
	if c.term.Load() != nil {
		c.nc.SetReadDeadline(time.Unix(1, 0)) // terminate's may have come before
		return false
	}
	return true
}

// sendNotifications gathers what the session got, and reports whether that is something.
func (c *conn) sendNotifications() bool {
	list := c.sess.Notifications()
	for _, n := range list {
		c.w.send(&pgproto3.NotificationResponse{PID: uint32(n.PID), Channel: clean(n.Channel), Payload: clean(n.Payload)})
	}
	return len(list) > 0
}
