package kv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"minidb/kv/internal/lock"
	"minidb/kv/internal/resolver"
	"minidb/kv/mvcc"
)

// TxnOptions say how a transaction behaves. The zero value is a read-write
// transaction at ReadCommitted that waits for locks forever and commits with
// SyncFull.
type TxnOptions struct {
	Isolation Isolation
	ReadOnly  bool
	// LockTimeout bounds every single wait for a lock; 0: no bound.
	LockTimeout time.Duration
	Sync        SyncMode
	// Owner is whose the transaction is, for TableLocks.
	Owner int64
	// AsOf reads at a past timestamp. Requires ReadOnly; 0: now.
	AsOf Timestamp
}

// Txn is one transaction. It is not safe for concurrent use.
//
// Writes are buffered and become visible to others at Commit. Each carries the
// number of the statement that made it; reads see the writes of earlier
// statements only, so a statement never meets its own.
//
// A transaction holds back garbage collection at its read timestamp until it
// ends, at ReadCommitted until its next statement.
type Txn struct {
	db     *DB
	o      TxnOptions
	reader reader // at the read timestamp
	locks  lock.Owner
	stmt   uint32 // number of the running statement
	buf    buffer
	tables []attached
	slot   slot // the commit's place in the order of publication
	commit Timestamp
	ended  bool
}

// Begin starts a transaction. It costs no I/O. End it with Commit or Rollback.
//
// Errors: ErrUnsupportedIsolation, ErrTooOld, ErrClosed.
func (db *DB) Begin(o TxnOptions) (*Txn, error) {
	if db.closed.Load() {
		return nil, ErrClosed
	}
	if o.Isolation > RepeatableRead {
		return nil, ErrUnsupportedIsolation
	}
	t := &Txn{db: db, o: o, stmt: 1}
	switch {
	case o.AsOf == 0:
		db.gc.enterNow(&t.reader, &db.published)
	case !o.ReadOnly:
		panic("kv: AsOf in a transaction that may write")
	case o.AsOf > db.Now():
		return nil, errors.New("the read timestamp is in the future")
	default:
		if err := db.gc.enterAt(&t.reader, o.AsOf); err != nil {
			return nil, err
		}
	}
	t.locks.Init(db.locks)
	t.locks.Tag = o.Owner
	return t, nil
}

// NextStatement starts a new statement: earlier writes become visible to its
// reads, and at ReadCommitted it reads at the newest published timestamp.
func (t *Txn) NextStatement() {
	if t.ended {
		return
	}
	t.stmt++
	if t.o.Isolation == ReadCommitted && t.o.AsOf == 0 {
		t.db.gc.renew(&t.reader, &t.db.published)
	}
}

// ReadTimestamp returns the timestamp the running statement reads at.
func (t *Txn) ReadTimestamp() Timestamp { return t.reader.at }

// CommitTimestamp returns the timestamp of a successful Commit that wrote
// something, else 0.
func (t *Txn) CommitTimestamp() Timestamp { return t.commit }

// SetLockTimeout changes TxnOptions.LockTimeout for later waits.
func (t *Txn) SetLockTimeout(d time.Duration) { t.o.LockTimeout = d }

// SetSync changes TxnOptions.Sync.
func (t *Txn) SetSync(m SyncMode) { t.o.Sync = m }

func (t *Txn) usable(ctx context.Context) error {
	if t.ended {
		return ErrTxnDone
	}
	return t.db.usable(ctx)
}

func (t *Txn) writable(key []byte) error {
	switch {
	case t.ended:
		return ErrTxnDone
	case t.o.ReadOnly:
		return ErrReadOnly
	default:
		return checkKey(key)
	}
}

func checkKey(key []byte) error {
	if len(key) == 0 || key[0] == 0 {
		return ErrInvalidKey
	}
	return nil
}

// Get returns the value of key at the read timestamp, or this transaction's own
// from an earlier statement. The caller owns the value.
func (t *Txn) Get(ctx context.Context, key []byte) (value []byte, ok bool, err error) {
	return t.get(ctx, key, t.stmt, t.reader.at)
}

// GetLatest returns the newest committed value of key, or this transaction's own
// from any statement, the running one too. Meant for keys whose row is locked.
// The caller owns the value.
func (t *Txn) GetLatest(ctx context.Context, key []byte) (value []byte, ok bool, err error) {
	return t.get(ctx, key, allStatements, t.db.published.load())
}

