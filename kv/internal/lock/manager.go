package lock

import (
	"bytes"
	"slices"
	"sync"
)

// Manager holds the locks of all transactions.
//
// One mutex guards everything: an uncontended lock is one map access under it,
// and a look for deadlocks sees all waits at one instant, so a cycle is found
// when it closes. The price is that all lockers meet at that mutex; the sections
// under it are some tens of nanoseconds while nobody waits.
//
// # Who waits for whom
//
// A request waits for the holders it conflicts with (hard), and, so that nobody
// starves, behind the earlier requests it conflicts with (soft). A soft wait is
// dropped where the earlier request itself waits, over any number of steps, for
// the later one's owner: it cannot be served before that owner ends, so letting
// that owner pass costs it nothing. That rule covers upgrades, and the owner of a
// key in a span that an import waits for. What is left of cycles is hard, and
// only the start of a wait can close one; that wait is refused.
type Manager struct {
	mu          sync.Mutex
	rows        map[string]*object
	tables      map[string]*object
	spans       []*span    // granted
	waiters     []*request // in order of arrival
	spanWaiters int
	visit       uint64    // number of the last walk over waits
	free        []*object // recycled
}

// object is a row or table that somebody holds or waits for.
type object struct {
	kind    kind
	name    string
	holders []holder
	waiting int // requests queued for it
	one     [1]holder
}

type holder struct {
	owner *Owner
	modes modes
}

// span is a granted span lock.
type span struct {
	owner      *Owner
	start, end []byte
	mode       modes
}

// request is a lock that is asked for.
type request struct {
	owner      *Owner
	kind       kind
	obj        *object // rows and tables
	start, end []byte  // spans
	mode       modes   // one bit
	conflicts  modes
	granted    bool
	done       chan struct{} // closed when granted
	witness    *object       // spans: a row that blocked at the last look
}

// maxFree bounds the recycled objects.
const maxFree = 4096

// NewManager returns a Manager without locks.
func NewManager() *Manager {
	return &Manager{rows: map[string]*object{}, tables: map[string]*object{}}
}

// Stats counts locks and waits.
type Stats struct{ Rows, Tables, Spans, Waiters int }

// Stats returns the present counts.
func (m *Manager) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{Rows: len(m.rows), Tables: len(m.tables), Spans: len(m.spans), Waiters: len(m.waiters)}
}

// objectLocked returns the row or table called name, made if absent.
func (m *Manager) objectLocked(k kind, name []byte) *object {
	objects := m.rows
	if k == tableKind {
		objects = m.tables
	}
	if o := objects[string(name)]; o != nil {
		return o
	}
	var o *object
	if n := len(m.free); n > 0 {
		o, m.free = m.free[n-1], m.free[:n-1]
	} else {
		o = &object{}
		o.holders = o.one[:0]
	}
	o.kind, o.name = k, string(name)
	objects[o.name] = o
	return o
}

// dropIfUnusedLocked forgets o if nobody holds it or waits for it.
func (m *Manager) dropIfUnusedLocked(o *object) {
	if o == nil || len(o.holders) > 0 || o.waiting > 0 {
		return
	}
	if o.kind == tableKind {
		delete(m.tables, o.name)
	} else {
		delete(m.rows, o.name)
	}
	if len(m.free) < maxFree {
		m.free = append(m.free, o)
	}
}

func (o *object) held(by *Owner) modes {
	for i := range o.holders {
		if o.holders[i].owner == by {
			return o.holders[i].modes
		}
	}
	return 0
}

// coveredLocked reports whether r's owner holds what r asks for already.
func (m *Manager) coveredLocked(r *request) bool {
	if r.kind != spanKind {
		return covers(r.kind, r.obj.held(r.owner), r.mode)
	}
	for _, s := range m.spans {
		if s.owner == r.owner && covers(spanKind, s.mode, r.mode) &&
			bytes.Compare(s.start, r.start) <= 0 && bytes.Compare(r.end, s.end) <= 0 {
			return true
		}
	}
	return false
}

func (m *Manager) grantLocked(r *request) {
	r.granted = true
	g := grant{mode: r.mode}
	if r.kind == spanKind {
		g.span = &span{owner: r.owner, start: r.start, end: r.end, mode: r.mode}
		m.spans = append(m.spans, g.span)
	} else {
		g.obj = r.obj
		i := slices.IndexFunc(r.obj.holders, func(h holder) bool { return h.owner == r.owner })
		if i < 0 {
			r.obj.holders = append(r.obj.holders, holder{owner: r.owner, modes: r.mode})
		} else {
			r.obj.holders[i].modes |= r.mode
		}
	}
	r.owner.grants = append(r.owner.grants, g)
}

func (m *Manager) enqueueLocked(r *request) {
	r.done = make(chan struct{})
	r.owner.waiting = r
	m.waiters = append(m.waiters, r)
	if r.kind == spanKind {
		m.spanWaiters++
	} else {
		r.obj.waiting++
	}
}

func (m *Manager) dequeueLocked(r *request) {
	r.owner.waiting = nil
	i := slices.Index(m.waiters, r)
	m.waiters = slices.Delete(m.waiters, i, i+1)
	if r.kind == spanKind {
		m.spanWaiters--
	} else {
		r.obj.waiting--
	}
}

// wakeLocked grants what can be granted, first come first served.
func (m *Manager) wakeLocked() {
	for i := 0; i < len(m.waiters); {
		r := m.waiters[i]
		if m.blockedLocked(r) {
			i++
			continue
		}
		m.dequeueLocked(r)
		m.grantLocked(r)
		close(r.done)
	}
}
