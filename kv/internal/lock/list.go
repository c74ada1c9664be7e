package lock

// TableHold is a mode of a table that an owner holds or waits for.
type TableHold struct {
	Name    string
	Tag     int64 // the owner's
	Mode    Table
	Granted bool
}

// TableHolds lists the locks of tables, those that are held before those that
// are waited for, else in no order.
func (m *Manager) TableHolds() []TableHold {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []TableHold
	add := func(name string, o *Owner, held modes, granted bool) {
		for mode := range Table(len(tableConflicts)) {
			if held&(1<<mode) != 0 {
				out = append(out, TableHold{Name: name, Tag: o.Tag, Mode: mode, Granted: granted})
			}
		}
	}
	for name, o := range m.tables {
		for _, h := range o.holders {
			add(name, h.owner, h.modes, true)
		}
	}
	for _, r := range m.waiters {
		if r.kind == tableKind {
			add(r.obj.name, r.owner, r.mode, false)
		}
	}
	return out
}
