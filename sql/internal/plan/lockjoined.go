package plan

import (
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// LockJoined locks rows of the tables of an inner join for SELECT … FOR UPDATE and its kin, and passes the joined rows as they are once
// locked. Rows that a sort and LIMIT above cut off are locked too.
type LockJoined struct {
	Input Node
	Locks []TableRowLock
	// Recheck is all that has to be true of a row, evaluated again if a part of it changed before it was locked. Nil: nothing.
	Recheck expr.Expr
	// Limit, if not 0, is how many rows are wanted, probably: not many more are locked.
	Limit int64
}

// TableRowLock is the lock of a table's row, which begins at a column of the joined rows.
type TableRowLock struct {
	Table    *catalog.Table
	First    int
	Strength LockStrength
	Wait     LockWait
}

// Types are the input's.
func (n *LockJoined) Types() []types.Type { return n.Input.Types() }

// lockJoined is what the locking clauses ask for over several items of FROM. Without OF a clause is about all tables.
func (s *selection) lockJoined(word string) (*LockJoined, error) {
	lock := &LockJoined{}
	for _, t := range s.from.trees {
		if t.isOuter() {
			return nil, s.p.unsupported(word+" of an outer join", s.st.Locking[0].Pos)
		}
	}
	at := map[*source]int{}
	add := func(src *source, strength LockStrength, wait LockWait) {
		i, ok := at[src]
		if !ok {
			i, at[src] = len(lock.Locks), len(lock.Locks)
			lock.Locks = append(lock.Locks, TableRowLock{Table: src.scan.Table, First: src.first})
		}
		l := &lock.Locks[i]
		l.Strength, l.Wait = max(l.Strength, strength), max(l.Wait, wait)
	}
	for _, l := range s.st.Locking {
		strength, wait := lockStrengths[l.Strength], lockWaits[l.Wait]
		if len(l.Tables) == 0 {
			for _, src := range s.from.sources {
				if _, ok := src.node.(*Subquery); ok {
					return nil, s.p.unsupported(word+" of a subquery", l.Pos)
				}
				if src.scan != nil {
					add(src, strength, wait)
				}
			}
		}
		for _, t := range l.Tables {
			src := s.from.named(t.Name)
			if src == nil {
				return nil, s.p.at(sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" in %s clause not found in FROM clause", t.Name, word), t.Pos)
			}
			if src.scan == nil {
				return nil, s.p.unsupported(word+" of anything but a table", t.Pos)
			}
			add(src, strength, wait)
		}
	}
	_, conds := flatten(s.from.trees, append([]expr.Expr(nil), s.conds...))
	lock.Recheck, lock.Limit = expr.JoinAnd(conds), 0
	if len(s.order) == 0 {
		lock.Limit = s.probableLimit()
	}
	return lock, nil
}

// isOuter reports whether there is an outer join in a tree.
func (t *joinTree) isOuter() bool {
	return t.source == nil && (t.kind != InnerJoin || t.left.isOuter() || t.right.isOuter())
}

// named is the item of FROM with a name; nil if there is none.
func (f *from) named(name string) *source {
	for _, src := range f.sources {
		if src.names.Name == name {
			return src
		}
	}
	return nil
}
