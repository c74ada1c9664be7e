package sql

import (
	"context"
	"sync"
	"time"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// transaction is the state of a session's transaction.
//
//	         BEGIN            error
//	idle ───────────▶ block ────────▶ failed
//	 ▲                  │ COMMIT, ROLLBACK  │ ROLLBACK, COMMIT
//	 └──────────────────┴───────────────────┘
//
// Outside a block a statement begins an implicit transaction, which ends with the Query message or at Sync.
type transaction struct {
	txn    *kv.Txn       // nil: none has begun
	view   *catalog.View // of txn; nil: not needed yet
	block  bool          // BEGIN was said
	failed bool          // only ROLLBACK, or COMMIT, which then rolls back
	used   bool          // a statement has read or written: the isolation level is fixed
	start  time.Time
	modes  modes
	// saved are the settings to go back to by a rollback.
	saved      settingsState
	savepoints []savepoint
	notify     pendingNotify
	// closing are databases that take no sessions until the transaction has ended.
	closing []catalog.ID
	// deferred is what is to be looked at before the transaction commits.
	deferred *exec.Deferred
}

// modes are the properties of a transaction.
type modes struct {
	isolation  string
	readOnly   bool
	deferrable bool
}

// savepoint is a point to go back to.
type savepoint struct {
	name     string
	mark     kv.Savepoint
	settings settingsState
	deferred int
	notify   [2]int
}

// TxStatus is ReadyForQuery's: 'I' outside a transaction block, 'T' in one, 'E' in one that failed.
func (s *Session) TxStatus() byte {
	switch {
	case !s.tx.block:
		return 'I'
	case s.tx.failed:
		return 'E'
	default:
		return 'T'
	}
}

// Fail notes that an error happened, also in the protocol layer: a block has failed, an implicit transaction is rolled back.
func (s *Session) Fail() {
	s.closePortals()
	if !s.tx.block {
		s.rollback()
		return
	}
	s.tx.failed = true
}

// needTxn gives the transaction, and begins one if there is none.
func (s *Session) needTxn() (*kv.Txn, error) {
	if s.tx.txn != nil {
		return s.tx.txn, nil
	}
	s.needStart()
	o := kv.TxnOptions{ReadOnly: s.tx.modes.readOnly, LockTimeout: s.derived.lockTimeout, Owner: int64(s.pid)}
	switch s.tx.modes.isolation {
	case "repeatable read":
		o.Isolation = kv.RepeatableRead
	case "serializable":
		o.Isolation = kv.Serializable
	}
	txn, err := s.engine.options.KV.Begin(o)
	if err != nil {
		return nil, err
	}
	s.tx.txn = txn
	return txn, nil
}

// startTransaction notes what a new transaction is. Storage learns of it when it is needed.
func (s *Session) startTransaction(m modes) {
	s.deferred = exec.Deferred{}
	s.tx = transaction{start: s.engine.options.Now(), modes: m, saved: s.settings, deferred: &s.deferred}
}

// commit makes the transaction's writes visible. With an error it was rolled back.
func (s *Session) commit(ctx context.Context) error {
	if err := s.keepCursors(ctx, false); err != nil {
		s.rollback()
		return err
	}
	s.closePortals()
	txn := s.tx.txn
	var err error
	if txn != nil {
		if s.derived.commitAsync {
			txn.SetSync(kv.SyncOS)
		}
		if err = s.runDeferred(ctx, nil); err == nil {
			err = s.endTemporary(ctx)
		}
		if err == nil {
			err = s.commitNotify(func() error { return txn.Commit(ctx) })
		} else {
			txn.Rollback()
		}
		if err == nil && s.tx.view != nil {
			s.tx.view.Committed()
		}
	} else {
		err = s.commitNotify(func() error { return nil })
	}
	s.endCursors(err == nil)
	saved := s.tx.saved
	s.reopen()
	s.tx = transaction{}
	if err != nil {
		s.restoreSettings(saved)
		return err
	}
	old := s.settings.current
	s.settings.current = s.settings.session
	s.varsChanged(old)
	return nil
}

// rollback drops the transaction's writes and settings.
func (s *Session) rollback() {
	if s.tx.start.IsZero() {
		return
	}
	saved := s.tx.saved
	s.endTransaction()
	s.restoreSettings(saved)
}

// endTransaction drops the transaction without touching the settings.
func (s *Session) endTransaction() {
	s.closePortals()
	s.endCursors(false)
	if s.tx.txn != nil {
		s.tx.txn.Rollback()
	}
	s.reopen()
	s.tx = transaction{}
}

func (s *Session) restoreSettings(to settingsState) {
	old := s.settings.current
	s.settings = to
	s.varsChanged(old)
}

// errFailed is what statements get in a failed block.
func errFailed() error {
	return sqlerr.New(sqlerr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

// runTransactionStmt runs BEGIN, COMMIT, SAVEPOINT and their kin and gives the tag.
func (s *Session) runTransactionStmt(ctx context.Context, st *parse.TransactionStmt) (string, error) {
	switch st.Kind {
	case parse.Begin:
		return s.begin(st)
	case parse.Commit:
		return s.endBlock(ctx, true, st.Chain)
	case parse.Rollback:
		return s.endBlock(ctx, false, st.Chain)
	case parse.Savepoint:
		return "SAVEPOINT", s.savepoint(ctx, st.Name)
	case parse.ReleaseSavepoint:
		return "RELEASE", s.release(st.Name)
	case parse.RollbackToSavepoint:
		return "ROLLBACK", s.rollbackTo(st.Name)
	default:
		return "", sqlerr.Unsupported("two-phase commit")
	}
}

func (s *Session) begin(st *parse.TransactionStmt) (string, error) {
	tag := "BEGIN"
	if st.Start {
		tag = "START TRANSACTION"
	}
	if s.tx.block {
		if s.tx.failed {
			return "", errFailed()
		}
		s.notice(sqlerr.Warn(sqlerr.ActiveSQLTransaction, "there is already a transaction in progress"))
		return tag, s.setModes(st.Modes)
	}
	if s.tx.start.IsZero() {
		s.startTransaction(s.derived.modes)
	}
	// Statements of the same Query message before BEGIN become part of the block.
	if err := s.setModes(st.Modes); err != nil {
		return "", err
	}
	s.tx.block = true
	return tag, nil
}

// setModes changes the running transaction.
func (s *Session) setModes(m parse.TransactionModes) error {
	if m.Snapshot != "" {
		return sqlerr.Unsupported("SET TRANSACTION SNAPSHOT")
	}
	if m.Isolation != "" && m.Isolation != s.tx.modes.isolation {
		if s.tx.used {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
		}
		if m.Isolation == "serializable" {
			return sqlerr.Unsupported("isolation level SERIALIZABLE")
		}
		s.tx.modes.isolation = m.Isolation
		s.restartTxn()
	}
	if m.ReadOnly != nil && *m.ReadOnly != s.tx.modes.readOnly {
		if s.tx.used && !*m.ReadOnly {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "transaction read-write mode must be set before any query")
		}
		s.tx.modes.readOnly = *m.ReadOnly
	}
	if m.Deferrable != nil {
		s.tx.modes.deferrable = *m.Deferrable
	}
	return nil
}

// restartTxn forgets a transaction of storage that nothing has used yet.
func (s *Session) restartTxn() {
	if s.tx.txn != nil {
		s.tx.txn.Rollback()
		s.tx.txn, s.tx.view = nil, nil
	}
}

// setTransactionVar handles SET of the settings that are properties of the transaction.
func (s *Session) setTransactionVar(key, canonical string) (handled bool, err error) {
	on := canonical == "on"
	switch key {
	case "transaction_isolation":
		err = s.setModes(parse.TransactionModes{Isolation: canonical})
	case "transaction_read_only":
		err = s.setModes(parse.TransactionModes{ReadOnly: &on})
	case "transaction_deferrable":
		err = s.setModes(parse.TransactionModes{Deferrable: &on})
	case "default_transaction_isolation":
		if canonical == "serializable" {
			err = sqlerr.Unsupported("isolation level SERIALIZABLE")
		}
		return false, err
	default:
		return false, nil
	}
	return true, err
}

func (s *Session) isolationLevel() string {
	if s.tx.start.IsZero() {
		return s.derived.modes.isolation
	}
	return s.tx.modes.isolation
}

func (s *Session) readOnly() bool {
	if s.tx.start.IsZero() {
		return s.derived.modes.readOnly
	}
	return s.tx.modes.readOnly
}

// endBlock is COMMIT or ROLLBACK.
func (s *Session) endBlock(ctx context.Context, commit, chain bool) (string, error) {
	if !s.tx.block {
		if chain {
			word := map[bool]string{true: "COMMIT AND CHAIN", false: "ROLLBACK AND CHAIN"}[commit]
			return "", sqlerr.New(sqlerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", word)
		}
		s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "there is no transaction in progress"))
	}
	next, tag := s.tx.modes, "ROLLBACK"
	if commit && !s.tx.failed {
		tag = "COMMIT"
		if err := s.commit(ctx); err != nil {
			return "", err
		}
	} else {
		s.rollback()
	}
	if chain {
		s.startTransaction(next)
		s.tx.block = true
	}
	return tag, nil
}

func (s *Session) savepoint(ctx context.Context, name string) error {
	if !s.tx.block {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "SAVEPOINT can only be used in transaction blocks")
	}
	// The cursors that there are outlive an error and the return to here.
	if err := s.keepCursors(ctx, true); err != nil {
		return err
	}
	txn, err := s.needTxn()
	if err != nil {
		return err
	}
	s.tx.savepoints = append(s.tx.savepoints, savepoint{name: name, mark: txn.Savepoint(), settings: s.settings, deferred: s.tx.deferred.Mark(), notify: s.tx.notify.mark()})
	return nil
}

