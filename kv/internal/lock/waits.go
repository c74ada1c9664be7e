package lock

// blockedLocked reports whether r has to wait.
func (m *Manager) blockedLocked(r *request) bool {
	for range m.hard(r) {
		return true
	}
	for w := range m.soft(r) {
		m.visit++
		if !m.reachesLocked(w.owner, r.owner, true) {
			return true
		}
	}
	return false
}

// deadlockLocked reports whether r's wait would close a cycle.
func (m *Manager) deadlockLocked(r *request) bool {
	m.visit++
	for o := range m.hard(r) {
		if m.reachesLocked(o, r.owner, false) {
			return true
		}
	}
	return false
}

// reachesLocked reports whether from waits for to, over any number of steps; soft
// says whether steps to earlier requests count. Owners seen in this visit are not
// entered again.
func (m *Manager) reachesLocked(from, to *Owner, soft bool) bool {
	if from == to {
		return true
	}
	if from.waiting == nil || from.visited == m.visit {
		return false
	}
	from.visited = m.visit
	for o := range m.hard(from.waiting) {
		if m.reachesLocked(o, to, soft) {
			return true
		}
	}
	if soft {
		for w := range m.soft(from.waiting) {
			if m.reachesLocked(w.owner, to, soft) {
				return true
			}
		}
	}
	return false
}

// hard yields the other owners that hold what r conflicts with; some may come
// more than once.
func (m *Manager) hard(r *request) func(yield func(*Owner) bool) {
	return func(yield func(*Owner) bool) {
		if r.kind != spanKind {
			if !r.obj.conflicting(r, yield) {
				return
			}
		} else {
			// The row that blocked last time most likely still does.
			if w := r.witness; w != nil && !m.rowBlocksSpan(w, r, yield) {
				return
			}
			for _, o := range m.rows {
				if !m.rowBlocksSpan(o, r, yield) {
					r.witness = o
					return
				}
			}
		}
		if r.kind == tableKind {
			return
		}
		for _, s := range m.spans {
			if s.owner != r.owner && s.mode&r.conflicts != 0 && r.overlapsSpan(s.start, s.end) && !yield(s.owner) {
				return
			}
		}
	}
}

// rowBlocksSpan yields the holders of o that block the span request r and reports
// whether to go on.
func (m *Manager) rowBlocksSpan(o *object, r *request, yield func(*Owner) bool) bool {
	if len(o.holders) == 0 || o.kind != rowKind || !rowInSpan(o.name, r.start, r.end) {
		return true
	}
	return o.conflicting(r, yield)
}

// conflicting yields the other owners whose modes on o conflict with r and
// reports whether to go on.
func (o *object) conflicting(r *request, yield func(*Owner) bool) bool {
	for i := range o.holders {
		h := &o.holders[i]
		if h.owner != r.owner && h.modes&r.conflicts != 0 && !yield(h.owner) {
			return false
		}
	}
	return true
}

// soft yields the earlier requests that r conflicts with.
func (m *Manager) soft(r *request) func(yield func(*request) bool) {
	return func(yield func(*request) bool) {
		if r.kind != spanKind && r.obj.waiting == 0 && (m.spanWaiters == 0 || r.kind == tableKind) {
			return
		}
		for _, w := range m.waiters {
			if w == r {
				return
			}
			if w.mode&r.conflicts != 0 && r.meets(w) && !yield(w) {
				return
			}
		}
	}
}

// meets reports whether r and w ask for something in common.
func (r *request) meets(w *request) bool {
	switch {
	case r.kind == tableKind || w.kind == tableKind:
		return r.obj == w.obj
	case w.kind == spanKind:
		return r.overlapsSpan(w.start, w.end)
	case r.kind == spanKind:
		return w.overlapsSpan(r.start, r.end)
	default:
		return r.obj == w.obj
	}
}

func (r *request) overlapsSpan(start, end []byte) bool {
	if r.kind == spanKind {
		return spansOverlap(r.start, r.end, start, end)
	}
	return r.kind == rowKind && rowInSpan(r.obj.name, start, end)
}
