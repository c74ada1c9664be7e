package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Sequence is what makes a relation a sequence. Where it stands is not in here: that lies under a key of its own, written
// outside of transactions, in steps of a block, so that a number given out never comes again.
type Sequence struct {
	Type      types.Type `json:"type"`
	Start     int64      `json:"start"`
	Increment int64      `json:"increment"`
	Min       int64      `json:"min"`
	Max       int64      `json:"max"`
	Cache     int64      `json:"cache"`
	Cycle     bool       `json:"cycle,omitempty"`
	// Generation names the key of the sequence's state. A change gives it a new one, which begins at Last and Called: so a
	// change that rolls back leaves the old state as it is.
	Generation uint32 `json:"generation"`
	Last       int64  `json:"last"`
	Called     bool   `json:"called,omitempty"`
	// Owner is the column that the sequence goes away with; Table 0: none.
	Owner Owner `json:"owner"`
	// Identity: it belongs to an identity column.
	Identity bool `json:"identity,omitempty"`
}

// Owner is a column of a table.
type Owner struct {
	Table  ID       `json:"table,omitempty"`
	Column ColumnID `json:"column,omitempty"`
}

// sequenceKey names the state of a sequence.
type sequenceKey struct {
	id         ID
	generation uint32
}

// sequenceState is where a sequence stands. Durable is what is written: at or ahead of current.
type sequenceState struct {
	mu       sync.Mutex
	loaded   bool
	current  Standing
	durable  Standing
	ahead    int64 // how many more numbers durable allows
	block    int64 // of the last reservation
	reserved time.Time
}

// Standing is where a sequence stands: the last number given out, or, if none was yet, the one to come.
type Standing struct {
	Last   int64
	Called bool
}

// A block is at least PostgreSQL's 32 numbers. It doubles, up to a bound, while blocks are used up quickly. What is left
// of one is lost when the server is killed.
const (
	minSequenceBlock = 32
	maxSequenceBlock = 4096
)

func sequenceStateKey(t *Table) []byte {
	k := binary.BigEndian.AppendUint32([]byte{keySequence}, uint32(t.ID))
	return binary.BigEndian.AppendUint32(k, t.Sequence.Generation)
}

func (s Standing) encode() []byte {
	v := binary.BigEndian.AppendUint64(nil, uint64(s.Last))
	if s.Called {
		return append(v, 1)
	}
	return append(v, 0)
}

// SequenceGeneration hands out a generation for a sequence.
func (s *Store) SequenceGeneration(ctx context.Context, id ID) (uint32, error) {
	n, err := s.AllocateIndexIDs(ctx, id, 1)
	return uint32(n), err
}

// sequence gives the state of a sequence, locked and loaded.
func (s *Store) sequence(ctx context.Context, t *Table) (*sequenceState, error) {
	k := sequenceKey{t.ID, t.Sequence.Generation}
	s.mu.Lock()
	st := s.seqs[k]
	if st == nil {
		st = &sequenceState{}
		s.seqs[k] = st
	}
	s.mu.Unlock()
	st.mu.Lock()
	if st.loaded {
		return st, nil
	}
	now := Standing{t.Sequence.Last, t.Sequence.Called}
	txn, err := s.db.Begin(kv.TxnOptions{ReadOnly: true})
	if err == nil {
		var v []byte
		var ok bool
		v, ok, err = txn.GetLatest(ctx, sequenceStateKey(t))
		txn.Rollback()
		if err == nil && ok {
			if len(v) != 9 {
				err = corrupt("the state of sequence %q has %d bytes", t.Name, len(v))
			} else {
				now = Standing{int64(binary.BigEndian.Uint64(v)), v[8] != 0}
			}
		}
	}
	if err != nil {
		st.mu.Unlock()
		return nil, fmt.Errorf("read sequence: %w", err)
	}
	st.current, st.durable, st.loaded = now, now, true
	return st, nil
}