// findSavepoint gives the newest savepoint of a name.
func (s *Session) findSavepoint(name, command string) (int, error) {
	if !s.tx.block {
		return 0, sqlerr.New(sqlerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", command)
	}
	for i := len(s.tx.savepoints) - 1; i >= 0; i-- {
		if s.tx.savepoints[i].name == name {
			return i, nil
		}
	}
	return 0, sqlerr.New(sqlerr.InvalidSavepointSpecification, "savepoint \"%s\" does not exist", name)
}

func (s *Session) release(name string) error {
	if s.tx.failed {
		return errFailed()
	}
	i, err := s.findSavepoint(name, "RELEASE SAVEPOINT")
	if err != nil {
		return err
	}
	s.tx.txn.Release(s.tx.savepoints[i].mark)
	s.tx.savepoints = s.tx.savepoints[:i]
	s.releaseCursors(i)
	return nil
}

func (s *Session) rollbackTo(name string) error {
	i, err := s.findSavepoint(name, "ROLLBACK TO SAVEPOINT")
	if err != nil {
		return err
	}
	s.closePortals()
	s.dropCursorsSince(i)
	p := s.tx.savepoints[i]
	s.tx.txn.RollbackTo(p.mark)
	s.tx.deferred.RollbackTo(p.deferred)
	s.tx.notify.rollbackTo(p.notify)
	s.tx.savepoints = s.tx.savepoints[:i+1]
	s.tx.failed = false
	s.restoreSettings(p.settings)
	return nil
}

// idleTimer ends a session that is idle in a transaction for too long.
type idleTimer struct {
	mu    sync.Mutex
	timer *time.Timer
}

// start is called when a call of the session ends.
func (t *idleTimer) start(s *Session) {
	d := s.derived.idleTimeout
	if d == 0 || !s.tx.block || s.opts.Terminate == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(d, func() {
		s.opts.Terminate(sqlerr.Fatal(sqlerr.IdleInTransactionSessionTimeout, "terminating connection due to idle-in-transaction timeout"))
	})
}

// stop is called when a call of the session begins.
func (t *idleTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

var errStatementTimeout error = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")
