package sql

import (
	"slices"
	"sync"

	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// LISTEN, UNLISTEN and NOTIFY take effect when their transaction commits. A notification goes into the inbox of each session that
// listens then, of the same database, in the order of commits; what carries the session to its client takes it from there when the
// session is idle.

// Notification is what NOTIFY sends.
type Notification struct {
	PID              int32 // of the session that sent it
	Channel, Payload string
}

// Limits, as PostgreSQL's but for the last: there it is a queue's size on disk.
const (
	maxPayloadBytes = 7999
	maxInbox        = 1 << 18
)

// hub knows who listens.
type hub struct {
	// commit is held while a transaction with notifications commits, so that all see them in the order of commits.
	commit sync.Mutex

	mu        sync.Mutex
	listeners map[channel]map[*Session]struct{}
	inboxes   map[*Session][]Notification
}

// channel is a channel of a database.
type channel struct {
	database catalog.ID
	name     string
}

// listening is a change of what a session listens to.
type listening struct {
	channel string // "": all, of UNLISTEN
	on      bool
}

// pendingNotify is what a transaction will say when it commits.
type pendingNotify struct {
	changes []listening
	sends   []Notification
}

func (p *pendingNotify) empty() bool { return len(p.changes)+len(p.sends) == 0 }

// mark and rollbackTo are for savepoints.
func (p *pendingNotify) mark() [2]int { return [2]int{len(p.changes), len(p.sends)} }

func (p *pendingNotify) rollbackTo(m [2]int) {
	p.changes, p.sends = p.changes[:m[0]], p.sends[:m[1]]
}

func (s *Session) listen(name string) {
	s.tx.notify.changes = append(s.tx.notify.changes, listening{name, true})
}

func (s *Session) unlisten(name string) {
	s.tx.notify.changes = append(s.tx.notify.changes, listening{name, false})
}

// notify sends at the end of the transaction, once what is said twice. Errors: 22023.
func (s *Session) notify(name, payload string) error {
	switch {
	case name == "":
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name cannot be empty")
	case len(name) > catalog.MaxNameLength:
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name too long")
	case len(payload) > maxPayloadBytes:
		return sqlerr.New(sqlerr.InvalidParameterValue, "payload string too long")
	}
	n := Notification{s.pid, name, payload}
	if !slices.Contains(s.tx.notify.sends, n) {
		s.tx.notify.sends = append(s.tx.notify.sends, n)
	}
	return nil
}

// commitNotify runs commit, and does what the transaction said of notifications if that succeeds.
func (s *Session) commitNotify(commit func() error) error {
	p := &s.tx.notify
	if p.empty() {
		return commit()
	}
	h := &s.engine.hub
	h.commit.Lock()
	defer h.commit.Unlock()
	if err := h.checkRoom(s, p.sends); err != nil {
		return err
	}
	if err := commit(); err != nil {
		return err
	}
	for _, wake := range h.apply(s, p) {
		wake()
	}
	return nil
}

// checkRoom refuses notifications for a session that takes none off its inbox.
func (h *hub) checkRoom(s *Session, sends []Notification) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range sends {
		for to := range h.listeners[channel{s.database.ID, n.Channel}] {
			if len(h.inboxes[to])+len(sends) > maxInbox {
				return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many notifications in the NOTIFY queue")
			}
		}
	}
	return nil
}

// apply makes the changes, delivers and gives what wakes the sessions that got something.
func (h *hub) apply(s *Session, p *pendingNotify) (wake []func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range p.changes {
		switch key := (channel{s.database.ID, c.channel}); {
		case c.on:
			if h.listeners == nil {
				h.listeners, h.inboxes = map[channel]map[*Session]struct{}{}, map[*Session][]Notification{}
			}
			if h.listeners[key] == nil {
				h.listeners[key] = map[*Session]struct{}{}
			}
			h.listeners[key][s] = struct{}{}
		case c.channel == "":
			h.removeLocked(s)
		default:
			h.dropLocked(key, s)
		}
	}
	for _, n := range p.sends {
		for to := range h.listeners[channel{s.database.ID, n.Channel}] {
			if len(h.inboxes[to]) == 0 && to != s && to.opts.Notified != nil {
				wake = append(wake, to.opts.Notified)
			}
			h.inboxes[to] = append(h.inboxes[to], n)
			to.hasMail.Store(true)
		}
	}
	return wake
}

func (h *hub) dropLocked(key channel, s *Session) {
	delete(h.listeners[key], s)
	if len(h.listeners[key]) == 0 {
		delete(h.listeners, key)
	}
}

func (h *hub) removeLocked(s *Session) {
	for key := range h.listeners {
		h.dropLocked(key, s)
	}
}

// remove forgets a session.
func (h *hub) remove(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.removeLocked(s)
	delete(h.inboxes, s)
}

// channels are those that a session listens to.
func (h *hub) channels(s *Session) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for key, who := range h.listeners {
		if _, ok := who[s]; ok {
			out = append(out, key.name)
		}
	}
	slices.Sort(out)
	return out
}

// Notifications takes what arrived for the session's client, in order. There is nothing to take while a transaction is open.
func (s *Session) Notifications() []Notification {
	if !s.tx.start.IsZero() || !s.hasMail.Load() {
		return nil
	}
	h := &s.engine.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.inboxes[s]
	delete(h.inboxes, s)
	s.hasMail.Store(false)
	return out
}

// runNotify runs LISTEN, UNLISTEN and NOTIFY.
func (s *Session) runNotify(st parse.Stmt) (tag string, err error) {
	s.needStart()
	switch st := st.(type) {
	case *parse.ListenStmt:
		s.listen(st.Channel)
		return "LISTEN", nil
	case *parse.UnlistenStmt:
		s.unlisten(st.Channel)
		return "UNLISTEN", nil
	case *parse.NotifyStmt:
		return "NOTIFY", s.notify(st.Channel, st.Payload)
	}
	return "", sqlerr.Internal("not about notifications: %T", st)
}