// write makes a standing durable. It is not given up half way: what was handed out relies on it.
func (s *Store) writeSequence(ctx context.Context, t *Table, st *sequenceState, to Standing) error {
	txn, err := s.db.Begin(kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := txn.Put(sequenceStateKey(t), to.encode()); err != nil {
		return err
	}
	if err := txn.Commit(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("write sequence: %w", err)
	}
	st.durable = to
	return nil
}

// NextValue gives the next number of a sequence. Requires a lock on it, as View.SequenceForUse takes.
//
// Errors: 2200H at the end of a sequence that does not cycle.
func (s *Store) NextValue(ctx context.Context, t *Table) (int64, error) {
	st, err := s.sequence(ctx, t)
	if err != nil {
		return 0, err
	}
	defer st.mu.Unlock()
	q := t.Sequence
	next := st.current.Last
	if st.current.Called {
		if next, err = q.after(t.Name, st.current.Last); err != nil {
			return 0, err
		}
	}
	if st.ahead == 0 {
		n := q.room(next, st.nextBlock(q))
		if err := s.writeSequence(ctx, t, st, Standing{next + n*q.Increment, true}); err != nil {
			return 0, err
		}
		st.ahead = n + 1
	}
	st.ahead--
	st.current = Standing{next, true}
	return next, nil
}

// nextBlock is how many numbers to reserve beyond the one that is needed.
func (st *sequenceState) nextBlock(q *Sequence) int64 {
	now := time.Now()
	if st.block != 0 && now.Sub(st.reserved) < time.Second {
		st.block = min(2*st.block, maxSequenceBlock)
	} else {
		st.block = max(minSequenceBlock, min(q.Cache, maxSequenceBlock))
	}
	st.reserved = now
	return st.block
}

// room is how many numbers, at most block, come after next before the sequence ends. Differences of int64 are right as
// uint64, whatever their signs.
func (q *Sequence) room(next, block int64) int64 {
	left, step := uint64(q.Max)-uint64(next), uint64(q.Increment)
	if q.Increment < 0 {
		left, step = uint64(next)-uint64(q.Min), -step
	}
	return int64(min(left/step, uint64(block)))
}

// after is the number after last.
func (q *Sequence) after(name string, last int64) (int64, error) {
	word, end, begin := "maximum", q.Max, q.Min
	if q.Increment < 0 {
		word, end, begin = "minimum", q.Min, q.Max
	}
	switch {
	case last >= q.Min && last <= q.Max && q.room(last, 1) == 1:
		return last + q.Increment, nil
	case q.Cycle:
		return begin, nil
	}
	return 0, sqlerr.New(sqlerr.SequenceGeneratorLimitExceeded, "nextval: reached %s value of sequence \"%s\" (%d)", word, name, end)
}

// SetValue makes a sequence stand somewhere else, for everybody and at once. Requires a lock on it.
//
// Errors: 22003 for a number out of the sequence's range.
func (s *Store) SetValue(ctx context.Context, t *Table, to Standing) error {
	q := t.Sequence
	if to.Last < q.Min || to.Last > q.Max {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence \"%s\" (%d..%d)", to.Last, t.Name, q.Min, q.Max)
	}
	st, err := s.sequence(ctx, t)
	if err != nil {
		return err
	}
	defer st.mu.Unlock()
	if err := s.writeSequence(ctx, t, st, to); err != nil {
		return err
	}
	st.current, st.ahead = to, 0
	return nil
}

// SequenceStanding tells where a sequence stands.
func (s *Store) SequenceStanding(ctx context.Context, t *Table) (Standing, error) {
	st, err := s.sequence(ctx, t)
	if err != nil {
		return Standing{}, err
	}
	defer st.mu.Unlock()
	return st.current, nil
}

// forgetSequence requires s.mu.
func (s *Store) forgetSequence(id ID) {
	for k := range s.seqs {
		if k.id == id {
			delete(s.seqs, k)
		}
	}
	maps.DeleteFunc(s.used, func(_ types.OID, u usedSequence) bool { return u.table.ID == id })
}

// Close writes down where the sequences stand, so that nothing of their blocks is lost. Sessions must be closed before.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for k, st := range s.seqs {
		st.mu.Lock()
		if st.loaded && st.current != st.durable {
			// A sequence that is gone has no key any more, and must not get one again.
			t := &Table{ID: k.id, Sequence: &Sequence{Generation: k.generation}}
			if err := s.rewriteSequence(ctx, t, st); err != nil && first == nil {
				first = err
			}
		}
		st.mu.Unlock()
	}
	return first
}