// AppendValue is Get that appends the value to dst.
func (t *Txn) AppendValue(ctx context.Context, dst, key []byte) (value []byte, ok bool, err error) {
	return t.appendValue(ctx, dst, key, t.stmt, t.reader.at)
}

// AppendLatest is GetLatest that appends the value to dst.
func (t *Txn) AppendLatest(ctx context.Context, dst, key []byte) (value []byte, ok bool, err error) {
	return t.appendValue(ctx, dst, key, allStatements, t.db.published.load())
}

func (t *Txn) get(ctx context.Context, key []byte, limit uint32, at Timestamp) (value []byte, ok bool, err error) {
	if value, ok, err = t.appendValue(ctx, nil, key, limit, at); !ok {
		return nil, false, err
	}
	return value, true, err
}

func (t *Txn) appendValue(ctx context.Context, dst, key []byte, limit uint32, at Timestamp) (value []byte, ok bool, err error) {
	found, closer, err := t.look(ctx, key, limit, at)
	if found != nil {
		dst, ok = append(dst, found...), true
	}
	if err = closed(closer, err); err != nil {
		return dst, false, err
	}
	return dst, ok, nil
}

// look finds the newest value of key at or before at, or this transaction's own of
// a statement below limit; nil: absent. It is valid until closer, if not nil, is
// closed, which must be done also after an error.
func (t *Txn) look(ctx context.Context, key []byte, limit uint32, at Timestamp) (value []byte, closer io.Closer, err error) {
	if err := t.usable(ctx); err != nil {
		return nil, nil, err
	}
	if value, ok := t.buf.get(key, limit); ok {
		return value, nil, nil
	}
	var suffix [mvcc.SuffixLen]byte
	mvcc.AppendSuffix(suffix[:0], at)
	found, version, closer, err := t.db.eng.Get(key, suffix[:])
	if err != nil || version == nil || len(found) == 0 {
		return nil, closer, err
	}
	return found, closer, nil
}

// closed closes c, if it is not nil, and returns the first error.
func closed(c io.Closer, err error) error {
	if c == nil {
		return err
	}
	if e := c.Close(); err == nil {
		err = e
	}
	return err
}

// Put buffers key = value. Both are copied. Requires that the caller holds
// the row's lock, if others may write it.
//
// Errors: ErrReadOnly, ErrInvalidKey, ErrEmptyValue.
func (t *Txn) Put(key, value []byte) error {
	if err := t.writable(key); err != nil {
		return err
	}
	if len(value) == 0 {
		return ErrEmptyValue
	}
	t.buf.put(key, value, t.stmt)
	return nil
}

// Del buffers the deletion of key, present or not. Key is copied.
func (t *Txn) Del(key []byte) error {
	if err := t.writable(key); err != nil {
		return err
	}
	t.buf.put(key, nil, t.stmt)
	return nil
}

// PutAbsent buffers key = value unless key has a newest value, own writes of all
// statements included; then put is false. It is CPut of a single key, without an
// iterator. Requires that the row is locked for Update.
func (t *Txn) PutAbsent(ctx context.Context, key, value []byte) (put bool, err error) {
	if err := t.writable(key); err != nil {
		return false, err
	}
	present, closer, err := t.look(ctx, key, allStatements, t.db.published.load())
	absent := present == nil
	if err := closed(closer, err); err != nil || !absent {
		return false, err
	}
	return true, t.Put(key, value)
}

// CPut buffers key = value if the newest value of key, own writes of all
// statements included, is expected; nil expects absence. It looks through it, a
// Latest iterator that all CPuts of a statement share and whose span covers
// their keys; keys in ascending order make each look-up a short step from the
// last one. Requires that the row is locked for Update. It loses its position: a
// SeekGE must come before its next Next.
//
// Errors: *ConditionFailedError, and nothing is buffered.
func (t *Txn) CPut(it *Iter, key, value, expected []byte) error {
	if it.t != t || !it.latest || it.reverse {
		panic("kv: CPut needs a forward Latest iterator of its transaction")
	}
	if err := t.writable(key); err != nil {
		return err
	}
	actual, err := it.newest(key)
	if err != nil {
		return err
	}
	if (actual == nil) != (expected == nil) || !bytes.Equal(actual, expected) {
		return &ConditionFailedError{Key: bytes.Clone(key), Actual: bytes.Clone(actual)}
	}
	return t.Put(key, value)
}

