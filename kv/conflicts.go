package kv

import (
	"bytes"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"minidb/kv/internal/resolver"
	"minidb/kv/mvcc"
	"minidb/storage"
)

// attached is a table that joins the transaction's commit.
type attached struct {
	table *SSTable
	index int // in its AddSSTables call
	// checked: no key of it was live at the snapshot at; commit checks what came
	// after.
	checked bool
	at      Timestamp
}

// AddOptions say what AddSSTables checks.
type AddOptions struct {
	// CheckConflicts refuses tables with a key that is live in the store.
	CheckConflicts bool
}

// AddSSTables attaches finished tables to the transaction: they become
// visible at its commit, all or none. It checks, without any lock, for keys that
// two tables share, and for live keys at a snapshot; Commit locks the tables'
// spans and checks what changed since. The transaction owns the tables from
// the call on, also after an error, and removes their files at its end. Its own
// reads do not see them.
//
// Errors: *ConflictError.
func (t *Txn) AddSSTables(ctx context.Context, tables []*SSTable, o AddOptions) error {
	for i, s := range tables {
		if s.attached {
			panic("kv: an sstable is attached twice")
		}
		s.attached = true
		if t.ended {
			s.remove()
		} else {
			t.tables = append(t.tables, attached{table: s, index: i})
		}
	}
	if err := t.usable(ctx); err != nil {
		return err
	}
	if t.o.ReadOnly {
		return ErrReadOnly
	}
	if err := t.checkDisjoint(ctx); err != nil || !o.CheckConflicts {
		return err
	}
	at := t.db.published.load()
	added := t.tables[len(t.tables)-len(tables):]
	for i := range added {
		added[i].checked, added[i].at = true, at
	}
	return t.db.checkConflicts(ctx, added, func(attached) Timestamp { return 0 }, at)
}

// checkDisjoint refuses a key that two attached tables share.
func (t *Txn) checkDisjoint(ctx context.Context) error {
	byStart := slices.Clone(t.tables)
	slices.SortFunc(byStart, func(a, b attached) int {
		return bytes.Compare(a.table.span.Start, b.table.span.Start)
	})
	for i, a := range byStart {
		for _, b := range byStart[i+1:] {
			if bytes.Compare(b.table.span.Start, a.table.span.End) >= 0 {
				break
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := checkPair(a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPair(a, b attached) (err error) {
	x, err := a.table.open()
	if err != nil {
		return err
	}
	defer closeInto(&err, x)
	y, err := b.table.open()
	if err != nil {
		return err
	}
	defer closeInto(&err, y)
	pair := mvcc.NewTandem(x.Iter, y.Iter)
	if !pair.Next() {
		return pair.Err()
	}
	key, _ := mvcc.Split(x.Key())
	return &ConflictError{
		Key: bytes.Clone(key), Existing: bytes.Clone(x.Value()), Table: b.index, Other: a.index,
	}
}

func closeInto(err *error, c interface{ Close() error }) {
	if e := c.Close(); *err == nil {
		*err = e
	}
}

// checkConflicts refuses a table with a key that has a live version in (after,
// at]. It looks at the tables in parallel and reports the first by index.
func (db *DB) checkConflicts(ctx context.Context, tables []attached, after func(attached) Timestamp, at Timestamp) error {
	errs := make([]error, len(tables))
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, a := range tables {
		g.Go(func() error {
			if running.Err() == nil {
				errs[i] = db.checkTable(a, after(a), at)
			}
			return errs[i]
		})
	}
	if g.Wait() == nil {
		return context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) checkTable(a attached, after, at Timestamp) (err error) {
	x, err := a.table.open()
	if err != nil {
		return err
	}
	defer closeInto(&err, x)
	o := storage.IterOptions{Lower: a.table.span.Start, Upper: a.table.span.End}
	if after > 0 {
		o.MinSuffix, o.MaxSuffix = mvcc.Suffix(mvcc.MaxTimestamp), mvcc.Suffix(after+1)
	}
	eng, err := db.eng.NewIter(o)
	if err != nil {
		return err
	}
	defer closeInto(&err, eng)
	c, err := mvcc.CheckConflicts(eng, x.Iter, after, at)
	if err != nil || c == nil {
		return err
	}
	return &ConflictError{Key: c.Key, Existing: c.Existing, Table: a.index, Other: -1}
}

// recheck looks for keys of the attached tables that came to life after their
// check. Requires locks on the tables' spans.
func (t *Txn) recheck(ctx context.Context) error {
	at := t.db.published.load()
	var stale []attached
	for _, a := range t.tables {
		s := a.table.span
		if a.checked && a.at < at && t.db.window.Touched(s.Start, s.End, a.at) != resolver.No {
			stale = append(stale, a)
		}
	}
	if err := t.db.checkConflicts(ctx, stale, func(a attached) Timestamp { return a.at }, at); err != nil {
		return err
	}
	for _, a := range t.tables {
		if err := t.checkBuffer(a); err != nil {
			return err
		}
	}
	return nil
}

// checkBuffer refuses a key that a table and the transaction's own writes share.
func (t *Txn) checkBuffer(a attached) (err error) {
	s := a.table.span
	n := t.buf.seekGE(s.Start)
	if n == 0 || !s.Contains(t.buf.nodes[n].key) {
		return nil
	}
	x, err := a.table.open()
	if err != nil {
		return err
	}
	defer closeInto(&err, x)
	for ; n != 0 && s.Contains(t.buf.nodes[n].key); n = t.buf.next(n) {
		value, ok := t.buf.visible(n, allStatements)
		if !ok {
			continue
		}
		key := t.buf.nodes[n].key
		if x.SeekGE(key) {
			if k, _ := mvcc.Split(x.Key()); bytes.Equal(k, key) {
				return &ConflictError{Key: bytes.Clone(key), Existing: bytes.Clone(value), Table: a.index, Other: -1}
			}
		}
	}
	return x.Err()
}

// changedSince reports whether a key in s has a version above since.
func (db *DB) changedSince(s Span, since Timestamp) (changed bool, err error) {
	eng, err := db.eng.NewIter(storage.IterOptions{
		Lower: s.Start, Upper: s.End,
		MinSuffix: mvcc.Suffix(mvcc.MaxTimestamp), MaxSuffix: mvcc.Suffix(since + 1),
	})
	if err != nil {
		return false, err
	}
	defer closeInto(&err, eng)
	for ok := eng.SeekGE(s.Start); ok; ok = eng.NextPrefix() {
		if _, version := mvcc.Split(eng.Key()); version > since {
			return true, nil
		}
	}
	return false, eng.Err()
}