// rewriteSequence puts back the durable state to the current one if it is still there.
func (s *Store) rewriteSequence(ctx context.Context, t *Table, st *sequenceState) error {
	txn, err := s.db.Begin(kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if _, ok, err := txn.GetLatest(ctx, sequenceStateKey(t)); err != nil || !ok {
		return err
	}
	if err := txn.Put(sequenceStateKey(t), st.current.encode()); err != nil {
		return err
	}
	if err := txn.Commit(ctx); err != nil {
		return fmt.Errorf("write sequence: %w", err)
	}
	st.durable, st.ahead = st.current, 0
	return nil
}

// SequenceForUse gives a sequence by OID, locked as nextval locks it, to the end of the transaction: against ALTER and
// DROP, not against others who use it.
//
// Errors: ErrNotFound, 42809 for something else, and those of waiting for a lock.
func (v *View) SequenceForUse(ctx context.Context, oid types.OID) (*Table, error) {
	if t := v.sequences[oid]; t != nil {
		return t, nil
	}
	t, err := v.knownSequence(ctx, oid)
	if t == nil && err == nil {
		t, err = v.findSequence(ctx, oid)
	}
	if err != nil {
		return nil, err
	}
	if v.sequences == nil {
		v.sequences = map[types.OID]*Table{}
	}
	v.sequences[oid] = t
	return t, nil
}

// usedSequence is a sequence as of a generation.
type usedSequence struct {
	table      *Table
	generation uint64
}

// knownSequence locks a sequence that was used before and gives it if the catalog has not changed since; else nil.
func (v *View) knownSequence(ctx context.Context, oid types.OID) (*Table, error) {
	if v.changed {
		return nil, nil
	}
	v.store.mu.Lock()
	u := v.store.used[oid]
	v.store.mu.Unlock()
	if u.table == nil || u.generation != v.store.Generation() {
		return nil, nil
	}
	if err := v.LockTable(ctx, u.table.ID, kv.TableRowExclusive); err != nil {
		return nil, err
	}
	if u.generation != v.store.Generation() {
		return nil, nil
	}
	return u.table, nil
}

// findSequence reads a sequence and locks it.
func (v *View) findSequence(ctx context.Context, oid types.OID) (*Table, error) {
	generation := v.store.Generation()
	t, err := v.TableByOID(ctx, oid)
	if err != nil {
		return nil, err
	}
	if t.Kind != KindSequence {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a sequence", t.Name)
	}
	if err := v.LockTable(ctx, t.ID, kv.TableRowExclusive); err != nil {
		return nil, err
	}
	if t, err = v.TableByID(ctx, t.ID); err != nil {
		return nil, err
	}
	if !v.changed {
		v.store.mu.Lock()
		v.store.used[oid] = usedSequence{t, generation}
		v.store.mu.Unlock()
	}
	return t, nil
}

// NewSequence completes a new sequence, of which schema, name, owner and Sequence are set, and gives it its numbers.
// CreateTable stores it.
func (v *View) NewSequence(ctx context.Context, t *Table) error {
	t.Kind, t.Version = KindSequence, 1
	t.Columns = []Column{
		{ID: 1, Name: "last_value", Type: types.Int8, NotNull: true},
		{ID: 2, Name: "log_cnt", Type: types.Int8, NotNull: true},
		{ID: 3, Name: "is_called", Type: types.Bool, NotNull: true},
	}
	if err := v.number(ctx, t); err != nil {
		return err
	}
	var err error
	t.Sequence.Generation, err = v.store.SequenceGeneration(ctx, t.ID)
	return err
}

// number gives a relation without indexes its id and OIDs.
func (v *View) number(ctx context.Context, t *Table) error {
	var err error
	if t.ID, err = v.store.allocateTableID(ctx); err != nil {
		return err
	}
	first, err := v.store.AllocateOIDs(ctx, 3)
	t.OID, t.TypeOID = first, first+1
	if t.Kind == KindView {
		t.ArrayOID = first + 2
	}
	return err
}

// RestartSequence gives a sequence a new generation that begins at a standing. T is a Clone that UpdateTable gets next.
func (v *View) RestartSequence(ctx context.Context, t *Table, to Standing) error {
	err := v.txn.Del(sequenceStateKey(t))
	if err != nil {
		return err
	}
	t.Sequence.Last, t.Sequence.Called = to.Last, to.Called
	t.Sequence.Generation, err = v.store.SequenceGeneration(ctx, t.ID)
	return err
}

// SequenceName makes the name of a sequence for a column, as PostgreSQL does for SERIAL: table_column_seq, with a number if
// that is taken.
func (v *View) SequenceName(ctx context.Context, schema ID, table, column string) (string, error) {
	return chooseName(table, column, "seq", func(s string) (bool, error) { return v.nameTaken(ctx, schema, s) })
}

// OwnedSequences are the sequences that columns of a table own.
func (v *View) OwnedSequences(ctx context.Context, table ID) ([]*Table, error) {
	c, err := v.Contents(ctx)
	if err != nil {
		return nil, err
	}
	var owned []*Table
	for _, t := range c.Tables {
		if t.Kind == KindSequence && t.Sequence.Owner.Table == table {
			owned = append(owned, t)
		}
	}
	return owned, nil
}

// IsNotFound reports whether err is ErrNotFound.
func IsNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