// LockRow locks the row of all keys that begin with row, to the end of the
// transaction, and reports whether a commit newer than the read timestamp
// touched one of them. If changed, the statement must re-read the row (Latest)
// before it decides.
//
// Errors: ErrDeadlock, ErrLockTimeout, ErrLockNotAvailable, ErrRowSkipped, the
// context's; at RepeatableRead ErrSerialization for a changed row, except for
// KeyShare, which only reports.
func (t *Txn) LockRow(ctx context.Context, row []byte, mode RowLock, wait WaitPolicy) (changed bool, err error) {
	if err := t.LockKey(ctx, row, mode, wait); err != nil {
		return false, err
	}
	changed, err = t.changed(row)
	if changed && t.o.Isolation >= RepeatableRead && mode > KeyShare {
		return true, ErrSerialization
	}
	return changed, err
}

// changed reports whether a key that begins with row has a published version above
// the read timestamp. Of a row whose lock is held all commits are published.
func (t *Txn) changed(row []byte) (bool, error) {
	since := t.reader.at
	if t.db.published.load() == since {
		return false, nil
	}
	s := PrefixSpan(row)
	switch t.db.window.Touched(s.Start, s.End, since) {
	case resolver.No:
		return false, nil
	case resolver.Yes:
		return true, nil
	}
	return t.db.changedSince(s, since)
}

// LockKey is LockRow without the look at what changed: for keys that are about
// to be inserted or checked for presence and read with Latest after it.
func (t *Txn) LockKey(ctx context.Context, row []byte, mode RowLock, wait WaitPolicy) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	return t.locks.LockRow(ctx, row, mode, wait, t.o.LockTimeout)
}

// LockSpan locks every row in s, present or not, as LockKey does one.
func (t *Txn) LockSpan(ctx context.Context, s Span, mode RowLock, wait WaitPolicy) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	return t.locks.LockSpan(ctx, s.Start, s.End, mode, wait, t.o.LockTimeout)
}

// LockTable takes a table lock to the end of the transaction. Key names the
// table; table locks and row locks do not meet.
func (t *Txn) LockTable(ctx context.Context, key []byte, mode TableLock, wait WaitPolicy) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	return t.locks.LockTable(ctx, key, mode, wait, t.o.LockTimeout)
}

// Savepoint is a mark to roll back to.
type Savepoint struct{ writes, locks, tables int }

// Savepoint returns a mark of the transaction as it stands.
func (t *Txn) Savepoint() Savepoint {
	return Savepoint{writes: t.buf.mark(), locks: t.locks.Mark(), tables: len(t.tables)}
}

// RollbackTo undoes what happened after s: writes, locks, attached tables and
// dropped spans. S stays valid, marks set after it do not.
func (t *Txn) RollbackTo(s Savepoint) {
	if t.ended {
		return
	}
	t.buf.rollback(s.writes)
	for _, a := range t.tables[s.tables:] {
		a.table.remove()
	}
	t.tables = t.tables[:s.tables]
	t.locks.ReleaseTo(s.locks)
}

// Release forgets s and keeps what happened after it.
func (t *Txn) Release(Savepoint) {}

// DropSpan makes everything in s up to the commit's timestamp garbage, whose
// space comes back. Requires that nobody reads s after the commit, nor writes it,
// ever: a table's or index's id is not reused.
func (t *Txn) DropSpan(s Span) {
	if err := t.writable(s.Start); err != nil {
		panic("kv: DropSpan: " + err.Error())
	}
	t.buf.put(sysKey(sysDrop, s.Start, s.End), []byte{1}, t.stmt)
}

// Rollback drops the transaction's writes, tables and locks. It is a no-op on
// one that has ended.
func (t *Txn) Rollback() {
	if !t.ended {
		t.end()
	}
}

// end gives back all that the transaction holds.
func (t *Txn) end() {
	t.ended = true
	t.locks.ReleaseAll()
	t.db.gc.leave(&t.reader)
	for _, a := range t.tables {
		a.table.remove()
	}
	t.tables, t.buf = nil, buffer{}
}
